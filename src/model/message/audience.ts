/** Who hears a message. */
import type { Recorded } from '../event.ts'
import type { VoiceId } from '../voice.ts'

/** Who hears a message: the named voices, or all if undefined. */
export type Audience = readonly VoiceId[] | undefined

export const isSameAudience = (one: Audience, other: Audience): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && one.length === other.length && one.every(voice => other.includes(voice)))

/** Who hears the message at a seq, as far as it was read. */
export function audienceOf(events: readonly Recorded[], seq: number): Audience {
  const message = events.find(event => event.seq === seq)
  return message?.type === 'message.received' ? message.to : undefined
}

/** Messages to a voice that came after its turn's cause and have another audience. The turn does not hear them. */
export function missedBy(events: readonly Recorded[], cause: number, voice: VoiceId): readonly number[] {
  const audience = audienceOf(events, cause)
  return events.flatMap(event => {
    if (event.type !== 'message.received' || event.seq <= cause || isSameAudience(event.to, audience)) return []
    return event.to === undefined || event.to.includes(voice) ? [event.seq] : []
  })
}
