/** Estimates the least and the most that a request would cost if it were sent. */
import type { Fault } from '../../model/fault.ts'
import type { VoiceQuote } from '../../model/quote.ts'
import type { Receipt } from '../../model/receipt.ts'
import { ok, type Result } from '../../model/result.ts'
import { costOf } from '../../provider/catalog/price.ts'
import type { Services } from '../services.ts'
import { mostOf } from './daily-budget.ts'

/** What a request that is not sent would cost: at least with what is cached and no reply, at most with the longest one. */
export function likelyCost(
  { models }: Pick<Services, 'models'>,
  { model, tokens, cache }: Receipt,
  reserved: number = tokens.reserved,
): Result<Pick<VoiceQuote, 'cached' | 'leastUsd' | 'mostUsd'>, Fault> {
  const named = models.named(model)
  if (!named.ok) return named
  const { price } = named.value.facts
  const { estimated } = tokens
  const cached = price?.cacheRead === undefined ? 0 : Math.floor(estimated * (cache?.stableShare ?? 0))
  if (price === undefined) return ok({ cached, leastUsd: null, mostUsd: null })
  return ok({
    cached,
    leastUsd: costOf({ input: estimated - cached, output: 0, cacheRead: cached, cacheWrite: 0 }, price),
    mostUsd: mostOf(price, { estimated, reserved }),
  })
}
