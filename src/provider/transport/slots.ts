/** Limits how many requests run at one time; sessions that wait take turns. */

/** A limited number of places. When all are taken, waiting sessions take turns. */
export type Slots = {
  /** Resolves with a function that leaves the place, or undefined if the wait was aborted. `whose` is the session that waits. */
  readonly enter: (signal: AbortSignal, whose: string) => Promise<(() => void) | undefined>
}

export function createSlots(most: number): Slots {
  const waiting = createLines()
  let taken = 0
  const leaveOnce = (): (() => void) => {
    let left = false
    return () => {
      if (left) return
      left = true
      const next = waiting.next()
      // The place passes directly to the next waiter, so that a newcomer cannot slip in between.
      if (next === undefined) taken -= 1
      else next()
    }
  }
  return {
    enter: async (signal, whose) => {
      if (signal.aborted) return undefined
      if (taken < most) {
        taken += 1
        return leaveOnce()
      }
      return new Promise(resolve => {
        const admitted = (): void => {
          signal.removeEventListener('abort', gone)
          resolve(leaveOnce())
        }
        const gone = (): void => {
          waiting.leave(whose, admitted)
          resolve(undefined)
        }
        waiting.join(whose, admitted)
        signal.addEventListener('abort', gone, { once: true })
      })
    },
  }
}

type Waiter = () => void

type Lines = {
  readonly join: (whose: string, waiter: Waiter) => void
  readonly leave: (whose: string, waiter: Waiter) => void
  /** Takes out the waiter that is next. */
  readonly next: () => Waiter | undefined
}

/** One line for each session, in the order in which its waiters came. The lines take turns. */
function createLines(): Lines {
  // No line is empty, and the first line is the next one to have its turn.
  const lines = new Map<string, Set<Waiter>>()
  return {
    join: (whose, waiter) => {
      lines.set(whose, (lines.get(whose) ?? new Set()).add(waiter))
    },
    leave: (whose, waiter) => {
      const line = lines.get(whose)
      line?.delete(waiter)
      if (line?.size === 0) lines.delete(whose)
    },
    next: () => {
      const [[whose, line] = ['', new Set<Waiter>()]] = lines
      const [waiter] = line
      if (waiter === undefined) return undefined
      line.delete(waiter)
      lines.delete(whose)
      // The line goes behind all other lines.
      if (line.size > 0) lines.set(whose, line)
      return waiter
    },
  }
}
