/** What a round of a council would cost, before it is asked. */
import type { VoiceId } from './voice.ts'

/** What one voice's request would take: tokens in, the most of its reply, and what both cost. */
export type VoiceQuote = {
  readonly voice: VoiceId
  readonly model: string
  readonly input: number
  /** Of the input, as much as the provider's cache should know from the last request. */
  readonly cached: number
  readonly output: number
  /** With what is cached, and no reply; null where the model has no price. */
  readonly leastUsd: number | null
  /** Nothing cached, and the longest reply. */
  readonly mostUsd: number | null
}

/** What a message would take before it is said: for every voice, and in total. */
export type Quote = {
  readonly voices: readonly VoiceQuote[]
  readonly total: Omit<VoiceQuote, 'voice' | 'model'>
  /** The longest reply of each voice, in tokens, where the limits in dollars allow no longer ones; else null. */
  readonly replyLimit: number | null
  /** Why it would not be sent, if a limit forbids it. */
  readonly refused: string | null
}
