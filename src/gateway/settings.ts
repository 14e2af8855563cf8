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
  const parsed = settingsSchema.safeParse(merged)
  if (!parsed.success) return err(fault('invalid', parsed.error.issues.map(issue => complaint(issue, merged)).join('\n')))
  return sensible(parsed.data)
}

/** The file the settings' store names, inside the workspace; a store that is not built is refused. */
export function sqliteFile(store: string): Result<string, Fault> {
  const [, file] = /^sqlite:(.+)$/.exec(store) ?? []
  if (file !== undefined) return ok(file)
  return err(fault('invalid', `store: "${redacted(store)}" is not supported by this version; use "sqlite:turnwise.db"`))
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

/** `$NAME` as a whole value reads the environment, so that secrets need not stand in the file. */
function expanded(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string') return /^\$[A-Z][A-Z0-9_]*$/.test(value) ? (environment[value.slice(1)] ?? value) : value
  if (Array.isArray(value)) return value.map(item => expanded(item, environment))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expanded(inner, environment)]))
}

function sensible(settings: Settings): Result<Settings, Fault> {
  const { gateway, model } = settings
  if (!isLoopback(gateway.host) && gateway.token === null) {
    return err(
      fault(
        'invalid',
        `gateway.host: "${gateway.host}" is reachable by others, so a token is needed; set gateway.token or TURNWISE_TOKEN, or use 127.0.0.1`,
      ),
    )
  }
  if (model !== 'demo') return err(fault('invalid', `model: "${model}" is not known to this version; use "demo"`))
  return ok(settings)
}

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

/** Says the key, the value and the remedy. */
function complaint(issue: z.core.$ZodIssue, settings: unknown): string {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(path)
    return issue.keys.map(key => `${[...path, key].join('.')}: there is no such setting; ${suggestion(key, known)}`).join('\n')
  }
  const value = path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), settings)
  const shown = path.at(-1) === 'token' ? '' : ` ${JSON.stringify(value)}`
  return `${path.join('.') || 'settings'}:${shown} ${issue.message.replace(/^Invalid input: /, '')}`
}

function knownKeys(path: readonly string[]): readonly string[] {
  const defaults: unknown = settingsSchema.parse({})
  const place = path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), defaults)
  return isRecord(place) ? Object.keys(place) : []
}

function suggestion(key: string, known: readonly string[]): string {
  const near = known.filter(name => distance(name.toLowerCase(), key.toLowerCase()) <= 2)
  return near.length > 0 ? `did you mean "${near[0]}"?` : `known here: ${known.join(', ')}`
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

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A store's address may carry a password. */
const redacted = (store: string): string => store.replace(/\/\/[^@/]*@/, '//…@')
