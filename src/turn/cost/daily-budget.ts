/** Sets money aside for each request, so that all requests of a day stay within the daily limit. */
import type { UsageTotals } from '../../log/ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { Usage } from '../../model/message/delta.ts'
import type { Price } from '../../model/provider.ts'
import type { ReceiptDraft } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { costOf } from '../../provider/catalog/price.ts'
import type { Model } from '../services.ts'

/** What was set aside for one request; settled when it is known what it cost. */
export type Reservation = {
  /** The longest reply that is paid for, in tokens; less than was asked for where no more money is left. */
  readonly output: number
  readonly settle: (usage: Usage | undefined) => void
}

/** Keeps the cost of all requests of a day within the daily limit. */
export type Budget = {
  /**
   * Sets aside the most a request can cost. Where that is more than there is, a shorter reply is paid for, but none shorter
   * than `least` tokens: then it says why the request may not be sent.
   */
  readonly reserve: (model: Model, tokens: Tokens, least?: number) => Promise<Result<Reservation, Fault>>
  /** What may still be spent today. Null if there is no limit, or if today's spending is not known. */
  readonly left: () => Promise<number | null>
}

type Tokens = Pick<ReceiptDraft['tokens'], 'estimated' | 'reserved'>

/** Our count may be a little below the provider's. */
const MARGIN = 1.2

export function createBudget(log: UsageTotals, clock: () => number, mostPerDay: () => number | null): Budget {
  let today = ''
  let spent = 0
  let reserved = 0
  let reading: Promise<Result<null, Fault>> | undefined

  /** What earlier processes spent today is in the log; what this one spends is counted as it goes. */
  const begin = (day: string): Promise<Result<null, Fault>> => {
    if (today !== day) {
      today = day
      spent = 0
      reading = undefined
    }
    reading ??= read(day)
    return reading
  }
  const read = async (day: string): Promise<Result<null, Fault>> => {
    let isRead = false
    try {
      const rows = await log.usage({ since: day })
      if (!rows.ok) return rows
      spent += rows.value.reduce((sum, row) => sum + (row.day === day ? (row.costUsd ?? 0) : 0), 0)
      isRead = true
      return ok(null)
    } finally {
      // A store that does not answer is asked again next time.
      if (!isRead) reading = undefined
    }
  }

  /** What is spent without a limit counts as soon as there is one: what was spent before that is read from the log. */
  const unlimited = ({ facts: { price } }: Model, tokens: Tokens): Reservation['settle'] => {
    if (reading === undefined) return () => {}
    return usage => {
      spent += spentOn(usage, tokens, price)
    }
  }

  return {
    left: async () => {
      const mostUsdPerDay = mostPerDay()
      if (mostUsdPerDay === null || !(await begin(dayOf(clock()))).ok) return null
      return Math.max(0, mostUsdPerDay - spent - reserved)
    },
    reserve: async (model, tokens, least = tokens.reserved) => {
      const mostUsdPerDay = mostPerDay()
      if (mostUsdPerDay === null) return ok({ output: tokens.reserved, settle: unlimited(model, tokens) })
      const { price } = model.facts
      if (price === undefined) return err(fault('budget', noPrice(model.name)))
      const known = await begin(dayOf(clock()))
      if (!known.ok) return err(fault('budget', `what was spent today cannot be read: ${known.fault.message}`))
      const left = mostUsdPerDay - spent - reserved
      const output = longestReply(tokens.reserved, Math.min(least, tokens.reserved), each => costs(price, tokens, each) <= left)
      if (output === undefined) return err(fault('budget', tooMuch(costs(price, tokens, least), spent + reserved, mostUsdPerDay)))
      const most = costs(price, tokens, output)
      reserved += most
      return ok({
        output,
        settle: usage => {
          reserved -= most
          spent += spentOn(usage, tokens, price)
        },
      })
    },
  }
}

const costs = (price: Price, { estimated }: Tokens, output: number): number => mostOf(price, { estimated, reserved: output })

/** The longest reply, from `most` tokens down to `least`, that can be afforded; none where not even the shortest can. */
export function longestReply(most: number, least: number, isAffordable: (tokens: number) => boolean): number | undefined {
  if (isAffordable(most)) return most
  if (!isAffordable(least)) return undefined
  let low = least
  let high = most
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isAffordable(middle)) low = middle
    else high = middle
  }
  return low
}

/** Everything written to the cache, and a reply as long as it may be. */
export function mostOf(price: Price, { estimated, reserved }: Tokens): number {
  const whole = Math.ceil(estimated * MARGIN)
  const plain = costOf({ input: whole, output: reserved, cacheRead: 0, cacheWrite: 0 }, price)
  return Math.max(plain, costOf({ input: 0, output: reserved, cacheRead: 0, cacheWrite: whole }, price))
}

export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)
const dollars = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`

export const noPrice = (model: string): string =>
  `${model} has no price, so it cannot run under limits.budgetUsdPerDay; give it one in models."${model}".price`

export const tooMuch = (most: number, spent: number, limit: number): string =>
  `this request could cost ${dollars(most)}, and of the ${dollars(limit)} for today ${dollars(spent)} are spent or set aside; raise limits.budgetUsdPerDay, or go on after midnight UTC`

/** A reply that broke off without a count still costs its input. */
export function spentOn(usage: Usage | undefined, { estimated }: Tokens, price: Price | undefined): number {
  const used = usage ?? { input: estimated, output: 0, cacheRead: 0, cacheWrite: 0 }
  return usage?.costUsd ?? (price === undefined ? 0 : costOf(used, price))
}
