/** Starts turns again that ended without an answer, when a person asks for it. */
import { ANYONE, type Due, type EventLog } from '../../log/ports.ts'
import type { EndReason } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { hasWords, isCutAtLimit, isReply } from '../../model/message/spoken.ts'
import { all, err, ok, type Result } from '../../model/result.ts'
import { isAfterRound, isHouseVoice, isInternalVoice } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import { anyoneIn } from '../admission/addressing.ts'
import type { Conductor } from '../conductor.ts'
import { endsOf } from '../council/round-members.ts'
import { lastRoundSeq, latestTurns, type Started } from '../council/rounds.ts'
import { readState } from '../schedule/session-state.ts'
import type { TurnRequest } from '../schedule/start-turn.ts'
import { unansweredIn } from '../schedule/unanswered-messages.ts'
import type { Services } from '../services.ts'
import { answerOf } from './pick-up.ts'

type Reading = Pick<EventLog, 'read'>

/** How a turn ended: as its end says, or `done` with an answer that was cut at its limit or has no words. */
type Outcome = { readonly is: EndReason | 'cut' | 'empty'; readonly isCut: boolean }

/** An ended turn that may be started again; `isCut`: it continues its own text. */
type Unfinished = Started & Outcome

const AGAIN: readonly Outcome['is'][] = ['failed', 'interrupted', 'cut', 'empty']
/** A turn that a person stopped, or that reached its step limit, is only started again by its id. */
const AGAIN_BY_ID: readonly Outcome['is'][] = [...AGAIN, 'cancelled', 'limit']

/** Starts again what failed in the last round and what was never answered, or the one turn that is named. */
export async function resumeTurns(
  services: Services,
  conductor: Conductor,
  id: SessionId,
  wanted?: TurnId,
): Promise<Result<readonly TurnId[], Fault>> {
  const { log } = services
  const state = await readState(log, id)
  if (!state.ok) return state
  const { session } = state.value
  const known = wanted === undefined ? ok([null]) : await log.read(id, { turn: wanted })
  if (!known.ok) return known
  if (known.value.length === 0) return err(fault('not-found', 'there is no turn of that id in this session'))
  const found = await unfinishedTurns(log, id, wanted)
  if (!found.ok) return found
  const busy = new Set(conductor.activity(id).turns.map(({ voice }) => voice))
  const due = wanted === undefined ? await unansweredIn(log, state.value) : ok([])
  if (!due.ok) return due
  const unanswered = firstOfEach(due.value, busy)
  const requests = [
    ...turnsAgain(found.value, unanswered),
    ...unanswered.flatMap(({ voice, seq }) =>
      (voice === ANYONE ? anyoneIn(services, session) : [voice]).map(each => ({ voice: each, cause: seq })),
    ),
  ]
  const started: TurnId[] = []
  for (const request of requests) {
    const turn = await conductor.start(session, request)
    if (turn.ok) started.push(turn.value)
    else if (turn.fault.kind !== 'conflict') return turn
  }
  return started.length === 0 ? err(fault('conflict', nothingToResume(wanted))) : ok(started)
}

function turnsAgain(found: readonly Unfinished[], unanswered: readonly Due[]): readonly TurnRequest[] {
  // A voice that has a newer message to answer does not continue an older answer.
  const isPast = ({ is, voice, cause }: Unfinished): boolean =>
    (is === 'cut' || is === 'empty') &&
    unanswered.some(each => (each.voice === voice || each.voice === ANYONE) && each.seq > cause)
  const current = found.filter(each => !isPast(each))
  // A synthesis waits for the advisors who answer in its round.
  const advisors = current.filter(({ voice }) => !isHouseVoice(voice))
  return (advisors.length > 0 ? advisors : current).map(({ voice, cause, turn, mode, isCut }) => ({
    ...{ voice, cause, resumes: turn },
    ...(isCut ? { continues: true as const } : {}),
    ...(mode === undefined ? {} : { mode }),
  }))
}

/** Ended turns that may be started again: all of the last round that failed, or the one that is named. */
async function unfinishedTurns(
  log: Reading,
  id: SessionId,
  wanted: TurnId | undefined,
): Promise<Result<readonly Unfinished[], Fault>> {
  const read = all([await latestTurns(log, id), await lastRoundSeq(log, id)])
  if (!read.ok) return read
  const [turns, round] = read.value
  const found: Unfinished[] = []
  for (const each of turns) {
    // No code would set the title of a resumed title turn, and what is to be folded is found anew.
    if (isInternalVoice(each.voice)) continue
    if (wanted === undefined ? each.cause < round : each.turn !== wanted) continue
    const outcome = await outcomeOf(log, id, each)
    if (!outcome.ok) return outcome
    if (outcome.value !== undefined && (wanted === undefined ? AGAIN : AGAIN_BY_ID).includes(outcome.value.is))
      found.push({ ...each, ...outcome.value })
  }
  return ok(found)
}

/** How a turn ended; nothing while it has not. */
async function outcomeOf(log: Reading, id: SessionId, { turn, continues }: Started): Promise<Result<Outcome | undefined, Fault>> {
  const answer = await answerOf(log, id, turn)
  if (!answer.ok) return answer
  const reason = endsOf(answer.value).get(turn)
  if (reason === undefined) return ok(undefined)
  const replies = answer.value.filter(isReply)
  const last = replies.at(-1)
  // Where the continuation of a text failed at once, that text can still be continued.
  const hasReplied = replies.some(reply => reply.turn === turn && reply.type === 'reply.finished')
  const whole = replies.findLast(reply => reply.type === 'reply.finished')
  const wasCut = whole?.type === 'reply.finished' && isCutAtLimit(whole)
  if (reason !== 'done') return ok({ is: reason, isCut: continues === true && !hasReplied && wasCut })
  if (last === undefined || !replies.some(hasWords)) return ok({ is: 'empty', isCut: false })
  const isCut = last.type === 'reply.finished' && isCutAtLimit(last)
  return ok({ is: isCut ? 'cut' : reason, isCut })
}

/** The first message that each voice has not answered, of the voices that are silent now. */
function firstOfEach(due: readonly Due[], busy: ReadonlySet<VoiceId>): readonly Due[] {
  const open = due.filter(({ voice }) => !isAfterRound(voice) && !busy.has(voice))
  return open.filter(({ voice }, index) => open.findIndex(other => other.voice === voice) === index)
}

const nothingToResume = (wanted: TurnId | undefined): string =>
  wanted === undefined
    ? 'there is nothing to go on with: no turn of the last round failed or was cut, and every message was heard'
    : 'this turn cannot be gone on with: it runs, it was answered, or its voice has spoken since'
