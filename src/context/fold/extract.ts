/** Takes the most telling sentences of a stretch, literally and in their order, without asking a model. */
import { type TextLanguage, withoutAccents } from '../recall/language/languages/language.ts'
import { asks } from '../recall/language/message-facts.ts'
import { languagesIn, wordsOf } from '../recall/language/terms.ts'
import type { Measure } from '../text/tokens.ts'
import { decides } from './decision-cues.ts'
import type { FoldMessage } from './fold-messages.ts'
import { notablesIn } from './notable.ts'
import { piecesOf, type Steps } from './steps.ts'
import { wholeSentences } from './whole-sentences.ts'

export type ExtractRequest = {
  readonly stretch: readonly FoldMessage[]
  /** The most tokens, as we count. */
  readonly most: number
  readonly measure: Measure
}

/** The most telling sentences within a number of tokens, each line with its speaker; a break in a sentence becomes a space. */
export function* extractSentences({ stretch, most, measure }: ExtractRequest): Steps<string> {
  const weights = yield* termWeights(stretch)
  const sentences = yield* scoredSentences(stretch, weights)
  sentences.sort((a, b) => b.score - a.score || a.message - b.message || a.from - b.from)
  yield
  const taken = yield* chosen(sentences, stretch, most, measure)
  return linesOf(taken, stretch).join('\n')
}

/** A sentence by its place. */
type Scored = {
  readonly message: number
  readonly from: number
  readonly to: number
  readonly score: number
}

/** How telling each word of the stretch is: in several messages, and not in all of them. */
function* termWeights(stretch: readonly FoldMessage[]): Steps<ReadonlyMap<string, number>> {
  const messages = new Map<string, number>()
  for (const { words } of stretch) {
    const own = new Set<string>()
    for (const { text } of piecesOf(words)) {
      for (const word of wordsOf(text)) own.add(word)
      yield
    }
    for (const word of own) messages.set(word, (messages.get(word) ?? 0) + 1)
    yield
  }
  const all = stretch.length
  const weights = new Map<string, number>()
  let many = 0
  for (const [word, count] of messages) {
    weights.set(word, Math.log(1 + all / count) * Math.min(2, 0.5 + 0.5 * count))
    if (++many % WORDS_PER_STEP === 0) yield
  }
  return weights
}

const WORDS_PER_STEP = 20_000

/** Shorter sentences say little; of longer ones only so many words count. */
const FEWEST_WORDS = 4
const FEWEST_UNSPACED = 8
const FEWEST_TELLING = 2
const LONGEST = 600

const RULE = 2
const DECISION = 2
const WISH = 1.5
const QUESTION = 0.7
const FIRST_OF_ANSWER = 1
const FIRST_OF_PERSON = 0.7
const BY_PERSON = 0.5
const PER_NOTABLE = 0.3
const MOST_NOTABLES = 4
const TALK = 3

function* scoredSentences(stretch: readonly FoldMessage[], weights: ReadonlyMap<string, number>): Steps<Scored[]> {
  const scored: Scored[] = []
  for (const [message, { words, isPerson }] of stretch.entries()) {
    const { likely } = languagesIn(words.slice(0, LANGUAGE_SAMPLE))
    let isFirst = true
    let isCode = false
    for (const { text, at } of piecesOf(words)) {
      for (const { from, to, isHeading } of wholeSentences(text)) {
        const sentence = text.slice(from, to)
        const fences = sentence.match(FENCE)?.length ?? 0
        const wasCode = isCode
        if (fences % 2 === 1) isCode = !isCode
        if (isHeading || wasCode || fences > 0 || to - from > LONGEST || TABLE.test(sentence)) continue
        const score = scoreOfSentence(sentence, weights, likely)
        if (score === undefined) continue
        const first = isFirst ? (isPerson ? FIRST_OF_PERSON : FIRST_OF_ANSWER) : 0
        isFirst = false
        scored.push({ message, from: at + from, to: at + to, score: score + first + (isPerson ? BY_PERSON : 0) })
      }
      yield
    }
  }
  return scored
}

