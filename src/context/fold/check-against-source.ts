/** Checks a model's summary against the messages that it is about, sentence by sentence. */
import type { Span } from '../synthesis/sentences.ts'
import type { FoldMessage } from './fold-messages.ts'
import { beginsSentence, isOrdinaryWord, type NameWriting, nameWriting, possibleNames } from './names-in.ts'
import { notablesIn } from './notable.ts'
import {
  datesIn,
  MONTH_WORDS,
  NUMBER_WORDS,
  numberKey,
  numbersIn,
  plainWord,
  spacedNumbersIn,
  WEEKDAY_WORDS,
  type WrittenDate,
} from './same-value.ts'
import { piecesOf, type Steps } from './steps.ts'
import { wholeSentences } from './whole-sentences.ts'

/** What the messages of a stretch say, in one way of writing. */
export type FoldSource = {
  /** Words, and their beginnings where a language changes the ends of names. */
  readonly words: ReadonlySet<string>
  /** Ids and addresses. */
  readonly ids: ReadonlySet<string>
  /** Numbers, days, months and weekdays by their keys. */
  readonly values: ReadonlySet<string>
  /** The texts themselves, for scripts without spaces. */
  readonly texts: readonly string[]
}

/** A summary without the sentences that name what its source does not, and those sentences. */
export type CheckedSummary = { readonly text: string; readonly left: readonly string[] }

/** Reads the messages that a summary is about. */
export function* foldSource(stretch: readonly FoldMessage[]): Steps<FoldSource> {
  const words = new Set<string>(ROLES)
  const ids = new Set<string>()
  const values = new Set<string>()
  const texts: string[] = []
  for (const { speaker, words: said, material } of stretch) {
    for (const whole of [speaker, said, ...material.flatMap(({ name = '', text }) => [name, text])]) {
      for (const { text } of piecesOf(whole)) {
        const plain = text.normalize('NFKC')
        readPiece(plain, { words, ids, values })
        if (UNSPACED.test(plain)) texts.push(plain)
        yield
      }
    }
  }
  return { words, ids, values, texts }
}

/** How models call those who talk; no message has to name them. */
const ROLES = [
  'user',
  'person',
  'assistant',
  'ai',
  'model',
  'customer',
  'agent',
  'human',
  'ok',
  'todo',
  'nutzer',
  'nutzerin',
  'assistent',
]

const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\ud840-\ud888]/
const WORD = /[\p{L}\p{M}\p{N}]+/gu

/** Where recall reads these as one, as in "a week ago", they are articles elsewhere. */
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an'])

type OpenSource = { readonly words: Set<string>; readonly ids: Set<string>; readonly values: Set<string> }

function readPiece(text: string, { words, ids, values }: OpenSource): void {
  for (const [word] of text.matchAll(WORD)) {
    const plain = plainWord(word)
    words.add(plain)
    const number = NUMBER_WORDS.get(plain)
    if (number !== undefined && !ARTICLES.has(plain)) values.add(number)
    const month = MONTH_WORDS.get(plain)
    if (month !== undefined) values.add(`month ${month}`)
    const weekday = WEEKDAY_WORDS.get(plain)
    if (weekday !== undefined) values.add(`weekday ${weekday}`)
  }
  for (const { written, key, at } of numbersIn(text)) {
    if (isPartOfId(text, written, at)) continue
    values.add(key)
    // "14:00" may be told as 14.
    if (written.endsWith(':00')) values.add(numberKey(written.slice(0, -':00'.length)))
  }
  for (const { key } of spacedNumbersIn(text)) values.add(key)
  for (const { days, year } of datesIn(text)) {
    for (const day of days) {
      values.add(`day ${day}`).add(`month ${day.split('-')[0]}`)
      if (year !== undefined) values.add(`day ${day} ${year}`).add(year)
    }
  }
  for (const { kind, from, to } of notablesIn(text))
    if (kind === 'id' || kind === 'address') for (const key of idKeys(text.slice(from, to))) ids.add(key)
}

/** Whether a short number is only the end of an id: `run_7` is no seven, `v17` and `W4711` may be called by their numbers. */
function isPartOfId(text: string, written: string, at: number): boolean {
  if (written.length > 2 || !/[\p{L}_]/u.test(text.charAt(at - 1))) return false
  const isLetterAndNumber = !/[\p{L}\p{N}_]/u.test(text.charAt(at - 2)) && !/[\p{L}_]/u.test(text.charAt(at + written.length))
  return UNSPACED.test(text.charAt(at - 1)) ? false : text.charAt(at - 1) === '_' || !isLetterAndNumber
}

/** An id and its parts: a summary may name the file without its folders, or the line without the file. */
function idKeys(id: string): readonly string[] {
  const whole = idKey(id)
  const parts = whole.split(/[/\\:=?&,;]+/).filter(part => part.length >= 4)
  return [whole, ...parts, ...parts.map((_, index) => whole.slice(whole.indexOf(parts[index] ?? '')))]
}

const idKey = (id: string): string =>
  id
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, '')

