/** Picks up an unfinished turn from its log, and finds the calls for which it waits for a person. */
import type { EventLog, Standing } from '../../log/ports.ts'
import type { Event, Fact, Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { isCutAtLimit, isReply } from '../../model/message/spoken.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { textSpoken } from '../../provider/text-protocol/spoken.ts'
import { speakerOf } from '../admission/speaker.ts'
import { materialAgain } from '../inspect/rebuild.ts'
import type { Model, Services } from '../services.ts'
import type { Running } from '../step/run.ts'
import { callState, lastAsking, standsBetweenSteps, unanswered } from '../tools/call-state.ts'
import { type Progress, progressOf } from './decide.ts'

/** What a turn that goes on is made of. */
export type PickedUp = Pick<
  Running,
  'voice' | 'speaker' | 'answers' | 'policy' | 'model' | 'thinking' | 'sampling' | 'cause' | 'ordinal' | 'standing' | 'own'
> &
  Required<Pick<Running, 'from'>>

/** Picks up a turn where its log leaves it, from its own receipts: what changed in the house since plays no part. */
export async function pickUp(
  services: Services,
  session: Session,
  turn: TurnId,
  standing: Standing,
): Promise<Result<PickedUp, Fault>> {
  const { log } = services
  const read = await answerOf(log, session.id, turn)
  if (!read.ok) return read
  const events = read.value
  const started = events.findLast(event => event.type === 'turn.started')
  const first = events.find(event => event.type === 'context.planned')
  // Of a request that was sent once more with less, the one that was accepted.
  const planned = events.findLast(event => event.type === 'context.planned' && event.step === first?.step)
  const at = cutAtLimit(events) ?? progressOf(events)
  if (started === undefined || planned?.type !== 'context.planned' || at.is === 'new')
    return err(fault('bug', 'this turn cannot be gone on with: its log lacks its beginning'))
  // Calls belong to the turn that made them: one that goes on with a text never makes those of another.
  if (at.is === 'replied' && at.reply.turn !== turn)
    return err(fault('conflict', 'this turn cannot be gone on with: the answer before it was not cut at its limit'))
  const { receipt } = planned
  const latest = events.findLast(event => event.type === 'context.planned') ?? planned
  const [material, cause] = await Promise.all([
    materialAgain(services, session.id, receipt, planned.step),
    log.read(session.id, { after: started.cause - 1, through: started.cause }),
  ])
  if (!material.ok) return material
  if (!cause.ok) return cause
  const model = modelOf(services, receipt.model, receipt.inputs.wire)
  if (!model.ok) return model
  const message = cause.value.filter((event): event is Event => event.type === 'message.received')
  const { voice } = started
  const speaker = speakerOf(services, session, voice)
  return ok({
    voice,
    // What it was asked with is frozen, so that it can go on also when it is gone from the workspace.
    speaker: speaker.ok ? speaker.value : { key: voice, name: voice, prompt: '' },
    answers: standing.voices[voice]?.answers ?? 0,
    policy: material.value.policy,
    model: model.value,
    thinking: material.value.material.thinking,
    ...(material.value.material.sampling === undefined ? {} : { sampling: material.value.material.sampling }),
    cause: started.cause,
    ordinal: receipt.inputs.ordinal,
    // Marks count as they did when the turn began.
    standing: { ...standing, head: receipt.inputs.marksThrough },
    own: [...message, ...events],
    from: {
      // A request that never got a reply is sent again, as the same step.
      step: at.is === 'replied' ? at.reply.step : at.is === 'cut' ? at.step : at.step - 1,
      frozen: { ...material.value.material, last: latest.receipt.window, isBare: receipt.degraded !== null },
      ...(at.is === 'replied' ? { replied: { reply: at.reply, after: at.after as readonly Event[] } } : {}),
    },
  })
}

/** Every event of a turn, after those of the turns whose text it goes on with. */
export async function answerOf(
  log: Pick<EventLog, 'read'>,
  session: SessionId,
  turn: TurnId,
  begunBefore: number = Number.POSITIVE_INFINITY,
): Promise<Result<readonly Event[], Fault>> {
  const read = await log.read(session, { turn })
  if (!read.ok) return read
  const events = read.value.filter((event): event is Event => event.type !== 'damaged')
  const started = events.find(event => event.type === 'turn.started')
  // A session from a file may say that two turns go on with each other.
  if (started === undefined || started.seq >= begunBefore) return ok([])
  if (started.continues !== true || started.resumes === undefined) return ok(events)
  const before = await answerOf(log, session, started.resumes, started.seq)
  return before.ok ? ok([...before.value, ...events]) : before
}

/** The progress of an answer that reached its limit and is about to go on: no request was made since. */
function cutAtLimit(events: readonly Event[]): Progress | undefined {
  const last = events.findLast(event => event.type === 'context.planned' || isReply(event))
  const isAbout = last?.type === 'reply.finished' && isCutAtLimit(last) && events.at(-1)?.type === 'turn.started'
  return isAbout ? { is: 'cut', step: last.step } : undefined
}

function modelOf(services: Services, name: string, wire: string): Result<Model, Fault> {
  const model = services.models.named(name)
  if (!model.ok || !wire.includes('+text@')) return model
  const provider = textSpoken(model.value.provider)
  return ok({ ...model.value, wire: provider.wire, provider })
}

/** Whether a turn has unsettled calls that a person was asked about. Such a turn waits, also after a restart. */
export function waitsForPerson(events: readonly Recorded[]): boolean {
  if (!standsBetweenSteps(events)) return false
  const asking = lastAsking(events)
  return unsettled(events).some(({ call }) => ['waiting', 'answered'].includes(callState(call, asking?.after ?? []).is))
}

/** What is still asked for, as questions that were never answered. */
export function openQuestions(events: readonly Recorded[]): readonly Extract<Event, { type: 'approval.asked' }>[] {
  const open = new Set(unsettled(events).map(({ call }) => call))
  return unanswered(events).filter(({ call }) => open.has(call))
}

/** Why a turn that is set aside does not go on. */
export type WaitingEnding = { readonly reason: 'cancelled' } | { readonly reason: 'failed'; readonly fault: Fault }

/** The facts that end a turn which is set aside: every question and every call gets its end. */
export function endingFacts(turn: TurnId, voice: string, events: readonly Recorded[], ending: WaitingEnding): readonly Fact[] {
  const questions = openQuestions(events).map(
    ({ approval, call, tool }): Fact => ({
      type: 'approval.answered',
      approval,
      turn,
      call,
      tool,
      answer: 'deny',
      reason: ending.reason === 'cancelled' ? 'the turn was stopped' : 'the turn could not go on',
    }),
  )
  const calls = unsettled(events).map(
    ({ call, tool }): Fact => ({
      type: 'tool.settled',
      turn,
      call,
      tool,
      ok: false,
      outcome: 'cancelled before it began',
      ms: 0,
    }),
  )
  return [...questions, ...calls, { type: 'turn.ended', turn, voice, ...ending }]
}

/** Calls of the last reply that have no end yet. */
export function unsettled(events: readonly Recorded[]): readonly { readonly call: string; readonly tool: string }[] {
  const asking = lastAsking(events)
  if (asking === undefined) return []
  return asking.reply.parts.flatMap(part =>
    part.type === 'call' && callState(part.call, asking.after).is !== 'settled' ? [{ call: part.call, tool: part.tool }] : [],
  )
}
