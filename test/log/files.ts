import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { weigh } from '../../src/context/text/tokens.ts'
import type { Log } from '../../src/log/ports.ts'
import { type SqliteSettings, sqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import { must } from './facts.ts'

/** A folder that is gone when the test is over. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a file that closes with the test; closing it earlier does no harm. */
export async function openSqlite(t: TestContext, file: string, given: Partial<SqliteSettings> = {}): Promise<Log> {
  const log = must(await sqliteLog({ file, clock: Date.now, weigh, ...given }))
  t.after(() => log.close())
  return log
}

/** Looks into a file behind the log's back, and lets go of it at once. */
export function raw<Value>(file: string, use: (db: DatabaseSync) => Value): Value {
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** What SQLite itself thinks of the file. */
export const integrityOf = (file: string): string =>
  raw(file, db => (db.prepare('pragma integrity_check').get() as { integrity_check: string }).integrity_check)

/** How often the bytes stand in the database and in the files beside it. */
export function occurrences(file: string, needle: string): Readonly<Record<string, number>> {
  const files = ['', '-wal', '-shm', '.lock', '-journal'].filter(suffix => existsSync(file + suffix))
  return Object.fromEntries(
    files.map(suffix => [
      `db${suffix}`,
      contentOf(file + suffix)
        .toString('latin1')
        .split(needle).length - 1,
    ]),
  )
}

/** By another process: whoever reads a database with plain file calls gives up all the locks its own process has on it. */
export const contentOf = (file: string): Buffer => execFileSync('cat', [file], { maxBuffer: 1 << 30 })

/** Takes a file back to the form before pins and folds were kept beside their events. */
export const withoutKept = (db: DatabaseSync): void =>
  db.exec(
    `drop trigger events_mark; drop trigger events_fold; drop table kept_pins; drop table kept_folds; drop index events_by_fold;
     drop index sessions_by_source; alter table sessions drop column is_source; pragma user_version = 12`,
  )

/** Takes a file back to the form before the recall index. */
export function withoutRecall(db: DatabaseSync): void {
  withoutKept(db)
  db.exec(
    `drop index sessions_unrecalled; drop index sessions_by_recall; alter table sessions drop column recalled;
     alter table sessions drop column recalled_by; drop table recall_sessions; drop table recall_postings; drop table recall_blocks;
     pragma user_version = 11`,
  )
}

/** Takes a file back to the form before the turns of voices were counted. */
export function withoutCounts(db: DatabaseSync): void {
  withoutRecall(db)
  db.exec(
    'drop trigger events_count_turn; drop trigger events_forget_turn; drop table voice_counts; drop index events_by_voice; pragma user_version = 10',
  )
}

/** Takes a file back to the form before messages were numbered. */
export function withoutNumbers(db: DatabaseSync): void {
  withoutCounts(db)
  db.exec(
    'drop trigger events_number; drop trigger events_late; drop table message_numbers; drop table late_turns; drop index events_by_oddity; drop index events_by_resumed; pragma user_version = 9',
  )
}
