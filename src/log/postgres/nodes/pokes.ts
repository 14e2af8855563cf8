/** Pokes by NOTIFY: sent some milliseconds after the commit, many in one statement, and heard on a connection of their own. */

import { createHash } from 'node:crypto'
import type { SessionId } from '../../../model/ids.ts'
import type { Pokes } from '../../node-ports.ts'
import { readAddress } from '../connection.ts'
import type { Database } from '../database.ts'
import { createListener } from './listener.ts'

export type PostgresPokes = Pokes & { readonly close: () => Promise<void> }

const BATCH_MS = 10
/** A fixed number, so that a node listens to all of them with a few statements, however many sessions there are. */
const CHANNELS = 16
/** The database allows less than 8000 bytes. */
const LONGEST_PAYLOAD = 7800

/** Stores in two schemas of one database do not hear each other. */
const PREFIX = `'turnwise_' || left(md5(current_schema()), 8) || '_'`

export function postgresPokes(db: Database, url: string): PostgresPokes {
  // A pooler gives each transaction another connection, so that nothing can be heard.
  const { isPooled } = readAddress(url)
  let waiting = new Map<SessionId, number>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()
  const listeners = new Set<Parameters<Pokes['listen']>>()

  const flush = async (): Promise<void> => {
    const batch = waiting
    waiting = new Map()
    if (batch.size === 0) return
    const notes = payloads(batch)
    // A poke may be lost, so it is not tried again when the database is away.
    await db
      .query(`select pg_notify(${PREFIX} || channel, payload) from unnest($1::text[], $2::text[]) as note (channel, payload)`, [
        notes.map(({ channel }) => String(channel)),
        notes.map(({ payload }) => payload),
      ])
      .catch(() => undefined)
  }
  const listener = createListener(url, {
    channels: `select ${PREFIX} || channel as name from generate_series(0, ${CHANNELS - 1}) as channel`,
    // One word alone is no poke: nodes pass over the echoes of others. The pool has other connections than the one that listens.
    echo: word =>
      db.query(`select pg_notify(${PREFIX} || '0', $1)`, [word]).then(
        () => true,
        () => false,
      ),
    onPayload: payload => {
      for (const [session, head] of readPayload(payload)) for (const [onPoke] of listeners) onPoke(session, head)
    },
    onGap: () => {
      for (const [, onGap] of listeners) onGap()
    },
  })
  return {
    send: (session, head) => {
      waiting.set(session, Math.max(head, waiting.get(session) ?? 0))
      timer ??= setTimeout(() => {
        timer = undefined
        sending = sending.then(flush)
      }, BATCH_MS).unref()
    },
    listen: (onPoke, onGap) => {
      const own: Parameters<Pokes['listen']> = [onPoke, onGap]
      listeners.add(own)
      if (!isPooled) listener.start()
      return {
        stop: async () => {
          listeners.delete(own)
          if (listeners.size === 0) await listener.stop()
        },
      }
    },
    arrive: () => listener.isHearing(),
    close: async () => {
      clearTimeout(timer)
      await sending
      await flush()
      listeners.clear()
      await listener.stop()
    },
  }
}

/** Sessions and their heads as texts, each for its channel and none too long. */
function payloads(batch: ReadonlyMap<SessionId, number>): readonly { readonly channel: number; readonly payload: string }[] {
  const notes: { readonly channel: number; payload: string }[] = []
  for (const [session, head] of batch) {
    const channel = (createHash('sha1').update(session).digest()[0] ?? 0) % CHANNELS
    const pair = `${session} ${head}`
    const open = notes.findLast(note => note.channel === channel)
    if (open === undefined || open.payload.length + pair.length >= LONGEST_PAYLOAD) notes.push({ channel, payload: pair })
    else open.payload += ` ${pair}`
  }
  return notes
}

function readPayload(payload: string): readonly (readonly [SessionId, number])[] {
  const words = payload.split(' ')
  return Array.from({ length: words.length >> 1 }, (_, index) => [words[2 * index] as SessionId, Number(words[2 * index + 1])])
}
