// Builds a command line from declared slots and a call's arguments.
import { err, ok, type Result } from '../../model/result.ts'

/** How another program works out a value before it is used. `$param` in an argument is replaced by the model's value. */
export type Resolver =
  | { readonly script: string; readonly args: readonly string[] }
  | { readonly binary: string; readonly subcommand: string; readonly args: readonly string[] }

type Valued = {
  readonly param: string
  /** CRLF, and the two characters backslash and n, each become one newline. Nothing else changes. */
  readonly normalizeNewlines?: boolean
  /** The value may begin with "-". */
  readonly allowDash?: boolean
  readonly resolveCommand?: Resolver
}

/** One place of a command line, and the parameter that fills it. */
export type Slot =
  | ({ readonly kind: 'positional' } & Valued)
  | ({ readonly kind: 'flag'; readonly flag?: string } & Valued)
  | { readonly kind: 'flagifboolean'; readonly param: string; readonly flagIfTrue?: string; readonly flagIfFalse?: string }

/** The model's values, by parameter. */
export type Values = Readonly<Record<string, unknown>>

/** Linux accepts no single argument of more bytes than this, including the final NUL. */
const MOST_BYTES = 128 * 1024

/** The arguments after the binary's name: the subcommand, then those of each slot, from its own value or the resolved one. */
export function toolArgv(
  { subcommand, args }: { readonly subcommand: string; readonly args: readonly Slot[] },
  values: Values,
  resolved: ReadonlyMap<Slot, string>,
): Result<readonly string[], string> {
  const argv = subcommand === '' ? [] : [subcommand]
  for (const slot of args) {
    const elements = elementsOf(slot, values, resolved.get(slot))
    if (!elements.ok) return elements
    argv.push(...elements.value)
  }
  const bytes = argv.reduce((sum, element) => sum + Buffer.byteLength(element) + 1, 0)
  return bytes > MOST_BYTES ? err(`the arguments have ${bytes} bytes, more than ${MOST_BYTES}`) : ok(argv)
}

/** A slot's own value as a text that is safe as a single argument. The value is undefined if the model gave none. */
export function argumentText(slot: Exclude<Slot, { kind: 'flagifboolean' }>, values: Values): Result<string | undefined, string> {
  const { param, normalizeNewlines = false } = slot
  const value = given(values, param)
  if (value === undefined || value === null) return ok(undefined)
  if (typeof value === 'number' && Number.isFinite(value)) return sound(slot, String(value))
  if (typeof value === 'boolean') return sound(slot, String(value))
  if (typeof value !== 'string') return err(`${param}: must be a text, a number or a boolean`)
  return sound(slot, normalizeNewlines ? value.replaceAll(/\r\n|\\n/g, '\n') : value)
}

function elementsOf(slot: Slot, values: Values, resolved: string | undefined): Result<readonly string[], string> {
  if (slot.kind === 'flagifboolean') return switched(slot, given(values, slot.param))
  const text = resolved === undefined ? argumentText(slot, values) : sound(slot, resolved)
  if (!text.ok) return text
  if (text.value === undefined) return slot.kind === 'flag' ? ok([]) : err(`${slot.param}: is missing`)
  return ok(slot.kind === 'flag' ? [dashed(slot.flag ?? slot.param), text.value] : [text.value])
}

function switched(slot: Extract<Slot, { kind: 'flagifboolean' }>, value: unknown): Result<readonly string[], string> {
  const { param, flagIfTrue, flagIfFalse } = slot
  if (value !== undefined && value !== null && typeof value !== 'boolean') return err(`${param}: must be true or false`)
  const flag = value === true ? flagIfTrue : flagIfFalse
  return ok(flag === undefined ? [] : [flag])
}

function sound({ param, allowDash = false }: Valued, text: string): Result<string, string> {
  if (text.includes('\0')) return err(`${param}: must not contain NUL`)
  if (!text.isWellFormed()) return err(`${param}: is not well-formed Unicode`)
  if (text.startsWith('-') && !allowDash) return err(`${param}: must not begin with "-"`)
  return ok(text)
}

const dashed = (flag: string): string => (flag.startsWith('-') ? flag : `--${flag}`)

const given = (values: Values, param: string): unknown => (Object.hasOwn(values, param) ? values[param] : undefined)
