/** Sends one request over a kept connection and gives the answer as it arrives, with a time limit on every phase. */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { Timeouts } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { guardedLookup, whyForbidden } from './addresses.ts'
import { type RequestTrouble, trouble } from './trouble.ts'

/** How long a connection is kept for the next request: shorter than the time after which proxies drop it. */
const KEPT_MS = 30_000
/** How much may follow the last word of an answer, and for how long. */
const END_MS = 1000
const MOST_BYTES_AT_END = 64 * 1024

/** A server's answer. Its bytes come as they arrive. */
export type HttpAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: AsyncIterable<Uint8Array>
}

export type OutgoingRequest = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly timeouts: Timeouts
  readonly signal: AbortSignal
}

/** Sends requests to one provider, and keeps connections for the next ones. */
export type Sender = {
  readonly post: (sending: OutgoingRequest) => Promise<Result<HttpAnswer, RequestTrouble>>
  readonly close: () => void
}

/** Thrown in the middle of an answer, with the trouble to report. */
export class Broken extends Error {
  readonly trouble: RequestTrouble
  constructor(cause: RequestTrouble) {
    super(cause.fault.message)
    this.trouble = cause
  }
}

/** `name` is the provider's name in messages for people. */
export function createSender(name: string): Sender {
  const agents = {
    plain: new PlainAgent({ keepAlive: true, timeout: KEPT_MS }),
    secure: new SecureAgent({ keepAlive: true, timeout: KEPT_MS }),
  }
  const post = async (sending: OutgoingRequest): Promise<Result<HttpAnswer, RequestTrouble>> => {
    const forbidden = whyForbidden(sending.url)
    if (forbidden !== undefined) return err(trouble('rejected', `${name}: ${forbidden}`))
    let answer = await exchange(name, sending, agents)
    // The other side may have closed a kept connection meanwhile. That says nothing about the provider, so we try again.
    while (answer === 'stale') answer = await exchange(name, sending, agents)
    return answer
  }
  return {
    post,
    close: () => {
      agents.plain.destroy()
      agents.secure.destroy()
    },
  }
}

type Agents = { readonly plain: PlainAgent; readonly secure: SecureAgent }

/** Sends one request, and waits for the head of its answer. */
function exchange(name: string, sending: OutgoingRequest, agents: Agents): Promise<Result<HttpAnswer, RequestTrouble> | 'stale'> {
  const { url, headers, body, timeouts, signal } = sending
  const isSecure = url.protocol === 'https:'
  return new Promise(resolve => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': `${body.byteLength}` },
      lookup: guardedLookup,
      signal,
    }
    const request = isSecure
      ? secureRequest(url, { ...options, agent: agents.secure })
      : plainRequest(url, { ...options, agent: agents.plain })
    const phase = timedPhases(name, request, timeouts)
    request.once('socket', socket => {
      if (!socket.connecting) phase.connected()
      else socket.once(isSecure ? 'secureConnect' : 'connect', phase.connected)
    })
    request.once('response', response => {
      resolve(answerOf(name, request, response, phase))
    })
    request.on('error', cause => {
      phase.over()
      const late = phase.expired()
      if (late !== undefined) resolve(err(late))
      else if (request.reusedSocket && isReset(cause) && !signal.aborted) resolve('stale')
      else resolve(err(connectionTrouble(name, cause)))
    })
    request.end(body)
  })
}

type Phases = {
  readonly connected: () => void
  readonly over: () => void
  /** The timeout that ran out, if one did. */
  readonly expired: () => RequestTrouble | undefined
  readonly idle: () => void
}

/** Runs one timer at a time: for the connection, for the first byte, and between bytes. */
function timedPhases(name: string, request: ClientRequest, { connectMs, firstByteMs, idleMs }: Timeouts): Phases {
  let expired: RequestTrouble | undefined
  let timer: NodeJS.Timeout
  const start = (ms: number, what: string, again: boolean): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      expired = trouble('timeout', `${name} ${what} within ${ms / 1000} s`, again)
      request.destroy()
    }, ms)
  }
  start(connectMs, 'could not be reached', true)
  return {
    // Runs until the first byte of the body, because a server may send headers at once and still have to think.
    connected: () => start(firstByteMs, 'sent nothing', false),
    idle: () => start(idleMs, 'sent nothing more', false),
    over: () => clearTimeout(timer),
    expired: () => expired,
  }
}

function answerOf(
  name: string,
  request: ClientRequest,
  response: IncomingMessage,
  phase: Phases,
): Result<HttpAnswer, RequestTrouble> {
  const { statusCode: status = 0, headers } = response
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    phase.over()
    request.destroy()
    return err(trouble('garbled', `${name} answered in an encoding that was not asked for (${encoding})`))
  }
  let reset: Error | undefined
  request.on('error', cause => {
    reset = cause
  })
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of response.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        phase.idle()
        // An HTTP chunk may be a single word. Chunks that are already here are read together with it.
        const waiting = response.readableLength
        yield waiting === 0 ? chunk : Buffer.concat([chunk, response.read(waiting)])
      }
    } catch {
      throw new Broken(phase.expired() ?? cutTrouble(name, reset))
    } finally {
      phase.over()
      if (!response.destroyed) letGo(request, response)
    }
  }
  return ok({ status, headers, bytes: bytes() })
}

/** After the last word an answer should end in a moment, and its connection is kept. An answer that goes on is cut. */
function letGo(request: ClientRequest, response: IncomingMessage): void {
  const cut = (): void => {
    request.destroy()
  }
  const timer = setTimeout(cut, END_MS).unref()
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength
    if (bytes > MOST_BYTES_AT_END) cut()
  })
  response.on('error', () => {})
  response.once('close', () => clearTimeout(timer))
  response.resume()
}

/** A reset connection is the network's fault. A connection that simply ended is a reply without an end. */
function cutTrouble(name: string, reset: Error | undefined): RequestTrouble {
  if (reset !== undefined && isReset(reset)) return connectionTrouble(name, reset)
  return trouble('garbled', `${name} ended its reply in the middle`, true)
}

const isReset = (cause: Error): boolean => ['ECONNRESET', 'EPIPE'].includes((cause as NodeJS.ErrnoException).code ?? '')

function connectionTrouble(name: string, cause: Error): RequestTrouble {
  const { code = cause.message } = cause as NodeJS.ErrnoException
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)
  const what = isCertificate
    ? `showed a certificate that cannot be trusted (${code})`
    : `${words ?? 'could not be reached'} (${code})`
  return trouble('unreachable', `${name} ${what}`, true)
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection; is it running?',
  ECONNRESET: 'reset the connection',
  EPIPE: 'closed the connection',
  ENOTFOUND: 'has an unknown address',
  EAI_AGAIN: 'could not be looked up; is there a network?',
}
