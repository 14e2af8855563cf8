/** Follows a session from a cursor on: its events from the log, and what is said live from the feed. */

import type { Recorded } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'
import type { HeardDelta, Notice } from '../model/message/delta.ts'
import type { Feed, FeedMessage } from './feed.ts'
import type { EventLog } from './ports.ts'

/** What a follower receives; events come exactly once and in order, deltas between the events where they were said. */
export type Signal =
  | { readonly type: 'event'; readonly event: Recorded }
  | { readonly type: 'delta'; readonly delta: HeardDelta }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** The cursor was beyond the end; everything follows from the beginning. */
  | { readonly type: 'reset' }
  /** The last signal there is: the follower was too slow, or the log cannot be read. */
  | { readonly type: 'fault'; readonly fault: Fault }

/** How many characters of deltas may wait for a slow follower before it is cut off; it may reconnect with its cursor. */
const MOST_WAITING = 1 << 20
/** What is read at once: so many events, and fewer where they are long, since unpacking them blocks everything else. */
const PAGE = { limit: 500, size: 1 << 20 }

/** Reads after a cursor, then keeps listening until `abort`. Listening begins with the call, so nothing in between is lost. */
export function follow(log: EventLog, feed: Feed, session: SessionId, after: number, abort: AbortSignal): AsyncIterable<Signal> {
  const messages: FeedMessage[] = []
  let waiting = 0
  let tooSlow = false
  let wake: () => void = () => {}
  const add = (next: FeedMessage): void => {
    const previous = messages.at(-1)
    if (next.type === 'head' && previous?.type === 'head') messages[messages.length - 1] = next
    else {
      messages.push(next)
      waiting += next.type === 'delta' ? next.delta.text.length : 16
    }
    tooSlow ||= waiting > MOST_WAITING
    wake()
  }
  const listening = feed.listen(session, next => {
    if (!tooSlow) add(next)
  })
  const stop = (): void => {
    listening.stop()
    wake()
  }
  abort.addEventListener('abort', stop, { once: true })
  if (abort.aborted) stop()
  return signals()

  async function* signals(): AsyncGenerator<Signal> {
    const heard = createHeardWords()
    try {
      const standing = await log.standing(session)
      if (!standing.ok) return yield { type: 'fault', fault: standing.fault }
      let cursor = after
      if (cursor > standing.value.head) {
        cursor = 0
        yield { type: 'reset' }
      }
      // Nothing is under way here, so the log's own end is where listening begins.
      if (messages[0]?.type !== 'head') messages.unshift({ type: 'head', head: standing.value.head })
      while (!abort.aborted) {
        if (tooSlow) return yield { type: 'fault', fault: fault('overloaded', 'this reader is too slow; reconnect to go on') }
        const next = messages.shift()
        if (next === undefined) {
          await new Promise<void>(resolve => {
            wake = resolve
            if (messages.length > 0 || abort.aborted || tooSlow) resolve()
          })
          continue
        }
        waiting -= next.type === 'delta' ? next.delta.text.length : 16
        if (next.type !== 'head') {
          if (next.type === 'delta') heard.hear(next.delta)
          yield next
          continue
        }
        while (cursor < next.head && !abort.aborted) {
          const page = await log.read(session, { after: cursor, through: next.head, ...PAGE })
          if (!page.ok) return yield { type: 'fault', fault: page.fault }
          if (page.value.length === 0) break
          for (const event of page.value) {
            cursor = event.seq
            for (const delta of heard.unheardOf(event)) yield { type: 'delta', delta }
            yield { type: 'event', event }
          }
        }
      }
    } finally {
      listening.stop()
      abort.removeEventListener('abort', stop)
    }
  }
}

/**
 * How much of each running reply a follower has heard. A reply that runs on another node is heard up to its last checkpoint only;
 * the rest is said before its event, so that a follower who heard its beginning hears all of it.
 */
function createHeardWords(): {
  readonly hear: (delta: HeardDelta) => void
  /** What an event says that was not heard of the reply which it ends. */
  readonly unheardOf: (event: Recorded) => readonly HeardDelta[]
} {
  const replies = new Map<string, Map<number, number>>()
  const keyOf = ({ turn, step }: Pick<HeardDelta, 'turn' | 'step'>): string => `${turn} ${step}`
  return {
    hear: delta => {
      const key = keyOf(delta)
      const lengths = replies.get(key) ?? new Map<number, number>()
      replies.set(key, lengths.set(delta.part, delta.offset + delta.text.length))
    },
    unheardOf: event => {
      // Asked once more: the reply begins anew.
      if (event.type === 'context.planned') replies.delete(keyOf(event))
      if (event.type !== 'reply.finished' && event.type !== 'reply.broken') return []
      const lengths = replies.get(keyOf(event))
      replies.delete(keyOf(event))
      if (lengths === undefined) return []
      return event.parts.flatMap((said, part) => {
        const offset = lengths.get(part) ?? 0
        if (said.type === 'call' || said.text.length <= offset) return []
        return [{ turn: event.turn, step: event.step, kind: said.type, part, offset, text: said.text.slice(offset) }]
      })
    },
  }
}
