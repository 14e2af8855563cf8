// Providers over HTTP: connected with a key or an address, checked at once, effective from the next turn on, never given out.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startFake } from '../../../../../src/testing/index.ts'
import { startWorkspace, type TestWorkspace } from '../../../../support/workspace.ts'
import { temporary } from '../../child.ts'
import { type Client, clientOf, type Json } from '../../client.ts'

const KEY = 'sk-decoy-0123456789-good'
const OTHER = 'sk-decoy-0123456789-else'
const ENVIRONMENT = 'sk-decoy-0123456789-envi'

type Started = TestWorkspace & { readonly client: Client; readonly secrets: () => string; readonly secretsFile: string }

async function start(
  t: TestContext,
  files: Readonly<Record<string, unknown>> = { 'turnwise.json': {} },
  variables: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const workspace = await startWorkspace(t, files, variables)
  const secretsFile = join(workspace.home, 'secrets.json')
  return { ...workspace, client: clientOf(workspace.url), secretsFile, secrets: () => readFileSync(secretsFile, 'utf8') }
}

const put = (client: Client, name: string, body: Json, status = 200): Promise<Json> =>
  client.json(status, 'PUT', `/api/providers/${name}`, { body })
const refused = async (client: Client, name: string, body: Json, status = 400, kind = 'invalid'): Promise<string> =>
  (await client.problem(status, kind, 'PUT', `/api/providers/${name}`, { body })).detail
const itemOf = async (client: Client, name: string): Promise<Json> =>
  (await client.json(200, 'GET', '/api/providers')).items.find((each: Json) => each.name === name)

test('the items have exactly the fields of the contract and ours, and no key', async t => {
  await using fake = await startFake({ wire: 'anthropic', keys: [KEY], models: [{ name: 'claude-decoy-9' }] })
  const { client } = await start(t, { 'turnwise.json': {} }, { ANTHROPIC_BASE_URL: fake.url })
  await put(client, 'anthropic', { apiKey: KEY })
  const answer = await client.json(200, 'GET', '/api/providers')
  assert.deepEqual(Object.keys(answer), ['items', 'templates'])
  const { checkedAt, ...anthropic } = answer.items.find((each: Json) => each.name === 'anthropic')
  assert.deepEqual(anthropic, {
    name: 'anthropic',
    kind: 'anthropic',
    title: 'Anthropic',
    baseURL: fake.url,
    hasKey: true,
    last4: 'good',
    keyFrom: 'secrets',
    keyVariable: 'ANTHROPIC_API_KEY',
    addressFrom: 'environment',
    state: 'ready',
    message: null,
    models: ['anthropic/claude-decoy-9'],
    needsKey: true,
    isRemovable: true,
  })
  assert.ok(Math.abs(Date.parse(checkedAt) - Date.now()) < 60_000)
  const openai = answer.items.find((each: Json) => each.name === 'openai')
  assert.deepEqual([openai.hasKey, openai.last4, openai.keyFrom, openai.state], [false, null, null, 'no-key'])
  const ollama = answer.items.find((each: Json) => each.name === 'ollama')
  assert.deepEqual([ollama.state, ollama.needsKey], ['unreachable', false])
  assert.ok(!JSON.stringify(answer).includes(KEY.slice(0, -4)))
})

test('a key is checked at once: a wrong one is never ready, and no answer repeats it', async t => {
  await using fake = await startFake({ wire: 'anthropic', keys: [KEY], models: [{ name: 'claude-decoy-9' }] })
  const { client, secrets, secretsFile } = await start(t, { 'turnwise.json': {} }, { ANTHROPIC_BASE_URL: fake.url })
  const wrong = await put(client, 'anthropic', { apiKey: OTHER })
  assert.deepEqual([wrong.state, wrong.models, wrong.hasKey, wrong.last4], ['bad-key', [], true, 'else'])
  assert.match(wrong.message, /anthropic refused the key \(401\)/)
  assert.ok(!JSON.stringify(wrong).includes('sk-decoy'), 'the provider quoted it')
  const checked = await client.json(200, 'POST', '/api/providers/anthropic/check')
  assert.equal(checked.state, 'bad-key')
  assert.equal(statSync(secretsFile).mode & 0o777, 0o600)
  const right = await put(client, 'anthropic', { apiKey: KEY })
  assert.deepEqual([right.state, right.models], ['ready', ['anthropic/claude-decoy-9']])
  assert.ok(secrets().includes(KEY) && !secrets().includes(OTHER))
  assert.equal(statSync(secretsFile).mode & 0o777, 0o600)
})

