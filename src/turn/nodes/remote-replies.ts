/** Turns the checkpoints of replies that run on other nodes into deltas for the readers of this one. */
import type { Feed } from '../../log/feed.ts'
import type { Checkpoint } from '../../log/ports.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'

export type RemoteReplies = {
  /** A session as it was in one moment: how far it had come, and what its running replies had said. */
  readonly seen: (session: SessionId, head: number, checkpoints: readonly Checkpoint[]) => void
  /** This node runs the session now, or no reader is left. */
  readonly forget: (session: SessionId) => void
  readonly sessions: () => readonly SessionId[]
}

type Shown = { readonly step: number; readonly texts: Map<number, string> }

export function createRemoteReplies(feed: Feed): RemoteReplies {
  const shown = new Map<SessionId, Map<TurnId, Shown>>()

  const forget = (session: SessionId): void => {
    for (const turn of shown.get(session)?.keys() ?? []) feed.settled(session, turn)
    shown.delete(session)
  }

  const show = (session: SessionId, head: number, { turn, step, parts }: Checkpoint): void => {
    const replies = shown.get(session) ?? new Map<TurnId, Shown>()
    shown.set(session, replies)
    const before = replies.get(turn)
    if (before !== undefined && before.step > step) return
    const known = before?.step === step ? before : { step, texts: new Map<number, string>() }
    if (known !== before) {
      if (before !== undefined) feed.settled(session, turn)
      feed.began(session, turn, head)
      replies.set(turn, known)
    }
    for (const [part, said] of parts.entries()) {
      // The arguments of a call come whole, with the event of its reply.
      if (said.type === 'call') continue
      const { type: kind, text } = said
      const offset = known.texts.get(part)?.length ?? 0
      if (text.length <= offset) continue
      known.texts.set(part, text)
      feed.delta(session, { turn, step, kind, part, offset, text: text.slice(offset) })
    }
  }

  return {
    forget,
    sessions: () => [...shown.keys()],
    seen: (session, head, checkpoints) => {
      // Readers read the log that far before they are shown what follows it.
      feed.head(session, head)
      const running = new Set(checkpoints.map(({ turn }) => turn))
      for (const turn of shown.get(session)?.keys() ?? []) {
        if (running.has(turn)) continue
        feed.settled(session, turn)
        shown.get(session)?.delete(turn)
      }
      for (const checkpoint of checkpoints) if (checkpoint.isUnheard !== true) show(session, head, checkpoint)
      if (shown.get(session)?.size === 0) shown.delete(session)
    },
  }
}
