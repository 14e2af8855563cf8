// Replays sets of traces through every window, at every limit.
import { count as countTokens, type Measure } from '../../src/context/text/tokens.ts'
import type { Conversation } from '../conversations.ts'
import { addSums, isFeasible, measureTrace, measureWhole, noSums, type TraceSums } from './measure-trace.ts'
import { type TraceRow, traceRow } from './report.ts'
import { requestsOf } from './requests.ts'
import { type TraceSet, WITHOUT_SYSTEM } from './sources.ts'
import { type TraceWindow, wholeHistory } from './windows.ts'

/** Counts are remembered until there are this many characters of them. */
const MOST_REMEMBERED = 60_000_000

/** Counts every text once; nothing here looks at hashes. */
export function rememberingMeasure(): Measure {
  const counts = new Map<string, number>()
  let characters = 0
  const count = (text: string): number => {
    const known = counts.get(text)
    if (known !== undefined) return known
    const tokens = countTokens(text)
    characters += text.length
    if (characters > MOST_REMEMBERED) {
      counts.clear()
      characters = text.length
    }
    counts.set(text, tokens)
    return tokens
  }
  return { count, hash: () => '' }
}

/** The rows of one set: for every limit the full history, then every window. */
export async function rowsOfSet(
  { name, conversations, limits }: TraceSet,
  windows: readonly TraceWindow[],
  measure: Measure,
): Promise<readonly TraceRow[]> {
  const whole = new Map<number, Map<boolean, TraceSums>>()
  const sums = new Map<number, Map<TraceWindow, TraceSums>>()
  for (const conversation of conversations) {
    for (const own of [conversation, withoutSystem(conversation)]) {
      const ownLimits = limits.filter(limit => (limit === WITHOUT_SYSTEM) === (own !== conversation))
      if (ownLimits.length === 0) continue
      const requests = requestsOf(own, measure.count)
      const wholeBill = await measureWhole(wholeHistory, own, requests, measure)
      for (const limit of ownLimits) {
        for (const isTranscript of [false, true]) {
          const bill = wholeBill(request => isFeasible(request, { isTranscript }, limit))
          addTo(entry(whole, limit), isTranscript, bill)
        }
        for (const window of windows) {
          addTo(entry(sums, limit), window, await measureTrace(window, own, requests, limit, measure))
        }
      }
    }
  }
  return limits.flatMap(limit => {
    const base = (isTranscript: boolean): TraceSums => whole.get(limit)?.get(isTranscript) ?? noSums()
    const of = (window: TraceWindow): TraceSums => sums.get(limit)?.get(window) ?? noSums()
    return [
      traceRow({ set: name, limit, window: wholeHistory }, base(false), base(false)),
      ...windows.map(window => traceRow({ set: name, limit, window }, of(window), base(window.isTranscript))),
    ]
  })
}

const withoutSystem = (conversation: Conversation): Conversation => ({ ...conversation, system: '' })

function entry<Key>(map: Map<number, Map<Key, TraceSums>>, limit: number): Map<Key, TraceSums> {
  const known = map.get(limit) ?? new Map<Key, TraceSums>()
  map.set(limit, known)
  return known
}

function addTo<Key>(map: Map<Key, TraceSums>, key: Key, more: TraceSums): void {
  const known = map.get(key) ?? noSums()
  addSums(known, more)
  map.set(key, known)
}
