/** Reads the part of a session that a context can use, by the indexes of the database. */

import type { Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import { PAGE_CHARACTERS } from '../../page-size.ts'
import type { PastQuery } from '../../ports.ts'
import { type CachedRange, type CellsPiece, NO_CELLS, type PastCells } from '../../read-cache.ts'
import { ASIDE_TYPES, type EventTrace, isUsableRequest, pastFrame, type SessionIndex } from '../../session-index.ts'
import type { Database, Query } from '../database.ts'
import { decodeName, encodeName } from '../encode-name.ts'
import {
  EVENT,
  type EventCells,
  type EventRow,
  eventOf,
  hasSession,
  indexStateOf,
  type StoredSession,
  sessionRow,
} from '../rows.ts'
import { requestRows } from './events.ts'
import { postgresHearable } from './hearable.ts'

export type PostgresPast = {
  /** The past without the events that the caller has cached. */
  readonly past: (id: SessionId, query: PastQuery, held?: CachedRange) => Promise<Result<PastCells, Fault>>
  /** More of what a past was too long to give at once. */
  readonly cells: (id: SessionId, after: number, through: number) => Promise<Result<CellsPiece, Fault>>
}

/** Events without those that no context is made of. */
const IS_SPOKEN = `type not in (${ASIDE_TYPES.map(type => `'${type}'`).join(', ')})`

/** How many requests are looked at for a voice's last one. */
const MOST_LOOKED_BACK = 200
const MOST_CELLS = 5000

export function postgresPast(db: Database): PostgresPast {
  return {
    past: (id, wanted, held) =>
      db.attempt(async query => {
        const found = await sessionRow(query, id)
        if (found === undefined) return err(NO_SESSION)
        const totals = totalsOf(query, id)
        const frame = await pastFrame(indexOf(query, id, found, totals), wanted)
        const { first, through } = frame
        const touches = held !== undefined && held.from <= through + 1 && held.to >= first - 1
        const [row, heldRow] = await Promise.all([
          totals(through).then(found => found?.id),
          touches ? totals(held.to).then(found => found?.id) : undefined,
        ])
        const isHeld = touches && heldRow !== undefined && heldRow === held.row
        const [older, newer] = await Promise.all([
          isHeld ? spoken(query, id, first - 1, Math.min(held.from - 1, through)) : NO_CELLS,
          spoken(query, id, isHeld ? held.to : first - 1, through),
        ])
        return ok({ ...frame, row, isHeld, older, newer })
      }),
    cells: (id, after, through) =>
      db.attempt(async query => ((await hasSession(query, id)) ? ok(await spoken(query, id, after, through)) : err(NO_SESSION))),
  }
}

type Totals = { readonly id: number; readonly messages: number; readonly tokens: number }

/** The row of an event and the totals up to it; asked once for each of them. */
function totalsOf(query: Query, id: SessionId): (seq: number) => Promise<Totals | undefined> {
  const asked = new Map<number, Promise<readonly Totals[]>>()
  return async seq => {
    const known =
      asked.get(seq) ??
      query<Totals>('select id, total_messages as messages, total_tokens as tokens from events where session = $1 and seq = $2', [
        id,
        seq,
      ])
    asked.set(seq, known)
    return (await known)[0]
  }
}

/** Events as cells. If there are too many, only the first ones. */
async function spoken(query: Query, id: SessionId, after: number, through: number): Promise<CellsPiece> {
  if (through <= after) return NO_CELLS
  const found = await query<EventRow>(
    `select ${EVENT} from (
       select ${EVENT}, sum(length(body)) over (order by seq) - length(body) as before from (
         select ${EVENT} from events where session = $1 and seq > $2 and seq <= $3 and ${IS_SPOKEN} order by seq limit ${MOST_CELLS}
       ) as wanted) as sized
     where before < ${PAGE_CHARACTERS} order by seq`,
    [id, after, through],
  )
  const cells = found.map(({ seq, at, type, body, tokens, begins }): EventCells => [seq, at, type, body, tokens, begins])
  const isAll = found.length < MOST_CELLS && found.reduce((sum, { body }) => sum + body.length, 0) < PAGE_CHARACTERS
  return { cells, rest: isAll ? null : { after: found.at(-1)?.seq ?? after, through } }
}

/** Every question about a session's past is answered by an index of the database. */
function indexOf(query: Query, id: SessionId, row: StoredSession, totals: ReturnType<typeof totalsOf>): SessionIndex {
  const events = async (text: string, ...values: readonly unknown[]): Promise<readonly Recorded[]> =>
    (await query<EventRow>(text, [id, ...values])).map(each => eventOf(id, each))
  const seqAt = async (where: string, ...values: readonly unknown[]): Promise<number | undefined> =>
    (await query<{ seq: number }>(`select seq from events where session = $1 and ${where} limit 1`, [id, ...values]))[0]?.seq
  return {
    head: row.head,
    ...postgresHearable(query, id, Object.keys(indexStateOf(row).speakers)),
    totals: async seq => (await totals(seq)) ?? { messages: 0, tokens: 0 },
    beginOf: message => seqAt('total_messages = $2 and begins = 1', message),
    beginAfterTokens: tokens => seqAt('total_tokens > $2 and begins = 1 order by total_tokens, seq', Math.ceil(tokens)),
    lastRequest: async ({ voice, policy, before }) => {
      const words = JSON.stringify(policy)
      const found = await requestRows(query, id, MOST_LOOKED_BACK, { voice, before }, words)
      return found.find(planned => isUsableRequest(planned, voice, policy))
    },
    marks: through =>
      events(`select ${EVENT} from events where session = $1 and type = 'message.marked' and seq <= $2 order by seq`, through),
    folds: (through, since) =>
      events(
        `select ${EVENT} from events where session = $1 and seq in (
           select seq from kept_folds where session = $1 and seq <= $2 and (replaced is null or replaced > $2 or seq >= $3))
         order by seq`,
        ...[through, since],
      ),
    range: async (after, through) =>
      through <= after
        ? []
        : events(
            `select ${EVENT} from events where session = $1 and seq > $2 and seq <= $3 and ${IS_SPOKEN} order by seq`,
            ...[after, through],
          ),
    startsBefore: (first, through) =>
      events(
        `select begun.seq, begun.at, begun.type, begun.body, begun.tokens, begun.begins
         from (select distinct turn from events where session = $1 and seq >= $2 and seq <= $3 and turn is not null) as near
         join events as begun on begun.session = $1 and begun.turn = near.turn and begun.seq < $2
         where begun.type = 'turn.started'`,
        ...[first, through],
      ),
    backwards: async (through, most) => {
      const found = await query<EventTrace>(
        `select seq, type, turn, tokens, begins, case when type = 'turn.started' then voice end as voice
         from events where session = $1 and seq <= $2 order by seq desc limit $3`,
        [id, through, most],
      )
      return found.map(trace => (trace.voice === null ? trace : { ...trace, voice: decodeName(trace.voice) }))
    },
    ofTurn: turn => events(`select ${EVENT} from events where session = $1 and turn = $2 order by seq`, encodeName(turn)),
    endOfTurns: async through => {
      const [found] = await query<{ seq: number | null }>(
        `select max(ours.seq) as seq
         from (select distinct turn from events where session = $1 and seq <= $2 and turn is not null) as begun
         join events as ours on ours.session = $1 and ours.turn = begun.turn`,
        [id, through],
      )
      return found?.seq ?? 0
    },
    seqOf: event => seqAt('event_id = $2', encodeName(event)),
    begins: async event =>
      (await query('select 1 from events where session = $1 and seq = $2 and begins = 1', [id, event.seq])).length > 0,
  }
}
