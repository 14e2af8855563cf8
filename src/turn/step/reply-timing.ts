/** Times one reply: how long it took to begin, to think and to end. */
import type { Took } from '../../model/event.ts'
import type { HeardDelta } from '../../model/message/delta.ts'

/** A stopwatch on one reply; times are milliseconds of whichever clock is read. */
export type Watch = {
  readonly sent: number
  readonly first?: number
  /** How long it has thought so far, and since when it thinks. */
  readonly thought: number
  readonly thinks?: number
}

export const startWatch = (now: number): Watch => ({ sent: now, thought: 0 })

/** Something more was said, thought or asked for. */
export function heardAt(watch: Watch, kind: HeardDelta['kind'], now: number): Watch {
  const { thinks, ...rest } = watch
  const first = watch.first ?? now
  if (kind === 'think') return { ...rest, first, thinks: thinks ?? now }
  return { ...rest, first, thought: thoughtBy(watch, now) }
}

/** How long the reply took, now that it is over. Undefined if no time passed, as on a stopped clock. */
export function timingOf(watch: Watch, now: number): Took | undefined {
  const { sent, first } = watch
  const ms = since(sent, now)
  if (ms === 0) return undefined
  const thinkMs = Math.min(ms, thoughtBy(watch, now))
  return {
    ...(first === undefined ? {} : { firstMs: Math.min(ms, since(sent, first)) }),
    ...(thinkMs === 0 ? {} : { thinkMs }),
    ms,
  }
}

const thoughtBy = ({ thought, thinks }: Watch, now: number): number =>
  thinks === undefined ? thought : thought + since(thinks, now)

/** A clock may be set back meanwhile. So no time is negative, and no part is longer than the whole. */
const since = (then: number, now: number): number => Math.max(0, Math.round(now - then))
