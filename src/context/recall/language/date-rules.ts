/** What dates look like, in digits and in the words of each language. */
import {
  civil,
  type DaySpan,
  exactDay,
  latestDay,
  latestMonth,
  latestWeekday,
  monthSpan,
  oneDay,
  weekSpan,
  yearSpan,
} from './civil-days.ts'
import { languages } from './languages/all.ts'
import { AFTER_WORD, BEFORE_WORD, type CalendarWords, LETTERS, type Periods, type TextLanguage } from './languages/language.ts'

/** What a kind of date looks like, and which days it means. Groups have names. */
export type DateRule = { readonly pattern: RegExp; readonly read: ReadDate }

/** Reads the groups of a match; `text` is the match as the person wrote it, with capitals. */
type ReadDate = (groups: Groups, today: number, text: string) => DaySpan | undefined
type Groups = Readonly<Record<string, string | undefined>>

/** A day before a month, unless only the other order exists. */
const dayThenMonth = (year: number, first: number, second: number): DaySpan | undefined =>
  exactDay(year, second, first) ?? exactDay(year, first, second)

const fullYear = (written: string): number => (written.length === 2 ? 2000 + Number(written) : Number(written))

const NO_NUMBER_BEFORE = '(?<!\\d[.,/-]?)'
const NO_NUMBER_AFTER = '(?![.,/-]?\\d)'

/** Dates in digits, which are the same in every language. */
export const NUMERIC_DATES: readonly DateRule[] = [
  {
    pattern: new RegExp(`${NO_NUMBER_BEFORE}(?<y>\\d{4})([-/.])(?<m>\\d{1,2})\\2(?<d>\\d{1,2})${NO_NUMBER_AFTER}`, 'gu'),
    read: ({ y, m, d }) => exactDay(Number(y), Number(m), Number(d)),
  },
  {
    pattern: new RegExp(
      `${NO_NUMBER_BEFORE}(?<a>\\d{1,2})(?:\\. ?(?<b1>\\d{1,2})\\. ?(?<y1>\\d{4}|\\d{2})|([/-])(?<b2>\\d{1,2})\\4(?<y2>\\d{4}|\\d{2}))${NO_NUMBER_AFTER}`,
      'gu',
    ),
    read: ({ a, b1, b2, y1, y2 }) => dayThenMonth(fullYear(y1 ?? y2 ?? ''), Number(a), Number(b1 ?? b2)),
  },
  {
    pattern: /(?<!\d)(?<y>\d{4}) ?年 ?(?<m>\d{1,2}) ?月 ?(?<d>\d{1,2}) ?[日号號]/gu,
    read: ({ y, m, d }) => exactDay(Number(y), Number(m), Number(d)),
  },
  {
    pattern: /(?<!\d)(?<m>\d{1,2}) ?月 ?(?<d>\d{1,2}) ?[日号號]/gu,
    read: ({ m, d }, today) => latestDay(today, Number(m), Number(d)),
  },
  {
    pattern: /(?<!\d)(?<y>\d{4}) ?年 ?(?:の)?(?<m>\d{1,2}) ?月/gu,
    read: ({ y, m }) => (isMonth(Number(m)) ? monthSpan(Number(y), Number(m)) : undefined),
  },
  {
    pattern: /(?<!\d)(?<last>去年|昨年) ?[のに的]?(?<m>\d{1,2}) ?月/gu,
    read: ({ m }, today) => (isMonth(Number(m)) ? monthSpan(civil(today).year - 1, Number(m)) : undefined),
  },
  {
    pattern: /(?<![\d个])(?<m>\d{1,2}) ?月(?!間|间)/gu,
    read: ({ m }, today) => (isMonth(Number(m)) ? latestMonth(today, Number(m)) : undefined),
  },
  { pattern: /(?<!\d)(?<y>(?:19|20)\d\d) ?年(?!前)/gu, read: ({ y }) => yearSpan(Number(y)) },
  {
    // A month that is written with its year: 2024-01.
    pattern: new RegExp(`${NO_NUMBER_BEFORE}(?<y>(?:19|20)\\d\\d)-(?<m>\\d\\d)${NO_NUMBER_AFTER}`, 'gu'),
    read: ({ y, m }) => (isMonth(Number(m)) ? monthSpan(Number(y), Number(m)) : undefined),
  },
]

