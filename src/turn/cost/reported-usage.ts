/** Finds the usage that a provider reported for a request, and adds it to the request's receipt. */
import type { Fact, Recorded } from '../../model/event.ts'
import type { TurnId } from '../../model/ids.ts'
import type { Usage } from '../../model/message/delta.ts'
import { isReply, type SpokenReply } from '../../model/message/spoken.ts'
import type { Receipt } from '../../model/receipt.ts'
import { isPlanned } from '../inspect/neighbours.ts'
import { truncationOf } from '../step/truncation.ts'

/** What the provider counted for a request, among the events of its turn; one that was sent again in its place has nothing. */
export const usageOf = (events: readonly Recorded[], asked: Asked): Usage | undefined => replyOf(events, asked)?.usage

/** How many words of the reply to a request came from beyond the window. */
export function beyondOf(events: readonly Recorded[], asked: Asked): Pick<Receipt, 'beyond'> {
  const reply = replyOf(events, asked)
  return reply?.type === 'reply.finished' && reply.beyond !== undefined ? { beyond: reply.beyond } : {}
}

type Asked = { readonly seq: number; readonly step: number }

function replyOf(events: readonly Recorded[], asked: Asked): SpokenReply | undefined {
  for (const event of events) {
    if (event.seq <= asked.seq || !('step' in event) || event.step !== asked.step) continue
    if (isPlanned(event)) return undefined
    if (isReply(event)) return event
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
