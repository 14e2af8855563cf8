/** Deletes recall indexes that belong to no session any more, a few rows at a time. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Database, Query } from '../database.ts'

/** Some tens of milliseconds of work. */
const MOST_POSTINGS = 4000
const MOST_BLOCKS = 250

/** Takes the index away from its session, which has none from then on. */
export async function detachRecallRows(query: Query, id: SessionId): Promise<void> {
  await query('update recall_sessions set session = null where session = $1', [id])
}

/** Deletes everything that was detached. What another node is deleting now is left to it. */
export async function dropDetachedRecallRows(db: Database): Promise<Result<null, Fault>> {
  for (;;) {
    const some = await db.transaction(async query => ok(await dropSome(query)))
    if (!some.ok) return some
    if (!some.value) return ok(null)
  }
}

/** Deletes some rows; false if none are left. */
async function dropSome(query: Query): Promise<boolean> {
  const [detached] = await query<{ key: number }>(
    'select key from recall_sessions where session is null order by key limit 1 for update skip locked',
  )
  if (detached === undefined) return false
  const { key } = detached
  const postings = await query(
    `delete from recall_postings where key = $1 and (term, segment) in (
       select term, segment from recall_postings where key = $1 order by term, segment limit ${MOST_POSTINGS}) returning 1`,
    [key],
  )
  if (postings.length === MOST_POSTINGS) return true
  const blocks = await query(
    `delete from recall_blocks where key = $1 and (kind, number) in (
       select kind, number from recall_blocks where key = $1 order by kind, number limit ${MOST_BLOCKS}) returning 1`,
    [key],
  )
  if (blocks.length < MOST_BLOCKS) await query('delete from recall_sessions where key = $1', [key])
  return true
}
