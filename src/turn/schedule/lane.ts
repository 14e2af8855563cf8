/** Lanes: one piece of work at a time for each key; different keys never wait for each other. */
export type Lanes = {
  /** Takes a free lane at once, or gives nothing; the taker must `run` or `release` it. */
  readonly claim: (key: string) => Claim | undefined
  /** Runs work in a lane: now if the lane is free, else when the work under way has left it. */
  readonly wake: (key: string, work: Work) => void
  /** When no lane is taken any more. */
  readonly idle: () => Promise<void>
}

/** Something to do in a lane. It may leave the lane early; else the lane is free when it is done. */
export type Work = (lane: Lane) => Promise<void>

/** A lane, for the work that runs in it; leaving it twice does nothing. */
export type Lane = { readonly leave: () => void }

/** A lane that was taken: only the first use of the claim counts. */
export type Claim = { readonly run: (work: Work) => void; readonly release: () => void }

/** `onBug` gets what a lane's work throws; the lane is free all the same. */
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
    const leave = once(() => release(key))
    work({ leave }).catch(onBug).finally(leave).catch(onBug)
  }

  const lanes: Lanes = {
    claim: key => {
      if (busy.has(key)) return undefined
      busy.set(key, { next: undefined })
      const use = once((work?: Work) => (work === undefined ? release(key) : start(key, work)))
      return { run: use, release: () => use() }
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

function once<Given extends unknown[]>(work: (...given: Given) => void): (...given: Given) => void {
  let isDone = false
  return (...given) => {
    if (isDone) return
    isDone = true
    work(...given)
  }
}
