// Finds the identifiers that a step used and that had been seen before: without them in sight it could not have been made.
import { identifiersIn, stringsIn } from '../../src/context/receipt/identifiers.ts'
import type { Event } from '../../src/model/event.ts'
import type { Conversation } from '../conversations.ts'

export { identifiersIn }

/** For each reply, the identifiers it used that were in the conversation before it. What the house text says is always in sight. */
export function identifiersUsed({ events, system, tools }: Conversation): ReadonlyMap<Event, readonly string[]> {
  const texts = events.flatMap(event => textsOf(event).map(text => ({ seq: event.seq, text })))
  const house = `${system}\n${JSON.stringify(tools)}`
  const firsts = new Map<string, number>()
  const firstSeq = (id: string): number => {
    const known = firsts.get(id)
    if (known !== undefined) return known
    const first = house.includes(id) ? Number.POSITIVE_INFINITY : (texts.find(({ text }) => text.includes(id))?.seq ?? 0)
    firsts.set(id, first)
    return first
  }
  const used = new Map<Event, readonly string[]>()
  for (const event of events) {
    if (event.type !== 'reply.finished') continue
    const ids = new Set(textsOf(event).flatMap(identifiersIn))
    used.set(
      event,
      [...ids].filter(id => firstSeq(id) < event.seq),
    )
  }
  return used
}

/** Every text of an event, those inside the arguments of calls one by one. */
export function textsOf(event: Event): readonly string[] {
  if (event.type === 'message.received') return [event.text]
  if (event.type === 'tool.settled') return [event.outcome]
  if (event.type !== 'reply.finished') return []
  return event.parts.flatMap(part => (part.type === 'call' ? stringsIn(part.args) : part.type === 'text' ? [part.text] : []))
}
