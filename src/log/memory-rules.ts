/** What is remembered beyond one session, by rules that every store keeps: the order of the list, which sessions give, and which pins count elsewhere. */

import type { Mark } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import { replacesFold } from '../model/fold.ts'
import { parseSessionId, type SessionId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { Session } from '../model/session.ts'
import type { Folded, KeptFold, KeptPin, SourceSession } from './ports.ts'

/** Where something remembered is in the list. */
export type MemoryPlace = Pick<KeptPin, 'at' | 'session' | 'seq'>

/** The order of the list: by time, then by session, then by seq. */
export function newestMemoryFirst(a: MemoryPlace, b: MemoryPlace): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1
  if (a.session !== b.session) return a.session < b.session ? -1 : 1
  return b.seq - a.seq
}

/** One page of the list, from what comes after the cursor and at least one more than fits. */
export function memoryPage(
  found: readonly (KeptPin | KeptFold)[],
  limit: number,
): { readonly items: readonly (KeptPin | KeptFold)[]; readonly next: string | null } {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, next: found.length > limit && last !== undefined ? `${last.at}_${last.session}_${last.seq}` : null }
}

/** The last item of the page before. */
export function readMemoryCursor(cursor: string): Result<MemoryPlace, Fault> {
  const [, at, id, seq] = /^(\d{4}-[\d:T.-]+Z)_(ses_[a-z0-9]+)_(\d{1,15})$/.exec(cursor) ?? []
  const session = parseSessionId(id ?? '')
  if (at === undefined || !session.ok) return err(fault('invalid', 'cursor: not one that a listing gave'))
  return ok({ at, session: session.value, seq: Number(seq) })
}

/** The folds that no later one replaces, and all from a seq on; they are in order. */
export const unreplacedOr = (folds: readonly Folded[], since: number): readonly Folded[] =>
  folds.filter((fold, place) => fold.seq >= since || !folds.slice(place + 1).some(later => replacesFold(later, fold)))

/** Whether others may be quoted from a session: never what advisors said among themselves, nor what is private. */
export const isSource = ({ council, hadCouncil, private: isPrivate }: Session): boolean =>
  council === null && hadCouncil !== true && isPrivate !== true

/** What is known of a session that is quoted. */
export const sourceOf = ({ id, title, preview, parent, family }: Session): SourceSession => ({
  ...{ id, title, preview, family },
  ...(parent === undefined ? {} : { parent }),
})

/** The parent of a session, if it is known. */
export type ParentOf = (id: SessionId) => Session['parent']

/** The session in which the event at a seq happened: a fork has it from its parent up to where it left it. */
export function originOf(id: SessionId, seq: number, parentOf: ParentOf): SessionId {
  const passed = new Set<SessionId>([id])
  let origin = id
  for (let parent = parentOf(id); parent !== undefined && seq <= parent.at; parent = parentOf(origin)) {
    // Files from elsewhere can claim anything, even that a session is its own ancestor.
    if (passed.has(parent.session)) break
    passed.add(parent.session)
    origin = parent.session
  }
  return origin
}

/** A pin that reaches the session that asks, and when its own session was opened. */
export type ReachingPin = KeptPin & { readonly createdAt: string }

/**
 * Which of the pins that reach a session count there: of a message that several forks share only the oldest session's, and
 * none of a message that the asking session has itself under a mark of its own. The newest ones within the limit, oldest first.
 */
export function countingPins(
  reaching: readonly ReachingPin[],
  asking: SessionId,
  known: { readonly parentOf: ParentOf; readonly markOf: (target: number) => Mark | null | undefined },
  limit: number,
): readonly KeptPin[] {
  const parents = new Map<SessionId, Session['parent']>()
  const parentOf: ParentOf = id => {
    if (!parents.has(id)) parents.set(id, known.parentOf(id))
    return parents.get(id)
  }
  const originAt = (session: SessionId, target: number): SessionId => originOf(session, target, parentOf)
  const first = new Map<string, ReachingPin>()
  for (const pin of reaching.toSorted(oldestSessionFirst)) {
    const { session, target } = pin
    const origin = originAt(session, target)
    if (originAt(asking, target) === origin && known.markOf(target) !== undefined && known.markOf(target) !== null) continue
    const message = `${origin} ${target}`
    if (!first.has(message)) first.set(message, pin)
  }
  const newest = [...first.values()].sort(newestMemoryFirst).slice(0, limit)
  return newest.reverse().map(({ createdAt: _, ...pin }) => pin)
}

const oldestSessionFirst = (a: ReachingPin, b: ReachingPin): number =>
  a.createdAt === b.createdAt ? (a.session < b.session ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1
