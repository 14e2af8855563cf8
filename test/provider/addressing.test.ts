// What stands above the bytes of a request: our headers, and nothing that this machine's variables add.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ProviderSetting } from '../../src/model/provider.ts'
import { type Addressed, address } from '../../src/provider/transport/address-book.ts'
import { startFake } from '../../src/testing/index.ts'
import { ask, engineWith, last, openSession } from '../support/engine.ts'
import { clientFor, requestTo, spokenBy } from './speaking.ts'

function withVariables(t: TestContext, variables: Readonly<Record<string, string>>): void {
  const before = { ...process.env }
  Object.assign(process.env, variables)
  t.after(() => {
    process.env = before
  })
}

async function addressed(name: string, setting: ProviderSetting): Promise<Addressed> {
  const all: Addressed[] = []
  await address(name, requestTo(name), setting, async each => {
    all.push(each)
  })
  const [only] = all
  assert.ok(only)
  return only
}

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
    const bare = await addressed(name, { baseURL })
    assert.deepEqual([bare.headers.authorization, bare.headers['x-api-key']], [undefined, undefined], name)
    const { headers } = await addressed(name, { baseURL, apiKey: 'sk-ours', headers: { 'X-Ours': 'yes' } })
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

test('a header of the settings stands over ours, however it is spelled', async () => {
  const { headers } = await addressed('lab', {
    baseURL: 'https://example.com',
    apiKey: 'k',
    headers: { Authorization: 'Basic x' },
  })
  assert.equal(headers.authorization, 'Basic x')
})

test('what a vendor’s client cannot address is a fault, and shows no secret', async () => {
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
