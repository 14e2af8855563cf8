/** Keeps the recall index of each session in tables of its own, and deletes it a few rows at a time. */

import type { SessionId } from '../../../model/ids.ts'
import { err, ok } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import type { RecallBlock, RecallStore } from '../../ports.ts'
import { assertRecallChange, excludedTargets, type RecallStateRow, recallMaker, recallStateOf } from '../../recall-rules.ts'
import type { Database } from '../database.ts'
import { EVENT, type EventRow, eventOf, hasSession } from '../rows.ts'
import { staysHere } from '../sessions/stays-here.ts'
import { detachRecallRows, dropDetachedRecallRows } from './recall-removal.ts'
import { type JoinedRows, packedRecallChange, postingColumns, postingRows, writeChange } from './recall-rows.ts'

export { detachRecallRows as forgetRecall } from './recall-removal.ts'

const STATE = `indexed_through as "indexedThrough", messages, passages, flushed, version, vectors, encoder,
  encoded_through as "encodedThrough"`
/** No session that is still on its way in. */
const IS_THERE = 'exists (select 1 from findable where findable.id = own.session)'
const LAST_USED = 'order by updated_at desc, id'
const KEPT = 'key in (select key from recall_sessions where session is not null)'

export function postgresRecall(db: Database): RecallStore {
  return {
    state: id =>
      db.attempt(async query => {
        const [[found], isThere] = await Promise.all([
          query<RecallStateRow>(`select ${STATE} from recall_sessions where session = $1`, [id]),
          hasSession(query, id),
        ])
        if (!isThere) return err(NO_SESSION)
        return ok(found === undefined ? undefined : recallStateOf(found))
      }),
    postings: (id, terms, from = 0) =>
      db.attempt(async query => {
        // Thousands of rows, most of them of a few bytes: the database joins them into one.
        const [[found], isThere] = await Promise.all([
          query<JoinedRows>(
            `select json_agg(json_build_array(term, segment, count, last, length(body)) order by term, segment) as facts,
               string_agg(body, ''::bytea order by term, segment) as bodies
             from recall_postings where key = (select key from recall_sessions where session = $1)
               and term = any($2::text[]) and segment >= $3`,
            [id, [...new Set(terms)], from],
          ),
          hasSession(query, id),
        ])
        return isThere ? ok(postingRows(found)) : err(NO_SESSION)
      }),
    blocks: (id, kind, numbers) =>
      db.attempt(async query => {
        const [found, isThere] = await Promise.all([
          query<Omit<RecallBlock, 'kind'>>(
            `select number, body from recall_blocks
             where key = (select key from recall_sessions where session = $1) and kind = $2 and number = any($3::bigint[])`,
            [id, kind, numbers.filter(Number.isSafeInteger)],
          ),
          hasSession(query, id),
        ])
        if (!isThere) return err(NO_SESSION)
        const bodies = new Map(found.map(({ number, body }) => [number, body]))
        return ok(numbers.flatMap(number => blockOf(kind, number, bodies.get(number))))
      }),
    states: ids =>
      db.attempt(async query => {
        const found = await query<RecallStateRow & { readonly session: SessionId }>(
          `select session, ${STATE} from recall_sessions as own where session = any($1::text[]) and ${IS_THERE}`,
          [ids],
        )
        return ok(new Map(found.map(({ session, ...state }) => [session, recallStateOf(state)])))
      }),
    allPostings: ids =>
      db.attempt(async query => {
        const [found] = await query<JoinedRows>(
          `select json_agg(json_build_array(place - 1, term, count, segment, length(body)) order by place, term, segment) as facts,
             string_agg(body, ''::bytea order by place, term, segment) as bodies
           from unnest($1::text[]) with ordinality as wanted (session, place)
           join recall_sessions as own on own.session = wanted.session and ${IS_THERE}
           join recall_postings as posting on posting.key = own.key`,
          [ids],
        )
        return ok(postingColumns(found))
      }),
    blocksOf: (kind, wanted) =>
      db.attempt(async query => {
        const places = wanted.flatMap(({ id, numbers }, place) => numbers.map(number => ({ id, number, place })))
        const found = await query<{ readonly place: number; readonly number: number; readonly body: Uint8Array }>(
          `select wanted.place, wanted.number, body
           from unnest($1::text[], $2::bigint[], $3::bigint[]) as wanted (session, number, place)
           join recall_sessions as own on own.session = wanted.session and ${IS_THERE}
           join recall_blocks as block on block.key = own.key and block.kind = $4 and block.number = wanted.number`,
          [places.map(({ id }) => id), places.map(({ number }) => number), places.map(({ place }) => place), kind],
        )
        const bodies = new Map(found.map(({ place, number, body }) => [`${place} ${number}`, body]))
        return ok(
          wanted.map(({ numbers }, place) => numbers.flatMap(number => blockOf(kind, number, bodies.get(`${place} ${number}`)))),
        )
      }),
    excluded: ids =>
      db.attempt(async query => {
        const found = await query<EventRow & { readonly session: SessionId }>(
          `select session, ${EVENT} from events as own
           where session = any($1::text[]) and type = 'message.marked' and ${IS_THERE} order by session, seq`,
          [ids],
        )
        const marks = found.flatMap(row => {
          const event = eventOf(row.session, row)
          return event.type === 'message.marked' ? [event] : []
        })
        const excluded = [...Map.groupBy(marks, ({ session }) => session)].map(
          ([session, own]) => [session, excludedTargets(own)] as const,
        )
        return ok(new Map(excluded.filter(([, targets]) => targets.length > 0)))
      }),
    write: async (id, change) => {
      assertRecallChange(change)
      // The bytes are copied now: the caller may use its own for something else before they are sent.
      const packed = packedRecallChange(change)
      return db.transaction(async query => {
        if (!(await staysHere(query, id))) return err(NO_SESSION)
        await writeChange(query, id, packed)
        await query('update sessions set recalled = $2, recalled_by = $3 where id = $1', [
          ...[id, change.state.indexedThrough, recallMaker(change.state)],
        ])
        return ok(null)
      })
    },
    clear: async id => {
      const cleared = await db.transaction(async query => {
        if (!(await staysHere(query, id))) return err(NO_SESSION)
        await detachRecallRows(query, id)
        await query('update sessions set recalled = 0, recalled_by = null where id = $1', [id])
        return ok(null)
      })
      if (cleared.ok) void dropDetachedRecallRows(db)
      return cleared
    },
    behind: (made, limit) =>
      db.attempt(async query => {
        // The makers are few, and each is found by one step in the index.
        const found = await query<{ readonly id: SessionId }>(
          `with recursive makers (maker) as (
             (select recalled_by from sessions where recalled_by is not null order by recalled_by limit 1)
             union all
             select (select recalled_by from sessions where recalled_by > maker order by recalled_by limit 1)
             from makers where maker is not null)
           select id from (
             (select id, updated_at from sessions where head > recalled and import is null ${LAST_USED} limit $1)
             union
             select id, updated_at from makers cross join lateral (
               select id, updated_at from sessions where recalled_by = maker and import is null ${LAST_USED} limit $1) as other
             where maker <> $2) as behind
           ${LAST_USED} limit $1`,
          [limit, recallMaker(made)],
        )
        return ok(found.map(({ id }) => id))
      }),
    size: () =>
      db.attempt(async query => {
        const [found] = await query<{ sessions: number; messages: number; bytes: number }>(
          `select count(*)::float8 as sessions, coalesce(sum(messages), 0)::float8 as messages,
             (coalesce((select sum(octet_length(term) + length(body)) from recall_postings where ${KEPT}), 0)
               + coalesce((select sum(length(body)) from recall_blocks where ${KEPT}), 0))::float8 as bytes
           from recall_sessions where session is not null`,
        )
        return ok({ sessions: 0, messages: 0, bytes: 0, ...found })
      }),
  }
}

/** The driver gives out pieces of larger buffers, which must not stay in memory for the sake of one block. */
const blockOf = (kind: RecallBlock['kind'], number: number, body: Uint8Array | undefined): readonly RecallBlock[] =>
  body === undefined ? [] : [{ kind, number, body: Uint8Array.from(body) }]
