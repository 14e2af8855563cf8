/** What recall has to know of a language, and how its lists are written. */

/** Dates in words. Every text is the source of a regular expression over text without accents; alternatives are parted by `|`,
 * the members of a series by a comma and a space. */
export type CalendarWords = {
  /** January first, names that are written out. */
  readonly months: string
  /** Short names in the same order; they need a day or a year beside them. */
  readonly shortMonths: string
  /** Months that are also other words, by their number from 0: alone they need a capital letter. */
  readonly capitalMonths?: readonly number[]
  /** Words before a month or a year without a day: "in June", "since 2023". Empty if none is needed. */
  readonly before: string
  /** Words between day, month and year: "7 of May". */
  readonly between: string
  /** What may follow the number of a day: "7th". */
  readonly ordinal: string
  /** Whether `14.1.` is a day of the year. */
  readonly dotted?: boolean
  /** Monday first. */
  readonly weekdays: string
  /** What makes a weekday one of the last week, if that is not `last.week`. */
  readonly beforeWeekday?: string
  readonly today: string
  readonly yesterday: string
  readonly dayBeforeYesterday: string
  readonly last: Periods
  readonly current: Periods
  /** The units of "three days ago". */
  readonly units: Periods & { readonly day: string }
  /** "three days ago" with `{n}` for the number and `{u}` for the unit. */
  readonly ago: string
  /** One first. */
  readonly numbers: string
}

export type Periods = { readonly week: string; readonly month: string; readonly year: string }

export type LanguageCode = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'pl' | 'ja' | 'zh'

/** The words of a language that recall needs. The expressions read text in lower case and without accents, because one that
 * ignores case takes a tenth of a second to compile. */
export type TextLanguage = {
  readonly code: LanguageCode
  /** Words that say nothing about what a text is about. */
  readonly stopWords: ReadonlySet<string>
  /** Finds words about talking itself, in all their forms. */
  readonly talk: RegExp
  /** Finds at the beginning of a text, or near it, what asks about the past. */
  readonly looksBack: RegExp
  /** Words that may come before such a question: "hey", "by the way". */
  readonly opening: RegExp
  readonly rule: RegExp
  readonly wish: RegExp
  readonly self: RegExp
  readonly calendar: CalendarWords
}

/** The lists of a language as they are written down: words parted by spaces, phrases by `|`. In a phrase `…` is
 * some words of the same sentence, and `*` is any ending of a word. */
export type WordLists = {
  readonly code: LanguageCode
  readonly stopWords: string
  /** Whole words. */
  readonly talkWords: string
  /** Beginnings of words, for those with many endings. */
  readonly talkBeginnings: string
  readonly questionStarts: string
  /** What begins like a question word and is none. */
  readonly notStarts?: string
  /** Whether a question word may come later in the sentence, as in languages that leave it at its place. */
  readonly asksLater?: boolean
  readonly openings: string
  readonly rules: string
  readonly wishes: string
  readonly self: string
  readonly calendar: CalendarWords
}

/** How far into a text a question word may stand where it keeps its place in the sentence. */
const LATEST_QUESTION_WORD = 60

/** Compiles the lists of a language. */
export function languageFrom(lists: WordLists): TextLanguage {
  const starts = alternatives(lists.questionStarts)
  const reach = lists.asksLater === true ? `[^.!。！\\n]{0,${LATEST_QUESTION_WORD}}?` : ''
  return {
    code: lists.code,
    stopWords: withPlainForms(split(lists.stopWords)),
    talk: new RegExp(
      `^(?:${[...split(lists.talkWords), ...split(lists.talkBeginnings).map(each => `${each}.*`)].map(withoutAccents).join('|')})$`,
      'u',
    ),
    looksBack: new RegExp(`^${reach}${otherThan(lists.notStarts)}(?:${starts})`, 'u'),
    opening: new RegExp(`^(?:${alternatives(lists.openings)})[\\s,;:!.、，。！–—-]*`, 'u'),
    rule: new RegExp(alternatives(lists.rules), 'u'),
    wish: new RegExp(alternatives(lists.wishes), 'u'),
    self: new RegExp(alternatives(lists.self), 'u'),
    calendar: lists.calendar,
  }
}

/** Letters that people replace when their keyboard lacks them and that do not come apart by themselves. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = { ł: 'l', Ł: 'L', ß: 'ss', ø: 'o', Ø: 'O', æ: 'ae', œ: 'oe', '’': "'" }

const HAS_MORE_THAN_ASCII = /[^\p{ASCII}]/u

/** A text with plain letters and plain apostrophes, so that cues are found with and without accents. Kana keep their marks. */
export function withoutAccents(text: string): string {
  if (!HAS_MORE_THAN_ASCII.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replace(/[łŁßøØæœ’]/g, letter => PLAIN_LETTERS[letter] ?? letter)
}

/** Letters and digits of a text in lower case and without accents, for the inside of brackets. Plain ranges compile a hundred
 * times faster than the classes of Unicode, and there are some hundred borders of words in the lists. */
export const LETTERS = '0-9_a-z\\u00c0-\\u1fff\\u2c00-\\u2dff\\u3040-\\ud7ff\\uf900-\\ufdff'
export const BEFORE_WORD: string = `(?<![${LETTERS}])`
export const AFTER_WORD: string = `(?![${LETTERS}])`

const split = (list: string): readonly string[] => list.split(/\s+/).filter(word => word !== '')

const withPlainForms = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.flatMap(word => [word, withoutAccents(word)]))

const WITHOUT_SPACES = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u

/** What `…` in a phrase is: some words of the same sentence, or none. */
const GAP = '(?:[\\s,][^.!?。！？\\n]{0,60}?[\\s,]|\\s)'

/** Phrases as one expression; words are found as wholes where a script has spaces between them. */
function alternatives(list: string): string {
  const { wholes = [], anywhere = [] } = Object.groupBy(phrasesIn(list), phrase =>
    WITHOUT_SPACES.test(phrase) ? 'anywhere' : 'wholes',
  )
  // One border around all phrases: one around each would make compiling slow.
  const sources = [
    wholes.length > 0 ? [`${BEFORE_WORD}(?:${anyOf(wholes)})${AFTER_WORD}`] : [],
    anywhere.length > 0 ? [anyOf(anywhere)] : [],
  ]
  return sources.flat().join('|')
}

const phrasesIn = (list: string): readonly string[] => list.split('|').map(phrase => phrase.trim())

const otherThan = (list: string | undefined): string => (list === undefined ? '' : `(?!${anyOf(phrasesIn(list))})`)

const anyOf = (phrases: readonly string[]): string =>
  phrases.map(phrase => phrase.split(/ ?… ?/).map(sourceOf).join(GAP)).join('|')

const sourceOf = (words: string): string =>
  withoutAccents(words)
    .toLowerCase()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('\\*', `[${LETTERS}]*`)
    .replaceAll(' ', '\\s{1,3}')
