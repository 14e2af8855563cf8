/** Lists sessions by last use, and finds them by words. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { SessionHit } from '../../../model/session.ts'
import { readCursor, writeCursor } from '../../cursor.ts'
import type { SessionQuery, SessionSearch } from '../../ports.ts'
import { holdsWords, searchable, searchTerms, snippet } from '../../snippet.ts'
import type { Database, Query } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { EVENT, type EventRow, eventOf, SESSION_FIELDS, type StoredSession, sessionOfRow } from '../rows.ts'
import { indexedWord, type PostgresWords } from './words.ts'

type FoundSessions = { readonly items: readonly SessionHit[]; readonly next: string | null }
type Place = { readonly session: SessionId; readonly seq: number }

/** A very common word is looked for in the newest so many places only. */
const MOST_MATCHES = 20_000
/** More words than that no one types, and a question to the database has its limits. The last one counts: it may be only begun. */
const MOST_TERMS = 100
/** A search finds the newest words if they are not too many; the rest are indexed behind. */
const MOST_BATCHES_FIRST = 20

export function postgresSearch(db: Database, words: PostgresWords): SessionSearch {
  return {
    sessions: async wanted => {
      const { query: text } = wanted
      if (text === undefined) return listed(wanted)
      const terms = searchTerms(text).slice(-MOST_TERMS)
      if (terms.length === 0) return ok({ items: [], next: null })
      await fillFirst()
      return db.attempt(async query => ok(await found(query, wanted, terms)))
    },
  }

  async function listed({ cursor, limit, ...wanted }: SessionQuery): Promise<Result<FoundSessions, Fault>> {
    const start = cursor === undefined ? ok(null) : readCursor(cursor)
    if (!start.ok) return start
    const from = start.value ?? { updatedAt: '9999', id: '' }
    const { also, values } = narrowed(wanted, 4)
    return db.attempt(async query => {
      const rows = await query<StoredSession>(
        `select ${SESSION_FIELDS} from findable where updated_at <= $1 and (updated_at < $1 or id > $2) ${also}
         order by updated_at desc, id limit $3`,
        [from.updatedAt, from.id, limit + 1, ...values],
      )
      const items = rows.slice(0, limit).map(sessionOfRow)
      const last = items.at(-1)
      return ok({ items, next: rows.length > limit && last !== undefined ? writeCursor(last) : null })
    })
  }

  /** A database that cannot be written can still be searched; only the newest words are missing. */
  async function fillFirst(): Promise<void> {
    for (let batches = 0; batches < MOST_BATCHES_FIRST; batches += 1) {
      const filled = await words.fill(true)
      if (!filled.ok || filled.value !== 'more') return
    }
    words.fillSoon()
  }
}

/** The newest hit of each session; titles that match come after. One page: a search is narrowed, not paged. */
async function found(query: Query, wanted: SessionQuery, terms: readonly string[]): Promise<FoundSessions> {
  const { limit } = wanted
  const places = await placesOf(query, wanted, terms)
  const [said, events] = await Promise.all([
    query<StoredSession>(`select ${SESSION_FIELDS} from findable where id = any($1::text[])`, [
      places.map(({ session }) => session),
    ]),
    query<EventRow & Place>(
      `select session, ${EVENT} from events where (session, seq) in (select * from unnest($1::text[], $2::bigint[]))`,
      [places.map(({ session }) => session), places.map(({ seq }) => seq)],
    ),
  ])
  const rows = new Map(said.map(row => [row.id, row]))
  const snippets = new Map(events.map(row => [row.session, snippet(searchable(eventOf(row.session, row)), terms)]))
  const hits = new Map<SessionId, SessionHit>()
  for (const { session, seq } of places) {
    const [row, words] = [rows.get(session), snippets.get(session)]
    if (row !== undefined) hits.set(session, { ...sessionOfRow(row), ...(words === undefined ? {} : { snippet: words, seq }) })
  }
  if (hits.size < limit)
    for (const row of await titledWith(query, wanted, terms)) if (!hits.has(row.id)) hits.set(row.id, sessionOfRow(row))
  return { items: [...hits.values()].slice(0, limit), next: null }
}

/** The newest place of each session. Words of a long text are in several rows, and one of them need not have all. */
async function placesOf(query: Query, { limit, ...wanted }: SessionQuery, terms: readonly string[]): Promise<readonly Place[]> {
  const { also, values } = narrowed(wanted, 5)
  return query<Place>(
    `with whole as (
       select session, seq, at from words where seq > 0 and not is_sliced and vector @@ $1::tsquery
       order by at desc, session, seq desc limit ${MOST_MATCHES}),
     sliced as (
       select session, seq, at from words cross join unnest($4::tsquery[]) as term
       where seq > 0 and is_sliced and vector @@ $2::tsquery and vector @@ term
       group by session, seq, at having count(distinct term) = (select count(distinct each) from unnest($4::tsquery[]) as each)),
     newest as (
       select distinct on (session) session, seq, hit.at from (select * from whole union all select * from sliced) as hit
       join findable on findable.id = session where true ${also} order by session, seq desc)
     select session, seq from newest order by at desc, session limit $3`,
    [matching(terms, ' & '), matching(terms, ' | '), limit, wordsOf(terms), ...values],
  )
}

/** Sessions whose title has the words, last used first. The index may still have an older title. */
async function titledWith(
  query: Query,
  { limit, ...wanted }: SessionQuery,
  terms: readonly string[],
): Promise<readonly StoredSession[]> {
  const { also, values } = narrowed(wanted, 3)
  const rows = await query<StoredSession>(
    `select ${SESSION_FIELDS} from findable where id in (select session from words where seq = 0 and vector @@ $1::tsquery) ${also}
     order by updated_at desc, id limit $2`,
    [matching(terms, ' & '), 2 * limit, ...values],
  )
  return rows.filter(({ title }) => title !== null && holdsWords(title, terms))
}

/** Each word of a search for the database, the last one by its beginning. Words have only letters and digits, so none is syntax. */
const wordsOf = (terms: readonly string[]): readonly string[] =>
  terms.map((term, index) => `'${indexedWord(term)}'${index === terms.length - 1 ? ':*' : ''}`)

const matching = (terms: readonly string[], joint: ' & ' | ' | '): string => wordsOf(terms).join(joint)

/** The filters of a query, as SQL conditions from a parameter on, and their values. */
function narrowed(
  { project, parent, family, archived }: Partial<SessionQuery>,
  first: number,
): { readonly also: string; readonly values: readonly (string | boolean)[] } {
  const given = Object.entries({ project, parent, family, archived }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value: typeof value === 'string' ? encodeName(value) : value }],
  )
  return {
    also: given.map(({ column }, index) => `and ${column} = $${first + index}`).join(' '),
    values: given.map(({ value }) => value),
  }
}
