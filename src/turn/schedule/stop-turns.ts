/** Stops turns for a person: those that run, and those that wait for an answer. */
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { all, err, mapResult, ok, type Result } from '../../model/result.ts'
import type { ContinuedTurns } from '../recovery/continue-turn.ts'
import type { Services } from '../services.ts'
import type { Halt } from '../step/stream-reply.ts'
import type { RunningTurns, WaitingTurn } from './running-turns.ts'

/** The turns that were stopped, and the lanes of those that waited: nothing runs there now, so what waits may go on. */
export type Stopped = { readonly stopped: Result<readonly TurnId[], Fault>; readonly freed: readonly WaitingTurn[] }

const STOPPED: Halt = { reason: 'cancelled', fault: fault('cancelled', 'stopped by a person') }

/** Stops one turn of a session, or all of them. */
export async function stopTurns(
  { log }: Pick<Services, 'log'>,
  running: RunningTurns,
  continued: ContinuedTurns,
  id: SessionId,
  turn?: TurnId,
): Promise<Stopped> {
  const openNow = (): readonly WaitingTurn[] =>
    running.activity(id).turns.filter(each => turn === undefined || each.turn === turn)
  // A turn that others read of in the log already may be about to run here.
  if (openNow().length === 0) await running.whenBegun(id)
  const open = openNow()
  if (turn !== undefined && open.length === 0) {
    const events = await log.read(id, { turn })
    if (!events.ok) return { stopped: events, freed: [] }
    const isKnown = events.value.length > 0
    return { stopped: isKnown ? ok([]) : err(fault('not-found', 'there is no turn of that id in this session')), freed: [] }
  }
  const each = await Promise.all(open.map(one => stopOne(running, continued, one)))
  return {
    stopped: mapResult(all(each.map(({ stopped }) => stopped)), turns => turns.flat()),
    freed: each.flatMap(({ freed }) => freed),
  }
}

async function stopOne(running: RunningTurns, continued: ContinuedTurns, open: WaitingTurn): Promise<Stopped> {
  const turn = running.runningAt(open.lane)
  if (turn?.turn !== open.turn) return stopWaiting(running, continued, open)
  turn.controller.abort(STOPPED)
  await turn.ended
  // It may have been set aside in the same moment.
  const waiting = running.waitingAt(open.lane)
  return waiting?.turn === open.turn ? stopWaiting(running, continued, waiting) : { stopped: ok([open.turn]), freed: [] }
}

/** Stops a turn that waits for a person. */
async function stopWaiting(running: RunningTurns, continued: ContinuedTurns, waiting: WaitingTurn): Promise<Stopped> {
  const stopped = await continued.end(waiting, { reason: 'cancelled' })
  // It may have gone on in the same moment, and run now.
  const isRunning = running.runningAt(waiting.lane)?.turn === waiting.turn
  if (stopped.ok && stopped.value.length === 0 && isRunning) return stopOne(running, continued, waiting)
  return { stopped, freed: [waiting] }
}
