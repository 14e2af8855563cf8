/** Reads turnwise.json and the environment into settings. */
import { presets } from '../../context/presets.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Settings, settingsSchema } from '../../model/settings/config.ts'
import { parseStore, storeSecrets } from '../../model/settings/store-address.ts'
import { dollarsInToolEnv, wrongWithToolEnv } from '../child-environment.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { withValue } from '../files/jsonc-edit.ts'
import type { Secrets } from '../settings/secrets-file.ts'
import { type Environment, isRecord, unsetVariables, variableIn, variablesIn, withVariables } from '../variables.ts'
import { givenChannels, wrongWithChannels } from './channels.ts'
import { complaints } from './complaint.ts'
import { catalogOf, modelsWrong, whyNoModel, whyNoPrice, whyNoRoom } from './models.ts'
import { policiesOf } from './policies.ts'
import { givenProviders, providersOf } from './providers.ts'

export type { Environment } from '../variables.ts'

/** The keys that each node reads from its own file, also where the rest is shared: who can reach it, its store, its channels. */
const NODE_KEYS = ['gateway', 'store', 'channels'] as const

/** These keys as a node's own file has them. */
export type NodeSettings = Readonly<Record<string, unknown>>

export function nodeSettingsIn(text: string): Result<NodeSettings, Fault> {
  const file = parseJsonc(text)
  if (!file.ok) return file
  return ok(Object.fromEntries(NODE_KEYS.flatMap(key => (Object.hasOwn(file.value, key) ? [[key, file.value[key]]] : []))))
}

/** A text of settings without these keys, as it is shared with other nodes. */
export const withoutNodeSettings = (text: string): string => {
  const file = parseJsonc(text)
  const present = NODE_KEYS.filter(key => file.ok && Object.hasOwn(file.value, key))
  return present.reduce((rest, key) => withValue(rest, [key], undefined), text)
}

/**
 * Reads settings from the text of `turnwise.json`, the environment, which wins, and the providers that people connected; or
 * returns everything that is wrong. With `own`, these keys count instead of those in the text.
 */
export function parseSettings(
  text: string,
  environment: Environment,
  stored: Secrets['providers'] = {},
  own?: NodeSettings,
): Result<Settings, Fault> {
  const file = writtenSettings(text, own)
  if (!file.ok) return file
  const dollars = dollarsInToolEnv(file.value.tools)
  if (dollars.length > 0) return err(fault('invalid', dollars.join('\n')))
  const read = withVariables(file.value, environment) as Record<string, unknown>
  const given = givenProviders(file.value.providers, read.providers, environment, stored)
  const merged = {
    ...withEnvironment(read, environment),
    ...optional('providers', given.value),
    ...optional('channels', givenChannels(file.value.channels, read.channels, environment)),
  }
  const unset = [...wrongLists(environment), ...unsetVariables(merged)]
  if (unset.length > 0) return err(fault('invalid', unset.join('\n')))
  const parsed = settingsSchema.safeParse(merged)
  if (!parsed.success) return err(fault('invalid', complaints(settingsSchema, merged, parsed.error).join('\n')))
  const { policies, wrong: wrongPolicies } = policiesOf(parsed.data.policies)
  const { providers, wrong: wrongProviders } = providersOf(parsed.data.providers, given)
  const settings = { ...parsed.data, policies, providers, variables: variablesIn(file.value) }
  const wrong = [
    ...wrongPolicies,
    ...wrongProviders,
    ...modelsWrong(catalogOf(settings)),
    ...wrongWithChannels(settings.channels),
    ...wrongWithToolEnv(settings, environment),
  ]
  const trouble = wrong.length > 0 ? wrong.join('\n') : contradiction(settings)
  return trouble === undefined ? ok(settings) : err(fault('invalid', trouble))
}

/** The settings as people wrote them: with `own`, these keys and no others of their kind. */
export function writtenSettings(text: string, own?: NodeSettings): Result<Record<string, unknown>, Fault> {
  const file = parseJsonc(text)
  if (!file.ok || own === undefined) return file
  const shared = Object.entries(file.value).filter(([key]) => !NODE_KEYS.some(each => each === key))
  return ok({ ...Object.fromEntries(shared), ...own })
}

