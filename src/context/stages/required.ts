/** Makes what a request is about fit, fairly: the longest of its texts are shortened, and something of each stays. */
import type { PlanItem, Stretch } from '../../model/plan.ts'
import { fairShare, shortened } from '../recall/quote.ts'
import { estimateOf } from '../receipt/lines.ts'
import type { Measure } from '../text/tokens.ts'
import { PER_MESSAGE } from './draft.ts'
import { textMessage } from './plan-items.ts'

/** Less than this of an answer says nothing. */
const LEAST_TOKENS = 20

/** Shortens the required texts until all items fit into `limit`, or until the texts are as short as they may become. */
export function shortenRequired(
  items: readonly PlanItem[],
  limit: number,
  factor: number,
  measure: Measure,
): readonly PlanItem[] {
  const texts = items.flatMap(item => (item.required ?? []).map(stretch => textIn(item, stretch)))
  if (texts.length === 0) return items
  const lengths = texts.map(measure.count)
  const over = Math.ceil((estimateOf(items, factor) - limit) / factor)
  const room = lengths.reduce((sum, length) => sum + length, 0) - over
  const cut = (most: number): readonly PlanItem[] => items.map(item => withShorter(item, most, measure))
  let most = Math.max(LEAST_TOKENS, Math.min(fairShare(lengths, room), Math.max(...lengths)))
  let shorter = cut(most)
  // A text that is cut weighs a little more or less than its parts did.
  while (most > LEAST_TOKENS && estimateOf(shorter, factor) > limit) {
    most = Math.max(LEAST_TOKENS, Math.floor(most * 0.95))
    shorter = cut(most)
  }
  return shorter
}

function withShorter(item: PlanItem, most: number, measure: Measure): PlanItem {
  if (item.required === undefined) return item
  const whole = textOf(item)
  let text = ''
  let end = 0
  const required: Stretch[] = []
  for (const stretch of item.required) {
    text += whole.slice(end, stretch.from)
    const from = text.length
    text += shortened(textIn(item, stretch), most, measure)
    required.push({ from, to: text.length })
    end = stretch.to
  }
  text += whole.slice(end)
  if (text === whole) return item
  const messages = [textMessage('user', text)]
  return { ...item, required, messages, tokens: measure.count(text) + PER_MESSAGE, hash: measure.hash(text) }
}

const textIn = (item: PlanItem, { from, to }: Stretch): string => textOf(item).slice(from, to)

function textOf({ messages }: PlanItem): string {
  const [block] = messages[0]?.blocks ?? []
  return block?.type === 'text' ? block.text : ''
}
