import { type Fault, fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'
import type { Quote, VoiceQuote } from '../model/quote.ts'
import type { Receipt } from '../model/receipt.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { VoiceId } from '../model/voice.ts'
import type { Address, Inbound } from './admit.ts'
import { type Addressing, answering } from './conductor.ts'
import type { Inspector } from './inspect.ts'
import { likelyCost } from './likely-cost.ts'
import type { Rooms } from './rooms.ts'
import type { Rounds } from './rounds.ts'
import { lookAt, type Seen } from './seen.ts'

export type Quotes = {
  readonly quote: (session: SessionId, text: string, to?: readonly string[]) => Promise<Result<Quote, Fault>>
  /** Why a round may not begin, where it could cost more than it may: it is stopped before the first call. */
  readonly whyRefused: (seen: Seen, address: Address, text: string) => Promise<Fault | undefined>
}

export function createQuotes(rooms: Rooms, rounds: Rounds, inspector: Inspector): Quotes {
  const { log, limits } = rooms
  /** First steps alone: what voices do with their tools nobody can know. */
  const quoteOf = async ({ session }: Seen, address: Address, text: string): Promise<Result<Quote, Fault>> => {
    const voices: VoiceQuote[] = []
    for (const voice of answering(rooms, session, address)) {
      const would = await inspector.wouldSend(session.id, { text, voice })
      if (!would.ok) return would
      const quoted = voiceQuote(rooms, voice, would.value.receipt)
      if (!quoted.ok) return quoted
      voices.push(quoted.value)
    }
    const total = sum(voices)
    return ok({ voices, total, refused: await whyTooMuch(rooms, total) })
  }

  return {
    quote: async (id, text, to) => {
      const seen = await lookAt(log, id)
      if (!seen.ok) return seen
      const address = await rounds.addressOf({ session: id, text, from: 'person', ...(to === undefined ? {} : { to }) })(
        seen.value,
      )
      return address.ok ? quoteOf(seen.value, address.value, text) : address
    },
    whyRefused: async (seen, address, text) => {
      const isLimited = limits.budgetUsdPerDay !== null || limits.budgetUsdPerRound !== null
      if (!isLimited || seen.session.council === null) return undefined
      const quoted = await quoteOf(seen, address, text)
      // What cannot be quoted, as in a store that is away, is left to the limits of each request.
      return quoted.ok && quoted.value.refused !== null ? fault('budget', quoted.value.refused) : undefined
    },
  }
}

/** Whom a message is for, unless its round could cost more than it may. */
export const affordable =
  (rounds: Rounds, quotes: Quotes, inbound: Inbound): Addressing =>
  async seen => {
    const address = await rounds.addressOf(inbound)(seen)
    const refused = address.ok ? await quotes.whyRefused(seen, address.value, inbound.text) : undefined
    return refused === undefined ? address : err(refused)
  }

function voiceQuote(rooms: Rooms, voice: VoiceId, receipt: Receipt): Result<VoiceQuote, Fault> {
  const cost = likelyCost(rooms, receipt)
  if (!cost.ok) return cost
  const { model, tokens } = receipt
  const { cached, leastUsd, mostUsd } = cost.value
  return ok({ voice, model, input: tokens.estimated, cached, output: tokens.reserved, leastUsd, mostUsd })
}

async function whyTooMuch({ limits, budget }: Rooms, { mostUsd }: Quote['total']): Promise<string | null> {
  const { budgetUsdPerDay, budgetUsdPerRound } = limits
  if (budgetUsdPerDay === null && budgetUsdPerRound === null) return null
  if (mostUsd === null) return 'a model without a price cannot run under a limit in dollars; give it one in "models"'
  if (budgetUsdPerRound !== null && mostUsd > budgetUsdPerRound)
    return `this round could cost ${dollars(mostUsd)}, and limits.budgetUsdPerRound is ${dollars(budgetUsdPerRound)}; ask fewer advisors, or raise it`
  const left = await budget.left()
  if (left === null || mostUsd <= left) return null
  return `this round could cost ${dollars(mostUsd)}, and of limits.budgetUsdPerDay ${dollars(left)} are left for today; ask fewer advisors, raise it, or go on after midnight UTC`
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
