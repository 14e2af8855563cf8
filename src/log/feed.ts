import type { SessionId, TurnId } from '../model/ids.ts'
import type { HeardDelta, Notice } from '../model/message/delta.ts'

/** What a listener is told: that the log has grown to `head`, a delta, or a notice. Never an event: those are read from the log. */
export type Stir =
  | { readonly type: 'head'; readonly head: number }
  | { readonly type: 'delta'; readonly delta: HeardDelta }
  | { readonly type: 'notice'; readonly notice: Notice }

export type Listener = (stir: Stir) => void

/** Tells listeners of a session that something stirred, in the order in which it did. */
export type Feed = {
  readonly head: (session: SessionId, head: number) => void
  /** A reply begins; the log has grown to `head`, and whoever joins now must have read that far before its first delta. */
  readonly began: (session: SessionId, turn: TurnId, head: number) => void
  readonly delta: (session: SessionId, delta: HeardDelta) => void
  readonly notice: (session: SessionId, notice: Notice) => void
  /** A reply is in the log now, or was given up; nobody who joins later needs its deltas. */
  readonly settled: (session: SessionId, turn: TurnId) => void
  /** Hears everything from now on; what is already under way comes first, so that nobody joins in the middle of a sentence. */
  readonly listen: (session: SessionId, listener: Listener) => { readonly stop: () => void }
}

type Room = { head: number; listeners: Set<Listener>; running: Map<TurnId, Map<number, HeardDelta>> }

export function createFeed(): Feed {
  const rooms = new Map<SessionId, Room>()
  const room = (session: SessionId): Room => {
    const known = rooms.get(session) ?? { head: 0, listeners: new Set(), running: new Map() }
    rooms.set(session, known)
    return known
  }
  const leaveIfEmpty = (session: SessionId): void => {
    const known = rooms.get(session)
    if (known?.listeners.size === 0 && known.running.size === 0) rooms.delete(session)
  }
  const tell = (session: SessionId, stir: Stir): void => {
    for (const listener of rooms.get(session)?.listeners ?? []) listener(stir)
  }

  return {
    head: (session, head) => {
      const known = rooms.get(session)
      if (known !== undefined) known.head = Math.max(known.head, head)
      tell(session, { type: 'head', head })
    },
    began: (session, turn, head) => {
      const known = room(session)
      known.head = Math.max(known.head, head)
      known.running.set(turn, new Map())
    },
    delta: (session, delta) => {
      const parts = rooms.get(session)?.running.get(delta.turn)
      const before = parts?.get(delta.part)
      parts?.set(delta.part, before === undefined ? delta : { ...before, text: before.text + delta.text })
      tell(session, { type: 'delta', delta })
    },
    notice: (session, notice) => tell(session, { type: 'notice', notice }),
    settled: (session, turn) => {
      rooms.get(session)?.running.delete(turn)
      leaveIfEmpty(session)
    },
    listen: (session, listener) => {
      const { head, listeners, running } = room(session)
      if (head > 0) listener({ type: 'head', head })
      for (const parts of running.values()) for (const delta of parts.values()) listener({ type: 'delta', delta })
      listeners.add(listener)
      return {
        stop: () => {
          listeners.delete(listener)
          leaveIfEmpty(session)
        },
      }
    },
  }
}
