/** Reads the part of a session that a context can use, inside the database's own thread and in one answer. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import { PAGE_CHARACTERS, takeCharacters } from '../../page-size.ts'
import type { PastQuery, Planned, RequestRange } from '../../ports.ts'
import { type CachedRange, type CellsPiece, NO_CELLS, type PastCells } from '../../read-cache.ts'
import { EVENT, type EventCells, type EventRow, eventOf } from '../../rows.ts'
import { ASIDE_TYPES, type EventTrace, isUsableRequest, pastFrame, type SessionIndex } from '../../session-index.ts'
import { type Differences, sqliteHearable } from './hearable.ts'
import type { Tables } from './rows.ts'

export type SqlitePast = {
  /** The past without the events that the caller has cached. */
  readonly past: (id: SessionId, query: PastQuery, held?: CachedRange) => Promise<Result<PastCells, Fault>>
  /** More of what a past was too long to give at once. */
  readonly cells: (id: SessionId, after: number, through: number) => Result<CellsPiece, Fault>
}

/** What was said, without the events that no context is made of. */
const SPOKEN = `select ${EVENT} from events where session = ? and seq > ? and seq <= ?
  and type not in (${ASIDE_TYPES.map(type => `'${type}'`).join(', ')}) order by seq`

/** How many requests are looked at for a voice's last one. */
const MOST_LOOKED_BACK = 200

export function sqlitePast(db: DatabaseSync, tables: Tables): SqlitePast {
  const { row, sessionRow, isKnown } = tables
  let spokenCells: StatementSync | undefined
  const differences: Differences = new Map()

  const rowOf = (id: SessionId, seq: number): number | undefined =>
    row<{ id: number }>('select id from events where session = ? and seq = ?', id, seq)?.id

  /** Events as cells, which the main thread turns into events. If there are too many, only the first ones. */
  const spoken = (id: SessionId, after: number, through: number): CellsPiece => {
    if (through <= after) return NO_CELLS
    spokenCells ??= db.prepare(SPOKEN)
    spokenCells.setReturnArrays(true)
    const found = spokenCells.iterate(id, after, through) as unknown as IterableIterator<EventCells>
    const { taken, isAll } = takeCharacters(PAGE_CHARACTERS, found, ([, , , body]) => body.length)
    return { cells: taken, rest: isAll ? null : { after: taken.at(-1)?.[0] ?? after, through } }
  }

  return {
    past: async (id, query, held) => {
      const found = sessionRow(id)
      if (found === undefined) return err(NO_SESSION)
      const frame = await pastFrame(indexOf(tables, id, found.head, differences), query)
      const { first, through } = frame
      const touches = held !== undefined && held.from <= through + 1 && held.to >= first - 1
      const isHeld = touches && rowOf(id, held.to) === held.row
      const older = isHeld ? spoken(id, first - 1, Math.min(held.from - 1, through)) : NO_CELLS
      const newer = spoken(id, isHeld ? held.to : first - 1, through)
      return ok({ ...frame, row: rowOf(id, through), isHeld, older, newer })
    },
    cells: (id, after, through) => (isKnown(id) ? ok(spoken(id, after, through)) : err(NO_SESSION)),
  }
}

