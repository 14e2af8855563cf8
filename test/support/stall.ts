/** How long the thread of a test, and of the gateway that runs in it, works on one thing and on nothing else. */
import { setImmediate } from 'node:timers/promises'

/** More than any text may take: nobody notices less. */
export const MOST_STALL_MS = 100

const BEAT_MS = 5

/**
 * The longest stall in milliseconds, the best of a few tries. What counts is the time that this thread worked from one beat to
 * the next: a machine that does something else meanwhile is no slow text.
 */
export async function longestStall(work: () => Promise<unknown>, tries = 3): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < tries && best >= MOST_STALL_MS; tried += 1) {
    let longest = 0
    let before = workedMs()
    let beats = 0
    const beat = (): void => {
      const now = workedMs()
      longest = Math.max(longest, now - before)
      before = now
      beats += 1
    }
    const timer = setInterval(beat, BEAT_MS)
    // A stall lies between two beats: there must be one before it, and one behind it.
    const another = async (): Promise<void> => {
      for (const known = beats; beats === known; ) await setImmediate()
    }
    await another()
    longest = 0
    await work()
    await another()
    clearInterval(timer)
    best = Math.min(best, longest)
  }
  return best
}

function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
