/** Orders to the node that runs a session, and the answers to them, as rows. */

import type { SessionId } from '../../../model/ids.ts'
import { err, ok } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import type { Orders, SessionOrder } from '../../node-ports.ts'
import type { Database, Query } from '../database.ts'
import { decodeName, encodeName } from '../encode-name.ts'
import { staysHere } from '../sessions/stays-here.ts'

/**
 * Orders and answers from before this moment do not count any more: the asker has given up by then, and a stop that comes so late
 * would hit something else.
 */
export const MINUTE_AGO = `clock_timestamp() - interval '1 minute'`

// Bodies are kept as JSON, which every text survives.
export function postgresOrders(db: Database): Orders {
  return {
    add: ({ id, session, body }) =>
      db.transaction(async query => {
        if (!(await staysHere(query, session))) return err(NO_SESSION)
        await query(`delete from orders where at < ${MINUTE_AGO}`)
        await query('insert into orders (id, session, body) values ($1, $2, $3) on conflict do nothing', [
          ...[encodeName(id), session, JSON.stringify(body)],
        ])
        return ok(null)
      }),
    take: ids =>
      db.attempt(async query => {
        if (ids.length === 0) return ok([])
        const taken = await query<SessionOrder & { readonly number: number }>(
          `delete from orders where session = any($1::text[]) and at >= ${MINUTE_AGO} returning number, id, session, body`,
          [ids],
        )
        const inOrder = taken.toSorted((a, b) => a.number - b.number)
        return ok(inOrder.map(({ id, session, body }) => ({ id: decodeName(id), session, body: JSON.parse(body) as string })))
      }),
    reply: (id, body) =>
      db.attempt(async query => {
        await query(`delete from order_replies where at < ${MINUTE_AGO}`)
        await query(
          'insert into order_replies (id, body) values ($1, $2) on conflict (id) do update set body = excluded.body, at = excluded.at',
          [...[encodeName(id), JSON.stringify(body)]],
        )
        return ok(null)
      }),
    withdraw: id =>
      db.attempt(async query => {
        const withdrawn = await query('delete from orders where id = $1 returning 1', [encodeName(id)])
        return ok(withdrawn.length > 0)
      }),
    takeReply: id =>
      db.attempt(async query => {
        const [reply] = await query<{ body: string; isFresh: boolean }>(
          `delete from order_replies where id = $1 returning body, at >= ${MINUTE_AGO} as "isFresh"`,
          [encodeName(id)],
        )
        return ok(reply?.isFresh === true ? (JSON.parse(reply.body) as string) : undefined)
      }),
  }
}

export async function forgetOrders(query: Query, id: SessionId): Promise<void> {
  await query('delete from orders where session = $1', [id])
}
