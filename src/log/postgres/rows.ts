/** The rows of the PostgreSQL store: what they have beyond those of every store with tables, and whether a session is there. */

import { setImmediate as immediate } from 'node:timers/promises'
import type { SessionId } from '../../model/ids.ts'
import { parsedJson, SESSION, type SessionRow } from '../rows.ts'
import type { Query } from './database.ts'

export { EVENT, type EventCells, type EventRow, eventOf, eventOfCells, parsedJson, sessionOfRow, standingOf } from '../rows.ts'

/** A session with its open turns and the running numbers of its speakers, both as JSON. */
export type StoredSession = SessionRow & { readonly turns: string; readonly speakers: string }

export const SESSION_FIELDS: string = `${SESSION}, turns, speakers`

/** A turn without an end: who answers, where it began, and whether one of its replies has a number among the messages. */
export type OpenTurnState = { readonly voice: string; readonly started: number; readonly isNumbered: boolean }

/** What is kept in a session's row beside its standing. */
export type IndexState = {
  readonly turns: Readonly<Record<string, OpenTurnState>>
  readonly speakers: Readonly<Record<string, number>>
}

export const NO_INDEX: IndexState = { turns: {}, speakers: {} }

export const indexStateOf = ({ turns, speakers }: Pick<StoredSession, 'turns' | 'speakers'>): IndexState => ({
  turns: (parsedJson(turns) ?? {}) as IndexState['turns'],
  speakers: (parsedJson(speakers) ?? {}) as IndexState['speakers'],
})

export async function hasSession(query: Query, id: SessionId): Promise<boolean> {
  return (await sessionRow(query, id)) !== undefined
}

type Rows = ReadonlyMap<SessionId, StoredSession>
type Gathering = { readonly ids: Set<SessionId>; readonly rows: Promise<Rows> }

/** The sessions that are looked for next, with one statement for all: nearly every read of a turn begins with its session. */
const gatherings = new WeakMap<Query, Gathering>()

export async function sessionRow(query: Query, id: SessionId): Promise<StoredSession | undefined> {
  let gathering = gatherings.get(query)
  if (gathering === undefined) {
    const ids = new Set<SessionId>()
    gathering = { ids, rows: rowsOf(query, ids) }
    gatherings.set(query, gathering)
  }
  gathering.ids.add(id)
  return (await gathering.rows).get(id)
}

/** Looks when everything that this moment has brought is known. Who asks later is not answered by what is found now. */
async function rowsOf(query: Query, ids: ReadonlySet<SessionId>): Promise<Rows> {
  await immediate()
  gatherings.delete(query)
  const wanted = [...ids]
  // A list is planned anew each time, a single id is not.
  const found =
    wanted.length === 1
      ? await query<StoredSession>(`select ${SESSION_FIELDS} from findable where id = $1`, wanted)
      : await query<StoredSession>(`select ${SESSION_FIELDS} from findable where id = any($1::text[])`, [wanted])
  return new Map(found.map(row => [row.id, row]))
}
