/** Room for so many at one time; others wait in the order in which they came. */
export type Slots = {
  /** Gives the way to leave again, or nothing if the wait was broken off. */
  readonly enter: (signal: AbortSignal) => Promise<(() => void) | undefined>
}

export function createSlots(most: number): Slots {
  const waiting: (() => void)[] = []
  let taken = 0
  const leaveOnce = (): (() => void) => {
    let left = false
    return () => {
      if (left) return
      left = true
      const next = waiting.shift()
      // The place passes from hand to hand, so that nobody who comes later slips in between.
      if (next === undefined) taken -= 1
      else next()
    }
  }
  return {
    enter: async signal => {
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
          waiting.splice(waiting.indexOf(admitted), 1)
          resolve(undefined)
        }
        waiting.push(admitted)
        signal.addEventListener('abort', gone, { once: true })
      })
    },
  }
}
