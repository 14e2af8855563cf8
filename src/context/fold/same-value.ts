/** Numbers and dates in one way of writing, so that `1,200` is `1200` and `7 May 2023` is `2023-05-07`. */
import { languages } from '../recall/language/languages/all.ts'
import { withoutAccents } from '../recall/language/languages/language.ts'

/** Digits with single separators between them: a number, a time, a version. */
const NUMBER = /\d+(?:[.,:'’]\d+)*/g

/** A number whose thousands are parted by spaces or apostrophes. */
const SPACED_NUMBER = /(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?(?!\d)/g

/**
 * A number in one way of writing: without marks between its thousands and without zeros at its ends. Three digits behind a mark are
 * thousands, unless a zero is before it. Times and versions stay as they are.
 */
export function numberKey(written: string): string {
  const digits = written.replace(/['’ \u00a0\u202f]/g, ',')
  if (!/[.,:]/.test(digits)) return plain(digits)
  if (/^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$/.test(digits)) return digits.replace(/[.,]/g, '')
  const [, whole, fraction] = /^(\d+)[.,](\d+)$/.exec(digits) ?? []
  if (whole !== undefined && fraction !== undefined) return decimal(whole, fraction)
  const [, groups, rest] = /^(\d{1,3}(?:,\d{3})+)\.(\d+)$/.exec(digits) ?? /^(\d{1,3}(?:\.\d{3})+),(\d+)$/.exec(digits) ?? []
  return groups === undefined || rest === undefined ? digits : decimal(groups.replace(/[.,]/g, ''), rest)
}

/** A number in a text: where it begins, how it is written, and the same in one way of writing. */
export type WrittenNumber = { readonly written: string; readonly at: number; readonly key: string }

/** The numbers in a text whose digits are those of ASCII. */
export const numbersIn = (text: string): readonly WrittenNumber[] => writtenIn(text, NUMBER)

/** Those with spaces or apostrophes between their thousands; `numbersIn` finds their parts. */
export const spacedNumbersIn = (text: string): readonly WrittenNumber[] => writtenIn(text, SPACED_NUMBER)

const writtenIn = (text: string, pattern: RegExp): readonly WrittenNumber[] =>
  [...text.matchAll(pattern)].map(({ 0: written, index }) => ({ written, at: index, key: numberKey(written) }))

const plain = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

function decimal(whole: string, fraction: string): string {
  const short = fraction.replace(/0+$/, '')
  return short === '' ? plain(whole) : `${plain(whole)}.${short}`
}

const PLAIN_FORM = /^[^?()[\]\\*+]+$/

/** The values of number words from one to twelve, in all languages that recall knows. */
export const NUMBER_WORDS: ReadonlyMap<string, string> = seriesWords(({ numbers }) => [numbers])
/** Months by all of their names, from 1. */
export const MONTH_WORDS: ReadonlyMap<string, string> = seriesWords(({ months, shortMonths }) => [months, shortMonths])
/** Weekdays by their names, Monday is 1. */
export const WEEKDAY_WORDS: ReadonlyMap<string, string> = seriesWords(({ weekdays }) => [weekdays])

function seriesWords(
  listsOf: (calendar: (typeof languages)[number]['calendar']) => readonly string[],
): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  for (const { calendar } of languages)
    for (const list of listsOf(calendar))
      for (const [place, member] of list.split(', ').entries())
        for (const form of formsOf(member)) words.set(form, String(place + 1))
  return words
}

/** The words that the source of an expression in a series stands for; those with more than an optional letter are passed over. */
function formsOf(source: string): readonly string[] {
  const forms = source.replace(/\(\?<![^)]*\)/g, '').split('|')
  return forms
    .flatMap(form => (form.includes('?') ? [form.replace('?', ''), form.replace(/.\?/, '')] : [form]))
    .filter(form => PLAIN_FORM.test(form))
}

/** A day of a year, or of any year where none is written; all days that digits may mean. */
export type WrittenDate = { readonly from: number; readonly to: number; readonly days: readonly string[]; readonly year?: string }

/** A text in lower case and without accents, character for character where that keeps its length. */
export const plainWord = (word: string): string => withoutAccents(word.normalize('NFKC')).toLowerCase()

const NUMERIC_DATE =
  /(?<![\d.,/-])(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{1,2})([-/.])(\d{1,2})\6(\d{4}|\d{2}))(?![\d]|[.,/-]\d)/g
const EAST_ASIAN_DATE = /(?:(\d{4}) ?年 ?)?(\d{1,2}) ?月 ?(\d{1,2}) ?[日号號]/g
const DAY_NUMBER =
  /(?<![\p{L}\p{M}\p{N}_.,:/#-])(\d{1,2})(?!\d)(?:\.(?!\d)|st|nd|rd|th|er|ers|ten|te|º|ª|°|-го)?(?![\p{L}\p{N}_])/gu
const MONTH_AFTER = /^[\s,.]{0,3}(?:(?:of|de|des|del|di|van|da)\s{1,2})?([\p{L}\p{M}]{3,12})(?![\p{L}\p{M}])\.?/u
const MONTH_BEFORE = /([\p{L}\p{M}]{3,12})\.?[\s]{1,3}(?:(?:the|de|le|el|il)\s)?$/u
const YEAR_AFTER = /^[\s,]{1,3}(?:(?:of|de|del|di|van)\s{1,2})?((?:19|20)\d\d)(?![\d\p{L}])/u

/** The dates in a text: digits, and days with a written month. A month before its day may be the other way round in digits. */
export function datesIn(text: string): readonly WrittenDate[] {
  if (!/\d/.test(text)) return []
  const found: WrittenDate[] = []
  for (const match of text.matchAll(NUMERIC_DATE)) {
    const [whole, y1, , m1, d1, a, , b, y2] = match
    const year = y1 ?? (y2?.length === 2 ? `20${y2}` : y2)
    const days = y1 !== undefined ? [dayKey(m1, d1)] : [dayKey(b, a), dayKey(a, b)]
    add(found, match.index, match.index + whole.length, days, year)
  }
  for (const match of text.matchAll(EAST_ASIAN_DATE)) {
    const [whole, year, month, day] = match
    add(found, match.index, match.index + whole.length, [dayKey(month, day)], year)
  }
  for (const match of text.matchAll(DAY_NUMBER)) {
    const [whole, day = ''] = match
    const end = match.index + whole.length
    const after = MONTH_AFTER.exec(text.slice(end, end + 24))
    const monthAfter = after === null ? undefined : MONTH_WORDS.get(plainWord(after[1] ?? ''))
    const before = monthAfter === undefined ? MONTH_BEFORE.exec(text.slice(Math.max(0, match.index - 24), match.index)) : null
    const month = monthAfter ?? (before === null ? undefined : MONTH_WORDS.get(plainWord(before[1] ?? '')))
    if (month === undefined) continue
    const from = monthAfter === undefined ? match.index - (before?.[0].length ?? 0) : match.index
    const to = monthAfter === undefined ? end : end + (after?.[0].length ?? 0)
    const year = YEAR_AFTER.exec(text.slice(to, to + 16))
    add(found, from, to + (year?.[0].length ?? 0), [dayKey(month, day)], year?.[1])
  }
  return found.sort((a, b) => a.from - b.from)
}

function add(
  found: WrittenDate[],
  from: number,
  to: number,
  days: readonly (string | undefined)[],
  year: string | undefined,
): void {
  const possible = [...new Set(days.filter(day => day !== undefined))]
  if (possible.length > 0) found.push({ from, to, days: possible, ...(year === undefined ? {} : { year }) })
}

/** `5-7` for the seventh of May; undefined if there is no such day. */
function dayKey(month: string | undefined, day: string | undefined): string | undefined {
  const [m, d] = [Number(month), Number(day)]
  return m >= 1 && m <= 12 && d >= 1 && d <= 31 ? `${m}-${d}` : undefined
}
