// What filled a window, by kind, from the receipt's lines.
import type { Usage } from '../../../../src/model/message/delta.ts'
import type { Receipt } from '../../../../src/model/receipt.ts'
import { type RingPart, ringParts } from '../../composer/ring/figures.ts'

/** What filled a window: the parts are what the receipt's lines add up to, no more and no less. */
export type FilledWindow = {
  readonly parts: readonly RingPart[]
  readonly used: number
  readonly reserved: number
  /** Null if the size is unknown. */
  readonly free: number | null
  /** Everything the bar is as long as. */
  readonly whole: number
}

/** The part that the provider's cache had; if the provider did not count it, the part that it could have had. */
export function cachedIn({ tokens, cache }: Pick<Receipt, 'tokens' | 'cache'>, usage: Usage | null = null): number {
  const counted = usage?.cacheRead ?? tokens.cached
  return Math.min(tokens.estimated, counted ?? Math.floor(tokens.estimated * (cache?.stableShare ?? 0)))
}

export function filledBy(receipt: Pick<Receipt, 'in' | 'tokens' | 'cache'>, cached: number): FilledWindow {
  const { limit, reserved } = receipt.tokens
  const parts = ringParts(receipt.in, cached)
  const used = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const free = limit > 0 ? Math.max(0, limit - used) : null
  return { parts, used, reserved, free, whole: used + (free ?? 0) + reserved }
}
