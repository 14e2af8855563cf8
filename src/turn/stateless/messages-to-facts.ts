/** Turns the messages of a conversation that the caller keeps into the facts of a new log. */
import type { KeptText } from '../../log/ports.ts'
import type { Attachment, Fact } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { CallId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { VoiceId } from '../../model/voice.ts'
import { attach, type InboundPart } from '../admission/attach.ts'
import { callOf } from '../step/reply-builder.ts'

/** One message of a conversation, as the caller that keeps it sends it. */
export type ChatMessage =
  /** Goes before the conversation, wherever the caller put it. */
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly parts?: readonly InboundPart[] }
  | {
      readonly role: 'assistant'
      readonly text: string
      /** Arguments as the model wrote them. */
      readonly calls?: readonly { readonly call: CallId; readonly tool: string; readonly text: string }[]
      /** What each advisor said, where several did; in place of the text. */
      readonly blocks?: readonly { readonly voice: VoiceId; readonly text: string }[]
    }
  | { readonly role: 'tool'; readonly call: CallId; readonly text: string }

/** The same as facts of a new log, and what is to be answered now: a message not yet among them, or a turn left in the middle. */
export type ConversationFacts = {
  readonly facts: readonly Fact[]
  readonly texts: readonly KeptText[]
  readonly next:
    | { readonly is: 'message'; readonly text: string; readonly parts: readonly InboundPart[] }
    | { readonly is: 'turn'; readonly cause: number; readonly resumes?: TurnId }
}

type OpenTurn = {
  readonly turn: TurnId
  readonly voice: VoiceId
  readonly cause: number
  steps: number
  /** Its last reply asked for something, so that it is not an answer yet. */
  asks: boolean
}

/**
 * Messages in any order become facts that a context can be built from. What a voice says after a message is one turn. A
 * result belongs to the last call of its id. A result without a call stays in the facts, and the assembly leaves it out.
 */
export function messagesToFacts(
  messages: readonly ChatMessage[],
  voice: VoiceId,
  mint: () => TurnId,
): Result<ConversationFacts, Fault> {
  const facts: Fact[] = []
  const texts: KeptText[] = []
  /** The turn and the tool of each call, by the call's id. If two calls share an id, the later one counts. */
  const asked = new Map<CallId, { readonly turn: TurnId; readonly tool: string }>()
  let last: OpenTurn | undefined
  let open: OpenTurn[] = []
  let cause = 0
  /** Messages without a word and without a file, by their seqs. */
  const empty = new Map<number, number>()

  const hear = (text: string, attachments: readonly Attachment[]): void => {
    close()
    facts.push({ type: 'message.received', text, ...(attachments.length === 0 ? {} : { parts: attachments }), from: 'person' })
    cause = facts.length
  }
  const close = (): void => {
    for (const { turn, voice: whose } of open) facts.push({ type: 'turn.ended', turn, voice: whose, reason: 'done' })
    open = []
  }
  const begin = (whose: VoiceId): OpenTurn => {
    const begun: OpenTurn = { turn: mint(), voice: whose, cause, steps: 0, asks: false }
    facts.push({ type: 'turn.started', turn: begun.turn, voice: whose, cause })
    last = begun
    open.push(begun)
    return begun
  }
  const say = (
    whose: VoiceId,
    { text, calls = [] }: Pick<Extract<ChatMessage, { role: 'assistant' }>, 'text' | 'calls'>,
  ): void => {
    const speaking = open.find(each => each.voice === whose) ?? begin(whose)
    speaking.steps += 1
    speaking.asks = calls.length > 0
    for (const { call, tool } of calls) asked.set(call, { turn: speaking.turn, tool })
    const wishes = calls.map(({ call, tool, text: args }) => callOf(call, tool, args))
    const words = text === '' ? [] : [{ type: 'text' as const, text }]
    facts.push({ type: 'reply.finished', turn: speaking.turn, step: speaking.steps, parts: [...words, ...wishes] })
  }
  const settle = ({ call, text }: Extract<ChatMessage, { role: 'tool' }>): void => {
    const { turn, tool } = asked.get(call) ?? { turn: mint(), tool: '' }
    facts.push({ type: 'tool.settled', turn, call, tool, ok: true, outcome: text, ms: 0 })
  }

  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue
    if (message.role === 'assistant') {
      for (const block of message.blocks ?? []) say(block.voice, block)
      if (message.blocks === undefined) say(voice, message)
    } else if (message.role === 'tool') settle(message)
    else {
      const { text, parts = [] } = message
      if (index === messages.length - 1) {
        if (text.trim() === '' && parts.length === 0) return err(nothingIn(index))
        close()
        return ok({ facts, texts, next: { is: 'message', text, parts } })
      }
      const attached = attach(parts)
      if (!attached.ok) return err(fault('invalid', `messages.${index}: ${attached.fault.message}`))
      texts.push(...attached.value.texts)
      hear(text, attached.value.attachments)
      if (text.trim() === '' && parts.length === 0) empty.set(cause, index)
    }
  }
  const next = messages.at(-1)?.role === 'tool' ? goingOn(last, cause) : undefined
  if (next === undefined) return err(NOTHING_TO_ANSWER)
  const emptyReply = empty.get(next.cause)
  if (emptyReply !== undefined) return err(nothingIn(emptyReply))
  close()
  return ok({ facts, texts, next: { is: 'turn', ...next } })
}

/** A turn goes on when its calls have their results. Results without a call change nothing: the message before them is answered. */
function goingOn(last: OpenTurn | undefined, cause: number): { cause: number; resumes?: TurnId } | undefined {
  if (last?.asks === true && last.cause > 0) return { cause: last.cause, resumes: last.turn }
  return cause > (last?.cause ?? 0) ? { cause } : undefined
}

const NOTHING_TO_ANSWER: Fault = fault(
  'invalid',
  'messages: the last one must be a message of the user, or the result of a call that was made after one',
)

const nothingIn = (index: number): Fault => fault('invalid', `messages.${index}.content: must not be empty`)
