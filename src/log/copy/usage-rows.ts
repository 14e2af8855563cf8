/** Copies what replies used. These rows have no names, so what is in a store must be the beginning of what the house has. */

import type { Fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { HouseSource, HouseTarget, HouseUsage } from './house.ts'
import { MOST_ROWS } from './pages.ts'
import { COPY_STOPPED, foreign } from './watch.ts'

type Step = { readonly rows: readonly HouseUsage[]; readonly there: readonly HouseUsage[] }

/** As a trial it only looks whether that is so. */
export async function copyUsage(
  source: HouseSource,
  target: HouseTarget,
  abort: AbortSignal,
  { isTrial = false }: { readonly isTrial?: boolean } = {},
): Promise<Result<null, Fault>> {
  let there = 0
  for await (const step of sideBySide(source, target)) {
    if (abort.aborted) return err(COPY_STOPPED)
    if (!step.ok) return step
    const { rows, there: known } = step.value
    if (!isBeginning(rows, known)) return foreign(`usage is counted there that ${source.title} does not have`)
    there += known.length
    const missing = rows.slice(known.length)
    const written = isTrial || missing.length === 0 ? ok(null) : await target.addUsage(there, missing)
    if (!written.ok) return written
    if (!isTrial) there += missing.length
  }
  return ok(null)
}

/** What differs, in words. */
export async function usageDifference(source: HouseSource, target: HouseSource): Promise<Result<string | undefined, Fault>> {
  for await (const step of sideBySide(source, target)) {
    if (!step.ok) return step
    const { rows, there } = step.value
    if (rows.length !== there.length || !isBeginning(rows, there)) return ok('what replies used is not the same')
  }
  return ok(undefined)
}

const isBeginning = (rows: readonly HouseUsage[], there: readonly HouseUsage[]): boolean =>
  JSON.stringify(rows.slice(0, there.length).map(lineOf)) === JSON.stringify(there.map(lineOf)) && there.length <= rows.length

const lineOf = (row: HouseUsage): readonly unknown[] => [
  ...[row.session, row.at, row.day, row.model, row.input, row.output, row.cacheRead, row.cacheWrite, row.costUsd],
]

/** Pages of both as they were at first: rows that are added meanwhile to the second do not count. */
async function* sideBySide(one: HouseSource, other: HouseSource): AsyncGenerator<Result<Step, Fault>> {
  let [mine, theirs, isOver] = [0, 0, false]
  for (;;) {
    const rows = await one.usage(mine, MOST_ROWS)
    if (!rows.ok) return yield rows
    const there = isOver ? ok({ rows: [], last: theirs }) : await other.usage(theirs, Math.max(1, rows.value.rows.length))
    if (!there.ok) return yield there
    if (rows.value.rows.length === 0 && there.value.rows.length === 0) return
    yield ok({ rows: rows.value.rows, there: there.value.rows })
    if (rows.value.rows.length === 0) return
    isOver ||= there.value.rows.length < rows.value.rows.length
    mine = rows.value.last
    theirs = there.value.last
  }
}
