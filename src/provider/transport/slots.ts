/** Limits how many requests run at one time; sessions that wait take turns. */

/** Places for so many at one time; when all are taken, those who wait take turns. */
export type Slots = {
  /** Gives the way to leave again, or nothing if the wait was broken off. `whose` says who wants the place. */
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
      // The place passes from hand to hand, so that a later one cannot slip in between.
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
  /** Takes out the waiter whose turn it is. */
  readonly next: () => Waiter | undefined
}

/** A line for each, in the order in which its waiters came; one after the other the lines have their turn. */
function createLines(): Lines {
  // No line is empty, and the first is the next to have its turn.
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
      // Behind everybody else who waits.
      if (line.size > 0) lines.set(whose, line)
      return waiter
    },
  }
}
