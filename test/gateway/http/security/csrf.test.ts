// Safety rows 2 and 3: a page of another origin can neither make the gateway do something nor read from it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../../support/gateway.ts'
import { askWith } from '../ask.ts'
import { checkedProblem } from '../client.ts'
import { pageFolder } from '../page-folder.ts'

const APP = 'https://app.example'

const SITES = [undefined, 'same-origin', 'none', 'same-site', 'cross-site', 'made-up'] as const
const OWN_SITES: readonly (string | undefined)[] = [undefined, 'same-origin', 'none']

const JSON_TYPES: readonly (string | undefined)[] = ['application/json', 'Application/JSON', 'application/json; charset=utf-8']
const TYPES = [
  ...JSON_TYPES,
  'text/plain',
  'text/plain;application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'application/jsonp',
  undefined,
] as const

test('who may change something: every Origin with every content type and every Sec-Fetch-Site', async t => {
  const { port, engine } = await startGateway(t, { settings: { origins: [APP] } })
  const own: readonly (string | undefined)[] = [undefined, `http://localhost:${port}`, `https://localhost:${port}`]
  const foreign = [
    'https://evil.test',
    'null',
    `http://localhost:${port + 1}`,
    `http://127.0.0.1:${port}`,
    `${APP}.evil.test`,
    `${APP}:444`,
    'http://app.example',
    '',
  ]
  let opened = 0
  for (const origin of [...own, APP, ...foreign]) {
    for (const site of SITES) {
      for (const type of TYPES) {
        const headers = { host: `localhost:${port}`, origin, 'sec-fetch-site': site, 'content-type': type }
        const answer = await askWith(port, 'POST', '/api/sessions', { headers, body: '{}' })
        const isFriend = origin === APP || (own.includes(origin) && OWN_SITES.includes(site))
        const expected = !isFriend ? 403 : JSON_TYPES.includes(type) ? 201 : 415
        assert.equal(answer.status, expected, JSON.stringify(headers))
        assert.equal(answer.headers.get('access-control-allow-origin'), origin === APP ? APP : undefined)
        if (expected === 201) opened += 1
        else {
          const fault = expected === 403 ? 'unauthorized' : 'invalid'
          checkedProblem(answer.headers.get('content-type') ?? '', answer.body, { status: expected, fault })
        }
      }
    }
  }
  const sessions = await engine.sessions({ limit: 200 })
  assert.ok(sessions.ok)
  assert.equal(sessions.value.items.length, opened)
  assert.equal(opened, JSON_TYPES.length * (own.length * OWN_SITES.length + SITES.length))
})

test('what a foreign page loads without asking is refused; what the page itself loads is not', async t => {
  const { port } = await startGateway(t)
  const load = async (site: string, mode: string, path: string): Promise<number> =>
    (await askWith(port, 'GET', path, { headers: { host: 'localhost', 'sec-fetch-site': site, 'sec-fetch-mode': mode } })).status
  for (const path of ['/api/sessions', '/metrics', '/openapi.json', '/healthz']) {
    assert.equal(await load('cross-site', 'no-cors', path), 403, path)
    assert.equal(await load('same-site', 'cors', path), 403, path)
    assert.equal(await load('same-origin', 'cors', path), 200, path)
    assert.equal(await load('none', 'navigate', path), 200, path)
  }
})

