/** The arithmetic of days: numbers since 1970-01-01 in UTC, weeks, months and years. */

/** Days since 1970-01-01 in UTC, both included. */
export type DaySpan = { readonly from: number; readonly to: number }

const DAY = 86_400_000

/** The day of an ISO time as a number of days since 1970-01-01 in UTC; not a number if the text is no time. */
export const dayNumberOf = (iso: string): number => Math.floor(Date.parse(WITHOUT_ZONE.test(iso) ? `${iso}Z` : iso) / DAY)

/** Times without a zone would be read by the clock of this machine. */
const WITHOUT_ZONE = /T[\d:.]+$/

/** A day as it is written on quotes: `2024-01-14`. */
export function dayText(day: number): string {
  const { year, month, date } = civil(day)
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}

type CivilDay = { readonly year: number; readonly month: number; readonly date: number }

/** Year, month and date of a day, by counting from 1 March of the year 0 so that leap days come last. */
export function civil(day: number): CivilDay {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const date = ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, date }
}

const dayNumber = (year: number, month: number, date: number): number => Math.floor(Date.UTC(year, month - 1, date) / DAY)

export const monthSpan = (year: number, month: number): DaySpan => ({
  from: dayNumber(year, month, 1),
  to: dayNumber(year, month + 1, 1) - 1,
})

export const yearSpan = (year: number): DaySpan => ({ from: dayNumber(year, 1, 1), to: dayNumber(year, 12, 31) })

/** A week begins on Monday; the first of January 1970 was a Thursday. */
export const weekSpan = (day: number): DaySpan => {
  const monday = day - ((((day + 3) % 7) + 7) % 7)
  return { from: monday, to: monday + 6 }
}

export const oneDay = (day: number): DaySpan => ({ from: day, to: day })

/** A date that exists, or undefined: there is no 31 February. */
export function exactDay(year: number, month: number, date: number): DaySpan | undefined {
  if (month < 1 || month > 12 || date < 1 || year < 1 || date > monthLength(year, month)) return undefined
  return oneDay(dayNumber(year, month, date))
}

const monthLength = (year: number, month: number): number => {
  const { from, to } = monthSpan(year, month)
  return to - from + 1
}

/** The latest such day that is not after today; a leap day may be eight years back. */
export function latestDay(today: number, month: number, date: number): DaySpan | undefined {
  const { year } = civil(today)
  for (let back = 0; back <= 8; back++) {
    const found = exactDay(year - back, month, date)
    if (found !== undefined && found.from <= today) return found
  }
  return undefined
}

export function latestMonth(today: number, month: number): DaySpan {
  const now = civil(today)
  return monthSpan(month > now.month ? now.year - 1 : now.year, month)
}

/** Today is not past: on a Friday, "on Friday" is a week ago. */
export function latestWeekday(today: number, weekday: number): DaySpan {
  const daysBack = (((today + 3 - weekday) % 7) + 7) % 7
  return oneDay(today - (daysBack === 0 ? 7 : daysBack))
}
