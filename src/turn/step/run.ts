import { LEAST_REPLY, withoutThinking, withReply, withThinking } from '../../context/reply-limit.ts'
import { windowRules } from '../../context/window/kinds.ts'
import type { Standing } from '../../log/ports.ts'
import type { Call, EndReason, Event, Fact, Part } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import { missedBy } from '../../model/message/audience.ts'
import type { Notice, Usage } from '../../model/message/delta.ts'
import { hasWords, isCutAtLimit, isReply } from '../../model/message/spoken.ts'
import type { Material, OutlineItem } from '../../model/plan.ts'
import type { Receipt } from '../../model/receipt.ts'
import type { Session } from '../../model/session.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Speaker } from '../admission/speaker.ts'
import { BUG } from '../durable/bug-guard.ts'
import type { Ledger } from '../durable/ledger.ts'
import type { Equipment } from '../equipment/equipment.ts'
import { continuations, internalOf, withoutBlanks } from '../recovery/decide.ts'
import type { Model, Services } from '../services.ts'
import { callState, type Reply, unanswered } from '../tools/call-state.ts'
import { refuseAll, settle } from '../tools/run-tools.ts'
import type { Frozen } from './gather.ts'
import { prepare } from './prepare-request.ts'
import { replyFact } from './reply-builder.ts'
import { type SmallerRequest, smallerRequest } from './retry-smaller.ts'
import { NOTHING_USED, sendRequest } from './send-request.ts'
import type { Halt } from './stream-reply.ts'
import { createTimeLimit, type TimeLimit } from './time-limit.ts'
import { truncationOf, truncationWords } from './truncation.ts'

/** A turn under way. */
export type Running = {
  readonly session: Session
  readonly turn: TurnId
  readonly voice: VoiceId
  readonly speaker: Speaker
  /** How often the voice has answered to the end. */
  readonly answers: number
  readonly policy: Policy
  readonly model: Model
  /** The voice's last request, to see how much of it this one begins with; it may still be read. */
  readonly before: readonly OutlineItem[] | undefined | Promise<readonly OutlineItem[] | undefined>
  /** How long the turn waits for the store before its first request. */
  readonly timeLimit: TimeLimit
  readonly cause: number
  readonly ordinal: number
  readonly ledger: Ledger
  /** Told of every request, for the next one to be compared with. */
  readonly sent: (outline: readonly OutlineItem[]) => void
  /** Where the session stood when the turn started. */
  readonly standing: Standing
  /** The message that caused the turn, if it is at hand, and everything the turn has said. */
  readonly own: readonly Event[]
  /** What the turn may use; the same to its end. */
  readonly equipment: Equipment
  /** As if nothing had been said after this seq. */
  readonly at?: number
  /** Where a turn goes on that was left in the middle. */
  readonly from?: {
    readonly step: number
    readonly frozen: Frozen
    /** The reply whose calls are to be seen to first. */
    readonly replied?: { readonly reply: Reply; readonly after: readonly Event[] }
  }
}

/** How a turn ends, and what it says last; both are written together: one wait less for whoever listens. */
type Ending = { readonly reason: EndReason; readonly fault?: Fault; readonly last?: readonly Fact[] }

/**
 * Runs a turn to its end, or until it has to wait for a person: then it is set aside, holds nothing, and goes on from its
 * log alone. When the gateway stops it is left as it is, to go on at the next start. Whatever else happens, the turn ends,
 * and its end is written.
 */
export async function runTurn(services: Services, running: Running, signal: AbortSignal): Promise<'ended' | 'waits' | 'left'> {
  const ending = await steps(services, running, signal).catch((cause: unknown): Ending => {
    services.observe({ type: 'bug', cause })
    return { reason: 'failed', fault: BUG }
  })
  if (ending === 'waits') return 'waits'
  if (ending.reason === 'interrupted' && services.resume.mode === 'auto') {
    await running.ledger.write(ending.last ?? [])
    return 'left'
  }
  // Told when its lane is free: whoever reads of the end may answer at once.
  await running.ledger.write([...(ending.last ?? []), ended(running, ending)], { isQuiet: true })
  services.feed.settled(running.session.id, running.turn)
  services.observe({ type: 'ended', reason: ending.reason })
  return 'ended'
}

