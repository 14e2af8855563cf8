/** The providers of the settings: the file, the environment and what people connected together, checked. */
import type { ProviderSetting } from '../../model/provider.ts'
import type { ProviderFile } from '../../model/settings/config.ts'
import { HOSTED_NAMES, isHosted, PROVIDERS } from '../../provider/providers.ts'
import { isLoopbackHost, whyForbidden } from '../../provider/transport/addresses.ts'
import type { Secrets, StoredProvider } from '../settings/secrets-file.ts'
import { type Environment, isRecord, variableIn } from '../variables.ts'
import { suggestion } from './complaint.ts'
import { whyNoName } from './policies.ts'

/** The providers from file and environment together, and where each of their secrets and addresses came from. */
export type GivenProviders = {
  /** Not checked yet: it may be anything that a file can contain. */
  readonly value: unknown
  /** The name of each provider's key variable, for the person who must set it. */
  readonly keyNames: ReadonlyMap<string, string>
  /** The variables that gave a value, by the value's path. */
  readonly variables: ReadonlyMap<string, string>
  /** Where the key and the address of each provider come from. */
  readonly origins: ReadonlyMap<string, ProviderOrigin>
}

type ProviderOrigin = Pick<ProviderSetting, 'keyFrom' | 'addressFrom'>

/**
 * Applies the environment and what people connected to the providers of the file. `written` is the file itself, `read` the file
 * with its variables replaced. Only a key's variable may be unset: that provider has no key yet.
 */
export function givenProviders(
  written: unknown,
  read: unknown,
  environment: Environment,
  stored: Secrets['providers'] = {},
): GivenProviders {
  const keyNames = new Map<string, string>()
  const variables = new Map<string, string>()
  const origins = new Map<string, ProviderOrigin>()
  if (written !== undefined && !isRecord(written)) return { value: read, keyNames, variables, origins }
  const providers: Record<string, unknown> = { ...(isRecord(read) ? read : {}) }
  for (const [name, setting] of Object.entries(written ?? {}).filter(entry => isRecord(entry[1]))) {
    const { apiKey, headers } = setting as Record<string, unknown>
    for (const [header, value] of isRecord(headers) ? Object.entries(headers) : []) {
      const variable = variableIn(value)
      if (variable !== undefined) variables.set(pathOf(name, `headers.${header}`), variable)
    }
    if (typeof apiKey !== 'string') continue
    const variable = variableIn(apiKey)
    keyNames.set(name, variable ?? pathOf(name, 'apiKey'))
    if (variable === undefined) continue
    variables.set(pathOf(name, 'apiKey'), variable)
    if (!environment[variable]) providers[name] = withoutKey(providers[name])
  }
  for (const { name, keyVariable, baseURLVariable, readBaseURL = asWritten } of PROVIDERS.filter(isHosted)) {
    const before = providers[name]
    if (before !== undefined && !isRecord(before)) continue
    const key = fromEnvironment(environment, keyVariable)
    const address = fromEnvironment(environment, baseURLVariable)
    if (key !== undefined) keyNames.set(name, key.variable)
    if (key !== undefined) variables.set(pathOf(name, 'apiKey'), key.variable)
    if (address !== undefined) variables.set(pathOf(name, 'baseURL'), address.variable)
    if (key === undefined && address === undefined) continue
    providers[name] = {
      ...before,
      ...(key === undefined ? {} : { apiKey: key.value }),
      ...(address === undefined ? {} : { baseURL: readBaseURL(address.value) }),
    }
  }
  for (const name of new Set([...Object.keys(providers), ...Object.keys(stored)])) {
    const before = providers[name]
    if (before !== undefined && !isRecord(before)) continue
    const joined = withStored(before ?? {}, Object.hasOwn(stored, name) ? (stored[name] ?? {}) : {}, {
      key: variables.has(pathOf(name, 'apiKey')),
      address: variables.has(pathOf(name, 'baseURL')),
    })
    if (joined.setting !== undefined) providers[name] = joined.setting
    origins.set(name, joined.origin)
  }
  const value = written === undefined && Object.keys(providers).length === 0 ? undefined : providers
  return { value, keyNames, variables, origins }
}

/** Which of a provider's values the environment gave. */
type FromEnvironment = { readonly key: boolean; readonly address: boolean }

/**
 * One provider with what a person connected. A key of the environment wins. A key never goes to an address that came from
 * elsewhere than the key: one of the environment or the file not to a connected address, and headers of the file, which may be
 * keys as well, not either.
 */
