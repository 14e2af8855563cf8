/** Makes all requests to a provider wait when it has asked for fewer of them. */
import { abortablePause } from './pause.ts'
import { createSlots } from './slots.ts'

/** Shared by all requests to one provider: whether it asked for fewer requests. */
export type Hold = {
  /**
   * Asks at once. While held, it asks alone and not before the wait is over. `waitOf` says how long an answer holds all
   * requests.
   */
  readonly ask: <Value>(
    once: () => Promise<Value>,
    waitOf: (value: Value) => number | undefined,
    signal: AbortSignal,
  ) => Promise<Value>
}

/** Held requests go one by one in the order in which they came. One good answer frees them all. */
const EVERYBODY = ''

export function createHold(): Hold {
  const probes = createSlots(1)
  let heldUntil: number | undefined
  const untilItIsTime = async (signal: AbortSignal): Promise<void> => {
    while (heldUntil !== undefined && heldUntil > performance.now() && !signal.aborted)
      await abortablePause(heldUntil - performance.now(), signal)
  }
  return {
    ask: async (once, waitOf, signal) => {
      const leave = heldUntil === undefined ? undefined : await probes.enter(signal, EVERYBODY)
      const isProbe = leave !== undefined && heldUntil !== undefined
      // The request before was answered, so the others need not go one by one.
      if (!isProbe) leave?.()
      try {
        if (isProbe) await untilItIsTime(signal)
        const value = await once()
        const waitMs = waitOf(value)
        if (waitMs !== undefined) heldUntil = Math.max(heldUntil ?? 0, performance.now() + waitMs)
        else if (isProbe && !signal.aborted) heldUntil = undefined
        return value
      } finally {
        leave?.()
      }
    },
  }
}
