// Whatever goes wrong is said in OpenAI's shape, with the status by which its clients choose their errors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai'
import type { Delta } from '../../../src/model/message/delta.ts'
import { says, scriptedProvider } from '../../../src/testing/index.ts'
import { askWith } from '../http/ask.ts'
import { clientAt, doorWithFake, FAKE, heard, openDoor } from './door.ts'

const HELLO = { model: 'demo', messages: [{ role: 'user' as const, content: 'Hello' }] }

type Kind = typeof APIError<number | undefined, Headers | undefined, object | undefined>
type Failure = { readonly is: unknown; readonly status: number; readonly code: string | null; readonly param?: string | null }

async function fails(work: Promise<unknown>, { is, status, code, param }: Failure): Promise<APIError> {
  const cause = await work.then(
    () => assert.fail('it was answered'),
    (failed: unknown) => failed,
  )
  assert.ok(cause instanceof APIError, String(cause))
  assert.ok(cause instanceof (is as Kind), `${cause.constructor.name}: ${cause.message}`)
  assert.deepEqual({ status: cause.status, code: cause.code }, { status, code })
  if (param !== undefined) assert.equal(cause.param, param)
  const error = cause.error as Record<string, unknown>
  assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'])
  assert.doesNotMatch(String(error.message), /\bat .*\.ts:\d/)
  return cause
}

