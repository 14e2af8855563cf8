/** Clears the database file of what removed sessions have left between its rows. Trouble is thrown. */

import type { DatabaseSync } from 'node:sqlite'

/** Rewriting takes eight milliseconds a megabyte, and all writers wait meanwhile. */
const MOST_REWRITTEN_BYTES = 256 << 20

/** What is left to do, as the table `chores` keeps it. */
const REWRITE = 1
const EMPTY_WAL = 2
const CHORE = 'select sweep, page_count * page_size as bytes from chores, pragma_page_count, pragma_page_size'

export type Sweeper = {
  /** Empties the write-ahead file, which still has what was removed; false if a running read prevents it. */
  readonly emptyWal: (patienceMs: number) => boolean
  /**
   * Rows that once made room for others left copies in the unused parts of pages, which `secure_delete` does not clear:
   * the file is written anew, unless that would make writers wait too long. True when nothing is left to do.
   */
  readonly sweep: () => boolean
}

export function sqliteSweeper(db: DatabaseSync): Sweeper {
  const emptyWal = (patienceMs: number): boolean => {
    db.exec(`pragma busy_timeout = ${patienceMs}`)
    const { busy } = db.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
    return busy === 0
  }
  return {
    emptyWal,
    sweep: () => {
      const { sweep, bytes } = db.prepare(CHORE).get() as { sweep: number; bytes: number }
      if (sweep === 0) return true
      db.exec('pragma busy_timeout = 0')
      if (sweep === REWRITE) {
        if (bytes <= MOST_REWRITTEN_BYTES) db.exec('vacuum')
        db.exec(`update chores set sweep = ${EMPTY_WAL}`)
      }
      if (!emptyWal(0)) return false
      db.exec('update chores set sweep = 0')
      return true
    },
  }
}
