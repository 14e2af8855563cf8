/** Keeps what the settings read from the environment away from the programs that Turnwise starts. */

import type { Settings } from '../model/settings/config.ts'
import { isPostgres, storeSecrets } from '../model/settings/store-address.ts'
import { PROVIDER_VARIABLES } from '../provider/providers.ts'
import { isBaseVariable, isOwnVariable, whyNoVariable } from '../tool/process/environment.ts'
import { type Environment, isRecord } from './variables.ts'
import { TELEGRAM_TOKEN_NAME } from './workspace/channels.ts'

/**
 * The variables that other programs may see. Left out are the ones the settings read, and any other variable that contains one
 * of their secrets.
 */
export function childEnvironment(settings: Settings, environment: Environment): Environment {
  const isKept = ([name, value]: readonly [string, string | undefined]): boolean =>
    value !== undefined && whyWithheld(name, value, settings, environment) === undefined
  return Object.fromEntries(Object.entries(environment).filter(isKept))
}

/** Why the variables in `tools.env` cannot be given to tools, one reason per line. No line repeats a value. */
export function wrongWithToolEnv(settings: Settings, environment: Environment): readonly string[] {
  return Object.entries(settings.tools.env).flatMap(([tool, names]) =>
    names.flatMap((name, index) => {
      const why = whyNoVariable(name) ?? whyWithheld(name, valueIn(environment, name), settings, environment)
      return why === undefined ? [] : [`tools.env.${tool}.${index}: ${why}`]
    }),
  )
}

/** Complaints about `$NAME` in `tools.env`. The setting lists names, so the variable must not even be read. */
export function dollarsInToolEnv(tools: unknown): readonly string[] {
  const env = isRecord(tools) && isRecord(tools.env) ? tools.env : {}
  return Object.entries(env).flatMap(([tool, names]) =>
    (Array.isArray(names) ? names : [names]).flatMap((name, index) =>
      typeof name === 'string' && name.startsWith('$')
        ? [`tools.env.${tool}.${index}: is the name of a variable; write it without "$"`]
        : [],
    ),
  )
}

const valueIn = (environment: Environment, name: string): string =>
  Object.hasOwn(environment, name) ? (environment[name] ?? '') : ''

/** The variables in which vendors' own programs, and Turnwise, look for keys and addresses. */
const VENDORS: ReadonlySet<string> = new Set([...PROVIDER_VARIABLES, TELEGRAM_TOKEN_NAME])

/** The variables in which PostgreSQL's own programs, and its driver, look for a password. */
const DATABASE_VARIABLES: ReadonlySet<string> = new Set(['PGPASSWORD', 'PGPASSFILE', 'PGSERVICEFILE'])

function whyWithheld(name: string, value: string, settings: Settings, environment: Environment): string | undefined {
  const place = Object.hasOwn(settings.variables, name) ? settings.variables[name] : undefined
  // A folder named "$HOME" in the settings is no reason to hide where home is.
  if (place !== undefined && !isBaseVariable(name))
    return `${name} is read for ${place}; what the settings read is given to no tool`
  const isOfDatabase = isPostgres(settings.store) && DATABASE_VARIABLES.has(name.toUpperCase())
  if (isOwnVariable(name) || isOfDatabase || VENDORS.has(name.toUpperCase()))
    return `${name} is read by Turnwise itself, and given to no tool`
  const ours = [...secretsOf(settings), ['TURNWISE_SECRET', environment.TURNWISE_SECRET ?? ''] as const]
  const secret = ours.find(([, each]) => holds(value, each))
  return secret === undefined ? undefined : `${name} holds the value of ${secret[0]}, which is given to no tool`
}

/** From this length on, a secret is also recognized within a longer value. */
const LONG = 16

const holds = (value: string, secret: string): boolean =>
  secret !== '' && (value === secret || (secret.length >= LONG && value.includes(secret)))

/** The secrets in the settings by their paths, both from the file and from the environment. */
function secretsOf({ gateway, store, providers, channels, mcp }: Settings): readonly (readonly [path: string, secret: string])[] {
  const headers = (path: string, given: Readonly<Record<string, string>> = {}) =>
    Object.entries(given).map(([name, value]) => [`${path}.headers.${name}`, value] as const)
  return [
    ...(gateway.token === null ? [] : [['gateway.token', gateway.token] as const]),
    ...storeSecrets(store).flatMap(password => [['store', password] as const, ['store', store] as const]),
    ...(channels.telegram?.botToken === undefined ? [] : [['channels.telegram.botToken', channels.telegram.botToken] as const]),
    ...Object.entries(providers).flatMap(([name, { apiKey, headers: given }]) => [
      ...(apiKey === undefined ? [] : [[`providers.${name}.apiKey`, apiKey] as const]),
      ...headers(`providers.${name}`, given),
    ]),
    ...Object.entries(mcp).flatMap(([name, server]) => ('url' in server ? headers(`mcp.${name}`, server.headers) : [])),
  ]
}
