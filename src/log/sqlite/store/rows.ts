/** The rows of the database: how statements are run, and how rows become sessions and events. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Event, parseFact, type Recorded } from '../../../model/event.ts'
import type { SessionId } from '../../../model/ids.ts'
import { type Session, withTodaysNames } from '../../../model/session.ts'
import type { Standing } from '../../ports.ts'

/** An open file; every statement is prepared once. */
export type Tables = {
  readonly sql: (text: string) => StatementSync
  readonly rows: <Row>(text: string, ...values: SQLInputValue[]) => Row[]
  readonly row: <Row>(text: string, ...values: SQLInputValue[]) => Row | undefined
  readonly run: (text: string, ...values: SQLInputValue[]) => void
  readonly sessionRow: (id: SessionId) => SessionRow | undefined
  /** Whether a session of this id can be found. */
  readonly isKnown: (id: SessionId) => boolean
  /** Messages and tokens up to and including a seq. */
  readonly totalsAt: (id: SessionId, seq: number) => Pick<Standing, 'messages' | 'tokens'>
}

export function tablesOf(db: DatabaseSync): Tables {
  const prepared = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const known = prepared.get(text) ?? db.prepare(text)
    prepared.set(text, known)
    return known
  }
  const row = <Row>(text: string, ...values: SQLInputValue[]): Row | undefined => sql(text).get(...values) as Row | undefined
  return {
    sql,
    rows: <Row>(text: string, ...values: SQLInputValue[]) => sql(text).all(...values) as Row[],
    row,
    run: (text, ...values) => void sql(text).run(...values),
    sessionRow: id => row<SessionRow>(`select ${SESSION} from findable where id = ?`, id),
    isKnown: id => row('select 1 from findable where id = ?', id) !== undefined,
    totalsAt: (id, seq) =>
      row<Pick<Standing, 'messages' | 'tokens'>>(
        'select total_messages as messages, total_tokens as tokens from events where session = ? and seq = ?',
        ...[id, seq],
      ) ?? { messages: 0, tokens: 0 },
  }
}

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
