import { request } from 'node:http'
import { connect } from 'node:net'
import type { Fake, FakeWire } from '../../../src/testing/index.ts'

/** Where each service takes chats, below its base URL. */
export const PATHS: Readonly<Record<FakeWire, string>> = {
  anthropic: '/v1/messages',
  openai: '/chat/completions',
  ollama: '/api/chat',
}

export type Ask = {
  readonly wire: FakeWire
  readonly model?: string
  readonly stream?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer as it arrives, byte by byte, to a client that adds nothing of its own. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The body so far, in the pieces it was sent in. */
  readonly chunks: readonly Buffer[]
  readonly bytes: () => Buffer
  /** Done when so many bytes have come. */
  readonly atLeast: (bytes: number) => Promise<void>
  /** `end` when the body ended as HTTP says it should, else the error's code. */
  readonly ended: Promise<string>
  readonly hangUp: () => void
}

const bodyOf = ({ model = 'fake', stream = true }: Ask): string =>
  JSON.stringify({
    model,
    stream,
    max_tokens: 100,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'Weather in Oslo?' }],
  })

/** Done when the head of the answer is there. */
export function ask(fake: Fake, asked: Ask): Promise<Answer> {
  const body = bodyOf(asked)
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...asked.headers }
    const sent = request(`${fake.url}${PATHS[asked.wire]}`, { method: 'POST', agent: false, headers }, response => {
      const chunks: Buffer[] = []
      let waiting: { readonly bytes: number; readonly resolve: () => void }[] = []
      const size = (): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      const ended = new Promise<string>(end => {
        response.on('end', () => end('end'))
        response.on('error', error => end((error as NodeJS.ErrnoException).code ?? error.message))
      })
      response.on('data', chunk => {
        chunks.push(chunk)
        const reached = size()
        for (const waiter of waiting) if (waiter.bytes <= reached) waiter.resolve()
        waiting = waiting.filter(waiter => waiter.bytes > reached)
      })
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        chunks,
        bytes: () => Buffer.concat(chunks),
        atLeast: bytes => (size() >= bytes ? Promise.resolve() : new Promise(done => waiting.push({ bytes, resolve: done }))),
        ended,
        hangUp: () => sent.destroy(),
      })
    })
    // After the head every error is the response's; before it, there is none.
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The whole body of an answer that ends as it should. */
export async function bodyOfAnswer(fake: Fake, asked: Ask): Promise<string> {
  const answer = await ask(fake, asked)
  const ended = await answer.ended
  if (ended !== 'end') throw new Error(`the body ended with ${ended}`)
  return answer.bytes().toString()
}

/** How TCP itself sees a connection end, which HTTP clients do not tell: `fin`, or the error's code. */
export function connectionEnd(fake: Fake, asked: Ask): Promise<string> {
  const { hostname, port, pathname } = new URL(`${fake.url}${PATHS[asked.wire]}`)
  const body = bodyOf(asked)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })
    socket.resume()
    socket.on('end', () => resolve('fin'))
    socket.on('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message))
  })
}
