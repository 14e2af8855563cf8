/** The steps of an answer, built from events and live text: what was said, and each call with its outcome. */
import { factsIn, type RunFacts } from '../approval.ts'
import type { ApprovalAnswer, Call, Event, Part, Recorded, ResultImage, Took } from '../event.ts'
import type { Fault } from '../fault.ts'
import type { TurnId } from '../ids.ts'
import type { HeardDelta, Usage } from '../message/delta.ts'
import type { Receipt } from '../receipt.ts'
import { joinDelta } from './live-text.ts'

/** The state or outcome of a tool call. */
export type Run =
  | { readonly state: 'asked' | 'running' }
  /** A person is asked; `argv` is exactly what would be run. */
  | { readonly state: 'waits'; readonly approval: string; readonly argv: readonly string[]; readonly facts: RunFacts }
  | {
      readonly state: 'settled'
      readonly ok: boolean
      readonly outcome: string
      readonly content?: string
      readonly ms: number
      /** What was run in the end, if a resolver worked out a part. */
      readonly argv?: readonly string[]
      readonly images?: readonly ResultImage[]
    }

/** A call with its state or outcome. While it is being written, `args` is the text of its arguments so far. */
export type CallView = Omit<Call, 'call'> & {
  readonly call: string
  readonly run: Run
  /** What a person was shown and said about it. */
  readonly approval?: {
    readonly argv: readonly string[]
    readonly answer?: ApprovalAnswer
    readonly reason?: string
  }
}

export type PartView = { readonly type: 'text' | 'think'; readonly text: string } | CallView

/** One model call of a turn. `open` may still be added to; a step that is `finished` or `broken` is as the log has it. */
export type StepView = {
  readonly step: number
  /** Where its reply is in the log; null until it is there. */
  readonly seq: number | null
  readonly state: 'open' | 'finished' | 'broken'
  readonly parts: readonly PartView[]
  readonly receipt: Receipt | null
  readonly usage: Usage | null
  readonly fault: Fault | null
  /** It reached the limit of its length. */
  readonly stop?: 'length'
  /** As the gateway measured it; absent until it has, and in logs from before it did. */
  readonly took?: Took
}

type Of<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

export type TurnEvent = Extract<Event, { readonly turn: TurnId }>

/** Whether an event belongs to a turn. A fold only names the turn in which a model was asked for it. */
export const isOfTurn = (event: Recorded): event is TurnEvent => 'turn' in event && event.type !== 'history.folded'

export const newStep = (step: number): StepView => ({
  ...{ step, seq: null, state: 'open', parts: [], receipt: null, usage: null, fault: null },
})

/** Readers that keep more with each step say how a new one begins. */
type Opening<Step extends StepView> = (step: number) => Step

/** The steps of an answer after one more of its events. Gives back the same list if nothing changes. */
export function stepsAfter<Step extends StepView>(
  steps: readonly Step[],
  event: TurnEvent,
  open: Opening<Step>,
): readonly Step[] {
  switch (event.type) {
    case 'context.planned': {
      // The same step planned again after it settled is another try; what the first one said stays where it is.
      const opened = stepNumbered(steps, event.step)?.state === 'open' ? steps : [...steps, open(event.step)]
      return changed(opened, event.step, step => ({ ...step, receipt: event.receipt }))
    }
    case 'reply.finished':
    case 'reply.broken': {
      const opened =
        (stepNumbered(steps, event.step)?.seq ?? null) === null ? withStep(steps, event.step, open) : [...steps, open(event.step)]
      return changed(opened, event.step, step => settled(step, event))
    }
    case 'tool.started':
      return withRun(steps, event, { state: 'running' })
    case 'tool.settled': {
      const { ok, outcome, content, ms, argv, images } = event
      const run: Run = {
        ...{ state: 'settled', ok, outcome, ms },
        ...(content === undefined ? {} : { content }),
        ...(argv === undefined ? {} : { argv }),
        ...(images === undefined ? {} : { images }),
      }
      return withRun(steps, event, run)
    }
    case 'approval.asked':
      return withRun(steps, event, { state: 'waits', approval: event.approval, argv: event.argv, facts: factsIn(event) })
    case 'approval.answered':
      return withRun(steps, event, { state: 'asked' })
    case 'turn.ended':
      return steps.some(({ state }) => state === 'open')
        ? steps.map(step => (step.state === 'open' ? { ...step, state: 'broken' } : step))
        : steps
    case 'turn.started':
      return steps
  }
}