/** Every question about a session's past is answered by an index of the database. */
function indexOf(tables: Tables, id: SessionId, head: number, differences: Differences): SessionIndex {
  const { row, rows, totalsAt } = tables
  const seqAt = (where: string, ...values: SQLInputValue[]): number | undefined =>
    row<{ seq: number }>(`select seq from events ${where} limit 1`, id, ...values)?.seq
  const events = (text: string, ...values: SQLInputValue[]): readonly Recorded[] =>
    rows<EventRow>(text, id, ...values).map(each => eventOf(id, each))
  return {
    head,
    ...sqliteHearable(tables, id, differences),
    totals: async seq => totalsAt(id, seq),
    // Indexes are named, because SQLite by itself chooses to walk the session.
    beginOf: async message =>
      seqAt('indexed by events_by_message where session = ? and total_messages = ? and begins = 1', message),
    beginAfterTokens: async tokens =>
      seqAt(
        'indexed by events_by_tokens where session = ? and total_tokens > ? and begins = 1 order by total_tokens, seq',
        tokens,
      ),
    lastRequest: async ({ voice, policy, before }) => {
      const words = JSON.stringify(policy)
      for (const planned of requestsIn(tables, id, MOST_LOOKED_BACK, { voice, before }, words))
        if (isUsableRequest(planned, voice, policy)) return planned
      return undefined
    },
    marks: async through =>
      events(`select ${EVENT} from events where session = ? and type = 'message.marked' and seq <= ? order by seq`, through),
    folds: async (through, since) =>
      events(
        `select ${EVENT} from events where session = ?1 and seq in (
           select seq from kept_folds where session = ?1 and seq <= ?2 and replaced is null
           union select seq from kept_folds where session = ?1 and seq <= ?2 and replaced > ?2
           union select seq from kept_folds where session = ?1 and seq <= ?2 and seq >= ?3)
         order by seq`,
        ...[through, since],
      ),
    range: async (after, through) => (through <= after ? [] : events(SPOKEN, after, through)),
    startsBefore: async (first, through) =>
      events(
        `select begun.seq, begun.at, begun.type, begun.body, begun.tokens, begun.begins
         from (select distinct turn from events indexed by events_by_seq
           where session = ?1 and seq >= ?2 and seq <= ?3 and turn is not null) as near
         cross join events as begun indexed by events_by_turn
           on begun.session = ?1 and begun.turn = near.turn and begun.seq < ?2
         where begun.type = 'turn.started'`,
        ...[first, through],
      ),
    backwards: async (through, most) =>
      rows<EventTrace>(
        `select seq, type, turn, tokens, begins,
           case when type = 'turn.started' and json_valid(body) then body ->> '$.voice' end as voice
         from events where session = ? and seq <= ? order by seq desc limit ?`,
        ...[id, through, most],
      ),
    ofTurn: async turn => events(`select ${EVENT} from events where session = ? and turn = ? order by seq`, turn),
    endOfTurns: async through =>
      row<{ seq: number | null }>(
        `select max(ours.seq) as seq
         from (select distinct turn from events indexed by events_by_seq
           where session = ?1 and seq <= ?2 and turn is not null) as begun
         cross join events as ours indexed by events_by_turn on ours.session = ?1 and ours.turn = begun.turn`,
        ...[id, through],
      )?.seq ?? 0,
    seqOf: async event => seqAt('where session = ? and event_id = ?', event),
    begins: async event =>
      row<{ begins: number }>('select begins from events where session = ? and seq = ?', id, event.seq)?.begins === 1,
  }
}

/** How `events_by_voice` has the voice of a request. */
const VOICE = "case when json_valid(body) then body ->> '$.receipt.voice' end"

/** Requests with these words in them: to parse a request only to find that it has another policy takes long. */
export function* requestsIn(
  { sql }: Tables,
  id: SessionId,
  most: number,
  { voice, after = 0, before = Number.MAX_SAFE_INTEGER, oldestFirst = false }: RequestRange,
  words = '',
): Generator<Planned> {
  // The index on these types is only used by a query that names them both.
  const [where, whose] =
    voice === undefined
      ? ["type in ('turn.started', 'context.planned') and type = 'context.planned'", []]
      : [`type = 'context.planned' and ${VOICE} = ?`, [voice]]
  const index = voice === undefined ? 'events_by_plan' : 'events_by_voice'
  const found = sql(
    `select ${EVENT} from events indexed by ${index} where session = ? and seq > ? and seq < ? and ${where}
     order by seq ${oldestFirst ? '' : 'desc'} limit ?`,
  )
  for (const each of found.iterate(id, after, before, ...whose, most) as Iterable<EventRow>) {
    if (!each.body.includes(words)) continue
    const event = eventOf(id, each)
    if (event.type === 'context.planned') yield event
  }
}
