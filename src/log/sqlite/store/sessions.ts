/** Opens sessions in the database, and saves what changes about them. */

import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import { NO_SESSION } from '../../faults.ts'
import type { Standing } from '../../ports.ts'
import { sessionOfRow } from '../../rows.ts'
import type { Tables } from './rows.ts'

export type SqliteSessions = {
  readonly open: (session: Session) => Result<Session, Fault>
  readonly session: (id: SessionId) => Result<Session, Fault>
}

export function sqliteSessions({ row, run, sessionRow }: Tables): SqliteSessions {
  return {
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
    session: id => {
      const found = sessionRow(id)
      return found === undefined ? err(NO_SESSION) : ok(sessionOfRow(found))
    },
  }
}

/** Saves a session and its standing. */
export function saveSession({ run }: Pick<Tables, 'run'>, id: SessionId, session: Session, standing: Standing): void {
  const { updatedAt, title, project, archived } = session
  const { head, messages, tokens, due, voices } = standing
  run(
    `update sessions set updated_at = ?, title = ?, project = ?, archived = ?, body = ?, head = ?, messages = ?, tokens = ?, due = ?, voices = ?
     where id = ?`,
    ...[updatedAt, title, project, archived ? 1 : 0, JSON.stringify(session)],
    ...[head, messages, tokens, JSON.stringify(due), JSON.stringify(voices), id],
  )
}
