/** Runs a turn: step after step until the model has answered, and writes how the turn ended. */
import { beyondWindow } from '../../context/receipt/beyond.ts'
import { LEAST_REPLY, thinksBy, withoutThinking, withReply, withThinking } from '../../context/reply-limit.ts'
import type { Standing } from '../../log/ports.ts'
import type { Call, EndReason, Event, Fact, Part } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import { missedBy } from '../../model/message/audience.ts'
import type { Material, OutlineItem, Plan } from '../../model/plan.ts'
import type { Receipt } from '../../model/receipt.ts'
import type { TurnSampling } from '../../model/sampling.ts'
import type { Session } from '../../model/session.ts'
import { FOLD, isHouseVoice } from '../../model/settings/council.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Speaker } from '../admission/speaker.ts'
import { tokensUsed } from '../cost/reported-usage.ts'
import { BUG } from '../durable/bug-guard.ts'
import type { Ledger } from '../durable/ledger.ts'
import type { Equipment } from '../equipment/equipment.ts'
import { foldStep } from '../memory/fold-step.ts'
import { recallAfter } from '../recall/recall-material.ts'
import { internalOf, withoutBlanks } from '../recovery/decide.ts'
import type { Model, Services } from '../services.ts'
import { callState, type FinishedReply, unanswered } from '../tools/call-state.ts'
import { refuseAll, settle } from '../tools/run-tools.ts'
import { continuedFrom, mayContinue, policyAfter, roundLimit, saidBefore, stepsTaken, withinRound } from './cut-replies.ts'
import type { Frozen } from './gather.ts'
import type { Outlines } from './last-outlines.ts'
import { noticesFor, retryNotice, shorterNotice } from './notices.ts'
import { prepare } from './prepare-request.ts'
import { replyFact } from './reply-builder.ts'
import { type SmallerRequest, smallerRequest } from './retry-smaller.ts'
import { learnFrom, NOTHING_USED, sendRequest } from './send-request.ts'
import type { Halt } from './stream-reply.ts'
import { createTimeLimit, type TimeLimit } from './time-limit.ts'

/** What a turn that runs is made of; all of this stays the same to its end. */
export type Running = {
  readonly session: Session
  readonly turn: TurnId
  readonly voice: VoiceId
  readonly speaker: Speaker
  /** How often the voice has answered to the end. */
  readonly answers: number
  readonly policy: Policy
  readonly model: Model
  readonly thinking: boolean
  readonly sampling?: TurnSampling
  /** The voice's last request before this turn, to see how much of it the next one begins with; it may still be read. */
  readonly before: TurnState['before']
  /** How long the turn waits for the store before its first request. */
  readonly timeLimit: TimeLimit
  readonly cause: number
  readonly ordinal: number
  readonly ledger: Ledger
  /** Whether an answer is being made now, in any session. */
  readonly isAnswering: () => boolean
  /** Keeps every request, for the voice's next one to be compared with. */
  readonly outlines: Outlines
  /** The standing of the session when the turn started. */
  readonly standing: Standing
  /** The message that caused the turn, if it is at hand, and everything the turn has said. */
  readonly own: readonly Event[]
  readonly equipment: Equipment
  /** As if nothing had been said after this seq. */
  readonly at?: number
  /** Where a turn goes on that was left in the middle. */
  readonly from?: {
    readonly step: number
    readonly frozen: Frozen
    /** The reply whose calls are to be settled first. */
    readonly replied?: { readonly reply: FinishedReply; readonly after: readonly Event[] }
  }
}

/** All that a turn carries from one step to the next; everything else a step reads from the log. */
export type TurnState = {
  /** The number of the step that comes now. */
  readonly step: number
  readonly own: readonly Event[]
  readonly before: readonly OutlineItem[] | undefined | Promise<readonly OutlineItem[] | undefined>
  readonly timeLimit: TimeLimit
  /** What the first request was built from; nothing before it is built. */
  readonly frozen?: Frozen | undefined
  /** What a first request that was refused is made of when it is sent once more. */
  readonly smaller?: SmallerRequest | undefined
  /** How long a reply may be where there is no money for a longer one, beside a request of at most `limit` tokens. */
  readonly affordable?: { readonly reply: number; readonly limit: number } | undefined
}

