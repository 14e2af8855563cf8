/** Lists sessions by last use, and finds them by words. */

import type { SQLInputValue } from 'node:sqlite'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { SessionHit } from '../../../model/session.ts'
import { readCursor, writeCursor } from '../../cursor.ts'
import type { SessionQuery } from '../../ports.ts'
import { EVENT, type EventRow, eventOf, SESSION, type SessionRow, sessionOfRow } from '../../rows.ts'
import { holdsWords, searchable, searchTerms, snippet } from '../../snippet.ts'
import type { Tables } from './rows.ts'

export type FoundSessions = { readonly items: readonly SessionHit[]; readonly next: string | null }

export type SqliteSearch = { readonly sessions: (query: SessionQuery) => Result<FoundSessions, Fault> }

/** A very common word is looked for in the newest so many places only. */
const MOST_MATCHES = 20_000

export function sqliteSearch({ sql, rows, row, sessionRow }: Tables): SqliteSearch {
  return {
    sessions: query => (query.query === undefined ? listed(query) : found(query, query.query)),
  }

  function listed({ cursor, limit, ...wanted }: SessionQuery): Result<FoundSessions, Fault> {
    const { also, values } = narrowed(wanted)
    const start = cursor === undefined ? ok(null) : readCursor(cursor)
    if (!start.ok) return start
    const from = start.value ?? { updatedAt: '9999', id: '' }
    const found = rows<SessionRow>(
      `select ${SESSION} from findable
       where (updated_at < ? or (updated_at = ? and id > ?)) ${also}
       order by updated_at desc, id limit ?`,
      ...[from.updatedAt, from.updatedAt, from.id, ...values, limit + 1],
    ).map(sessionOfRow)
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return ok({ items, next: found.length > limit && last !== undefined ? writeCursor(last) : null })
  }

  /** Newest hit of each session; titles that match come after. One page: a search is narrowed, not paged. */
  function found({ limit, ...wanted }: SessionQuery, query: string): Result<FoundSessions, Fault> {
    const { also, values } = narrowed(wanted)
    const terms = searchTerms(query)
    if (terms.length === 0) return ok({ items: [], next: null })
    const match = terms.map((term, index) => `"${term}"${index === terms.length - 1 ? '*' : ''}`).join(' ')
    const hits = new Map<SessionId, SessionHit>()
    const add = (session: SessionId, where: Pick<SessionHit, 'snippet' | 'seq'>): void => {
      const found = sessionRow(session)
      if (found !== undefined) hits.set(session, { ...sessionOfRow(found), ...where })
    }
    const matching = sql(
      `select events.id, session from (select rowid from words where words match ? order by rowid desc limit ${MOST_MATCHES}) as hit
       join events on events.id = hit.rowid join findable on findable.id = session where true ${also} order by hit.rowid desc`,
    )
    for (const { id, session } of matching.iterate(match, ...values) as Iterable<{ id: number; session: SessionId }>) {
      if (hits.size >= limit) break
      if (!hits.has(session)) add(session, placeOf(session, id, terms))
    }
    const titled = sql(`select id, title from findable where title is not null ${also} order by updated_at desc`)
    for (const { id, title } of titled.iterate(...values) as Iterable<{ id: SessionId; title: string }>) {
      if (hits.size >= limit) break
      if (!hits.has(id) && holdsWords(title, terms)) add(id, {})
    }
    return ok({ items: [...hits.values()], next: null })
  }

  function placeOf(session: SessionId, id: number, terms: readonly string[]): Pick<SessionHit, 'snippet' | 'seq'> {
    const each = row<EventRow>(`select ${EVENT} from events where id = ?`, id)
    return each === undefined ? {} : { snippet: snippet(searchable(eventOf(session, each)), terms), seq: each.seq }
  }
}

/** The filters of a query, as SQL conditions and their values. */
function narrowed({ project, parent, family, archived }: Partial<SessionQuery>): {
  readonly also: string
  readonly values: readonly SQLInputValue[]
} {
  const wanted = Object.entries({ project, parent, family, archived: archived === undefined ? undefined : Number(archived) })
  const given = wanted.filter((each): each is [string, string | number] => each[1] !== undefined)
  return { also: given.map(([column]) => `and ${column} = ?`).join(' '), values: given.map(([, value]) => value) }
}
