/** How statements are run on an open file. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { SessionId } from '../../../model/ids.ts'
import type { Standing } from '../../ports.ts'
import { SESSION, type SessionRow } from '../../rows.ts'

/** An open file; every statement is prepared once. */
export type Tables = {
  readonly sql: (text: string) => StatementSync
  readonly rows: <Row>(text: string, ...values: SQLInputValue[]) => Row[]
  readonly row: <Row>(text: string, ...values: SQLInputValue[]) => Row | undefined
  readonly run: (text: string, ...values: SQLInputValue[]) => void
  readonly sessionRow: (id: SessionId) => SessionRow | undefined
  /** Whether a session of this id can be found. */
  readonly isKnown: (id: SessionId) => boolean
  /** Messages and tokens up to and including a seq. */
  readonly totalsAt: (id: SessionId, seq: number) => Pick<Standing, 'messages' | 'tokens'>
}

export function tablesOf(db: DatabaseSync): Tables {
  const prepared = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const known = prepared.get(text) ?? db.prepare(text)
    prepared.set(text, known)
    return known
  }
  const row = <Row>(text: string, ...values: SQLInputValue[]): Row | undefined => sql(text).get(...values) as Row | undefined
  return {
    sql,
    rows: <Row>(text: string, ...values: SQLInputValue[]) => sql(text).all(...values) as Row[],
    row,
    run: (text, ...values) => void sql(text).run(...values),
    sessionRow: id => row<SessionRow>(`select ${SESSION} from findable where id = ?`, id),
    isKnown: id => row('select 1 from findable where id = ?', id) !== undefined,
    totalsAt: (id, seq) =>
      row<Pick<Standing, 'messages' | 'tokens'>>(
        'select total_messages as messages, total_tokens as tokens from events where session = ? and seq = ?',
        ...[id, seq],
      ) ?? { messages: 0, tokens: 0 },
  }
}

export const INSERT_EVENT = `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins, event_id)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
