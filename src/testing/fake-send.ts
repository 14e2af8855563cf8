/** Writes a fake answer to its connection: in pieces, with pauses, cut or stalled. */
import type { ServerResponse } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { FakeAnswer } from './fake-answer.ts'
import { fakePieces, limitOf } from './fake-bytes.ts'
import { type Script, scriptFault } from './fake-script.ts'

/** Sends an answer in the way the script wants, and ends early if the connection does. */
export async function send(response: ServerResponse, answer: FakeAnswer, script: Script): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  // After every error of the connection `close` follows.
  response.on('error', () => {})
  try {
    await sendAll(response, answer, script, gone.signal)
  } catch (bug) {
    // Once the client has left, every wait ends with an error.
    if (!gone.signal.aborted) throw bug
  }
}

async function sendAll(response: ServerResponse, answer: FakeAnswer, script: Script, signal: AbortSignal): Promise<void> {
  const delay = scriptFault(script, 'delayHeaders')
  if (delay !== undefined) await setTimeout(delay.ms, undefined, { signal })
  const bomb = scriptFault(script, 'gzipBomb')
  // White space around JSON is as harmless as pings between frames.
  if (bomb !== undefined) return sendBomb(response, answer, gzipBomb(answer.ping ?? ' ', bomb.bytes), signal)

  // The head goes out at once, as from a service that has begun to think.
  response.writeHead(answer.code, answer.headers).flushHeaders()
  const limit = limitOf(answer, script)
  const gapMs = scriptFault(script, 'chunks')?.gapMs ?? 0
  const pingMs = scriptFault(script, 'pingEvery')?.ms
  const life = pingMs === undefined || answer.ping === undefined ? undefined : { ping: answer.ping, everyMs: pingMs }
  for (const { bytes, rests } of fakePieces(answer, script, limit)) {
    await write(response, bytes, signal)
    await silence(gapMs, rests ? life : undefined)
  }
  switch (limit.finally) {
    case 'end':
      response.end()
      return
    case 'rst':
      response.socket?.resetAndDestroy()
      return
    case 'fin':
      response.socket?.destroySoon()
      return
    case 'stall':
      return silence(Number.POSITIVE_INFINITY, life)
    case 'hang':
      return silence(Number.POSITIVE_INFINITY, undefined)
  }

  async function silence(ms: number, alive: { readonly ping: string; readonly everyMs: number } | undefined): Promise<void> {
    // Lets other work go on even if the kernel takes all bytes at once, and makes each piece a packet of its own.
    if (ms === 0) return setImmediate(undefined, { signal })
    let left = ms
    while (alive !== undefined && left > alive.everyMs) {
      await setTimeout(alive.everyMs, undefined, { signal })
      await write(response, Buffer.from(alive.ping), signal)
      left -= alive.everyMs
    }
    return left === Number.POSITIVE_INFINITY ? forever(signal) : setTimeout(left, undefined, { signal })
  }
}

async function sendBomb(
  response: ServerResponse,
  answer: FakeAnswer,
  bomb: Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const { 'content-length': _, ...headers } = answer.headers
  response.writeHead(answer.code, { ...headers, 'content-encoding': 'gzip' })
  for (const member of bomb) {
    await write(response, member, signal)
    await setImmediate(undefined, { signal })
  }
  response.end()
}

/** Resolves when the kernel has the bytes, so it waits for a slow reader. */
const write = (response: ServerResponse, bytes: Uint8Array, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    response.write(bytes, error => {
      if (error) return
      signal.removeEventListener('abort', stop)
      resolve()
    })
  })

const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const MEMBER_BYTES = 1024 * 1024
const GIBIBYTE = 1024 ** 3

/** Endless pings in very little gzip: one small member repeated, so that it costs nothing to make. */
function* gzipBomb(ping: string, bytes: number = GIBIBYTE): Generator<Uint8Array> {
  const pings = Math.ceil(Math.min(bytes, MEMBER_BYTES) / Buffer.byteLength(ping))
  const member = gzipSync(ping.repeat(pings), { level: 9 })
  const memberBytes = pings * Buffer.byteLength(ping)
  for (let sent = 0; sent < bytes; sent += memberBytes) yield member
}
