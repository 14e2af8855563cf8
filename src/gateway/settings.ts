import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import type { z } from 'zod'
import { type Settings, settingsSchema } from '../model/config.ts'
import { type Fault, fault } from '../model/fault.ts'
import { err, ok, type Result } from '../model/result.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings from the text of `turnwise.json` and the environment, which wins; or everything that is wrong with them. */
export function parseSettings(text: string, environment: Environment): Result<Settings, Fault> {
  const file = parseFile(text)
  if (!file.ok) return file
  const merged = withEnvironment(file.value, environment)
  const unset = unsetVariables(merged)
  if (unset.length > 0) return err(fault('invalid', unset.join('\n')))
  const parsed = settingsSchema.safeParse(merged)
  if (!parsed.success) return err(fault('invalid', parsed.error.issues.map(issue => complaint(issue, merged)).join('\n')))
  return sensible(parsed.data)
}

/** The file the settings' store names, inside the workspace; a store that is not built is refused. */
export function sqliteFile(store: string): Result<string, Fault> {
  const [, file] = /^sqlite:(.+)$/.exec(store) ?? []
  if (file !== undefined) return ok(file)
  // Only its kind is shown: the rest of an address may be a password.
  const [kind] = /^\w*/.exec(store) ?? []
  return err(fault('invalid', `store: "${kind}:…" is not supported by this version; use "sqlite:turnwise.db"`))
}

function parseFile(text: string): Result<Record<string, unknown>, Fault> {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true }) ?? {}
  const [first] = errors
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length
    return err(fault('invalid', `line ${line}: ${printParseErrorCode(first.error)}; the file is JSON with // comments`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return err(fault('invalid', 'the file must hold one JSON object'))
  return ok(value as Record<string, unknown>)
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

function sensible(settings: Settings): Result<Settings, Fault> {
  const trouble = contradiction(settings)
  return trouble === undefined ? ok(settings) : err(fault('invalid', trouble))
}

/** What every key allows by itself, and yet could not work. */
function contradiction({ gateway, model }: Settings): string | undefined {
  const { host, token, hosts, origins } = gateway
  if (!isLoopback(host) && token === null)
    return `gateway.host: "${host}" is reachable by others, so a token is needed; set gateway.token or TURNWISE_TOKEN, or use 127.0.0.1`
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    return 'gateway.token: a header cannot carry it; use visible ASCII characters without spaces'
  const origin = origins.find(each => !ORIGIN.test(each))
  if (origin !== undefined) return `gateway.origins: "${origin}" is not an origin; write it as in "https://name:port"`
  const name = hosts.find(each => !HOST.test(each))
  if (name !== undefined) return `gateway.hosts: "${name}" is not a host name; leave out its scheme and port`
  if (model !== 'demo') return `model: "${model}" is not known to this version; use "demo"`
  return undefined
}

/** Exactly what a browser sends: a scheme, a name in small letters, perhaps a port, and nothing after it. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@A-Z]+$/
const HOST = /^([^\s/:]+|\[[\da-f:.]+\])$/i

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

/** Says the key, the value and the remedy. */
function complaint(issue: z.core.$ZodIssue, settings: unknown): string {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(path)
    return issue.keys.map(key => `${[...path, key].join('.')}: there is no such setting; ${suggestion(key, known)}`).join('\n')
  }
  const shown = path.at(-1) === 'token' ? '' : ` ${JSON.stringify(at(settings, path))}`
  return `${path.join('.') || 'settings'}:${shown} ${issue.message.replace(/^Invalid input: /, '')}`
}

function knownKeys(path: readonly string[]): readonly string[] {
  const defaults: unknown = settingsSchema.parse({})
  const place = at(defaults, path)
  return isRecord(place) ? Object.keys(place) : []
}

function suggestion(key: string, known: readonly string[]): string {
  const [nearest] = known
    .map(name => ({ name, steps: distance(name.toLowerCase(), key.toLowerCase()) }))
    .filter(({ steps }) => steps <= 2)
    .sort((a, b) => a.steps - b.steps)
  return nearest === undefined ? `known here: ${known.join(', ')}` : `did you mean "${nearest.name}"?`
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[b.length] ?? 0
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (isRecord(inner) ? inner[key] : Array.isArray(inner) ? inner[Number(key)] : undefined),
    value,
  )

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
