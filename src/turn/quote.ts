import { type Fault, fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'
import type { Price } from '../model/provider.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { VoiceId } from '../model/voice.ts'
import { costOf } from '../provider/price.ts'
import { mostOf } from './budget.ts'
import type { Inspector } from './inspect.ts'
import type { Rooms } from './rooms.ts'

/** What one voice's request would take: tokens in, the most of its reply, and what both cost. */
export type VoiceQuote = {
  readonly voice: VoiceId
  readonly model: string
  readonly input: number
  /** Of the input, as much as the provider's cache should know from the last request. */
  readonly cached: number
  readonly output: number
  /** With what is cached, and no reply; null where the model has no price. */
  readonly leastUsd: number | null
  /** Nothing cached, and the longest reply. */
  readonly mostUsd: number | null
}

/** What a message would take before it is said: for every voice, and for all of them together. */
export type Quote = {
  readonly voices: readonly VoiceQuote[]
  readonly total: Omit<VoiceQuote, 'voice' | 'model'>
  /** Why it would not be sent, where a limit stands in the way. */
  readonly refused: string | null
}

/** First steps alone: what voices do with their tools nobody can know. */
export async function quoteOf(
  rooms: Rooms,
  inspector: Inspector,
  session: SessionId,
  voices: readonly VoiceId[],
  text: string,
): Promise<Result<Quote, Fault>> {
  const quotes: VoiceQuote[] = []
  for (const voice of voices) {
    const would = await inspector.wouldSend(session, { text, voice })
    if (!would.ok) return would
    const { model, tokens, cache } = would.value.receipt
    const named = rooms.models.named(model)
    if (!named.ok) return named
    const { price } = named.value.facts
    const input = tokens.estimated
    const cached = price?.cacheRead === undefined ? 0 : Math.floor(input * (cache?.stableShare ?? 0))
    quotes.push({ voice, model, input, cached, output: tokens.reserved, ...costs(price, input, cached, tokens.reserved) })
  }
  const total = sum(quotes)
  return ok({ voices: quotes, total, refused: await whyRefused(rooms, total) })
}

/** A round that could cost more than it may is stopped before the first call. */
export async function withinLimits(rooms: Rooms, quote: () => Promise<Result<Quote, Fault>>): Promise<Result<null, Fault>> {
  const { budgetUsdPerDay, budgetUsdPerRound } = rooms.limits
  if (budgetUsdPerDay === null && budgetUsdPerRound === null) return ok(null)
  const quoted = await quote()
  // What cannot be quoted, as in a store that is away, is left to the limits of each request.
  if (!quoted.ok || quoted.value.refused === null) return ok(null)
  return err(fault('budget', quoted.value.refused))
}

async function whyRefused({ limits, budget }: Rooms, { mostUsd }: Quote['total']): Promise<string | null> {
  const { budgetUsdPerDay, budgetUsdPerRound } = limits
  if (budgetUsdPerDay === null && budgetUsdPerRound === null) return null
  if (mostUsd === null) return 'a model without a price cannot run under a limit in dollars; give it one in "models"'
  if (budgetUsdPerRound !== null && mostUsd > budgetUsdPerRound)
    return `this round could cost ${dollars(mostUsd)}, and limits.budgetUsdPerRound is ${dollars(budgetUsdPerRound)}; ask fewer advisors, or raise it`
  const left = await budget.left()
  if (left === null || mostUsd <= left) return null
  return `this round could cost ${dollars(mostUsd)}, and of limits.budgetUsdPerDay ${dollars(left)} are left for today; ask fewer advisors, raise it, or go on after midnight UTC`
}

function costs(
  price: Price | undefined,
  input: number,
  cached: number,
  output: number,
): Pick<VoiceQuote, 'leastUsd' | 'mostUsd'> {
  if (price === undefined) return { leastUsd: null, mostUsd: null }
  return {
    leastUsd: costOf({ input: input - cached, output: 0, cacheRead: cached, cacheWrite: 0 }, price),
    mostUsd: mostOf(price, { estimated: input, reserved: output }),
  }
}

const add = (one: number | null, other: number | null): number | null => (one === null || other === null ? null : one + other)

const sum = (quotes: readonly VoiceQuote[]): Quote['total'] =>
  quotes.reduce<Quote['total']>(
    (all, each) => ({
      input: all.input + each.input,
      cached: all.cached + each.cached,
      output: all.output + each.output,
      leastUsd: add(all.leastUsd, each.leastUsd),
      mostUsd: add(all.mostUsd, each.mostUsd),
    }),
    { input: 0, cached: 0, output: 0, leastUsd: 0, mostUsd: 0 },
  )

const dollars = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`
