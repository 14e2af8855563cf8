// The door for real models: which there are, which could be asked now, and what happens where a key is missing.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFake } from '../../../../../src/testing/index.ts'
import { startGateway } from '../../../../support/gateway.ts'
import { startWorkspace } from '../../../../support/workspace.ts'
import { clientOf, type Json } from '../../client.ts'
import { isEvent } from '../../frames.ts'

const NO_KEY = 'anthropic needs a key; set ANTHROPIC_API_KEY, or run "turnwise connect anthropic"'
const KEYS = ['name', 'provider', 'window', 'output', 'price', 'images', 'files', 'thinking', 'tools', 'ready']

test('models are listed with what one chooses them by, and what each still needs', async t => {
  await using ollama = await startFake({
    wire: 'ollama',
    models: [{ name: 'llava:latest', capabilities: ['completion', 'vision'] }],
  })
  await using openai = await startFake({ wire: 'openai', models: [{ name: 'gpt-5' }] })
  const settings = {
    model: 'compatible/lan/some/model',
    providers: { lan: { baseURL: 'http://127.0.0.1:9/v1' }, far: { baseURL: 'https://far.test/v1', apiKey: '$FAR_KEY' } },
    models: { 'compatible/lan/some/model': { window: 5000 }, 'compatible/far/x': {} },
  }
  const { url } = await startWorkspace(
    t,
    { 'turnwise.json': settings },
    { OLLAMA_HOST: ollama.url, OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: 'sk-canary-key' },
  )
  const answer = await clientOf(url).json(200, 'GET', '/api/models')
  assert.deepEqual(Object.keys(answer), ['items', 'default', 'providers'])
  assert.equal(answer.default, 'compatible/lan/some/model')
  const of = (name: string): Json => {
    const found = answer.items.filter((item: Json) => item.name === name)
    assert.equal(found.length, 1, name)
    return found[0]
  }
  for (const item of answer.items) assert.deepEqual(Object.keys(item), [...KEYS, ...(item.ready ? [] : ['needs'])], item.name)
  assert.deepEqual(of('demo'), {
    name: 'demo',
    provider: 'demo',
    window: 32_000,
    output: null,
    price: { input: 0, output: 0 },
    images: false,
    files: false,
    thinking: true,
    tools: true,
    ready: true,
  })
  assert.deepEqual([of('anthropic/claude-sonnet-5').ready, of('anthropic/claude-sonnet-5').needs], [false, 'ANTHROPIC_API_KEY'])
  assert.equal(of('openai/gpt-5').ready, true)
  const { window, price, ready, needs } = of('compatible/lan/some/model')
  assert.deepEqual({ window, price, ready }, { window: 5000, price: null, ready: false })
  assert.match(needs, /^lan could not be reached at http:\/\/127\.0\.0\.1:9\/v1: /)
  assert.equal(of('compatible/far/x').needs, 'FAR_KEY')
  assert.deepEqual([of('ollama/llava').images, of('ollama/llava').tools, of('ollama/llava').ready], [true, false, true])
  assert.deepEqual(answer.providers, [
    { name: 'anthropic', ready: false, needs: 'ANTHROPIC_API_KEY', baseURL: 'https://api.anthropic.com' },
    { name: 'openai', ready: true, needs: null, baseURL: openai.url },
    { name: 'openrouter', ready: false, needs: 'OPENROUTER_API_KEY', baseURL: 'https://openrouter.ai/api/v1' },
    { name: 'ollama', ready: true, needs: null, baseURL: ollama.url, running: true },
    { name: 'lan', ready: false, needs, baseURL: 'http://127.0.0.1:9/v1' },
    { name: 'far', ready: false, needs: 'FAR_KEY', baseURL: 'https://far.test/v1' },
  ])
  assert.ok(!JSON.stringify(answer).includes('canary'))
})

