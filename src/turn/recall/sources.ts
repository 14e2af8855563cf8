/** Finds the other chats that a session may quote from. What forks share is asked once: in the chat that asks, or nearest to where it was said. */
import { shownTitle } from '../../context/recall/recall-block.ts'
import type { Log, SourceSession } from '../../log/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { RecallFrom } from '../../model/recall.ts'
import { ok, type Result } from '../../model/result.ts'
import type { AskedSource } from './look-up/asked-parts.ts'

/** So many other chats are asked, those that were used last. */
const MOST_SOURCES = 2000

type Related = Pick<SourceSession, 'id' | 'parent' | 'family'>

/** The chats to ask beside a session's own. */
export async function sourcesFor(
  log: Pick<Log, 'memory' | 'session'>,
  session: Related,
  from: RecallFrom,
): Promise<Result<readonly AskedSource[], Fault>> {
  if (from === 'session') return ok([])
  const found = await log.memory.sources(session.id, from, MOST_SOURCES)
  if (!found.ok) return found
  const known = await withAncestors(log, [session, ...found.value])
  if (!known.ok) return known
  const after = sharedWithEarlier([session, ...found.value], known.value)
  return ok(
    // A chat without a title is not named by its first message: that may be excluded.
    found.value.map(({ id, title }) => ({ id, title: shownTitle(title ?? ''), after: after.get(id) ?? 0 })),
  )
}

/** The sessions and all that they are forks of. One that was deleted is not among them. */
async function withAncestors(
  log: Pick<Log, 'session'>,
  sessions: readonly Related[],
): Promise<Result<ReadonlyMap<SessionId, Related>, Fault>> {
  const known = new Map<SessionId, Related>(sessions.map(each => [each.id, each]))
  const gone = new Set<SessionId>()
  for (;;) {
    const parents = new Set([...known.values()].flatMap(({ parent }) => (parent === undefined ? [] : [parent.session])))
    const missing = [...parents].filter(id => !known.has(id) && !gone.has(id))
    if (missing.length === 0) return ok(known)
    for (const [index, read] of (await Promise.all(missing.map(id => log.session(id)))).entries()) {
      const id = missing[index] as SessionId
      if (read.ok) known.set(id, read.value)
      else if (read.fault.kind === 'not-found') gone.add(id)
      else return read
    }
  }
}

/** A stretch of a session: the session where it was said, and its last seq. */
type SaidIn = { readonly origin: SessionId; readonly to: number }

/** The stretches of a session, from its beginning to what was said in it alone. */
function stretchesOf(session: Related, known: ReadonlyMap<SessionId, Related>): readonly SaidIn[] {
  const stretches: SaidIn[] = [{ origin: session.id, to: Number.POSITIVE_INFINITY }]
  let to = Number.POSITIVE_INFINITY
  for (let { parent } = session; parent !== undefined; ) {
    to = Math.min(to, parent.at)
    const next = known.get(parent.session)
    // Of a chat that was deleted no more is known than its tree: it counts as the first of that, so that nothing is quoted twice.
    stretches.unshift({ origin: next?.id ?? session.family, to })
    parent = next?.parent
  }
  return stretches
}

/**
 * For each session the last seq of what it shares with one before it; the first is the one that asks. A fork has its parent's
 * events up to where it left, under the same seqs, so what is shared is always a beginning.
 */
export function sharedWithEarlier(
  [asking, ...others]: readonly Related[],
  known: ReadonlyMap<SessionId, Related>,
): ReadonlyMap<SessionId, number> {
  const covered = new Map<SessionId, number>()
  const shared = new Map<SessionId, number>()
  const all = others.map(session => ({ session, stretches: stretchesOf(session, known) }))
  // A chat before its forks.
  const ordered = all.toSorted((a, b) => a.stretches.length - b.stretches.length)
  const first = asking === undefined ? [] : [{ session: asking, stretches: stretchesOf(asking, known) }]
  for (const { session, stretches } of [...first, ...ordered]) {
    let after = 0
    for (const { origin, to } of stretches) {
      const until = covered.get(origin) ?? 0
      after = Math.max(after, Math.min(until, to))
      if (until < to) break
    }
    // Behind what it shares a fork has what it took over from turns that were running there.
    if (session.parent !== undefined && after === session.parent.at) after += session.parent.kept ?? 0
    shared.set(session.id, after)
    for (const { origin, to } of stretches) covered.set(origin, Math.max(covered.get(origin) ?? 0, to))
  }
  return shared
}
