/** Makes posts of what a session does: one for each turn, one for each call that waits for a person. */
import type { Signal } from '../../engine.ts'
import type { EndReason, Event, Part } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import type { HeardDelta, Usage } from '../../model/message/delta.ts'
import type { SpokenReply } from '../../model/message/spoken.ts'
import type { Receipt } from '../../model/receipt.ts'
import { SYNTHESIS } from '../../model/settings/council.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import { truncationOf, truncationWords } from '../../turn/step/truncation.ts'
import { escapeToOneLine } from '../cli/output/escape-for-terminal.ts'
import { voiceName } from '../cli/output/voice-name.ts'
import type { ChannelAdapter } from './adapter.ts'
import type { PostContent } from './outbox.ts'
import { type Asked, approvalButtons, approvalText, type Outcome } from './text/approval-words.ts'

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

export type Answer = { readonly hear: (signal: Signal) => void; readonly isWaiting: () => boolean }

type Turn = {
  readonly started: Started
  readonly replies: Map<number, Pick<SpokenReply, 'type' | 'parts'> & { readonly isKept: boolean }>
  receipt: Receipt | undefined
  degraded: string | undefined
  truncated: string | undefined
  isCutAtLength: boolean
  ended: { readonly reason: EndReason; readonly fault?: Fault } | undefined
}

export function createAnswer({ format, isOwn, isNamed, show }: AnswerOptions): Answer {
  const turns = new Map<TurnId, Turn>()
  const approvals = new Map<string, { readonly asked: Asked; outcome: Outcome | undefined }>()

  const showTurn = (turn: Turn): void => show(turn.started.turn, () => turnContent(format, turn, isNamed))
  const showApproval = (approval: string): void => {
    const found = approvals.get(approval)
    if (found !== undefined) show(approval, () => approvalContent(format, found.asked, found.outcome))
  }
  const settle = (approval: string, outcome: Outcome): void => {
    const found = approvals.get(approval)
    if (found === undefined || found.outcome !== undefined) return
    found.outcome = outcome
    showApproval(approval)
  }

  const hearEvent = (event: Event): void => {
    if (event.type === 'turn.started' && isOwn(event))
      turns.set(event.turn, {
        ...{ started: event, replies: new Map() },
        ...{ receipt: undefined, degraded: undefined, truncated: undefined, isCutAtLength: false, ended: undefined },
      })
    const turn = 'turn' in event ? turns.get(event.turn) : undefined
    if (turn === undefined) return
    switch (event.type) {
      case 'context.planned':
        turn.degraded ??= event.receipt.degraded?.reason
        turn.receipt = event.receipt
        break
      case 'reply.finished':
      case 'reply.broken':
        turn.replies.set(event.step, { ...event, isKept: true })
        turn.truncated ??= truncationIn(turn.receipt, event.usage)
        turn.isCutAtLength = event.type === 'reply.finished' && event.stop === 'length'
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
        turn.ended = event
        for (const [id, { asked }] of approvals) if (asked.turn === event.turn) settle(id, 'over')
        showTurn(turn)
        break
    }
  }

  return {
    hear: signal => {
      if (signal.type === 'event' && signal.event.type !== 'damaged') hearEvent(signal.event)
      if (signal.type === 'delta' && signal.delta.kind === 'text') {
        const turn = turns.get(signal.delta.turn)
        if (turn !== undefined && addDelta(turn, signal.delta)) showTurn(turn)
      }
    },
    isWaiting: () => [...approvals.values()].some(({ outcome }) => outcome === undefined),
  }
}

/** Adds a delta to the reply that is being given, until the event of the whole reply replaces it. Gives whether anything changed. */
function addDelta({ replies }: Turn, { step, part, offset, text }: HeardDelta): boolean {
  const before = replies.get(step)
  if (before?.isKept === true) return false
  const parts: Part[] = [...(before?.parts ?? [])]
  // Parts before it that are no text are not shown.
  for (let index = parts.length; index <= part; index += 1) parts.push({ type: 'text', text: '' })
  const current = parts[part]
  if (current?.type !== 'text' || offset > current.text.length) return false
  parts[part] = { type: 'text', text: current.text.slice(0, offset) + text }
  replies.set(step, { type: 'reply.finished', parts, isKept: false })
  return true
}

/** A remark where the model's own count says that it saw much less than it was sent. */
function truncationIn(receipt: Receipt | undefined, usage: Usage | undefined): string | undefined {
  const truncation = receipt === undefined || usage === undefined ? undefined : truncationOf(receipt, usage)
  return receipt === undefined || truncation === undefined
    ? undefined
    : truncationWords(truncation, receipt.model, receipt.inputs.window)
}

async function turnContent(format: ChannelAdapter['format'], turn: Turn, isNamed: boolean): Promise<PostContent> {
  const { started, replies, degraded, truncated, isCutAtLength, ended } = turn
  const inOrder = [...replies].sort(([one], [other]) => one - other).map(([step, reply]) => ({ ...reply, step }))
  const text = spokenText(
    inOrder.map(({ type, step, parts }) => ({
      type,
      step,
      parts: parts.filter(part => part.type !== 'text' || part.text !== ''),
    })),
  )
  const isFinal = ended !== undefined
  const title = isNamed || started.voice === SYNTHESIS ? escapeToOneLine(voiceName(started)) : null
  const remarks = { degraded, truncated, isCutAtLength: isCutAtLength && isFinal, ended }
  return { pieces: await format.answer({ text, isFinal, title, remarks }), isFinal }
}

/** Buttons as long as the question is open, whichever door the answer comes from. */
async function approvalContent(
  format: ChannelAdapter['format'],
  asked: Asked,
  outcome: Outcome | undefined,
): Promise<PostContent> {
  return {
    pieces: await format.text(approvalText(asked, outcome)),
    ...(outcome === undefined ? { buttons: approvalButtons(asked.approval) } : {}),
    isFinal: outcome !== undefined,
  }
}