test('an Ollama that does not run is said to be missing, and an address is shown without what is secret in it', async t => {
  const { url } = await startGateway(t, {
    providers: {
      ollama: { baseURL: 'http://127.0.0.1:9' },
      lan: { baseURL: 'https://name:canary@lan.test/v1/?key=canary', apiKey: 'sk-canary', headers: { 'x-team': 'canary' } },
    },
  })
  const answer = await clientOf(url).json(200, 'GET', '/api/models')
  assert.deepEqual(answer.providers.slice(-2), [
    { name: 'ollama', ready: false, needs: 'a running Ollama', baseURL: 'http://127.0.0.1:9', running: false },
    { name: 'lan', ready: true, needs: null, baseURL: 'https://lan.test/v1' },
  ])
  assert.ok(!JSON.stringify(answer).includes('canary'))
})

test('without its key the default model is no reason not to start: the page works, and the turn says what to set', async t => {
  const { url, troubles } = await startWorkspace(t, { 'turnwise.json': { model: 'anthropic/claude-sonnet-5' } })
  const client = clientOf(url)
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'degraded', reasons: [NO_KEY] })
  assert.deepEqual(await client.json(200, 'GET', '/healthz'), { status: 'ok' })
  assert.deepEqual(troubles, [NO_KEY], 'the operator is told once')
  const session = await client.open()
  const frames = await (await client.say(session, 'Hello')).rest()
  const ended = frames.find(isEvent('turn.ended'))?.data
  assert.deepEqual([ended?.reason, ended?.fault.kind, ended?.fault.message], ['failed', 'unauthorized', NO_KEY])
  assert.equal(
    (await client.json(200, 'POST', `${session}/context`, { body: { text: 'Now?' } })).request.body.model,
    'claude-sonnet-5',
  )
  await client.json(200, 'PATCH', session, { body: { model: 'demo' } })
  assert.equal((await (await client.say(session, 'And now?')).rest()).find(isEvent('turn.ended'))?.data.reason, 'done')
  assert.equal((await client.json(200, 'GET', '/api/usage')).items[0].model, 'demo')
})

test('the line names the variable that the settings name, and an agent’s own model counts too', async t => {
  const settings = { providers: { openai: { apiKey: '$MY_OPENAI' } } }
  const agents = { agents: { one: { name: 'One', prompt: 'You are one.', model: 'openai/gpt-5' } } }
  const { url, write } = await startWorkspace(t, { 'turnwise.json': settings, 'agents.json': agents })
  const client = clientOf(url)
  assert.deepEqual((await client.json(200, 'GET', '/readyz')).reasons, [
    'openai needs a key; set MY_OPENAI, or run "turnwise connect openai"',
  ])
  const frames = await (await client.say(await client.open(), 'Hello')).rest()
  assert.equal(
    frames.find(isEvent('turn.ended'))?.data.fault.message,
    'openai needs a key; set MY_OPENAI, or run "turnwise connect openai"',
  )
  write('agents.json', { agents: { one: { name: 'One', prompt: 'You are one.' } } })
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'ready', reasons: [] })
})

test('a turn asks the server that the settings name, with key and headers, and no answer ever shows the key', async t => {
  const key = 'sk-canary-0123456789'
  await using fake = await startFake({ wire: 'openai' })
  fake.say(
    { says: [{ type: 'text', text: 'Hello from afar.' }] },
    { faults: [{ type: 'status', code: 401, body: `{"error":{"message":"wrong key ${key}"}}` }] },
  )
  const settings = {
    model: 'compatible/lan/x',
    providers: { lan: { baseURL: fake.url, apiKey: '$LAN_KEY', headers: { 'x-team': '$TEAM' } } },
    models: { 'compatible/lan/x': { price: { input: 1, output: 2 } } },
    limits: { budgetUsdPerDay: 1 },
  }
  const { url } = await startWorkspace(t, { 'turnwise.json': settings }, { LAN_KEY: key, TEAM: 'blue' })
  const client = clientOf(url)
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'ready', reasons: [] })
  const session = await client.open()
  const frames = await (await client.say(session, 'Hello')).rest()
  assert.equal(frames.find(isEvent('reply.finished'))?.data.parts[0].text, 'Hello from afar.')
  const [request] = fake.requests
  assert.deepEqual([request?.headers.authorization, request?.headers['x-team']], [`Bearer ${key}`, 'blue'])
  const [row] = (await client.json(200, 'GET', '/api/usage')).items
  assert.equal(row.model, 'compatible/lan/x')
  assert.ok(row.costUsd > 0)
  const refused = (await (await client.say(session, 'Again')).rest()).find(isEvent('turn.ended'))?.data
  assert.equal(refused?.fault.kind, 'unauthorized')
  assert.match(refused?.fault.message, /set LAN_KEY to one that is valid/)
  const everything = [
    await client.events(session),
    await client.json(200, 'GET', '/api/models'),
    await client.json(200, 'GET', '/readyz'),
  ]
  assert.ok(!JSON.stringify(everything).includes(key))
})

