/** Keeps the recall index of each session in tables of its own, and deletes it a few rows at a time. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import type { AllPostings, RecallBlock, RecallBlockKind, RecallState, WantedBlocks } from '../../ports.ts'
import { excludedTargets, type MarkedMessage, type RecallStateRow, recallMaker, recallStateOf } from '../../recall-rules.ts'
import {
  type JoinedPostings,
  type PackedBlocks,
  type PackedChange,
  type PackedPostings,
  packedAll,
  packedBlocks,
  packedJoined,
  unpackedPostings,
} from '../recall-bytes.ts'
import type { Tables } from './rows.ts'

export type SqliteRecall = {
  readonly recallState: (id: SessionId) => Result<RecallState | undefined, Fault>
  readonly recallPostings: (id: SessionId, terms: readonly string[], from?: number) => Result<PackedPostings, Fault>
  readonly recallBlocks: (id: SessionId, kind: RecallBlockKind, numbers: readonly number[]) => Result<PackedBlocks, Fault>
  readonly recallStates: (ids: readonly SessionId[]) => Result<ReadonlyMap<SessionId, RecallState>, Fault>
  readonly allRecallPostings: (ids: readonly SessionId[]) => Result<AllPostings, Fault>
  /** Of each session how many of its blocks were found, and the blocks. */
  readonly recallBlocksOf: (
    kind: RecallBlockKind,
    wanted: readonly WantedBlocks[],
  ) => Result<{ readonly counts: readonly number[]; readonly blocks: PackedBlocks }, Fault>
  readonly recallExcluded: (ids: readonly SessionId[]) => Result<ReadonlyMap<SessionId, readonly number[]>, Fault>
  readonly writeRecall: (id: SessionId, change: PackedChange) => Result<null, Fault>
  /** Forgets the index at once; its rows are deleted later, a few at a time. */
  readonly clearRecall: (id: SessionId) => Result<null, Fault>
  readonly recallBehind: (made: Pick<RecallState, 'version' | 'vectors'>, limit: number) => Result<readonly SessionId[], Fault>
  readonly recallSize: () => Result<{ readonly sessions: number; readonly messages: number; readonly bytes: number }, Fault>
}

type UsedRow = { readonly id: SessionId; readonly updated_at: string }

const STATE = `indexed_through as indexedThrough, messages, passages, flushed, version, vectors, encoder, encoded_through as encodedThrough`
/** No session that is still on its way in. */
const IS_THERE = 'exists (select 1 from findable where id = session)'
const LAST_USED = 'order by updated_at desc, id limit ?'
const KEPT = 'key in (select key from recall_sessions where session is not null)'

