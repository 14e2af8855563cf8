/** How rows of sessions and events are written, many with one statement. */

import type { Event, Fact, Recorded } from '../../../model/event.ts'
import type { EventId, SessionId } from '../../../model/ids.ts'
import type { Session } from '../../../model/session.ts'
import { isSource } from '../../memory-rules.ts'
import type { Standing } from '../../ports.ts'
import type { Query } from '../database.ts'
import { encodeName, encodeText } from '../encode-name.ts'
import type { IndexState, StoredSession } from '../rows.ts'
import type { Write } from '../write-together.ts'
import { columnsOf, type FactRows } from './index-facts.ts'

/** An event on its way into the table. */
export type NewEvent = {
  readonly session: SessionId
  readonly seq: number
  readonly at: string
  readonly fact: Fact
  /** Its body, where that is made already. */
  readonly body?: string
  readonly id?: EventId
  readonly tokens: number
  readonly totalTokens: number
  readonly totalMessages: number
  readonly begins: number
}

/** A fact as it is kept, without its type, which has a column. */
export function bodyOf({ type: _, ...body }: Fact): string {
  assertData(body)
  return JSON.stringify(body)
}

/** JSON leaves out functions and symbols without a word: a fact that has one is a bug of its writer. */
function assertData(value: unknown): void {
  if (typeof value === 'function' || typeof value === 'symbol') throw new Error(`a fact cannot have a ${typeof value}`)
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) assertData(each)
}

export function eventWrites(events: readonly NewEvent[]): readonly Write[] {
  if (events.length === 0) return []
  const columns = events.map(({ fact }) => columnsOf(fact))
  const text = `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins, event_id, voice, resumes, step, is_odd)
     select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
       $9::bigint[], $10::smallint[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::boolean[])`
  const values = [
    events.map(({ session }) => session),
    events.map(({ seq }) => seq),
    events.map(({ at }) => at),
    events.map(({ fact }) => fact.type),
    events.map(({ fact }) => ('turn' in fact ? encodeName(fact.turn) : null)),
    events.map(({ fact, body }) => body ?? bodyOf(fact)),
    events.map(({ tokens }) => tokens),
    events.map(({ totalTokens }) => totalTokens),
    events.map(({ totalMessages }) => totalMessages),
    events.map(({ begins }) => begins),
    events.map(({ id }) => (id === undefined ? null : encodeName(id))),
    columns.map(({ voice }) => voice),
    columns.map(({ resumes }) => resumes),
    columns.map(({ step }) => step),
    columns.map(({ isOdd }) => isOdd),
  ]
  return [{ text, values }]
}

/** Keys come from outside; as JSON, and the long ones short, every one can be kept. */
export const keptKey = (key: string): string => encodeName(JSON.stringify(key))

/** A key, and the events that were appended under it. */
export type NewKey = { readonly session: SessionId; readonly key: string; readonly first: number; readonly last: number }

export function keyWrites(keys: readonly NewKey[]): readonly Write[] {
  if (keys.length === 0) return []
  const text =
    'insert into keys (session, key, first, last) select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])'
  const values = [
    keys.map(({ session }) => session),
    keys.map(({ key }) => keptKey(key)),
    keys.map(({ first }) => first),
    keys.map(({ last }) => last),
  ]
  return [{ text, values }]
}

/** Rows that follow from the facts of some sessions. */
export function factRowWrites(
  written: readonly { readonly session: SessionId; readonly rows: Omit<FactRows, 'state'> }[],
): readonly Write[] {
  const of = <Name extends 'numbers' | 'late' | 'counts'>(name: Name) =>
    written.flatMap(({ session, rows }) => rows[name].map(row => ({ session, ...(row as FactRows[Name][number]) })))
  const [numbers, late, counts] = [of('numbers'), of('late'), of('counts')]
  const writes: Write[] = []
  if (numbers.length > 0)
    writes.push({
      text: 'insert into message_numbers (session, speaker, seq, number) select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])',
      values: [
        numbers.map(({ session }) => session),
        numbers.map(({ speaker }) => speaker),
        numbers.map(({ seq }) => seq),
        numbers.map(({ number }) => number),
      ],
    })
  if (late.length > 0)
    writes.push({
      text: 'insert into late_turns (session, seq, turn) select * from unnest($1::text[], $2::bigint[], $3::text[])',
      values: [late.map(({ session }) => session), late.map(({ seq }) => seq), late.map(({ turn }) => turn)],
    })
  if (counts.length > 0)
    writes.push({
      text: `insert into voice_counts (session, voice, seq, turns, answers)
       select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])`,
      values: [
        counts.map(({ session }) => session),
        counts.map(({ voice }) => voice),
        counts.map(({ seq }) => seq),
        counts.map(({ turns }) => turns),
        counts.map(({ answers }) => answers),
      ],
    })
  return writes
}

