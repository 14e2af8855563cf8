/** Signals of one message become the pieces of one UI message, as `useChat` clients read them. */
import type { Signal } from '../../engine.ts'
import { factsIn } from '../../model/approval.ts'
import type { Recorded } from '../../model/event.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { HeardDelta, Usage } from '../../model/message/delta.ts'
import { isCutAtLimit } from '../../model/message/spoken.ts'
import { areOneReply, cutStepOf, isCut } from '../../model/turn-view/join-cuts.ts'
import { createFreshText } from '../../model/turn-view/live-text.ts'
import { asksFor } from '../../model/turn-view/step-view.ts'
import { createTurnViews, type TurnView } from '../../model/turn-view/turn-view.ts'
import { type Chunk, RUNS_HERE } from './chunk.ts'

/** Turns the signals of one message into the pieces of one UI message. */
export type UiStream = {
  readonly hear: (signal: Signal) => readonly Chunk[]
  /** Everything that was caused is over. */
  readonly end: () => readonly Chunk[]
}

type Event<Type extends Recorded['type']> = Extract<Recorded, { type: Type }>
type Kind = 'text' | 'reasoning'
/** `place` is where in the log its last words come from. */
type OpenPart = { readonly id: string; readonly kind: Kind; readonly place: string }
/** An answer: a turn, and those that continue its text. */
type Answer = {
  readonly voice: string
  /** The title above its answer, if several voices answer. */
  title: string | undefined
  open: OpenPart | undefined
  /** The text that a reply was cut in, and the step of that; it stays open, as another step may go on with it. */
  cut: { readonly id: string; readonly step: number } | undefined
  trouble: Chunk | undefined
}

/**
 * A client builds one message of what it is sent. Voices of a council speak at one time, each into parts of its own, and
 * the first of them begins with the voice's name: so every client shows who said what. Steps are marked for a single voice
 * only, since a step belongs to the whole message.
 */
