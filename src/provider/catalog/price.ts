/** Works out what a reply cost. */
import type { Usage } from '../../model/message/delta.ts'
import type { Price } from '../../model/provider.ts'

/**
 * The cost of a reply in dollars, rounded to a billionth so that sums are stable. Cached tokens without a price of their own
 * cost the same as other input.
 */
export function costOf({ input, output, cacheRead, cacheWrite }: Usage, price: Price): number {
  const prompt = input + cacheRead + cacheWrite
  const rates = price.long !== undefined && prompt > price.long.above ? price.long : price
  const millionths =
    input * rates.input +
    output * rates.output +
    cacheRead * (rates.cacheRead ?? rates.input) +
    cacheWrite * (rates.cacheWrite ?? rates.input)
  return Math.round(millionths * 1000) / 1e9
}
