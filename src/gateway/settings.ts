import { catalogued, presets } from '../engine.ts'
import { type Settings, settingsSchema } from '../model/config.ts'
import { type Fault, fault } from '../model/fault.ts'
import { err, ok, type Result } from '../model/result.ts'
import { complaints } from './complaint.ts'
import { parseJsonc } from './jsonc.ts'
import { policiesOf } from './policies.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings from the text of `turnwise.json` and the environment, which wins; or everything that is wrong with them. */
export function parseSettings(text: string, environment: Environment): Result<Settings, Fault> {
  const file = parseJsonc(text)
  if (!file.ok) return file
  const merged = withEnvironment(file.value, environment)
  const unset = unsetVariables(merged)
  if (unset.length > 0) return err(fault('invalid', unset.join('\n')))
  const parsed = settingsSchema.safeParse(merged)
  if (!parsed.success) return err(fault('invalid', complaints(settingsSchema, merged, parsed.error).join('\n')))
  const { policies, wrong } = policiesOf(parsed.data.policies)
  const settings = { ...parsed.data, policies }
  const trouble = wrong.length > 0 ? wrong.join('\n') : contradiction(settings)
  return trouble === undefined ? ok(settings) : err(fault('invalid', trouble))
}

/** The file the settings' store names, inside the workspace; a store that is not built is refused. */
export function sqliteFile(store: string): Result<string, Fault> {
  const [, file] = /^sqlite:(.+)$/.exec(store) ?? []
  if (file !== undefined) return ok(file)
  // Only its kind is shown: the rest of an address may be a password.
  const [kind] = /^\w*/.exec(store) ?? []
  return err(fault('invalid', `store: "${kind}:…" is not supported by this version; use "sqlite:turnwise.db"`))
}

function withEnvironment(file: Record<string, unknown>, environment: Environment): Record<string, unknown> {
  const settings = expanded(file, environment) as Record<string, unknown>
  const given = (name: string): string | undefined => environment[name] || undefined
  const port = given('TURNWISE_PORT')
  const gateway = {
    ...(isRecord(settings.gateway) ? settings.gateway : {}),
    ...optional('host', given('TURNWISE_HOST')),
    ...optional('port', port === undefined ? undefined : /^\d+$/.test(port) ? Number(port) : port),
    ...optional('token', given('TURNWISE_TOKEN')),
  }
  return {
    ...settings,
    ...(settings.gateway === undefined || isRecord(settings.gateway) ? { gateway } : {}),
    ...optional('store', given('TURNWISE_STORE')),
    ...optional('model', given('TURNWISE_MODEL')),
  }
}

const optional = (key: string, value: unknown): Record<string, unknown> => (value === undefined ? {} : { [key]: value })

const VARIABLE = /^\$[A-Z][A-Z0-9_]*$/

/** `$NAME` as a whole value reads the environment, so that secrets need not stand in the file. */
function expanded(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string') return VARIABLE.test(value) ? (environment[value.slice(1)] ?? value) : value
  if (Array.isArray(value)) return value.map(item => expanded(item, environment))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expanded(inner, environment)]))
}

/** A name that stayed as it was would be taken for the value itself: a token that everyone can guess. */
function unsetVariables(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string' && VARIABLE.test(value))
    return [`${path.join('.')}: the environment has no ${value.slice(1)}; set it, or take the key out`]
  const inner = isRecord(value) || Array.isArray(value) ? Object.entries(value) : []
  return inner.flatMap(([key, each]) => unsetVariables(each, [...path, key]))
}

/** What every key allows by itself, and yet could not work. */
function contradiction({ gateway, model, policy, policies }: Settings): string | undefined {
  const { host, token, hosts, origins } = gateway
  if (!isLoopback(host) && token === null)
    return `gateway.host: "${host}" is reachable by others, so a token is needed; set gateway.token or TURNWISE_TOKEN, or use 127.0.0.1`
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    return 'gateway.token: a header cannot carry it; use visible ASCII characters without spaces'
  const origin = origins.find(each => !ORIGIN.test(each))
  if (origin !== undefined) return `gateway.origins: "${origin}" is not an origin; write it as in "https://name:port"`
  const name = hosts.find(each => !HOST.test(each))
  if (name !== undefined) return `gateway.hosts: "${name}" is not a host name; leave out its scheme and port`
  const strange = whyNoModel(model)
  if (strange !== undefined) return `model: ${strange}`
  const known = [...Object.keys(presets), ...policies.map(each => each.name)]
  if (!known.includes(policy)) return `policy: there is no "${policy}"; known: ${known.join(', ')}`
  const greedy = policies.find(({ budget }) => whyNoRoom(budget.reserve, model) !== undefined)
  return greedy === undefined ? undefined : `policies.${greedy.name}.budget.reserve: ${whyNoRoom(greedy.budget.reserve, model)}`
}

/** Why nobody can ask a model of this name, or nothing. */
export function whyNoModel(name: string): string | undefined {
  const entry = catalogued(name)
  return entry.ok ? undefined : entry.fault.message
}

/** Why a reply of so many tokens cannot be asked of a model, or nothing. */
export function whyNoRoom(reserve: number, model: string): string | undefined {
  const entry = catalogued(model)
  const window = entry.ok ? entry.value.facts.window : Number.POSITIVE_INFINITY
  return reserve < window ? undefined : `${reserve} leaves no room for a request: the window of "${model}" is ${window}`
}

/** Exactly what a browser sends: a scheme, a name in small letters, perhaps a port, and nothing after it. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@A-Z]+$/
const HOST = /^([^\s/:]+|\[[\da-f:.]+\])$/i

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
