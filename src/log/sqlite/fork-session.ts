/** Forks a session inside a SQLite file, piece by piece, so that other writers wait for no more than one piece. */

import type { Event, Fact, Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { Clock, ReadRange, SessionStore, Standing, Weigh } from '../ports.ts'
import { advance, beyondEnd, dueIn, EMPTY_STANDING, inOrder } from '../standing.ts'
import type { AskThread, AskWriter } from './messages.ts'

/** Takes about ten milliseconds, during which other writers wait. */
const MOST_COPIED_AT_ONCE = 1000

type Needs = {
  readonly read: AskThread
  readonly write: AskWriter
  /** All events of a range, however many pieces they come in. */
  readonly events: (id: SessionId, range: ReadRange) => Promise<Result<readonly Recorded[], Fault>>
  readonly clock: Clock
  readonly weigh: Weigh
}

export function forkInto({ read, write, events, clock, weigh }: Needs): SessionStore['fork'] {
  /** Copies what a fork begins with, and gives its standing then. */
  const copyStart = async (from: SessionId, at: number, to: SessionId): Promise<Result<Standing, Fault>> => {
    const source = await read('standing', from)
    if (!source.ok) return source
    if (at > source.value.head) return err(beyondEnd(at, source.value.head))
    let standing: Standing = EMPTY_STANDING
    while (standing.head < at) {
      const after = standing.head
      const through = Math.min(at, after + MOST_COPIED_AT_ONCE)
      const [written, next] = await Promise.all([
        write('copy', { from, to, after, through }),
        read('standingAt', from, standing, through),
      ])
      if (!written.ok) return written
      if (!next.ok) return next
      standing = next.value
    }
    return ok(standing)
  }

  return async (from, at, session, close, keep) => {
    /** Finds the turns that are open where the fork begins: the events it keeps, and the facts that end turns still open after those. */
    const openTurns = async (): Promise<
      Result<{ readonly kept: readonly Event[]; readonly endings: readonly Fact[] }, Fault>
    > => {
      const open = await read('openAt', from, at)
      if (!open.ok) return open
      const kept: (readonly Event[])[] = []
      const endings: Fact[] = []
      for (const each of open.value) {
        const turn = { ...each, session: session.id }
        const own = await events(from, { turn: each.turn, ...(keep === undefined ? { through: at } : {}) })
        if (!own.ok) return own
        const later = keep?.(turn, own.value) ?? []
        kept.push(later)
        if (later.some(({ type }) => type === 'turn.ended')) continue
        endings.push(...close(turn, [...own.value.filter(({ seq }) => seq <= at), ...later]))
      }
      return ok({ kept: inOrder(kept), endings })
    }
    const publish = async (): Promise<Result<Session, Fault>> => {
      const start = await copyStart(from, at, session.id)
      if (!start.ok) return start
      const open = await openTurns()
      if (!open.ok) return open
      const { kept, endings } = open.value
      const seqs = kept.map(({ seq }) => seq)
      const before = { ...start.value, due: dueIn(session, start.value.due) }
      const taken = kept.length === 0 ? ok(null) : await write('keep', { from, to: session.id, seqs, before })
      if (!taken.ok) return taken
      const standing = kept.reduce(
        (now, event) => advance(now, event, { tokens: event.tokens, messages: weigh(event).messages }),
        before,
      )
      const entries = endings.map(fact => ({ fact, ...weigh(fact) }))
      const now = new Date(clock()).toISOString()
      return write('fork', { from, session, standing, shared: at, kept: seqs, entries, at: now })
    }
    const result = await publish()
    if (!result.ok) await write('abandon', session.id)
    return result
  }
}
