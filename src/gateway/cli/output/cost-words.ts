// Puts a range of cost into words.
import { money } from './phrase.ts'

/** The cost of a request as a range: from fully cached without a reply to uncached with the longest reply. */
export type CostRange = { readonly leastUsd: number; readonly mostUsd: number }

export function costRangeWords(cost: CostRange | null): string {
  if (cost === null) return 'no price known'
  const { leastUsd, mostUsd } = cost
  return leastUsd === mostUsd ? money(leastUsd) : `${money(leastUsd)} to ${money(mostUsd)} with the longest reply`
}

/** Whether the cost is worth a line: a free request needs none. */
export const isPriced = (...costs: readonly (CostRange | null)[]): boolean =>
  costs.some(cost => cost !== null && cost.mostUsd > 0)
