/** Leases as rows, by the database's own clock. */

import type { SessionId } from '../../../model/ids.ts'
import { err, ok } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import { isJob, type Lease, type Leases } from '../../node-ports.ts'
import type { Database } from '../database.ts'
import { hasSession } from '../rows.ts'
import { MINUTE_AGO } from './orders.ts'

const UNTIL = 'clock_timestamp() + make_interval(secs => $3::double precision / 1000)'

const IS_HELD = 'leases.node <> $2 and leases.until > clock_timestamp()'

/**
 * Takes a lease that no other node has, and gives no row otherwise, nor for a session that is not there. The new fence is above those
 * of the lease and of the session. The session is locked before the lease is written, as every append locks it: an append under the
 * older fence is either in the log before the lease is taken, or refused.
 */
const TAKE = `
  with free as materialized (select 1 where not exists (select 1 from leases where key = $1 and ${IS_HELD})
    and ($4 or exists (select 1 from findable where id = $1))),
  session as materialized (select fence from sessions where id = $1 and exists (select 1 from free) for no key update),
  taken as (
    insert into leases as held (key, node, fence, until)
    select $1, $2, coalesce((select fence from session), 0) + 1, ${UNTIL} from free
    on conflict (key) do update set
      fence = case when held.node = excluded.node and held.until > clock_timestamp() then held.fence
        else greatest(held.fence + 1, excluded.fence) end,
      node = excluded.node, until = excluded.until
    where held.node = excluded.node or held.until <= clock_timestamp()
    returning node, fence),
  fenced as (update sessions set fence = taken.fence from taken where sessions.id = $1 and sessions.fence < taken.fence)
  select node, fence from taken`

export function postgresLeases(db: Database): Leases {
  return {
    take: (key, node, ms) =>
      db.attempt(async query => {
        for (;;) {
          const [taken] = await query<Lease>(TAKE, [key, node, ms, isJob(key)])
          if (taken !== undefined) return ok(taken)
          const [held] = await query<Lease>(`select node, fence from leases where key = $1 and ${IS_HELD}`, [key, node])
          if (held !== undefined) return ok(held)
          if (!isJob(key) && !(await hasSession(query, key as SessionId))) return err(NO_SESSION)
          // Given back in this moment: it is tried again.
        }
      }),
    renew: (node, leases, ms) =>
      db.attempt(async query => {
        const kept = await query<{ key: string }>(
          `update leases set until = ${UNTIL} from unnest($2::text[], $4::bigint[]) as ours (key, fence)
           where leases.key = ours.key and leases.fence = ours.fence and leases.node = $1 returning leases.key`,
          [node, leases.map(({ key }) => key), ms, leases.map(({ fence }) => fence)],
        )
        return ok(kept.map(({ key }) => key))
      }),
    // The row stays, so that no later lease has a lower fence; without its node, so that it cannot be renewed.
    giveBack: (node, keys) =>
      db.attempt(async query => {
        await query(`update leases set node = '', until = '-infinity' where key = any($2::text[]) and node = $1`, [node, keys])
        return ok(null)
      }),
    orphans: (after, limit) =>
      db.attempt(async query => {
        const found = await query<{ id: SessionId }>(
          `select id from (
             (select id from sessions where due <> '[]' and id > $1 and import is null and ${NO_LEASE} order by id limit $2)
             union (select id from sessions where turns <> '{}' and id > $1 and import is null and ${NO_LEASE} order by id limit $2)
             union (select distinct session as id from orders as sessions
               where session > $1 and at >= ${MINUTE_AGO} and ${NO_LEASE.replaceAll('sessions.id', 'sessions.session')}
               order by session limit $2)) as found
           order by id limit $2`,
          [after, limit],
        )
        return ok(found.map(({ id }) => id))
      }),
  }
}

const NO_LEASE = 'not exists (select 1 from leases where leases.key = sessions.id and leases.until > clock_timestamp())'
