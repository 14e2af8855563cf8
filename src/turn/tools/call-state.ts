/** Reads from the log how far a tool call has come. */
import type { ApprovalAnswer, Event, Recorded } from '../../model/event.ts'
import type { CallId } from '../../model/ids.ts'

type Asked = Extract<Event, { type: 'approval.asked' }>

/** How far a call has come, as the log tells it. */
export type CallState =
  | { readonly is: 'new' }
  | { readonly is: 'waiting'; readonly asked: Asked }
  | { readonly is: 'answered'; readonly asked: Asked; readonly answer: ApprovalAnswer; readonly reason: string }
  /** `asked` is what a person had allowed, where one was asked about this call. */
  | { readonly is: 'started'; readonly asked?: Asked }
  | { readonly is: 'settled' }

/** The state of a call, from the events of its turn after the reply that made it: ids may come again in later replies. */
export function callState(call: CallId, after: readonly Recorded[]): CallState {
  let state = { is: 'new' } as CallState
  for (const event of after) {
    if (!('call' in event) || event.call !== call) continue
    if (event.type === 'tool.settled') return { is: 'settled' }
    if (event.type === 'tool.started') state = { is: 'started', ...(state.is === 'answered' ? { asked: state.asked } : {}) }
    if (event.type === 'approval.asked') state = { is: 'waiting', asked: event }
    if (event.type === 'approval.answered' && state.is === 'waiting' && event.approval === state.asked.approval)
      state = { is: 'answered', asked: state.asked, answer: event.answer, reason: event.reason ?? '' }
  }
  return state
}

export type FinishedReply = Extract<Recorded, { type: 'reply.finished' }>

/** The last reply of a turn that asked for something, and what happened since. */
export function lastAsking(
  events: readonly Recorded[],
): { readonly reply: FinishedReply; readonly after: readonly Recorded[] } | undefined {
  const at = events.findLastIndex(event => event.type === 'reply.finished')
  const reply = events[at]
  if (reply?.type !== 'reply.finished' || !reply.parts.some(part => part.type === 'call')) return undefined
  return { reply, after: events.slice(at + 1) }
}

/** Whether a turn is between two steps and waits for nothing but calls: then it can go on from its log alone. */
export function standsBetweenSteps(events: readonly Recorded[]): boolean {
  const asking = lastAsking(events)
  return asking !== undefined && !asking.after.some(event => event.type === 'context.planned')
}

/** Questions that have no answer. */
export function unanswered(events: readonly Recorded[]): readonly Asked[] {
  const answered = new Set(events.flatMap(event => (event.type === 'approval.answered' ? [event.approval] : [])))
  return events.filter((event): event is Asked => event.type === 'approval.asked' && !answered.has(event.approval))
}
