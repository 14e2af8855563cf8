import type { EventLog, SessionStore, Standing } from '../../log/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'

/** A session and where it stands. */
export type SessionState = { readonly session: Session; readonly standing: Standing }

/** Both asked for together: each wait for the store is felt before the first word. */
export async function readState(log: EventLog & SessionStore, id: SessionId): Promise<Result<SessionState, Fault>> {
  const [session, standing] = await Promise.all([log.session(id), log.standing(id)])
  if (!session.ok) return session
  return standing.ok ? ok({ session: session.value, standing: standing.value }) : standing
}