test('a server that does not answer is kept as unreachable, and ready once it answers', async t => {
  const { client } = await start(t)
  const body = { baseURL: 'http://127.0.0.1:9/v1' }
  const away = await put(client, 'lan', body)
  assert.deepEqual([away.kind, away.state, away.hasKey, away.addressFrom], ['compatible', 'unreachable', false, 'secrets'])
  await using fake = await startFake({ wire: 'openai', models: [{ name: 'qwen-decoy' }] })
  const here = await put(client, 'lan', { baseURL: fake.url })
  assert.deepEqual([here.state, here.models], ['ready', ['compatible/lan/qwen-decoy']])
})

test('a key counts from the next turn on, without a restart', async t => {
  await using fake = await startFake({ wire: 'openai', keys: [KEY, OTHER], models: [{ name: 'qwen-decoy' }] })
  const { client } = await start(t)
  await put(client, 'lan', { baseURL: fake.url, apiKey: KEY })
  await client.json(200, 'PATCH', '/api/settings', { body: { model: 'compatible/lan/qwen-decoy' } })
  const session = await client.open()
  await client.talk(session, 'one')
  await put(client, 'lan', { apiKey: OTHER })
  await client.talk(session, 'two')
  const chats = fake.requests.filter(({ path }) => path.endsWith('/chat/completions'))
  const keys = chats.filter(({ body }) => /"one"|"two"/.test(body)).map(({ headers }) => headers.authorization)
  assert.equal(keys[0], `Bearer ${KEY}`)
  assert.equal(keys.at(-1), `Bearer ${OTHER}`, 'a new key without an address keeps the address')
  await client.problem(409, 'conflict', 'DELETE', '/api/providers/lan')
})

test('another address without a key drops the stored key; the same address keeps it', async t => {
  await using first = await startFake({ wire: 'openai', keys: [KEY], models: [{ name: 'one' }] })
  await using second = await startFake({ wire: 'openai', models: [{ name: 'two' }] })
  const { client, secrets } = await start(t)
  await put(client, 'lan', { baseURL: first.url, apiKey: KEY })
  const same = await put(client, 'lan', { baseURL: first.url })
  assert.deepEqual([same.state, same.hasKey], ['ready', true])
  const moved = await put(client, 'lan', { baseURL: second.url })
  assert.deepEqual([moved.state, moved.hasKey, moved.last4, moved.keyFrom], ['ready', false, null, null])
  assert.ok(!secrets().includes(KEY))
  assert.ok(!JSON.stringify(second.requests).includes(KEY))
})

test('a key of the environment wins, says so, and goes only to the address of the environment, the file or the vendor', async t => {
  await using own = await startFake({ wire: 'anthropic', keys: [ENVIRONMENT], models: [{ name: 'claude-decoy-9' }] })
  await using elsewhere = await startFake({ wire: 'anthropic' })
  const variables = { ANTHROPIC_API_KEY: ENVIRONMENT, ANTHROPIC_BASE_URL: own.url }
  const { client, secrets, secretsFile } = await start(t, { 'turnwise.json': {} }, variables)
  assert.match(
    await refused(client, 'anthropic', { baseURL: elsewhere.url }, 409, 'conflict'),
    /comes from ANTHROPIC_API_KEY and goes only to http:\/\/127\.0\.0\.1:\d+; give a key for the new address/,
  )
  assert.equal(existsSync(secretsFile), false)
  const both = await put(client, 'anthropic', { baseURL: elsewhere.url, apiKey: KEY })
  assert.deepEqual(
    [both.keyFrom, both.last4, both.baseURL, both.addressFrom, both.state],
    ['environment', 'envi', own.url, 'environment', 'ready'],
  )
  assert.match(both.message, /ANTHROPIC_API_KEY is set in the environment and is used instead/)
  assert.ok(secrets().includes(KEY))
  assert.deepEqual(elsewhere.requests, [])
  assert.equal((await client.ask('DELETE', '/api/providers/anthropic')).status, 204)
  const { detail } = await client.problem(409, 'conflict', 'DELETE', '/api/providers/anthropic')
  assert.match(detail, /connected by ANTHROPIC_API_KEY; take the variable out/)
})

