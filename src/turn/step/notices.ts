/** Makes the notices that followers get besides the reply: a shorter reply, a missing history, a full window, another try. */
import { type ShownBefore, seenIn, type WindowChange, windowChange } from '../../context/receipt/seen.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import type { Notice } from '../../model/message/delta.ts'
import type { Receipt, SeenCount } from '../../model/receipt.ts'
import { isHouseVoice } from '../../model/settings/council.ts'

export type RequestNews = {
  readonly receipt: Receipt
  readonly turn: TurnId
  /** What the voice's request before showed; null if there was none, undefined if that is not known. */
  readonly before: ShownBefore | null | undefined
  /** The longest reply of a round that has little money. */
  readonly limited: number | undefined
}

/** The notices that go out with a request. */
export const noticesFor = ({ receipt, turn, before, limited }: RequestNews): readonly Notice[] => [
  ...(receipt.degraded === null ? windowNotices(receipt, turn, before) : [degradedNotice(receipt.degraded.reason, turn)]),
  ...(limited === undefined ? [] : [shorterNotice(limited)]),
]

/** Said when something begins to be left out or shown in part, not with every request after that. */
function windowNotices(receipt: Receipt, turn: TurnId, before: RequestNews['before']): readonly Notice[] {
  if (before === undefined || isHouseVoice(receipt.voice)) return []
  const message = windowWords(windowChange(receipt, before), seenIn(receipt))
  return message === '' ? [] : [{ kind: 'window', message, turn }]
}

function windowWords({ dropped, excerpts, unpinned, steps, results }: WindowChange, { of, folded = 0 }: SeenCount): string {
  const summarized = Math.min(folded, dropped)
  const gone = dropped - summarized
  const sentences = [
    gone === 0 ? '' : `${figure(gone)} of ${many(of, 'message')} ${gone === 1 ? 'is' : 'are'} no longer sent to the model`,
    summarized === 0
      ? ''
      : `${figure(summarized)} of ${many(of, 'message')} ${summarized === 1 ? 'is' : 'are'} sent as a summary`,
    excerpts === 0 ? '' : `${many(excerpts, 'long message')} ${excerpts === 1 ? 'is' : 'are'} sent in part`,
    unpinned === 0
      ? ''
      : `${many(unpinned, 'pinned message')} ${unpinned === 1 ? 'does' : 'do'} not fit and ${unpinned === 1 ? 'is' : 'are'} not sent`,
    steps === 0 ? '' : `${many(steps, 'earlier step')} of this turn ${steps === 1 ? 'is' : 'are'} no longer sent`,
    results === 0 ? '' : `${many(results, 'tool result')} ${results === 1 ? 'is' : 'are'} sent in part`,
  ]
  return sentences.flatMap(sentence => (sentence === '' ? [] : [`${sentence}.`])).join(' ')
}

const figure = (count: number): string => count.toLocaleString('en')

const many = (count: number, what: string): string => `${figure(count)} ${what}${count === 1 ? '' : 's'}`

const degradedNotice = (reason: string, turn: TurnId): Notice => ({
  kind: 'degraded',
  message: `Answered without earlier messages: ${reason}.`,
  turn,
})

export const shorterNotice = (output: number, turn?: TurnId): Notice => ({
  kind: 'budget',
  message: `The budget leaves room for replies of at most ${output.toLocaleString('en')} tokens; longer ones are cut there.`,
  ...(turn === undefined ? {} : { turn }),
})

export const retryNotice = ({ message }: Fault, how: string, turn: TurnId): Notice => ({
  kind: 'retrying',
  message: `${message}. ${how}`,
  turn,
})
