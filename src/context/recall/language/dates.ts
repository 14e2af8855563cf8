/** Finds the days that a question names. */
import { type DaySpan, dayNumberOf } from './civil-days.ts'
import { DATES_IN_WORDS, type DateRule, NAMED_DAYS, NUMERIC_DATES } from './date-rules.ts'
import { languages } from './languages/all.ts'
import { type TextLanguage, withoutAccents } from './languages/language.ts'
import { languagesIn } from './terms.ts'

export { type DaySpan, dayNumberOf, dayText } from './civil-days.ts'

/** A question names its days in its first or last lines; a pasted text between them is not read. */
const MOST_READ = 2000
/** More days than this are a table, not a question about some of them. */
const MOST_SPANS = 20

/** The days and spans that a question names, relative to the time at which it is asked. */
export function spansIn(question: string, at: string): readonly DaySpan[] {
  const today = dayNumberOf(at)
  if (Number.isNaN(today)) return []
  const read = question.length <= 2 * MOST_READ ? question : `${question.slice(0, MOST_READ)}\n${question.slice(-MOST_READ)}`
  const plain = withoutAccents(read)
  const lower = plain.toLowerCase()
  // A few letters of the world change their length with their case.
  const original = lower.length === plain.length ? plain : lower
  const numeric = applied(NUMERIC_DATES, lower, original, today)
  const { likely, isSure } = languagesIn(read)
  const inWords = (candidates: readonly TextLanguage[]): readonly DaySpan[] =>
    narrowest(candidates.map(language => applied(DATES_IN_WORDS.get(language) ?? [], numeric.rest, original, today).spans))
  const found = [
    () => inWords(likely),
    () => (isSure ? applied(NAMED_DAYS, numeric.rest, original, today).spans : inWords(languages)),
  ]
  return distinctSpans([...numeric.spans, ...firstFilled(found)])
}

/** Where a text may be in several languages, the one that names its days most exactly is right: "junio de 2023". */
const narrowest = (readings: readonly (readonly DaySpan[])[]): readonly DaySpan[] =>
  readings.filter(spans => spans.length > 0).toSorted((a, b) => daysOf(a) - daysOf(b))[0] ?? []

const daysOf = (spans: readonly DaySpan[]): number => spans.reduce((days, { from, to }) => days + to - from + 1, 0)

function firstFilled(readings: readonly (() => readonly DaySpan[])[]): readonly DaySpan[] {
  for (const reading of readings) {
    const spans = reading()
    if (spans.length > 0) return spans
  }
  return []
}

/** What rules found in a text, and the text without it. */
type Read = { readonly spans: readonly DaySpan[]; readonly rest: string }

/** Reads what rules find and blanks it out, also if it is no possible date. The rest keeps its length, so that it has the same
 * places as the original. */
function applied(rules: readonly DateRule[], text: string, original: string, today: number): Read {
  const spans: DaySpan[] = []
  let rest = text
  for (const { pattern, read } of rules) {
    const matches = [...rest.matchAll(pattern)]
    for (const { 0: match, index, groups = {} } of matches) {
      const span = read(groups, today, original.slice(index, index + match.length))
      if (span !== undefined) spans.push(span)
    }
    if (matches.length > 0) rest = rest.replace(pattern, match => '\u0000'.repeat(match.length))
  }
  return { spans, rest }
}

/** Each span once, in the order of the calendar. */
const distinctSpans = (spans: readonly DaySpan[]): readonly DaySpan[] =>
  [...new Map(spans.map(span => [`${span.from} ${span.to}`, span])).values()]
    .sort((a, b) => a.from - b.from || a.to - b.to)
    .slice(0, MOST_SPANS)
