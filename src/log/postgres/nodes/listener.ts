/** A connection of its own that hears notifications, and comes back after every break. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { doubledWait } from '../../../model/back-off.ts'
import { connectionSettings } from '../connection.ts'

export type Listener = {
  readonly start: () => void
  readonly stop: () => Promise<void>
  /** Whether notifications arrive now. */
  readonly isHearing: () => boolean
}

export type ListenerOptions = {
  /** A query for the names of the channels. */
  readonly channels: string
  /** Sends a payload to one of these channels on another connection; false if that was not possible. */
  readonly echo: (payload: string) => Promise<boolean>
  readonly onPayload: (payload: string) => void
  /** Notifications may have been lost until now. */
  readonly onGap: () => void
  /** How often the connection is checked. One that died without a word is noticed within two of these. */
  readonly checkMs?: number
  /** How long a notification may take. */
  readonly echoMs?: number
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5000
const CHECK_MS = 5000
const ECHO_MS = 2000

export function createListener(
  url: string,
  { channels, echo, onPayload, onGap, checkMs = CHECK_MS, echoMs = ECHO_MS }: ListenerOptions,
): Listener {
  let running: { readonly abort: AbortController; readonly over: Promise<void> } | undefined
  let isHearing = false

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      const client = new pg.Client(connectionSettings(url))
      const broken = breakOf(client, signal)
      client.on('notification', ({ payload = '' }) => onPayload(payload))
      try {
        await client.connect()
        const found = await client.query<{ name: string }>(channels)
        for (const { name } of found.rows) await client.query(`listen ${pg.escapeIdentifier(name)}`)
        failures = 0
        await check(client, broken)
      } catch {
        failures += 1
      }
      isHearing = false
      await Promise.race([client.end().catch(() => undefined), waitFor(CHECK_MS, signal)])
      if (!signal.aborted) await waitFor(doubledWait(FIRST_WAIT_MS, LONGEST_WAIT_MS, failures) * (0.5 + Math.random()), signal)
    }
  }

  /**
   * Asks now and then whether notifications arrive, until the connection is broken: a pooler in between may take every LISTEN and
   * deliver nothing. A connection that gives no sign of life either is broken.
   */
  const check = async (client: pg.Client, broken: AbortSignal): Promise<void> => {
    while (!broken.aborted) {
      const hears = await hearsEcho(client, broken)
      if (broken.aborted) return
      const isNew = hears === true && !isHearing
      isHearing = hears ?? isHearing
      if (isNew) onGap()
      if (hears !== true) await unless(broken, client.query('select 1'))
      await waitFor(checkMs, broken)
    }
  }

  /** Whether a notification that this node sends comes back; undefined if it could not be sent. */
  const hearsEcho = async (client: pg.Client, broken: AbortSignal): Promise<boolean | undefined> => {
    const word = `echo_${randomBytes(8).toString('hex')}`
    const over = new AbortController()
    let [isSent, isHeard] = [false, false]
    const listen = ({ payload }: pg.Notification): void => {
      if (payload !== word) return
      isHeard = true
      over.abort()
    }
    client.on('notification', listen)
    echo(word).then(done => {
      isSent = done
      if (!done) over.abort()
    })
    await unless(broken, waitFor(echoMs, over.signal))
    client.off('notification', listen)
    return isHeard || isSent ? isHeard : undefined
  }

  return {
    start: () => {
      if (running !== undefined) return
      const abort = new AbortController()
      running = { abort, over: run(abort.signal) }
    },
    stop: async () => {
      const ending = running
      running = undefined
      ending?.abort.abort()
      await ending?.over
    },
    isHearing: () => isHearing,
  }
}

/** Aborts when a connection has ended, or is not wanted any more. */
function breakOf(client: pg.Client, signal: AbortSignal): AbortSignal {
  const broken = new AbortController()
  const breaks = (): void => broken.abort()
  client.once('end', breaks)
  client.on('error', breaks)
  return AbortSignal.any([broken.signal, signal])
}

/** What a promise gives; undefined if the signal comes first. */
async function unless<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value | undefined> {
  const over = new AbortController()
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort', { signal: over.signal })
  try {
    return await Promise.race([work, stopped.then(() => undefined)])
  } finally {
    stopped.catch(() => undefined)
    over.abort()
  }
}

const waitFor = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
