// Makes tools of what an MCP server lists.
import { z } from 'zod'
import type { ToolSpec } from '../../model/plan.ts'

/** A tool that a server offers, under the name the model knows. */
export type Offered = {
  readonly spec: ToolSpec
  /** The server's own name for the tool. */
  readonly name: string
  /** The arguments as the server described them, unchanged. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Hints from a server we have no reason to trust: good enough to order calls, not to allow them. */
  readonly isReadOnly: boolean
  readonly isIdempotent: boolean
}

export type Listing = { readonly offered: readonly Offered[]; readonly leftOut: readonly string[] }

/** The longest tool name that providers accept. */
const MOST_NAME = 64
const MOST_DESCRIPTION = 2000
const MOST_SCHEMA = 32_768
const MOST_LEVELS = 32

/** Makes tools from a server's list, sorted by name. A tool that cannot be used is left out alone. */
export function listingOf(server: string, described: readonly unknown[]): Listing {
  const offered = new Map<string, Offered>()
  const leftOut: string[] = []
  for (const each of inFixedOrder(described)) {
    const read = offer(server, each)
    const why = typeof read === 'string' ? read : whyNotBeside(offered, read)
    if (typeof read !== 'string' && why === undefined) offered.set(read.spec.name, read)
    else leftOut.push(`its tool ${quotedName(nameOf(each))} is left out: ${why}`)
  }
  return { offered: [...offered.values()].sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1)), leftOut }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const Hint = z.boolean().optional().catch(undefined)
const Words = z.string().optional().catch(undefined)
const Described = z.object({
  name: z.string().min(1),
  title: Words,
  description: Words,
  inputSchema: z.custom<Record<string, unknown>>(isObject),
  annotations: z.object({ readOnlyHint: Hint, idempotentHint: Hint }).optional().catch(undefined),
})

function offer(server: string, described: unknown): Offered | string {
  const { success, data } = Described.safeParse(described)
  if (!success) return 'its description cannot be read'
  const { name, title, description, inputSchema, annotations } = data
  const known = `${server}__${safe(name)}`
  if (known.length > MOST_NAME) return `${known.slice(0, MOST_NAME)}… is longer than ${MOST_NAME} characters`
  const { type = 'object', properties = {} } = inputSchema
  if (type !== 'object') return 'its arguments are not an object'
  if (isSchemaDeeperThan(inputSchema, MOST_LEVELS)) return 'the description of its arguments is nested too deeply'
  if (JSON.stringify(inputSchema).length > MOST_SCHEMA) return 'the description of its arguments is too long'
  return {
    // Some providers refuse an object schema without properties.
    spec: {
      name: known,
      description: readableDescription(description ?? title ?? '', MOST_DESCRIPTION),
      parameters: { ...inputSchema, type, properties },
    },
    name,
    schema: inputSchema,
    isReadOnly: annotations?.readOnlyHint === true,
    isIdempotent: annotations?.idempotentHint === true,
  }
}

function whyNotBeside(offered: ReadonlyMap<string, Offered>, { spec, name }: Offered): string | undefined {
  const other = offered.get(spec.name)
  if (other === undefined) return undefined
  return other.name === name ? 'it is there twice' : `it would have the same name as ${quotedName(other.name)}`
}

/** Names that need no change come first, so that no other tool takes theirs. The server's order plays no part. */
const inFixedOrder = (described: readonly unknown[]): readonly unknown[] =>
  described
    .map(each => ({ each, name: nameOf(each) }))
    .sort(
      (a, b) =>
        Number(safe(a.name) !== a.name) - Number(safe(b.name) !== b.name) || (a.name < b.name ? -1 : Number(a.name > b.name)),
    )
    .map(({ each }) => each)

const nameOf = (described: unknown): string => (isObject(described) && typeof described.name === 'string' ? described.name : '')
const safe = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/gu, '_')

/** True if objects nest deeper than that. Endless nesting would break the code that walks through a schema. */
export const isSchemaDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(each => isSchemaDeeperThan(each, levels - 1)))

/** Characters that are invisible, or that make a text read differently than it is. */
const HIDDEN = /[[\p{Cc}--[\n\t]]\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]/gv

/** A stranger's words without hidden characters, and no longer than `most`. */
export function readableDescription(text: string, most: number): string {
  const seen = text
    .slice(0, most * 2)
    .replace(HIDDEN, '')
    .toWellFormed()
  if (seen.length <= most && text.length <= most * 2) return seen
  return `${seen.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A stranger's words on one line, within quotation marks. */
export const quotedName = (text: string): string => JSON.stringify(readableDescription(text, 80))
