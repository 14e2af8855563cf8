/** Works out how long a turn has run so far, from its events. */
import type { Recorded } from '../../model/event.ts'
import type { ApprovalId, TurnId } from '../../model/ids.ts'

/** The time between a turn's events in milliseconds, without the time in which a question of its was open. */
export function runningMs(events: readonly Recorded[], turn: TurnId): number {
  const open = new Set<ApprovalId>()
  let since: number | undefined
  let ms = 0
  for (const event of events) {
    if (!('turn' in event) || event.turn !== turn) continue
    const at = Date.parse(event.at)
    // A clock that was set back must not give time.
    if (since !== undefined && open.size === 0) ms += Math.max(0, at - since)
    since = at
    if (event.type === 'approval.asked') open.add(event.approval)
    if (event.type === 'approval.answered') open.delete(event.approval)
  }
  return ms
}
