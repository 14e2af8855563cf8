/** Fills the recall index of a list of events, in memory, as the engine would fill it from a log. */
import { CONVERSATION } from '../../../../src/log/page-size.ts'
import type { RecallStore } from '../../../../src/log/ports.ts'
import type { FactType, Recorded } from '../../../../src/model/event.ts'
import type { RecallFound } from '../../../../src/model/recall.ts'
import { ok } from '../../../../src/model/result.ts'
import { layeredIndex } from '../../../../src/turn/inspect/layered-index.ts'
import { type EventSource, fillIndex, type LoadedVectors } from '../../../../src/turn/recall/fill/fill-index.ts'
import { lookUp, type RecallQuery } from '../../../../src/turn/recall/look-up/look-up.ts'
import { must } from '../../../log/facts.ts'
import { SESSION } from './random-log.ts'

/** Events as a log gives them to the index: no receipts, marks or damaged rows. */
export function sourceOf(events: readonly Recorded[]): EventSource {
  const spoken = events.filter(({ type }) => CONVERSATION.includes(type as FactType))
  return {
    events: async (_, { after, through, limit }) => ok(spoken.filter(({ seq }) => seq > after && seq <= through).slice(0, limit)),
    eventsOfTurn: async (_, turn, through) =>
      ok(spoken.filter(event => 'turn' in event && event.turn === turn && event.seq <= through)),
    head: async () => ok(events.length),
  }
}

export type Filling = {
  readonly rows?: RecallStore
  /** How many events at a time; asked before each time. */
  readonly limit?: () => number
  readonly through?: number
  readonly vectors?: LoadedVectors
}

/** The index of all events, or of those up to a seq. */
export async function indexOf(events: readonly Recorded[], filling: Filling = {}): Promise<RecallStore> {
  const { rows = layeredIndex(), limit = () => 1_000_000, through = events.length, vectors } = filling
  const source = sourceOf(events)
  for (;;) {
    const filled = must(await fillIndex(rows, source, SESSION, { vectors, limit: limit(), through }))
    if (filled.isDone || filled.indexedThrough >= through) return rows
  }
}

export const questionOf = (text: string, given: Partial<RecallQuery> = {}): RecallQuery => ({
  ...{ text, at: '2024-06-10T12:00:00.000Z', through: Number.MAX_SAFE_INTEGER, voice: 'assistant', view: 'all', excluded: [] },
  names: { assistant: 'Assistant', ada: 'Ada', bo: 'Bo' },
  ...given,
})

export const look = async (rows: RecallStore, query: RecallQuery, vectors?: LoadedVectors): Promise<RecallFound> =>
  must(await lookUp(rows, SESSION, query, vectors))
