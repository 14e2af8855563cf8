/** How fast the Telegram channel moves: Telegram lets a bot send about one message a second to a chat, and fewer to a group. */
import type { Pace } from '../channel/adapter.ts'

export type TelegramPace = Omit<Pace, 'restMs'> & {
  readonly groupMs: number
  /** How long one question for updates waits for the first. */
  readonly pollSeconds: number
  /** How long to wait where a server answers at once though it has no updates. */
  readonly idleMs: number
}

export const PACE: TelegramPace = {
  chatMs: 1000,
  groupMs: 3000,
  // Telegram shows "typing" for five seconds.
  typingMs: 4500,
  pollSeconds: 30,
  idleMs: 250,
  backoffMs: 500,
  mostBackoffMs: 10_000,
}
