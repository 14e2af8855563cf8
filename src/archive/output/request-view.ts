// One request of a turn, in short.
import type { Event } from '../../model/event.ts'
import type { Usage } from '../../model/message/delta.ts'

/** A request in short: how much went in, by which policy, and what stayed out. */
export type ExportedRequest = {
  readonly step: number
  readonly model: string
  readonly policy: string
  readonly estimated: number
  readonly degraded: string | null
  readonly out: readonly { readonly reason: string; readonly count: number }[]
  readonly usage?: Usage
}

export function exportedRequest({ step, receipt }: Extract<Event, { type: 'context.planned' }>): ExportedRequest {
  const { model, policy, tokens, degraded, out } = receipt
  const counts = new Map<string, number>()
  for (const { reason, count } of out) counts.set(reason, (counts.get(reason) ?? 0) + count)
  return {
    ...{ step, model, policy, estimated: tokens.estimated, degraded: degraded?.reason ?? null },
    out: [...counts].map(([reason, count]) => ({ reason, count })),
  }
}

/** Adds what the provider counted to the last request of a step. */
export function withUsage(requests: readonly ExportedRequest[], step: number, usage: Usage | undefined): ExportedRequest[] {
  const index = usage === undefined ? -1 : requests.findLastIndex(request => request.step === step)
  return requests.map((request, at) => (at === index && usage !== undefined ? { ...request, usage } : request))
}