const LANGUAGE_SAMPLE = 4000
const FENCE = /^\s*(?:```|~~~)/gm
const TABLE = /^\s*\|/

/** How telling a sentence is by its own words; undefined if it has too few. */
function scoreOfSentence(
  sentence: string,
  weights: ReadonlyMap<string, number>,
  likely: readonly TextLanguage[],
): number | undefined {
  const words = new Set(wordsOf(sentence))
  const isUnspaced = likely.some(({ code }) => code === 'ja' || code === 'zh')
  const telling = [...words].filter(word => !likely.some(({ stopWords }) => stopWords.has(word)))
  if (words.size < (isUnspaced ? FEWEST_UNSPACED : FEWEST_WORDS) || telling.length < FEWEST_TELLING) return undefined
  const sum = telling.reduce((all, word) => all + (weights.get(word) ?? 0), 0)
  const plain = withoutAccents(sentence).toLowerCase()
  const says = (cuesOf: (language: TextLanguage) => RegExp): boolean => likely.some(language => cuesOf(language).test(plain))
  const cues =
    (says(({ rule }) => rule) ? RULE : 0) +
    (says(({ wish }) => wish) ? WISH : 0) +
    (decides(plain) ? DECISION : 0) +
    (asks(sentence) ? QUESTION : 0)
  const notables = Math.min(MOST_NOTABLES, notablesIn(sentence).length) * PER_NOTABLE
  return (TALK * sum) / (words.size + (isUnspaced ? 16 : 8)) + cues + notables
}

/** A sentence that repeats so much of what was taken already is passed over. */
const MOST_REPEATED = 0.6
const MOST_MISSES = 20
const LINES_PER_STEP = 20

/** The best sentences that fit, without those that repeat others. */
function* chosen(
  sentences: readonly Scored[],
  stretch: readonly FoldMessage[],
  most: number,
  measure: Measure,
): Steps<readonly Scored[]> {
  const taken: Scored[] = []
  const speakers = new Set<number>()
  const covered = new Set<string>()
  let [tokens, misses] = [0, 0]
  for (const [index, sentence] of sentences.entries()) {
    if (index % LINES_PER_STEP === LINES_PER_STEP - 1) yield
    const text = textOf(sentence, stretch)
    const words = [...new Set(wordsOf(text))]
    if (words.filter(word => covered.has(word)).length > words.length * MOST_REPEATED) continue
    const speaker = speakers.has(sentence.message) ? ' … ' : `${stretch[sentence.message]?.speaker ?? ''}: \n`
    const cost = measure.count(text) + measure.count(speaker)
    if (tokens + cost > most) {
      misses += 1
      if (misses >= MOST_MISSES) break
      continue
    }
    tokens += cost
    taken.push(sentence)
    speakers.add(sentence.message)
    for (const word of words) covered.add(word)
  }
  // Tokens that join or come apart where lines meet: the least telling sentence goes until all fits.
  while (taken.length > 0 && measure.count(linesOf(taken, stretch).join('\n')) > most) taken.pop()
  return taken
}

const textOf = ({ message, from, to }: Scored, stretch: readonly FoldMessage[]): string =>
  (stretch[message]?.words ?? '').slice(from, to).replace(/\s+/g, ' ').trim()

/** One line for each message: its sentences in their order, with a sign where something between them is left out. */
function linesOf(taken: readonly Scored[], stretch: readonly FoldMessage[]): readonly string[] {
  const byMessage = Map.groupBy(
    taken.toSorted((a, b) => a.message - b.message || a.from - b.from),
    ({ message }) => message,
  )
  return [...byMessage].map(([message, own]) => {
    const words = stretch[message]?.words ?? ''
    const parts = own.map((sentence, index) => {
      const before = own[index - 1]
      const between = before === undefined ? '' : words.slice(before.to, sentence.from)
      const gap = between.trim() === '' ? between.replace(/\s+/g, ' ') : ' … '
      return `${gap}${textOf(sentence, stretch)}`
    })
    return `${stretch[message]?.speaker ?? ''}: ${parts.join('')}`
  })
}
