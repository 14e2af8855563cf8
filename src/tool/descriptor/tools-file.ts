// Reads a skill's tools.json.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { err, ok, type Result } from '../../model/result.ts'
import type { Slot } from './argv.ts'
import type { ArgumentsCheck } from './check-arguments.ts'
import { complaintsAbout, described } from './tools-rules.ts'

/** A tool as its skill declares it. */
export type ToolEntry = {
  readonly name: string
  readonly description?: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly idempotent?: boolean
  readonly readOnly?: boolean
  readonly parallel?: boolean
  readonly timeoutMs: number
  readonly env: readonly string[]
  readonly approval?: 'ask' | 'never'
}

/** How a tool is run: a binary by its bare name, one fixed first word (none if empty), then the slots in order. */
export type Execution = {
  readonly tool: string
  readonly binary: string
  readonly subcommand: string
  readonly args: readonly Slot[]
}

/** The content of a `tools.json`. */
export type ToolsFile = {
  readonly tools: readonly ToolEntry[]
  readonly allowlist: Readonly<Record<string, readonly string[]>>
  readonly execution: readonly Execution[]
}

/** A tool, how it is run, and how its arguments are checked. */
export type Described = { readonly entry: ToolEntry; readonly execution: Execution; readonly check: ArgumentsCheck }

const DEFAULT_TIMEOUT_MS = 15_000
const MOST_BYTES = 256 * 1024

const word = z.string().regex(/^[^\0]*$/, 'must not contain NUL')
const words = z.array(word)
const flag = z.string().regex(/^(?!--?$)[^\s\0]+$/, 'is not a flag')
const bareName = z.string().regex(/^\w[\w.+-]*$/, 'is not a bare name: letters, digits, "_", "-", "." and "+", no slash')

const resolver = z.union(
  [
    z.strictObject({ script: bareName, args: words.default([]) }),
    z.strictObject({ binary: bareName, subcommand: word, args: words.default([]) }),
  ],
  { error: 'is either {"script", "args"} or {"binary", "subcommand", "args"}' },
)

const valued = {
  param: z.string().min(1),
  normalizeNewlines: z.boolean().exactOptional(),
  allowDash: z.boolean().exactOptional(),
  resolveCommand: resolver.exactOptional(),
}

/** A slot without a kind is positional. */
const withKind = (slot: unknown): unknown =>
  typeof slot === 'object' && slot !== null && !Array.isArray(slot) ? { kind: 'positional', ...slot } : slot

const slot: z.ZodType<Slot, unknown> = z.preprocess(
  withKind,
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('positional'), ...valued }),
    z.strictObject({ kind: z.literal('flag'), ...valued, flag: flag.exactOptional() }),
    z.strictObject({
      kind: z.literal('flagifboolean'),
      param: valued.param,
      flagIfTrue: word.min(1).exactOptional(),
      flagIfFalse: word.min(1).exactOptional(),
    }),
  ]),
)

const fileSchema: z.ZodType<ToolsFile, unknown> = z.strictObject({
  tools: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"'),
      description: z.string().exactOptional(),
      parameters: z.record(z.string(), z.unknown()),
      idempotent: z.boolean().exactOptional(),
      readOnly: z.boolean().exactOptional(),
      parallel: z.boolean().exactOptional(),
      timeoutMs: z.int().min(1).max(600_000).default(DEFAULT_TIMEOUT_MS),
      env: z.array(z.string()).default([]),
      approval: z.enum(['ask', 'never']).exactOptional(),
    }),
  ),
  allowlist: z.record(bareName, words),
  execution: z.array(z.strictObject({ tool: z.string(), binary: bareName, subcommand: word, args: z.array(slot).default([]) })),
})

/** The tools of a `tools.json` in its order, or everything that is wrong with the file, one line each. */
export function parseToolsFile(text: string): Result<readonly Described[], readonly string[]> {
  if (Buffer.byteLength(text) > MOST_BYTES) return err([TOO_LARGE])
  const given = json(text)
  if (!given.ok) return given
  const parsed = fileSchema.safeParse(given.value)
  return parsed.success ? described(parsed.data) : err(complaintsAbout(parsed.error))
}

/** The text of a skill's `tools.json`, or undefined if there is none. Only a regular file of a sensible size is read. */
export async function readToolsFile(folder: string): Promise<Result<string | undefined, string>> {
  try {
    // Without O_NONBLOCK a FIFO would keep the reader waiting for a writer.
    await using file = await open(join(folder, 'tools.json'), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const { size } = await regular(file)
    if (size > MOST_BYTES) return err(TOO_LARGE)
    return ok(await file.readFile('utf8'))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return ok(undefined)
    return err(code === 'ELOOP' ? NOT_REGULAR : (code ?? message))
  }
}

const TOO_LARGE = 'the file is larger than 256 KiB'
const NOT_REGULAR = 'not a regular file'

async function regular(file: {
  readonly stat: () => Promise<{ size: number; isFile: () => boolean }>
}): Promise<{ size: number }> {
  const stat = await file.stat()
  if (!stat.isFile()) throw new Error(NOT_REGULAR)
  return stat
}

function json(text: string): Result<unknown, readonly string[]> {
  try {
    return ok(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch (cause) {
    return err([`not JSON: ${(cause as Error).message}`])
  }
}
