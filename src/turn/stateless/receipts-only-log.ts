/** Wraps a log in memory, so that the main log keeps the receipts of its requests and nothing else. */
import type { EndedReply, Log, Receipts } from '../../log/ports.ts'
import type { Fact } from '../../model/event.ts'
import type { Receipt } from '../../model/receipt.ts'
import { withReport } from '../cost/reported-usage.ts'
import { within } from '../schedule/within.ts'

const PATIENCE_MS = 5000
const RETRY_MS = 250
const MOST_TRIES = 40

/**
 * Each receipt is written to the main log before its request is sent, and once more with what the reply used. No message goes
 * along. If the store does not answer, the request waits for it once, as long as for a message. Receipts that the store could
 * not take are tried again in the background.
 */
export function receiptsOnlyLog(aside: Log, house: Receipts, onBug: (cause: unknown) => void): Log {
  const asked = new Map<string, Receipt>()
  let written = Promise.resolve()
  let isAway = false

  /** Tries until the store takes the account, but only `MOST_TRIES` times. Calls `tried` after the first try. */
  const persist = async (account: () => ReturnType<Receipts['account']>, tried: () => void): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const kept = await account()
      isAway = !kept.ok && kept.fault.kind === 'store'
      tried()
      if (!isAway) return
      await new Promise(resolve => setTimeout(resolve, RETRY_MS).unref())
    }
  }

  const accountOf = (fact: Fact): (() => ReturnType<Receipts['account']>) | undefined => {
    if (fact.type === 'context.planned') {
      asked.set(placeOf(fact), fact.receipt)
      return () => house.account(fact.receipt)
    }
    const receipt = isReply(fact) ? asked.get(placeOf(fact)) : undefined
    if (!isReply(fact) || receipt === undefined) return undefined
    return () => house.account(withReport(receipt, fact.usage), { ...fact, parts: [] })
  }

  return {
    ...aside,
    append: async (id, facts, options) => {
      const appended = await aside.append(id, facts, options)
      const accounts = appended.ok && !appended.value.again ? facts.flatMap(fact => accountOf(fact) ?? []) : []
      if (accounts.length === 0) return appended
      // One after the other: the later account of a request takes the place of the earlier.
      for (const account of accounts) {
        const { promise: tried, resolve } = Promise.withResolvers<void>()
        written = written
          .then(() => persist(account, resolve))
          .catch(onBug)
          .finally(resolve)
        if (!isAway) await within(PATIENCE_MS, tried)
      }
      return appended
    },
  }
}

const isReply = (fact: Fact): fact is EndedReply => fact.type === 'reply.finished' || fact.type === 'reply.broken'

const placeOf = ({ turn, step }: { readonly turn: string; readonly step: number }): string => `${turn} ${step}`
