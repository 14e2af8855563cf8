/** Everything that is done to an open file, in plain SQL. Operations that write expect a transaction around them. */

import type { SqliteChannelState } from './channel-state.ts'
import { sqliteChannelState } from './channel-state.ts'
import { type SqliteEvents, sqliteEvents } from './events.ts'
import { type SqliteForks, sqliteForks } from './fork.ts'
import { type SqliteGrants, sqliteGrants } from './grants.ts'
import { type SqliteImports, sqliteImports } from './import.ts'
import { type SqliteKept, sqliteKept } from './kept.ts'
import { type SqliteOpenWork, sqliteOpenWork } from './open-work.ts'
import { type SqliteRecall, sqliteRecall } from './recall.ts'
import { type SqliteReceipts, sqliteReceipts } from './receipts.ts'
import { type SqliteRemoval, sqliteRemoval } from './remove.ts'
import type { Tables } from './rows.ts'
import { type SqliteSearch, sqliteSearch } from './search.ts'
import { type SqliteSessions, sqliteSessions } from './sessions.ts'
import { type SqliteTexts, sqliteTexts } from './texts.ts'
import { type SqliteUsage, sqliteUsage } from './usage.ts'
import { type SqliteWords, sqliteWords } from './words.ts'

export type SqliteStore = SqliteSessions &
  SqliteEvents &
  SqliteForks &
  SqliteImports &
  SqliteSearch &
  SqliteRemoval &
  SqliteTexts &
  SqliteUsage &
  SqliteReceipts &
  SqliteChannelState &
  SqliteGrants &
  SqliteRecall &
  SqliteKept &
  SqliteOpenWork &
  Pick<SqliteWords, 'indexWords'>

export function sqliteStore(tables: Tables): SqliteStore {
  const words = sqliteWords(tables)
  const sessions = sqliteSessions(tables)
  const events = sqliteEvents(tables)
  return {
    ...sessions,
    ...events,
    ...sqliteForks(tables, { ...sessions, ...events }),
    ...sqliteImports(tables),
    ...sqliteSearch(tables),
    ...sqliteRemoval(tables, words),
    ...sqliteTexts(tables),
    ...sqliteUsage(tables),
    ...sqliteReceipts(tables),
    ...sqliteChannelState(tables),
    ...sqliteGrants(tables),
    ...sqliteRecall(tables),
    ...sqliteKept(tables),
    ...sqliteOpenWork(tables),
    indexWords: words.indexWords,
  }
}
