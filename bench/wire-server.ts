// node bench/wire-server.ts <deltas>, forked by wire.ts: a provider that has its whole reply ready and sends it as fast as the
// socket takes it. A path begins with how many frames go out in one write: /16/v1/messages.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as immediate } from 'node:timers/promises'
import { type FakeWire, framesOf } from '../src/testing/index.ts'

/** What a chat is answered with: one chunk of HTTP for each write. */
type Reply = { readonly contentType: string; readonly chunks: readonly Uint8Array[] }

const WIRE_AT: Readonly<Record<string, FakeWire>> = {
  '/v1/messages': 'anthropic',
  '/v1/chat/completions': 'openai',
  '/api/chat': 'ollama',
}
const TEXT = 'A small boat on a wide river. '
const LETTERS_PER_DELTA = 4

const deltas = Number(process.argv[2])
const replies = new Map<string, Reply>()
const server = createServer((request, response) => {
  answer(request, response).catch(cause => {
    console.error(cause)
    process.exit(1)
  })
})
// Connections wait for their next turn as long as it takes; a new one would be counted to whoever opens it.
server.keepAliveTimeout = 0
process.once('disconnect', () => process.exit())
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const _ of request);
  const { contentType, chunks } = replyAt(request.url ?? '')
  response.writeHead(200, { 'content-type': contentType })
  response.flushHeaders()
  await immediate()
  // Past the response, which would join what is written in one tick, and take longer for it than a client does.
  for (const chunk of chunks) if (!request.socket.write(chunk)) await once(request.socket, 'drain')
  response.end()
}

function replyAt(url: string): Reply {
  const known = replies.get(url)
  if (known !== undefined) return known
  const [, framesPerWrite, path = ''] = /^\/(\d+)(\/.*)$/.exec(url) ?? []
  const wire = WIRE_AT[path]
  if (wire === undefined) throw new Error(`nobody is at ${url}`)
  const frames = framesOf(wire, { says: [{ type: 'text', text: textOf() }], every: LETTERS_PER_DELTA })
  const reply = {
    contentType: wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream; charset=utf-8',
    chunks: inChunks(frames, Number(framesPerWrite)),
  }
  replies.set(url, reply)
  return reply
}

function textOf(): string {
  const letters = deltas * LETTERS_PER_DELTA
  return TEXT.repeat(Math.ceil(letters / TEXT.length)).slice(0, letters)
}

function inChunks(frames: readonly string[], framesPerWrite: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(frames.length / framesPerWrite) }, (_, index) => {
    const text = frames.slice(index * framesPerWrite, (index + 1) * framesPerWrite).join('')
    return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
  })
}
