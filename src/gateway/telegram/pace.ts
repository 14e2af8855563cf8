import { setTimeout as sleep } from 'node:timers/promises'

/** How fast this door moves; Telegram lets a bot say about one thing a second in a chat, and less in a group. */
export type Pace = {
  readonly chatMs: number
  readonly groupMs: number
  /** How often a chat is told that an answer is being thought of; it believes that for five seconds. */
  readonly typingMs: number
  /** How long one question for news waits for some. */
  readonly pollSeconds: number
  /** How long to wait where a question was answered at once by nothing. */
  readonly idleMs: number
  /** How long to wait after a failure, and after many. */
  readonly backoffMs: number
  readonly mostBackoffMs: number
}

export const PACE: Pace = {
  chatMs: 1000,
  groupMs: 3000,
  typingMs: 4500,
  pollSeconds: 30,
  idleMs: 250,
  backoffMs: 500,
  mostBackoffMs: 10_000,
}

/** After so many failures in a row: twice as long each time, and never exactly as long as everybody else. */
export const backoff = ({ backoffMs, mostBackoffMs }: Pace, failures: number): number =>
  Math.min(mostBackoffMs, backoffMs * 2 ** Math.min(failures - 1, 20)) * (0.75 + Math.random() / 2)

/** Over at once when the door is closed. */
export async function pause(ms: number, abort: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal: abort, ref: false }).catch(() => undefined)
}
