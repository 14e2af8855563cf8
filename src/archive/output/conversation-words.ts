// The words of an exported conversation: titles, file names, senders, endings.
import type { ApprovalAnswer, Attachment, EndReason, Mark, Reach, Recorded } from '../../model/event.ts'
import { foldedWords } from '../../model/fold.ts'
import type { Session } from '../../model/session.ts'
import { slugOf } from '../../model/settings/slug.ts'
import type { ExportedTurn } from './conversation-view.ts'
import type { ExportedRequest } from './request-view.ts'

/** A time for people, in UTC, so that it is the same for every reader. */
export const moment = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

export const exportTitle = ({ title, preview }: Session): string => (title ?? preview ?? '').trim() || 'An empty conversation'

/** A name for an exported file that people recognize and every system accepts. */
export function fileNameOf(session: Session, ending: string): string {
  const slug = slugOf(exportTitle(session).slice(0, 200))
  return `turnwise-${slug === '' ? '' : `${slug}-`}${session.id}.${ending}`
}

export const answeredBy = ({ agent, council }: Session): string =>
  council === null ? (agent ?? 'no agent') : `council ${council}`

export function exportSender({ from, to }: Extract<Recorded, { type: 'message.received' }>): string {
  const sender = from === 'person' ? 'You' : from
  return to === undefined ? sender : `${sender}, to ${to.join(', ')}`
}

/** How a turn ended, if readers need to know. */
export function endingOf({ end, parts, isCutAtLimit }: ExportedTurn): string | undefined {
  if (end === undefined) return 'It had not ended when this was written.'
  switch (end.reason) {
    case 'done':
      return isCutAtLimit ? 'Cut off at the reply limit.' : undefined
    case 'failed':
      return `Not answered: ${end.fault?.message ?? 'the turn failed'}`
    case 'cancelled':
      return parts.length === 0 ? 'Stopped by a person before it said anything.' : 'Stopped by a person.'
    case 'interrupted':
      return 'Interrupted before it was whole.'
    case 'limit':
      return end.fault === undefined ? 'Stopped at the step limit.' : `Stopped: ${end.fault.message}.`
  }
}

const RESUMES: Readonly<Record<EndReason, string>> = {
  failed: 'Tried again after it failed.',
  interrupted: 'Gone on with after it was interrupted.',
  cancelled: 'Gone on with after it was stopped.',
  limit: 'Gone on with after it reached a limit.',
  done: 'Gone on with.',
}

/** Other remarks on a turn, one sentence each. */
export const remarksOn = ({ resumes, wentOn }: ExportedTurn): readonly string[] => [
  ...(resumes === undefined ? [] : [RESUMES[resumes]]),
  ...(wentOn ? ['It was interrupted in between, and went on.'] : []),
]

export const ANSWERS: Readonly<Record<ApprovalAnswer, string>> = {
  once: 'allowed once',
  session: 'allowed for this conversation',
  always: 'allowed for good',
  deny: 'denied',
}

const MARKS: Readonly<Record<Mark | 'none', string>> = {
  pin: 'goes with every request',
  exclude: 'is kept out of every request',
  removed: 'is removed from every request',
  none: 'has no mark any more',
}

const REACHES: Readonly<Record<Exclude<Reach, 'session'>, string>> = {
  project: " of its project's chats",
  everywhere: ' of every chat',
}

export const markedWords = ({ target, mark, reach }: Extract<Recorded, { type: 'message.marked' }>): string =>
  `Message ${target} ${MARKS[mark ?? 'none']}${reach === undefined ? '' : REACHES[reach]} from the next turn on.`

/** What a fold stands for, and by how much it is shorter where that is known. */
export function foldWords(fold: Extract<Recorded, { type: 'history.folded' }>): string {
  const { folded, tokens, by, replaces, text } = fold
  if (text.trim() === '') return foldedWords(fold)
  const size = folded === undefined ? '' : ` · ${number(folded)} → ${number(tokens)} tokens`
  const edited = by === 'person' && replaces !== undefined ? ' · edited by a person' : ''
  return `${foldedWords(fold)}${size}${edited}`
}

/** A file that came with a message. For a text file this includes the length of its text. */
export function fileWords(file: Attachment): string {
  const size = file.type === 'text' ? `${number(file.text.length)} characters` : `${number(file.bytes)} bytes`
  return `${file.type === 'image' ? 'Image' : 'File'} ${file.name} (${size})`
}

const number = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')

/** A request in one line. */
export function requestWords({ model, policy, estimated, usage, degraded, out }: ExportedRequest): string {
  const counted =
    usage === undefined
      ? `about ${number(estimated)} tokens in`
      : `${number(usage.input + usage.cacheRead + usage.cacheWrite)} tokens in${usage.cacheRead === 0 ? '' : ` (${number(usage.cacheRead)} cached)`}, ${number(usage.output)} out`
  const left = out.filter(({ count }) => count > 0).map(({ reason, count }) => `${number(count)} ${reason}`)
  return [
    model,
    `policy ${policy}`,
    counted,
    left.length === 0 ? 'nothing stayed out' : `stayed out: ${left.join(', ')}`,
    ...(degraded === null ? [] : [`without history: ${degraded}`]),
  ].join(' · ')
}