function withStored(
  before: Readonly<Record<string, unknown>>,
  { apiKey, baseURL }: StoredProvider,
  from: FromEnvironment,
): { readonly setting: object | undefined; readonly origin: ProviderOrigin } {
  const own = before.apiKey === undefined ? undefined : from.key ? 'environment' : 'file'
  const addressFrom = from.address ? 'environment' : before.baseURL === undefined ? 'vendor' : 'file'
  const isConnected = own === 'environment' ? false : apiKey !== undefined || (own === undefined && baseURL !== undefined)
  if (!isConnected) {
    const setting = Object.keys(before).length === 0 ? undefined : before
    return { setting, origin: { ...(own === undefined ? {} : { keyFrom: own }), addressFrom } }
  }
  // Without a key of its own the address of the environment still wins.
  const isAddressed = baseURL !== undefined && (apiKey !== undefined || !from.address)
  const { apiKey: _, headers, ...rest } = before
  const setting = {
    ...rest,
    ...(isAddressed || headers === undefined ? {} : { headers }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(isAddressed ? { baseURL } : {}),
  }
  const origin: ProviderOrigin = {
    ...(apiKey === undefined ? {} : { keyFrom: 'secrets' }),
    addressFrom: isAddressed ? 'secrets' : addressFrom,
  }
  return { setting, origin }
}

const asWritten = (value: string): string => value

const pathOf = (name: string, key: string): string => `providers.${name}.${key}`

/** An empty variable counts as unset. */
function fromEnvironment(
  environment: Environment,
  variable: string | undefined,
): { variable: string; value: string } | undefined {
  const value = variable === undefined ? undefined : environment[variable]
  return variable === undefined || value === undefined || value === '' ? undefined : { variable, value }
}

function withoutKey(setting: unknown): unknown {
  const { apiKey: _, ...rest } = setting as Record<string, unknown>
  return rest
}

/** The resolved providers, and everything that is wrong with them, one line each. No line repeats a key. */
export function providersOf(
  file: Readonly<Record<string, ProviderFile>>,
  { keyNames, variables, origins }: GivenProviders,
): { readonly providers: Readonly<Record<string, ProviderSetting>>; readonly wrong: readonly string[] } {
  return {
    providers: Object.fromEntries(
      Object.entries(file).map(([name, setting]) => {
        const keyName = keyNames.get(name)
        return [name, { ...setting, ...(keyName === undefined ? {} : { keyName }), ...origins.get(name) }]
      }),
    ),
    wrong: Object.entries(file).flatMap(([name, setting]) => wrongWith(name, setting, variables)),
  }
}

function wrongWith(
  name: string,
  { apiKey, baseURL, headers = {} }: ProviderFile,
  variables: GivenProviders['variables'],
): readonly string[] {
  const unnamed = whyNoProviderName(name)
  if (unnamed !== undefined) return [`providers.${name}: ${unnamed}`]
  /** Where a value came from, because the person must change it there. */
  const place = (key: string): string => variables.get(pathOf(name, key)) ?? pathOf(name, key)
  const line = (key: string, why: string | undefined): readonly string[] => (why === undefined ? [] : [`${place(key)}: ${why}`])
  const secrets = [
    ...(apiKey === undefined ? [] : ['apiKey']),
    ...Object.keys(headers).flatMap(header => (variables.has(pathOf(name, `headers.${header}`)) ? [`headers.${header}`] : [])),
  ]
  return [
    ...line('apiKey', apiKey === undefined ? undefined : whyNoKey(apiKey)),
    ...line('baseURL', whyNoAddress(name, baseURL, secrets.map(place))),
    ...whyNoHeaders(headers).map(([header, why]) => `${pathOf(name, `headers.${header}`)}: ${why}`),
  ]
}

export function whyNoProviderName(name: string): string | undefined {
  if (PROVIDERS.some(each => each.name === name && !isHosted(each))) return 'this name has a meaning of its own; choose another'
  return whyNoName(name)
}

export function whyNoKey(key: string): string | undefined {
  if (key === '') return 'is empty; take it out, or write "$NAME" to read it from the environment'
  if (key.startsWith('$')) return 'a variable is written "$NAME", in capitals, and nothing beside it'
  return VISIBLE.test(key) ? undefined : 'a header cannot carry it; a key has visible ASCII characters, no spaces and no line end'
}

/** `secrets` lists the paths of all secrets that would be sent to this address. */
export function whyNoAddress(name: string, baseURL: string | undefined, secrets: readonly string[]): string | undefined {
  if (baseURL === undefined) {
    if (HOSTED_NAMES.includes(name)) return undefined
    return `is missing; "${name}" is taken for an OpenAI-compatible server, which needs one; ${suggestion(name, HOSTED_NAMES)}`
  }
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(baseURL))
    return 'is not an address; write it as in "https://name:port/v1"'
  if (url.username !== '' || url.password !== '')
    return 'has a name or a password in it, which would show in errors; use apiKey or headers'
  if (/[?#]/.test(baseURL)) return 'has a query or a fragment, which would be lost; take it out, or use headers'
  const forbidden = whyForbidden(url)
  if (forbidden !== undefined) return forbidden
  const [secret] = secrets
  if (secret === undefined || url.protocol === 'https:' || isLoopbackHost(url.hostname)) return undefined
  return `${secret} would travel unencrypted to ${url.host}; use https://, or a tunnel to 127.0.0.1, or take the key out`
}

const VISIBLE = /^[\x21-\x7e]+$/
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const PRINTABLE = /^[\x20-\x7e]*$/

const CARRIES_KEYS: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'proxy-authorization'])
/** Headers that say how to read a request. With a second value, some servers would believe one and some the other. */
const OURS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'accept-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
])

function whyNoHeaders(headers: Readonly<Record<string, string>>): readonly (readonly [header: string, why: string])[] {
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([header, value]) => {
    const name = header.toLowerCase()
    const isAgain = seen.has(name)
    seen.add(name)
    const why = whyNoHeader(header, value) ?? (isAgain ? 'stands there twice; keep one' : undefined)
    return why === undefined ? [] : [[header, why] as const]
  })
}

function whyNoHeader(header: string, value: string): string | undefined {
  if (!TOKEN.test(header)) return 'is not the name of a header'
  if (CARRIES_KEYS.has(header.toLowerCase())) return 'carries a key; use apiKey'
  if (OURS.has(header.toLowerCase())) return 'is set with every request; take it out'
  return PRINTABLE.test(value) ? undefined : 'a header cannot carry its value; use printable ASCII characters'
}