test('a link from elsewhere leads to the page and nowhere else', async t => {
  const { port } = await startGateway(t, { page: pageFolder(t) })
  const follow = async (path: string): Promise<number> => {
    const headers = { host: 'localhost', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    return (await askWith(port, 'GET', path, { headers })).status
  }
  assert.equal(await follow('/'), 200)
  assert.equal(await follow('/assets/app-1a2b.js'), 200)
  for (const path of ['/api/sessions', '/%61pi/sessions', '/x/../api/sessions', '/metrics', '/openapi.json'])
    assert.equal(await follow(path), 403, path)
})

test('a preflight gives nothing to a foreign origin, and a configured one what it needs', async t => {
  const { port } = await startGateway(t, { settings: { origins: [APP] } })
  const preflight = (origin: string | undefined): ReturnType<typeof askWith> =>
    askWith(port, 'OPTIONS', '/api/sessions', {
      headers: { host: 'localhost', origin, 'access-control-request-method': 'POST', 'sec-fetch-site': 'cross-site' },
    })
  for (const origin of ['https://evil.test', 'null', `${APP}.evil.test`, undefined]) {
    const who = origin ?? 'no origin'
    const { status, headers } = await preflight(origin)
    assert.equal(status, 403, who)
    assert.deepEqual(
      [...headers.keys()].filter(name => name.startsWith('access-control')),
      [],
      who,
    )
  }
  const { status, headers, body } = await preflight(APP)
  assert.equal(status, 204)
  assert.equal(body, '')
  assert.equal(headers.get('access-control-allow-origin'), APP)
  assert.equal(headers.get('vary'), 'Origin')
  assert.match(headers.get('access-control-allow-methods') ?? '', /\bPOST\b.*\bPATCH\b.*\bDELETE\b/)
  for (const name of ['authorization', 'content-type', 'idempotency-key', 'last-event-id'])
    assert.ok(headers.get('access-control-allow-headers')?.split(', ').includes(name), name)
  assert.equal(headers.get('access-control-allow-credentials'), undefined)
})

test('a configured origin may send the headers of its client, and read where the receipt is', async t => {
  const { port } = await startGateway(t, { settings: { origins: [APP] } })
  const wished = 'authorization,content-type,x-stainless-lang,x-stainless-retry-count'
  const asking = { 'access-control-request-method': 'POST', 'access-control-request-headers': wished }
  const asked = { host: 'localhost', origin: APP, 'sec-fetch-site': 'cross-site' }
  const { status, headers } = await askWith(port, 'OPTIONS', '/v1/chat/completions', { headers: { ...asked, ...asking } })
  assert.deepEqual([status, headers.get('access-control-allow-headers')], [204, wished])
  const answered = await askWith(port, 'POST', '/v1/chat/completions', {
    headers: { ...asked, 'content-type': 'application/json' },
    body: '{"model":"demo","messages":[{"role":"user","content":"Hello"}]}',
  })
  assert.match(answered.headers.get('access-control-expose-headers') ?? '', /\bx-turnwise-context\b/)
})

test('the page, too, says that it depends on who asks', async t => {
  const { port } = await startGateway(t, { settings: { origins: [APP] }, page: pageFolder(t) })
  const { status, headers } = await askWith(port, 'GET', '/', { headers: { host: 'localhost', origin: APP } })
  assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, APP])
  assert.equal(headers.get('vary'), 'Origin, accept-encoding')
})

test('a configured origin can read answers, streams and refusals', async t => {
  const token = 'a-token-of-many-characters'
  const { port, engine } = await startGateway(t, { settings: { origins: [APP], token } })
  const session = await engine.open({})
  assert.ok(session.ok)
  const headers = { host: 'localhost', origin: APP, 'sec-fetch-site': 'cross-site', authorization: `Bearer ${token}` }
  const listed = await askWith(port, 'GET', '/api/sessions', { headers })
  assert.equal(listed.status, 200)
  assert.equal(listed.headers.get('access-control-allow-origin'), APP)

  const streamed = await askWith(port, 'POST', `/api/sessions/${session.value.id}/messages`, {
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: '{"text":"Hello"}',
  })
  assert.match(streamed.body, /event: turn\.ended/)
  assert.equal(streamed.headers.get('access-control-allow-origin'), APP)

  const refused = await askWith(port, 'GET', '/api/sessions', { headers: { ...headers, authorization: 'Bearer wrong' } })
  assert.equal(refused.status, 401)
  assert.equal(refused.headers.get('access-control-allow-origin'), APP)
})

test('whatever is answered may be embedded by nobody else', async t => {
  const { port, engine } = await startGateway(t, { page: pageFolder(t) })
  const session = await engine.open({})
  assert.ok(session.ok)
  for (const path of [
    '/',
    '/assets/app-1a2b.js',
    '/api/sessions',
    `/api/sessions/${session.value.id}/events`,
    '/metrics',
    '/nothing',
  ]) {
    const { headers } = await askWith(port, 'GET', path, { headers: { host: 'localhost' } })
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
  }
})
