// Opens what is to be imported: a file, a pipe or a folder.
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'

/** The input of an import, as one stream of bytes. */
export type ImportSource = {
  readonly bytes: () => AsyncIterable<Uint8Array>
  /** Adds to a complaint the file it is about, if there are several. */
  readonly placed: (message: string) => string
}

/** Opens a file, piped input, or a folder of session files in the order of their names. */
export async function bytesAt(path: string, stdin: Readable): Promise<Result<ImportSource, Fault>> {
  if (path === '-') return ok({ bytes: () => stdin as AsyncIterable<Uint8Array>, placed: message => message })
  try {
    if (!statSync(path).isDirectory()) return ok({ bytes: () => readable(path), placed: message => `${path}, ${message}` })
    const files = filesIn(path)
    return files.length === 0 ? err(fault('invalid', `there are no .json files in ${path}`)) : ok(together(path, files))
  } catch (cause) {
    return err(troubleWith(path, cause))
  }
}

/** Some exports have one folder per day, so this searches all folders below. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.json'))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()

async function* readable(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Uint8Array>
}

const NEWLINE = 0x0a

/** Joins files, each on its own lines, and remembers at which line each file begins. */
function together(folder: string, files: readonly string[]): ImportSource {
  const begins: { readonly path: string; readonly line: number }[] = []
  async function* bytes(): AsyncGenerator<Uint8Array> {
    let line = 1
    for (const path of files) {
      begins.push({ path, line })
      for await (const chunk of readable(path)) {
        for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) line += 1
        yield chunk
      }
      yield Uint8Array.of(NEWLINE)
      line += 1
    }
  }
  const placed = (message: string): string => {
    const [whole, line] = /^line (\d+)/.exec(message) ?? []
    const file = line === undefined ? undefined : begins.findLast(each => each.line <= Number(line))
    if (whole === undefined || file === undefined) return `${folder}, ${message}`
    return `${file.path}, line ${Number(line) - file.line + 1}${message.slice(whole.length)}`
  }
  return { bytes, placed }
}

function troubleWith(path: string, cause: unknown): Fault {
  const { code } = cause as NodeJS.ErrnoException
  if (code === undefined) throw cause
  if (code === 'ENOENT') return fault('not-found', `there is no ${path}; give the path of a file, or - to pipe one in`)
  return fault('invalid', `${path} cannot be read (${code})`)
}
