/** Opens the database file: takes the lock of its one writer, checks SQLite, and migrates. */

import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { HALF_COPIED, whyHalfCopied } from '../copy/half-copied.ts'
import { MIGRATIONS, NEWEST } from './migrations.ts'
import { ABANDON_IMPORTS } from './store/import.ts'

/** Below this, WAL files of two processes may be corrupted by a reset race. */
const LEAST_VERSION = [3, 51, 3] as const

/** Trouble with the file that a person has to mend; the text says how. */
export class Unusable extends Error {}

export type OpenFile = { readonly db: DatabaseSync; readonly close: () => void }

/** Opens the file as its one writer; the lock goes with the process, however it ends. Half a house is only for a copy. */
export function openWriter(
  file: string,
  synchronous: 'FULL' | 'NORMAL',
  { isForCopy = false }: { readonly isForCopy?: boolean } = {},
): OpenFile {
  assertVersion()
  const lock = takeLock(file)
  try {
    ownersOnly(file)
    const db = usable(file, { timeout: 5000 }, opened => {
      opened.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma secure_delete = on`)
      migrate(opened, file, isForCopy)
      // Forks that a crash left half copied.
      opened.exec('insert or ignore into deleting select session from copying; delete from copying')
      if (opened.prepare('select 1 from bringings').get() !== undefined)
        opened.exec(`begin immediate; ${ABANDON_IMPORTS}; commit`)
    })
    return {
      db,
      close: () => {
        db.close()
        lock.close()
      },
    }
  } catch (cause) {
    lock.close()
    throw cause
  }
}

/** Opens the file only to read, beside the process that writes. A copy looks into half a house as well. */
export function openReader(file: string, { isForCopy = false }: { readonly isForCopy?: boolean } = {}): OpenFile {
  assertVersion()
  if (!existsSync(file)) throw noDatabase(file)
  const db = usable(file, { readOnly: true, timeout: 1000 }, opened => {
    const version = formOf(opened)
    refuseHalf(version, file, isForCopy)
    if (version < NEWEST)
      throw new Unusable(`${file} was written by an older Turnwise; start the gateway once, and it is brought up to date`)
  })
  return { db, close: () => db.close() }
}

/** Opens the file only to read, and keeps writers away meanwhile. */
export function openQuiet(file: string): OpenFile {
  if (!existsSync(file)) throw noDatabase(file)
  const lock = takeLock(file)
  let opened: OpenFile | undefined
  try {
    opened = openReader(file)
    refuseNewer(formOf(opened.db), file)
    const { db, close } = opened
    return {
      db,
      close: () => {
        close()
        lock.close()
      },
    }
  } catch (cause) {
    opened?.close()
    lock.close()
    throw cause
  }
}

const noDatabase = (file: string): Unusable => new Unusable(`there is no database at ${file} yet; start the gateway once`)

/** A second writer is refused at once. The lock is SQLite's own on a file beside the database, so a crash cannot leave it behind. */
function takeLock(file: string): DatabaseSync {
  ownersOnly(`${file}.lock`)
  const lock = new DatabaseSync(`${file}.lock`, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = delete; begin exclusive')
    return lock
  } catch {
    lock.close()
    throw new Unusable(
      `${file} is in use by another Turnwise process; stop that one first, or give this one a TURNWISE_HOME of its own`,
    )
  }
}

function assertVersion(): void {
  const db = new DatabaseSync(':memory:')
  const { version } = db.prepare('select sqlite_version() as version').get() as { version: string }
  db.close()
  const have = version.split('.').map(Number)
  const difference = LEAST_VERSION.map((least, index) => (have[index] ?? 0) - least).find(step => step !== 0) ?? 0
  if (difference < 0)
    throw new Unusable(`SQLite ${LEAST_VERSION.join('.')} or newer is needed, this Node has ${version}; use Node 26`)
}

const formOf = (db: DatabaseSync): number => (db.prepare('pragma user_version').get() as { user_version: number }).user_version

function refuseNewer(form: number, file: string): void {
  if (form > NEWEST)
    throw new Unusable(`${file} was written by a newer Turnwise (form ${form}, this one knows ${NEWEST}); update Turnwise`)
}

function refuseHalf(version: number, file: string, isForCopy: boolean): void {
  if (version >= HALF_COPIED && !isForCopy) throw new Unusable(whyHalfCopied(file, 'move the file away'))
}

function migrate(db: DatabaseSync, file: string, isForCopy: boolean): void {
  const found = formOf(db)
  refuseHalf(found, file, isForCopy)
  // Half a house stays marked as one.
  const mark = found >= HALF_COPIED ? HALF_COPIED : 0
  const version = found - mark
  refuseNewer(version, file)
  for (const migration of MIGRATIONS.filter(step => step.version > version)) {
    db.exec(`begin immediate; ${migration.sql}; pragma user_version = ${mark + migration.version}; commit`)
  }
}

/**
 * Creates the file for its owner only, before SQLite does: SQLite gives the files beside a database the same mode. A file that
 * exists is not opened here, since closing it would give up every lock this process has on it.
 */
export function ownersOnly(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (cause) {
    throw cannotOpen(file, cause)
  }
}

/** Opens a database and uses it once; if that fails it is closed again. */
function usable(
  file: string,
  options: ConstructorParameters<typeof DatabaseSync>[1],
  firstUse: (db: DatabaseSync) => void,
): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, options)
    firstUse(db)
    return db
  } catch (cause) {
    db?.close()
    throw cause instanceof Unusable ? cause : cannotOpen(file, cause)
  }
}

function cannotOpen(file: string, cause: unknown): Unusable {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new Unusable(
    `${file} cannot be opened (${why}); it was left as it is. Restore a backup, or move the file away to start afresh`,
  )
}
