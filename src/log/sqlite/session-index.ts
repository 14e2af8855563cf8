import type { SQLInputValue } from 'node:sqlite'
import type { Recorded } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Planned } from '../ports.ts'
import { ASIDE_TYPES, type Shelf, type Trace } from '../session-index.ts'
import { EVENT, type EventRow, eventOf } from './event-row.ts'
import type { Tables } from './rows.ts'

/** What is said, without what stands beside it. */
export const SPOKEN: string = `select ${EVENT} from events where session = ? and seq > ? and seq <= ?
  and type not in (${ASIDE_TYPES.map(type => `'${type}'`).join(', ')}) order by seq`

/** How many requests are looked at for a voice's last one. */
const MOST_LOOKED_BACK = 200

/** A session's past as a context looks for its beginning in it: every question is answered by an index. */
export function shelfOf(tables: Tables, id: SessionId, head: number): Shelf {
  const { sql, row, rows } = tables
  const at = (where: string, ...values: SQLInputValue[]): number | undefined =>
    row<{ seq: number }>(`select seq from events ${where} limit 1`, id, ...values)?.seq
  const range = (after: number, through: number): readonly Recorded[] =>
    through <= after ? [] : rows<EventRow>(SPOKEN, id, after, through).map(each => eventOf(id, each))
  return {
    head,
    totals: seq =>
      row<{ messages: number; tokens: number }>(
        'select total_messages as messages, total_tokens as tokens from events where session = ? and seq = ?',
        ...[id, seq],
      ) ?? { messages: 0, tokens: 0 },
    // Named, because left to itself SQLite walks the session.
    beginOf: message => at('indexed by events_by_message where session = ? and total_messages = ? and begins = 1', message),
    beginAfterTokens: tokens =>
      at('indexed by events_by_tokens where session = ? and total_tokens > ? and begins = 1 order by total_tokens, seq', tokens),
    plannedBefore: (seq, policy) =>
      plannedBefore(tables, id, { before: seq, most: MOST_LOOKED_BACK, words: JSON.stringify(policy) }),
    marks: through =>
      rows<EventRow>(
        `select ${EVENT} from events where session = ? and type = 'message.marked' and seq <= ? order by seq`,
        id,
        through,
      ).map(each => eventOf(id, each)),
    range,
    // Indexes are named, because left to itself SQLite walks the session.
    startsBefore: (first, through) =>
      rows<EventRow>(
        `select begun.seq, begun.at, begun.type, begun.body, begun.tokens, begun.begins
         from (select distinct turn from events indexed by events_by_seq
           where session = ?1 and seq >= ?2 and seq <= ?3 and turn is not null) as near
         cross join events as begun indexed by events_by_turn
           on begun.session = ?1 and begun.turn = near.turn and begun.seq < ?2
         where begun.type = 'turn.started'`,
        ...[id, first, through],
      ).map(each => eventOf(id, each)),
    backwards: through =>
      sql(
        `select seq, type, turn, tokens, begins,
           case when type = 'turn.started' and json_valid(body) then body ->> '$.voice' end as voice
         from events where session = ? and seq <= ? order by seq desc`,
      ).iterate(id, through) as Iterable<Trace>,
    ofTurn: turn =>
      rows<EventRow>(`select ${EVENT} from events where session = ? and turn = ? order by seq`, id, turn).map(each =>
        eventOf(id, each),
      ),
    endOfTurns: through =>
      row<{ seq: number | null }>(
        `select max(ours.seq) as seq
         from (select distinct turn from events indexed by events_by_seq
           where session = ?1 and seq <= ?2 and turn is not null) as begun
         cross join events as ours indexed by events_by_turn on ours.session = ?1 and ours.turn = begun.turn`,
        ...[id, through],
      )?.seq ?? 0,
    seqOf: event => at('where session = ? and event_id = ?', event),
    begins: event =>
      row<{ begins: number }>('select begins from events where session = ? and seq = ?', id, event.seq)?.begins === 1,
  }
}

/** Only those with these words in them: to parse a request only to find that it is another policy's takes long. */
export function* plannedBefore(
  { sql }: Tables,
  id: SessionId,
  { before, most, words }: { readonly before: number; readonly most: number; readonly words: string },
): Generator<Planned> {
  const newest = sql(
    `select ${EVENT} from events where session = ? and seq < ? and type in ('turn.started', 'context.planned') and type = 'context.planned'
     order by seq desc limit ?`,
  )
  for (const each of newest.iterate(id, before, most) as Iterable<EventRow>) {
    if (!each.body.includes(words)) continue
    const event = eventOf(id, each)
    if (event.type === 'context.planned') yield event
  }
}
