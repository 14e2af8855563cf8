// Where a request goes and which headers it carries: ours, and nothing that this machine’s variables add.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import type { ProviderSetting } from '../../src/model/provider.ts'
import { type Addressed, address } from '../../src/provider/transport/address.ts'
import { startFake } from '../../src/testing/index.ts'
import { ask, engineWith, last, openSession } from '../support/engine.ts'
import { clientFor, descriptorOf, requestTo, spokenBy } from './speaking.ts'

function withVariables(t: TestContext, variables: Readonly<Record<string, string>>): void {
  const before = { ...process.env }
  Object.assign(process.env, variables)
  t.after(() => {
    process.env = before
  })
}

const addressed = (name: string, setting: ProviderSetting): Addressed => address(descriptorOf(name), requestTo(name).url, setting)

test('a server of one’s own without a key is asked without one', async t => {
  withVariables(t, { OPENAI_API_KEY: 'sk-of-another-place' })
  await using fake = await startFake({ wire: 'openai', script: { says: [{ type: 'text', text: 'Here.' }] } })
  const engine = engineWith({ model: 'compatible/lab/m', providers: { lab: { baseURL: fake.url } } })
  const events = await ask(engine, await openSession(engine), 'Hello?')
  assert.deepEqual(last(events, 'reply.finished').parts, [{ type: 'text', text: 'Here.' }])
  assert.equal(fake.requests[0]?.headers.authorization, undefined)
  await engine.close(100)
})

test('variables of the vendors’ clients change no header and print nothing', async t => {
  const custom = 'x-evil: 1\nAuthorization: Bearer evil\nx-api-key: evil\nanthropic-version: 1999-01-01\naccept: evil/evil'
  withVariables(t, {
    OPENAI_CUSTOM_HEADERS: custom,
    ANTHROPIC_CUSTOM_HEADERS: custom,
    ANTHROPIC_AUTH_TOKEN: 'evil',
    OPENAI_ADMIN_KEY: 'evil',
    OPENAI_ORG_ID: 'evil',
    OLLAMA_API_KEY: 'evil',
    OPENAI_LOG: 'debug',
    ANTHROPIC_LOG: 'debug',
  })
  const printed = (['log', 'debug', 'info', 'warn', 'error'] as const).map(kind => t.mock.method(console, kind, () => {}))
  for (const name of ['anthropic', 'openai', 'openrouter', 'lab', 'ollama']) {
    const baseURL = name === 'ollama' ? 'https://ollama.com' : 'https://example.com'
    const bare = addressed(name, { baseURL })
    assert.deepEqual([bare.headers.authorization, bare.headers['x-api-key']], [undefined, undefined], name)
    const { headers } = addressed(name, { baseURL, apiKey: 'sk-ours', headers: { 'X-Ours': 'yes' } })
    assert.doesNotMatch(JSON.stringify(headers), /evil|1999/, name)
    assert.equal(
      headers[name === 'anthropic' ? 'x-api-key' : 'authorization'],
      name === 'anthropic' ? 'sk-ours' : 'Bearer sk-ours',
    )
    assert.equal(headers['x-ours'], 'yes')
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['x-title'], name === 'openrouter' ? 'Turnwise' : undefined)
  }
  assert.equal(
    printed.reduce((sum, { mock }) => sum + mock.callCount(), 0),
    0,
  )
})

test('a header of the settings stands over ours, however it is spelled', () => {
  const { headers } = addressed('lab', {
    baseURL: 'https://example.com',
    apiKey: 'k',
    headers: { Authorization: 'Basic x' },
  })
  assert.equal(headers.authorization, 'Basic x')
})

test('what cannot be addressed is a fault, and shows no secret', async () => {
  for (const [name, setting] of [
    ['openai', { baseURL: 'no address at all' }],
    ['ollama', { baseURL: 'http://[nowhere' }],
    ['anthropic', { headers: { 'x-secret': 'line\nbreak-of-a-secret' } }],
  ] as const) {
    const { fault } = await spokenBy(clientFor(name, 'http://127.0.0.1:9', setting), requestTo(name))
    assert.equal(fault?.kind, 'rejected', name)
    assert.match(fault?.message ?? '', new RegExp(`^${name} could not be addressed: `))
    assert.doesNotMatch(fault?.message ?? '', /break-of-a-secret/)
  }
})

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

const MESSAGES: [{ role: 'user'; content: string }] = [{ role: 'user', content: 'Hello?' }]

/** The vendors' own clients, as judges of where a request goes and how it says what it is. */
const JUDGES: Readonly<Record<string, (baseURL: string, fetch: Fetch) => Promise<unknown>>> = {
  anthropic: (baseURL, fetch) =>
    new Anthropic({ baseURL, fetch, apiKey: 'sk-ours', maxRetries: 0 }).messages.create({
      model: 'm',
      max_tokens: 1,
      messages: MESSAGES,
    }),
  openai: (baseURL, fetch) =>
    new OpenAI({ baseURL, fetch, apiKey: 'sk-ours', maxRetries: 0 }).chat.completions.create({ model: 'm', messages: MESSAGES }),
  ollama: (baseURL, fetch) => new Ollama({ host: baseURL, fetch }).chat({ model: 'm', messages: MESSAGES }),
}

const BASES = [
  'https://example.com',
  'https://example.com/',
  'https://example.com:443/v1',
  'https://example.com/v1/',
  'https://example.com/v1//',
  'http://127.0.0.1:8080/a/b/',
  'HTTP://Example.com:80/x',
  'http://[::1]:99',
  'https://example.com/ä b/',
]

test('a request goes where the vendor’s own client sends it', async () => {
  for (const [name, judge] of Object.entries(JUDGES)) {
    for (const baseURL of BASES) {
      const asked: { url: string; headers: Headers }[] = []
      await judge(baseURL, async (url, init) => {
        asked.push({ url: new URL(url instanceof Request ? url.url : url).href, headers: new Headers(init?.headers) })
        return new Response('{}', { headers: { 'content-type': 'application/json' } })
      })
      const ours = addressed(name, { baseURL, apiKey: 'sk-ours' })
      assert.equal(ours.url.href, asked[0]?.url, `${name} at ${baseURL}`)
      assert.equal(ours.headers['content-type'], asked[0]?.headers.get('content-type'))
    }
  }
})

test('every request says what it accepts, who asks, and which version of an API it is written for', () => {
  const headersOf = (name: string): unknown => addressed(name, { baseURL: 'https://example.com', apiKey: 'k' }).headers
  const common = { accept: 'text/event-stream', 'content-type': 'application/json', 'user-agent': 'Turnwise' }
  assert.deepEqual(headersOf('anthropic'), { ...common, 'anthropic-version': '2023-06-01', 'x-api-key': 'k' })
  assert.deepEqual(headersOf('openai'), { ...common, authorization: 'Bearer k' })
  assert.deepEqual(headersOf('lab'), { ...common, authorization: 'Bearer k' })
  assert.deepEqual(headersOf('ollama'), { ...common, accept: 'application/json', authorization: 'Bearer k' })
  assert.deepEqual(headersOf('openrouter'), {
    ...common,
    authorization: 'Bearer k',
    'http-referer': 'http://localhost',
    'x-title': 'Turnwise',
    'x-openrouter-title': 'Turnwise',
  })
})
