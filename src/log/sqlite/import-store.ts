import type { Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { takenId } from '../faults.ts'
import type { KeptText, Standing } from '../ports.ts'
import { EVENT, type EventRow, eventOf, INSERT_EVENT } from './event-row.ts'
import type { Tables } from './rows.ts'
import { keepTexts } from './texts.ts'

/** Some of what is brought: sessions as far as they have come, and their next events in order. */
export type BringRequest = {
  readonly bringing: number
  readonly sessions: readonly { readonly session: Session; readonly standing: Standing; readonly isNew: boolean }[]
  readonly events: readonly ArrivingCells[]
  readonly texts: readonly { readonly session: SessionId; readonly since: number; readonly texts: readonly KeptText[] }[]
}

/** In the order of `INSERT_EVENT`; facts from elsewhere have no ids, since nobody writes them again. */
export type ArrivingCells = readonly [
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

export type Holder = 'somebody' | 'removed' | 'nobody'

/**
 * What is done to an open file to bring sessions in. They are written down piece by piece where nobody looks, then put among
 * the others, still unseen, a few at a time; that they can be found is in the end one row less in `bringings`.
 */
export type SqliteBringing = {
  /** A number for all that is brought together. */
  readonly beginBringing: () => Result<number, Fault>
  readonly bring: (request: BringRequest) => Result<null, Fault>
  /** Who has this id: a session that is here or will be, or one that was removed and is not all gone. */
  readonly holderOf: (id: SessionId) => Result<Holder, Fault>
  /** What one turn of a session on its way in has. */
  readonly arrivingTurn: (id: SessionId, turn: TurnId) => Result<readonly Recorded[], Fault>
  /** Puts some among the others; `more` asks to be called again. */
  readonly settle: (bringing: number) => Result<{ readonly more: boolean }, Fault>
  readonly publish: (bringing: number) => Result<null, Fault>
  /** Gives some up, to be removed later; `more` asks to be called again. */
  readonly giveUp: (bringing: number) => Result<{ readonly more: boolean }, Fault>
}

const COLUMNS = 'id, bringing, updated_at, project, title, parent, family, archived, body, head, messages, tokens, voices'
/** A few milliseconds' worth. */
const MOST_AT_ONCE = 500

export function sqliteBringing(tables: Tables): SqliteBringing {
  const { sql, rows, row, run } = tables
  const holderOf = (id: SessionId): Holder => {
    const isIn = (place: string): boolean => row(`select 1 from ${place} = ?`, id) !== undefined
    if (['sessions where id', 'arriving where id', 'copying where session'].some(isIn)) return 'somebody'
    return isIn('deleting where session') ? 'removed' : 'nobody'
  }
  /** Taken from where they wait, some at a time. */
  const waiting = (bringing: number): readonly SessionId[] =>
    rows<{ id: SessionId }>('select id from arriving where bringing = ? order by id limit ?', bringing, MOST_AT_ONCE).map(
      ({ id }) => id,
    )

  return {
    beginBringing: () => ok(Number(sql('insert into bringings default values').run().lastInsertRowid)),
    holderOf: id => ok(holderOf(id)),
    bring: ({ bringing, sessions, events, texts }) => {
      const taken = sessions.find(({ session, isNew }) => isNew && holderOf(session.id) !== 'nobody')
      if (taken !== undefined) return err(takenId(taken.session.id))
      for (const { session, standing } of sessions) stage(bringing, session, standing)
      const ids = events.map(cells => Number(sql(INSERT_EVENT).run(...cells, null).lastInsertRowid))
      passOver(bringing, ids)
      for (const each of texts) keepTexts(tables, each.session, each.texts, each.since)
      return ok(null)
    },
    arrivingTurn: (id, turn) => {
      const own = rows<EventRow>(`select ${EVENT} from events where session = ? and turn = ? order by seq`, id, turn)
      return ok(own.map(each => eventOf(id, each)))
    },
    settle: bringing => {
      const ids = waiting(bringing)
      for (const id of ids) {
        run(`insert into sessions (${COLUMNS}) select ${COLUMNS} from arriving where id = ?`, id)
        run('delete from arriving where id = ?', id)
      }
      return ok({ more: ids.length === MOST_AT_ONCE })
    },
    publish: bringing => {
      run('delete from bringings where id = ?', bringing)
      return ok(null)
    },
    giveUp: bringing => {
      const hidden = 'select id from sessions where bringing = ? limit ?'
      const ids = [...waiting(bringing), ...rows<{ id: SessionId }>(hidden, bringing, MOST_AT_ONCE).map(({ id }) => id)]
      for (const id of ids) {
        run('insert or ignore into deleting values (?)', id)
        for (const table of ['arriving', 'sessions']) run(`delete from ${table} where id = ?`, id)
      }
      if (ids.length >= MOST_AT_ONCE) return ok({ more: true })
      run('update unread set bringing = null where bringing = ?', bringing)
      run('update chores set sweep = 1')
      run('delete from bringings where id = ?', bringing)
      return ok({ more: false })
    },
  }

  function stage(bringing: number, session: Session, { head, messages, tokens, voices }: Standing): void {
    const { id, updatedAt, project, title, parent, family, archived } = session
    run(
      `insert or replace into arriving (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, bringing, updatedAt, project, title, parent?.session ?? null, family, archived ? 1 : 0, JSON.stringify(session)],
      ...[head, messages, tokens, JSON.stringify(voices)],
    )
  }

  /** Words are not searched before they can be found, so the index passes these rows over and comes back to them. */
  function passOver(bringing: number, ids: readonly number[]): void {
    const [first, last] = [ids.at(0), ids.at(-1)]
    if (first === undefined || last === undefined) return
    const longer = sql('update unread set last = ? where bringing = ? and last = ?').run(last, bringing, first - 1)
    if (longer.changes === 0) run('insert into unread values (?, ?, ?)', first, last, bringing)
  }
}

/** Whatever was on its way in when a process ended, however it did; nothing else has a row in `bringings`. */
export const GIVE_UP_ALL = `
  update chores set sweep = 1;
  insert or ignore into deleting select id from arriving;
  insert or ignore into deleting select id from sessions where bringing in (select id from bringings);
  update unread set bringing = null where bringing in (select id from bringings);
  delete from arriving;
  delete from sessions where bringing in (select id from bringings);
  delete from bringings;
`
