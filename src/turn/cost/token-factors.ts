/** Learns, for each model, by how much its token count differs from ours. */
import type { TokenFactors } from '../../log/ports.ts'
import type { Factors } from '../services.ts'

/** A report moves the factor by this part of the difference: quick to learn, hard to upset. */
const PACE = 0.3
const LEAST = 0.25
const MOST = 4
/** Below this many tokens a report says more about its overhead than about its text. */
const WORTH_LEARNING = 200
/** Smaller changes are not worth a write. */
const WORTH_KEEPING = 0.005

/** Factors as the log has kept them, and as they are learned. */
export function createFactors(log: TokenFactors): Factors {
  const known = new Map<string, number>()
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    let isRead = false
    try {
      const kept = await log.factors()
      isRead = kept.ok
      if (kept.ok) for (const [model, factor] of kept.value) if (!known.has(model)) known.set(model, factor)
    } finally {
      // A store that does not answer is asked again next time.
      if (!isRead) reading = undefined
    }
  }
  return {
    of: async model => {
      reading ??= read()
      await reading
      return known.get(model) ?? 1
    },
    learn: ({ model, tokens }, { input, cacheRead, cacheWrite }) => {
      const reported = input + cacheRead + cacheWrite
      // What a provider counts for a file says nothing about how it counts words.
      if (reported < WORTH_LEARNING || tokens.estimated === 0 || tokens.files !== undefined) return
      const now = known.get(model) ?? 1
      const seen = (reported / tokens.estimated) * tokens.factor
      const next = Math.min(MOST, Math.max(LEAST, now + (seen - now) * PACE))
      if (Math.abs(next - now) < WORTH_KEEPING) return
      const rounded = Math.round(next * 1000) / 1000
      known.set(model, rounded)
      // If the store is away, the factor is not saved, but the turn goes on.
      log.learn(model, rounded).catch(() => undefined)
    },
  }
}