/** How a turn ends, and its last facts; all of them are written at once, so that followers wait only once. */
export type TurnEnding = { readonly reason: EndReason; readonly fault?: Fault; readonly last?: readonly Fact[] }

/** What comes after a step: another one, or the end of the turn. */
type AfterStep = { readonly next: TurnState } | { readonly ending: TurnEnding | 'waits' }

/**
 * Runs a turn to its end, or until it has to wait for a person: then it is set aside, holds nothing, and goes on from its
 * log alone. When the gateway stops, the turn is left as it is and goes on at the next start. In every other case, also after a
 * bug, the turn ends and its end is written.
 */
export async function runTurn(services: Services, running: Running, signal: AbortSignal): Promise<'ended' | 'waits' | 'left'> {
  const ending = await takeSteps(services, running, signal).catch((cause: unknown): TurnEnding => {
    services.observe({ type: 'bug', cause })
    return { reason: 'failed', fault: BUG }
  })
  if (ending === 'waits') return 'waits'
  if (ending.reason === 'interrupted' && services.resume.mode === 'auto') {
    await running.ledger.write(ending.last ?? [])
    return 'left'
  }
  // The conductor tells followers of the end when the lane is free: they may send the next message at once.
  await running.ledger.write([...(ending.last ?? []), ended(running, ending)], { isQuiet: true })
  services.feed.settled(running.session.id, running.turn)
  services.observe({ type: 'ended', reason: ending.reason })
  return 'ended'
}

async function takeSteps(services: Services, running: Running, signal: AbortSignal): Promise<TurnEnding | 'waits'> {
  if (running.voice === FOLD) return foldStep(services, running, signal)
  const first = firstState(running)
  const replied = running.from?.replied
  let after: AfterStep =
    replied === undefined ? { next: first } : await useTools(services, running, replied.reply, replied.after, first, signal)
  while ('next' in after) after = await takeStep(services, running, after.next, signal)
  return after.ending
}

const firstState = ({ own, before, timeLimit, from }: Running): TurnState => ({
  step: (from?.step ?? 0) + 1,
  own,
  before,
  timeLimit,
  frozen: from?.frozen,
})

