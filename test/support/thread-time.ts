/** How long the thread of a test, and of the gateway that runs in it, works: what else the machine does meanwhile does not count. */
import { setTimeout as pause, setImmediate } from 'node:timers/promises'

/** How many milliseconds this thread has worked so far. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** How many milliseconds of work something takes that is done at once. */
export function workOf(work: () => unknown): number {
  const began = workedMs()
  work()
  return workedMs() - began
}

/**
 * More than any text may take. Nobody notices 100 ms, and a machine may be two and a half times slower than the one where that
 * holds; what takes the square of its length takes seconds. Exact times belong in bench/.
 */
export const MOST_STALL_MS = 250

/** How often something is tried at most until it is quick. */
export const STALL_TRIES = 6

const PAUSE_MS = 200
const BEAT_MS = 5

/** The shortest time of a few tries, up to the first that is quick: a machine may be slow for a while. */
export async function shortest(measure: () => number | Promise<number>): Promise<number> {
  let best = await measure()
  for (let tried = 1; tried < STALL_TRIES && best >= MOST_STALL_MS; tried += 1) {
    await pause(PAUSE_MS)
    best = Math.min(best, await measure())
  }
  return best
}

/**
 * The longest stall in milliseconds, the best of a few tries. What counts is the time that this thread worked from one beat to
 * the next: a machine that does something else meanwhile is no slow text.
 */
export const longestStall = (work: () => Promise<unknown>): Promise<number> =>
  shortest(async () => {
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
    return longest
  })
