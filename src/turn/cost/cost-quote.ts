/** Quotes what a message would cost before it is sent, and shortens replies when money is short. */
import { LEAST_REPLY, thinksBy, withThinking } from '../../context/reply-limit.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Quote, VoiceQuote } from '../../model/quote.ts'
import type { Receipt } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { MessageSettings } from '../../model/sampling.ts'
import type { VoiceId } from '../../model/voice.ts'
import { addressOf, answering } from '../admission/addressing.ts'
import type { Address } from '../admission/admit.ts'
import { messageSettings } from '../admission/reply-settings.ts'
import type { Inspector } from '../inspect/as-sent.ts'
import { readState, type SessionState } from '../schedule/session-state.ts'
import type { Services } from '../services.ts'
import { longestReply } from './daily-budget.ts'
import { likelyCost } from './likely-cost.ts'

/** What a quote depends on: the words, and what the message says about its replies. */
type QuotedMessage = MessageSettings & { readonly text: string }

export type Quotes = {
  readonly quote: (session: SessionId, text: string, to?: readonly string[]) => Promise<Result<Quote, Fault>>
  /** The address of a round, with shorter replies if money is short. A fault if even those cost too much. */
  readonly affordable: (state: SessionState, address: Address, message: QuotedMessage) => Promise<Result<Address, Fault>>
}

export function createQuotes(services: Services, inspector: Inspector): Quotes {
  const { log } = services
  /** Quotes first steps only, because the further steps of a turn with tools cannot be predicted. */
  const quoteOf = async ({ session }: SessionState, address: Address, message: QuotedMessage): Promise<Result<Quote, Fault>> => {
    const asked: Asked[] = []
    for (const voice of answering(services, session, address)) {
      const would = await inspector.wouldSend(session.id, { text: message.text, voice, ...messageSettings(message) })
      if (!would.ok) return would
      asked.push({ voice, receipt: would.value.receipt })
    }
    const limit = await moneyLimit(services)
    const whole = quotesOf(services, asked)
    if (!whole.ok || limit === undefined) return whole.ok ? ok(quoted(whole.value)) : whole
    if (sum(whole.value).mostUsd === null) return ok(quoted(whole.value, { refused: NO_PRICE }))
    const costOf = (reply: number): number => {
      const voices = quotesOf(services, asked, reply)
      return voices.ok ? (sum(voices.value).mostUsd ?? 0) : Number.POSITIVE_INFINITY
    }
    const longest = asked.reduce((most, { receipt }) => Math.max(most, receipt.tokens.reserved), LEAST_REPLY)
    const reply = longestReply(longest, LEAST_REPLY, each => costOf(each) <= limit.usd)
    if (reply === longest) return ok(quoted(whole.value))
    const shorter = quotesOf(services, asked, reply ?? LEAST_REPLY)
    if (!shorter.ok) return shorter
    return ok(quoted(shorter.value, reply === undefined ? { refused: limit.why(costOf(LEAST_REPLY)) } : { replyLimit: reply }))
  }

  return {
    quote: async (id, text, to) => {
      const state = await readState(log, id)
      if (!state.ok) return state
      const inbound = { session: id, text, from: 'person', ...(to === undefined ? {} : { to }) }
      const address = addressOf(services, state.value.session, inbound)
      return address.ok ? quoteOf(state.value, address.value, { text }) : address
    },
    affordable: async (state, address, message) => {
      const { limits } = services
      const isLimited = limits.budgetUsdPerDay !== null || limits.budgetUsdPerRound !== null
      if (!isLimited || state.session.council === null) return ok(address)
      const quote = await quoteOf(state, address, message)
      // If no quote is possible, as when the store is away, the limits of each request still apply.
      if (!quote.ok) return ok(address)
      const { refused, replyLimit } = quote.value
      if (refused !== null) return err(fault('budget', refused))
      return ok(replyLimit === null ? address : { ...address, replyLimit })
    },
  }
}

/** A voice that would be asked, and the receipt of its request. */
type Asked = { readonly voice: VoiceId; readonly receipt: Receipt }

/** What each request would take, its reply no longer than `reply` tokens. */
function quotesOf(services: Services, asked: readonly Asked[], reply?: number): Result<readonly VoiceQuote[], Fault> {
  const voices: VoiceQuote[] = []
  for (const { voice, receipt } of asked) {
    const { model, tokens, inputs } = receipt
    const most = reply === undefined ? tokens.reserved : withThinking(reply, thinksBy(inputs.thinking, inputs.sampling))
    const output = Math.min(tokens.reserved, most)
    const cost = likelyCost(services, receipt, output)
    if (!cost.ok) return cost
    const { cached, leastUsd, mostUsd } = cost.value
    voices.push({ voice, model, input: tokens.estimated, cached, output, leastUsd, mostUsd })
  }
  return ok(voices)
}

const quoted = (
  voices: readonly VoiceQuote[],
  { refused = null, replyLimit = null }: Partial<Pick<Quote, 'refused' | 'replyLimit'>> = {},
): Quote => ({ voices, total: sum(voices), replyLimit, refused })

const NO_PRICE = 'a model without a price cannot run under a limit in dollars; give it one in "models"'

/** The least that the limits in dollars leave for one round, and the words for a round that costs more. */
async function moneyLimit({
  limits,
  budget,
}: Services): Promise<{ readonly usd: number; readonly why: (usd: number) => string } | undefined> {
  const { budgetUsdPerDay, budgetUsdPerRound } = limits
  if (budgetUsdPerDay === null && budgetUsdPerRound === null) return undefined
  const left = await budget.left()
  if (budgetUsdPerRound !== null && budgetUsdPerRound <= (left ?? Number.POSITIVE_INFINITY))
    return {
      usd: budgetUsdPerRound,
      why: usd =>
        `this round could cost ${dollars(usd)}, and limits.budgetUsdPerRound is ${dollars(budgetUsdPerRound)}; ask fewer advisors, or raise it`,
    }
  return {
    usd: left ?? Number.POSITIVE_INFINITY,
    why: usd =>
      `this round could cost ${dollars(usd)}, and of limits.budgetUsdPerDay ${dollars(left ?? 0)} are left for today; ask fewer advisors, raise it, or go on after midnight UTC`,
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
