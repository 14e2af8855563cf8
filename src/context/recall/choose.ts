/** Chooses which of the found messages are quoted, and how much of long ones, within a number of tokens. */
import type { Candidate, RecallQuote, TextSlice } from '../../model/recall.ts'
import type { Measure } from '../text/tokens.ts'
import { messageTexts } from './message-texts.ts'
import { type EventsOf, quotedLine, recallBlock } from './recall-block.ts'

/** A message with more tokens is quoted by its best passages, in at most `PART_TOKENS`. */
const LONG_TOKENS = 250
const PART_TOKENS = 150
/** What the day before a quote weighs, and the blank line after it. */
const DAY_TOKENS = 8

/** Where the candidates' texts are, and how they are written. */
export type ChoosingQuotes = {
  readonly eventsOf: EventsOf
  readonly names: readonly string[]
  readonly measure: Measure
  /** What each quote adds by being rounded up to whole tokens of the model. */
  readonly perQuote?: number
  /** The most tokens of what was said in this chat; others may take the rest. */
  readonly mostOwn?: number
}

/** What a quote would cost, roughly: enough to compare candidates without reading them. */
export const quoteTokens = ({ tokens, author, passages, chat }: Candidate): number =>
  DAY_TOKENS +
  (passages === undefined ? tokens : Math.min(tokens, PART_TOKENS)) +
  Math.ceil((author?.length ?? 0) / 4) +
  (chat === undefined ? 0 : 1 + Math.ceil(chat.title.length / 3))

/** The best first: by score, less the more it costs; of equals the earlier one. */
export const bestFirst = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates
    .map(candidate => ({ candidate, value: candidate.score - Math.log(quoteTokens(candidate)) }))
    .sort((a, b) => b.value - a.value || byPlace(a.candidate, b.candidate))
    .map(({ candidate }) => candidate)

type Placed = Pick<Candidate, 'seqs' | 'chat'>

/** What was said here comes before what was said elsewhere. */
const byPlace = (a: Placed, b: Placed): number => {
  const [one, other] = [a.chat?.session ?? '', b.chat?.session ?? '']
  return one === other ? (a.seqs[0] ?? 0) - (b.seqs[0] ?? 0) : one < other ? -1 : 1
}

/** Oldest first: within one chat by place, else by time. */
function inOrder(quotes: readonly RecallQuote[], eventsOf: EventsOf): readonly RecallQuote[] {
  if (quotes.every(({ chat }) => chat === undefined)) return quotes.toSorted(byPlace)
  const timed = quotes.map(quote => ({ quote, at: eventsOf(quote.seqs, quote.chat)?.[0]?.at ?? '' }))
  return timed.sort((a, b) => (a.at === b.at ? byPlace(a.quote, b.quote) : a.at < b.at ? -1 : 1)).map(({ quote }) => quote)
}

/** The candidates that are quoted within so many tokens, oldest first. What does not fit is passed over. */
export function choose(candidates: readonly Candidate[], most: number, choosing: ChoosingQuotes): readonly RecallQuote[] {
  const { measure, perQuote = 0 } = choosing
  const around = measure.count(recallBlock([]))
  let left = most - around
  let leftOwn = (choosing.mostOwn ?? most) - around
  const chosen: { readonly quote: RecallQuote; readonly line: string }[] = []
  for (const candidate of bestFirst(candidates)) {
    if (left < DAY_TOKENS) break
    if (quoteTokens(candidate) > left + DAY_TOKENS) continue
    const quote = quoteOf(candidate, choosing)
    const line = quote === undefined ? undefined : quotedLine(quote, choosing.eventsOf, choosing.names)
    if (quote === undefined || line === undefined) continue
    const cost = (quote.slices === undefined ? quoteTokens(candidate) : measure.count(line) + 1) + perQuote
    if (cost > left || (candidate.chat === undefined && cost > leftOwn)) continue
    chosen.push({ quote, line })
    left -= cost
    if (candidate.chat === undefined) leftOwn -= cost
  }
  // Lines weigh a little more or less together than apart.
  const weight = (): number => measure.count(recallBlock(chosen.map(({ line }) => line))) + chosen.length * perQuote
  while (chosen.length > 0 && weight() > most) chosen.pop()
  return inOrder(
    chosen.map(({ quote }) => quote),
    choosing.eventsOf,
  )
}

/** The whole message, or the best passages of a long one. */
function quoteOf({ seqs, author, tokens, passages, chat }: Candidate, choosing: ChoosingQuotes): RecallQuote | undefined {
  const whole = { seqs, author, ...(chat === undefined ? {} : { chat }) }
  if (passages === undefined || tokens <= LONG_TOKENS) return whole
  const texts = messageTexts(choosing.eventsOf(seqs, chat) ?? [])
  const textOf = ([which, from, to]: TextSlice): string => texts[which]?.text.slice(from, to) ?? ''
  let left = PART_TOKENS
  const taken: TextSlice[] = []
  for (const slice of passages) {
    const cost = choosing.measure.count(textOf(slice)) + 2
    if (cost > left) continue
    taken.push(slice)
    left -= cost
  }
  const [best] = passages
  if (taken.length === 0 && best !== undefined) taken.push(beginning(best, textOf(best), choosing.measure))
  return taken.length === 0 ? undefined : { ...whole, slices: taken.sort((a, b) => a[0] - b[0] || a[1] - b[1]) }
}

/** As many whole words of a passage as fit. */
function beginning([which, from]: TextSlice, text: string, measure: Measure): TextSlice {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (measure.count(text.slice(0, middle)) <= PART_TOKENS) low = middle
    else high = middle - 1
  }
  const space = text.slice(0, low).search(/\s\S*$/)
  if (low < text.length && space > 0) return [which, from, from + space]
  // Never half of a character.
  return [which, from, from + (/[\uD800-\uDBFF]/.test(text.charAt(low - 1)) && low < text.length ? low - 1 : low)]
}