/** Each step reads the log again, so that nothing travels from one to the next but what is in it. */
async function steps(services: Services, start: Running, signal: AbortSignal): Promise<Ending | 'waits'> {
  let running = start
  let frozen = start.from?.frozen
  /** What a first request that was refused is made of when it is sent once more. */
  let smaller: SmallerRequest | undefined
  /** How long a reply may be where there is no money for a longer one, beside a request of at most `limit` tokens. */
  let affordable: { readonly reply: number; readonly limit: number } | undefined
  let { timeLimit } = start
  if (start.from?.replied !== undefined) {
    const { reply, after } = start.from.replied
    if (callsOf(reply).length === 0) return { reason: 'done' }
    const used = await use(services, start, callsOf(reply), after, signal)
    if (!('own' in used)) return used.ending
    running = { ...start, own: [...start.own, ...used.own] }
  }
  for (let step = (start.from?.step ?? 0) + 1; ; step += 1) {
    const { session, speaker, answers, model, turn, cause, ordinal, ledger, standing, own, at } = running
    const wanted = smaller?.policy ?? withinRound(goingOn(running), own)
    const policy = affordable === undefined ? wanted : withReply(wanted, affordable.reply, affordable.limit)
    const prepared = await prepare(
      services,
      {
        session,
        speaker,
        answers,
        policy,
        model,
        turn: { id: turn, step, cause, ordinal },
        standing,
        own,
        unsaved: ledger.unsaved(),
        marksThrough: standing.head,
        equipment: running.equipment,
        timeLimit,
        ...asOf(at ?? continuedFrom(own, turn)),
        ...(smaller?.bare === undefined || frozen !== undefined ? {} : { bare: smaller.bare }),
        ...(frozen === undefined ? {} : { frozen }),
      },
      services.mint('rcp'),
      running.before,
    )
    if (!prepared.ok) return { reason: 'failed', fault: prepared.fault }
    const { receipt, plan, material } = prepared.value
    frozen ??= { ...material, begins: receipt.window.begins, isBare: receipt.degraded !== null }
    const reservation = await services.budget.reserve(model, receipt.tokens, withThinking(LEAST_REPLY, material.thinking))
    if (!reservation.ok) return { reason: 'failed', fault: reservation.fault }
    const { output } = reservation.value
    if (output < receipt.tokens.reserved) {
      // What was set aside is given back at once, and set aside again for the shorter reply that is asked for now.
      reservation.value.settle(NOTHING_USED)
      affordable = { reply: withoutThinking(output, material.thinking), limit: receipt.tokens.limit }
      services.feed.notice(session.id, shorterNotice(output, turn))
      step -= 1
      continue
    }
    const limited = step === 1 ? roundLimit(own) : undefined
    const notices = [
      ...(receipt.degraded === null ? [] : [degradedNotice(receipt.degraded.reason, turn)]),
      ...(limited === undefined ? [] : [shorterNotice(limited)]),
    ]
    const request = { prepared: prepared.value, reservation: reservation.value, notices, saidBefore: saidBefore(own) }
    const sent = await sendRequest(services, running, step, request, signal)
    if (!sent.ok) return { reason: 'failed', fault: sent.fault }
    timeLimit = createTimeLimit(services.limits.historyMs)
    const { planned, draft } = sent.value
    const said = { ...replyFact(draft, model.name), ...internalOf(running.voice) }
    const reply = withPlace(said, material, planned.at(-1)?.seq ?? 0, running)
    if (reply.usage !== undefined) counted(services, running, receipt, reply.usage)
    running.sent(plan.outline)
    if (reply.type === 'reply.broken') {
      const isRefused = step === 1 && smaller === undefined && reply.parts.length === 0 && !signal.aborted
      smaller = isRefused ? smallerRequest(receipt, policy, reply.fault) : undefined
      if (smaller !== undefined) {
        services.feed.notice(session.id, {
          kind: 'retrying',
          message: `${reply.fault.message}. Trying once more with less.`,
          turn,
        })
        frozen = undefined
        step -= 1
        continue
      }
      const cut = { ...reply, parts: withoutBlanks(reply.parts) }
      if (!mayGoOn(services, reply, own, signal)) return { ...endingOf(reply.fault, signal), last: [cut] }
      services.feed.notice(session.id, { kind: 'retrying', message: `${reply.fault.message}. Going on where it stopped.`, turn })
      const kept = await ledger.write([cut])
      if (!kept.ok) return { reason: 'failed', fault: kept.fault }
      services.feed.settled(session.id, turn)
      running = { ...running, before: plan.outline, own: [...own, ...planned, ...kept.value] }
      continue
    }
    const calls = callsOf(reply)
    if (calls.length === 0) return { reason: 'done', last: [reply] }
    // To be asked twice for one reply is no step further.
    if (step - repliesBefore(own, turn) - cutsIn(own.filter(event => isOf(event, turn))) >= services.limits.steps)
      return { reason: 'limit', last: [reply, ...refuseAll(running, calls, STEP_LIMIT)] }

    const written = await ledger.write([reply])
    if (!written.ok) return { reason: 'failed', fault: written.fault }
    services.feed.settled(session.id, turn)
    const used = await use(services, running, calls, [], signal)
    if (!('own' in used)) return used.ending
    running = { ...running, before: plan.outline, own: [...own, ...planned, ...written.value, ...used.own] }
  }
}

