import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type Event, type Fact, parseFact, type Recorded } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { Session, SessionHit } from '../model/session.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { Checkpoint, KeptText, OpenTurn, ReadRange, SessionQuery, Standing, Tail } from './log.ts'
import { searchable, searchTerms, snippet } from './snippet.ts'
import { advance, changed } from './standing.ts'

/** A fact on its way to the file: stamped and weighed by the caller, since the worker has neither clock nor tokenizer. */
export type Entry = { readonly fact: Fact; readonly tokens: number; readonly messages: number }

export type AppendRequest = {
  readonly session: SessionId
  readonly entries: readonly Entry[]
  readonly at: string
  readonly expect?: number
  readonly key?: string
  readonly texts: readonly KeptText[]
}

/** What was written (or, with a known key, what had been), by its seqs. */
export type AppendReport = { readonly first: number; readonly last: number; readonly again: boolean; readonly standing: Standing }

type SessionRow = Standing & { readonly body: string }
type EventRow = { seq: number; at: string; type: string; body: string; tokens: number }

const STANDING = 'head, messages, tokens, heard, said, turns'
const EVENT = 'seq, at, type, body, tokens'
const UNKNOWN: Fault = fault('not-found', 'there is no session of that id')

/** Everything that is done to an open file, in plain SQL. Writing operations expect a transaction around them. */
export function sqliteStore(db: DatabaseSync): SqliteStore {
  const prepared = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const known = prepared.get(text) ?? db.prepare(text)
    prepared.set(text, known)
    return known
  }
  const rows = <Row>(text: string, ...values: SQLInputValue[]): Row[] => sql(text).all(...values) as Row[]
  const row = <Row>(text: string, ...values: SQLInputValue[]): Row | undefined => sql(text).get(...values) as Row | undefined
  const run = (text: string, ...values: SQLInputValue[]): void => void sql(text).run(...values)
  const sessionRow = (id: SessionId): SessionRow | undefined =>
    row<SessionRow>(`select body, ${STANDING} from sessions where id = ?`, id)

  const store: SqliteStore = {
    open: session => {
      run(
        'insert into sessions (id, updated_at, project, title, body) values (?, ?, ?, ?, ?)',
        session.id,
        session.updatedAt,
        session.project,
        session.title,
        JSON.stringify(session),
      )
      return ok(session)
    },
    session: id => {
      const found = sessionRow(id)
      return found === undefined ? err(UNKNOWN) : ok(shown(found))
    },
    sessions: query => (query.query === undefined ? listed(query) : found(query, query.query)),
    remove: id => {
      if (sessionRow(id) === undefined) return err(UNKNOWN)
      run('delete from words where rowid in (select id from events where session = ?)', id)
      run('insert into deleting values (?)', id)
      run('delete from events where session = ?', id)
      run('delete from deleting where session = ?', id)
      for (const table of ['keys', 'open_turns', 'inflight']) run(`delete from ${table} where session = ?`, id)
      const used = rows<{ hash: string }>('select hash from text_uses where session = ?', id)
      run('delete from text_uses where session = ?', id)
      for (const { hash } of used) {
        run('delete from texts where hash = ? and not exists (select 1 from text_uses where hash = ?)', hash, hash)
      }
      run('delete from sessions where id = ?', id)
      return ok(null)
    },

    append: ({ session, entries, at, expect, key, texts }) => {
      const before = sessionRow(session)
      if (before === undefined) return err(UNKNOWN)
      const earlier =
        key === undefined
          ? undefined
          : row<{ first: number; last: number }>('select first, last from keys where session = ? and key = ?', session, key)
      if (earlier !== undefined) return ok({ ...earlier, again: true, standing: standingOf(before) })
      if (expect !== undefined && expect !== before.head) {
        return err(fault('conflict', `expected ${expect} as the last event, found ${before.head}`))
      }
      let standing: Standing = standingOf(before)
      let current: Session = JSON.parse(before.body) as Session
      for (const { fact, tokens, messages } of entries) {
        standing = advance(standing, fact, { tokens, messages })
        current = changed(current, fact, at)
        const { type, ...body } = fact
        const turn = 'turn' in fact ? fact.turn : null
        run(
          `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[session, standing.head, at, type, turn, JSON.stringify(body), tokens, standing.tokens, standing.messages, messages],
        )
        track(session, fact, standing.head)
      }
      for (const { hash, text } of texts) {
        run('insert or ignore into texts values (?, ?)', hash, text)
        run('insert or ignore into text_uses values (?, ?)', session, hash)
      }
      if (key !== undefined) run('insert into keys values (?, ?, ?, ?)', session, key, before.head + 1, standing.head)
      run(
        'update sessions set updated_at = ?, title = ?, body = ?, head = ?, messages = ?, tokens = ?, heard = ?, said = ?, turns = ? where id = ?',
        ...[current.updatedAt, current.title, JSON.stringify(current)],
        ...[standing.head, standing.messages, standing.tokens, standing.heard, standing.said, standing.turns, session],
      )
      return ok({ first: before.head + 1, last: standing.head, again: false, standing })
    },
    read: (id, { after = 0, through = Number.MAX_SAFE_INTEGER, limit = -1, only, turn }) => {
      const filter = `${only === undefined ? '' : `and type = '${only}'`} ${turn === undefined ? '' : 'and turn = ?'}`
      const found = rows<EventRow>(
        `select ${EVENT} from events where session = ? and seq > ? and seq <= ? ${filter} order by seq limit ?`,
        ...[id, after, through, ...(turn === undefined ? [] : [turn]), limit],
      )
      if (found.length === 0 && sessionRow(id) === undefined) return err(UNKNOWN)
      return ok(found.map(each => eventOf(id, each)))
    },
    tail: (id, { messages, before }) => {
      const counted = row<{ total: number }>(
        'select total_messages as total from events where session = ? and seq = ?',
        id,
        before - 1,
      )
      const skip = Math.max(0, (counted?.total ?? 0) - messages)
      // The first event of the first kept message: totals never fall, so it is found by index, however long the past.
      const from =
        skip === 0
          ? undefined
          : row<{ seq: number }>(
              'select seq from events where session = ? and total_messages = ? order by seq limit 1',
              id,
              skip + 1,
            )
      const events = store.read(id, from === undefined ? {} : { after: from.seq - 1 })
      if (!events.ok) return events
      return ok({ events: events.value, unread: from === undefined ? null : { to: from.seq - 1, messages: skip } })
    },
    standing: id => {
      const found = sessionRow(id)
      return found === undefined ? err(UNKNOWN) : ok(standingOf(found))
    },
    texts: hashes =>
      ok(
        new Map(
          hashes.flatMap(hash =>
            rows<{ text: string }>('select text from texts where hash = ?', hash).map(
              ({ text }) => [hash, text] as [string, string],
            ),
          ),
        ),
      ),

    checkpoint: (id, checkpoint) => {
      // Late checkpoints of a turn that is over must not come back to life.
      run(
        `insert into inflight select session, turn, ? from open_turns where session = ? and turn = ?
         on conflict do update set body = excluded.body`,
        ...[JSON.stringify(checkpoint), id, checkpoint.turn],
      )
      return ok(null)
    },
    checkpoints: id =>
      ok(
        rows<{ body: string }>('select body from inflight where session = ? order by turn', id).map(({ body }) =>
          JSON.parse(body),
        ),
      ),
    openTurns: () =>
      ok(
        rows<OpenTurn>('select session, turn, voice, started from open_turns order by session, started').map(each => ({
          ...each,
        })),
      ),
    waiting: () => ok(rows<{ id: SessionId }>('select id from sessions where said > heard').map(({ id }) => id)),
    indexWords: most => {
      const { through } = row<{ through: number }>('select through from indexed') ?? { through: 0 }
      const fresh = rows<EventRow & { id: number; session: SessionId }>(
        `select id, session, ${EVENT} from events where id > ? order by id limit ?`,
        ...[through, most],
      )
      for (const each of fresh) {
        const text = searchable(eventOf(each.session, each))
        if (text !== '') run('insert into words (rowid, text) values (?, ?)', each.id, text)
      }
      const last = fresh.at(-1)
      if (last !== undefined) run('update indexed set through = ?', last.id)
      return ok(fresh.length)
    },
  }
  return store

  function track(session: SessionId, fact: Fact, seq: number): void {
    if (fact.type === 'turn.started') run('insert into open_turns values (?, ?, ?, ?)', session, fact.turn, fact.voice, seq)
    if (fact.type === 'turn.ended') run('delete from open_turns where session = ? and turn = ?', session, fact.turn)
    if (fact.type === 'reply.finished' || fact.type === 'reply.broken' || fact.type === 'turn.ended') {
      run('delete from inflight where session = ? and turn = ?', session, fact.turn)
    }
  }

  function listed({ project, cursor, limit }: SessionQuery): Result<Page, Fault> {
    const start = cursor === undefined ? ok(null) : readCursor(cursor)
    if (!start.ok) return start
    const place = start.value ?? { updatedAt: '9999', id: '' }
    const found = rows<SessionRow>(
      `select body, ${STANDING} from sessions
       where (updated_at < ?1 or (updated_at = ?1 and id > ?2)) and (?3 is null or project = ?3)
       order by updated_at desc, id limit ?4`,
      ...[place.updatedAt, place.id, project ?? null, limit + 1],
    ).map(shown)
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return ok({ items, next: found.length > limit && last !== undefined ? writeCursor(last) : null })
  }

  /** Newest hit of each session; titles that match come after. One page: a search is narrowed, not paged. */
  function found({ project, limit }: SessionQuery, query: string): Result<Page, Fault> {
    const terms = searchTerms(query)
    if (terms.length === 0) return ok({ items: [], next: null })
    const match = terms.map((term, index) => `"${term}"${index === terms.length - 1 ? '*' : ''}`).join(' ')
    const hits = new Map<SessionId, SessionHit>()
    const add = (id: SessionId, where: Pick<SessionHit, 'snippet' | 'seq'>): void => {
      const session = sessionRow(id)
      if (session === undefined || hits.has(id) || hits.size >= limit) return
      const shownSession = shown(session)
      if (project === undefined || shownSession.project === project) hits.set(id, { ...shownSession, ...where })
    }
    const matching = sql(
      `select session, ${EVENT} from words join events on events.id = words.rowid where words match ? order by words.rowid desc limit 1000`,
    )
    for (const each of matching.iterate(match) as Iterable<EventRow & { session: SessionId }>) {
      add(each.session, { snippet: snippet(searchable(eventOf(each.session, each)), terms), seq: each.seq })
      if (hits.size >= limit) break
    }
    for (const { id } of rows<{ id: SessionId }>(
      "select id from sessions where title like ? escape '\\' order by updated_at desc limit ?",
      `%${query.replace(/[\\%_]/g, '\\$&')}%`,
      limit,
    ))
      add(id, {})
    return ok({ items: [...hits.values()], next: null })
  }
}

type Page = { readonly items: readonly SessionHit[]; readonly next: string | null }

export type SqliteStore = {
  readonly open: (session: Session) => Result<Session, Fault>
  readonly session: (id: SessionId) => Result<Session, Fault>
  readonly sessions: (query: SessionQuery) => Result<Page, Fault>
  readonly remove: (id: SessionId) => Result<null, Fault>
  readonly append: (request: AppendRequest) => Result<AppendReport, Fault>
  readonly read: (id: SessionId, range: ReadRange) => Result<readonly Recorded[], Fault>
  readonly tail: (id: SessionId, want: { readonly messages: number; readonly before: number }) => Result<Tail, Fault>
  readonly standing: (id: SessionId) => Result<Standing, Fault>
  readonly texts: (hashes: readonly string[]) => Result<Map<string, string>, Fault>
  readonly checkpoint: (id: SessionId, checkpoint: Checkpoint) => Result<null, Fault>
  readonly checkpoints: (id: SessionId) => Result<readonly Checkpoint[], Fault>
  readonly openTurns: () => Result<readonly OpenTurn[], Fault>
  readonly waiting: () => Result<readonly SessionId[], Fault>
  /** Full text is indexed behind the writes, in batches; the answer is how many events were looked at. */
  readonly indexWords: (most: number) => Result<number, Fault>
}

const standingOf = ({ head, messages, tokens, heard, said, turns }: Standing): Standing => ({
  head,
  messages,
  tokens,
  heard,
  said,
  turns,
})

const shown = (row: SessionRow): Session => ({ ...(JSON.parse(row.body) as Session), messages: row.messages })

function eventOf(session: SessionId, { seq, at, type, body, tokens }: EventRow): Recorded {
  const fact = parseFact(type, body)
  if ('why' in fact) return { type: 'damaged', session, seq, at, tokens: 0, why: fact.why }
  return { ...fact, session, seq, at, tokens } as Event
}

export type StoreOperation = keyof SqliteStore
