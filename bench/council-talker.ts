import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { framesOf } from '../src/testing/index.ts'

const TOKENS = 10_000
/** Ten thousand tokens in a second: several times as fast as any service speaks. */
const TOKENS_PER_WRITE = 100
const WRITE_EVERY_MS = 10
/** Each with the blank behind it is a token, and a delta. */
const WORDS = ['boat', 'mast', 'sail', 'rope', 'wind', 'tide', 'crew', 'port']
const LETTERS_PER_DELTA = 5

/** A provider that answers everybody with ten thousand tokens, which it has ready; gives its base URL. */
export async function startTalker(): Promise<string> {
  const chunks = chunksOf(textOf(TOKENS))
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    await speak(response, chunks)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function speak(response: ServerResponse, chunks: readonly string[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  const started = performance.now()
  for (const [index, chunk] of chunks.entries()) {
    await pause(Math.max(0, started + index * WRITE_EVERY_MS - performance.now()))
    response.write(chunk)
  }
  response.end()
}

const textOf = (tokens: number): string =>
  Array.from({ length: tokens }, (_, index) => `${WORDS[index % WORDS.length]} `).join('')

function chunksOf(text: string): readonly string[] {
  const frames = framesOf('openai', { says: [{ type: 'text', text }], every: LETTERS_PER_DELTA, usage: { input: 0 } })
  return Array.from({ length: Math.ceil(frames.length / TOKENS_PER_WRITE) }, (_, index) =>
    frames.slice(index * TOKENS_PER_WRITE, (index + 1) * TOKENS_PER_WRITE).join(''),
  )
}