type Broken = Extract<Fact, { type: 'reply.broken' }>

/** A reply that was cut off is gone on with by itself, as often as is allowed; one that was never begun has been tried again already. */
function mayGoOn({ resume }: Services, reply: Broken, own: readonly Event[], signal: AbortSignal): boolean {
  if (signal.aborted || resume.mode !== 'auto' || !CUT.has(reply.fault.kind)) return false
  return reply.parts.length > 0 && continuations(own.filter(event => isOf(event, reply.turn))) < resume.continuations
}

/** Trouble on the way, not with what was asked. */
const CUT: ReadonlySet<Fault['kind']> = new Set(['unreachable', 'timeout', 'garbled', 'overloaded'])

const asOf = (at: number | undefined): { readonly at?: number } => (at === undefined ? {} : { at })

/** Where a turn stands that is about to go on with a text: what is said after that has a turn of its own. */
function continuedFrom(own: readonly Event[], turn: TurnId): number | undefined {
  const last = own.at(-1)
  return last?.type === 'turn.started' && last.turn === turn && last.continues === true ? last.seq : undefined
}

const isOf = (event: Event, turn: TurnId): boolean => 'turn' in event && event.turn === turn

/** A reply that a later step goes on with: it broke off, or it had reached its limit. */
const isCut = (event: Event): boolean => event.type === 'reply.broken' || (event.type === 'reply.finished' && isCutAtLimit(event))

const cutsIn = (own: readonly Event[]): number => own.filter(isCut).length

/** Replies of the turns whose text this one goes on with; those had limits of their own. */
const repliesBefore = (own: readonly Event[], turn: TurnId): number =>
  own.filter(event => isReply(event) && !isOf(event, turn)).length

/** After a cut everything is one text: the thinking of today's models cannot be sent back in pieces. */
function goingOn({ policy, own }: Running): Policy {
  if (cutsIn(own) === 0 || policy.render === 'transcript') return policy
  return { ...policy, window: windowRules(policy.window).asTranscript(), render: 'transcript' }
}

/** A round that has little money was asked with shorter replies. */
function withinRound(policy: Policy, own: readonly Event[]): Policy {
  const reply = roundLimit(own)
  return reply === undefined ? policy : withReply(policy, reply, policy.budget.tokens)
}

function roundLimit(own: readonly Event[]): number | undefined {
  const message = own.find(event => event.type === 'message.received')
  return message?.type === 'message.received' ? message.replyLimit : undefined
}

