import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Fact, parseFact, type Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { EventId, SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { UsageRow } from '../../model/usage.ts'
import { NO_SESSION as UNKNOWN } from '../faults.ts'
import { landedAt } from '../landed-ids.ts'
import { PIECE, within } from '../piece.ts'
import type {
  Checkpoint,
  KeptText,
  OpenTurn,
  PastQuery,
  Planned,
  ReadRange,
  SessionQuery,
  Standing,
  UsageQuery,
} from '../ports.ts'
import { frameOf } from '../session-index.ts'
import { advance, changed } from '../standing.ts'
import { dayOf, roundedRow } from '../usage-rows.ts'
import { type SqliteDoors, sqliteDoors } from './channel-state.ts'
import { EVENT, type EventCells, type EventRow, eventOf, INSERT_EVENT } from './event-row.ts'
import { type SqliteForks, sqliteForks } from './fork.ts'
import { type SqliteGrants, sqliteGrants } from './grants.ts'
import { type SqliteBringing, sqliteBringing } from './import-store.ts'
import { type CellsPiece, type Held, NO_CELLS, type PastCells } from './read-cache.ts'
import { countUse, type SqliteReceipts, sqliteReceipts } from './receipts.ts'
import { type SqliteRemoval, sqliteRemoval } from './remove.ts'
import { shown, standingOf, tablesOf } from './rows.ts'
import { type Page, sqliteSearch } from './search.ts'
import { plannedBefore, SPOKEN, shelfOf } from './session-index.ts'
import { keepTexts, type SqliteTexts, sqliteTexts } from './texts.ts'
import { sqliteWords } from './words.ts'

/** A fact on its way to the file: stamped and weighed by the caller, since the worker has neither clock nor tokenizer. */
export type Entry = { readonly fact: Fact; readonly id?: EventId; readonly tokens: number; readonly messages: number }

export type AppendRequest = {
  readonly session: SessionId
  readonly entries: readonly Entry[]
  readonly at: string
  readonly expect?: number
  readonly key?: string
  readonly texts: readonly KeptText[]
}

/** What was written (or, with a known key or known ids, what had been), by its seqs. */
export type AppendReport = { readonly first: number; readonly last: number; readonly again: boolean; readonly standing: Standing }

/** Everything that is done to an open file, in plain SQL. Writing operations expect a transaction around them. */
export function sqliteStore(db: DatabaseSync): SqliteStore {
  const tables = tablesOf(db)
  const { sql, rows, row, run, sessionRow } = tables
  const words = sqliteWords(tables)
  let spokenCells: StatementSync | undefined
  const isKnown = (id: SessionId): boolean => row('select 1 from findable where id = ?', id) !== undefined

  const forks = sqliteForks({
    sql,
    isKnown,
    place,
    totals: (id, seq) => shelfOf(tables, id, seq).totals(seq),
    store: () => store,
  })

  const store: SqliteStore = {
    open: session => {
      const isTaken = ['sessions', 'arriving'].some(table => row(`select 1 from ${table} where id = ?`, session.id) !== undefined)
      if (isTaken) return err(fault('conflict', 'there is a session of that id already'))
      const { id, updatedAt, project, title, parent, family, archived } = session
      run(
        'insert into sessions (id, updated_at, project, title, parent, family, archived, body) values (?, ?, ?, ?, ?, ?, ?, ?)',
        ...[id, updatedAt, project, title, parent?.session ?? null, family, archived ? 1 : 0, JSON.stringify(session)],
      )
      return ok(session)
    },
    ...forks,
    ...sqliteBringing(tables),
    session: id => {
      const found = sessionRow(id)
      return found === undefined ? err(UNKNOWN) : ok(shown(found))
    },
    ...sqliteSearch(tables),
    ...sqliteRemoval(tables, words),

    append: ({ session, entries, at, expect, key, texts }) => {
      const before = sessionRow(session)
      if (before === undefined) return err(UNKNOWN)
      const earlier =
        key === undefined
          ? undefined
          : row<{ first: number; last: number }>(
              'select first, last from keys where session = ? and key = ?',
              ...[session, JSON.stringify(key)],
            )
      if (earlier !== undefined) return ok({ ...earlier, again: true, standing: standingOf(before) })
      const ids = entries.flatMap(({ id }) => id ?? [])
      const landed = ids.length === 0 ? ok(undefined) : landedAt(ids, entries.length, shelfOf(tables, session, before.head).seqOf)
      if (!landed.ok) return landed
      if (landed.value !== undefined) return ok({ ...landed.value, again: true, standing: standingOf(before) })
      if (expect !== undefined && expect !== before.head) {
        return err(fault('conflict', `expected ${expect} as the last event, found ${before.head}`))
      }
      let standing: Standing = standingOf(before)
      let current: Session = shown(before)
      for (const { fact, id = null, tokens, messages } of entries) {
        standing = advance(standing, fact, { tokens, messages })
        current = changed(current, fact, at)
        const { type, ...body } = fact
        const turn = 'turn' in fact ? fact.turn : null
        run(
          INSERT_EVENT,
          ...[session, standing.head, at, type, turn, JSON.stringify(body), tokens, standing.tokens, standing.messages, messages],
          id,
        )
        track(session, fact, standing.head)
        countUse(tables, session, fact, at)
      }
      keepTexts(tables, session, texts, before.head + 1)
      if (key !== undefined) {
        run('insert into keys values (?, ?, ?, ?)', session, JSON.stringify(key), before.head + 1, standing.head)
      }
      place(session, current, standing)
      return ok({ first: before.head + 1, last: standing.head, again: false, standing })
    },
    read: (id, { after = 0, through = Number.MAX_SAFE_INTEGER, limit = -1, size, newest = false, only, turn }) => {
      if (!isKnown(id)) return err(UNKNOWN)
      // The index on these types is only used by a query that names them both.
      const type =
        only === undefined
          ? ''
          : only === 'message.marked'
            ? `and type = '${only}'`
            : `and type in ('turn.started', 'context.planned') and type = '${only}'`
      const found = sql(
        `select ${EVENT} from events where session = ? and seq > ? and seq <= ? ${type} ${turn === undefined ? '' : 'and turn = ?'}
         order by seq ${newest ? 'desc' : ''} limit ?`,
      ).iterate(...[id, after, through, ...(turn === undefined ? [] : [turn]), limit]) as IterableIterator<EventRow>
      const { taken, isAll } = within(size, found, ({ body }) => body.length)
      return ok({ events: (newest ? taken.toReversed() : taken).map(each => eventOf(id, each)), isAll })
    },
    past: (id, want, held) => {
      const found = sessionRow(id)
      if (found === undefined) return err(UNKNOWN)
      const frame = frameOf(shelfOf(tables, id, found.head), want)
      const { first, through } = frame
      const touches = held !== undefined && held.from <= through + 1 && held.to >= first - 1
      const isHeld = touches && rowOf(id, held.to) === held.row
      const older = isHeld ? spoken(id, first - 1, Math.min(held.from - 1, through)) : NO_CELLS
      const newer = spoken(id, isHeld ? held.to : first - 1, through)
      return ok({ ...frame, row: rowOf(id, through), isHeld, older, newer })
    },
    cells: (id, after, through) => (isKnown(id) ? ok(spoken(id, after, through)) : err(UNKNOWN)),
    planned: (id, most) =>
      isKnown(id) ? ok([...plannedBefore(tables, id, { before: Number.MAX_SAFE_INTEGER, most, words: '' })]) : err(UNKNOWN),
    factors: () =>
      ok(
        new Map(
          rows<{ model: string; factor: number }>('select model, factor from factors').map(({ model, factor }) => [
            model,
            factor,
          ]),
        ),
      ),
    learn: (model, factor) => {
      run('insert into factors values (?, ?) on conflict do update set factor = excluded.factor', model, factor)
      return ok(null)
    },
    usage: ({ session, since = '' }) => {
      if (session !== undefined && !isKnown(session)) return err(UNKNOWN)
      const found = rows<UsageRow>(
        `select day, model, sum(input) as input, sum(output) as output, sum(cache_read) as cacheRead, sum(cache_write) as cacheWrite,
           case when count(cost_usd) = count(*) then sum(cost_usd) end as costUsd, count(*) as requests
         from usage where day >= ? and at >= ? ${session === undefined ? '' : 'and session = ?'} group by day, model order by day, model`,
        ...[dayOf(since), since, ...(session === undefined ? [] : [session])],
      )
      return ok(found.map(roundedRow))
    },
    standing: id => {
      const found = sessionRow(id)
      return found === undefined ? err(UNKNOWN) : ok(standingOf(found))
    },
    ...sqliteTexts(tables),
    ...sqliteReceipts(tables),
    ...sqliteDoors(tables),
    ...sqliteGrants(tables),

    checkpoint: (id, checkpoint) => {
      if (!isKnown(id)) return err(UNKNOWN)
      // Late checkpoints of a reply that is over must not come back to life.
      run(
        `insert into inflight select session, turn, ?1 from open_turns where session = ?2 and turn = ?3 and not exists (
           select 1 from events where session = ?2 and turn = ?3 and type in ('reply.finished', 'reply.broken')
             and case when json_valid(body) then body ->> '$.step' end >= ?4)
         on conflict do update set body = excluded.body`,
        ...[JSON.stringify(checkpoint), id, checkpoint.turn, checkpoint.step],
      )
      return ok(null)
    },
    checkpoints: id => {
      if (!isKnown(id)) return err(UNKNOWN)
      const kept = rows<{ body: string }>('select body from inflight where session = ? order by turn', id)
      return ok(kept.flatMap(({ body }) => checkpointOf(body)))
    },
    openTurns: () =>
      ok(
        rows<OpenTurn>('select session, turn, voice, started from open_turns order by session, started').map(each => ({
          ...each,
        })),
      ),
    waiting: () => ok(rows<{ id: SessionId }>(`select id from findable where due <> '[]'`).map(({ id }) => id)),
    indexWords: words.indexWords,
  }
  return store

  function rowOf(id: SessionId, seq: number): number | undefined {
    return row<{ id: number }>('select id from events where session = ? and seq = ?', id, seq)?.id
  }

  /** As cells, to be read by whoever asked; where they are too many at once, the first of them. */
  function spoken(id: SessionId, after: number, through: number): CellsPiece {
    if (through <= after) return NO_CELLS
    spokenCells ??= db.prepare(SPOKEN)
    spokenCells.setReturnArrays(true)
    const found = spokenCells.iterate(id, after, through) as unknown as IterableIterator<EventCells>
    const { taken, isAll } = within(PIECE, found, ([, , , body]) => body.length)
    return { cells: taken, rest: isAll ? null : { after: taken.at(-1)?.[0] ?? after, through } }
  }

  function place(id: SessionId, session: Session, { head, messages, tokens, due, voices }: Standing): void {
    const { updatedAt, title, project, archived } = session
    run(
      `update sessions set updated_at = ?, title = ?, project = ?, archived = ?, body = ?, head = ?, messages = ?, tokens = ?, due = ?, voices = ?
       where id = ?`,
      ...[updatedAt, title, project, archived ? 1 : 0, JSON.stringify(session)],
      ...[head, messages, tokens, JSON.stringify(due), JSON.stringify(voices), id],
    )
  }

  function track(session: SessionId, fact: Fact, seq: number): void {
    if (fact.type === 'turn.started') run('insert into open_turns values (?, ?, ?, ?)', session, fact.turn, fact.voice, seq)
    if (fact.type === 'turn.ended') run('delete from open_turns where session = ? and turn = ?', session, fact.turn)
    if (fact.type === 'reply.finished' || fact.type === 'reply.broken' || fact.type === 'turn.ended') {
      run('delete from inflight where session = ? and turn = ?', session, fact.turn)
    }
  }
}

export type SqliteStore = SqliteForks &
  SqliteBringing &
  SqliteRemoval &
  SqliteTexts &
  SqliteReceipts &
  SqliteDoors &
  SqliteGrants & {
    readonly open: (session: Session) => Result<Session, Fault>
    readonly session: (id: SessionId) => Result<Session, Fault>
    readonly sessions: (query: SessionQuery) => Result<Page, Fault>
    readonly append: (request: AppendRequest) => Result<AppendReport, Fault>
    /** `isAll` is false where the page ended by its size. */
    readonly read: (id: SessionId, range: ReadRange) => Result<{ events: readonly Recorded[]; isAll: boolean }, Fault>
    /** Without what is held already. */
    readonly past: (id: SessionId, want: PastQuery, held?: Held) => Result<PastCells, Fault>
    /** More of what a past was too long to give at once. */
    readonly cells: (id: SessionId, after: number, through: number) => Result<CellsPiece, Fault>
    readonly planned: (id: SessionId, most: number) => Result<readonly Planned[], Fault>
    readonly factors: () => Result<Map<string, number>, Fault>
    readonly learn: (model: string, factor: number) => Result<null, Fault>
    readonly usage: (query: UsageQuery) => Result<readonly UsageRow[], Fault>
    readonly standing: (id: SessionId) => Result<Standing, Fault>
    readonly checkpoint: (id: SessionId, checkpoint: Checkpoint) => Result<null, Fault>
    readonly checkpoints: (id: SessionId) => Result<readonly Checkpoint[], Fault>
    readonly openTurns: () => Result<readonly OpenTurn[], Fault>
    readonly waiting: () => Result<readonly SessionId[], Fault>
    /** Full text is indexed behind the writes, in batches; the answer is how many events were looked at. */
    readonly indexWords: (most: number) => Result<number, Fault>
  }

/** A checkpoint has the form of a reply; one that is damaged is worth no more than none. */
function checkpointOf(body: string): Checkpoint[] {
  const fact = parseFact('reply.finished', body)
  return !('why' in fact) && fact.type === 'reply.finished' ? [{ turn: fact.turn, step: fact.step, parts: fact.parts }] : []
}

export type StoreOperation = keyof SqliteStore
