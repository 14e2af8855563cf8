/** Lists what must not be lost of a stretch: names, numbers, dates, ids, paths and addresses, literally. */
import type { Measure } from '../text/tokens.ts'
import type { FoldMessage } from './fold-messages.ts'
import { type Mention, mentionsIn } from './mentions.ts'
import type { Steps } from './steps.ts'

export type LossRequest = {
  readonly stretch: readonly FoldMessage[]
  /** What was said after the stretch: what is used there comes first. */
  readonly later: readonly FoldMessage[]
  /** The most tokens, as we count. */
  readonly most: number
  readonly measure: Measure
}

/**
 * The lines of the list within a number of tokens. What is used again after the stretch comes first, and all of it whenever it
 * fits: in the words around it as far as there is room, else alone. Then numbers and dates in their words, and the rest alone.
 */
export function* mustNotBeLost({ stretch, later, most, measure }: LossRequest): Steps<readonly string[]> {
  const mentions = yield* mentionsIn(stretch, later)
  const used = mentions.filter(({ isUsed }) => isUsed)
  const many = fitting(used, most, measure)
  const list: OpenList = { lines: [], alone: [], tokens: 0, most, measure }
  yield* takeUsed(list, used.slice(0, many), many === used.length)
  if (many < used.length) return linesOf(list)
  const rest = mentions.slice(used.length)
  const inWords = rest.filter(needsWords)
  yield* takeInWords(list, inWords, list.tokens + (most - list.tokens) / 2)
  yield* takeAlone(
    list,
    rest.filter(mention => !needsWords(mention)),
  )
  yield* takeInWords(list, inWords, most)
  return linesOf(list)
}

/** Lines with words, what is listed alone below them, and the tokens of all that. */
type OpenList = {
  readonly lines: string[]
  readonly alone: string[]
  tokens: number
  readonly most: number
  readonly measure: Measure
}

const linesOf = ({ lines, alone }: OpenList): readonly string[] => [...lines, ...aloneLines(alone)]

/** Several things in a line; more than these are hard to read. */
const PER_LINE = 12

function aloneLines(literals: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (let at = 0; at < literals.length; at += PER_LINE) lines.push(`- ${literals.slice(at, at + PER_LINE).join(', ')}`)
  return lines
}

/** Alone a number or a date says nothing. */
const needsWords = ({ kind }: Mention): boolean => kind === 'number' || kind === 'date'

/** How many of these fit, from the first on, if each is alone. */
function fitting(mentions: readonly Mention[], most: number, measure: Measure): number {
  const literals = mentions.slice(0, most).map(({ literal }) => literal)
  let [low, high] = [0, literals.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (measure.count(aloneLines(literals.slice(0, middle)).join('\n')) <= most) low = middle
    else high = middle - 1
  }
  return low
}

/** How many lines are measured in a step. */
const PER_STEP = 20

/** Takes all of these, in their words as far as there is room for that beside the others. */
function* takeUsed(list: OpenList, used: readonly Mention[], hasRoom: boolean): Steps<void> {
  const { most, measure } = list
  const aloneTokens = measure.count(aloneLines(used.map(({ literal }) => literal)).join('\n'))
  const inWords = new Map<Mention, string>()
  let left = hasRoom ? most - aloneTokens : 0
  for (const [index, mention] of used.entries()) {
    if (index % PER_STEP === PER_STEP - 1) yield
    if ([...inWords.values()].some(line => containsWord(line, mention.literal))) continue
    const line = wordsLine(mention)
    const cost = measure.count(line) + 1
    if (cost > left) continue
    left -= cost
    inWords.set(mention, line)
  }
  const write = (): void => {
    const lines = [...inWords.values()]
    list.lines.splice(0, list.lines.length, ...lines)
    const rest = used.filter(mention => !inWords.has(mention) && !lines.some(line => containsWord(line, mention.literal)))
    list.alone.splice(0, list.alone.length, ...rest.map(({ literal }) => literal))
    list.tokens = measure.count(linesOf(list).join('\n'))
  }
  write()
  // Tokens may join at the ends of lines, or come apart: the last line goes until all fits.
  for (const mention of [...inWords.keys()].toReversed()) {
    if (list.tokens <= most) break
    inWords.delete(mention)
    write()
    yield
  }
}

