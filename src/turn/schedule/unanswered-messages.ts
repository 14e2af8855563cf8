/** Finds the messages that a voice has not answered, also in an imported session. */
import type { Due, EventLog } from '../../log/ports.ts'
import { dueIn, EMPTY_STANDING, standingAfter } from '../../log/standing.ts'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import type { SessionState } from './session-state.ts'

/** How many events from the end of an imported session are read. */
const LOOK_BACK = 200

/**
 * The messages that a voice has not heard. In an imported session no message waits for an answer. So when a person asks for
 * one, the last message counts as unheard if no turn began with it.
 */
export async function unansweredIn(
  log: Pick<EventLog, 'read'>,
  { session, standing }: SessionState,
): Promise<Result<readonly Due[], Fault>> {
  const { id, importedThrough } = session
  if (importedThrough === undefined) return ok(standing.due)
  const since = await log.read(id, { after: importedThrough, only: 'turn.started', limit: LOOK_BACK })
  if (!since.ok) return since
  const isGoneOnWith = since.value.some(event => event.type === 'turn.started' && !isHouseVoice(event.voice))
  if (isGoneOnWith) return ok(standing.due)
  const end = await log.read(id, { through: importedThrough, newest: true, limit: LOOK_BACK })
  if (!end.ok) return end
  const due = dueIn(session, end.value.reduce(standingAfter, EMPTY_STANDING).due)
  const last = end.value.findLast(event => event.type === 'message.received')
  return ok([...due.filter(({ seq }) => seq === last?.seq), ...standing.due])
}
