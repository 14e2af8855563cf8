import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Ollama } from 'ollama'
import { type FakeFault, faultsOf, startFake } from '../../src/testing/index.ts'
import { connection } from './fakes/connection.ts'
import { DOORS, statusIs } from './fakes/door.ts'
import { frames } from './fakes/frames.ts'
import { head } from './fakes/head.ts'
import { ask, PATHS } from './fakes/plain-client.ts'
import { speech } from './fakes/speech.ts'
import { testWith } from './fakes/with-fake.ts'

for (const door of DOORS) {
  speech(door)
  head(door)
  frames(door)
  connection(door)
}

/** Every fault a model's name can ask for. */
const NAMED: Readonly<Record<string, readonly FakeFault[]>> = {
  'claude-sonnet-4-5': [],
  'default-model': [],
  'fault-status-429': [{ type: 'status', code: 429 }],
  'fault-status-529-retry-after-2': [{ type: 'status', code: 529, headers: { 'retry-after': '2' } }],
  'fault-status-413-html': [{ type: 'status', code: 413, html: '<html><body><h1>413</h1></body></html>' }],
  'fault-delay-headers-500': [{ type: 'delayHeaders', ms: 500 }],
  'fault-chunks-of-7': [{ type: 'chunks', sizes: [7] }],
  'fault-chunks-every-9': [{ type: 'chunks', gapMs: 9 }],
  'fault-chunks-of-7-every-9': [{ type: 'chunks', sizes: [7], gapMs: 9 }],
  'fault-cut-at-200-rst': [{ type: 'cutAt', byte: 200, how: 'rst' }],
  'fault-cut-at-200-fin': [{ type: 'cutAt', byte: 200, how: 'fin' }],
  'fault-cut-at-200-end': [{ type: 'cutAt', byte: 200, how: 'end' }],
  'vendor/fault-stall-at-200+ping-every-50:latest': [
    { type: 'stallAt', byte: 200 },
    { type: 'pingEvery', ms: 50 },
  ],
  'fault-error-event-overloaded_error': [{ type: 'errorEvent', error: 'overloaded_error' }],
  'fault-error-event-api_error-at-3': [{ type: 'errorEvent', error: 'api_error', at: 3 }],
  'fault-dup-ids': [{ type: 'dupIds' }],
  'fault-no-terminal': [{ type: 'noTerminal' }],
  'fault-after-done-hang': [{ type: 'afterDoneHang' }],
  'fault-endless': [{ type: 'endless' }],
  'fault-giant-line-2000000': [{ type: 'giantLine', bytes: 2_000_000 }],
  'fault-bom+crlf+many-data-lines': [{ type: 'bom' }, { type: 'crlf' }, { type: 'manyDataLines' }],
  'fault-gzip-bomb': [{ type: 'gzipBomb' }],
  'fault-gzip-bomb-1000': [{ type: 'gzipBomb', bytes: 1000 }],
  'fault-echo-key': [{ type: 'echoKey' }],
  'fault-redirect': [{ type: 'redirect', to: '/elsewhere' }],
  'fault-bad-json': [{ type: 'badJson' }],
  'fault-unknown-events': [{ type: 'unknownEvents' }],
  'fault-refuse-connections': [{ type: 'refuseConnections' }],
  'fault-require-key-sk-right': [{ type: 'requireKey', key: 'sk-right' }],
  'fault-no-such-thing': [{ type: 'status', code: 400, body: 'there is no fault called no-such-thing' }],
}

test('a model may be named after the faults it has', () => {
  for (const [model, faults] of Object.entries(NAMED)) assert.deepEqual(faultsOf(model), faults, model)
})

