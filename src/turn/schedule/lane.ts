/** Lets one piece of work at a time through for each key; different keys never wait for each other. */
export type Lanes = {
  /** Takes a free lane at once, or gives nothing; whoever takes it must `run` or `release` it. */
  readonly claim: (key: string) => Claim | undefined
  /** Asks for work to be looked for: now if the lane is free, else when the work under way is done. */
  readonly wake: (key: string, work: Work) => void
  /** When everything under way has ended, and nobody holds a lane for what is about to begin. */
  readonly idle: () => Promise<void>
}

/** Something to do in a lane; what it gives back is done when the lane is free again. */
export type Work = () => Promise<(() => void) | undefined>

/** A lane that was taken: the first use of it counts, so whoever is not sure may release it once more. */
export type Claim = { readonly run: (work: Work) => void; readonly release: () => void }

/** A bug in a lane's work, or in what is done when the lane is free again, is handed to `onBug` and never stops the lane. */
export function createLanes(onBug: (cause: unknown) => void): Lanes {
  const busy = new Map<string, { next: Work | undefined }>()
  const waiting = new Set<() => void>()

  const release = (key: string): void => {
    const next = busy.get(key)?.next
    busy.delete(key)
    if (next !== undefined) lanes.wake(key, next)
    if (busy.size > 0) return
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  const start = (key: string, work: Work): void => {
    work()
      .catch(cause => void onBug(cause))
      .then(afterwards => {
        release(key)
        afterwards?.()
      })
      .catch(onBug)
  }

  const lanes: Lanes = {
    claim: key => {
      if (busy.has(key)) return undefined
      busy.set(key, { next: undefined })
      let isHeld = true
      const once =
        <Given extends unknown[]>(use: (...given: Given) => void) =>
        (...given: Given): void => {
          if (isHeld) use(...given)
          isHeld = false
        }
      return { run: once(work => start(key, work)), release: once(() => release(key)) }
    },
    wake: (key, work) => {
      const lane = busy.get(key)
      if (lane !== undefined) lane.next = work
      else lanes.claim(key)?.run(work)
    },
    idle: () =>
      busy.size === 0
        ? Promise.resolve()
        : new Promise(resolve => {
            waiting.add(resolve)
          }),
  }
  return lanes
}
