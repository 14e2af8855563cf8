/** Keeps the requests of all nodes within the daily limit: money is set aside in the store that they share. */
import type { Reservations } from '../../log/node-ports.ts'
import { fault } from '../../model/fault.ts'
import type { Usage } from '../../model/message/delta.ts'
import { err, ok } from '../../model/result.ts'
import { type Budget, dayOf, longestReply, mostOf, noPrice, spentOn, tooMuch } from './daily-budget.ts'

/** Longer than any request takes. What a node that died had set aside is free again after this. */
const RESERVED_MS = 1_800_000
/** The usage of a reply is in the store by then. */
const SETTLED_MS = 2000
/** Another node may take what was left between two questions. */
const TRIES = 5

const DAY_MS = 86_400_000
const endOf = (day: string): number => Date.parse(day) + DAY_MS

export function createSharedBudget(
  { reservations, mintId }: { readonly reservations: Reservations; readonly mintId: () => string },
  clock: () => number,
  mostPerDay: () => number | null,
): Budget {
  return {
    left: async () => {
      const limit = mostPerDay()
      if (limit === null) return null
      const day = dayOf(clock())
      const asked = await reservations.reserve({ id: mintId(), day, usd: Number.MAX_SAFE_INTEGER, limit, ms: 1 })
      return asked.ok ? Math.max(0, asked.value.left) : null
    },
    reserve: async (model, tokens, least = tokens.reserved) => {
      const limit = mostPerDay()
      if (limit === null) return ok({ output: tokens.reserved, settle: () => {} })
      const { price } = model.facts
      if (price === undefined) return err(fault('budget', noPrice(model.name)))
      const costs = (output: number): number => mostOf(price, { estimated: tokens.estimated, reserved: output })
      const day = dayOf(clock())
      const id = mintId()
      let output = tokens.reserved
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const asked = await reservations.reserve({ id, day, usd: costs(output), limit, ms: RESERVED_MS })
        if (!asked.ok) return err(fault('budget', `what was spent today cannot be read: ${asked.fault.message}`))
        if (asked.value.isReserved) {
          const settle = async (usage: Usage | undefined): Promise<void> => {
            const usd = spentOn(usage, tokens, paid.price)
            // It counts until what was used is certain to be in the store. A reply that broke off without a count never gets there.
            const ms = usage === undefined ? Math.max(SETTLED_MS, endOf(day) - clock()) : SETTLED_MS
            await reservations.reserve({ id, day, usd, limit: Number.MAX_SAFE_INTEGER, ms })
          }
          const paid = { price, output }
          return ok({
            output: paid.output,
            // A store that does not answer keeps the money set aside for a while: too much is safer than too little.
            settle: usage => void settle(usage).catch(() => undefined),
          })
        }
        const { left } = asked.value
        const shorter = longestReply(output, Math.min(least, tokens.reserved), each => costs(each) <= left)
        if (shorter === undefined) return err(fault('budget', tooMuch(costs(least), limit - left, limit)))
        output = shorter
      }
      return err(fault('budget', tooMuch(costs(least), limit, limit)))
    },
  }
}