export function createUiStream(session: SessionId): UiStream {
  const views = createTurnViews()
  const answers = new Map<TurnId, Answer>()
  const fresh = createFreshText()
  const calls = new Set<string>()
  const receipts: string[] = []
  let used: Usage | undefined
  let isStep = false
  let isNamed = false
  /** Turns whose answer reached its limit. */
  const cutAtLimit = new Set<TurnId>()

  const started = ({ turn, voice, name, resumes }: Event<'turn.started'>, view: TurnView | undefined): readonly Chunk[] => {
    isNamed ||= name !== undefined
    const continued = view === undefined || view.turns[0] === turn ? undefined : answers.get(view.turns[0])
    answers.set(turn, continued ?? { voice, title: name, open: undefined, cut: undefined, trouble: undefined })
    // A turn that is continued is no trouble any more.
    const before = resumes === undefined ? undefined : answers.get(resumes)
    if (before !== undefined) before.trouble = undefined
    if (resumes !== undefined) cutAtLimit.delete(resumes)
    return []
  }

  const planned = ({ receipt }: Event<'context.planned'>): readonly Chunk[] => {
    if (receipt.id !== null) receipts.push(receipt.id)
    if (isNamed) return []
    const before: readonly Chunk[] = isStep ? [{ type: 'finish-step' }] : []
    isStep = true
    return [...before, { type: 'start-step' }]
  }

  const closed = (answer: Answer): readonly Chunk[] => {
    const { open } = answer
    answer.open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }
  const closedCut = (answer: Answer): readonly Chunk[] => {
    const { cut } = answer
    answer.cut = undefined
    return cut === undefined ? [] : [{ type: 'text-end', id: cut.id }]
  }

  /** A client may miss deltas but no events, so this sends the text of a part that was not sent yet. */
  const piece = (heard: Omit<HeardDelta, 'kind'> & { kind: Kind }): readonly Chunk[] => {
    const { turn, step, part, kind } = heard
    const answer = answers.get(turn)
    const delta = answer === undefined ? '' : fresh(heard)
    if (answer === undefined || delta === '') return []
    const place = `${turn}:${step}:${part}`
    const { cut } = answer
    if (kind === 'text' && cut !== undefined && areOneReply(views.of(turn)?.steps ?? [], cut.step, step)) {
      const ended = closed(answer)
      answer.cut = undefined
      answer.open = { id: cut.id, kind, place }
      return [...ended, { type: 'text-delta', id: cut.id, delta }]
    }
    if (answer.open?.place === place) return [{ type: `${kind}-delta`, id: answer.open.id, delta }]
    const ended = [...closed(answer), ...(kind === 'text' ? closedCut(answer) : [])]
    answer.open = { id: place, kind, place }
    const title = kind === 'text' && answer.title !== undefined ? `## ${answer.title}\n\n` : ''
    if (kind === 'text') answer.title = undefined
    const providerMetadata = { turnwise: { voice: answer.voice, turn } }
    return [
      ...ended,
      { type: `${kind}-start`, id: place, providerMetadata },
      { type: `${kind}-delta`, id: place, delta: title + delta },
    ]
  }

  const called = (toolCallId: string, tool: string): readonly Chunk[] => {
    if (calls.has(toolCallId)) return []
    calls.add(toolCallId)
    return [{ type: 'tool-input-start', toolCallId, toolName: tool, ...RUNS_HERE }]
  }

  const callPiece = (heard: HeardDelta): readonly Chunk[] => {
    const { turn, call, tool, step } = heard
    if (call === undefined || tool === undefined) return []
    const toolCallId = callIdOf(turn, step, call)
    const begun = called(toolCallId, tool)
    const inputTextDelta = fresh(heard)
    return inputTextDelta === '' ? begun : [...begun, { type: 'tool-input-delta', toolCallId, inputTextDelta }]
  }

  const replied = (reply: Event<'reply.finished' | 'reply.broken'>): readonly Chunk[] => {
    const { turn, step, parts, usage } = reply
    const answer = answers.get(turn)
    if (answer === undefined) return []
    if (reply.type === 'reply.finished' && isCutAtLimit(reply)) cutAtLimit.add(turn)
    if (usage !== undefined) used = sum(used, usage)
    const chunks = parts.flatMap((part, index): readonly Chunk[] => {
      if (part.type !== 'call') {
        const kind = part.type === 'text' ? 'text' : 'reasoning'
        return piece({ turn, step, part: index, kind, offset: 0, text: part.text })
      }
      const toolCallId = callIdOf(turn, step, part.call)
      const begun = [...closed(answer), ...called(toolCallId, part.tool)]
      // A call that was cut off is never run.
      if (reply.type === 'reply.broken') return begun
      return [...begun, { type: 'tool-input-available', toolCallId, toolName: part.tool, input: part.args, ...RUNS_HERE }]
    })
    if (isCut(cutStepOf(reply)) && answer.open?.kind === 'text') {
      answer.cut = { id: answer.open.id, step }
      answer.open = undefined
      return chunks
    }
    return [...chunks, ...closed(answer)]
  }

  const settled = ({ turn, call, ok, outcome, content }: Event<'tool.settled'>, view: TurnView | undefined): readonly Chunk[] => {
    // One call id may come again in a later step.
    const asking = view?.steps.findLast(step => asksFor(step, call))
    const toolCallId = callIdOf(turn, asking?.step ?? 0, call)
    if (!calls.has(toolCallId)) return []
    if (ok) return [{ type: 'tool-output-available', toolCallId, output: content ?? outcome, ...RUNS_HERE }]
    const errorText = content === undefined ? outcome : `${outcome}\n\n${content}`
    return [{ type: 'tool-output-error', toolCallId, errorText, ...RUNS_HERE }]
  }

  const over = (event: Event<'turn.ended'>, view: TurnView | undefined): readonly Chunk[] => {
    const answer = answers.get(event.turn)
    if (answer === undefined) return []
    answer.trouble = troubleOf(event)
    // What reached its limit may still be continued; its text is ended with the message.
    const mayGoOn = view?.steps.some(isCutAtLimit) === true
    return [...closed(answer), ...(mayGoOn ? [] : closedCut(answer))]
  }

  /** If one voice answers, its trouble is the message's. Among several voices it is the voice's own, and the other answers stay. */
  function troubleOf({ turn, voice, reason, fault }: Event<'turn.ended'>): Chunk | undefined {
    if (reason === 'done') return undefined
    const message = fault?.message ?? WORDS[reason]
    if (isNamed) return { type: 'data-fault', id: turn, data: { turn, voice, reason, message } }
    return reason === 'cancelled' ? { type: 'abort', reason: message } : { type: 'error', errorText: message }
  }

  const event = (event: Recorded): readonly Chunk[] => {
    const view = views.hear(event)
    switch (event.type) {
      case 'message.received':
        return [{ type: 'start', messageId: replyId(event.seq), messageMetadata: { session, seq: event.seq } }]
      case 'turn.started':
        return started(event, view)
      case 'context.planned':
        return planned(event)
      case 'reply.finished':
      case 'reply.broken':
        return replied(event)
      case 'tool.settled':
        return settled(event, view)
      case 'approval.asked':
      case 'approval.answered': {
        const { approval, turn, tool } = event
        const what = event.type === 'approval.asked' ? { argv: event.argv, ...factsIn(event) } : { answer: event.answer }
        return [{ type: 'data-approval', id: approval, data: { approval, turn, tool, ...what } }]
      }
      case 'turn.ended':
        return over(event, view)
      case 'tool.started':
      case 'message.marked':
      case 'history.folded':
      case 'session.changed':
      case 'damaged':
        return []
    }
  }

  return {
    hear: signal => {
      if (signal.type === 'event') return event(signal.event)
      if (signal.type === 'notice') return [{ type: 'data-notice', data: signal.notice, transient: true }]
      if (signal.type === 'fault') return [{ type: 'error', errorText: signal.fault.message }]
      if (signal.type !== 'delta') return []
      const { delta } = signal
      views.hearDelta(delta)
      if (delta.kind === 'call') return callPiece(delta)
      return piece({ ...delta, kind: delta.kind === 'text' ? 'text' : 'reasoning' })
    },
    end: () => {
      const all = [...new Set(answers.values())]
      const troubles = all.flatMap(({ trouble }) => trouble ?? [])
      const stepEnd: readonly Chunk[] = isStep ? [{ type: 'finish-step' }] : []
      const messageMetadata = {
        ...{ turns: [...answers.keys()], receipts },
        ...(used === undefined ? {} : { usage: used }),
        // What can be continued by resuming the session.
        ...(cutAtLimit.size === 0 ? {} : { cutAtLimit: [...cutAtLimit] }),
      }
      return [
        ...all.flatMap(closedCut),
        ...stepEnd,
        ...troubles,
        { type: 'finish', finishReason: cutAtLimit.size === 0 ? 'stop' : 'length', messageMetadata },
      ]
    },
  }
}

const callIdOf = (turn: TurnId, step: number, call: string): string => `${turn}:${step}:${call}`

/** The message that answers the one at this seq: the same for every reader, whenever it comes. */
export const replyId = (seq: number): string => `reply-${seq}`

const WORDS = {
  failed: 'the turn failed',
  cancelled: 'stopped by a person',
  interrupted: 'the gateway stopped; resume the session to go on',
  limit: 'the turn reached its step limit',
} as const

const sum = (before: Usage | undefined, { costUsd, ...more }: Usage): Usage => ({
  input: (before?.input ?? 0) + more.input,
  output: (before?.output ?? 0) + more.output,
  cacheRead: (before?.cacheRead ?? 0) + more.cacheRead,
  cacheWrite: (before?.cacheWrite ?? 0) + more.cacheWrite,
  ...(costUsd === undefined ? {} : { costUsd: (before?.costUsd ?? 0) + costUsd }),
})
