/** Counts tokens and hashes texts for one engine, and remembers the counts of long texts. */
import { textHash } from '../../archive/output/text-hash.ts'
import type { Measure } from '../../context/text/tokens.ts'
import { count } from '../../context/text/tokens.ts'

export const hash: (text: string) => string = textHash

const REMEMBER = 256

/** Counts and hashes for one engine; long texts that come back every turn (house text, tools) are counted once. */
export function createMeasure(): Measure {
  const counted = new Map<string, number>()
  return {
    hash,
    count: text => {
      const known = counted.get(text)
      if (known !== undefined) return known
      const tokens = count(text)
      if (counted.size >= REMEMBER) counted.clear()
      counted.set(text, tokens)
      return tokens
    },
  }
}
