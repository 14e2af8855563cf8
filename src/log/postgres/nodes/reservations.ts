/** Money of a day that requests have set aside, as rows under one lock for each day. */

import { ok } from '../../../model/result.ts'
import type { Reservations } from '../../node-ports.ts'
import type { Database } from '../database.ts'

type Reserved = { readonly isReserved: boolean; readonly left: number }

export function postgresReservations(db: Database): Reservations {
  return {
    reserve: ({ id, day, usd, limit, ms }) =>
      db.transaction<Reserved>(async query => {
        await query('insert into budget_days (day) values ($1) on conflict do nothing', [day])
        await query('select 1 from budget_days where day = $1 for update', [day])
        await query('delete from reservations where until < clock_timestamp()')
        const [sums] = await query<{ spent: number | null; reserved: number | null }>(
          `select (select sum(cost_usd) from usage where day = $1) as spent,
             (select sum(usd) from reservations where day = $1 and id <> $2) as reserved`,
          [day, id],
        )
        const left = limit - (sums?.spent ?? 0) - (sums?.reserved ?? 0)
        if (usd > left) return ok({ isReserved: false, left })
        await query(
          `insert into reservations (id, day, usd, until)
           values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4::double precision / 1000))
           on conflict (id) do update set usd = excluded.usd, until = excluded.until`,
          [id, day, usd, ms],
        )
        return ok({ isReserved: true, left })
      }),
    settle: id =>
      db.attempt(async query => {
        await query('delete from reservations where id = $1', [id])
        return ok(null)
      }),
  }
}
