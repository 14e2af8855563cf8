/** How long the thread of a test, and of the gateway that runs in it, is kept from everything else while something is done. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

/** More than any text may take: nobody notices less. */
export const MOST_STALL_MS = 100

/** The longest stall in milliseconds, the best of a few tries: a machine that does something else for a moment is no slow text. */
export async function longestStall(work: () => Promise<unknown>, tries = 3): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < tries && best >= MOST_STALL_MS; tried += 1) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    // A stall is the time between two beats: there must be one before it, and one behind it.
    await beat(delay)
    await work()
    await beat(delay)
    delay.disable()
    best = Math.min(best, delay.max / 1e6)
  }
  return best
}

async function beat(delay: ReturnType<typeof monitorEventLoopDelay>): Promise<void> {
  for (const { count } = delay; delay.count === count; ) await setImmediate()
}