test('a key and headers of turnwise.json stay with its address', async t => {
  await using own = await startFake({ wire: 'openai', keys: [ENVIRONMENT], models: [{ name: 'one' }] })
  await using elsewhere = await startFake({ wire: 'openai', keys: [KEY], models: [{ name: 'two' }] })
  const lan = { baseURL: own.url, apiKey: '$LAN_KEY', headers: { 'x-team': '$TEAM' } }
  const files = { 'turnwise.json': { providers: { lan } } }
  const { client } = await start(t, files, { LAN_KEY: ENVIRONMENT, TEAM: 'canary-header' })
  const listed = await itemOf(client, 'lan')
  assert.deepEqual(
    [listed.state, listed.keyFrom, listed.keyVariable, listed.isRemovable],
    ['ready', 'environment', 'LAN_KEY', false],
  )
  await refused(client, 'lan', { baseURL: elsewhere.url }, 409, 'conflict')
  await put(client, 'lan', { baseURL: elsewhere.url, apiKey: KEY })
  const seen = JSON.stringify(elsewhere.requests)
  assert.ok(!seen.includes(ENVIRONMENT) && !seen.includes('canary-header'))
})

test('disconnecting forgets the key at once; an unknown name is 404', async t => {
  await using fake = await startFake({ wire: 'anthropic', keys: [KEY], models: [{ name: 'claude-decoy-9' }] })
  const { client, secrets } = await start(t, { 'turnwise.json': {} }, { ANTHROPIC_BASE_URL: fake.url })
  await put(client, 'anthropic', { apiKey: KEY })
  assert.equal((await client.ask('DELETE', '/api/providers/anthropic')).status, 204)
  assert.ok(!secrets().includes('sk-decoy'))
  assert.deepEqual([(await itemOf(client, 'anthropic')).state, (await itemOf(client, 'anthropic')).hasKey], ['no-key', false])
  await client.problem(409, 'conflict', 'DELETE', '/api/providers/anthropic')
  for (const name of ['nosuch', 'constructor', '__proto__', '..%2F..', 'a%00b']) {
    await client.problem(404, 'not-found', 'DELETE', `/api/providers/${name}`)
    await client.problem(404, 'not-found', 'POST', `/api/providers/${name}/check`)
  }
})

test('a key that was taken back is not used on, even while turnwise.json is broken', async t => {
  await using fake = await startFake({ wire: 'anthropic', keys: [KEY], models: [{ name: 'claude-decoy-9' }] })
  const { client, write } = await start(t, { 'turnwise.json': {} }, { ANTHROPIC_BASE_URL: fake.url })
  await put(client, 'anthropic', { apiKey: KEY })
  write('turnwise.json', '{ "model": ')
  assert.equal((await client.ask('DELETE', '/api/providers/anthropic')).status, 204)
  const { hasKey, state } = await client.json(200, 'POST', '/api/providers/anthropic/check')
  assert.deepEqual([hasKey, state], [false, 'no-key'])
})

test('bad names, keys and addresses are refused by their key, and nothing is kept', async t => {
  const { client, secretsFile } = await start(t)
  const lan = (baseURL: string, more: object = {}) => ({ baseURL, ...more })
  const rows: readonly (readonly [string, Json, RegExp])[] = [
    ['Bad%20Name', lan('http://127.0.0.1:9/v1'), /^name: a name has lowercase letters/],
    ['constructor', lan('http://127.0.0.1:9/v1'), /^name: this name is reserved/],
    ['__proto__', lan('http://127.0.0.1:9/v1'), /^name: /],
    ['demo', lan('http://127.0.0.1:9/v1'), /^name: this name has a meaning of its own/],
    ['compatible', lan('http://127.0.0.1:9/v1'), /^name: /],
    ['opnai', { apiKey: KEY }, /^baseURL: is missing; .*did you mean "openai"\?/],
    ['lan', {}, /give an apiKey, a baseURL, or both/],
    ['lan', lan('ftp://127.0.0.1/v1'), /^baseURL: is not an address/],
    ['lan', lan('127.0.0.1:9'), /^baseURL: is not an address/],
    ['lan', lan('http://me:pass@127.0.0.1:9/v1'), /^baseURL: has a name or a password in it/],
    ['lan', lan('http://127.0.0.1:9/v1?key=1'), /^baseURL: has a query/],
    ['lan', lan('http://169.254.169.254/latest'), /^baseURL: the address 169\.254\.169\.254 is of/],
    ['lan', lan('http://2852039166/'), /^baseURL: the address 169\.254\.169\.254 is of/],
    ['lan', lan('http://[fe80::1]/v1'), /^baseURL: the address/],
    ['lan', lan('http://[::ffff:169.254.169.254]/v1'), /^baseURL: the address/],
    ['lan', lan('http://[fd00:ec2::254]/v1'), /^baseURL: the address/],
    ['lan', lan('http://100.100.100.200/v1'), /^baseURL: the address/],
    ['lan', lan('http://10.0.0.7/v1', { apiKey: KEY }), /^baseURL: the key would travel unencrypted to 10\.0\.0\.7/],
    ['openai', { apiKey: '' }, /^apiKey: is empty/],
    ['openai', { apiKey: '$OPENAI_API_KEY' }, /^apiKey: /],
    ['openai', { apiKey: 'sk decoy' }, /^apiKey: a header cannot carry it/],
    ['openai', { apiKey: 'sk-decoy\r\nx: y' }, /^apiKey: a header cannot carry it/],
    ['openai', { apiKey: 'x'.repeat(5000) }, /^apiKey: /],
    ['openai', { apiKey: 7 }, /^apiKey: /],
    ['openai', { key: KEY }, /key/],
    ['openai', [], /object/],
  ]
  for (const [name, body, why] of rows) {
    const detail = await refused(client, name, body)
    assert.match(detail, why, JSON.stringify([name, body]).slice(0, 100))
    assert.ok(!detail.includes(KEY) && !detail.includes('pass@'))
  }
  await client.problem(413, 'too-large', 'PUT', '/api/providers/openai', { body: { apiKey: 'x'.repeat(1 << 20) } })
  await client.problem(415, 'invalid', 'PUT', '/api/providers/openai', { body: '{}', headers: { 'content-type': 'text/plain' } })
  assert.equal(existsSync(secretsFile), false)
})

