/** Opens sessions, and removes them for good: first a session cannot be found any more, then its events go, a few at a time. */

import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import { NO_SESSION } from '../../faults.ts'
import type { SessionStore } from '../../ports.ts'
import { EMPTY_STANDING } from '../../standing.ts'
import type { Database, Query } from '../database.ts'
import { insertSession } from '../events/write-rows.ts'
import { forgetGrants } from '../grants.ts'
import { forgetOrders } from '../nodes/orders.ts'
import { forgetKeptRows } from '../recall/kept.ts'
import { detachRecallRows, dropDetachedRecallRows } from '../recall/recall-removal.ts'
import { forgetReceipts } from '../receipts.ts'
import { NO_INDEX, sessionOfRow, sessionRow } from '../rows.ts'
import { forgetWords } from '../search/words.ts'
import { dropUnusedTexts } from '../texts.ts'
import { forgetUsage } from '../usage.ts'

type Sessions = Pick<SessionStore, 'open' | 'session' | 'remove'>

export const TAKEN: Fault = fault('conflict', 'there is a session of that id already')
/** Some tens of milliseconds. */
const MOST_DELETED = 1000
const MOST_SWEPT = 200

export function postgresSessions(db: Database, forget: (id: SessionId) => void): Sessions {
  return {
    open: session =>
      db.transaction(async query => {
        const free = await freeId(query, session.id)
        if (!free.ok) return free
        const isOpened = await insertSession(query, { session, standing: EMPTY_STANDING, index: NO_INDEX })
        return isOpened ? ok(session) : err(TAKEN)
      }),
    session: id =>
      db.attempt(async query => {
        const found = await sessionRow(query, id)
        return found === undefined ? err(NO_SESSION) : ok(sessionOfRow(found))
      }),
    remove: async id => {
      const hidden = await db.transaction(query => hide(query, id))
      forget(id)
      if (!hidden.ok) return hidden
      // Every trace goes; what a store that goes away now keeps is deleted by a later sweep.
      await dropDetachedRecallRows(db)
      return removeRest(db, id)
    },
  }
}

/** Whether a session may have this id. What is left of a removed one of the same id is deleted first. */
export async function freeId(query: Query, id: SessionId): Promise<Result<null, Fault>> {
  const taken = await query('select 1 from sessions where id = $1 for key share', [id])
  if (taken.length > 0) return err(TAKEN)
  const left = await query('select 1 from deleting where session = $1', [id])
  if (left.length > 0) while (await deleteSome(query, id));
  return ok(null)
}

/** From here on the session cannot be found, and nothing is appended to it. */
async function hide(query: Query, id: SessionId): Promise<Result<Session, Fault>> {
  const [locked] = await query('select 1 from sessions where id = $1 and import is null for update', [id])
  const row = locked === undefined ? undefined : await sessionRow(query, id)
  if (row === undefined) return err(NO_SESSION)
  await query('insert into deleting (session) values ($1) on conflict do nothing', [id])
  await query('delete from sessions where id = $1', [id])
  await forgetBeside(query, id)
  return ok(sessionOfRow(row))
}

/** Everything of a session but its events. */
async function forgetBeside(query: Query, id: SessionId): Promise<void> {
  for (const table of ['keys', 'checkpoints', 'late_turns', 'voice_counts'])
    await query(`delete from ${table} where session = $1`, [id])
  await dropUnusedTexts(query, id)
  await forgetGrants(query, id)
  await forgetKeptRows(query, id)
  await forgetOrders(query, id)
  await forgetReceipts(query, id)
  await detachRecallRows(query, id)
  await forgetUsage(query, id)
  await forgetWords(query, id)
}

/** Deletes events of a session that is being removed; false when nothing is left of it. */
async function deleteSome(query: Query, id: SessionId): Promise<boolean> {
  // What another node has deleted to the end may be the id of a new session by now.
  const mine = await query('select 1 from deleting where session = $1 for update', [id])
  if (mine.length === 0) return false
  const gone = await query(
    `delete from events where session = $1 and seq in (select seq from events where session = $1 order by seq limit ${MOST_DELETED})
     returning 1`,
    [id],
  )
  if (gone.length === MOST_DELETED) return true
  await query('delete from message_numbers where session = $1', [id])
  await query('delete from deleting where session = $1', [id])
  return false
}

/** Deletes what is left of a session, piece by piece. */
async function removeRest(db: Database, id: SessionId): Promise<Result<null, Fault>> {
  for (;;) {
    const some = await db.transaction(async query => ok(await deleteSome(query, id)))
    // It cannot be found any more; what a store that went away left behind is deleted by a later sweep.
    if (!some.ok || !some.value) return ok(null)
  }
}

/** Gives up imports that no node goes on with, and deletes what removed sessions have left. */
export async function sweepSessions(db: Database): Promise<void> {
  const left = await db.attempt(async query =>
    ok(
      await query<{ id: SessionId; import: number }>(
        `select id, import from sessions where import is not null and not exists (
           select 1 from imports where imports.id = sessions.import and until >= clock_timestamp())
         order by import, id limit ${MOST_SWEPT}`,
      ),
    ),
  )
  for (const { id, import: number } of left.ok ? left.value : [])
    await db.transaction(async query => {
      // Waits for what is written to it in this moment: an import that goes on after all keeps its sessions.
      const [own] = await query<{ isAlive: boolean }>(
        'select until >= clock_timestamp() as "isAlive" from imports where id = $1 for update',
        [number],
      )
      return ok(own?.isAlive === true ? null : await discard(query, id, number))
    })
  await db.attempt(async query =>
    ok(
      await query(
        `delete from imports where until < clock_timestamp()
         and not exists (select 1 from sessions where sessions.import = imports.id)`,
      ),
    ),
  )
  const removed = await db.attempt(async query =>
    ok(await query<{ session: SessionId }>(`select session from deleting order by session limit ${MOST_SWEPT}`)),
  )
  for (const { session } of removed.ok ? removed.value : []) await removeRest(db, session)
  await dropDetachedRecallRows(db)
}

/** Gives up a session of an import, which was never found; its events are deleted later. */
export const giveUp = (db: Database, id: SessionId, importNumber: number): Promise<Result<null, Fault>> =>
  db.transaction(async query => ok(await discard(query, id, importNumber)))

/** Another session of this id, or one that can be found by now, stays. */
async function discard(query: Query, id: SessionId, importNumber: number): Promise<null> {
  const own = await query('select 1 from sessions where id = $1 and import = $2 for update', [id, importNumber])
  if (own.length === 0) return null
  await query('insert into deleting (session) values ($1) on conflict do nothing', [id])
  await query('delete from sessions where id = $1', [id])
  await forgetBeside(query, id)
  return null
}
