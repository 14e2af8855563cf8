/** Looks at sessions that other nodes write to, many with one question. */

import type { SessionId } from '../../../model/ids.ts'
import { ok } from '../../../model/result.ts'
import type { SessionLook, SessionWatch } from '../../node-ports.ts'
import { checkpointOfBody } from '../../stored-bodies.ts'
import type { Database } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { EVENT, type EventRow, eventOf, indexStateOf, parsedJson, type StoredSession } from '../rows.ts'
import { MINUTE_AGO } from './orders.ts'

type LookRow = {
  readonly id: SessionId
  readonly head: number
  readonly orders: boolean
  readonly turns: string
  readonly bodies: readonly string[] | null
}

/** A node that was away while its reply ended elsewhere may just have kept a checkpoint of it: only open turns have one. */
function lookOf({ head, orders, turns, bodies }: LookRow): SessionLook {
  const open = bodies === null ? {} : ((parsedJson(turns) ?? {}) as object)
  const checkpoints = (bodies ?? []).flatMap(body => checkpointOfBody(body) ?? []).filter(({ turn }) => Object.hasOwn(open, turn))
  return { head, hasOrders: orders, checkpoints }
}

export function postgresWatch(db: Database): SessionWatch {
  return {
    // One statement sees one moment: what a checkpoint says is not in the log up to this head.
    looks: ids =>
      db.attempt(async query => {
        const found = await query<LookRow>(
          `select id, head, turns, exists (
               select 1 from orders where orders.session = findable.id and orders.at >= ${MINUTE_AGO}) as orders,
             (select array_agg(body order by turn) from checkpoints where checkpoints.session = findable.id) as bodies
           from findable where id = any($1::text[])`,
          [ids],
        )
        return ok(new Map(found.map(row => [row.id, lookOf(row)])))
      }),
    approvals: () =>
      db.attempt(async query => {
        const open = await query<Pick<StoredSession, 'id' | 'turns' | 'speakers'>>(
          `select id, turns, speakers from findable where turns <> '{}'`,
        )
        const turns = open.flatMap(row =>
          Object.keys(indexStateOf(row).turns).map(turn => ({ id: row.id, turn: encodeName(turn) })),
        )
        if (turns.length === 0) return ok([])
        const found = await query<EventRow & { readonly session: SessionId }>(
          `select session, ${EVENT} from events
           where (session, turn) in (select * from unnest($1::text[], $2::text[])) and type in ('approval.asked', 'approval.answered')
           order by session, seq`,
          [turns.map(({ id }) => id), turns.map(({ turn }) => turn)],
        )
        return ok(found.map(row => eventOf(row.session, row)))
      }),
  }
}