/** The steps of an answer after one more delta; text that comes after its reply is in the log changes nothing. */
export function stepsAfterDelta<Step extends StepView>(
  steps: readonly Step[],
  delta: HeardDelta,
  open: Opening<Step>,
): readonly Step[] {
  const known = stepNumbered(steps, delta.step)
  if (known !== undefined && known.state !== 'open') return steps
  return changed(withStep(steps, delta.step, open), delta.step, step => {
    const parts = joinDelta(step.parts, delta)
    return parts === step.parts ? step : { ...step, parts }
  })
}

/** The newest step of that number. */
const stepNumbered = <Step extends StepView>(steps: readonly Step[], number: number): Step | undefined =>
  steps.findLast(({ step }) => step === number)

const withStep = <Step extends StepView>(steps: readonly Step[], number: number, open: Opening<Step>): readonly Step[] =>
  stepNumbered(steps, number) === undefined ? [...steps, open(number)] : steps

function changed<Step extends StepView>(steps: readonly Step[], number: number, change: (step: Step) => Step): readonly Step[] {
  const index = steps.findLastIndex(({ step }) => step === number)
  const step = steps[index]
  if (step === undefined) return steps
  const next = change(step)
  return next === step ? steps : steps.with(index, next)
}

function settled<Step extends StepView>(step: Step, reply: Of<'reply.finished' | 'reply.broken'>): Step {
  return {
    ...step,
    seq: reply.seq,
    state: reply.type === 'reply.finished' ? 'finished' : 'broken',
    parts: settledParts(reply.parts, step.parts),
    usage: reply.usage ?? null,
    fault: reply.type === 'reply.broken' ? reply.fault : null,
    ...(reply.type === 'reply.finished' && reply.stop !== undefined ? { stop: reply.stop } : {}),
    ...(reply.took === undefined ? {} : { took: reply.took }),
  }
}

/** The parts as the log has them; a call keeps what is already known of its run. */
const settledParts = (parts: readonly Part[], streamed: readonly PartView[]): readonly PartView[] =>
  parts.map((part): PartView => {
    if (part.type !== 'call') return { type: part.type, text: part.text }
    const seen = streamed.find((other): other is CallView => other.type === 'call' && other.call === part.call)
    const { call, tool, args, raw } = part
    return {
      ...seen,
      type: 'call',
      call,
      tool,
      args,
      ...(raw === undefined ? {} : { raw }),
      run: seen?.run ?? { state: 'asked' },
    }
  })

type CallEvent = Of<'tool.started' | 'tool.settled' | 'approval.asked' | 'approval.answered'>

/** A run belongs to the newest part that asked for it: call ids are the provider's, and may come again in a later step. */
function withRun<Step extends StepView>(steps: readonly Step[], event: CallEvent, run: Run): readonly Step[] {
  const index = steps.findLastIndex(step => asksFor(step, event.call))
  const step = steps[index]
  if (step === undefined) return event.type === 'tool.started' ? withCall(steps, event) : steps
  const parts = step.parts.map(part =>
    part.type === 'call' && part.call === event.call ? { ...part, run, ...approvalAfter(part, event) } : part,
  )
  return steps.with(index, { ...step, parts })
}

export const asksFor = ({ parts }: Pick<StepView, 'parts'>, call: string): boolean =>
  parts.some(part => part.type === 'call' && part.call === call)

function approvalAfter({ approval }: CallView, event: CallEvent): Pick<CallView, 'approval'> {
  if (event.type === 'approval.asked') return { approval: { argv: event.argv } }
  if (event.type !== 'approval.answered') return {}
  const { answer, reason } = event
  return { approval: { argv: approval?.argv ?? [], answer, ...(reason === undefined ? {} : { reason }) } }
}

/** A call that no reply asked for, as far as was heard, is shown all the same. */
function withCall<Step extends StepView>(steps: readonly Step[], { call, tool, args }: Of<'tool.started'>): readonly Step[] {
  const last = steps.at(-1)
  if (last === undefined) return steps
  return steps.with(-1, { ...last, parts: [...last.parts, { type: 'call', call, tool, args, run: { state: 'running' } }] })
}
