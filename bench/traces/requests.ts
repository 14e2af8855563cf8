// What every request of a conversation needs: whether it can be made at all, what must be in it, and what was said just before.
import { canonical } from '../../src/context/text/canonical.ts'
import { format } from '../../src/context/transcript/format.ts'
import type { Event } from '../../src/model/event.ts'
import type { Count } from '../billing.ts'
import { type Asked, askedOf, type Conversation } from '../conversations.ts'
import { identifiersUsed, textsOf } from './identifiers.ts'
import { times } from './validate.ts'

type Received = Extract<Event, { type: 'message.received' }>
type Reply = Extract<Event, { type: 'reply.finished' }>
type Settled = Extract<Event, { type: 'tool.settled' }>

/** One request of a recorded conversation, with what has to be true of it. */
export type TraceRequest = {
  readonly asked: Asked
  readonly cause: Received
  /** How often the text of the cause had been said when the request was made. */
  readonly causes: number
  /** The newest step of the running turn; null at the first. */
  readonly newest: { readonly reply: Reply; readonly results: readonly Settled[] } | null
  /** What was said just before the new message; null at later steps, and at the beginning. */
  readonly exchange: Exchange | null
  /** Tokens without which no request can be made: as messages, and as a transcript. */
  readonly least: { readonly messages: number; readonly transcript: number }
  /** Identifiers that the reply used and that had been seen before. */
  readonly needs: readonly string[]
}

/** The message before the new one, and its answer. */
export type Exchange = {
  readonly heard: string
  readonly answered: string
  /** The larger of the two as it is sent, and both together. */
  readonly largest: number
  readonly tokens: number
  /** Entries of a transcript. */
  readonly entries: number
}

/** A request is feasible if it fits with results of so many tokens each. */
const RESULT_TOKENS = 200
const PER_MESSAGE = 4

/** The tokens of what stands before every conversation. */
export const houseTokens = ({ system, tools }: Conversation, count: Count): number =>
  (system === '' ? 0 : count(system)) + (tools.length === 0 ? 0 : count(canonical(tools)))

/** Every request of a conversation, in order. */
export function requestsOf(conversation: Conversation, count: Count): readonly TraceRequest[] {
  const { events } = conversation
  const house = houseTokens(conversation, count)
  const used = identifiersUsed(conversation)
  const causes = causesBefore(events)
  return askedOf(conversation).map((asked): TraceRequest => {
    const { turn, reply } = asked
    const cause = events[turn.cause - 1]
    if (cause?.type !== 'message.received') throw new Error(`message ${turn.cause} is none`)
    const newest = turn.step === 1 ? null : newestStep(events, reply.seq)
    return {
      asked,
      cause,
      causes: causes(cause, reply.seq),
      newest,
      exchange: turn.step === 1 ? exchangeBefore(events, turn.cause) : null,
      least: {
        messages: house + cause.tokens + PER_MESSAGE + (newest === null ? 0 : stepTokens(newest)),
        transcript: house + PER_MESSAGE + (newest === null ? cause.tokens : count(stepText(cause, newest))),
      },
      needs: used.get(reply) ?? [],
    }
  })
}

/** How often the text of a cause was said before a seq, its own time included. Counts only what is new since the last question. */
function causesBefore(events: readonly Event[]): (cause: Received, seq: number) => number {
  const counted = new Map<string, { through: number; times: number }>()
  return ({ text }, seq) => {
    const known = counted.get(text) ?? { through: 0, times: 0 }
    for (const event of events.slice(known.through, seq - 1))
      known.times += textsOf(event).reduce((sum, each) => sum + times(each, text), 0)
    known.through = seq - 1
    counted.set(text, known)
    return known.times
  }
}

function newestStep(events: readonly Event[], seq: number): TraceRequest['newest'] {
  const before = events.slice(0, seq - 1)
  const at = before.findLastIndex(({ type }) => type === 'reply.finished')
  const reply = before[at]
  if (reply?.type !== 'reply.finished') throw new Error(`no step before ${seq}`)
  return { reply, results: before.slice(at).filter(event => event.type === 'tool.settled') }
}

const stepTokens = ({ reply, results }: NonNullable<TraceRequest['newest']>): number =>
  reply.tokens + 2 * PER_MESSAGE + results.reduce((sum, { tokens }) => sum + Math.min(RESULT_TOKENS, tokens), 0)

/** The cause and the newest step as a transcript shows them, each result as short as it may be. */
function stepText(cause: Received, { reply, results }: NonNullable<TraceRequest['newest']>): string {
  const said = reply.parts.flatMap(part => (part.type === 'text' ? [{ type: 'respond' as const, text: part.text }] : []))
  const used = reply.parts.flatMap(part => {
    if (part.type !== 'call') return []
    const result = results.find(({ call }) => call === part.call)
    const call = { type: 'call' as const, name: part.tool, args: part.args }
    return [call, { type: 'result' as const, outcome: result === undefined ? '' : shortened(result) }]
  })
  return format({ history: [], current: [{ type: 'user', text: cause.text }, ...said, ...used] })
}

const shortened = ({ outcome, tokens }: Settled): string =>
  tokens <= RESULT_TOKENS ? outcome : outcome.slice(0, Math.ceil((outcome.length * RESULT_TOKENS) / tokens))

function exchangeBefore(events: readonly Event[], cause: number): Exchange | null {
  const heard = events.slice(0, cause - 1).findLast(event => event.type === 'message.received')
  if (heard?.type !== 'message.received') return null
  const answer = events.slice(heard.seq, cause - 1)
  const last = answer.findLast(event => event.type === 'reply.finished')
  if (last?.type !== 'reply.finished') return null
  const replies = answer.filter(({ type }) => type === 'reply.finished').length
  const tokens = answer.reduce((sum, event) => sum + event.tokens, 0) + 2 * PER_MESSAGE * replies
  const settled = answer.filter(({ type }) => type === 'tool.settled').length
  return {
    heard: heard.text,
    answered: last.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(''),
    largest: Math.max(tokens, heard.tokens + PER_MESSAGE),
    tokens: tokens + heard.tokens + PER_MESSAGE,
    entries: 1 + replies + 2 * settled,
  }
}
