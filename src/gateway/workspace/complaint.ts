// Lists what a schema has against a value, with suggestions.
import type { z } from 'zod'

/** Everything that is wrong with a value by a schema, one line each: the path, the value, and what would be right. */
export function complaints(schema: z.ZodType, value: unknown, error: z.ZodError): string[] {
  return error.issues.flatMap(issue => linesOf(schema, value, issue))
}

function linesOf(schema: z.ZodType, value: unknown, issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String)
  const place = path.map(quoted).join('.') || 'the file'
  const found = at(value, path)
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, value, path)
    return issue.keys.map(key => `${[...path, key].map(quoted).join('.')}: there is no such setting; ${suggestion(key, known)}`)
  }
  if (issue.code === 'invalid_union') {
    const [inside] = issue.errors.filter(branch =>
      branch.every(each => each.path.length > 0 || each.code === 'unrecognized_keys'),
    )
    if (inside !== undefined && inside.length > 0)
      return inside.flatMap(each => linesOf(schema, value, { ...each, path: [...issue.path, ...each.path] }))
    return [`${place}: ${shown(path, found)}${expectation(schema, value, path, issue)}`]
  }
  if (found === undefined) return [`${place}: is missing; ${reason(issue.message).replace(/, received undefined$/, '')}`]
  return [`${place}: ${shown(path, found)}${reason(issue.message)}`]
}

/** Quotes a key that contains a dot or a slash, which would otherwise look like a path. */
const quoted = (key: string): string => (/[./]/.test(key) ? `"${key}"` : key)

const reason = (message: string): string => message.replace(/^(Invalid (input|option)|Too (small|big)): /, '')

function expectation(schema: z.ZodType, value: unknown, path: readonly string[], issue: z.core.$ZodIssueInvalidUnion): string {
  if (issue.discriminator === undefined) {
    const kinds = issue.errors.flatMap(branch => branch.flatMap(each => (each.code === 'invalid_type' ? [each.expected] : [])))
    return `expected ${[...new Set(kinds)].join(' or ')}`
  }
  const union = definitions(schemaAt(schema, value, path.slice(0, -1)))
  const known = union.flatMap(({ shape }) =>
    definitions(shape?.[issue.discriminator ?? '']).flatMap(({ values }) => values ?? []),
  )
  return `expected one of ${known.map(name => JSON.stringify(name)).join('|')}`
}

const MOST_SHOWN = 80

/** The wrong value and a space. Never repeats a secret, and cuts a long value so that the rest of the line stays visible. */
function shown(path: readonly string[], value: unknown): string {
  if (mayBeSecret(path, value) || value === undefined) return ''
  const text = JSON.stringify(value)
  return `${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text} `
}

/** Tokens, keys and headers; and, if one is in the wrong place, the value that contains it. */
function mayBeSecret([first, ...rest]: readonly string[], value: unknown): boolean {
  const last = rest.at(-1)
  if (last === 'token' || last === 'apiKey' || last === 'botToken') return true
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === null
  const holdsOne =
    first === 'providers' || (first === 'channels' && rest.length < 2) || (first === 'gateway' && last === undefined)
  return !isPlain && holdsOne
}

/** The key that the person probably meant, or a list of the known ones. */
export function suggestion(key: string, known: readonly string[]): string {
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

/** The part of a schema's own description that is needed to walk through it. */
type Definition = {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly innerType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly element?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly values?: readonly unknown[]
}

/** The schemas to look at: the schema without its defaults, or each of its alternatives. */
function definitions(schema: z.ZodType | undefined): readonly Definition[] {
  if (schema === undefined) return []
  const { innerType, options, ...rest } = schema.def as Definition
  if (innerType !== undefined) return definitions(innerType)
  return options === undefined ? [rest] : options.flatMap(definitions)
}

/** The alternatives whose constants match the value. */
const fitting = (schema: z.ZodType | undefined, value: unknown): readonly Definition[] =>
  definitions(schema).filter(({ shape = {} }) =>
    Object.entries(shape).every(([key, inner]) =>
      definitions(inner).every(({ values }) => values === undefined || values.includes(at(value, [key]))),
    ),
  )

function schemaAt(schema: z.ZodType | undefined, value: unknown, path: readonly string[]): z.ZodType | undefined {
  const [key, ...rest] = path
  if (key === undefined) return schema
  const [inner] = fitting(schema, value).flatMap(({ shape, valueType, element }) => shape?.[key] ?? valueType ?? element ?? [])
  return schemaAt(inner, at(value, [key]), rest)
}

const keysAt = (schema: z.ZodType, value: unknown, path: readonly string[]): readonly string[] =>
  fitting(schemaAt(schema, value, path), at(value, path)).flatMap(({ shape = {} }) => Object.keys(shape))

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  )
