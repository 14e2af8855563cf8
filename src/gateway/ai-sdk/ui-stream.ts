import type { Signal } from '../../engine.ts'
import { factsIn } from '../../model/approval.ts'
import type { Recorded } from '../../model/event.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { HeardDelta, Usage } from '../../model/message/delta.ts'
import { isCutAtLimit } from '../../model/message/spoken.ts'
import { type Chunk, RUNS_HERE } from './chunk.ts'

/** Turns the signals of one message into the pieces of one UI message. */
export type UiStream = {
  readonly hear: (signal: Signal) => readonly Chunk[]
  /** Everything that was caused is over. */
  readonly end: () => readonly Chunk[]
}

type Event<Type extends Recorded['type']> = Extract<Recorded, { type: Type }>
type Kind = 'text' | 'reasoning'
type OpenPart = { readonly id: string; readonly kind: Kind }
type Turn = {
  readonly voice: string
  /** What stands above its answer, where several voices answer. */
  title: string | undefined
  open: OpenPart | undefined
  /** The text that a reply was cut in, which the next step goes on with. */
  cut: string | undefined
  trouble: Chunk | undefined
}

/**
 * A client builds one message of what it is sent. Voices of a council speak at one time, each into parts of its own, and
 * the first of them begins with the voice's name: so every client shows who said what. Steps are marked for a single voice
 * only, since a step belongs to the whole message.
 */