/** One step: builds a request, sends it, and sees to what the reply asks for. */
async function takeStep(services: Services, running: Running, state: TurnState, signal: AbortSignal): Promise<AfterStep> {
  const { session, model, turn, ledger } = running
  const { step, own } = state
  const policy = policyFor(running, state)
  const prepared = await prepareStep(services, running, state, policy)
  if (!prepared.ok) return failed(prepared.fault)
  const { receipt, plan, material } = prepared.value
  const isBare = receipt.degraded !== null
  const frozen: Frozen = { ...(state.frozen ?? { ...frozenBy(material, receipt), isBare }), last: receipt.window }
  const thinks = thinksBy(material.thinking, material.sampling?.given)
  const reservation = await services.budget.reserve(model, receipt.tokens, withThinking(LEAST_REPLY, thinks))
  if (!reservation.ok) return failed(reservation.fault)
  const { output } = reservation.value
  if (output < receipt.tokens.reserved) {
    // The money is given back at once, and reserved again for the shorter reply that is asked for now.
    reservation.value.settle(NOTHING_USED)
    services.feed.notice(session.id, shorterNotice(output, turn))
    const affordable = { reply: withoutThinking(output, thinks), limit: receipt.tokens.limit }
    return { next: { ...state, frozen, affordable } }
  }
  const before = await shownBefore(services, running, state.timeLimit)
  const notices = noticesFor({ receipt, turn, before, limited: step === 1 ? roundLimit(own) : undefined })
  const request = { prepared: prepared.value, reservation: reservation.value, notices, saidBefore: saidBefore(own) }
  const sent = await sendRequest(services, running, step, request, signal)
  if (!sent.ok) return failed(sent.fault)
  const { planned, draft } = sent.value
  const said = { ...replyFact(draft, model.name), ...internalOf(running.voice) }
  const reply = withPlace(withBeyond(said, plan, running), material, planned.at(-1)?.seq ?? 0, running)
  if (reply.usage !== undefined) learnFrom(services, running, receipt, reply.usage)
  running.outlines.keep(session.id, running.voice, plan.outline, receipt)
  const { limits } = services
  const timeLimit = createTimeLimit(limits.historyMs)
  const used = tokensUsed([...own, ...planned, reply], turn)

  if (reply.type === 'reply.broken') {
    const isRefused = step === 1 && state.smaller === undefined && reply.parts.length === 0 && !signal.aborted
    const smaller = isRefused ? smallerRequest(receipt, policy, reply.fault) : undefined
    if (smaller !== undefined) {
      services.feed.notice(session.id, retryNotice(reply.fault, 'Trying once more with less.', turn))
      return { next: { ...state, timeLimit, smaller, frozen: undefined } }
    }
    const cut = { ...reply, parts: withoutBlanks(reply.parts) }
    if (used >= limits.tokensPerTurn || !mayContinue(services.resume, reply, own, signal))
      return { ending: { ...endingBy(reply.fault, signal), last: [cut] } }
    services.feed.notice(session.id, retryNotice(reply.fault, 'Going on where it stopped.', turn))
    const kept = await ledger.write([cut])
    if (!kept.ok) return failed(kept.fault)
    services.feed.settled(session.id, turn)
    return {
      next: {
        ...state,
        step: step + 1,
        timeLimit,
        frozen,
        smaller,
        before: plan.outline,
        own: [...own, ...planned, ...kept.value],
      },
    }
  }
  const calls = callsOf(reply)
  if (calls.length === 0) return { ending: { reason: 'done', last: [reply] } }
  if (stepsTaken(step, own, turn) >= limits.steps)
    return { ending: { reason: 'limit', last: [reply, ...refuseAll(running, calls, STEP_LIMIT)] } }
  if (used >= limits.tokensPerTurn) {
    const why = tokenLimit(used, limits.tokensPerTurn)
    return { ending: { reason: 'limit', fault: why, last: [reply, ...refuseAll(running, calls, `not run: ${why.message}`)] } }
  }
  const written = await ledger.write([reply])
  if (!written.ok) return failed(written.fault)
  services.feed.settled(session.id, turn)
  const next = { ...state, step: step + 1, timeLimit, frozen, before: plan.outline, own: [...own, ...planned, ...written.value] }
  return useTools(services, running, reply, [], next, signal)
}

/** What must not change between the steps of a turn; of what was recalled, only what is quoted. */
function frozenBy({ recall, ...material }: Material, receipt: Receipt): Omit<Frozen, 'last' | 'isBare'> {
  return { ...material, ...recallAfter(recall, receipt) }
}

/** What the voice's request before showed. Only a notice depends on it, so neither the store nor a bug may hold up the turn. */
const shownBefore = (
  { observe }: Services,
  { outlines, session, voice }: Running,
  timeLimit: TimeLimit,
): ReturnType<Outlines['shown']> => {
  const shown = outlines.shown(session.id, voice).catch((cause: unknown) => {
    observe({ type: 'bug', cause })
    return undefined
  })
  return timeLimit.wait(shown, () => undefined)
}

/** Gathers, assembles and encodes the request of a step; nothing is sent. */
const prepareStep = (
  services: Services,
  running: Running,
  { step, own, before, timeLimit, frozen, smaller }: TurnState,
  policy: Policy,
): ReturnType<typeof prepare> => {
  const { session, speaker, answers, model, thinking, sampling, turn, cause, ordinal, ledger, standing, equipment } = running
  const at = running.at ?? continuedFrom(own, turn)
  return prepare(
    services,
    {
      ...{ session, speaker, answers, policy, model, thinking, standing, own, equipment, timeLimit },
      ...(sampling === undefined ? {} : { sampling }),
      turn: { id: turn, step, cause, ordinal },
      unsaved: ledger.unsaved(),
      marksThrough: standing.head,
      ...(at === undefined ? {} : { at }),
      ...(smaller?.bare === undefined || frozen !== undefined ? {} : { bare: smaller.bare }),
      ...(frozen === undefined ? {} : { frozen }),
    },
    services.mint('rcp'),
    before,
  )
}