test('what was asked for and would not happen is refused by its name', async t => {
  const { openai } = await openDoor(t)
  const refused = (more: object, param: string): Promise<APIError> =>
    fails(openai.chat.completions.create({ ...HELLO, ...more }), { is: BadRequestError, status: 400, code: null, param })
  const user = (content: unknown): object => ({ messages: [{ role: 'user', content }] })
  const image = (url: string): object => user([{ type: 'image_url', image_url: { url } }])
  await refused({ n: 2 }, 'n')
  await refused({ logprobs: true }, 'logprobs')
  await refused({ stop: Array.from({ length: 5 }, () => 'x') }, 'stop')
  await refused({ temperature: 2.5 }, 'temperature')
  await refused({ top_p: -1 }, 'top_p')
  await refused({ seed: 1.5 }, 'seed')
  await refused({ reasoning_effort: 'enormous' }, 'reasoning_effort')
  await refused({ response_format: { type: 'json_object' } }, 'response_format')
  await refused({ modalities: ['text', 'audio'] }, 'modalities')
  await refused({ tool_choice: 'required', tools: [{ type: 'function', function: { name: 'a' } }] }, 'tool_choice')
  await refused({ tools: [{ type: 'custom', custom: { name: 'a' } }] }, 'tools.0.type')
  await refused({ tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools.0.function.name')
  await refused({ max_tokens: 0 }, 'max_tokens')
  await refused({ messages: [] }, 'messages')
  await refused({ messages: Array.from({ length: 2049 }, () => HELLO.messages[0]) }, 'messages')
  await refused({ messages: [{ role: 'system', content: 'Be kind' }] }, 'messages')
  await refused({ messages: [...HELLO.messages, { role: 'assistant', content: 'Hi' }] }, 'messages')
  await refused({ messages: [{ role: 'robot', content: 'Hi' }] }, 'messages.0.role')
  await refused(user('  '), 'messages.0.content')
  await refused(user([{ type: 'input_audio', input_audio: {} }]), 'messages.0.content.0')
  await refused(user([{ type: 'file', file: {} }]), 'messages.0.content.0')
  const { message } = await refused(image('https://example.com/a.png'), 'messages.0.content.0.image_url.url')
  assert.match(message, /nothing is fetched from elsewhere/)
  await refused(image('data:image/png,abc'), 'messages.0.content.0.image_url.url')
  // What changes nothing that was promised is accepted.
  const answer = await openai.chat.completions.create({
    ...HELLO,
    ...{ n: 1, stop: [], logprobs: false, response_format: { type: 'text' }, temperature: 2, frequency_penalty: 1 },
    ...{ store: false, service_tier: 'auto', tool_choice: 'auto', unheard_of: { deep: [1] } },
  })
  assert.equal(answer.choices[0]?.finish_reason, 'stop')
})

test('an unknown model, an unknown address and a body that is none', async t => {
  const { openai, port } = await openDoor(t)
  const unknown = { is: NotFoundError, status: 404, code: 'model_not_found', param: 'model' }
  for (const model of ['nobody', 'council:nobody', 'nowhere/model', 'compatible/nobody/x'])
    await fails(openai.chat.completions.create({ ...HELLO, model }), unknown)
  await fails(openai.models.retrieve('nobody/at all'), unknown)
  await fails(openai.get('/nothing'), { is: NotFoundError, status: 404, code: null })

  const headers = { host: `127.0.0.1:${port}`, 'content-type': 'application/json' }
  const raw = await askWith(port, 'POST', '/v1/chat/completions', { headers, body: '{"model": ' })
  assert.equal(raw.status, 400)
  assert.equal(raw.headers.get('content-type'), 'application/json')
  assert.match(JSON.parse(raw.body).error.message, /^the body is not JSON/)
  const plain = { ...headers, 'content-type': 'text/plain' }
  assert.equal((await askWith(port, 'POST', '/v1/chat/completions', { headers: plain, body: '{}' })).status, 415)
  const content = 'x'.repeat(1 << 20)
  const large = openai.chat.completions.create({ ...HELLO, messages: [{ role: 'user', content }] })
  await fails(large, { is: APIError, status: 413, code: 'request_too_large' })
})

test('whoever has no token, or comes from elsewhere, reads that in the same shape', async t => {
  const token = 'tw_0123456789abcdefghij'
  const { url, port } = await openDoor(t, { settings: { token } })
  const missing = { is: AuthenticationError, status: 401, code: 'invalid_api_key' }
  await fails(clientAt(url, 'tw_wrong').chat.completions.create(HELLO), missing)
  assert.equal((await clientAt(url, token).chat.completions.create(HELLO)).choices.length, 1)
  const foreign = new OpenAI({
    ...{ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 },
    defaultHeaders: { origin: 'http://elsewhere.test' },
  })
  await fails(foreign.models.list().then(), { is: PermissionDeniedError, status: 403, code: 'invalid_api_key' })
  const other = await askWith(port, 'GET', '/v1/models', { headers: { host: 'elsewhere.test' } })
  assert.equal(other.status, 421)
  assert.equal(JSON.parse(other.body).error.type, 'invalid_request_error')
})

test('a provider’s trouble before the first word has its own status, and says when to come back', async t => {
  const status = (
    code: number,
    headers: Record<string, string> = {},
  ): { type: 'status'; code: number; headers: typeof headers } => ({
    ...{ type: 'status', code, headers },
  })
  const { openai, fake } = await doorWithFake(t, {})
  const ask = (code: number, headers?: Record<string, string>, stream = false): Promise<unknown> => {
    fake.say({ faults: [status(code, headers)] })
    return openai.chat.completions.create({ ...HELLO, model: FAKE, stream })
  }
  await fails(ask(400), { is: BadRequestError, status: 400, code: 'rejected' })
  await fails(ask(401), { is: InternalServerError, status: 502, code: 'unauthorized' })
  await fails(ask(404), { is: NotFoundError, status: 404, code: 'model_not_found' })
  const throttled = { is: RateLimitError, status: 429, code: 'rate_limit_exceeded' }
  for (const stream of [false, true]) {
    // More patience than the gateway has with a provider: so it is the client's turn to wait.
    const failed = await fails(ask(429, { 'retry-after': '90' }, stream), throttled)
    assert.equal(failed.headers?.get('retry-after'), '90')
  }
})

test('a stream that breaks off says why, and does not end as if it were whole', async t => {
  async function* cut(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'Half a' }
    yield { type: 'fault', fault: { kind: 'too-large', message: 'far too much', retryable: false } }
  }
  const { openai, http } = await openDoor(t, { provider: scriptedProvider([cut, cut]) })
  const stream = await openai.chat.completions.create({ ...HELLO, stream: true })
  const failed = await heard(stream).catch((cause: unknown) => cause)
  assert.ok(failed instanceof APIError)
  assert.match(failed.message, /far too much/)
  const raw = await http.ask('POST', '/v1/chat/completions', { body: { ...HELLO, stream: true } })
  const frames = (await raw.text()).trim().split('\n\n')
  assert.equal(raw.status, 200)
  assert.deepEqual(JSON.parse(frames.at(-1)?.replace('data: ', '') ?? ''), {
    error: { message: 'far too much', type: 'invalid_request_error', param: null, code: 'request_too_large' },
  })
})

test('a budget that is used up is no reason to try again; a context that is too long says so', async t => {
  const { openai } = await openDoor(t, {
    provider: scriptedProvider([]),
    models: { demo: { window: 100, price: { input: 1000, output: 1000 } } },
    limits: { budgetUsdPerDay: 0.05 },
  })
  const budget = { is: RateLimitError, status: 429, code: 'insufficient_quota' }
  const failed = await fails(openai.chat.completions.create({ ...HELLO, max_tokens: 90 }), budget)
  assert.equal(failed.headers?.get('x-should-retry'), 'false')
  const long = { ...HELLO, messages: [{ role: 'user' as const, content: 'many words '.repeat(100) }] }
  const tooLong = { is: BadRequestError, status: 400, code: 'context_length_exceeded', param: 'messages' }
  await fails(openai.chat.completions.create({ ...long, max_tokens: 5 }), tooLong)
})

test('one reader too many is told to wait', async t => {
  const { promise: asked, resolve: begin } = Promise.withResolvers<void>()
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  async function* slow(): AsyncGenerator<Delta> {
    begin()
    await passed
    yield* says('Done.')
  }
  const { openai } = await openDoor(t, { settings: { streams: 1 }, provider: scriptedProvider([slow]) })
  const first = openai.chat.completions.create(HELLO)
  await asked
  const failed = await fails(openai.chat.completions.create(HELLO), {
    ...{ is: RateLimitError, status: 429, code: 'rate_limit_exceeded' },
  })
  assert.equal(failed.headers?.get('retry-after'), '1')
  open()
  assert.equal((await first).choices[0]?.message.content, 'Done.')
})
