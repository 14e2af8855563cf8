/** A plan and its receipt as text that a person reads. */
import { labelOf } from '../../model/message/attachment.ts'
import type { Block, Plan } from '../../model/plan.ts'
import type { FollowState, InLine, OutLine, ReceiptDraft } from '../../model/receipt.ts'
import { seenIn, unseenIn } from './seen.ts'

/** A plan and its receipt as a person would read them aloud. */
export function explain(plan: Plan): string {
  const script = plan.messages.map(message => message.blocks.map(block => `${message.role}: ${blockLine(block)}`).join('\n'))
  const house = plan.system === '' ? [] : [`system: ${plan.system}`, '']
  return [...house, ...script, '', ...explainReceipt(plan.receipt), ''].join('\n')
}

/** One line per receipt line: what, where, how much, why. */
export function explainReceipt(receipt: ReceiptDraft): string[] {
  const { estimated, limit } = receipt.tokens
  return [
    `receipt: ${receipt.policy}, ${estimated} of ${limit} tokens, read through ${receipt.through}`,
    ...(receipt.ladder.length === 0 ? [] : [`  gave way: ${receipt.ladder.join(', ')}`]),
    ...(receipt.degraded === null ? [] : [`  degraded: ${receipt.degraded.reason}`]),
    ...seenText(receipt),
    ...receipt.in.map(inText),
    ...receipt.out.map(outText),
  ]
}

/** Only where something is left out or in part: a request that shows everything needs no word. */
function seenText(receipt: ReceiptDraft): string[] {
  const { excerpts = [], unpinned = [], results = [], hidden = [] } = receipt.window
  const { messages, of, folded = 0 } = seenIn(receipt)
  const parts = [...excerpts, ...results].map(({ seq, tokens }) => `${seq} (at most ${tokens} tokens)`)
  return [
    ...(receipt.seen === undefined || unseenIn(receipt) === 0
      ? []
      : [`  saw ${messages} of ${of} messages${folded === 0 ? '' : `, ${folded} summarized`}`]),
    ...followText(receipt),
    ...(parts.length === 0 ? [] : [`  in part: ${parts.join(', ')}`]),
    ...(unpinned.length === 0 ? [] : [`  pinned, but did not fit: ${unpinned.join(', ')}`]),
    ...hidden.map(
      ({ from, through, steps }) => `  not shown: ${steps} ${steps === 1 ? 'step' : 'steps'} of a turn, ${from}–${through}`,
    ),
  ]
}

/** Only where a window is not as large as it was at first, or replies needed more than it may have. */
function followText({ window: { follow } }: ReceiptDraft): string[] {
  if (follow === undefined || (follow.times === 1 && follow.reason === undefined)) return []
  const why = follow.reason === undefined ? '' : `, ${FOLLOW_WORDS[follow.reason]}`
  return [`  the window is ${follow.times} times as large as at first${why}`]
}

const FOLLOW_WORDS: Readonly<Record<NonNullable<FollowState['reason']>, string>> = {
  grown: 'grown because replies needed what it did not show',
  shrunk: 'smaller because no reply needed more for twenty turns',
  limit: 'replies needed more, but there is no more room',
  balance: 'replies needed more, but nothing was saved for that',
}

function blockLine(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'think':
      return `(thinking) ${block.text}`
    case 'call':
      return `→ ${block.tool} ${block.raw ?? JSON.stringify(block.args)} [${block.call}]`
    case 'result':
      return `← ${block.ok ? 'ok' : 'failed'} ${block.text} [${block.call}]`
    case 'image':
    case 'file':
      return labelOf(block)
  }
}

const inText = (line: InLine): string => {
  const what = line.source ?? line.kind
  const many = line.count === undefined || line.count === 1 ? '' : ` (${line.count} messages)`
  // Recalled messages name their session in the text of the request.
  const where = line.session === undefined || line.kind === 'recall' ? '' : ` of ${line.session}`
  return `  in   ${what}${range(line)}${where}${many}: ${line.tokens} tokens, ${line.reason}`
}

const outText = (line: OutLine): string =>
  `  out  ${line.count} ${line.count === 1 ? 'message' : 'messages'}${range(line)}: ${line.reason}`

function range({ from, to }: { readonly from?: number; readonly to?: number }): string {
  if (from === undefined || to === undefined) return ''
  return from === to ? ` ${from}` : ` ${from}–${to}`
}
