/** The rows of a database, as every store with tables has them: how they become sessions and events. */

import { type Event, parseFact, type Recorded } from '../model/event.ts'
import type { SessionId } from '../model/ids.ts'
import { type Session, withTodaysNames } from '../model/session.ts'
import type { Standing } from './ports.ts'

export type SessionRow = Pick<Standing, 'head' | 'messages' | 'tokens'> &
  Pick<Session, 'id' | 'title' | 'project'> & {
    readonly updated_at: string
    readonly family: SessionId
    readonly body: string
    readonly due: string
    readonly voices: string
    readonly fence: number
  }

/** The columns of a session row. */
export const SESSION = 'id, title, project, family, updated_at, body, head, messages, tokens, due, voices, fence'

export const standingOf = ({ head, messages, tokens, due, voices }: SessionRow): Standing => ({
  head,
  messages,
  tokens,
  due: (parsedJson(due) ?? []) as Standing['due'],
  voices: (parsedJson(voices) ?? {}) as Standing['voices'],
})

/** A session whose own row is damaged keeps its name, its place and all that was said in it. */
export function sessionOfRow({ id, title, project, family, updated_at: at, body, messages }: SessionRow): Session {
  const session = parsedJson(body)
  // Sessions of an older form do not name their family.
  if (isSession(session)) return { ...withTodaysNames(session), family, messages }
  const rest = { preview: null, model: null, agent: null, council: null, policy: 'full', archived: false }
  return { ...rest, id, title, project, family, createdAt: at, updatedAt: at, messages }
}

function isSession(value: unknown): value is Session {
  const { id, policy, createdAt, updatedAt } = (value ?? {}) as Partial<Session>
  return [id, policy, createdAt, updatedAt].every(field => typeof field === 'string')
}

/** Undefined where a stored text is no longer JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The row of an event. */
export type EventRow = { seq: number; at: string; type: string; body: string; tokens: number; begins: number }

/** The same as a list, in the order of `EVENT`: a list crosses from thread to thread in a third of the time. */
export type EventCells = readonly [seq: number, at: string, type: string, body: string, tokens: number, begins: number]

export const EVENT = 'seq, at, type, body, tokens, begins'

/** A row becomes an event; one that can no longer be read keeps its place. */
export function eventOf(session: SessionId, { seq, at, type, body, tokens, begins }: EventRow): Recorded {
  const fact = parseFact(type, body)
  if ('why' in fact) return { type: 'damaged', session, seq, at, tokens: 0, messages: begins, why: fact.why }
  return { ...fact, session, seq, at, tokens } as Event
}

export const eventOfCells = (session: SessionId, [seq, at, type, body, tokens, begins]: EventCells): Recorded =>
  eventOf(session, { seq, at, type, body, tokens, begins })
