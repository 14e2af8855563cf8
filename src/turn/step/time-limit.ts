/**
 * How long a turn waits for its store before a request, in all. Time counts once, however many reads are waited for side by
 * side, and only while one is: what else has to be done meanwhile takes nothing of it.
 */
export type TimeLimit = {
  /** What a read gives, or `late` when the time is up; `most` is the part of all the time that this one may take. */
  readonly wait: <Value>(read: Promise<Value>, late: () => Value, most?: number) => Promise<Value>
}

export function createTimeLimit(ms: number, now: () => number = () => performance.now()): TimeLimit {
  let left = ms
  let waiting = 0
  let since = 0
  return {
    wait: async (read, late, most = 1) => {
      if (waiting === 0) since = now()
      waiting += 1
      const remaining = Math.min(left - (now() - since), ms * most)
      const { promise, resolve } = Promise.withResolvers<Awaited<typeof read>>()
      const timer = setTimeout(() => resolve(late() as Awaited<typeof read>), Math.max(0, remaining))
      try {
        return await Promise.race([read, promise])
      } finally {
        clearTimeout(timer)
        waiting -= 1
        if (waiting === 0) left -= now() - since
      }
    },
  }
}
