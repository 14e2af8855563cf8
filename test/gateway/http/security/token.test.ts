// Safety rows 3 and 5: the token goes into a header and nowhere else, and cannot be guessed.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { createGuard } from '../../../../src/gateway/http/guard.ts'
import { startGateway } from '../../../support/gateway.ts'
import { askWith } from '../ask.ts'
import { checkedProblem, clientOf } from '../client.ts'
import { pageFolder } from '../page-folder.ts'
import { exchange, head } from '../raw.ts'

const TOKEN = 'tw_0123456789abcdefghij'

/** What the router would find its way to, spelled so that a list of protected paths might not. */
const SPELLINGS = [
  '/%61pi/sessions',
  '/api%2fsessions',
  '/x/../api/sessions',
  '/./api/sessions',
  '/%2e/api/sessions',
  '/assets/../api/sessions',
  '/healthz/../api/sessions',
  '//api/sessions',
  '/API/sessions',
  '/api/sessions/',
  '/api/sessions#',
  '/metrics#x',
  '/metrics/',
  '/./metrics',
  '/%6detrics',
  '/openapi.json#',
  '/x/%2e%2e/openapi.json',
  '/readyz?',
  '/readyz#x',
  '/\\api/sessions',
  '/v1',
]

const PROTECTED = ['/api', '/api/sessions', '/api/agents', '/v1/models', '/metrics', '/openapi.json', '/readyz']
const OPEN = ['/', '/assets/app-1a2b.js', '/healthz', '/healthz?x', '/?token=x']

test('with a token, everything but the page and the sign of life needs it', async t => {
  const { port } = await startGateway(t, { settings: { token: TOKEN }, page: pageFolder(t) })
  const status = async (path: string, ...headers: string[]): Promise<number> =>
    (await exchange(port, head(`GET ${path}`, 'Host: localhost', 'Connection: close', ...headers))).status
  for (const path of OPEN) assert.equal(await status(path), 200, path)
  for (const path of [...PROTECTED, ...SPELLINGS]) assert.equal(await status(path), 401, path)
  for (const path of [...PROTECTED, ...SPELLINGS])
    assert.notEqual(await status(path, `Authorization: Bearer ${TOKEN}`), 401, path)
  for (const path of ['/api/sessions', '/metrics', '/openapi.json', '/readyz', '/%61pi/sessions', '/x/../api/sessions'])
    assert.equal(await status(path, `Authorization: Bearer ${TOKEN}`), 200, path)
})

test('without a token nothing needs one', async t => {
  const { url } = await startGateway(t)
  for (const path of ['/api/sessions', '/metrics', '/openapi.json', '/readyz', '/healthz'])
    assert.equal((await clientOf(url).ask('GET', path)).status, 200, path)
})

