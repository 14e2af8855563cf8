/** What replies used, from their facts, added up by day and model. */

import type { Fact } from '../model/event.ts'
import type { Usage } from '../model/message/delta.ts'
import { billionths, type UsageRow, usageSum } from '../model/usage.ts'

/** One request that was answered and counted. */
export type Used = Omit<Usage, 'costUsd'> & { readonly at: string; readonly model: string; readonly costUsd: number | null }

/** What a reply used, if it says so. The count outlives the reply. */
export function usedBy(fact: Fact, at: string): Used | undefined {
  if (fact.type !== 'reply.finished' && fact.type !== 'reply.broken') return undefined
  const { model, usage } = fact
  if (model === undefined || usage === undefined) return undefined
  const { input, output, cacheRead, cacheWrite, costUsd = null } = usage
  // A count that is no number is not counted; the reply is kept.
  if (![input, output, cacheRead, cacheWrite, costUsd ?? 0].every(Number.isFinite)) return undefined
  return { at, model, input, output, cacheRead, cacheWrite, costUsd }
}

/** By day, then by model. */
export function usageRows(used: readonly Used[]): readonly UsageRow[] {
  const groups = Map.groupBy(used, ({ at, model }) => `${utcDayOf(at)} ${model}`)
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group]) => {
      const sum = usageSum(group.map(({ at: _, model: __, ...counts }) => ({ ...counts, requests: 1 })))
      return { day: key.slice(0, DAY), model: key.slice(DAY + 1), ...sum }
    })
}

const DAY = 'YYYY-MM-DD'.length

/** Times are UTC everywhere, so a day is what a time begins with. */
export const utcDayOf = (at: string): string => at.slice(0, DAY)

/** Rounds a row that a database added up itself. */
export const roundedRow = (row: UsageRow): UsageRow => ({
  ...row,
  costUsd: row.costUsd === null ? null : billionths(row.costUsd),
})
