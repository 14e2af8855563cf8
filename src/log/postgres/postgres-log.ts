/** A store in a PostgreSQL database, which several nodes may share. */

import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Clock, Log, Weigh } from '../ports.ts'
import { createReadCache } from '../read-cache.ts'
import { postgresChannelState } from './channel-state.ts'
import { openDatabase } from './database.ts'
import { createAppender } from './events/append.ts'
import { postgresEvents } from './events/events.ts'
import { createJustWritten } from './events/just-written.ts'
import { postgresPast } from './events/past.ts'
import { postgresGrants } from './grants.ts'
import { migrate } from './migrations/migrate.ts'
import { postgresDocuments } from './nodes/documents.ts'
import { postgresLeases } from './nodes/leases.ts'
import { postgresOrders } from './nodes/orders.ts'
import { postgresPokes } from './nodes/pokes.ts'
import { postgresReservations } from './nodes/reservations.ts'
import { postgresWatch } from './nodes/watch.ts'
import { postgresKept } from './recall/kept.ts'
import { postgresRecall } from './recall/recall.ts'
import { postgresReceipts } from './receipts.ts'
import { postgresSearch } from './search/search.ts'
import { postgresWords } from './search/words.ts'
import { postgresFork } from './sessions/fork.ts'
import { postgresImporter } from './sessions/import.ts'
import { postgresOpenWork } from './sessions/open-work.ts'
import { postgresSessions, sweepSessions } from './sessions/sessions.ts'
import { postgresTexts } from './texts.ts'
import { postgresUsage } from './usage.ts'

export type PostgresSettings = {
  readonly url: string
  readonly clock: Clock
  readonly weigh: Weigh
  readonly connections?: number
  /** How long an operation may wait for the database before it is a fault. */
  readonly patienceMs?: number
  /** Opens half a house too: only those who look at the work of a copy do. */
  readonly isForCopy?: boolean
  /** The size of the read cache. */
  readonly recentBytes?: number
}

const RECENT_BYTES = 64 << 20
/** What crashed nodes have left behind is looked for so often. */
const SWEEP_MS = 60_000
const NO_BACKUP: Fault = fault(
  'invalid',
  'a PostgreSQL store is backed up with its own tools: pg_dump, or point-in-time recovery; see docs/scale.md',
)

export async function postgresLog(settings: PostgresSettings): Promise<Result<Log, Fault>> {
  const { url, clock, weigh, recentBytes = RECENT_BYTES, connections, patienceMs, isForCopy = false } = settings
  const db = openDatabase({
    url,
    ...(connections === undefined ? {} : { connections }),
    ...(patienceMs === undefined ? {} : { patienceMs }),
  })
  const migrated = await migrate(db, { isForCopy }).catch(async (cause: unknown) => {
    await db.close()
    throw cause
  })
  if (!migrated.ok) {
    await db.close()
    return migrated
  }
  const cache = createReadCache(recentBytes)
  const words = postgresWords(db)
  const { past, cells } = postgresPast(db)
  const justWritten = createJustWritten()
  const events = postgresEvents(db, { append: createAppender(db), justWritten, clock, weigh })
  const pokes = postgresPokes(db, url)
  let sweeping: Promise<void> = Promise.resolve()
  const sweep = setInterval(() => {
    sweeping = sweepSessions(db).catch(() => undefined)
  }, SWEEP_MS).unref()

  return ok({
    ...postgresSessions(db, id => {
      cache.forget(id)
      justWritten.forget(id)
    }),
    ...events,
    append: async (...given) => {
      const appended = await events.append(...given)
      if (appended.ok && !appended.value.again) words.fillSoon()
      return appended
    },
    past: (id, query) =>
      cache.past(
        id,
        held => past(id, query, held),
        (after, through) => cells(id, after, through),
      ),
    fork: postgresFork(db, { clock, weigh }),
    ...postgresImporter(db, { clock, weigh, onPublished: words.fillSoon }),
    ...postgresSearch(db, words),
    ...postgresOpenWork(db),
    ...postgresTexts(db),
    ...postgresUsage(db),
    ...postgresReceipts(db, clock),
    ...postgresChannelState(db),
    grants: postgresGrants(db, clock),
    recall: postgresRecall(db),
    memory: postgresKept(db),
    nodes: {
      leases: postgresLeases(db),
      pokes,
      watch: postgresWatch(db),
      orders: postgresOrders(db),
      documents: postgresDocuments(db),
      reservations: postgresReservations(db),
    },
    backup: async () => err(NO_BACKUP),
    close: async () => {
      clearInterval(sweep)
      await sweeping
      await words.stop()
      await pokes.close()
      await db.close()
    },
  })
}