test('only the whole token in its header counts, and no refusal repeats what was sent', async t => {
  const { port, engine } = await startGateway(t, { settings: { token: TOKEN } })
  const session = await engine.open({})
  assert.ok(session.ok)
  const path = `/api/sessions/${session.value.id}`
  const elsewhere: readonly (readonly [string, Record<string, string>])[] = [
    [`${path}?token=${TOKEN}`, {}],
    [`${path}?access_token=${TOKEN}`, {}],
    [`${path}/events?token=${TOKEN}`, { accept: 'text/event-stream' }],
    [`${path}?authorization=Bearer%20${TOKEN}`, {}],
    [path, { cookie: `token=${TOKEN}` }],
    [path, { 'x-api-key': TOKEN }],
    [path, { 'proxy-authorization': `Bearer ${TOKEN}` }],
    [path, { authorization: TOKEN }],
    [path, { authorization: '' }],
    [path, { authorization: 'Bearer' }],
    [path, { authorization: 'Bearer ' }],
    [path, { authorization: `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}` }],
    [path, { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    [path, { authorization: `Bearer ${TOKEN}x` }],
    [path, { authorization: `Bearer ${TOKEN} ${TOKEN}` }],
    [path, { authorization: `Bearer ${TOKEN.toUpperCase()}` }],
    [path, { authorization: `Bearer "${TOKEN}"` }],
  ]
  for (const [where, headers] of elsewhere) {
    const answer = await askWith(port, 'GET', where, { headers: { host: 'localhost', ...headers } })
    assert.equal(answer.status, 401, `${where} ${JSON.stringify(headers)}`)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="turnwise"')
    checkedProblem(answer.headers.get('content-type') ?? '', answer.body, { status: 401, fault: 'unauthorized' })
    assert.ok(!`${[...answer.headers]}${answer.body}`.includes(TOKEN.slice(0, -1)))
  }
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const headers = { host: 'localhost', authorization: `${scheme} ${TOKEN}` }
    assert.equal((await askWith(port, 'GET', path, { headers })).status, 200, scheme)
  }
})

test('a second Authorization header opens nothing', async t => {
  const { port } = await startGateway(t, { settings: { token: TOKEN } })
  const twice = (first: string, second: string): string =>
    head('GET /readyz', 'Host: localhost', 'Connection: close', `Authorization: ${first}`, `authorization: ${second}`)
  assert.equal((await exchange(port, twice('Bearer wrong', `Bearer ${TOKEN}`))).status, 401)
  assert.equal((await exchange(port, twice(`Bearer ${TOKEN}`, `Bearer ${TOKEN}`))).status, 200)
})

test('a thousand guesses from one address are stopped, and another address is not', async t => {
  const { port } = await startGateway(t, { settings: { token: TOKEN } })
  const ask = (token: string, localAddress = '127.0.0.1'): ReturnType<typeof askWith> =>
    askWith(port, 'GET', '/readyz', { headers: { host: 'localhost', authorization: `Bearer ${token}` }, localAddress })
  assert.equal((await ask(TOKEN)).status, 200)
  const seen: number[] = []
  for (let round = 0; round < 20; round += 1) {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(`guess-${round}-${index}`)))
    seen.push(...answers.map(answer => answer.status))
  }
  assert.deepEqual(
    seen.filter(status => status !== 429),
    Array.from({ length: 30 }, () => 401),
  )
  const right = await ask(TOKEN)
  assert.equal(right.status, 429)
  checkedProblem(right.headers.get('content-type') ?? '', right.body, { status: 429, fault: 'throttled' })
  assert.ok(Number(right.headers.get('retry-after')) > 0 && Number(right.headers.get('retry-after')) <= 60)
  assert.equal((await ask(TOKEN, '127.0.0.2')).status, 200)
})

test('asking without any token is not guessing', async t => {
  const { port } = await startGateway(t, { settings: { token: TOKEN } })
  for (let count = 0; count < 100; count += 1)
    assert.equal((await askWith(port, 'GET', '/readyz', { headers: { host: 'localhost' } })).status, 401)
  const headers = { host: 'localhost', authorization: `Bearer ${TOKEN}` }
  assert.equal((await askWith(port, 'GET', '/readyz', { headers })).status, 200)
})

test('after a minute an address may try again', () => {
  let now = 0
  const guard = createGuard(
    { host: '127.0.0.1', token: TOKEN, hosts: [], origins: [] },
    () => false,
    () => now,
  )
  const status = (token: string): string | undefined => {
    const headers = { host: 'localhost', authorization: `Bearer ${token}` }
    const request = { url: '/api', method: 'GET', headers, rawHeaders: ['Host', 'localhost'], socket: { remoteAddress: '::1' } }
    return guard(request as unknown as IncomingMessage)?.fault.kind
  }
  for (let count = 0; count < 30; count += 1) assert.equal(status('wrong'), 'unauthorized')
  assert.equal(status(TOKEN), 'throttled')
  now = 59_999
  assert.equal(status(TOKEN), 'throttled')
  now = 60_000
  assert.equal(status(TOKEN), undefined)
})
