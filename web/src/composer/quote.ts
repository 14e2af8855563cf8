// Puts a quote of tokens and cost into words.
import type { Quote } from '../../../src/model/quote.ts'
import { dollarRange, shortCount } from '../words/amounts.ts'

/** What a message would take, in one quiet line. */
export function quoteLine({ voices, total }: Quote): string {
  const many = voices.length
  const each = (sum: number): string => shortCount(Math.round(sum / Math.max(1, many)))
  const times = many > 1 ? `${many} × ` : ''
  return `≈ ${times}${each(total.input)} in, ≤ ${times}${each(total.output)} out · ${dollarRange(total.leastUsd, total.mostUsd)}`
}

/** The same line for screen readers. */
export function quoteSpoken({ voices, total }: Quote): string {
  const who = voices.length > 1 ? ` for ${voices.length} voices together` : ''
  const most = total.mostUsd === null ? 'the price is not known' : `at most ${dollarRange(total.mostUsd, total.mostUsd)}`
  return `About ${shortCount(total.input)} tokens in and at most ${shortCount(total.output)} out${who}, ${most}`
}