const isMonth = (month: number): boolean => month >= 1 && month <= 12

/** The rules of a language, the most exact first: what one has read, the later ones do not see. */
function rulesOf({ calendar }: TextLanguage): readonly DateRule[] {
  return [...dayRules(calendar), ...weekRules(calendar), ...monthRules(calendar), ...relativeRules(calendar)]
}

const wordRule = (source: string, read: ReadDate): DateRule => ({
  pattern: new RegExp(spaced(source), 'gu'),
  read,
})

/** Words may be parted by more than one space; none of the lists needs a literal one. */
const spaced = (source: string): string => source.replaceAll(' ?', '\\s{0,3}').replaceAll(' ', '\\s{1,3}')

/** Alternatives by their place, each as a group of that number. */
const numbered = (prefix: string, sources: readonly string[]): string =>
  sources.map((source, place) => `(?<${prefix}${place}>${source})`).join('|')

/** The place of the group that was found. */
function placeIn(prefix: string, groups: Groups, count: number): number {
  for (let place = 0; place < count; place++) if (groups[`${prefix}${place}`] !== undefined) return place
  return -1
}

const seriesOf = (list: string): readonly string[] => list.split(', ')

const bothNames = (calendar: CalendarWords): readonly string[] => {
  const short = seriesOf(calendar.shortMonths)
  return seriesOf(calendar.months).map((name, place) => `${name}|(?:${short[place] ?? name})\\.?`)
}

const monthOf = (groups: Groups): number => placeIn('m', groups, 12) + 1

const YEAR = '(?<y>(?:19|20)\\d\\d)'

function dayRules(calendar: CalendarWords, names: readonly string[] = bothNames(calendar)): readonly DateRule[] {
  const month = `(?:${numbered('m', names)})`
  const day = `(?<d>\\d{1,2})(?:\\.|(?: ?(?:${calendar.ordinal})))?`
  const between = `(?: (?:${calendar.between}))?`
  const read: ReadDate = (groups, today) => {
    const [found, date] = [monthOf(groups), Number(groups.d)]
    return groups.y === undefined ? latestDay(today, found, date) : exactDay(Number(groups.y), found, date)
  }
  const withYear = `(?:,? ?(?:(?:${calendar.between}) )?${YEAR})?`
  return [
    wordRule(`${BEFORE_WORD}${day}${between} ?${month}${AFTER_WORD}${withYear}(?!\\d)`, read),
    wordRule(`${BEFORE_WORD}${month}${between} ${day}(?![\\d:])${AFTER_WORD}${withYear}(?!\\d)`, read),
    ...(calendar.dotted === true ? [wordRule(`${NO_NUMBER_BEFORE}(?<d>\\d{1,2})\\. ?(?<n>\\d{1,2})\\.(?!\\d)`, dottedDay)] : []),
  ]
}

const dottedDay: ReadDate = ({ d, n }, today) => (isMonth(Number(n)) ? latestDay(today, Number(n), Number(d)) : undefined)

function weekRules(calendar: CalendarWords): readonly DateRule[] {
  const weekday = `(?:${numbered('w', seriesOf(calendar.weekdays))})`
  const place = (groups: Groups): number => placeIn('w', groups, 7)
  return [
    wordRule(
      `${startOf(calendar)}(?:${calendar.beforeWeekday ?? calendar.last.week})[\\s,]{0,2}(?:(?:on|am|op|の|的) ?)?${weekday}${endOf(calendar)}`,
      (groups, today) => oneDay(weekSpan(today - 7).from + place(groups)),
    ),
    wordRule(`${startOf(calendar)}${weekday}${endOf(calendar)}`, (groups, today) => latestWeekday(today, place(groups))),
  ]
}

