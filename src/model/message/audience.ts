/** Who hears a message. */
import type { Recorded } from '../event.ts'
import type { VoiceId } from '../voice.ts'

/** Who hears a message: those who are named, or everybody. */
export type Audience = readonly VoiceId[] | undefined

export const isSameAudience = (one: Audience, other: Audience): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && one.length === other.length && one.every(voice => other.includes(voice)))

/** Who hears the message at a seq, as far as it was read. */
export function audienceOf(events: readonly Recorded[], seq: number): Audience {
  const message = events.find(event => event.seq === seq)
  return message?.type === 'message.received' ? message.to : undefined
}

/** What was said to a voice after the message that caused its turn, and to other ears than that: its turn does not hear it. */
export function missedBy(events: readonly Recorded[], cause: number, voice: VoiceId): readonly number[] {
  const audience = audienceOf(events, cause)
  return events.flatMap(event => {
    if (event.type !== 'message.received' || event.seq <= cause || isSameAudience(event.to, audience)) return []
    return event.to === undefined || event.to.includes(voice) ? [event.seq] : []
  })
}
