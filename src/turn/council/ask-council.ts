/** What a person asks of a council beside a message: another exchange, or a synthesis of a round. */
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { isInternalVoice, type SynthesisMode } from '../../model/settings/council.ts'
import type { Conductor } from '../conductor.ts'
import { readState } from '../schedule/session-state.ts'
import type { Services } from '../services.ts'
import { isRoundOver, lastRoundSeq, latestTurns, synthesisRequest } from './rounds.ts'

const NO_COUNCIL: Fault = fault('invalid', 'council: this session has none')

/** Lets advisors answer each other, in so many rounds at most; a person's next message ends it. */
export async function exchange(
  { log }: Services,
  conductor: Conductor,
  id: SessionId,
  rounds: number,
): ReturnType<Conductor['say']> {
  const state = await readState(log, id)
  if (!state.ok) return state
  if (state.value.session.council === null) return err(NO_COUNCIL)
  const { isBeginning, turns } = conductor.activity(id)
  if (isBeginning || turns.some(({ voice }) => !isInternalVoice(voice)))
    return err(fault('conflict', 'a round is still being answered; wait until it is over, or stop it'))
  const latest = await latestTurns(log, id)
  if (!latest.ok) return latest
  if (latest.value.length === 0) return err(fault('conflict', 'there is no round yet; ask the council something first'))
  return conductor.sayExchange(id, { round: 1, of: rounds })
}

/** Starts the turn that makes a synthesis: of the last round, or of the one that began with the message at `wanted`. */
export async function synthesize(
  { log }: Services,
  conductor: Conductor,
  id: SessionId,
  mode: SynthesisMode,
  wanted?: number,
): Promise<Result<TurnId, Fault>> {
  const state = await readState(log, id)
  if (!state.ok) return state
  const { session, standing } = state.value
  if (session.council === null) return err(NO_COUNCIL)
  const round = wanted === undefined ? await lastRoundSeq(log, id) : ok(wanted)
  if (!round.ok) return round
  const message = await log.read(id, { after: round.value - 1, through: round.value })
  if (!message.ok) return message
  if (wanted !== undefined && message.value[0]?.type !== 'message.received')
    return err(fault('not-found', `round: there is no message at ${wanted}`))
  if (!isRoundOver(standing, round.value, conductor.activity(id)))
    return err(fault('conflict', 'this round is still being answered; wait until it is over, or stop it'))
  const request = await synthesisRequest(log, id, round.value, mode)
  return request.ok ? conductor.start(session, request.value) : request
}
