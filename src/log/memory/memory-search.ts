/** Lists and finds the sessions in memory. */

import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session, SessionHit } from '../../model/session.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import type { SessionQuery } from '../ports.ts'
import { holdsWords, searchable, searchTerms, snippet } from '../snippet.ts'
import { type Row, shownSession } from './memory-rows.ts'

export function findSessions(
  rows: Iterable<Row>,
  { query, cursor, limit, ...wanted }: SessionQuery,
): Result<{ items: readonly SessionHit[]; next: string | null }, Fault> {
  const start = cursor === undefined ? ok(undefined) : readCursor(cursor)
  if (!start.ok) return start
  const terms = query === undefined ? [] : searchTerms(query)
  const hits = [...rows]
    .filter(row => isWanted(row.session, wanted))
    .flatMap(row => (query === undefined ? [shownSession(row)] : hit(row, shownSession(row), terms)))
    .sort(newestFirst)
    .filter(item => start.value === undefined || newestFirst(start.value, item) < 0)
  const items = hits.slice(0, limit)
  const last = items.at(-1)
  return ok({ items, next: hits.length > items.length && last !== undefined ? writeCursor(last) : null })
}

/** Whether a session passes the filters of a query. */
const isWanted = (session: Session, { project, parent, family, archived }: Partial<SessionQuery>): boolean =>
  (project === undefined || session.project === project) &&
  (parent === undefined || session.parent?.session === parent) &&
  (family === undefined || session.family === family) &&
  (archived === undefined || session.archived === archived)

/** Sorts the sessions that were used last to the front. */
export const newestFirst = (a: Pick<Session, 'updatedAt' | 'id'>, b: Pick<Session, 'updatedAt' | 'id'>): number =>
  a.updatedAt === b.updatedAt ? (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) : a.updatedAt < b.updatedAt ? 1 : -1

function hit(row: Row, session: Session, terms: readonly string[]): SessionHit[] {
  if (terms.length === 0) return []
  const found = row.events.findLast(event => holdsWords(searchable(event), terms))
  if (found !== undefined) return [{ ...session, snippet: snippet(searchable(found), terms), seq: found.seq }]
  return holdsWords(session.title ?? '', terms) ? [session] : []
}
