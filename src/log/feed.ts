/** The feed of each session: says when its log has grown, and passes on deltas and notices, in order. */

import type { SessionId, TurnId } from '../model/ids.ts'
import type { HeardDelta, Notice } from '../model/message/delta.ts'

/** That the log has grown to `head`, a delta, or a notice. Never an event: followers read those from the log. */
export type FeedMessage =
  | { readonly type: 'head'; readonly head: number }
  | { readonly type: 'delta'; readonly delta: HeardDelta }
  | { readonly type: 'notice'; readonly notice: Notice }

export type FeedListener = (message: FeedMessage) => void

export type Feed = {
  readonly head: (session: SessionId, head: number) => void
  /** A reply begins; the log has grown to `head`, and a listener that joins now must read that far before its first delta. */
  readonly began: (session: SessionId, turn: TurnId, head: number) => void
  readonly delta: (session: SessionId, delta: HeardDelta) => void
  readonly notice: (session: SessionId, notice: Notice) => void
  /** A reply is in the log now, or was given up; listeners that join later do not need its deltas. */
  readonly settled: (session: SessionId, turn: TurnId) => void
  /** Hears everything from now on. The text of running replies so far comes first, so that no listener begins in mid-sentence. */
  readonly listen: (session: SessionId, listener: FeedListener) => { readonly stop: () => void }
  /** The sessions that have a listener now. */
  readonly listened: () => readonly SessionId[]
  readonly isListened: (session: SessionId) => boolean
}

type SessionFeed = { head: number; listeners: Set<FeedListener>; running: Map<TurnId, Map<number, HeardDelta>> }

export function createFeed(): Feed {
  const sessions = new Map<SessionId, SessionFeed>()
  const feedOf = (session: SessionId): SessionFeed => {
    const known = sessions.get(session) ?? { head: 0, listeners: new Set(), running: new Map() }
    sessions.set(session, known)
    return known
  }
  const dropIfEmpty = (session: SessionId): void => {
    const known = sessions.get(session)
    if (known?.listeners.size === 0 && known.running.size === 0) sessions.delete(session)
  }
  const send = (session: SessionId, message: FeedMessage): void => {
    for (const listener of sessions.get(session)?.listeners ?? []) listener(message)
  }

  return {
    head: (session, head) => {
      const known = sessions.get(session)
      if (known !== undefined) known.head = Math.max(known.head, head)
      send(session, { type: 'head', head })
    },
    began: (session, turn, head) => {
      const known = feedOf(session)
      known.head = Math.max(known.head, head)
      known.running.set(turn, new Map())
    },
    delta: (session, delta) => {
      const parts = sessions.get(session)?.running.get(delta.turn)
      const before = parts?.get(delta.part)
      parts?.set(delta.part, before === undefined ? delta : { ...before, text: before.text + delta.text })
      send(session, { type: 'delta', delta })
    },
    notice: (session, notice) => send(session, { type: 'notice', notice }),
    settled: (session, turn) => {
      sessions.get(session)?.running.delete(turn)
      dropIfEmpty(session)
    },
    listened: () => [...sessions].flatMap(([session, { listeners }]) => (listeners.size > 0 ? [session] : [])),
    isListened: session => (sessions.get(session)?.listeners.size ?? 0) > 0,
    listen: (session, listener) => {
      const { head, listeners, running } = feedOf(session)
      if (head > 0) listener({ type: 'head', head })
      for (const parts of running.values()) for (const delta of parts.values()) listener({ type: 'delta', delta })
      listeners.add(listener)
      return {
        stop: () => {
          listeners.delete(listener)
          dropIfEmpty(session)
        },
      }
    },
  }
}
