/** Finds the usage that a provider reported for a request, and adds it to the request's receipt. */
import type { Fact, Recorded } from '../../model/event.ts'
import type { TurnId } from '../../model/ids.ts'
import type { Usage } from '../../model/message/delta.ts'
import { isReply } from '../../model/message/spoken.ts'
import type { Receipt } from '../../model/receipt.ts'
import { isPlanned } from '../inspect/neighbours.ts'
import { truncationOf } from '../step/truncation.ts'

/** What the provider counted for a request, among the events of its turn; one that was sent again in its place has nothing. */
export function usageOf(events: readonly Recorded[], asked: { readonly seq: number; readonly step: number }): Usage | undefined {
  for (const event of events) {
    if (event.seq <= asked.seq || !('step' in event) || event.step !== asked.step) continue
    if (isPlanned(event)) return undefined
    if (isReply(event)) return event.usage
  }
  return undefined
}

/** A receipt with what the provider counted, once it has. */
export function withReport(receipt: Receipt, usage: Usage | undefined): Receipt {
  if (usage === undefined) return receipt
  const truncated = truncationOf(receipt, usage)
  return {
    ...receipt,
    tokens: { ...receipt.tokens, reported: usage.input + usage.cacheRead + usage.cacheWrite, cached: usage.cacheRead },
    ...(truncated === undefined ? {} : { truncated }),
  }
}

/**
 * How many tokens a turn has used so far: what its model read anew and what it wrote. Where the provider reported nothing, the
 * estimate of the request stands in.
 */
export function tokensUsed(facts: readonly (Recorded | Fact)[], turn: TurnId): number {
  const estimated = new Map<number, number>()
  let tokens = 0
  for (const fact of facts) {
    if (!('turn' in fact) || fact.turn !== turn) continue
    if (fact.type === 'context.planned') estimated.set(fact.step, fact.receipt.tokens.estimated)
    if (fact.type !== 'reply.finished' && fact.type !== 'reply.broken') continue
    const { usage } = fact
    tokens += usage === undefined ? (estimated.get(fact.step) ?? 0) : usage.input + usage.cacheWrite + usage.output
  }
  return tokens
}