/** Leaves out every sentence or item whose names, numbers, dates, ids or paths do not occur in the source. */
export function checkSummary(summary: string, source: FoldSource): CheckedSummary {
  const writing = nameWriting(summary)
  const spans = wholeSentences(summary)
  const own = ownWords(summary, spans)
  const invented = new Set<string>()
  const isWrong = ({ from, to, isHeading }: Span): boolean =>
    saysMore(summary.slice(from, to).normalize('NFKC'), source, { writing, own, invented, isHeading })
  // What proves to be an invented name in one sentence is one at the beginning of another, too.
  const first = spans.filter(isWrong)
  const wrong = invented.size === 0 ? first : spans.filter(isWrong)
  const text = without(summary, [...wrong, ...emptyHeadings(spans, wrong)])
  return { text, left: wrong.map(({ from, to }) => summary.slice(from, to).replace(/\s+/g, ' ')) }
}

type Checking = {
  readonly writing: NameWriting
  readonly own: ReadonlySet<string>
  /** Words that are names, and that the source does not have; those of this sentence are added. */
  readonly invented: Set<string>
  readonly isHeading: boolean
}

/** Words of headings, and those before a colon at the beginning of an item, are the summary's own. */
function ownWords(summary: string, spans: readonly Span[]): ReadonlySet<string> {
  const labels = spans.map(({ from, to, isHeading }) => {
    const text = summary.slice(from, to)
    return isHeading ? text : (LABEL.exec(text)?.[0] ?? '')
  })
  return new Set(labels.flatMap(label => [...label.matchAll(WORD)].map(([word]) => plainWord(word))))
}

/** A few words before a colon, perhaps in bold. */
const LABEL_WORDS = "[\\p{L}\\p{M}'’&/-]{1,40}(?: [\\p{L}\\p{M}'’&/-]{1,40})"
const LABEL = new RegExp(`^(?:[*_]{0,3}${LABEL_WORDS}{0,4} ?[*_]{0,3}[:：]|\\*\\*${LABEL_WORDS}{0,7}[:：]?\\*\\*)[*_]{0,3}`, 'u')

/** Whether a sentence names something that the source does not. */
function saysMore(sentence: string, source: FoldSource, checking: Checking): boolean {
  const ids = notablesIn(sentence).filter(
    ({ kind, from, to }) => (kind === 'id' || kind === 'address') && !UNIT.test(sentence.slice(from, to)),
  )
  if (ids.some(({ from, to }) => !knowsId(sentence.slice(from, to), source))) return true
  const dates = datesIn(sentence)
  if (dates.some(date => !knowsDate(date, source)) || hasUnknownNumber(sentence, [...ids, ...dates], source)) return true
  return !checking.isHeading && hasUnknownName(sentence, source, checking)
}

/** A number with one of these behind it is no id: `500GB`, `15th`, `3pm`. */
const UNIT =
  /^[^\p{L}\p{N}]{0,2}\d[\d.,:]*(?:[kmgt]?b|[kmg]?hz|ms|s|h|min|mins|hrs?|[kcm]?m|kg|g|mg|ml|l|px|pt|em|am|pm|st|nd|rd|th|k|m|x|w|kw|kwh|v|er|te|ten|usd|eur|gbp|chf|uhr|%)?$/iu

function knowsId(id: string, { ids, words }: FoldSource): boolean {
  const key = idKey(id)
  if (ids.has(key) || words.has(plainWord(key))) return true
  // A genitive, or a plural.
  return /['’]s$|s$/.test(key) && ids.has(key.replace(/['’]?s$/, ''))
}

function knowsDate({ days, year }: WrittenDate, { values }: FoldSource): boolean {
  const known = days.filter(day => values.has(`day ${day}`))
  if (known.length === 0) return false
  return year === undefined || known.some(day => values.has(`day ${day} ${year}`)) || values.has(year)
}

type Place = { readonly from: number; readonly to: number }

/** `checked` are the ids and dates of the sentence: the numbers in them are parts of these. */
function hasUnknownNumber(sentence: string, checked: readonly Place[], { values, words }: FoldSource): boolean {
  // A number that is written with spaces has parts that are no numbers themselves.
  const spaced = spacedNumbersIn(sentence)
    .filter(({ key }) => values.has(key))
    .map(({ at, written }): Place => ({ from: at, to: at + written.length }))
  const isInside = (at: number): boolean => [...checked, ...spaced].some(({ from, to }) => at >= from && at < to)
  return numbersIn(sentence).some(
    ({ key, written, at }) => !values.has(key) && !isInside(at) && !words.has(plainWord(wordAround(sentence, at, written))),
  )
}

/** A number with the letters that it is written together with: `v17`. A number alone is no word. */
function wordAround(sentence: string, at: number, number: string): string {
  const before = /[\p{L}_][\p{L}\p{N}_]*$/u.exec(sentence.slice(Math.max(0, at - 20), at))?.[0] ?? ''
  return before === '' ? '' : before + number
}

