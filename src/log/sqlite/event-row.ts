import { type Event, parseFact, type Recorded } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'

/** An event as its row has it. */
export type EventRow = { seq: number; at: string; type: string; body: string; tokens: number; begins: number }

/** The same as a list, in the order of `EVENT`: a list crosses from thread to thread in a third of the time. */
export type EventCells = readonly [seq: number, at: string, type: string, body: string, tokens: number, begins: number]

export const EVENT = 'seq, at, type, body, tokens, begins'

export const INSERT_EVENT = `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins, event_id)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** A row becomes an event; one that can no longer be read keeps its place. */
export function eventOf(session: SessionId, { seq, at, type, body, tokens, begins }: EventRow): Recorded {
  const fact = parseFact(type, body)
  if ('why' in fact) return { type: 'damaged', session, seq, at, tokens: 0, messages: begins, why: fact.why }
  return { ...fact, session, seq, at, tokens } as Event
}

export const eventOfCells = (session: SessionId, [seq, at, type, body, tokens, begins]: EventCells): Recorded =>
  eventOf(session, { seq, at, type, body, tokens, begins })
