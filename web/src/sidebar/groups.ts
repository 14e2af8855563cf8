// Groups the list of sessions: pinned, then by day.
import type { SessionHit } from '../../../src/model/session.ts'
import type { State } from '../store/state.ts'
import { onePerFamily } from '../view/families.ts'
import { dateGroup } from '../words/words.ts'

/** Rows under one heading. */
export type SessionGroup = { readonly heading: string; readonly items: readonly SessionHit[] }

export type SessionListState = Pick<State, 'sessions' | 'query' | 'archived' | 'pins' | 'pinned' | 'gone' | 'project'>

/** The list as it is read: pinned ones first, then by day; hits come in the order of the search. */
export function sessionGroups(listed: SessionListState, now: Date): readonly SessionGroup[] {
  const rows = onePerFamily(listed.sessions).filter(session => !listed.gone.includes(session.family))
  if (listed.query.trim() !== '') return filled([{ heading: foundIn(listed), items: rows }])
  if (listed.archived) return filled([{ heading: 'Archived', items: rows }])
  const pinned = pinnedOf(listed)
  const rest = rows.filter(session => !listed.pins.includes(session.family))
  const days = Map.groupBy(rest, session => dateGroup(session.updatedAt, now))
  return filled([{ heading: 'Pinned', items: pinned }, ...Array.from(days, ([heading, items]) => ({ heading, items }))])
}

/** Every session of the list in the order one sees them. */
export const listedSessions = (listed: SessionListState, now: Date): readonly SessionHit[] =>
  sessionGroups(listed, now).flatMap(({ items }) => items)

/** In the order they were pinned, as the list knows them, else as they were read for themselves. */
function pinnedOf({ sessions, pins, pinned, gone, project }: SessionListState): readonly SessionHit[] {
  const known = onePerFamily([...sessions, ...pinned])
  return pins
    .filter(family => !gone.includes(family))
    .flatMap(family => known.find(session => session.family === family) ?? [])
    .filter(session => project === null || session.project === project)
}

const foundIn = ({ project, archived }: SessionListState): string =>
  `Found${archived ? ' in the archive' : ''}${project === null ? '' : ` in ${project}`}`

const filled = (groups: readonly SessionGroup[]): readonly SessionGroup[] => groups.filter(({ items }) => items.length > 0)
