// Fetches from MCP servers by HTTP, within limits and without forbidden addresses.
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { ReadableStream } from 'node:stream/web'

/** The addresses that no request may go to. The rules belong to the providers' room, so the caller passes them in. */
export type Addresses = {
  readonly whyForbidden: (url: URL) => string | undefined
  readonly isLoopbackHost: (hostname: string) => boolean
  /** Resolves a host name and refuses forbidden addresses. */
  readonly lookup: LookupFunction
}

/** Sends requests as `fetch` does. Closing it closes all its connections. */
export type Fetcher = { readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>; readonly close: () => void }

/** The most bytes of a whole answer, or of one event if the answer is an event stream. */
const MOST_BYTES = 8 * 1024 * 1024
/** The error code for an answer with more bytes than that. */
export const TOO_LARGE = 'TOO_LARGE'
const WITHOUT_BODY = [204, 205, 304]

/** Follows no redirect, asks for no compression, and keeps no connection, so that a call never meets a dying one. */
export function createFetcher({ whyForbidden, lookup }: Addresses, mostBytes: number = MOST_BYTES): Fetcher {
  const agents = { plain: new PlainAgent({ keepAlive: false }), secure: new SecureAgent({ keepAlive: false }) }
  const fetch: Fetcher['fetch'] = async (target, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(target)
    const forbidden = whyForbidden(url)
    if (forbidden !== undefined) throw new Error(forbidden)
    if (body !== undefined && body !== null && typeof body !== 'string') throw new TypeError('only texts are sent')
    const options = {
      method,
      headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' },
      lookup,
      ...(signal ? { signal } : {}),
    }
    return new Promise((resolve, reject) => {
      const request =
        url.protocol === 'https:'
          ? secureRequest(url, { ...options, agent: agents.secure })
          : plainRequest(url, { ...options, agent: agents.plain })
      request.on('error', reject)
      request.once('response', response => {
        try {
          resolve(answerOf(response, mostBytes))
        } catch (cause) {
          request.destroy()
          reject(cause)
        }
      })
      request.end(body ?? undefined)
    })
  }
  return {
    fetch,
    close: () => {
      agents.plain.destroy()
      agents.secure.destroy()
    },
  }
}

function answerOf(response: IncomingMessage, mostBytes: number): Response {
  const { statusCode: status = 0, headers } = response
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers
  if (encoding !== 'identity') throw new Error(`it answers in an encoding that was not asked for (${encoding})`)
  // The reader of the body gets the error. Without a reader it must not become an uncaught one.
  response.on('error', () => undefined)
  const isEmpty = WITHOUT_BODY.includes(status)
  if (isEmpty) response.resume()
  const given = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  const isStream = /^text\/event-stream\b/i.test(type)
  // It is the same type, but Node and browsers declare it differently.
  const body = ReadableStream.from(bounded(response, isStream, mostBytes)) as unknown as BodyInit
  return new Response(isEmpty ? null : body, { status, headers: given })
}

/** A blank line, in each way to write one. */
const EVENT_ENDS = ['\n\n', '\r\n\r\n', '\r\r']

async function* bounded(response: IncomingMessage, isStream: boolean, mostBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let end = ''
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const seen = isStream ? end + chunk.toString('latin1') : ''
    const eventEnd = Math.max(...EVENT_ENDS.map(blank => seen.lastIndexOf(blank)))
    bytes = eventEnd < 0 ? bytes + chunk.length : seen.length - eventEnd
    end = seen.slice(-3)
    if (bytes > mostBytes) throw Object.assign(new Error('too large'), { code: TOO_LARGE })
    yield chunk
  }
}
