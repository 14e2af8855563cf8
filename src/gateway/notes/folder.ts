// The folder with the notes' files.
import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { writeWorkspaceFileSync } from '../files/workspace-file.ts'

/** A note's file; `name` is the file name without `.md`. */
export type NoteFile = { readonly name: string; readonly bytes: number; readonly changedAt: string }

/** How long writers wait for one another. */
const PATIENCE_MS = 10_000

/** Where the notes are or will be. A link is never followed. */
export function notesFolder(home: string): Result<string, Fault> {
  const folder = join(home, 'notes')
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || found.isDirectory()) return ok(folder)
  const kind = found.isSymbolicLink() ? 'a link, which is not followed' : 'not a folder'
  return err(fault('store', `${folder} is ${kind}; move it away`))
}

/** Regular files that end in `.md`, newest first. Names that begin with a dot are left alone. */
export function notesIn(folder: string): readonly NoteFile[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.md') && !entry.name.startsWith('.'))
    .flatMap(entry => {
      const found = lstatSync(join(folder, entry.name), { throwIfNoEntry: false })
      return found === undefined
        ? []
        : [{ name: entry.name.slice(0, -3), bytes: found.size, changedAt: found.mtime.toISOString() }]
    })
    .sort((a, b) => (a.changedAt === b.changedAt ? order(a.name, b.name) : order(b.changedAt, a.changedAt)))
}

/** What the file system knows about a note. */
export function describe(folder: string, name: string): NoteFile {
  const { size, mtime } = lstatSync(join(folder, `${name}.md`))
  return { name, bytes: size, changedAt: mtime.toISOString() }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The beginning of a note, up to the wanted length. */
export function readNote(folder: string, name: string, most: number): Buffer {
  // Without O_NONBLOCK, a FIFO that replaced the file would make the reader wait for a writer.
  const file = openSync(join(folder, `${name}.md`), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, most))
    let length = 0
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

/** Writes a note's bytes to its file. A new note never replaces anything; `false` means that a file was there. */
export const putNote = (
  folder: string,
  name: string,
  bytes: Uint8Array,
  { isNew }: { readonly isNew: boolean },
): Result<boolean, Fault> => writeWorkspaceFileSync(dirname(folder), `${basename(folder)}/${name}.md`, bytes, { isNew })

/**
 * Lets one writer at a time work, across all processes, and creates the folder if it is missing. The lock is SQLite's own, so a
 * crash cannot leave it behind.
 */
export function alone<Value>(folder: string, work: () => Value): Value {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, '.lock')
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600))
  const lock = new DatabaseSync(path, { timeout: PATIENCE_MS })
  try {
    lock.exec('pragma journal_mode = delete; begin exclusive')
    return work()
  } finally {
    lock.close()
  }
}
