// Compares two requests item by item.
import { difference, lint } from '../../../../src/context/receipt/cache-lint.ts'
import type { CacheLint } from '../../../../src/model/receipt.ts'
import type { InspectedItem } from '../../wire/inspect-api.ts'
import { percentWords } from '../../words/amounts.ts'
import { reasonSentence } from '../../words/reasons.ts'
import { formatCount } from '../../words/words.ts'

/** What only one of two requests has, and how many items both have. */
export type Compared = {
  readonly same: number
  readonly come: readonly InspectedItem[]
  readonly gone: readonly InspectedItem[]
  /** By how many tokens the second is longer. */
  readonly tokens: number
}

export function compared(before: readonly InspectedItem[], now: readonly InspectedItem[]): Compared {
  const { same, gone, come } = difference(before, now)
  return {
    same,
    gone: gone as readonly InspectedItem[],
    come: come as readonly InspectedItem[],
    tokens: sumOf(now) - sumOf(before),
  }
}

const sumOf = (items: readonly InspectedItem[]): number => items.reduce((sum, { tokens }) => sum + tokens, 0)

/** More or less, with its sign; nothing has none. */
export const signedCount = (value: number): string =>
  value === 0 ? '0' : `${value > 0 ? '+' : '−'}${formatCount(Math.abs(value))}`

/** The part of a request that the cache could have from the previous one; null if there was none. */
export const cacheAfter = (before: readonly InspectedItem[] | null, now: readonly InspectedItem[]): CacheLint | null =>
  before === null ? null : lint(before, now)

/** What another way of asking would do to the cache, in a sentence. */
export function cacheEffect(asSent: CacheLint | null, wouldBe: CacheLint | null): string {
  if (asSent === null || wouldBe === null) return 'There is no request before it, so nothing could come from the cache.'
  const [one, other] = [asSent.stableShare, wouldBe.stableShare]
  const by =
    wouldBe.brokenBy === null
      ? ''
      : `, broken by ${wouldBe.brokenBy.item} (${reasonSentence(wouldBe.brokenBy.reason).toLowerCase()})`
  if (Math.abs(one - other) < 0.01) return `The cache would know as much of it: ${percentWords(other)}.`
  return `The cache would know ${percentWords(other)} of it instead of ${percentWords(one)}${other < one ? by : ''}.`
}

/** What a mark would do to the next request. */
export function markEffect(before: readonly InspectedItem[], after: readonly InspectedItem[], seq: number): string {
  const { tokens } = compared(before, after)
  const was = holds(before, seq)
  const will = holds(after, seq)
  const stands = will ? (was ? 'it stays in' : 'it will be in') : was ? 'it will be left out' : 'it stays out'
  return `${signedCount(tokens)} tokens in the next request; ${stands}`
}

const holds = (items: readonly InspectedItem[], seq: number): boolean =>
  items.some(({ from, to }) => from !== undefined && from <= seq && seq <= (to ?? from))