export function createUiStream(session: SessionId): UiStream {
  const turns = new Map<TurnId, Turn>()
  const heard = new Map<string, number>()
  const calls = new Set<string>()
  const receipts: string[] = []
  let used: Usage | undefined
  let isStep = false
  let isNamed = false
  /** Turns whose answer reached its limit. */
  const cutAtLimit = new Set<TurnId>()

  const started = ({ turn, voice, name, resumes }: Event<'turn.started'>): readonly Chunk[] => {
    isNamed ||= name !== undefined
    turns.set(turn, { voice, title: name, open: undefined, cut: undefined, trouble: undefined })
    // What is gone on with is no trouble any more.
    const before = resumes === undefined ? undefined : turns.get(resumes)
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

  const closed = (turn: Turn): readonly Chunk[] => {
    const { open } = turn
    turn.open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }

  /** Deltas may be missed, events may not: whatever of a part was not sent yet is sent now. */
  const piece = ({ turn: id, step, part, kind, offset, text }: Omit<HeardDelta, 'kind'> & { kind: Kind }): readonly Chunk[] => {
    const turn = turns.get(id)
    const place = `${id}:${step}:${part}`
    const before = heard.get(place) ?? 0
    if (turn === undefined || offset > before || offset + text.length <= before) return []
    heard.set(place, offset + text.length)
    const delta = text.slice(before - offset)
    const goesOn = kind === 'text' && before === 0 ? turn.cut : undefined
    if (goesOn !== undefined) {
      turn.cut = undefined
      turn.open = { id: goesOn, kind }
      return [{ type: 'text-delta', id: goesOn, delta }]
    }
    if (turn.open?.kind === kind && before > 0) return [{ type: `${kind}-delta`, id: turn.open.id, delta }]
    const ended = closed(turn)
    turn.open = { id: place, kind }
    const title = kind === 'text' && turn.title !== undefined ? `## ${turn.title}\n\n` : ''
    if (kind === 'text') turn.title = undefined
    const providerMetadata = { turnwise: { voice: turn.voice, turn: id } }
    return [
      ...ended,
      { type: `${kind}-start`, id: place, providerMetadata },
      { type: `${kind}-delta`, id: place, delta: title + delta },
    ]
  }

  const called = (turn: TurnId, call: string, tool: string): readonly Chunk[] => {
    const toolCallId = `${turn}:${call}`
    if (calls.has(toolCallId)) return []
    calls.add(toolCallId)
    return [{ type: 'tool-input-start', toolCallId, toolName: tool, ...RUNS_HERE }]
  }

  const callPiece = ({ turn, call, tool, text, step, part, offset }: HeardDelta): readonly Chunk[] => {
    if (call === undefined || tool === undefined) return []
    const place = `${turn}:${step}:${part}`
    const before = heard.get(place) ?? 0
    const begun = called(turn, call, tool)
    if (offset > before || offset + text.length <= before) return begun
    heard.set(place, offset + text.length)
    const inputTextDelta = text.slice(before - offset)
    return [...begun, { type: 'tool-input-delta', toolCallId: `${turn}:${call}`, inputTextDelta }]
  }

  const replied = (reply: Event<'reply.finished' | 'reply.broken'>): readonly Chunk[] => {
    const { turn: id, step, parts, usage } = reply
    const turn = turns.get(id)
    if (turn === undefined) return []
    if (reply.type === 'reply.finished' && isCutAtLimit(reply)) cutAtLimit.add(id)
    if (usage !== undefined) used = sum(used, usage)
    const chunks = parts.flatMap((part, index): readonly Chunk[] => {
      if (part.type !== 'call') {
        const kind = part.type === 'text' ? 'text' : 'reasoning'
        return piece({ turn: id, step, part: index, kind, offset: 0, text: part.text })
      }
      const toolCallId = `${id}:${part.call}`
      const begun = [...closed(turn), ...called(id, part.call, part.tool)]
      // A call that was cut off is never run.
      if (reply.type === 'reply.broken') return begun
      return [...begun, { type: 'tool-input-available', toolCallId, toolName: part.tool, input: part.args, ...RUNS_HERE }]
    })
    if (reply.type === 'reply.broken' && turn.open?.kind === 'text') {
      turn.cut = turn.open.id
      turn.open = undefined
      return chunks
    }
    return [...chunks, ...closed(turn)]
  }

  const settled = ({ turn, call, ok, outcome, content }: Event<'tool.settled'>): readonly Chunk[] => {
    const toolCallId = `${turn}:${call}`
    if (!calls.has(toolCallId)) return []
    if (ok) return [{ type: 'tool-output-available', toolCallId, output: content ?? outcome, ...RUNS_HERE }]
    const errorText = content === undefined ? outcome : `${outcome}\n\n${content}`
    return [{ type: 'tool-output-error', toolCallId, errorText, ...RUNS_HERE }]
  }

  const over = (event: Event<'turn.ended'>): readonly Chunk[] => {
    const turn = turns.get(event.turn)
    if (turn === undefined) return []
    const { cut } = turn
    turn.cut = undefined
    turn.trouble = troubleOf(event)
    return [...closed(turn), ...(cut === undefined ? [] : [{ type: 'text-end', id: cut } as const])]
  }

  /** One voice's trouble is the message's; that of one among several is its own, and the others' answers stand. */
  function troubleOf({ turn, voice, reason, fault }: Event<'turn.ended'>): Chunk | undefined {
    if (reason === 'done') return undefined
    const message = fault?.message ?? WORDS[reason]
    if (isNamed) return { type: 'data-fault', id: turn, data: { turn, voice, reason, message } }
    return reason === 'cancelled' ? { type: 'abort', reason: message } : { type: 'error', errorText: message }
  }

  const event = (event: Recorded): readonly Chunk[] => {
    switch (event.type) {
      case 'message.received':
        return [{ type: 'start', messageId: replyId(event.seq), messageMetadata: { session, seq: event.seq } }]
      case 'turn.started':
        return started(event)
      case 'context.planned':
        return planned(event)
      case 'reply.finished':
      case 'reply.broken':
        return replied(event)
      case 'tool.settled':
        return settled(event)
      case 'approval.asked':
      case 'approval.answered': {
        const { approval, turn, tool } = event
        const what = event.type === 'approval.asked' ? { argv: event.argv, ...factsIn(event) } : { answer: event.answer }
        return [{ type: 'data-approval', id: approval, data: { approval, turn, tool, ...what } }]
      }
      case 'turn.ended':
        return over(event)
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
      if (delta.kind === 'call') return callPiece(delta)
      return piece({ ...delta, kind: delta.kind === 'text' ? 'text' : 'reasoning' })
    },
    end: () => {
      const troubles = [...turns.values()].flatMap(({ trouble }) => trouble ?? [])
      const stepEnd: readonly Chunk[] = isStep ? [{ type: 'finish-step' }] : []
      const messageMetadata = {
        ...{ turns: [...turns.keys()], receipts },
        ...(used === undefined ? {} : { usage: used }),
        // What can be continued by resuming the session.
        ...(cutAtLimit.size === 0 ? {} : { cutAtLimit: [...cutAtLimit] }),
      }
      return [
        ...stepEnd,
        ...troubles,
        { type: 'finish', finishReason: cutAtLimit.size === 0 ? 'stop' : 'length', messageMetadata },
      ]
    },
  }
}

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
