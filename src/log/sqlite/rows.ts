import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { SessionId } from '../../model/ids.ts'
import type { Session } from '../../model/session.ts'
import type { Standing } from '../ports.ts'

/** An open file as those see it who ask it something; every statement is prepared once. */
export type Tables = {
  readonly sql: (text: string) => StatementSync
  readonly rows: <Row>(text: string, ...values: SQLInputValue[]) => Row[]
  readonly row: <Row>(text: string, ...values: SQLInputValue[]) => Row | undefined
  readonly run: (text: string, ...values: SQLInputValue[]) => void
  readonly sessionRow: (id: SessionId) => SessionRow | undefined
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
  }
}

export type SessionRow = Pick<Standing, 'head' | 'messages' | 'tokens'> &
  Pick<Session, 'id' | 'title' | 'project'> & {
    readonly updated_at: string
    readonly family: SessionId
    readonly body: string
    readonly due: string
    readonly voices: string
  }

/** Its columns. */
export const SESSION = 'id, title, project, family, updated_at, body, head, messages, tokens, due, voices'

export const standingOf = ({ head, messages, tokens, due, voices }: SessionRow): Standing => ({
  head,
  messages,
  tokens,
  due: (parsed(due) ?? []) as Standing['due'],
  voices: (parsed(voices) ?? {}) as Standing['voices'],
})

/** A session whose own row is damaged keeps its name, its place and all that was said in it. */
export function shown({ id, title, project, family, updated_at: at, body, messages }: SessionRow): Session {
  const session = parsed(body)
  // Those of an older form do not say their family.
  if (isSession(session)) return { ...session, family, messages }
  const rest = { preview: null, model: null, agent: null, council: null, policy: 'full', archived: false }
  return { ...rest, id, title, project, family, createdAt: at, updatedAt: at, messages }
}

function isSession(value: unknown): value is Session {
  const { id, policy, createdAt, updatedAt } = (value ?? {}) as Partial<Session>
  return [id, policy, createdAt, updatedAt].every(field => typeof field === 'string')
}

/** Nothing, where a stored text is no longer JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
