/** Sends one request, settles its reserved money, and learns from the reported usage. */
import type { Event } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { Notice, Usage } from '../../model/message/delta.ts'
import type { Receipt } from '../../model/receipt.ts'
import { ok, type Result } from '../../model/result.ts'
import { costOf } from '../../provider/catalog/price.ts'
import type { Reservation } from '../cost/daily-budget.ts'
import type { Model, Services } from '../services.ts'
import type { Prepared } from './prepare-request.ts'
import type { EndedDraft } from './reply-builder.ts'
import type { Running } from './run.ts'
import { streamReply } from './stream-reply.ts'
import { truncationOf, truncationWords } from './truncation.ts'

/** A request that was sent: its receipt as it was written, and what came back. */
export type Sent = { readonly planned: readonly Event[]; readonly draft: EndedDraft }

/** A request that may be sent: money is set aside for it. Followers get the notice when it goes out. */
export type RequestToSend = {
  readonly prepared: Pick<Prepared, 'encoded' | 'receipt' | 'texts'>
  readonly reservation: Reservation
  readonly notices: readonly Notice[]
  /** What a reply that was cut off had said, which must not be said again. */
  readonly saidBefore: string
}

/**
 * Sends a request: writes its receipt, then listens to the answer. The money that was set aside for it is always settled, even
 * after a bug.
 */
export async function sendRequest(
  services: Services,
  running: Running,
  step: number,
  { prepared: { encoded, receipt, texts }, reservation, notices, saidBefore }: RequestToSend,
  signal: AbortSignal,
): Promise<Result<Sent, Fault>> {
  const { session, turn, model, ledger } = running
  /** What the request has used by now; nothing before it is sent, and unknown until its answer says so. */
  let used: Usage | undefined = NOTHING_USED
  try {
    const planned = await ledger.write([{ type: 'context.planned', turn, step, receipt }], { texts })
    if (!planned.ok) return planned
    services.observe({ type: 'planned', session: session.id, messages: ledger.standing().messages, receipt })
    services.feed.began(session.id, turn, planned.value.at(-1)?.seq ?? 0)
    for (const notice of notices) services.feed.notice(session.id, notice)
    used = undefined
    const draft = priced(await streamReply(services, running, step, encoded, saidBefore, signal), model)
    used = draft.usage
    return ok({ planned: planned.value, draft })
  } finally {
    reservation.settle(used)
  }
}

export const NOTHING_USED: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** A provider that says what it charged is believed; else what it counted has its price, if that is known. */
function priced(draft: EndedDraft, { facts: { price } }: Model): EndedDraft {
  const { usage } = draft
  if (usage === undefined || usage.costUsd !== undefined || price === undefined) return draft
  return { ...draft, usage: { ...usage, costUsd: costOf(usage, price) } }
}

/** Learns from what a provider counted: how its model counts, or that the model did not see everything. */
export function learnFrom(services: Services, { session, model }: Running, receipt: Receipt, usage: Usage): void {
  services.observe({ type: 'used', usage })
  const truncation = truncationOf(receipt, usage)
  if (truncation === undefined) {
    services.factors.learn(receipt, usage)
    return
  }
  services.observe({ type: 'truncated' })
  // This notice belongs to no turn, so that it can be read when the turn is over.
  services.feed.notice(session.id, { kind: 'truncated', message: truncationWords(truncation, model.name, model.window) })
}
