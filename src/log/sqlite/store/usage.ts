/** Counts what replies used, and keeps how each model counts tokens. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { UsageRow } from '../../../model/usage.ts'
import { NO_SESSION } from '../../faults.ts'
import type { UsageQuery } from '../../ports.ts'
import { roundedRow, usedBy, utcDayOf } from '../../usage-rows.ts'
import type { Tables } from './rows.ts'

export type SqliteUsage = {
  readonly usage: (query: UsageQuery) => Result<readonly UsageRow[], Fault>
  readonly factors: () => Result<Map<string, number>, Fault>
  readonly learn: (model: string, factor: number) => Result<null, Fault>
}

export function sqliteUsage({ rows, run, isKnown }: Tables): SqliteUsage {
  return {
    usage: ({ session, since = '' }) => {
      if (session !== undefined && !isKnown(session)) return err(NO_SESSION)
      const found = rows<UsageRow>(
        `select day, model, sum(input) as input, sum(output) as output, sum(cache_read) as cacheRead, sum(cache_write) as cacheWrite,
           case when count(cost_usd) = count(*) then sum(cost_usd) end as costUsd, count(*) as requests
         from usage where day >= ? and at >= ? ${session === undefined ? '' : 'and session = ?'} group by day, model order by day, model`,
        ...[utcDayOf(since), since, ...(session === undefined ? [] : [session])],
      )
      return ok(found.map(roundedRow))
    },
    factors: () => {
      const kept = rows<{ model: string; factor: number }>('select model, factor from factors')
      return ok(new Map(kept.map(({ model, factor }) => [model, factor])))
    },
    learn: (model, factor) => {
      run('insert into factors values (?, ?) on conflict do update set factor = excluded.factor', model, factor)
      return ok(null)
    },
  }
}

/** Adds a row for what a reply used; a session of `''` means that its conversation is not kept. */
export function countUse({ run }: Pick<Tables, 'run'>, session: SessionId | '', ...reply: Parameters<typeof usedBy>): void {
  const used = usedBy(...reply)
  if (used === undefined) return
  const { at, model, input, output, cacheRead, cacheWrite, costUsd } = used
  run(
    `insert into usage (session, at, day, model, input, output, cache_read, cache_write, cost_usd) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[session, at, utcDayOf(at), model, input, output, cacheRead, cacheWrite, costUsd],
  )
}
