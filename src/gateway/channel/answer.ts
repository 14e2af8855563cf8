/** Makes posts of what a session does: one for each turn, one for each call that waits for a person. */
import type { Signal } from '../../engine.ts'
import type { Event } from '../../model/event.ts'
import type { TurnId } from '../../model/ids.ts'
import { SYNTHESIS } from '../../model/settings/council.ts'
import { textsOf } from '../../model/turn-view/join-cuts.ts'
import { isOfTurn, type StepView } from '../../model/turn-view/step-view.ts'
import { newTurn, type TurnView, turnAfter, turnAfterDelta } from '../../model/turn-view/turn-view.ts'
import { truncationOf, truncationWords } from '../../turn/step/truncation.ts'
import { escapeToOneLine } from '../cli/output/escape-for-terminal.ts'
import { voiceName } from '../cli/output/voice-name.ts'
import type { ChannelAdapter } from './adapter.ts'
import type { PostContent } from './outbox.ts'
import { type ApprovalOutcome, type AskedApproval, approvalButtons, approvalText } from './text/approval-words.ts'

type Started = Extract<Event, { type: 'turn.started' }>

export type AnswerOptions = {
  readonly format: ChannelAdapter['format']
  /** Whether a turn is shown here. */
  readonly isOwn: (started: Started) => boolean
  /** Several voices answer, so each post has a name. */
  readonly isNamed: boolean
  /** The post under this key is new or has changed; the outbox asks for its content when it has time to show it. */
  readonly show: (key: string, content: () => Promise<PostContent>) => void
}

export type SessionPosts = { readonly hear: (signal: Signal) => void; readonly isWaiting: () => boolean }

type Turn = {
  readonly started: Started
  /** Of this turn alone: a turn that continues another's text has a post of its own below it. */
  view: TurnView
  degraded: string | undefined
  /** That something is no longer sent, as the notice says it. */
  window: string | undefined
}

export function createAnswer({ format, isOwn, isNamed, show }: AnswerOptions): SessionPosts {
  const turns = new Map<TurnId, Turn>()
  const approvals = new Map<string, { readonly asked: AskedApproval; outcome: ApprovalOutcome | undefined }>()

  const showTurn = (turn: Turn): void => show(turn.started.turn, () => turnContent(format, turn, isNamed))
  const showApproval = (approval: string): void => {
    const found = approvals.get(approval)
    if (found !== undefined) show(approval, () => approvalContent(format, found.asked, found.outcome))
  }
  const settle = (approval: string, outcome: ApprovalOutcome): void => {
    const found = approvals.get(approval)
    if (found === undefined || found.outcome !== undefined) return
    found.outcome = outcome
    showApproval(approval)
  }

  const hearEvent = (event: Event): void => {
    if (!isOfTurn(event)) return
    if (event.type === 'turn.started' && isOwn(event))
      turns.set(event.turn, { started: event, view: newTurn(event.turn), degraded: undefined, window: undefined })
    const turn = turns.get(event.turn)
    if (turn === undefined) return
    turn.view = turnAfter(turn.view, event)
    switch (event.type) {
      case 'context.planned':
        turn.degraded ??= event.receipt.degraded?.reason
        break
      case 'reply.finished':
      case 'reply.broken':
        showTurn(turn)
        break
      case 'approval.asked':
        approvals.set(event.approval, { asked: event, outcome: undefined })
        showApproval(event.approval)
        break
      case 'approval.answered':
        settle(event.approval, { answer: event.answer, ...(event.reason === undefined ? {} : { reason: event.reason }) })
        break
      case 'turn.ended':
        for (const [id, { asked }] of approvals) if (asked.turn === event.turn) settle(id, 'over')
        showTurn(turn)
        break
    }
  }

  return {
    hear: signal => {
      if (signal.type === 'event' && signal.event.type !== 'damaged') hearEvent(signal.event)
      if (signal.type === 'notice' && signal.notice.kind === 'window' && signal.notice.turn !== undefined) {
        const turn = turns.get(signal.notice.turn)
        if (turn !== undefined) turn.window = [turn.window, signal.notice.message].filter(words => words !== undefined).join(' ')
      }
      if (signal.type === 'delta') {
        const { delta } = signal
        const turn = turns.get(delta.turn)
        const view = turn === undefined ? undefined : turnAfterDelta(turn.view, delta)
        if (turn === undefined || view === undefined || view === turn.view) return
        turn.view = view
        // Thinking and calls are not shown.
        if (delta.kind === 'text') showTurn(turn)
      }
    },
    isWaiting: () => [...approvals.values()].some(({ outcome }) => outcome === undefined),
  }
}

/** A remark where the model's own count says that it saw much less than it was sent. */
function truncationIn({ receipt, usage }: StepView): string | undefined {
  const truncation = receipt === null || usage === null ? undefined : truncationOf(receipt, usage)
  return receipt === null || truncation === undefined
    ? undefined
    : truncationWords(truncation, receipt.model, receipt.inputs.window)
}

async function turnContent(
  format: ChannelAdapter['format'],
  { started, view, degraded, window }: Turn,
  isNamed: boolean,
): Promise<PostContent> {
  const { steps, end } = view
  const text = textsOf(steps)
    .filter(words => words !== '')
    .join('\n\n')
  const isFinal = end !== null
  const title = isNamed || started.voice === SYNTHESIS ? escapeToOneLine(voiceName(started)) : null
  const isCutAtLength = isFinal && steps.findLast(({ seq }) => seq !== null)?.stop === 'length'
  const truncated = steps.flatMap(step => truncationIn(step) ?? [])[0]
  const remarks = { degraded, truncated, window, isCutAtLength, ended: end ?? undefined }
  return { pieces: await format.answer({ text, isFinal, title, remarks }), isFinal }
}

/** Shows buttons until the question is answered, in this chat or in any other client. */
async function approvalContent(
  format: ChannelAdapter['format'],
  asked: AskedApproval,
  outcome: ApprovalOutcome | undefined,
): Promise<PostContent> {
  return {
    pieces: await format.text(approvalText(asked, outcome)),
    ...(outcome === undefined ? { buttons: approvalButtons(asked.approval) } : {}),
    isFinal: outcome !== undefined,
  }
}