export function sqliteRecall(tables: Tables): SqliteRecall {
  const { sql, rows, row, run, isKnown } = tables
  const keyOf = (id: SessionId): number | undefined =>
    row<{ key: number }>('select key from recall_sessions where session = ?', id)?.key

  return {
    recallState: id => {
      if (!isKnown(id)) return err(NO_SESSION)
      const found = row<RecallStateRow>(`select ${STATE} from recall_sessions where session = ?`, id)
      return ok(found === undefined ? undefined : recallStateOf(found))
    },
    recallPostings: (id, terms, from = 0) => {
      if (!isKnown(id)) return err(NO_SESSION)
      // Thousands of rows, most of them of a few bytes: joined by the database they take a third of the time.
      const found = row<JoinedPostings>(
        `select group_concat(json_quote(term) || ',' || segment || ',' || count || ',' || last || ',' || length(body)) as facts,
           cast(group_concat(body, '') as blob) as bodies
         from (select term, segment, count, last, body from recall_postings
           where key = ? and term in (select value from json_each(?)) and segment >= ? order by term, segment)`,
        ...[keyOf(id) ?? null, JSON.stringify(terms), from],
      )
      return ok(packedJoined(found ?? { facts: null, bodies: null }))
    },
    recallBlocks: (id, kind, numbers) => {
      if (!isKnown(id)) return err(NO_SESSION)
      const key = keyOf(id)
      if (key === undefined) return ok(packedBlocks([]))
      const found = rows<Pick<RecallBlock, 'number' | 'body'>>(
        `select number, body from json_each(?) as wanted
         cross join recall_blocks as own on own.key = ? and kind = ? and number = wanted.value`,
        ...[JSON.stringify(numbers), key, kind],
      )
      const bodies = new Map(found.map(each => [each.number, each]))
      return ok(packedBlocks(numbers.flatMap(number => bodies.get(number) ?? [])))
    },
    recallStates: ids => {
      const found = rows<RecallStateRow & { readonly session: SessionId }>(
        `select session, ${STATE} from recall_sessions where session in (select value from json_each(?)) and ${IS_THERE}`,
        JSON.stringify(ids),
      )
      return ok(new Map(found.map(({ session, ...state }) => [session, recallStateOf(state)])))
    },
    allRecallPostings: ids => {
      const found = row<JoinedPostings>(
        `select group_concat(place || ',' || json_quote(term) || ',' || count || ',' || segment || ',' || length(body)) as facts,
           cast(group_concat(body, '') as blob) as bodies
         from (select wanted.key as place, term, count, segment, body from json_each(?) as wanted
           cross join recall_sessions as own on own.session = wanted.value and ${IS_THERE}
           cross join recall_postings as posting on posting.key = own.key)`,
        JSON.stringify(ids),
      )
      return ok(packedAll(found ?? { facts: null, bodies: null }))
    },
    recallBlocksOf: (kind, wanted) => {
      const ids = [...new Set(wanted.map(({ id }) => id))]
      const keys = new Map(
        rows<{ session: SessionId; key: number }>(
          `select session, key from recall_sessions where session in (select value from json_each(?)) and ${IS_THERE}`,
          JSON.stringify(ids),
        ).map(({ session, key }) => [session, key]),
      )
      const places = wanted.flatMap(({ id, numbers }, place) => {
        const key = keys.get(id)
        return key === undefined ? [] : numbers.map(number => [place, key, number])
      })
      const found = rows<Pick<RecallBlock, 'number' | 'body'> & { readonly place: number }>(
        `select wanted.value ->> 0 as place, number, body from json_each(?) as wanted
         cross join recall_blocks as own on own.key = wanted.value ->> 1 and kind = ? and number = wanted.value ->> 2`,
        ...[JSON.stringify(places), kind],
      )
      const counts = wanted.map(() => 0)
      for (const { place } of found) counts[place] = (counts[place] ?? 0) + 1
      return ok({ counts, blocks: packedBlocks(found) })
    },
    recallExcluded: ids => {
      const marks = rows<MarkedMessage & { readonly session: SessionId }>(
        `select session, body ->> '$.target' as target, body ->> '$.mark' as mark from json_each(?) as wanted
         cross join events on session = wanted.value and events.type = 'message.marked' and json_valid(body) order by seq`,
        JSON.stringify(ids),
      )
      return ok(
        new Map(
          [...Map.groupBy(marks, ({ session }) => session)].flatMap(([session, own]) => {
            const excluded = excludedTargets(own)
            return excluded.length === 0 ? [] : [[session, excluded]]
          }),
        ),
      )
    },
    writeRecall: (id, { state, postings, blocks }) => {
      if (!isKnown(id)) return err(NO_SESSION)
      const key = saveState(id, state)
      const posting = sql(
        `insert into recall_postings values (?, ?, ?, ?, ?, ?)
         on conflict do update set count = excluded.count, last = excluded.last, body = excluded.body`,
      )
      for (const { term, segment, count, last, body } of unpackedPostings(postings))
        posting.run(key, term, segment, count, last, body)
      for (const { kind, number, body } of blocks) {
        if (body === null) run('delete from recall_blocks where key = ? and kind = ? and number = ?', key, kind, number)
        else
          run(
            `insert into recall_blocks (key, kind, number, body) values (?, ?, ?, ?)
             on conflict (key, kind, number) do update set body = excluded.body`,
            ...[key, kind, number, body],
          )
      }
      return ok(null)
    },
    clearRecall: id => {
      if (!isKnown(id)) return err(NO_SESSION)
      detachRecall(tables, id)
      run('update sessions set recalled = 0, recalled_by = null where id = ?', id)
      // The words are still in the session's events, so the file is not rewritten: the write-ahead file is emptied.
      run('update chores set sweep = 2 where sweep = 0')
      return ok(null)
    },
    recallBehind: (made, limit) => {
      const unseen = rows<UsedRow>(`select id, updated_at from findable where head > recalled ${LAST_USED}`, limit)
      const others = makersBeside(recallMaker(made)).flatMap(maker =>
        rows<UsedRow>(`select id, updated_at from findable where recalled_by = ? ${LAST_USED}`, maker, limit),
      )
      const all = new Map([...unseen, ...others].map(each => [each.id, each]))
      return ok(
        [...all.values()]
          .sort(byLastUse)
          .slice(0, limit)
          .map(({ id }) => id),
      )
    },
    recallSize: () => {
      const found = row<{ sessions: number; messages: number; bytes: number }>(
        `select count(*) as sessions, coalesce(sum(messages), 0) as messages,
           coalesce((select sum(octet_length(term) + length(body)) from recall_postings where ${KEPT}), 0)
             + coalesce((select sum(length(body)) from recall_blocks where ${KEPT}), 0) as bytes
         from recall_sessions where session is not null`,
      )
      return ok({ sessions: 0, messages: 0, bytes: 0, ...found })
    },
  }

  function saveState(id: SessionId, state: RecallState): number {
    const { indexedThrough, messages, passages, flushed, version, vectors, encoder } = state
    run('update sessions set recalled = ?, recalled_by = ? where id = ?', indexedThrough, recallMaker(state), id)
    const saved = row<{ key: number }>(
      `insert into recall_sessions
         (session, indexed_through, messages, passages, flushed, version, vectors, encoder, encoded_through)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (session) do update set indexed_through = excluded.indexed_through, messages = excluded.messages,
         passages = excluded.passages, flushed = excluded.flushed, version = excluded.version, vectors = excluded.vectors,
         encoder = excluded.encoder, encoded_through = excluded.encoded_through
       returning key`,
      ...[id, indexedThrough, messages, passages, flushed, version, vectors, encoder?.model ?? null, encoder?.through ?? null],
    )
    if (saved === undefined) throw new Error('a row that was written has no key')
    return saved.key
  }

  /** Every version and vectors that rows were made with, but these. There are few, each found by one step in the index. */
  function makersBeside(own: string): readonly string[] {
    const next = (after: string): string | null =>
      row<{ maker: string | null }>('select min(recalled_by) as maker from sessions where recalled_by > ?', after)?.maker ?? null
    const makers: string[] = []
    for (let maker = next(''); maker !== null; maker = next(maker)) if (maker !== own) makers.push(maker)
    return makers
  }
}

