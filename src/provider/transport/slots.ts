/** Limits how many requests run at one time; sessions that wait take turns, and background work gives way to them. */

/** A limited number of places. When all are taken, waiting sessions take turns. */
export type Slots = {
  /**
   * Resolves with a function that leaves the place, or undefined if the wait was aborted. `whose` is the session that waits. With
   * `giveWay` it is background work: it waits until a place is free beside one more, or the only one is, and `giveWay` is called as
   * soon as someone else waits for its place.
   */
  readonly enter: (signal: AbortSignal, whose: string, giveWay?: () => void) => Promise<(() => void) | undefined>
}

export function createSlots(most: number): Slots {
  const waiting = createLines()
  /** Background work with a place that was not asked to give way yet, and background work that waits for one. */
  const yielding = new Set<() => void>()
  const patient = new Set<Waiter>()
  let taken = 0
  const hasRoomToSpare = (): boolean => taken < Math.max(1, most - 1)

  const leaveOnce = (giveWay?: () => void): (() => void) => {
    let left = false
    return () => {
      if (left) return
      left = true
      if (giveWay !== undefined) yielding.delete(giveWay)
      const next = waiting.next()
      // The place passes directly to the next waiter, so that a newcomer cannot slip in between.
      if (next !== undefined) return next()
      taken -= 1
      admitPatient()
    }
  }

  const admitPatient = (): void => {
    for (const admitted of patient) {
      if (!hasRoomToSpare()) return
      patient.delete(admitted)
      taken += 1
      admitted()
    }
  }

  /** A place that someone waits for: the background work that came last gives up its own. */
  const askToGiveWay = (): void => {
    const giveWay = [...yielding].at(-1)
    if (giveWay === undefined) return
    yielding.delete(giveWay)
    giveWay()
  }

  const inBackground = (signal: AbortSignal, asked: () => void): Promise<(() => void) | undefined> => {
    // The same function may be given twice, and each place is one of its own.
    const giveWay = (): void => asked()
    const place = (): (() => void) => {
      yielding.add(giveWay)
      return leaveOnce(giveWay)
    }
    if (hasRoomToSpare()) {
      taken += 1
      return Promise.resolve(place())
    }
    return new Promise(resolve => {
      const admitted = (): void => {
        signal.removeEventListener('abort', gone)
        resolve(place())
      }
      const gone = (): void => {
        patient.delete(admitted)
        resolve(undefined)
      }
      patient.add(admitted)
      signal.addEventListener('abort', gone, { once: true })
    })
  }

  return {
    enter: async (signal, whose, giveWay) => {
      if (signal.aborted) return undefined
      if (giveWay !== undefined) return inBackground(signal, giveWay)
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
        askToGiveWay()
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