function policyFor({ policy }: Running, { own, smaller, affordable }: TurnState): Policy {
  const wanted = smaller?.policy ?? withinRound(policyAfter(policy, own), own)
  return affordable === undefined ? wanted : withReply(wanted, affordable.reply, affordable.limit)
}

/** Runs the tools that a reply calls; the turn goes on with `next` and what they added, or it ends here. */
async function useTools(
  services: Services,
  running: Running,
  reply: { readonly parts: readonly Part[] },
  after: readonly Event[],
  next: TurnState,
  signal: AbortSignal,
): Promise<AfterStep> {
  const calls = callsOf(reply)
  if (calls.length === 0) return { ending: { reason: 'done' } }
  const settled = await settle(services, running, calls, after, signal)
  if (!settled.ok) return failed(settled.fault)
  const { events, waits } = settled.value
  // Calls that wait for a person go on waiting when the gateway stops.
  const isInterrupted = signal.aborted && (signal.reason as Halt).reason === 'interrupted'
  if (waits && isInterrupted) return { ending: 'waits' }
  // Calls that have not begun then begin when the turn goes on.
  if (isInterrupted && services.resume.mode === 'auto') return { ending: { reason: 'interrupted' } }
  if (signal.aborted) {
    const open = calls.filter(({ call }) => callState(call, [...after, ...events]).is !== 'settled')
    const last = [...withdrawn([...after, ...events]), ...refuseAll(running, open, 'cancelled before it began')]
    return { ending: { ...endingBy((signal.reason as Halt).fault, signal), last } }
  }
  return waits ? { ending: 'waits' } : { next: { ...next, own: [...next.own, ...events] } }
}

/** Takes back the questions of a turn that was stopped. */
const withdrawn = (events: readonly Event[]): readonly Fact[] =>
  unanswered(events).map(({ approval, turn, call, tool }) => ({
    type: 'approval.answered',
    ...{ approval, turn, call, tool, answer: 'deny', reason: 'the turn was stopped' },
  }))

const callsOf = ({ parts }: { readonly parts: readonly Part[] }): readonly Call[] =>
  parts.filter((part): part is Call => part.type === 'call')

/** Says how many words of a reply came from what the window does not show. */
function withBeyond<Reply extends Fact>(reply: Reply, plan: Plan, { voice }: Running): Reply {
  if (reply.type !== 'reply.finished' || isHouseVoice(voice)) return reply
  const beyond = beyondWindow(plan, reply.parts)
  return beyond === 0 ? reply : { ...reply, beyond }
}

/** Marks a reply that was written before the voice had read everything: messages that came meanwhile go after it. */
function withPlace<Reply extends Fact>(
  reply: Reply,
  { events, turn, through }: Material,
  asked: number,
  running: Running,
): Reply {
  const { voice, ledger } = running
  const missed = missedBy(events, turn.cause, voice)
  if (isHouseVoice(voice) || (ledger.standing().head <= asked && missed.length === 0)) return reply
  return { ...reply, through, ...(missed.length === 0 ? {} : { missed }) }
}

const STEP_LIMIT = 'not run: this turn has reached its step limit'

const tokenLimit = (used: number, most: number): Fault =>
  fault(
    'budget',
    `this turn has used ${used.toLocaleString('en')} tokens, and it may use ${most.toLocaleString('en')} (limits.tokensPerTurn)`,
  )

const ended = ({ turn, voice }: Running, { reason, fault }: TurnEnding): Fact => ({
  type: 'turn.ended',
  turn,
  voice,
  reason,
  ...(fault === undefined ? {} : { fault }),
})

/** How a turn ends whose reply broke off: as it was halted, or failed. */
export function endingBy(cause: Fault, signal: AbortSignal): TurnEnding {
  const halt = signal.aborted ? (signal.reason as Halt) : undefined
  if (halt === undefined || halt.fault !== cause) return { reason: 'failed', fault: cause }
  return halt.reason === 'failed' ? { reason: 'failed', fault: halt.fault } : { reason: halt.reason }
}

export const failedBy = (why: Fault): TurnEnding => ({ reason: 'failed', fault: why })

const failed = (why: Fault): AfterStep => ({ ending: failedBy(why) })
