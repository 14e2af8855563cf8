/** Follows one session on many nodes: reads some frames on one, hangs up, and goes on with its cursor on another. */
import { setTimeout as pause } from 'node:timers/promises'
import { readFrames } from '../../gateway/http/frames.ts'
import { createHearing, type Hearing } from '../hearing.ts'
import { isTrouble } from './asking.ts'
import { createLatePlans } from './late-plans.ts'

export type Follower = {
  readonly hearing: Hearing
  /** How often a stream was answered by another node than the one before it. */
  readonly hops: () => number
  /** Resolves with the next frame, or after some time. */
  readonly changed: (ms: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export type FollowerOptions = {
  readonly pick: () => string
  readonly path: string
  readonly next: () => number
}

/** A node that says nothing for so long may be paused. */
const SILENT_MS = 2500
const MOST_FRAMES = 40
const AGAIN_MS = 40

export function startFollower({ pick, path, next }: FollowerOptions): Follower {
  const hearing = createHearing()
  const stopping = new AbortController()
  let hops = 0
  let answeredBy: string | undefined
  let change = Promise.withResolvers<void>()

  const listen = async (url: string): Promise<void> => {
    const leaving = new AbortController()
    const signal = AbortSignal.any([stopping.signal, leaving.signal])
    const headers = {
      accept: 'text/event-stream',
      ...(hearing.cursor() > 0 ? { 'last-event-id': String(hearing.cursor()) } : {}),
    }
    let silence = setTimeout(() => leaving.abort(), SILENT_MS)
    try {
      const response = await fetch(`${url}${path}/events`, { headers, signal })
      if (response.status !== 200) {
        const words = await response.text()
        if (!isTrouble(response.status)) hearing.faults.push(`GET ${path}/events: ${response.status} ${words}`)
        return
      }
      if (answeredBy !== undefined && answeredBy !== url) hops += 1
      answeredBy = url
      const stream = readFrames(response)
      const inPlace = createLatePlans()
      hearing.connect()
      for (let left = 1 + Math.floor(next() * MOST_FRAMES); left > 0 && !signal.aborted; left -= 1) {
        const frame = await stream.next()
        // A node whose database is away ends its streams with the reason.
        if (frame === undefined || (frame.event === 'fault' && frame.data.kind === 'store')) return
        clearTimeout(silence)
        silence = setTimeout(() => leaving.abort(), SILENT_MS)
        for (const each of inPlace(frame)) hearing.hear(each)
        change.resolve()
        change = Promise.withResolvers()
      }
    } catch (cause) {
      const isGone = cause instanceof TypeError || (cause instanceof DOMException && cause.name === 'AbortError')
      if (!isGone) hearing.faults.push(String(cause))
    } finally {
      clearTimeout(silence)
      leaving.abort()
    }
  }

  const following = (async () => {
    while (!stopping.signal.aborted) {
      await listen(pick())
      await pause(AGAIN_MS)
    }
  })()

  return {
    hearing,
    hops: () => hops,
    changed: ms => Promise.race([change.promise, pause(ms, undefined, { ref: false })]),
    stop: async () => {
      stopping.abort()
      await following
    },
  }
}
