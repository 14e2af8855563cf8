// Puts a range of cost into words.
import { money } from './phrase.ts'

/** What a request cost, or would: from everything cached and no reply to nothing cached and the longest one. */
export type CostRange = { readonly leastUsd: number; readonly mostUsd: number }

export function costRangeWords(cost: CostRange | null): string {
  if (cost === null) return 'no price known'
  const { leastUsd, mostUsd } = cost
  return leastUsd === mostUsd ? money(leastUsd) : `${money(leastUsd)} to ${money(mostUsd)} with the longest reply`
}

/** Whether there is anything to say: nobody needs to read that nothing costs nothing. */
export const isPriced = (...costs: readonly (CostRange | null)[]): boolean =>
  costs.some(cost => cost !== null && cost.mostUsd > 0)
