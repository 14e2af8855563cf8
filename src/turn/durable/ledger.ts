/** The ledger of a session: writes the facts of its running turns, and keeps them in memory while the store is away. */

import { weigh } from '../../context/text/tokens.ts'
import type { Feed } from '../../log/feed.ts'
import type { Clock, EventLog, KeptText, Standing, Weigh } from '../../log/ports.ts'
import { advance } from '../../log/standing.ts'
import type { Event, Fact } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { EventId, Mint, SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { BUG } from './bug-guard.ts'

/** Facts that may wait for a store that does not answer, and the size of their JSON. */
const MOST_FACTS = 1000
const MOST_CHARACTERS = 8 << 20
const RETRY_MS = 250

/**
 * A store that fails does not stop a turn: its facts wait here in order, and are written when the store is back. Each fact gets an
 * id once and keeps it over every try, so that one whose answer was lost is not written twice. A fact that waits has no seq: the
 * store gives it one. Where a request is built meanwhile, its place is counted from what the log is known to have.
 */
export type Ledger = {
  /** The fence of the lease under which everything here is written; undefined where the store has one user. */
  readonly fence: number | undefined
  readonly write: (
    facts: readonly Fact[],
    options?: {
      readonly texts?: readonly KeptText[]
      /** The feed does not say that the log has grown: the caller does that later. */
      readonly isQuiet?: boolean
    },
  ) => Promise<Result<readonly Event[], Fault>>
  /** What is not known to be in the log yet. */
  readonly unsaved: () => readonly Unsaved[]
  /** Whether everything written here is in the log. */
  readonly isSaved: () => boolean
  /** The standing of the session after everything written here. */
  readonly standing: () => Standing
  /** Another writer has written to the session; facts that wait from now on come after that. */
  readonly seen: (standing: Standing) => void
  /** When everything written here is in the log, or the signal says to stop waiting. */
  readonly saved: (signal?: AbortSignal) => Promise<void>
  /** Stops waiting for the store: the process is about to end. */
  readonly giveUp: () => void
  /** Why nothing is written here any more. */
  readonly trouble: () => Fault | undefined
}

/** A fact that waits to be saved: the id it is written under, and the event it would be if it were written now. */
export type Unsaved = { readonly id: EventId; readonly event: Event }

type Batch = { readonly facts: readonly Fact[]; readonly ids: readonly EventId[]; readonly texts: readonly KeptText[] }
type Waiting = Batch & { readonly weights: readonly ReturnType<Weigh>[]; readonly at: string }

export function openLedger({
  log,
  feed,
  session,
  standing: start,
  mint,
  clock,
  onBug,
  fence,
}: {
  readonly log: EventLog
  readonly feed: Feed
  readonly session: SessionId
  readonly standing: Standing
  readonly mint: Mint
  readonly clock: Clock
  readonly onBug: (cause: unknown) => void
  readonly fence?: number | undefined
}): Ledger {
  /** On their way to the log, side by side. */
  const underway = new Set<Promise<unknown>>()
  let isTroubled = false
  /** What the log is known to have. */
  let saved = start
  let queue: Waiting[] = []
  let flushing: Promise<void> | undefined
  let gone: Fault | undefined

  /** The waiting facts behind what the log has, and the standing after them. */
  const placed = (): { readonly events: readonly Unsaved[]; readonly standing: Standing } => {
    let standing = saved
    const events = queue.flatMap(({ facts, ids, weights, at }) =>
      facts.map((fact, index): Unsaved => {
        const weight = weights[index] ?? weigh(fact)
        standing = advance(standing, fact, weight)
        return { id: ids[index] as EventId, event: { ...fact, session, seq: standing.head, at, tokens: weight.tokens } }
      }),
    )
    return { events, standing }
  }

  const append = async ({ facts, ...options }: Batch, isQuiet: boolean): Promise<Result<readonly Event[], Fault>> => {
    const appended = await log.append(session, facts, { ...options, fence })
    if (!appended.ok) return appended
    // Answers to writes that went side by side may come in any order.
    if (appended.value.standing.head > saved.head) saved = appended.value.standing
    if (!isQuiet) feed.head(session, appended.value.standing.head)
    // Only facts were handed in, so only events come back.
    return ok(appended.value.events as readonly Event[])
  }

  const flush = async (): Promise<void> => {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      const { facts, ids, texts } = first
      // An earlier try may have landed although its answer was lost; the store knows that by the ids.
      const landed = await log.append(session, facts, { ids, texts, fence })
      if (landed.ok) {
        queue = queue.slice(1)
        if (landed.value.standing.head > saved.head) saved = landed.value.standing
        feed.head(session, landed.value.standing.head)
      } else if (landed.fault.kind === 'store' && gone === undefined) await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      else {
        gone ??= landed.fault
        queue = []
      }
    }
    // Another writer may have come in between. The log knows.
    const now = await log.standing(session)
    if (now.ok && queue.length === 0) saved = now.value
    isTroubled = queue.length > 0
    flushing = isTroubled ? flushed() : undefined
    if (gone === undefined && !isTroubled)
      feed.notice(session, { kind: 'saved', message: 'What was said while the store was away is saved now.' })
  }

  /** A store that throws has a bug: the waiting facts cannot be written after it, so no one may wait for them. */
  const flushed = (): Promise<void> =>
    flush().catch((cause: unknown) => {
      onBug(cause)
      gone ??= BUG
      queue = []
      flushing = undefined
    })

  const write: Ledger['write'] = async (facts, { texts = [], isQuiet = false } = {}) => {
    if (gone !== undefined) return err(gone)
    const batch = { facts, ids: facts.map(() => mint('evt')), texts }
    if (!isTroubled) {
      const attempt = append(batch, isQuiet)
      underway.add(attempt)
      const written = await attempt.finally(() => underway.delete(attempt))
      if (written.ok || written.fault.kind !== 'store') return written
      if (!isTroubled)
        feed.notice(session, { kind: 'unsaved', message: `Not saved yet: ${written.fault.message}. The reply goes on.` })
      isTroubled = true
    }
    // What is still on its way may land, and then has its seqs before these.
    await Promise.allSettled(underway)
    if (gone !== undefined) return err(gone)
    const size = JSON.stringify([queue.map(({ facts: waiting }) => waiting), facts]).length
    if (queue.length >= MOST_FACTS || size > MOST_CHARACTERS) return err(fault('store', 'too much waits to be saved'))
    isTroubled = true
    queue = [...queue, { ...batch, weights: facts.map(weigh), at: new Date(clock()).toISOString() }]
    const { events } = placed()
    flushing ??= flushed()
    return ok(events.slice(events.length - facts.length).map(({ event }) => event))
  }

  return {
    fence,
    write,
    standing: () => placed().standing,
    seen: other => {
      if (queue.length === 0 && other.head > saved.head) saved = other
    },
    unsaved: () => placed().events,
    isSaved: () => queue.length === 0 && gone === undefined,
    trouble: () => gone,
    giveUp: () => {
      gone ??= fault('store', 'the gateway stopped before this could be saved')
    },
    saved: async signal => {
      if (flushing === undefined) return
      const stopped =
        signal === undefined ? [] : [new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))]
      await Promise.race([flushing, ...stopped])
    },
  }
}
