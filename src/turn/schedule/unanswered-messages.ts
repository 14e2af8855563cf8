import type { Due, EventLog } from '../../log/ports.ts'
import { dueIn, EMPTY_STANDING, standingAfter } from '../../log/standing.ts'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import type { SessionState } from './session-state.ts'

/** How far back from its end a session that came from elsewhere is looked at. */
const LOOK_BACK = 200

/**
 * What a voice has not heard. In a session from elsewhere nobody waits for an answer; so when a person asks for one, what was
 * said last there counts as unheard where no turn began with it.
 */
export async function unansweredIn(
  log: Pick<EventLog, 'read'>,
  { session, standing }: SessionState,
): Promise<Result<readonly Due[], Fault>> {
  const { id, brought } = session
  if (brought === undefined) return ok(standing.due)
  const since = await log.read(id, { after: brought, only: 'turn.started', limit: LOOK_BACK })
  if (!since.ok) return since
  const isGoneOnWith = since.value.some(event => event.type === 'turn.started' && !isHouseVoice(event.voice))
  if (isGoneOnWith) return ok(standing.due)
  const end = await log.read(id, { through: brought, newest: true, limit: LOOK_BACK })
  if (!end.ok) return end
  const due = dueIn(session, end.value.reduce(standingAfter, EMPTY_STANDING).due)
  const last = end.value.findLast(event => event.type === 'message.received')
  return ok([...due.filter(({ seq }) => seq === last?.seq), ...standing.due])
}
