/** Counts what replies used, and keeps how each model counts tokens. */

import type { Fact } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok } from '../../model/result.ts'
import type { UsageRow } from '../../model/usage.ts'
import { NO_SESSION } from '../faults.ts'
import type { TokenFactors, UsageTotals } from '../ports.ts'
import { roundedRow, usedBy, utcDayOf } from '../usage-rows.ts'
import type { Database, Query } from './database.ts'
import { decodeName, encodeName } from './encode-name.ts'
import { hasSession } from './rows.ts'
import type { Write } from './write-together.ts'

export function postgresUsage(db: Database): UsageTotals & TokenFactors {
  return {
    usage: ({ session, since = '' }) =>
      db.attempt(async query => {
        if (session !== undefined && !(await hasSession(query, session))) return err(NO_SESSION)
        const found = await query<UsageRow>(
          `select day, model, sum(input) as input, sum(output) as output, sum(cache_read) as "cacheRead",
             sum(cache_write) as "cacheWrite", case when count(cost_usd) = count(*) then sum(cost_usd) end as "costUsd",
             count(*)::integer as requests
           from usage where day >= $1 and at >= $2 ${session === undefined ? '' : 'and session = $3'}
           group by day, model order by day, model`,
          [utcDayOf(since), since, ...(session === undefined ? [] : [session])],
        )
        return ok(found.map(row => roundedRow({ ...row, model: decodeName(row.model) })))
      }),
    factors: () =>
      db.attempt(async query => {
        const kept = await query<{ model: string; factor: number }>('select model, factor from factors')
        return ok(new Map(kept.map(({ model, factor }) => [decodeName(model), factor])))
      }),
    learn: (model, factor) =>
      db.attempt(async query => {
        await query('insert into factors values ($1, $2) on conflict (model) do update set factor = excluded.factor', [
          encodeName(model),
          factor,
        ])
        return ok(null)
      }),
  }
}

/** A fact as it may say what a reply used; a session of `''` means that its conversation is not kept. */
export type Using = { readonly session: SessionId | ''; readonly at: string; readonly fact: Fact }

/** A row for each reply that says what it used. */
export function usageWrites(facts: readonly Using[]): readonly Write[] {
  const used = facts.flatMap(({ session, at, fact }) => {
    const row = usedBy(fact, at)
    return row === undefined ? [] : [{ session, ...row }]
  })
  if (used.length === 0) return []
  const text = `insert into usage (session, at, day, model, input, output, cache_read, cache_write, cost_usd)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[], $7::float8[], $8::float8[],
       $9::float8[])`
  const values = [
    used.map(({ session }) => session),
    used.map(({ at }) => at),
    used.map(({ at }) => utcDayOf(at)),
    used.map(({ model }) => encodeName(model)),
    used.map(({ input }) => input),
    used.map(({ output }) => output),
    used.map(({ cacheRead }) => cacheRead),
    used.map(({ cacheWrite }) => cacheWrite),
    used.map(({ costUsd }) => costUsd),
  ]
  return [{ text, values }]
}

/** What a removed session used is still counted, without its id. */
export async function forgetUsage(query: Query, id: SessionId): Promise<void> {
  await query(`update usage set session = '' where session = $1`, [id])
}
