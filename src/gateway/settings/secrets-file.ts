/** Keeps the keys that people enter, in `secrets.json` of the workspace, which only its owner can read. */
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { fileStamp } from '../files/text-source.ts'
import { readRegularFileSync, writeWorkspaceFile } from '../files/workspace-file.ts'

/** How a person connected a provider. The key belongs to the address, if there is one beside it. */
export type StoredProvider = { readonly apiKey?: string; readonly baseURL?: string }

/** Everything that is kept in `secrets.json`. */
export type Secrets = {
  readonly providers: Readonly<Record<string, StoredProvider>>
  /** What signing in to MCP servers gave, by the server's name; only the MCP client knows its shape. */
  readonly mcp: Readonly<Record<string, unknown>>
}

export const NO_SECRETS: Secrets = { providers: {}, mcp: {} }

export type SecretsFile = {
  readonly file: string
  /** As the file has it now. After a bad edit the last good content stays in use. */
  readonly now: () => Secrets
  readonly trouble: () => string | undefined
  /** Changes the newest content and writes it. Changes run one after another. */
  readonly update: (change: (secrets: Secrets) => Secrets) => Promise<Result<Secrets, Fault>>
}

const secretsSchema: z.ZodType<Secrets, unknown> = z.strictObject({
  providers: z
    .record(z.string(), z.strictObject({ apiKey: z.string().min(1).exactOptional(), baseURL: z.string().min(1).exactOptional() }))
    .default({}),
  mcp: z.record(z.string(), z.unknown()).default({}),
})

const HEADER = '// Keys that were entered on the page or with "turnwise connect". Only you can read this file; do not share it.\n'

/** Opens the file, which need not exist. One that other users can read, or that is broken, is refused. */
export function openSecrets(file: string): Result<SecretsFile, Fault> {
  const begun = fileStamp(file)
  const first = read(file)
  if (!first.ok) return first
  let good = first.value
  let stamp = begun
  let trouble: string | undefined
  let last: Promise<unknown> = Promise.resolve()
  const look = (): void => {
    const seen = fileStamp(file)
    if (seen === stamp) return
    stamp = seen
    const changed = read(file)
    if (changed.ok) good = changed.value
    trouble = changed.ok ? undefined : changed.fault.message
  }
  const update = async (change: (secrets: Secrets) => Secrets): Promise<Result<Secrets, Fault>> => {
    // Before the content: a write in between then counts as one by another program.
    const seen = fileStamp(file)
    const before = read(file)
    if (!before.ok) return err(fault('conflict', `${before.fault.message}; until that is fixed nothing is written`))
    const after = change(before.value)
    const text = secretsText(after)
    const written = await writeWorkspaceFile(dirname(file), basename(file), text, () => fileStamp(file) === seen)
    if (!written.ok) return written
    look()
    return written.value ? ok(after) : err(fault('conflict', `${file}: another program has just written it; try again`))
  }
  return ok({
    file,
    now: () => {
      look()
      return good
    },
    trouble: () => {
      look()
      return trouble
    },
    update: change => {
      const done = last.then(() => update(change))
      last = done.catch(() => undefined)
      return done
    },
  })
}

/** No error repeats what the file says: it could be a key. */
function read(file: string): Result<Secrets, Fault> {
  const invalid = (why: string): Result<never, Fault> => err(fault('invalid', `${file}: ${why}`))
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return ok(NO_SECRETS)
  // Windows stores permissions elsewhere.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    return invalid(`other users can read it, and it holds keys; run "chmod 600 ${file}"`)
  let text: string
  try {
    text = readRegularFileSync(file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === undefined && !(cause instanceof Error)) throw cause
    return invalid('it cannot be read')
  }
  const secrets = parseSecrets(text)
  return secrets.ok ? secrets : invalid(secrets.fault.message)
}

/** The text of a file with these secrets. */
export const secretsText = (secrets: Secrets): string => `${HEADER}${JSON.stringify(secrets, null, 2)}\n`

/** No error repeats what the text says: it could be a key. */
export function parseSecrets(text: string): Result<Secrets, Fault> {
  const parsed = parseJsonc(text)
  if (!parsed.ok) return err(fault('invalid', 'it is not valid JSON'))
  const secrets = secretsSchema.safeParse(parsed.value)
  if (secrets.success) return ok(secrets.data)
  const [issue] = secrets.error.issues
  const place = issue?.path.join('.') || 'its content'
  return err(fault('invalid', `${place} is not as expected; connect the provider again, or remove the entry`))
}