/** Only searched: the session's own body has the title letter for letter. */
const plainTitle = (title: string | null): string | null => (title === null ? null : encodeText(title))

export type SavedSession = {
  readonly session: Session
  readonly standing: Standing
  readonly index: IndexState
  readonly fence: number
  readonly row?: StoredSession
}

/** How sessions that are there are saved. */
export function sessionWrites(sessions: readonly SavedSession[]): readonly Write[] {
  if (sessions.length === 0) return []
  const text = `update sessions set updated_at = now.updated_at, title = now.title, project = now.project, archived = now.archived,
       is_source = now.is_source, body = now.body, head = now.head, messages = now.messages, tokens = now.tokens, due = now.due,
       voices = now.voices, turns = now.turns, speakers = now.speakers, fence = now.fence
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::boolean[], $7::text[], $8::bigint[],
       $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[])
       as now (id, updated_at, title, project, archived, is_source, body, head, messages, tokens, due, voices, turns, speakers, fence)
     where sessions.id = now.id and sessions.id = any($1::text[])`
  const values = [
    sessions.map(({ session }) => session.id),
    sessions.map(({ session }) => session.updatedAt),
    sessions.map(({ session }) => plainTitle(session.title)),
    sessions.map(({ session }) => (session.project === null ? null : encodeName(session.project))),
    sessions.map(({ session }) => session.archived),
    sessions.map(({ session }) => isSource(session)),
    sessions.map(({ session }) => JSON.stringify(session)),
    ...(['head', 'messages', 'tokens'] as const).map(name => sessions.map(({ standing }) => standing[name])),
    sessions.map(({ standing }) => JSON.stringify(standing.due)),
    sessions.map(({ standing }) => JSON.stringify(standing.voices)),
    sessions.map(({ index }) => JSON.stringify(index.turns)),
    sessions.map(({ index }) => JSON.stringify(index.speakers)),
    sessions.map(({ fence }) => fence),
  ]
  return [{ text, values }]
}

/** Writes the row of a new session, found or, as part of an import, not yet. False if there is one of that id in this moment. */
export async function insertSession(
  query: Query,
  { session, standing, index }: Omit<SavedSession, 'fence' | 'row'>,
  importNumber: number | null = null,
): Promise<boolean> {
  const { id, updatedAt, project, title, parent, family, archived } = session
  const { head, messages, tokens, due, voices } = standing
  const inserted = await query(
    `insert into sessions (id, updated_at, project, title, parent, family, archived, is_source, body, head, messages, tokens, due,
       voices, turns, speakers, import)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     on conflict do nothing returning 1`,
    [
      ...[id, updatedAt, project === null ? null : encodeName(project), plainTitle(title)],
      ...[parent?.session ?? null, family, archived, isSource(session), JSON.stringify(session), head, messages, tokens],
      ...[JSON.stringify(due), JSON.stringify(voices), JSON.stringify(index.turns), JSON.stringify(index.speakers), importNumber],
    ],
  )
  return inserted.length > 0
}

/** Checkpoints of replies and turns that are over now are not needed any more. */
export function checkpointWrites(events: readonly Recorded[]): readonly Write[] {
  const over = events.filter(
    (event): event is Extract<Event, { type: 'turn.ended' }> =>
      event.type === 'reply.finished' || event.type === 'reply.broken' || event.type === 'turn.ended',
  )
  if (over.length === 0) return []
  const text = `delete from checkpoints
    where session = any($1::text[]) and (session, turn) in (select * from unnest($1::text[], $2::text[]))`
  return [{ text, values: [over.map(({ session }) => session), over.map(({ turn }) => encodeName(turn))] }]
}