test('two that are connected at once are both kept', async t => {
  const { client, secrets } = await start(t)
  const names = ['one', 'two', 'three', 'four']
  const body = { baseURL: 'http://127.0.0.1:9/v1', apiKey: KEY }
  await Promise.all(names.map(name => put(client, name, body)))
  const kept = JSON.parse(secrets().replace(/^\/\/.*\n/, ''))
  assert.deepEqual(Object.keys(kept.providers).sort(), names.toSorted())
})

test('a secrets.json that is not a private file is a clear fault, and nothing is written, changed or lost', async t => {
  const { client, secretsFile, secrets, home } = await start(t)
  await put(client, 'lan', { baseURL: 'http://127.0.0.1:9/v1', apiKey: KEY })
  const before = secrets()
  const conflict = async (why: RegExp) => {
    const detail = await refused(client, 'openai', { apiKey: OTHER }, 409, 'conflict')
    assert.match(detail, why)
    assert.ok(!detail.includes('sk-decoy'))
    assert.equal((await itemOf(client, 'lan')).hasKey, true, 'what was known stays in use')
  }
  const decoy = join(temporary(t), 'decoy.json')
  const places: readonly (readonly [string, () => void, RegExp])[] = [
    [
      'readable by others',
      () => {
        writeFileSync(secretsFile, before)
        chmodSync(secretsFile, 0o644)
      },
      /other users can read it.*chmod 600/,
    ],
    ['garbage', () => writeFileSync(secretsFile, `{ "providers": "${KEY}`, { mode: 0o600 }), /it is not valid JSON/],
    ['a folder', () => mkdirSync(secretsFile, { mode: 0o700 }), /secrets\.json: /],
    ['a pipe', () => execFileSync('mkfifo', ['-m', '600', secretsFile]), /secrets\.json: it cannot be read/],
    ['a link to a good file', () => symlinkSync(decoy, secretsFile), /symbolic link/],
    ['a link to nothing', () => symlinkSync(join(home, 'nowhere.json'), secretsFile), /symbolic link/],
  ]
  for (const [what, make, why] of places) {
    rmSync(secretsFile, { recursive: true, force: true })
    writeFileSync(decoy, before, { mode: 0o600 })
    make()
    if (what === 'a link to nothing') await refused(client, 'openai', { apiKey: OTHER }, 409, 'conflict')
    else await conflict(why)
    assert.equal(readFileSync(decoy, 'utf8'), before, what)
    assert.equal(statSync(decoy).mode & 0o777, 0o600)
    assert.equal(existsSync(join(home, 'nowhere.json')), false)
    if (what === 'readable by others') {
      assert.equal(secrets(), before)
      assert.equal(statSync(secretsFile).mode & 0o777, 0o644, 'a person decides about the mode')
    }
    const { status } = await client.json(200, 'GET', '/readyz')
    assert.equal(status, /^a link/.test(what) ? 'ready' : 'degraded', what)
  }
})