test('no more is reserved for a reply than its model may give, and at most a quarter of a small window', async t => {
  const models = { 'ollama/terse': { output: 100 }, 'ollama/small': { window: 2000 } }
  const { url } = await startWorkspace(t, { 'turnwise.json': { models } })
  const client = clientOf(url)
  const session = await client.open()
  const reserved = async (model: string): Promise<Json> => {
    const { receipt } = await client.json(200, 'POST', `${session}/context`, { body: { text: 'Hello', model } })
    return [receipt.tokens.reserved, receipt.tokens.limit]
  }
  assert.deepEqual(await reserved('ollama/terse'), [100, 8092])
  assert.deepEqual(await reserved('ollama/small'), [500, 1500])
  assert.deepEqual(await reserved('ollama/other'), [2048, 6144])
})

test('the window of a model of Ollama is raised at once and in its file, where nothing else changes', async t => {
  const settings =
    '// Mine.\n{\n  "policy": "full", // all of it\n  "models": { "ollama/small": { "output": 256, "window": 2000 } }\n}\n'
  const { url, home } = await startWorkspace(t, { 'turnwise.json': settings })
  const client = clientOf(url)
  const session = await client.open()
  const limit = async (model: string): Promise<number> =>
    (await client.json(200, 'POST', `${session}/context`, { body: { text: 'Hello', model } })).receipt.tokens.limit
  assert.equal(await limit('ollama/small'), 2000 - 256)
  const raise = (name: string, window: number): Promise<Json> =>
    client.json(200, 'PATCH', '/api/models', { body: { name, window } })
  const refused = (status: number, fault: string, name: string, window: unknown): Promise<Json> =>
    client.problem(status, fault, 'PATCH', '/api/models', { body: { name, window } })
  assert.deepEqual(await raise('ollama/small', 16_384), { name: 'ollama/small', window: 16_384 })
  assert.equal(await limit('ollama/small'), 16_384 - 256)
  assert.equal(readFileSync(join(home, 'turnwise.json'), 'utf8'), settings.replace('2000', '16384'))
  await raise('ollama/new', 9000)
  assert.equal(await limit('ollama/new'), 9000 - 2250)
  const written = readFileSync(join(home, 'turnwise.json'), 'utf8')
  assert.match(written, /^\/\/ Mine\.[\s\S]*\/\/ all of it[\s\S]*"ollama\/new": \{\s*"window": 9000\s*\}/)

  for (const [name, window] of [
    ['openai/gpt-5', 9000],
    ['demo', 9000],
    ['ollama/small', 200],
    ['ollama/small', 1e12],
    ['ollama/small', 'much'],
  ] as const)
    await refused(400, 'invalid', name, window)
  // A window must leave room for its replies, as at the start.
  await raise('ollama/small', 1024)
  assert.equal(await limit('ollama/small'), 1024 - 256)
  writeFileSync(join(home, 'turnwise.json'), '{ "models": ')
  assert.match((await refused(409, 'conflict', 'ollama/small', 4096)).detail, /until that is fixed nothing is written/)
  assert.equal(readFileSync(join(home, 'turnwise.json'), 'utf8'), '{ "models": ')
})
