/** Reads a session together with its standing. */
import type { EventLog, SessionStore, Standing } from '../../log/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'

/** A session and its standing: the head of its log, its size, and the messages that are due. */
export type SessionState = { readonly session: Session; readonly standing: Standing }

/** Reads both at once, because each wait for the store delays the first word of the answer. */
export async function readState(log: EventLog & SessionStore, id: SessionId): Promise<Result<SessionState, Fault>> {
  const [session, standing] = await Promise.all([log.session(id), log.standing(id)])
  if (!session.ok) return session
  return standing.ok ? ok({ session: session.value, standing: standing.value }) : standing
}
