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

/** The one that was used last, among those that are not put away. */
export async function sessionUsedLast(engine: Engine): Promise<Result<Session, Fault>> {
  const page = await engine.sessions({ archived: false, limit: 1 })
  if (!page.ok) return page
  const [newest] = page.value.items
  return newest === undefined ? err(fault('not-found', 'there is no session to go on with yet; leave out -c')) : ok(newest)
}

/** The session a person means: by its id, or by as much of its beginning as no other id shares. */
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

/** The same, or by its title; one without a title is known by what was said first. */
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

/** Who is to answer, where that is said. */
export type AnswererChoice = { readonly agent?: string; readonly council?: string }

/** Whether those answer in a session already. */
export const isFor = (session: Session, { agent, council }: AnswererChoice): boolean =>
  (agent === undefined || agent === session.agent) && (council === undefined || council === session.council)
