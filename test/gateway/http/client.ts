import assert from 'node:assert/strict'
import { type FrameReader, readFrames } from './frames.ts'

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is for its test to say
export type Json = any

export type Asked = {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Someone who talks to a gateway as a program would. */
export type Client = {
  /** Text is sent as it is, anything else as JSON. */
  readonly ask: (method: string, path: string, asked?: Asked) => Promise<Response>
  /** The answer's JSON; its status must be the one given. */
  readonly json: (status: number, method: string, path: string, asked?: Asked) => Promise<Json>
  /** The problem that a request gives, checked for its form. */
  readonly problem: (status: number, fault: string, method: string, path: string, asked?: Asked) => Promise<Json>
  /** The path of a new session. */
  readonly open: (wish?: object) => Promise<string>
  readonly events: (session: string) => Promise<Json[]>
  readonly follow: (session: string, headers?: Record<string, string>, signal?: AbortSignal) => Promise<FrameReader>
  /** Says something and reads all that it causes. */
  readonly say: (session: string, text: string, headers?: Record<string, string>) => Promise<FrameReader>
  /** Waits until so many streams are open, by what the gateway itself says. */
  readonly untilStreams: (count: number) => Promise<void>
  /** Says something and waits until it is answered. */
  readonly talk: (session: string, ...texts: readonly string[]) => Promise<void>
}

const STREAM = { accept: 'text/event-stream' }

export function clientOf(url: string, token?: string): Client {
  const always = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const ask: Client['ask'] = (method, path, { body, headers = {}, signal } = {}) =>
    fetch(url + path, {
      method,
      headers: { ...always, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  const json: Client['json'] = async (status, method, path, asked) => {
    const response = await ask(method, path, asked)
    const text = await response.text()
    assert.equal(response.status, status, `${method} ${path}: ${text}`)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    return JSON.parse(text)
  }
  const say: Client['say'] = async (session, text, headers = {}) =>
    readFrames(await ask('POST', `${session}/messages`, { body: { text }, headers: { ...STREAM, ...headers } }))
  return {
    ask,
    json,
    problem: async (status, fault, method, path, asked) => {
      const response = await ask(method, path, asked)
      const text = await response.text()
      assert.equal(response.status, status, `${method} ${path}: ${text}`)
      return checkedProblem(response.headers.get('content-type') ?? '', text, { status, fault })
    },
    open: async (wish = {}) => `/api/sessions/${(await json(201, 'POST', '/api/sessions', { body: wish })).id}`,
    events: async session => {
      const items: Json[] = []
      for (let after: number | null = 0; after !== null; ) {
        const page = await json(200, 'GET', `${session}/events?limit=5000&after=${after}`)
        items.push(...page.items)
        after = page.next
      }
      return items
    },
    follow: async (session, headers = {}, signal) =>
      readFrames(
        await ask('GET', `${session}/events`, {
          headers: { ...STREAM, ...headers },
          ...(signal === undefined ? {} : { signal }),
        }),
      ),
    say,
    untilStreams: async count => {
      for (let printed = ''; !printed.includes(`\nturnwise_streams ${count}\n`); )
        printed = await (await ask('GET', '/metrics')).text()
    },
    talk: async (session, ...texts) => {
      for (const text of texts) await (await say(session, text)).rest()
    },
  }
}

/** RFC 9457, with the fault's kind beside it and nothing else. */
export function checkedProblem(type: string, text: string, expected: { readonly status: number; readonly fault: string }): Json {
  assert.equal(type, 'application/problem+json')
  const problem = JSON.parse(text)
  assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'detail', 'fault'])
  assert.equal(problem.type, `urn:turnwise:fault:${expected.fault}`)
  assert.deepEqual({ status: problem.status, fault: problem.fault }, expected)
  assert.ok(problem.title.length > 0 && problem.detail.length > 0)
  return problem
}
