import type { Log } from '../log/log.ts'
import type { Usage } from '../model/delta.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { Price } from '../model/provider.ts'
import type { ReceiptDraft } from '../model/receipt.ts'
import { err, ok, type Result } from '../model/result.ts'
import { costOf } from '../provider/price.ts'
import type { Model } from './rooms.ts'

/** What was set aside for one request; settled when it is known what it cost. */
export type Reservation = { readonly settle: (usage: Usage | undefined) => void }

/** Sees to it that all requests of a day together cost no more than they may. */
export type Budget = {
  /** Sets aside the most a request can cost, or says why it may not be sent. */
  readonly reserve: (model: Model, tokens: ReceiptDraft['tokens']) => Promise<Result<Reservation, Fault>>
  /** What may still be spent today; null where there is no limit, or where nobody can tell. */
  readonly left: () => Promise<number | null>
}

/** Our count may be a little below the provider's. */
const MARGIN = 1.2
const FREE: Reservation = { settle: () => {} }

export function createBudget(log: Log, clock: () => number, mostUsdPerDay: number | null): Budget {
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
    reading ??= log.usage({ since: day }).then(rows => {
      if (!rows.ok) {
        reading = undefined
        return rows
      }
      spent += rows.value.reduce((sum, row) => sum + (row.day === day ? (row.costUsd ?? 0) : 0), 0)
      return ok(null)
    })
    return reading
  }

  return {
    left: async () => {
      if (mostUsdPerDay === null || !(await begin(dayOf(clock()))).ok) return null
      return Math.max(0, mostUsdPerDay - spent - reserved)
    },
    reserve: async (model, tokens) => {
      if (mostUsdPerDay === null) return ok(FREE)
      const { price } = model.facts
      if (price === undefined) return err(fault('budget', noPrice(model.name)))
      const known = await begin(dayOf(clock()))
      if (!known.ok) return err(fault('budget', `what was spent today cannot be read: ${known.fault.message}`))
      const most = mostOf(price, tokens)
      if (spent + reserved + most > mostUsdPerDay) return err(fault('budget', tooMuch(most, spent + reserved, mostUsdPerDay)))
      reserved += most
      return ok({
        settle: usage => {
          reserved -= most
          // A reply that broke off without a count was at least read.
          spent += usage?.costUsd ?? costOf(usage ?? { input: tokens.estimated, output: 0, cacheRead: 0, cacheWrite: 0 }, price)
        },
      })
    },
  }
}

/** Everything written to the cache, and a reply as long as it may be. */
export function mostOf(price: Price, { estimated, reserved }: Pick<ReceiptDraft['tokens'], 'estimated' | 'reserved'>): number {
  const whole = Math.ceil(estimated * MARGIN)
  const plain = costOf({ input: whole, output: reserved, cacheRead: 0, cacheWrite: 0 }, price)
  return Math.max(plain, costOf({ input: 0, output: reserved, cacheRead: 0, cacheWrite: whole }, price))
}

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)
const dollars = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`

const noPrice = (model: string): string =>
  `${model} has no price, so it cannot run under limits.budgetUsdPerDay; give it one in models."${model}".price`

const tooMuch = (most: number, spent: number, limit: number): string =>
  `this request could cost ${dollars(most)}, and of the ${dollars(limit)} for today ${dollars(spent)} are spent or set aside; raise limits.budgetUsdPerDay, or go on after midnight UTC`