/** What the reply that was cut off, perhaps more than once, had said last, which must not be said again. */
function saidBefore(own: readonly Event[]): string {
  const replies = own.filter(isReply)
  const cut = replies.slice(replies.findLastIndex(reply => !isCut(reply)) + 1)
  // A try that came to nothing, or that only thought, takes nothing away from what was said.
  const last = cut.findLast(hasWords)?.parts.findLast(part => part.type !== 'call')
  return last?.type === 'text' ? spokenText(cut) : ''
}

/** Sees to the calls of a reply; gives what they added to the turn, or how the turn ends here. */
async function use(
  services: Services,
  running: Running,
  calls: readonly Call[],
  after: readonly Event[],
  signal: AbortSignal,
): Promise<{ readonly own: readonly Event[] } | { readonly ending: Ending | 'waits' }> {
  const settled = await settle(services, running, calls, after, signal)
  if (!settled.ok) return { ending: { reason: 'failed', fault: settled.fault } }
  const { events, waits } = settled.value
  // Calls that wait for a person go on waiting when the gateway stops.
  const isInterrupted = signal.aborted && (signal.reason as Halt).reason === 'interrupted'
  if (waits && isInterrupted) return { ending: 'waits' }
  // And calls that were not begun are begun when it goes on.
  if (isInterrupted && services.resume.mode === 'auto') return { ending: { reason: 'interrupted' } }
  if (signal.aborted) {
    const open = calls.filter(({ call }) => callState(call, [...after, ...events]).is !== 'settled')
    const last = [...withdrawn([...after, ...events]), ...refuseAll(running, open, 'cancelled before it began')]
    return { ending: { ...endingOf((signal.reason as Halt).fault, signal), last } }
  }
  return waits ? { ending: 'waits' } : { own: events }
}

/** Questions that nobody needs to answer any more. */
const withdrawn = (events: readonly Event[]): readonly Fact[] =>
  unanswered(events).map(({ approval, turn, call, tool }) => ({
    type: 'approval.answered',
    ...{ approval, turn, call, tool, answer: 'deny', reason: 'the turn was stopped' },
  }))

const callsOf = ({ parts }: { readonly parts: readonly Part[] }): readonly Call[] =>
  parts.filter((part): part is Call => part.type === 'call')

/** A reply that had not heard everything says so: what was said meanwhile stands after it. */
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

/** What a report teaches: how the model counts, or that it did not see everything. */
function counted(services: Services, { session, model }: Running, receipt: Receipt, usage: Usage): void {
  services.observe({ type: 'used', usage })
  const truncation = truncationOf(receipt, usage)
  if (truncation === undefined) {
    services.factors.learn(receipt, usage)
    return
  }
  services.observe({ type: 'truncated' })
  // Of no turn: it is to be read also when the turn is over.
  services.feed.notice(session.id, { kind: 'truncated', message: truncationWords(truncation, model.name, model.window) })
}

const STEP_LIMIT = 'not run: this turn has reached its step limit'

const ended = ({ turn, voice }: Running, { reason, fault }: Ending): Fact => ({
  type: 'turn.ended',
  turn,
  voice,
  reason,
  ...(fault === undefined ? {} : { fault }),
})

function endingOf(cause: Fault, signal: AbortSignal): Ending {
  const halt = signal.aborted ? (signal.reason as Halt) : undefined
  if (halt === undefined || halt.fault !== cause) return { reason: 'failed', fault: cause }
  return halt.reason === 'failed' ? { reason: 'failed', fault: halt.fault } : { reason: halt.reason }
}

const shorterNotice = (output: number, turn?: TurnId): Notice => ({
  kind: 'budget',
  message: `The budget leaves room for replies of at most ${output.toLocaleString('en')} tokens; longer ones are cut there.`,
  ...(turn === undefined ? {} : { turn }),
})

const degradedNotice = (reason: string, turn: TurnId): { kind: 'degraded'; message: string; turn: TurnId } => ({
  kind: 'degraded',
  message: `Answered without earlier messages: ${reason}.`,
  turn,
})
