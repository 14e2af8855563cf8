/** Two rules of every append: whether its facts were written before, and whether its writer still has its lease. */

import { type Fault, fault } from '../model/fault.ts'
import type { EventId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'

/** Finds by their ids whether facts are in a log already. All are there in their order, or none, since appends are not split. */
export function landedAt(
  ids: readonly EventId[],
  facts: number,
  seqOf: (id: EventId) => number | undefined,
): Result<{ readonly first: number; readonly last: number } | undefined, Fault> {
  if (ids.length !== facts || new Set(ids).size !== facts) throw new Error(`${facts} facts need as many different ids`)
  const seqs = ids.map(seqOf)
  if (seqs.every(seq => seq === undefined)) return ok(undefined)
  const [first = 0] = seqs
  if (seqs.some((seq, index) => seq !== first + index)) return err(NOT_TOGETHER)
  return ok({ first, last: first + facts - 1 })
}

const NOT_TOGETHER: Fault = fault('conflict', 'some of these events are in the log already, and not together')

/** Gives the highest fence of a session after an append, or refuses a writer whose lease has passed to another. */
export function fenceAfter(highest: number, fence: number | undefined): Result<number, Fault> {
  if (fence === undefined) return ok(highest)
  if (!Number.isSafeInteger(fence) || fence < 0) throw new Error(`a fence is a whole number, not ${fence}`)
  if (fence < highest) return err(fault('conflict', `fence ${fence} is stale: this session was written under ${highest}`))
  return ok(fence)
}
