/** Tells which events begin a message, so that every part of the engine counts messages alike. */
import type { Fact, Recorded } from '../../model/event.ts'

/** Whether a message, as a person counts them, begins with this event: something received, or a turn's first words. */
export function beginsMessage(event: Fact | Recorded): boolean {
  if (event.type === 'message.received') return true
  if (event.type === 'damaged') return event.messages > 0
  if (event.type !== 'reply.finished' && event.type !== 'reply.broken') return false
  return event.step === 1 && event.parts.length > 0 && event.internal !== true
}
