// Adds usage up by day, month and model.
import { type UsageRow, type UsageSum, usageSum } from '../../../../src/model/usage.ts'
import { dollars } from '../../words/amounts.ts'
import { formatCount } from '../../words/words.ts'

/** How far back one looks, in days; null is all there is. */
export type DaysBack = 7 | 30 | 90 | null

const DAY_MS = 86_400_000

/** The first day of a span that ends today; days are those of UTC, as the gateway counts them. */
export const sinceDay = (span: Exclude<DaysBack, null>, today: string): string => dayPlus(today, 1 - span)

const dayPlus = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/** A stretch of the axis: a day, or a month where days would be too many. */
export type DayRange = { readonly key: string; readonly label: string }

/** More days than this are shown as months. */
const MOST_DAYS = 92

/** Everything between the first day and today, also where nothing was used. */
export function dayRanges(rows: readonly UsageRow[], span: DaysBack, today: string): readonly DayRange[] {
  const first = span === null ? rows.reduce((least, { day }) => (day < least ? day : least), today) : sinceDay(span, today)
  const days: string[] = []
  for (let day = first; day <= today; day = dayPlus(day, 1)) days.push(day)
  if (days.length <= MOST_DAYS) return days.map(day => ({ key: day, label: dayLabel(day) }))
  return [...new Set(days.map(day => day.slice(0, 7)))].map(key => ({ key, label: monthLabel(key) }))
}

const spelled = (day: string, form: Intl.DateTimeFormatOptions): string =>
  new Date(`${day}T00:00Z`).toLocaleDateString('en', { timeZone: 'UTC', ...form })

const dayLabel = (day: string): string => spelled(day, { day: 'numeric', month: 'short' })
const monthLabel = (month: string): string => spelled(`${month}-01`, { month: 'short', year: 'numeric' })

export type UsageMeasure = 'cost' | 'tokens'

export const totalTokens = ({ input, output, cacheRead, cacheWrite }: UsageSum): number => input + output + cacheRead + cacheWrite

const measured = (sum: UsageSum, measure: UsageMeasure): number => (measure === 'cost' ? (sum.costUsd ?? 0) : totalTokens(sum))

/** What has a price adds up; how many requests have none is said beside it. */
export type UsageCost = { readonly knownUsd: number; readonly priced: number; readonly unpriced: number }

export function usageCost(rows: readonly UsageSum[]): UsageCost {
  const priced = rows.filter(({ costUsd }) => costUsd !== null)
  const requests = (some: readonly UsageSum[]): number => some.reduce((sum, row) => sum + row.requests, 0)
  return {
    knownUsd: usageSum(priced).costUsd ?? 0,
    priced: requests(priced),
    unpriced: requests(rows.filter(({ costUsd }) => costUsd === null)),
  }
}

/** An unknown price is never a zero, and a partial sum never passes for the whole. */
export function usageCostWords({ knownUsd, priced, unpriced }: UsageCost): string {
  if (unpriced === 0) return dollars(knownUsd)
  return priced === 0 || knownUsd === 0 ? '–' : `at least ${dollars(knownUsd)}`
}

/** Each model with all that it was used for, the most expensive first, then the most used. */
export type ModelUse = { readonly model: string; readonly sum: UsageSum; readonly cost: UsageCost }

export function byModel(rows: readonly UsageRow[]): readonly ModelUse[] {
  return [...Map.groupBy(rows, ({ model }) => model)]
    .map(([model, group]): ModelUse => ({ model, sum: usageSum(group), cost: usageCost(group) }))
    .sort((a, b) => b.cost.knownUsd - a.cost.knownUsd || totalTokens(b.sum) - totalTokens(a.sum) || (a.model < b.model ? -1 : 1))
}

/** The models that have a color of their own; all others are shown together. */
const MOST_SERIES = 6
export const OTHERS = 'Other models'

/** One part of a bar: where it begins and how far it goes, in what is measured. */
export type UsageBarPart = { readonly series: number; readonly name: string; readonly from: number; readonly to: number }
export type UsageBar = DayRange & {
  readonly parts: readonly UsageBarPart[]
  readonly total: number
  readonly rows: readonly UsageRow[]
}
export type Chart = {
  readonly bars: readonly UsageBar[]
  readonly series: readonly string[]
  readonly ticks: readonly number[]
  readonly top: number
}

/** Stacked bars, one for each stretch. */
export function chartOf(rows: readonly UsageRow[], stretches: readonly DayRange[], measure: UsageMeasure): Chart {
  const names = byModel(rows).map(({ model }) => model)
  const series = names.length <= MOST_SERIES ? names : [...names.slice(0, MOST_SERIES - 1), OTHERS]
  const seriesOf = (model: string): number => (series.includes(model) ? series.indexOf(model) : series.length - 1)
  const bars = stretches.map((stretch): UsageBar => {
    const here = rows.filter(({ day }) => day.startsWith(stretch.key))
    let total = 0
    const parts = series.flatMap((name, index): UsageBarPart[] => {
      const value = here.filter(row => seriesOf(row.model) === index).reduce((sum, row) => sum + measured(row, measure), 0)
      if (value === 0) return []
      total += value
      return [{ series: index, name, from: total - value, to: total }]
    })
    return { ...stretch, parts, total, rows: here }
  })
  const ticks = ticksUpTo(Math.max(0, ...bars.map(({ total }) => total)))
  return { bars, series, ticks, top: ticks.at(-1) ?? 1 }
}

/** About four round numbers, from zero to at least `most`. */
export function ticksUpTo(most: number): readonly number[] {
  if (most <= 0) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most / 4))
  const step = [1, 2, 5, 10].map(factor => factor * power).find(each => each * 4 >= most * 0.999) ?? 10 * power
  const ticks = Array.from({ length: Math.ceil((most / step) * 0.999) + 1 }, (_, index) => index * step)
  return ticks.map(tick => Number(tick.toPrecision(12)))
}

/** A bar in words, for people who do not see it. */
export function barWords({ label, rows }: Pick<UsageBar, 'label' | 'rows'>): string {
  if (rows.length === 0) return `${label}: nothing was used`
  const models = byModel(rows).map(
    ({ model, sum, cost }) => `${model} ${usageCostWords(cost)}, ${formatCount(totalTokens(sum))} tokens`,
  )
  return `${label}: ${usageCostWords(usageCost(rows))}, ${formatCount(totalTokens(usageSum(rows)))} tokens. ${models.join('; ')}`
}
