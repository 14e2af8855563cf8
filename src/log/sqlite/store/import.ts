/** Writes imported sessions into the database, where they cannot be found until the import is published. */

import type { Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import { takenId } from '../../faults.ts'
import type { KeptText, Standing } from '../../ports.ts'
import { EVENT, type EventRow, eventOf } from '../../rows.ts'
import { INSERT_EVENT, type Tables } from './rows.ts'
import { keepTexts } from './texts.ts'

/** A part of an import: its sessions so far, and their next events in order. */
export type ImportRequest = {
  /** The number of the import. */
  readonly number: number
  readonly sessions: readonly { readonly session: Session; readonly standing: Standing; readonly isNew: boolean }[]
  readonly events: readonly ImportedCells[]
  readonly texts: readonly { readonly session: SessionId; readonly since: number; readonly texts: readonly KeptText[] }[]
}

/** In the order of `INSERT_EVENT`; imported facts have no ids, since no writer tries them again. */
export type ImportedCells = readonly [
  session: SessionId,
  seq: number,
  at: string,
  type: string,
  turn: TurnId | null,
  body: string,
  tokens: number,
  totalTokens: number,
  totalMessages: number,
  begins: number,
]

/** `taken`: a session has this id, or an import or a fork under way will. `removed`: a removed session still has events to delete. */
export type IdState = 'taken' | 'removed' | 'free'

/**
 * Sessions are written piece by piece into the table `arriving`, then moved to `sessions`, still hidden, a few at a time. They
 * can be found once the row of their import is gone from `bringings`.
 */
export type SqliteImports = {
  /** Gives the number of a new import. */
  readonly beginImport: () => Result<number, Fault>
  readonly addToImport: (request: ImportRequest) => Result<null, Fault>
  readonly stateOfId: (id: SessionId) => Result<IdState, Fault>
  /** The events of one turn of a session that is being imported. */
  readonly importedTurn: (id: SessionId, turn: TurnId) => Result<readonly Recorded[], Fault>
  /** Moves some sessions among the others; `more` asks to be called again. */
  readonly moveImported: (number: number) => Result<{ readonly more: boolean }, Fault>
  readonly publishImport: (number: number) => Result<null, Fault>
  /** Gives up some sessions, to be removed later; `more` asks to be called again. */
  readonly abandonImport: (number: number) => Result<{ readonly more: boolean }, Fault>
}

const COLUMNS = 'id, bringing, updated_at, project, title, parent, family, archived, body, head, messages, tokens, voices'
/** A few milliseconds' worth. */
const MOST_AT_ONCE = 500

export function sqliteImports(tables: Tables): SqliteImports {
  const { sql, rows, row, run } = tables
  const stateOfId = (id: SessionId): IdState => {
    const isIn = (place: string): boolean => row(`select 1 from ${place} = ?`, id) !== undefined
    if (['sessions where id', 'arriving where id', 'copying where session'].some(isIn)) return 'taken'
    return isIn('deleting where session') ? 'removed' : 'free'
  }
  /** Sessions that are not among the others yet, some at a time. */
  const arriving = (number: number): readonly SessionId[] =>
    rows<{ id: SessionId }>('select id from arriving where bringing = ? order by id limit ?', number, MOST_AT_ONCE).map(
      ({ id }) => id,
    )

  return {
    beginImport: () => ok(Number(sql('insert into bringings default values').run().lastInsertRowid)),
    stateOfId: id => ok(stateOfId(id)),
    addToImport: ({ number, sessions, events, texts }) => {
      const taken = sessions.find(({ session, isNew }) => isNew && stateOfId(session.id) !== 'free')
      if (taken !== undefined) return err(takenId(taken.session.id))
      for (const { session, standing } of sessions) stage(number, session, standing)
      const ids = events.map(cells => Number(sql(INSERT_EVENT).run(...cells, null).lastInsertRowid))
      passOver(number, ids)
      for (const each of texts) keepTexts(tables, each.session, each.texts, each.since)
      return ok(null)
    },
    importedTurn: (id, turn) => {
      const own = rows<EventRow>(`select ${EVENT} from events where session = ? and turn = ? order by seq`, id, turn)
      return ok(own.map(each => eventOf(id, each)))
    },
    moveImported: number => {
      const ids = arriving(number)
      for (const id of ids) {
        run(`insert into sessions (${COLUMNS}) select ${COLUMNS} from arriving where id = ?`, id)
        run('delete from arriving where id = ?', id)
      }
      return ok({ more: ids.length === MOST_AT_ONCE })
    },
    publishImport: number => {
      run('delete from bringings where id = ?', number)
      return ok(null)
    },
    abandonImport: number => {
      const hidden = 'select id from sessions where bringing = ? limit ?'
      const ids = [...arriving(number), ...rows<{ id: SessionId }>(hidden, number, MOST_AT_ONCE).map(({ id }) => id)]
      for (const id of ids) {
        run('insert or ignore into deleting values (?)', id)
        for (const table of ['arriving', 'sessions']) run(`delete from ${table} where id = ?`, id)
      }
      if (ids.length >= MOST_AT_ONCE) return ok({ more: true })
      run('update unread set bringing = null where bringing = ?', number)
      run('update chores set sweep = 1')
      run('delete from bringings where id = ?', number)
      return ok({ more: false })
    },
  }

  function stage(number: number, session: Session, { head, messages, tokens, voices }: Standing): void {
    const { id, updatedAt, project, title, parent, family, archived } = session
    run(
      `insert or replace into arriving (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, number, updatedAt, project, title, parent?.session ?? null, family, archived ? 1 : 0, JSON.stringify(session)],
      ...[head, messages, tokens, JSON.stringify(voices)],
    )
  }

  /** The full-text index skips these rows until the import is published, and comes back to them then. */
  function passOver(number: number, ids: readonly number[]): void {
    const [first, last] = [ids.at(0), ids.at(-1)]
    if (first === undefined || last === undefined) return
    const longer = sql('update unread set last = ? where bringing = ? and last = ?').run(last, number, first - 1)
    if (longer.changes === 0) run('insert into unread values (?, ?, ?)', first, last, number)
  }
}

/** Gives up every import that a process left unfinished; only those have a row in `bringings`. */
export const ABANDON_IMPORTS = `
  update chores set sweep = 1;
  insert or ignore into deleting select id from arriving;
  insert or ignore into deleting select id from sessions where bringing in (select id from bringings);
  update unread set bringing = null where bringing in (select id from bringings);
  delete from arriving;
  delete from sessions where bringing in (select id from bringings);
  delete from bringings;
`
