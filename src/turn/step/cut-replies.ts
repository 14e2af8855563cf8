/** Rules about replies that were cut off: when a turn continues one, and what its next request says then. */
import { withReply } from '../../context/reply-limit.ts'
import { windowRules } from '../../context/window/kinds.ts'
import type { Event, Fact } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import { hasWords, isCutAtLimit, isReply } from '../../model/message/spoken.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import { continuations, type Resume } from '../recovery/decide.ts'

type Broken = Extract<Fact, { type: 'reply.broken' }>

/** Trouble on the way to or from the provider, not with what was asked. */
const ON_THE_WAY: ReadonlySet<Fault['kind']> = new Set(['unreachable', 'timeout', 'garbled', 'overloaded'])

/** Whether a turn continues a reply that was cut off. A reply that never began has been tried again already. */
export function mayContinue(resume: Resume, reply: Broken, own: readonly Event[], signal: AbortSignal): boolean {
  if (signal.aborted || resume.mode !== 'auto' || !ON_THE_WAY.has(reply.fault.kind)) return false
  return reply.parts.length > 0 && continuations(ofTurn(own, reply.turn)) < resume.continuations
}

/** The seq up to which a turn reads that is about to continue a text: later messages have turns of their own. */
export function continuedFrom(own: readonly Event[], turn: TurnId): number | undefined {
  const last = own.at(-1)
  return last?.type === 'turn.started' && last.turn === turn && last.continues === true ? last.seq : undefined
}

/** The steps that a turn has taken so far. A second request for one reply is no step, nor is a reply of an earlier turn. */
export const stepsTaken = (step: number, own: readonly Event[], turn: TurnId): number =>
  step - own.filter(event => isReply(event) && event.turn !== turn).length - ofTurn(own, turn).filter(isCut).length

/** The policy of a turn's next request: after a cut everything is one text, since thinking cannot be sent back in pieces. */
export function policyAfter(policy: Policy, own: readonly Event[]): Policy {
  if (!own.some(isCut) || policy.render === 'transcript') return policy
  return { ...policy, window: windowRules(policy.window).asTranscript(), render: 'transcript' }
}

/** The policy with the shorter replies of a round that has little money. */
export function withinRound(policy: Policy, own: readonly Event[]): Policy {
  const reply = roundLimit(own)
  return reply === undefined ? policy : withReply(policy, reply, policy.budget.tokens)
}

/** The longest reply, in tokens, that the message of a turn allows; nothing where it does not say. */
export function roundLimit(own: readonly Event[]): number | undefined {
  const message = own.find(event => event.type === 'message.received')
  return message?.type === 'message.received' ? message.replyLimit : undefined
}

/** What the reply that was cut off, perhaps more than once, had said last; the model must not say it again. */
export function saidBefore(own: readonly Event[]): string {
  const replies = own.filter(isReply)
  const cut = replies.slice(replies.findLastIndex(reply => !isCut(reply)) + 1)
  // A try that brought no text does not take away what was said before it.
  const last = cut.findLast(hasWords)?.parts.findLast(part => part.type !== 'call')
  return last?.type === 'text' ? spokenText(cut) : ''
}

/** Whether a later step continues this reply: it broke off, or it reached its limit. */
const isCut = (event: Event): boolean => event.type === 'reply.broken' || (event.type === 'reply.finished' && isCutAtLimit(event))

const ofTurn = (own: readonly Event[], turn: TurnId): readonly Event[] =>
  own.filter(event => 'turn' in event && event.turn === turn)
