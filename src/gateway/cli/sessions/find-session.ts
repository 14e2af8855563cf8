// Finds the session that a person means.
import type { Engine, Session } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { parseSessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'

const PAGE = 500
const MOST_NAMED = 3

/** Every session, newest first, page by page. */
export async function* everySession(engine: Engine): AsyncGenerator<Result<Session, Fault>> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await engine.sessions({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    if (!page.ok) return yield page
    for (const session of page.value.items) yield ok(session)
    cursor = page.value.next
  }
}

/** The session used last, among those that are not archived. */
export async function sessionUsedLast(engine: Engine): Promise<Result<Session, Fault>> {
  const page = await engine.sessions({ archived: false, limit: 1 })
  if (!page.ok) return page
  const [newest] = page.value.items
  return newest === undefined ? err(fault('not-found', 'there is no session to go on with yet; leave out -c')) : ok(newest)
}

/** Finds a session by its id, or by a beginning of the id that no other session shares. */
export async function findSession(engine: Engine, wanted: string): Promise<Result<Session, Fault>> {
  const id = parseSessionId(wanted)
  if (!id.ok) return unknown(wanted)
  const exact = await engine.session(id.value)
  if (exact.ok || exact.fault.kind !== 'not-found') return exact
  const found: Session[] = []
  for await (const session of everySession(engine)) {
    if (!session.ok) return session
    if (session.value.id.startsWith(wanted)) found.push(session.value)
  }
  const [first, second] = found
  if (first === undefined) return unknown(wanted)
  if (second === undefined) return ok(first)
  const named = found.slice(0, MOST_NAMED).map(session => session.id)
  return err(fault('not-found', `${found.length} sessions begin with ${wanted}: ${named.join(', ')} …; give more of the id`))
}

/** Finds a session by its id or by its title. A session without a title is known by its first message. */
export async function sessionMeant(engine: Engine, wanted: string): Promise<Result<Session, Fault>> {
  if (wanted.startsWith('ses_')) return findSession(engine, wanted)
  const found: Session[] = []
  for await (const session of everySession(engine)) {
    if (!session.ok) return session
    const { title, preview } = session.value
    if ((title ?? preview) === wanted) found.push(session.value)
  }
  const [first, second] = found
  if (first === undefined) return unknown(wanted)
  if (second === undefined) return ok(first)
  const named = found.slice(0, MOST_NAMED).map(session => session.id)
  return err(
    fault('not-found', `${found.length} sessions are called "${escapeToOneLine(wanted)}": ${named.join(', ')}; give the id`),
  )
}

const unknown = (wanted: string): Result<never, Fault> =>
  err(fault('not-found', `there is no session ${escapeToOneLine(wanted)}; "turnwise sessions" lists them`))

/** The agent or council that should answer, if the person named one. */
export type AnswererChoice = { readonly agent?: string; readonly council?: string }

/** Whether this agent or council already answers in a session. */
export const isFor = (session: Session, { agent, council }: AnswererChoice): boolean =>
  (agent === undefined || agent === session.agent) && (council === undefined || council === session.council)