for (const { name, wire, flavour, client } of DOORS) {
  testWith(`${name}: the model's name adds to the script`, { wire, flavour }, async fake => {
    await assert.rejects(client.stream(fake, { model: 'fault-status-429' }), statusIs(429))
    await assert.rejects(ask(fake, { wire, model: 'fault-refuse-connections' }), { code: 'ECONNRESET' })
    fake.say({ says: [{ type: 'text', text: 'slowly' }] })
    const answer = await ask(fake, { wire, model: 'fault-chunks-of-9+cut-at-200-end' })
    assert.equal(await answer.ended, 'end')
    assert.deepEqual([answer.bytes().length, answer.chunks[0]?.length], [200, 9])
  })

  testWith(`${name}: requests are kept exactly as they came, and given out in order`, { wire, flavour }, async fake => {
    const early = [fake.nextRequest(), fake.nextRequest()]
    await client.stream(fake, { model: 'one', key: 'sk-canary' })
    await client.whole(fake, { model: 'two' })
    const body = ' {"model": "three", "messages": [{"role": "user", "content": "Grüße 😀"}]}\n'
    await (await fetch(`${fake.url}${PATHS[wire]}?beta=true`, { method: 'POST', body, headers: { 'x-own': 'yes' } })).text()
    const given = [...(await Promise.all(early)), await fake.nextRequest()]
    assert.deepEqual(fake.requests, given)
    const models = given.map(({ json }) => (json as { readonly model: string }).model)
    assert.deepEqual(models, ['one', 'two', 'three'])
    assert.equal(given[0]?.headers.authorization, 'Bearer sk-canary')
    assert.deepEqual([given[2]?.body, given[2]?.method, given[2]?.headers['x-own']], [body, 'POST', 'yes'])
    for (const { path } of given) assert.ok(new URL(path, fake.url).href.startsWith(`${fake.url}${PATHS[wire]}`))
    const late = fake.nextRequest()
    await fake.close()
    await assert.rejects(late, /closed/)
  })

  testWith(`${name}: what is no chat is answered as the service would`, { wire, flavour }, async fake => {
    const elsewhere = await fetch(`${fake.url}/nowhere`)
    assert.equal(elsewhere.status, 404)
    assert.ok('error' in ((await elsewhere.json()) as object))
    const garbled = await fetch(`${fake.url}${PATHS[wire]}`, { method: 'POST', body: '{"model":' })
    assert.equal(garbled.status, 400)
    assert.ok('error' in ((await garbled.json()) as object))
  })
}

testWith('openai: nothing is counted unless asked to', { wire: 'openai' }, async fake => {
  const response = await fetch(`${fake.url}/chat/completions`, {
    method: 'POST',
    body: '{"model":"fake","stream":true,"messages":[]}',
  })
  assert.doesNotMatch(await response.text(), /usage/)
})

testWith('ollama: its own client sees the models', { wire: 'ollama' }, async fake => {
  const client = new Ollama({ host: fake.url })
  assert.match((await client.version()).version, /^\d+\.\d+\.\d+$/)
  assert.deepEqual(
    (await client.list()).models.map(({ name }) => name),
    ['fake:latest'],
  )
  const shown = await client.show({ model: 'whatever' })
  assert.deepEqual(shown.capabilities, ['completion', 'tools', 'thinking'])
  assert.deepEqual(Object.entries(shown.model_info).at(-1), ['fake.context_length', 40_960])
})

const models = [{ name: 'qwen3:8b', context: 8192, capabilities: ['completion'] }, { name: 'llama4:latest' }]

testWith('ollama: only the models of the list are there', { wire: 'ollama', models }, async fake => {
  const client = new Ollama({ host: fake.url })
  assert.deepEqual(
    (await client.list()).models.map(({ name }) => name),
    ['qwen3:8b', 'llama4:latest'],
  )
  const shown = await client.show({ model: 'qwen3:8b' })
  assert.deepEqual(shown.capabilities, ['completion'])
  assert.deepEqual(Object.entries(shown.model_info).at(-1), ['fake.context_length', 8192])
  assert.deepEqual((await client.show({ model: 'llama4' })).capabilities, ['completion', 'tools', 'thinking'])
  await assert.rejects(client.show({ model: 'qwen4' }), statusIs(404))
})

test('a closed fake leaves nothing behind', { timeout: 30_000 }, async () => {
  const program = new URL('./fakes/leaves-nothing.ts', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 29_000 })
  assert.equal(stdout, 'nothing left')
})

test('closing twice is closing once', async () => {
  const fake = await startFake({ wire: 'openai' })
  await fake.close()
  await fake.close()
})