const byLastUse = (a: UsedRow, b: UsedRow): number =>
  a.updated_at === b.updated_at ? (a.id < b.id ? -1 : 1) : a.updated_at < b.updated_at ? 1 : -1

/** Takes the index away from its session, which has none from then on. */
export function detachRecall({ run }: Pick<Tables, 'run'>, id: SessionId): void {
  run('update recall_sessions set session = null where session = ?', id)
}

/** A posting takes a few microseconds, a block as long as two events. */
const POSTINGS_PER_EFFORT = 8
const EFFORT_PER_BLOCK = 2

/** Deletes rows of indexes that belong to no session any more, as many as the effort allows. */
export function dropDetachedRecall(
  { sql, row, run }: Pick<Tables, 'sql' | 'row' | 'run'>,
  allowed: number,
): { readonly more: boolean; readonly effort: number } {
  let effort = 0
  const changes = (text: string, ...values: number[]): number => Number(sql(text).run(...values).changes)
  for (;;) {
    const detached = row<{ key: number }>('select key from recall_sessions where session is null limit 1')
    if (detached === undefined) return { more: false, effort }
    if (effort >= allowed) return { more: true, effort }
    const { key } = detached
    const postings = changes(
      `delete from recall_postings where key = ?1 and (term, segment) in (
         select term, segment from recall_postings where key = ?1 order by term, segment limit ?2)`,
      ...[key, (allowed - effort) * POSTINGS_PER_EFFORT],
    )
    effort += Math.ceil(postings / POSTINGS_PER_EFFORT)
    const mostBlocks = Math.ceil((allowed - effort) / EFFORT_PER_BLOCK)
    const blocks = changes(
      'delete from recall_blocks where id in (select id from recall_blocks where key = ? limit ?)',
      ...[key, mostBlocks],
    )
    effort += blocks * EFFORT_PER_BLOCK + 1
    if (blocks < mostBlocks) run('delete from recall_sessions where key = ?', key)
  }
}
