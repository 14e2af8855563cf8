// Checks a call's arguments against the tool's JSON schema.
import { createContext, Script } from 'node:vm'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { err, ok, type Result } from '../../model/result.ts'

/** Says what is wrong with the arguments of a call, in words a model can act on. Returns undefined if they fit. */
export type ArgumentsCheck = (args: unknown) => string | undefined

const DEEPEST = 64
const MOST_BYTES = 256 * 1024
const MOST_ERRORS = 8
const MOST_CHARACTERS = 2000
const LONGEST_PATTERN = 200
const PATTERNS_MS = 50

/** Compiles a check from a tool's JSON Schema. The error says what is wrong with the schema: the rest of the path, then why. */
export function compileCheck(parameters: Readonly<Record<string, unknown>>): Result<ArgumentsCheck, string> {
  if (parameters.type !== 'object') return err('.type: must be "object"')
  const unsafe = unsafeIn(parameters)
  if (unsafe !== undefined) return err(unsafe)
  const { $schema: _, ...schema } = parameters
  const optional = optionalIn(schema)
  try {
    const isValid = ajv.compile(schema)
    ajv.removeSchema(schema)
    return ok(args => bounded(complaint(withoutNulls(args, optional), isValid)))
  } catch (cause) {
    return err(`: ${(cause as Error).message}`)
  }
}

/** The parameters that a call may leave out. */
function optionalIn({ properties, required }: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return new Set(entriesOf(properties).flatMap(([name]) => (needed.includes(name) ? [] : [name])))
}

/** Many models write null for a parameter they leave out. Such a null is dropped only if the parameter is optional. */
function withoutNulls(args: unknown, optional: ReadonlySet<string>): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== null || !optional.has(name)))
}

/** The time left for the patterns of one check. A pattern may need ages for a short text. */
let patternsMs = PATTERNS_MS
const sandbox: { pattern?: RegExp; text?: string } = {}
const context = createContext(sandbox)
const test = new Script('pattern.test(text)')

class OutOfTime extends Error {}

function matches(pattern: RegExp, text: string): boolean {
  const started = performance.now()
  if (patternsMs <= 0) throw new OutOfTime()
  Object.assign(sandbox, { pattern, text })
  try {
    return test.runInContext(context, { timeout: Math.ceil(patternsMs) }) as boolean
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? new OutOfTime() : cause
  } finally {
    patternsMs -= performance.now() - started
  }
}

const compilePattern = Object.assign(
  (source: string, flags: string) => {
    const pattern = new RegExp(source, flags)
    // ajv distinguishes two patterns by their text.
    return { test: (text: string) => matches(pattern, text), toString: () => String(pattern) }
  },
  { code: 'new RegExp' },
)

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  code: { regExp: compilePattern },
})

type Validator = { (args: unknown): unknown; errors?: null | ErrorObject[] }

function complaint(args: unknown, isValid: Validator): string | undefined {
  if (isDeeper(args, DEEPEST)) return 'the arguments are nested too deeply'
  if (Buffer.byteLength(JSON.stringify(args) ?? '') > MOST_BYTES) return 'the arguments are larger than 256 KiB'
  patternsMs = PATTERNS_MS
  try {
    if (isValid(args) === true) return undefined
  } catch (cause) {
    if (!(cause instanceof OutOfTime)) throw cause
    return 'a text takes too long to match its pattern; give a shorter one'
  }
  const lines = [...new Set((isValid.errors ?? []).map(lineOf))]
  return [...lines.slice(0, MOST_ERRORS), ...(lines.length > MOST_ERRORS ? [`and ${lines.length - MOST_ERRORS} more`] : [])].join(
    '\n',
  )
}

function lineOf({ instancePath, keyword, params, message }: ErrorObject): string {
  const path = instancePath.split('/').slice(1).map(unescaped)
  const at = (...more: string[]) => [...path, ...more].map(key => key.slice(0, 80)).join('.') || 'the arguments'
  switch (keyword) {
    case 'required':
      return `${at(params.missingProperty)}: is missing`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${at(params.additionalProperty ?? params.unevaluatedProperty)}: there is no such argument`
    case 'enum':
      return `${at()}: must be one of ${JSON.stringify(params.allowedValues).slice(1, -1).slice(0, 400)}`
    case 'const':
      return `${at()}: must be ${JSON.stringify(params.allowedValue).slice(0, 400)}`
    default:
      return `${at()}: ${message ?? `does not fit "${keyword}"`}`
  }
}

const bounded = (text: string | undefined): string | undefined =>
  text !== undefined && text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text

const unescaped = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~')

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

const isDeeper = (value: unknown, levels: number): boolean =>
  entriesOf(value).some(([, inner]) => levels === 0 || isDeeper(inner, levels - 1))

/** Finds what a schema must not contain, even if ajv would accept it. */
function unsafeIn(schema: unknown): string | undefined {
  if (isDeeper(schema, DEEPEST)) return ': is nested too deeply'
  for (const [key, inner] of entriesOf(schema)) {
    const why = whyUnsafe(key, inner) ?? unsafeIn(inner)
    if (why !== undefined) return `.${key}${why}`
  }
  return undefined
}

function whyUnsafe(key: string, value: unknown): string | undefined {
  if (key === '__proto__') return ': there is no such key'
  // ajv makes an async validator from it. That one returns a promise, which is truthy for all arguments.
  if (key === '$async') return ': is not supported'
  if (/^\$(dynamic|recursive)?ref$/i.test(key) && typeof value === 'string' && !value.startsWith('#'))
    return ': must point into the schema itself, with "#/…"'
  if (key === 'pattern' && typeof value === 'string' && value.length > LONGEST_PATTERN) return TOO_LONG
  if (key === 'patternProperties' && entriesOf(value).some(([pattern]) => pattern.length > LONGEST_PATTERN)) return TOO_LONG
  return undefined
}

const TOO_LONG = `: a pattern has at most ${LONGEST_PATTERN} characters`
