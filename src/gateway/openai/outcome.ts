/** How an answer ended: its finish reason, its usage, its receipts, or the fault. */
import type { Signal } from '../../engine.ts'
import type { Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { Usage } from '../../model/message/delta.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** How an answer came out, beside its words. */
export type CompletionOutcome = {
  readonly finish: FinishReason
  readonly usage: Usage | undefined
  /** Why no voice answered. */
  readonly fault?: Fault
}

export type OutcomeRecorder = {
  readonly note: (signal: Signal) => void
  /** `isOver`: everything that the message caused has ended. */
  readonly outcome: (isOver: boolean) => CompletionOutcome
  /** Of every request so far. */
  readonly receipts: readonly string[]
  /** The first turn and when it began: enough to name the answer. */
  readonly began: () => { readonly turn: string; readonly at: string }
}

type Ended = Extract<Recorded, { type: 'turn.ended' }>
type Reply = Extract<Recorded, { type: 'reply.finished' | 'reply.broken' }>

export function createOutcomeRecorder({
  passesCalls,
  onPlanned,
}: {
  passesCalls: boolean
  onPlanned: () => void
}): OutcomeRecorder {
  const receipts: string[] = []
  const endings: Ended[] = []
  const replies = new Map<string, Reply>()
  let used: Usage | undefined
  let broken: Fault | undefined
  let first: { turn: string; at: string } | undefined

  const event = (recorded: Recorded): void => {
    switch (recorded.type) {
      case 'turn.started':
        first ??= recorded
        return
      case 'context.planned':
        first ??= recorded
        if (recorded.receipt.id !== null) receipts.push(recorded.receipt.id)
        onPlanned()
        return
      case 'reply.finished':
      case 'reply.broken':
        replies.set(recorded.turn, recorded)
        used = recorded.usage === undefined ? used : sum(used, recorded.usage)
        return
      case 'turn.ended':
        endings.push(recorded)
        return
      default:
        return
    }
  }

  const finishOf = (): FinishReason => {
    const last = [...replies.values()]
    if (passesCalls && last.some(({ parts }) => parts.some(({ type }) => type === 'call'))) return 'tool_calls'
    if (!endings.some(isAnswered)) return 'content_filter'
    const isLong = last.some(reply => reply.type === 'reply.finished' && reply.stop === 'length')
    return isLong || endings.some(({ reason }) => reason === 'limit') ? 'length' : 'stop'
  }
  const faultOf = (isOver: boolean): Fault | undefined => {
    if (broken !== undefined) return broken
    if (endings.some(ending => isAnswered(ending) || isRefused(ending))) return isOver ? undefined : STOPPED
    return endings.length === 0 ? STOPPED : (endings[0]?.fault ?? CANCELLED)
  }

  return {
    receipts,
    began: () => first ?? { turn: 'trn_none', at: new Date().toISOString() },
    note: signal => {
      if (signal.type === 'fault') broken = signal.fault
      if (signal.type === 'event') event(signal.event)
    },
    outcome: isOver => {
      const trouble = faultOf(isOver)
      return { finish: finishOf(), usage: used, ...(trouble === undefined ? {} : { fault: trouble }) }
    },
  }
}

const STOPPED: Fault = fault('overloaded', 'the gateway stopped before the answer was whole; ask again in a moment')
const CANCELLED: Fault = fault('cancelled', 'the turn was stopped before it had answered')

const isAnswered = ({ reason }: Ended): boolean => reason === 'done' || reason === 'limit'
/** A model's refusal is an answer of a kind, and clients have a word for it. */
const isRefused = (ended: Ended): boolean => ended.fault?.kind === 'refused'

const sum = (one: Usage | undefined, other: Usage): Usage => ({
  input: (one?.input ?? 0) + other.input,
  output: (one?.output ?? 0) + other.output,
  cacheRead: (one?.cacheRead ?? 0) + other.cacheRead,
  cacheWrite: (one?.cacheWrite ?? 0) + other.cacheWrite,
})

/** As OpenAI counts: what was read from a cache is part of the prompt. */
export function usageShown({ input, output, cacheRead, cacheWrite }: Usage): object {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  }
}
