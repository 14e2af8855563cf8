import { difference, lint } from '../../../../src/context/receipt/cache-lint.ts'
import type { CacheLint } from '../../../../src/model/receipt.ts'
import type { Item } from '../../wire/inspect-api.ts'
import { percent } from '../../words/amounts.ts'
import { reasonWords } from '../../words/reasons.ts'
import { count } from '../../words/words.ts'

/** What only one of two requests has, and how many items both have. */
export type Compared = {
  readonly same: number
  readonly come: readonly Item[]
  readonly gone: readonly Item[]
  /** By how many tokens the second is longer. */
  readonly tokens: number
}

export function compared(before: readonly Item[], now: readonly Item[]): Compared {
  const { same, gone, come } = difference(before, now)
  return { same, gone: gone as readonly Item[], come: come as readonly Item[], tokens: sumOf(now) - sumOf(before) }
}

const sumOf = (items: readonly Item[]): number => items.reduce((sum, { tokens }) => sum + tokens, 0)

/** More or less, with its sign; nothing has none. */
export const signed = (value: number): string => (value === 0 ? '0' : `${value > 0 ? '+' : '−'}${count(Math.abs(value))}`)

/** How much of a request the cache could know after another; null where there was none before. */
export const cacheAfter = (before: readonly Item[] | null, now: readonly Item[]): CacheLint | null =>
  before === null ? null : lint(before, now)

/** What another way of asking would do to the cache, in a sentence. */
export function cacheEffect(asSent: CacheLint | null, wouldBe: CacheLint | null): string {
  if (asSent === null || wouldBe === null) return 'There is no request before it, so nothing could come from the cache.'
  const [one, other] = [asSent.stableShare, wouldBe.stableShare]
  const by =
    wouldBe.brokenBy === null
      ? ''
      : `, broken by ${wouldBe.brokenBy.item} (${reasonWords(wouldBe.brokenBy.reason).toLowerCase()})`
  if (Math.abs(one - other) < 0.01) return `The cache would know as much of it: ${percent(other)}.`
  return `The cache would know ${percent(other)} of it instead of ${percent(one)}${other < one ? by : ''}.`
}

/** What a mark would do to the next request. */
export function markEffect(before: readonly Item[], after: readonly Item[], seq: number): string {
  const { tokens } = compared(before, after)
  const was = holds(before, seq)
  const will = holds(after, seq)
  const stands = will ? (was ? 'it stays in' : 'it will be in') : was ? 'it will be left out' : 'it stays out'
  return `${signed(tokens)} tokens in the next request; ${stands}`
}

const holds = (items: readonly Item[], seq: number): boolean =>
  items.some(({ from, to }) => from !== undefined && from <= seq && seq <= (to ?? from))
