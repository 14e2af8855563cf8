// Turns frames of the event stream into signals.
import type { Recorded } from '../../../src/model/event.ts'
import type { HeardDelta, Notice } from '../../../src/model/message/delta.ts'
import type { StreamFrame } from './frames.ts'

/** What a follower hears, as the page understands it. */
export type PageSignal =
  | { readonly type: 'event'; readonly event: Recorded }
  /** An event of a kind this page does not know; it still moves the cursor. */
  | { readonly type: 'unknown'; readonly seq: number }
  /** `heard`: when it arrived, in milliseconds since 1970, if the time was recorded. */
  | { readonly type: 'delta'; readonly delta: HeardDelta; readonly heard?: number }
  | { readonly type: 'notice'; readonly notice: Notice; readonly heard?: number }
  /** The cursor was beyond the end: everything follows again from the beginning. */
  | { readonly type: 'reset' }

const KNOWN: Record<Recorded['type'], true> = {
  'message.received': true,
  'turn.started': true,
  'context.planned': true,
  'reply.finished': true,
  'reply.broken': true,
  'tool.started': true,
  'tool.settled': true,
  'approval.asked': true,
  'approval.answered': true,
  'turn.ended': true,
  'message.marked': true,
  'history.folded': true,
  'session.changed': true,
  damaged: true,
}

/** A frame becomes a signal here, once; null is a frame that says nothing to the page. */
export function parseSignal(frame: StreamFrame, now?: number): PageSignal | null {
  if (frame.event === 'reset') return { type: 'reset' }
  const data = parseObject(frame.data)
  if (data === null) return null
  const heard = now === undefined ? {} : { heard: now }
  if (frame.event === 'delta') return { type: 'delta', delta: { part: 0, ...data } as unknown as HeardDelta, ...heard }
  if (frame.event === 'notice') return { type: 'notice', notice: data as unknown as Notice, ...heard }
  const seq = Number(data.seq ?? frame.id)
  if (!Number.isSafeInteger(seq) || seq < 1) return null
  if (!Object.hasOwn(KNOWN, frame.event)) return { type: 'unknown', seq }
  return { type: 'event', event: { ...data, seq, type: frame.event } as unknown as Recorded }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
