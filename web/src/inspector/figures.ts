// The figures of one request, in words.
import { seenIn, unseenIn } from '../../../src/context/receipt/seen.ts'
import type { Usage } from '../../../src/model/message/delta.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { truncationWords } from '../../../src/turn/step/truncation.ts'
import { recalledLines } from '../view/recalled.ts'
import type { ReplyEntry, Step, ViewEntry } from '../view/view.ts'
import type { InspectedRequest } from '../wire/inspect-api.ts'
import { dollars, percentWords } from '../words/amounts.ts'
import type { Figure } from '../words/numbers.ts'
import { hiddenWords, ladderWords, RECALL_FAILED } from '../words/reasons.ts'
import { duration, formatCount } from '../words/words.ts'
import { cachedIn } from './items/filled.ts'

/** The step of a turn as the conversation knows it. */
export function stepIn(entries: readonly ViewEntry[], turn: string, step: number | null): Step | undefined {
  const own = entries.filter((entry): entry is ReplyEntry => entry.kind === 'reply' && entry.turn === turn)
  const steps = own.flatMap(entry => entry.steps)
  return steps.findLast(each => each.receipt !== null && (step === null || each.step === step))
}

/** By how much the provider's number differs from ours. */
export function driftWords(estimated: number, reported: number): string {
  const share = estimated === 0 ? 0 : ((reported - estimated) / estimated) * 100
  const sign = share > 0 ? '+' : share < 0 ? '−' : '±'
  return `${sign}${Math.abs(share).toFixed(1)} %`
}

/** The figures of a request; a figure that was not counted is left out. */
export function requestFigures({ receipt }: Pick<InspectedRequest, 'receipt'>, usage: Usage | null): readonly Figure[] {
  const { tokens, timings, policy, model } = receipt
  const reported = usage === null ? tokens.reported : usage.input + usage.cacheRead + usage.cacheWrite
  const cached = cachedIn(receipt, usage)
  const isCounted = usage !== null || tokens.cached !== null
  const of = isCounted ? (reported ?? tokens.estimated) : tokens.estimated
  return [
    { name: 'Policy', value: policy },
    { name: 'Model', value: model },
    { name: 'Messages', value: messagesWords(receipt) },
    ...recallFigures(receipt),
    ...(receipt.beyond === undefined || receipt.beyond === 0
      ? []
      : [{ name: 'From beyond the window', value: receipt.beyond === 1 ? '1 word' : `${formatCount(receipt.beyond)} words` }]),
    { name: 'Estimated', value: formatCount(tokens.estimated) },
    ...(reported === null
      ? []
      : [{ name: 'Counted', value: `${formatCount(reported)} (${driftWords(tokens.estimated, reported)})` }]),
    {
      name: isCounted ? 'Cached' : 'Could be cached',
      value: `${formatCount(cached)} (${percentWords(of === 0 ? 0 : cached / of)})`,
    },
    ...(usage === null ? [] : [{ name: 'Cost', value: dollars(usage.costUsd ?? null) }]),
    { name: 'Built in', value: duration(timings.readMs + timings.assembleMs) },
  ]
}

/** What was quoted and what is hidden, where a policy recalls. */
function recallFigures(receipt: Receipt): readonly Figure[] {
  const { recall } = receipt
  if (recall === undefined) return []
  const lines = recalledLines(receipt)
  const tokens = lines.reduce((sum, line) => sum + line.tokens, 0)
  const hidden = hiddenWords(recall)
  const others = receipt.inputs.recall?.from?.chats ?? 0
  // What was saved may be more than any request has room for.
  const most = recall.balance === undefined ? ` of at most ${formatCount(recall.most)}` : ''
  return [
    ...(lines.length === 0
      ? []
      : [
          {
            name: 'Recalled',
            value: `${formatCount(lines.length)} · ${formatCount(tokens)}${most} tokens`,
          },
        ]),
    ...(others === 0
      ? []
      : [{ name: 'Looked up in', value: `this chat and ${formatCount(others)} other${others === 1 ? '' : 's'}` }]),
    ...(hidden === null ? [] : [{ name: 'Hidden', value: hidden }]),
  ]
}

function messagesWords(receipt: Receipt): string {
  const { messages, of, folded = 0 } = seenIn(receipt)
  const summarized = folded === 0 ? '' : `, ${formatCount(folded)} summarized`
  return unseenIn(receipt) === 0 ? `all ${formatCount(messages)}` : `${formatCount(messages)} of ${formatCount(of)}${summarized}`
}

/** Whether what is shown is what was sent. */
export function verifiedWords({ verified, difference }: Pick<InspectedRequest, 'verified' | 'difference'>): string {
  if (verified === true) return 'Verified: the log still gives exactly these bytes'
  if (verified === false) return `Not what was sent: ${difference ?? 'the bytes differ'}`
  return `Cannot be compared with what was sent: ${difference ?? 'what it was made of is not known any more'}`
}

/** What is worth a warning, each with what to do about it. */
export function troublesOf({
  receipt,
}: Pick<InspectedRequest, 'receipt'>): readonly { readonly words: string; readonly remedy: string }[] {
  const { degraded, truncated, ladder, model, inputs, recall } = receipt
  const gaveWay = ladderWords(ladder)
  return [
    ...(degraded === null
      ? []
      : [{ words: `Answered without the history: ${degraded.reason}`, remedy: 'Ask again once the store answers.' }]),
    ...(recall?.failed === undefined
      ? []
      : [
          {
            words: `${RECALL_FAILED}: ${recall.failed}`,
            remedy: 'Ask again to look for them once more, or pin what must be seen.',
          },
        ]),
    ...(truncated === undefined
      ? []
      : [{ words: 'The model did not see all of it', remedy: truncationWords(truncated, model, inputs.window) }]),
    ...(gaveWay === null
      ? []
      : [{ words: gaveWay, remedy: 'A larger budget, a model with a larger window or fewer pins would leave more room.' }]),
  ]
}