function monthRules(calendar: CalendarWords): readonly DateRule[] {
  const any = `(?:${numbered('m', bothNames(calendar))})`
  const written = `(?:${numbered('m', seriesOf(calendar.months))})`
  const before = calendar.before === '' ? '' : `${BEFORE_WORD}(?:${calendar.before})(?: |')`
  return [
    wordRule(`${BEFORE_WORD}${any}${AFTER_WORD},?(?: (?:${calendar.between}))? ${YEAR}(?!\\d)`, groups =>
      monthSpan(Number(groups.y), monthOf(groups)),
    ),
    wordRule(`${BEFORE_WORD}${written}(?: (?:${calendar.between}))? (?:${calendar.last.year})${AFTER_WORD}`, (groups, today) =>
      monthSpan(civil(today).year - 1, monthOf(groups)),
    ),
    wordRule(`${before}(?<name>${written})${endOf(calendar)}`, (groups, today, text) =>
      lacksCapital(calendar, groups, text) ? undefined : latestMonth(today, monthOf(groups)),
    ),
    wordRule(`${before === '' ? NEVER : before}${YEAR}(?![${LETTERS}]|[.,/:-]\\d)`, groups => yearSpan(Number(groups.y))),
  ]
}

/** Where a year needs no word before it, 年 comes after it, and the numeric rules have read it. */
const NEVER = '(?!)'

/** "may" and "march" are months only with a capital letter. */
const lacksCapital = (calendar: CalendarWords, groups: Groups, text: string): boolean =>
  (calendar.capitalMonths ?? []).includes(monthOf(groups) - 1) && !/^\p{Lu}/u.test(text.slice(-(groups.name ?? '').length))

function relativeRules(calendar: CalendarWords): readonly DateRule[] {
  const whole = (source: string): string => `${startOf(calendar)}(?:${source})${endOf(calendar)}`
  return [
    agoRule(calendar),
    wordRule(whole(calendar.dayBeforeYesterday), (_, today) => oneDay(today - 2)),
    wordRule(whole(calendar.yesterday), (_, today) => oneDay(today - 1)),
    wordRule(whole(calendar.today), (_, today) => oneDay(today)),
    ...periodRules(calendar.last, whole, 1),
    ...periodRules(calendar.current, whole, 0),
  ]
}

function periodRules(periods: Periods, whole: (source: string) => string, back: number): readonly DateRule[] {
  return [
    wordRule(whole(periods.week), (_, today) => weekSpan(today - 7 * back)),
    wordRule(whole(periods.month), (_, today) => monthsBack(today, back)),
    wordRule(whole(periods.year), (_, today) => yearSpan(civil(today).year - back)),
  ]
}

function monthsBack(today: number, back: number): DaySpan {
  const { year, month } = civil(today)
  return monthSpan(year, month - back)
}

/** The unit says how exact a person is: days ago is a day, weeks ago a week, months ago a month. */
function agoRule(calendar: CalendarWords): DateRule {
  const numbers = seriesOf(calendar.numbers)
  const number = `(?<n>\\d{1,4})|${numbered('n', numbers)}`
  const { day, week, month, year } = calendar.units
  const unit = numbered('u', [day, week, month, year])
  const source = calendar.ago.replaceAll('{n}', `(?:${number})`).replaceAll('{u}', `(?:${unit})`)
  return wordRule(`${startOf(calendar)}(?:${source})${endOf(calendar)}`, (groups, today) => {
    const named = placeIn('n', groups, numbers.length)
    // "tydzień temu" has no number and means one.
    const many = groups.n === undefined ? (named === -1 ? 1 : named + 1) : Number(groups.n)
    if (groups.u0 !== undefined) return oneDay(today - many)
    if (groups.u1 !== undefined) return weekSpan(today - 7 * many)
    return groups.u2 !== undefined ? monthsBack(today, many) : yearSpan(civil(today).year - many)
  })
}

/** Japanese and Chinese have no borders between words. */
const hasBorders = (calendar: CalendarWords): boolean => /^[\p{ASCII}]*$/u.test(calendar.today)
const startOf = (calendar: CalendarWords): string => (hasBorders(calendar) ? BEFORE_WORD : '')
const endOf = (calendar: CalendarWords): string => (hasBorders(calendar) ? AFTER_WORD : '')

export const DATES_IN_WORDS: ReadonlyMap<TextLanguage, readonly DateRule[]> = new Map(
  languages.map(language => [language, rulesOf(language)]),
)

/** A day with a written month is a date in every language, so a few words of another one do not hide it: "7. Mai". */
export const NAMED_DAYS: readonly DateRule[] = languages.flatMap(({ calendar }) =>
  dayRules({ ...calendar, dotted: false }, seriesOf(calendar.months)),
)
