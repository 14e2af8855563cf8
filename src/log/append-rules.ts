/** What an append to a database is made of, and two rules of every append: whether its facts were written before, and whether its writer still has its lease. */

import type { Fact } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { EventId, SessionId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { KeptText, Standing } from './ports.ts'

/** A fact on its way to the database, weighed already. */
export type AppendEntry = { readonly fact: Fact; readonly id?: EventId; readonly tokens: number; readonly messages: number }

export type AppendRequest<Entry extends AppendEntry = AppendEntry> = {
  readonly session: SessionId
  readonly entries: readonly Entry[]
  readonly at: string
  readonly expect?: number
  readonly key?: string
  readonly texts: readonly KeptText[]
  readonly fence?: number | undefined
}

/** What was written (or, with a known key or known ids, what had been), by its seqs. */
export type AppendReport = { readonly first: number; readonly last: number; readonly again: boolean; readonly standing: Standing }

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
  return fence < highest ? err(STALE_FENCE) : ok(fence)
}

/** What a writer is told that has lost its lease: another one has taken the session over. */
export const STALE_FENCE: Fault = fault('conflict', 'this fence is stale: another node has taken the session over')

/** Whether a fault says that the writer has lost its lease. */
export const isStaleFence = ({ kind, message }: Fault): boolean => kind === STALE_FENCE.kind && message === STALE_FENCE.message
