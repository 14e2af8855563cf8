/** Shows the settings as a tree: each value with where it comes from, and without secrets. */
import type { Settings } from '../../model/settings/config.ts'
import { shownStore } from '../../model/settings/store-address.ts'
import { type Environment, isRecord } from '../variables.ts'
import { notEditable } from './editable-keys.ts'

/** One setting. `why` says why it cannot be changed here. */
export type SettingLeaf = {
  readonly value: unknown
  readonly source: 'default' | 'file' | 'environment'
  readonly editable: boolean
  readonly why?: string
}

export type SettingTree = { readonly [key: string]: SettingLeaf | SettingTree }

/** Stands in the place of a secret. */
export const HIDDEN = '(hidden)'

/** Records that people name the keys of are one value each. */
const WHOLE: ReadonlySet<string> = new Set([
  'policies',
  'providers',
  'models',
  'mcp',
  'tools.approve',
  'tools.env',
  'channels.telegram',
])

/** The environment variables that win over a setting, by its path. */
const VARIABLES: Readonly<Record<string, string>> = {
  'gateway.host': 'TURNWISE_HOST',
  'gateway.port': 'TURNWISE_PORT',
  'gateway.token': 'TURNWISE_TOKEN',
  'gateway.hosts': 'TURNWISE_HOSTS',
  'gateway.origins': 'TURNWISE_ORIGINS',
  store: 'TURNWISE_STORE',
  model: 'TURNWISE_MODEL',
}

/** `written` is the file as people wrote it, `settings` what counts. */
export function settingTree(
  settings: Settings,
  written: Readonly<Record<string, unknown>>,
  environment: Environment,
): SettingTree {
  const { variables: _, ...shown } = settings
  // Policies, providers and servers count as resolved; people see and change what they wrote.
  const asWritten = { policies: written.policies ?? {}, providers: written.providers ?? {}, mcp: written.mcp ?? {} }
  const values = { ...shown, ...asWritten, channels: { telegram: settings.channels.telegram ?? null } }
  return treeOf(values, written, [], environment)
}

function treeOf(
  values: Readonly<Record<string, unknown>>,
  written: unknown,
  path: readonly string[],
  environment: Environment,
): SettingTree {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const here = [...path, key]
      const name = here.join('.')
      const own = isRecord(written) ? written[key] : undefined
      if (isRecord(value) && !WHOLE.has(name)) return [key, treeOf(value, own, here, environment)]
      const variable = variableFor(name, environment)
      const why = notEditable(here, variable)
      const leaf: SettingLeaf = {
        value: withoutSecrets(name, value),
        source: variable !== undefined ? 'environment' : own === undefined ? 'default' : 'file',
        editable: why === undefined,
        ...(why === undefined ? {} : { why }),
      }
      return [key, leaf]
    }),
  )
}

/** The variable that gives a setting now, if one does. */
export const variableFor = (name: string, environment: Environment): string | undefined => {
  const variable = Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined
  return variable !== undefined && environment[variable] ? variable : undefined
}

const SECRET_KEYS: ReadonlySet<string> = new Set(['apiKey', 'token', 'botToken'])
/** Everything in these records may be a secret. */
const SECRET_RECORDS: ReadonlySet<string> = new Set(['headers', 'env'])

/** Hides keys, tokens and headers. The name of a variable is no secret. */
export function withoutSecrets(name: string, value: unknown): unknown {
  const [last = ''] = name.split('.').slice(-1)
  if (SECRET_KEYS.has(last)) return isSecret(value) ? HIDDEN : value
  if (name === 'store' && typeof value === 'string') return shownStore(value, HIDDEN)
  if (/^mcp\.[^.]+\.url$/.test(name) && typeof value === 'string') return withoutUrlSecrets(value)
  if (/^mcp\.[^.]+\.args$/.test(name) && Array.isArray(value)) return value.map(withoutOptionSecret)
  if (Array.isArray(value)) return value
  if (!isRecord(value)) return value
  // `tools.env` lists the names of variables.
  const hidesAll = SECRET_RECORDS.has(last) && name !== 'tools.env'
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      hidesAll ? (isSecret(each) ? HIDDEN : each) : withoutSecrets(`${name}.${key}`, each),
    ]),
  )
}

/** A password, and the values of a query. */
const withoutUrlSecrets = (url: string): string =>
  url.replace(/(\/\/[^/?#@:]*:)[^/?#@]*@/, `$1${HIDDEN}@`).replace(/([?&][^=&#]*=)[^&#]+/g, `$1${HIDDEN}`)

const SECRET_OPTION = /key|token|secret|password|passwd|credential|auth/i

/** The value of an option that is called a key or token: in the same word, or in the next one. */
function withoutOptionSecret(word: unknown, index: number, words: readonly unknown[]): unknown {
  if (typeof word !== 'string' || !isSecret(word)) return word
  const [option = '', value] = word.split(/=(.*)/s)
  if (value !== undefined && SECRET_OPTION.test(option)) return `${option}=${HIDDEN}`
  const before = words[index - 1]
  const isValue = typeof before === 'string' && /^-[^=]*$/.test(before) && SECRET_OPTION.test(before) && !word.startsWith('-')
  return isValue ? HIDDEN : word
}

const isSecret = (value: unknown): boolean => typeof value === 'string' && value !== '' && !/^\$[A-Z][A-Z0-9_]*$/.test(value)
