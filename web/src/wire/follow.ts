// Follows an event stream and reconnects when it breaks.
import { doubledWait } from '../../../src/model/back-off.ts'
import { createFrameReader } from './frames.ts'
import { type ApiProblem, readProblem } from './problem.ts'
import { type PageSignal, parseSignal } from './signal.ts'

/** Adds the token, if there is one, to a request; it is never in an address. */
export type ApiFetch = (path: string, init?: RequestInit) => Promise<Response>

/** The state of a follower: `lost` tries again by itself, `refused` waits until a person acts. */
export type ConnectionState =
  | { readonly state: 'connecting' | 'live' | 'lost' }
  | { readonly state: 'refused'; readonly problem: ApiProblem }

export type FollowRequest = {
  readonly session: string
  /** The last seq already heard. */
  readonly after: number
  readonly onSignals: (signals: readonly PageSignal[]) => void
  readonly onLink: (link: ConnectionState) => void
}

export type Following = {
  readonly stop: () => void
  /** Tries at once instead of waiting: the network is back, or the person looks at the page. */
  readonly hurry: () => void
}

/** The gateway sends a comment every 15 s; three missed ones mean that the connection is dead, even without an error. */
const SILENCE_MS = 45_000
const FIRST_PAUSE_MS = 400
const LONGEST_PAUSE_MS = 10_000

/** Reads a session's signals for as long as it is wanted, and goes on after every cut where it was. */
export function followStream(call: ApiFetch, path: string, request: FollowRequest): Following {
  const stopped = new AbortController()
  let wake: () => void = () => {}
  let failures = 0
  let cursor = request.after

  const run = async (): Promise<void> => {
    // No callback runs before the call itself has returned.
    await null
    while (!stopped.signal.aborted) {
      request.onLink({ state: failures === 0 ? 'connecting' : 'lost' })
      const refused = await listen()
      if (stopped.signal.aborted) return
      if (refused !== null) return request.onLink({ state: 'refused', problem: refused })
      failures += 1
      request.onLink({ state: 'lost' })
      await pause(doubledWait(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, failures - 1) * (0.75 + Math.random() / 2))
    }
  }

  /** One connection, until it ends; the problem is given only where trying again would not help. */
  const listen = async (): Promise<ApiProblem | null> => {
    const connection = new AbortController()
    const signal = AbortSignal.any([stopped.signal, connection.signal])
    let silence = setTimeout(() => connection.abort(), SILENCE_MS)
    try {
      const headers = { accept: 'text/event-stream', 'last-event-id': String(cursor) }
      const response = await call(path, { headers, signal })
      if (!response.ok) return isPassing(response.status) ? null : await readProblem(response)
      if (response.body === null) return null
      request.onLink({ state: 'live' })
      const frames = createFrameReader()
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return null
        failures = 0
        clearTimeout(silence)
        silence = setTimeout(() => connection.abort(), SILENCE_MS)
        const now = Date.now()
        const signals = frames.read(value).flatMap(frame => parseSignal(frame, now) ?? [])
        cursor = signals.reduce(moved, cursor)
        if (signals.length > 0) request.onSignals(signals)
      }
    } catch {
      return null
    } finally {
      clearTimeout(silence)
      connection.abort()
    }
  }

  const pause = (ms: number): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  // `run` handles its own trouble; what is left would be a bug and must not vanish.
  run().catch(reportError)
  return {
    stop: () => {
      stopped.abort()
      wake()
    },
    hurry: () => wake(),
  }
}

const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

function moved(cursor: number, signal: PageSignal): number {
  if (signal.type === 'reset') return 0
  if (signal.type === 'event') return signal.event.seq
  return signal.type === 'unknown' ? signal.seq : cursor
}
