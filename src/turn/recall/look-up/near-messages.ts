/** Chooses which messages are compared with a question: all of a short session, else the best passages and what is around them. */
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { IndexedMessage } from '../fill/blocks.ts'
import type { QuestionHits } from './find-hits.ts'
import { type IndexReader, messagesAt } from './index-reader.ts'

/** The best passages are compared, with so many neighbours on each side, and the newest rules. */
const BEST_PASSAGES = 200
const NEIGHBOURS = 2
const NEWEST_RULES = 50

/** The parameters of BM25. */
export const BM25_K1 = 1.2
export const BM25_B = 0.7

export type IsVisible = (message: IndexedMessage) => boolean

/** The messages to compare, in their order, and how far apart neighbours may be. */
export type NearMessages = { readonly messages: readonly IndexedMessage[]; readonly reach: number }

/** Every message of some blocks that may be seen; none but invisible ones are between neighbours. */
export async function allMessages(
  reader: IndexReader,
  numbers: readonly number[],
  isVisible: IsVisible,
  reach: number,
): Promise<Result<NearMessages, Fault>> {
  const blocks = await reader.blocks(numbers)
  if (!blocks.ok) return blocks
  const messages = numbers.flatMap(number => blocks.value.get(number)?.whole().messages ?? []).filter(isVisible)
  return ok({ messages, reach })
}

/** The best passages that may be seen, with their neighbours, and the newest rules. */
export async function bestMessages(
  reader: IndexReader,
  end: number,
  isVisible: IsVisible,
  hits: QuestionHits,
): Promise<Result<NearMessages, Fault>> {
  const merits = meritsOf(hits)
  let ranked = bestPassages(hits, merits, FIRST_RANKED)
  const best = new Map<number, IndexedMessage>()
  let found = 0
  for (let from = 0; from < merits.length && found < BEST_PASSAGES; from += BEST_PASSAGES) {
    // Many of the best may be invisible to this voice.
    if (from >= ranked.length) ranked = bestPassages(hits, merits, merits.length)
    const messages = await messagesAt(reader, ranked.slice(from, from + BEST_PASSAGES))
    if (!messages.ok) return messages
    for (const message of messages.value) {
      if (found >= BEST_PASSAGES) break
      if (message === undefined || !isVisible(message)) continue
      best.set(message.first, message)
      found += 1
    }
  }
  const rules = await messagesAt(reader, hits.rules.slice(-2 * NEWEST_RULES))
  if (!rules.ok) return rules
  const newest = rules.value.filter(message => message !== undefined && message.voice === '' && isVisible(message))
  for (const message of newest.slice(-NEWEST_RULES)) if (message !== undefined) best.set(message.first, message)
  const near = new Map(best)
  let edges = [...best.values()]
  for (let step = 0; step < NEIGHBOURS; step += 1) {
    const places = edges
      .flatMap(({ first, passages }) => [first - 1, first + passages])
      .filter(place => place >= 0 && place < end)
    const messages = await messagesAt(reader, places)
    if (!messages.ok) return messages
    edges = messages.value.filter(message => message !== undefined && !near.has(message.first)) as IndexedMessage[]
    for (const message of edges) near.set(message.first, message)
  }
  const messages = [...near.values()].filter(isVisible).sort((a, b) => a.first - b.first)
  return ok({ messages, reach: NEIGHBOURS })
}

/** So many are ranked first: nearly always these are enough. */
const FIRST_RANKED = 2 * BEST_PASSAGES

function meritsOf(hits: QuestionHits): Float64Array {
  const merits = new Float64Array(hits.places.passages.length)
  for (let index = 0; index < merits.length; index += 1) merits[index] = roughMerit(hits, index * hits.idf.length)
  return merits
}

/** The best passages, best first, ties by their order. Of tens of thousands only a few are sorted. */
function bestPassages({ places: { passages } }: QuestionHits, merits: Float64Array, most: number): readonly number[] {
  const order = (a: number, b: number): number =>
    (merits[b] as number) - (merits[a] as number) || (passages[a] as number) - (passages[b] as number)
  const least = most < merits.length ? leastOfBest(merits, most) : Number.NEGATIVE_INFINITY
  const kept: number[] = []
  for (let index = 0; index < merits.length; index += 1) if ((merits[index] as number) >= least) kept.push(index)
  return kept
    .sort(order)
    .slice(0, most)
    .map(index => passages[index] as number)
}

/** The smallest of so many largest numbers: they are kept in a heap with the smallest on top. */
function leastOfBest(values: Float64Array, most: number): number {
  const heap = values.slice(0, most).sort()
  for (let index = most; index < values.length; index += 1) {
    const value = values[index] as number
    if (value <= (heap[0] as number)) continue
    let place = 0
    for (let child = 1; child < most; child = 2 * place + 1) {
      if (child + 1 < most && (heap[child + 1] as number) < (heap[child] as number)) child += 1
      if ((heap[child] as number) >= value) break
      heap[place] = heap[child] as number
      place = child
    }
    heap[place] = value
  }
  return heap[0] as number
}

/** Before the lengths of passages are known. */
function roughMerit({ idf, counts, worth }: QuestionHits, place: number): number {
  let sum = 0
  for (let term = 0; term < idf.length; term += 1) {
    const count = counts[place + term] as number
    sum += (idf[term] as number) * ((worth[place + term] as number) + (count * (BM25_K1 + 1)) / (count + BM25_K1))
  }
  return sum
}
