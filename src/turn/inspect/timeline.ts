/** Lists the requests of a session in numbers, oldest first. */
import { droppedSince } from '../../context/receipt/cache-lint.ts'
import type { EventLog, Planned } from '../../log/ports.ts'
import type { Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { CacheLint, Receipt } from '../../model/receipt.ts'
import { ok, type Result } from '../../model/result.ts'
import type { VoiceId } from '../../model/voice.ts'
import { usageOf, withReport } from '../cost/reported-usage.ts'
import { isPlanned, requestBefore } from './neighbours.ts'

/** One request of a session, in numbers. */
export type Moment = Pick<Receipt, 'voice' | 'model' | 'policy' | 'degraded' | 'ladder'> & {
  readonly seq: number
  readonly at: string
  readonly turn: TurnId
  readonly step: number
  readonly estimated: number
  /** What the provider counted, how much of that came from its cache, and the price. Null if the provider reported nothing. */
  readonly reported: number | null
  readonly cached: number | null
  readonly costUsd: number | null
  readonly limit: number
  /** The seq with which the window begins. */
  readonly begins: number | null
  /** Messages that were in this voice's request before and are behind its window now. */
  readonly dropped: number
  readonly stableShare: number | null
  readonly brokenBy: CacheLint['brokenBy']
  readonly truncated: NonNullable<Receipt['truncated']> | null
}

export type Timeline = { readonly items: readonly Moment[]; readonly next: number | null }

export type TimelineRange = { readonly after?: number; readonly limit: number }

/** The requests of a session after a seq, oldest first. */
export async function timelineOf(
  log: EventLog,
  id: SessionId,
  { after = 0, limit }: TimelineRange,
): Promise<Result<Timeline, Fault>> {
  const page = await log.read(id, { only: 'context.planned', after, limit })
  if (!page.ok) return page
  const planned = page.value.filter(isPlanned)
  const turns = await turnsOf(log, id, planned)
  if (!turns.ok) return turns
  /** The last request of each voice so far. */
  const before = new Map<VoiceId, Planned | undefined>()
  const items: Moment[] = []
  for (const asked of planned) {
    const { voice } = asked.receipt
    if (!before.has(voice)) {
      const earlier = await requestBefore(log, id, voice, asked.seq)
      if (!earlier.ok) return earlier
      before.set(voice, earlier.value)
    }
    items.push(momentOf(asked, before.get(voice), turns.value.get(asked.turn) ?? []))
    before.set(voice, asked)
  }
  return ok({ items, next: page.value.length === limit ? (page.value.at(-1)?.seq ?? null) : null })
}

async function turnsOf(
  log: EventLog,
  id: SessionId,
  planned: readonly Planned[],
): Promise<Result<ReadonlyMap<TurnId, readonly Recorded[]>, Fault>> {
  const turns = [...new Set(planned.map(({ turn }) => turn))]
  const read = await Promise.all(turns.map(turn => log.read(id, { turn })))
  const found = new Map<TurnId, readonly Recorded[]>()
  for (const [index, events] of read.entries()) {
    if (!events.ok) return events
    found.set(turns[index] as TurnId, events.value)
  }
  return ok(found)
}

function momentOf(asked: Planned, before: Planned | undefined, events: readonly Recorded[]): Moment {
  const { seq, at, turn, step } = asked
  const usage = usageOf(events, asked)
  const { voice, model, policy, tokens, window, degraded, ladder, cache, truncated } = withReport(asked.receipt, usage)
  return {
    ...{ seq, at, turn, step, voice, model, policy },
    estimated: tokens.estimated,
    reported: tokens.reported,
    cached: tokens.cached,
    costUsd: usage?.costUsd ?? null,
    limit: tokens.limit,
    begins: window.begins,
    dropped: droppedSince(before?.receipt, asked.receipt),
    stableShare: cache?.stableShare ?? null,
    brokenBy: cache?.brokenBy ?? null,
    degraded,
    ladder,
    truncated: truncated ?? null,
  }
}
