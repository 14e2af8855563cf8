/** Makes all requests to a provider wait when it has asked for fewer of them. */
import { pause } from './pause.ts'
import { createSlots } from './slots.ts'

/** What all who speak to one provider know together: whether it asked for fewer requests. */
export type Hold = {
  /** Asks at once; while held, alone and not before it is time. `waitOf` says of an answer for how long it holds everybody. */
  readonly ask: <Value>(
    once: () => Promise<Value>,
    waitOf: (value: Value) => number | undefined,
    signal: AbortSignal,
  ) => Promise<Value>
}

/** Those who are held go one by one in the order in which they came: one answer frees them all. */
const EVERYBODY = ''

export function createHold(): Hold {
  const probes = createSlots(1)
  let heldUntil: number | undefined
  const untilItIsTime = async (signal: AbortSignal): Promise<void> => {
    while (heldUntil !== undefined && heldUntil > performance.now() && !signal.aborted)
      await pause(heldUntil - performance.now(), signal)
  }
  return {
    ask: async (once, waitOf, signal) => {
      const leave = heldUntil === undefined ? undefined : await probes.enter(signal, EVERYBODY)
      const isProbe = leave !== undefined && heldUntil !== undefined
      // The one before was answered: the others need not go one by one.
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
