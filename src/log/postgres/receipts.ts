/** Keeps the receipts of stateless requests, and finds any receipt by its id. */

import type { Recorded } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok } from '../../model/result.ts'
import { DRY_RUN, NO_RECEIPT } from '../faults.ts'
import type { Clock, Receipts } from '../ports.ts'
import { receiptOfBody } from '../stored-bodies.ts'
import type { Database, Query } from './database.ts'
import { encodeName } from './encode-name.ts'
import { EVENT, type EventRow, eventOf } from './rows.ts'
import { usageWrites } from './usage.ts'
import { type Write, writeTogether } from './write-together.ts'

export function postgresReceipts(db: Database, clock: Clock): Receipts {
  return {
    account: async (receipt, reply) => {
      const { id } = receipt
      if (id === null) return err(DRY_RUN)
      const body = JSON.stringify(receipt)
      const at = new Date(clock()).toISOString()
      return db.transaction(async query => {
        await query('insert into receipts values ($1, $2) on conflict (id) do update set body = excluded.body', [
          encodeName(id),
          body,
        ])
        if (reply !== undefined) await writeTogether(query, usageWrites([{ session: '', at, fact: reply }]))
        return ok(null)
      })
    },
    receipt: id =>
      db.attempt(async query => {
        const [kept] = await query<{ body: string }>('select body from receipts where id = $1', [encodeName(id)])
        const alone = kept === undefined ? undefined : receiptOfBody(kept.body)
        if (alone !== undefined) return ok({ receipt: alone })
        // A fork has its parent's receipts under the same ids, so the first is the one that was really sent, as long as it is there.
        const [found] = await query<EventRow & { session: SessionId }>(
          `select session, ${EVENT} from events where (session, seq) = (
             select session, seq from receipt_places as place
             where receipt = $1 and exists (select 1 from findable where findable.id = place.session)
             order by number limit 1)`,
          [encodeName(id)],
        )
        const event = found === undefined ? undefined : eventOf(found.session, found)
        if (event?.type !== 'context.planned') return err(NO_RECEIPT)
        const { receipt, session, turn, step } = event
        return ok({ receipt, session, turn, step })
      }),
  }
}

/** Where the receipts of new events are, so that they are found by their ids. */
export function receiptWrites(events: readonly Recorded[]): readonly Write[] {
  const placed = events.flatMap(event =>
    event.type === 'context.planned' && typeof event.receipt.id === 'string'
      ? [{ id: event.receipt.id, session: event.session, seq: event.seq }]
      : [],
  )
  if (placed.length === 0) return []
  const text = 'insert into receipt_places (receipt, session, seq) select * from unnest($1::text[], $2::text[], $3::bigint[])'
  const values = [placed.map(({ id }) => encodeName(id)), placed.map(({ session }) => session), placed.map(({ seq }) => seq)]
  return [{ text, values }]
}

export async function forgetReceipts(query: Query, id: SessionId): Promise<void> {
  await query('delete from receipt_places where session = $1', [id])
}