/** Where a file contains keys and tokens themselves instead of the names of variables. */
export function secretsIn(text: string): readonly string[] {
  const file = parseJsonc(text)
  if (!file.ok) return []
  const { gateway, store, providers, channels } = file.value
  const telegram = isRecord(channels) ? channels.telegram : undefined
  const isSecret = (value: unknown): boolean => typeof value === 'string' && value !== '' && variableIn(value) === undefined
  return [
    ...(isRecord(gateway) && isSecret(gateway.token) ? ['gateway.token'] : []),
    ...(typeof store === 'string' && storeSecrets(store).length > 0 ? ['the password of store'] : []),
    ...Object.entries(isRecord(providers) ? providers : {}).flatMap(([name, setting]) =>
      isRecord(setting) && isSecret(setting.apiKey) ? [`providers.${name}.apiKey`] : [],
    ),
    ...(isRecord(telegram) && isSecret(telegram.botToken) ? ['channels.telegram.botToken'] : []),
  ]
}

function withEnvironment(settings: Record<string, unknown>, environment: Environment): Record<string, unknown> {
  const given = (name: string): string | undefined => environment[name] || undefined
  const port = given('TURNWISE_PORT')
  const gateway = {
    ...(isRecord(settings.gateway) ? settings.gateway : {}),
    ...optional('host', given('TURNWISE_HOST')),
    ...optional('port', port === undefined ? undefined : /^\d+$/.test(port) ? Number(port) : port),
    ...optional('token', given('TURNWISE_TOKEN')),
    ...optional('hosts', listed(given('TURNWISE_HOSTS'))),
    ...optional('origins', listed(given('TURNWISE_ORIGINS'))),
  }
  return {
    ...settings,
    ...(settings.gateway === undefined || isRecord(settings.gateway) ? { gateway } : {}),
    ...optional('store', storeFrom(given('TURNWISE_STORE'), environment)),
    ...optional('model', given('TURNWISE_MODEL')),
  }
}

/** `$NAME` in TURNWISE_STORE names another variable. */
const storeFrom = (given: string | undefined, environment: Environment): unknown => withVariables(given, environment)

/** The entries of a list in one variable, with commas or spaces between. */
const listed = (value: string | undefined): readonly string[] | undefined => value?.split(/[\s,]+/).filter(entry => entry !== '')

/** What is wrong with the lists of the environment, named by their variables. */
const wrongLists = ({ TURNWISE_HOSTS, TURNWISE_ORIGINS }: Environment): readonly string[] => [
  ...(listed(TURNWISE_HOSTS) ?? []).filter(entry => !HOST.test(entry)).map(entry => `TURNWISE_HOSTS: ${noHost(entry)}`),
  ...(listed(TURNWISE_ORIGINS) ?? []).filter(entry => !ORIGIN.test(entry)).map(entry => `TURNWISE_ORIGINS: ${noOrigin(entry)}`),
]

const optional = (key: string, value: unknown): Record<string, unknown> => (value === undefined ? {} : { [key]: value })

/** Combinations that could not work although each key is valid. */
function contradiction(settings: Settings): string | undefined {
  const { gateway, store, model, policy, policies, limits } = settings
  const address = parseStore(store)
  if (!address.ok) return address.fault.message
  const { host, token, hosts, origins } = gateway
  const catalog = catalogOf(settings)
  if (!isLoopback(host) && token === null)
    return `gateway.host: "${host}" is reachable by others, so a token is needed; set gateway.token or TURNWISE_TOKEN, or use 127.0.0.1`
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    return 'gateway.token: a header cannot carry it; use visible ASCII characters without spaces'
  const origin = origins.find(each => !ORIGIN.test(each))
  if (origin !== undefined) return `gateway.origins: ${noOrigin(origin)}`
  const name = hosts.find(each => !HOST.test(each))
  if (name !== undefined) return `gateway.hosts: ${noHost(name)}`
  const strange = whyNoModel(model, catalog)
  if (strange !== undefined) return `model: ${strange}`
  const priceless = limits.budgetUsdPerDay === null ? undefined : whyNoPrice(model, catalog)
  if (priceless !== undefined) return `limits.budgetUsdPerDay: ${priceless}`
  const known = [...Object.keys(presets), ...policies.map(each => each.name)]
  if (!known.includes(policy)) return `policy: there is no "${policy}"; known: ${known.join(', ')}`
  const [greedy] = policies.flatMap(({ name, budget }) => {
    const why = budget.reserve === null ? undefined : whyNoRoom(budget.reserve, model, catalog)
    return why === undefined ? [] : [`policies.${name}.budget.reserve: ${why}`]
  })
  return greedy
}

/** Exactly what a browser sends: a scheme, a lowercase host, perhaps a port, and nothing after it. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@A-Z]+$/
const HOST = /^([^\s/:]+|\[[\da-f:.]+\])$/i

const noOrigin = (entry: string): string => `"${entry}" is not an origin; write it as in "https://name:port"`
const noHost = (entry: string): string => `"${entry}" is not a host name; leave out its scheme and port`

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