function hasUnknownName(sentence: string, source: FoldSource, { writing, own, invented }: Checking): boolean {
  const label = LABEL.exec(sentence)?.[0].length ?? 0
  let isUnknown = false
  for (const { from, to, sign } of possibleNames(sentence, writing)) {
    if (to <= label || sign === 'common') continue
    const name = sentence.slice(from, to)
    if (writing === 'unspaced' && UNSPACED.test(name)) {
      if (!source.texts.some(text => text.includes(name))) isUnknown = true
      continue
    }
    const words = [...name.matchAll(WORD)].map(([word]) => word).filter(word => /^\p{Lu}/u.test(word))
    const unknown = words.filter(word => !knowsName(word, source, own))
    const isFirst = beginsSentence(sentence, from)
    if (unknown.some(word => invented.has(word))) isUnknown = true
    else if (isName(words, unknown, { isFirst, writing, after: sentence.slice(to) })) {
      for (const word of unknown) if (!isFirst || word !== words[0] || words.length === 1) invented.add(word)
      isUnknown = true
    }
  }
  return isUnknown
}

type NamePlace = { readonly isFirst: boolean; readonly writing: NameWriting; readonly after: string }

/** Whether capitalized words that the source lacks are a name: not yet one word where a sentence begins, or where nouns have capitals. */
function isName(words: readonly string[], unknown: readonly string[], { isFirst, writing, after }: NamePlace): boolean {
  if (unknown.length === 0) return false
  if (writing === 'nouns') {
    if (words.length === 1) return isFirst && GERMAN_SUBJECT.test(after)
    // "Annas Katze" is a cat, and no family name.
    const isGenitive = words.length === 2 && /s$/.test(words[0] ?? '') && !unknown.includes(words[0] ?? '')
    return unknown.length > (isFirst ? 1 : 0) && !isGenitive && !unknown.some(isLikeNoun)
  }
  if (!isFirst) return true
  return unknown.some((word, index) => index > 0 || word !== words[0]) || POSSESSIVE.test(after) || SUBJECT.test(after)
}

const GERMAN_SUBJECT =
  /^ (?:sagte?|möchte|will|wollte|fragte?|meinte?|bat|bittet|wünscht|bevorzugt|mag|glaubt|hofft|wohnt|arbeitet|schrieb|schreibt|antwortete?)(?!\p{L})/u
const POSSESSIVE = /^['’]s(?!\p{L})/u
/** Behind a name at the beginning of a sentence: a person does these things, and a thing seldom does. */
const SUBJECT =
  /^ (?:said|says|asked|asks|wants|wanted|prefers|likes|loves|hates|agreed|suggested|replied|told|thinks|believes|hopes|promised|lives|works|moved|bought|sent|called|dit|demande|veut|préfère|dijo|quiere|prefiere|vive|disse|vuole|preferisce|quer|prefere|zei|wil|chce|powiedziała?)(?![\p{L}])/u

/** German nouns are often made of others, and have endings that names seldom have. */
const isLikeNoun = (word: string): boolean => word.length > 9 || LIKE_NOUN.test(word)
const LIKE_NOUN = /(?:ung|heit|keit|schaft|tion|tät|nis|chen|ismus|ment|zeit|tag|plan|frage|punkt|liste|arbeit)(?:e|en|s|es)?$/u

function knowsName(word: string, { words, ids }: FoldSource, own: ReadonlySet<string>): boolean {
  const plain = plainWord(word)
  if (plain.length < 2 || words.has(plain) || own.has(plain) || isOrdinaryWord(word)) return true
  if (ids.has(idKey(word))) return true
  return formsOfName(plain).some(form => words.has(form))
}

/** A name may have other ends in the source: a genitive, a plural, or a case. */
function formsOfName(plain: string): readonly string[] {
  const stem =
    plain.length > 4 ? plain.replace(/(?:'?s|es|en|e|n|em|y|a|ie|u|ow|owi|om|ami|ach|ej|ą|ę)$/u, '') : plain.replace(/s$/, '')
  return ['', 's', 'es', 'e', 'n', 'en', 'a', 'y', 'ie', 'i', 'er', 'ed', 'ing', 'ly'].map(end => stem + end)
}

/** The headings that have no sentence left under them. */
function emptyHeadings(spans: readonly Span[], wrong: readonly Span[]): readonly Span[] {
  return spans.filter((span, index) => {
    if (!span.isHeading || wrong.includes(span)) return false
    const end = spans.findIndex((other, at) => at > index && other.isHeading)
    const under = spans.slice(index + 1, end === -1 ? spans.length : end)
    return under.length > 0 && under.every(other => wrong.includes(other))
  })
}

/** A text without some of its sentences, and without the marks and lines that nothing is left of. */
function without(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text.trim()
  let kept = ''
  let at = 0
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    kept += text.slice(at, from)
    at = to
  }
  kept += text.slice(at)
  return kept
    .split('\n')
    .filter((line, index, lines) =>
      line.trim() === '' ? lines[index - 1]?.trim() !== '' : HAS_WORDS.test(line.replace(LIST_NUMBER, '')),
    )
    .map(line => line.replace(/(?<=\S) {2,}/g, ' ').trimEnd())
    .join('\n')
    .trim()
}

const HAS_WORDS = /[\p{L}\p{N}]/u
const LIST_NUMBER = /^\s*(?:[-*+•]|\d{1,3}[.)])\s*/
