// Compares two requests item by item.
import { difference, lint } from '../../../../src/context/receipt/cache-lint.ts'
import type { CacheLint } from '../../../../src/model/receipt.ts'
import type { InspectedItem, InspectedRequest } from '../../wire/inspect-api.ts'
import { percentWords } from '../../words/amounts.ts'
import { reasonSentence } from '../../words/reasons.ts'
import { formatCount } from '../../words/words.ts'
import { isHere, listedItems } from '../items/groups.ts'

/** What only one of two requests has, and how many items both have. */
export type Compared = {
  readonly same: number
  readonly come: readonly InspectedItem[]
  readonly gone: readonly InspectedItem[]
  /** By how many tokens the second is longer. */
  readonly tokens: number
}

/**
 * Compares two requests, both in the measure of the first. How a model's tokens are estimated is learned from its answers, so the
 * same items may be estimated differently later; that is no difference between the requests. Another model counts in its own way.
 */
export function compared(before: ComparedRequest, now: ComparedRequest): Compared {
  const [one, other] = [listedItems(before), listedItems(now)]
  const { same, gone, come } = difference(one, other) as {
    readonly same: number
    readonly gone: readonly InspectedItem[]
    readonly come: readonly InspectedItem[]
  }
  const [was, is] = [before.receipt, now.receipt]
  if (was.model !== is.model || was.tokens.factor === is.tokens.factor)
    return { same, gone, come, tokens: sumOf(other) - sumOf(one) }
  const ratio = was.tokens.factor / is.tokens.factor
  const rescaled = come.map(item => ({ ...item, tokens: Math.round(item.tokens * ratio) }))
  return { same, gone, come: rescaled, tokens: sumOf(rescaled) - sumOf(gone) }
}

type ComparedRequest = Pick<InspectedRequest, 'items' | 'receipt'>

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
export function markEffect(before: ComparedRequest, after: ComparedRequest, seq: number): string {
  const { tokens } = compared(before, after)
  const was = holds(listedItems(before), seq)
  const will = holds(listedItems(after), seq)
  const stands = will ? (was ? 'it stays in' : 'it will be in') : was ? 'it will be left out' : 'it stays out'
  return `${signedCount(tokens)} tokens in the next request; ${stands}`
}

const holds = (items: readonly InspectedItem[], seq: number): boolean =>
  items.filter(isHere).some(({ from, to }) => from !== undefined && from <= seq && seq <= (to ?? from))