/** After so many that do not fit, the room is taken to be full. */
const MOST_MISSES = 20

function* takeInWords(list: OpenList, mentions: readonly Mention[], most: number): Steps<void> {
  for (const [line, cost] of yieldingCosts(list, mentions, wordsLine, most)) {
    if (line === undefined) yield
    else {
      list.lines.push(line)
      list.tokens += cost
    }
  }
}

function* takeAlone(list: OpenList, mentions: readonly Mention[]): Steps<void> {
  for (const [literal, cost] of yieldingCosts(list, mentions, ({ literal }) => literal, list.most)) {
    if (literal === undefined) yield
    else {
      list.alone.push(literal)
      list.tokens += cost
    }
  }
}

/** What each of these would add, as long as it fits; nothing between steps. */
function* yieldingCosts(
  list: OpenList,
  mentions: readonly Mention[],
  write: (mention: Mention) => string,
  most: number,
): Generator<readonly [string | undefined, number], void, undefined> {
  let misses = 0
  for (const [index, mention] of mentions.entries()) {
    if (index % PER_STEP === PER_STEP - 1) yield [undefined, 0]
    if (list.alone.includes(mention.literal) || list.lines.some(line => containsWord(line, mention.literal))) continue
    const written = write(mention)
    // A mark before it, a comma or a break.
    const cost = list.measure.count(written) + 2
    if (list.tokens + cost <= most) yield [written, cost]
    else if (++misses >= MOST_MISSES) return
  }
}

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}_]/u
const GOES_ON = /^[.,:]\d/

/** Whether a line has these letters as a whole, not inside of a longer word or number. */
function containsWord(line: string, literal: string): boolean {
  for (let at = line.indexOf(literal); at !== -1; at = line.indexOf(literal, at + 1)) {
    const end = at + literal.length
    const joinsBefore = WORD_CHARACTER.test(line.charAt(at - 1)) && WORD_CHARACTER.test(literal.charAt(0))
    const joinsAfter = WORD_CHARACTER.test(line.charAt(end)) && WORD_CHARACTER.test(literal.charAt(literal.length - 1))
    if (!joinsBefore && !joinsAfter && !GOES_ON.test(line.slice(end, end + 2))) return true
  }
  return false
}

/** How many characters around something are shown at most, on each side. */
const AROUND = 48
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]/
/** Where a line or sentence begins, or a bullet ends. */
const BEGINNINGS = /[\n\r。！？]|[.!?;；]\s|^\s*(?:[-*•#>]+\s)+/gu
const ENDING = /[\n\r。！？;；]|[.!?](?=\s|$)/u

/** Something in the words around it: a slice of its text, within its line and sentence, in whole words. */
function wordsLine({ source, from, literal }: Mention): string {
  const to = from + literal.length
  const before = source.slice(Math.max(0, from - AROUND), from)
  const after = source.slice(to, to + AROUND)
  const begin = [...before.matchAll(BEGINNINGS)].reduce((_, { 0: match, index }) => index + match.length, 0)
  const lead = before.slice(begin)
  const end = ENDING.exec(after)?.index
  const tail = after.slice(0, end)
  const isLeadCut = begin === 0 && from > AROUND
  const isTailCut = end === undefined && to + AROUND < source.length
  const wholeLead = isLeadCut ? lead.replace(UNSPACED.test(lead) ? /^[\udc00-\udfff]/ : /^\S*\s*/, '') : lead
  const wholeTail = isTailCut ? tail.replace(UNSPACED.test(tail) ? /[\ud800-\udbff]$/ : /\s*\S*$/, '') : tail
  return `- ${wholeLead.replace(LIST_MARK, '')}${literal}${wholeTail.trimEnd()}`
}

/** The mark of a list that the words stand in: this list has its own. */
const LIST_MARK = /^\s*(?:[-*+•]\s+)?/
