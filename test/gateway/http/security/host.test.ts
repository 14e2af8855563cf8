// Safety row 1: a page that had its name pointed at us must not get in, whatever it sends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../../support/gateway.ts'
import { startWorkspace } from '../../../support/workspace.ts'
import { checkedProblem, clientOf } from '../client.ts'
import { dial, exchange, head, parseAnswer } from '../raw.ts'

const JSON_HEAD = ['Content-Type: application/json', 'Content-Length: 2']

const STRANGERS: readonly (readonly [name: string, line: string, ...headers: string[]])[] = [
  ['a foreign name', 'POST /api/sessions', 'Host: evil.test'],
  ['a foreign name with our port', 'POST /api/sessions', 'Host: evil.test:4242'],
  ['a name that begins like us', 'POST /api/sessions', 'Host: 127.evil.com'],
  ['our address inside a name', 'POST /api/sessions', 'Host: 127.0.0.1.evil.test'],
  ['our address as a user name', 'POST /api/sessions', 'Host: 127.0.0.1@evil.test'],
  ['localhost with a dot', 'POST /api/sessions', 'Host: localhost.'],
  ['localhost with two ports', 'POST /api/sessions', 'Host: localhost:80:80'],
  ['a subdomain of localhost', 'POST /api/sessions', 'Host: a.localhost'],
  ['another address', 'POST /api/sessions', 'Host: 169.254.169.254'],
  ['any address', 'POST /api/sessions', 'Host: 0.0.0.0'],
  ['a short spelling of our address', 'POST /api/sessions', 'Host: 127.1'],
  ['another IPv6 address', 'POST /api/sessions', 'Host: [::2]'],
  ['IPv6 without brackets', 'POST /api/sessions', 'Host: ::1'],
  ['an empty name', 'POST /api/sessions', 'Host:'],
  ['no name', 'POST /api/sessions'],
  ['our name twice', 'POST /api/sessions', 'Host: localhost', 'Host: localhost'],
  ['our name, then a foreign one', 'POST /api/sessions', 'Host: localhost', 'host: evil.test'],
  ['a foreign name, then ours', 'POST /api/sessions', 'Host: evil.test', 'HOST: localhost'],
  ['a whole address in the request line', 'POST http://evil.test/api/sessions', 'Host: localhost'],
  ['our whole address in the request line', 'POST http://localhost/api/sessions', 'Host: localhost'],
]

test('a Host that is not ours is 421 before anything of the body was sent', async t => {
  const { port, engine } = await startGateway(t)
  for (const [name, line, ...hosts] of STRANGERS) {
    // The body never comes: an answer proves that nobody waited for it.
    const answer = await exchange(port, head(line, ...hosts, ...JSON_HEAD))
    assert.equal(answer.status, 421, name)
    assert.equal(answer.headers.get('connection'), 'close', name)
    checkedProblem(answer.headers.get('content-type') ?? '', answer.body, { status: 421, fault: 'invalid' })
  }
  const sessions = await engine.sessions({ limit: 1 })
  assert.ok(sessions.ok)
  assert.deepEqual(sessions.value.items, [])
})

test('a stranger who asks whether to send the body is not told to', async t => {
  const { port } = await startGateway(t)
  const stranger = dial(port)
  stranger.socket.write(head('POST /api/sessions', 'Host: evil.test', 'Expect: 100-continue', ...JSON_HEAD))
  assert.match(await stranger.closed, /^HTTP\/1\.1 421 /)

  const friend = dial(port)
  friend.socket.write(head('POST /api/sessions', 'Host: localhost', 'Connection: close', 'Expect: 100-continue', ...JSON_HEAD))
  await friend.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
  friend.socket.write('{}')
  assert.match(await friend.closed, /\r\n\r\nHTTP\/1\.1 201 /)
})

test('the names of the house are let in, and only their body is waited for', async t => {
  const { port, url } = await startGateway(t, { settings: { hosts: ['turnwise.lan', '[fd00::7]'] } })
  const names = ['127.0.0.1', 'localhost', 'LocalHost', '[::1]', 'turnwise.lan', 'TURNWISE.lan', '[fd00::7]', '127.0.0.2']
  for (const host of names.flatMap(name => [name, `${name}:${port}`, `${name}:8443`])) {
    const line = dial(port)
    line.socket.write(head('POST /api/sessions', `Host: ${host}`, 'Connection: close', ...JSON_HEAD))
    assert.equal((await clientOf(url).ask('GET', '/healthz')).status, 200)
    assert.equal(line.received(), '', `${host}: answered before the body was there`)
    line.socket.write('{}')
    assert.equal(parseAnswer(await line.closed).status, 201, host)
  }
})

test('on an address that others can reach, any address is a name but no foreign name is', async t => {
  const token = 'a token of many characters'.replaceAll(' ', '-')
  const { port } = await startGateway(t, { settings: { host: '0.0.0.0', token, hosts: ['turnwise.lan'] } })
  const status = async (host: string): Promise<number> =>
    (await exchange(port, head('GET /healthz', `Host: ${host}`, 'Connection: close'))).status
  for (const host of ['192.0.2.7', '[2001:db8::1]:80', 'turnwise.lan', '0.0.0.0']) assert.equal(await status(host), 200, host)
  for (const host of ['evil.test', '127.evil.com', 'localhost.', '127.1', '0x7f000001'])
    assert.equal(await status(host), 421, host)
})

test('an address that cannot be read is a problem, not a mistake of ours', async t => {
  const { port } = await startGateway(t)
  for (const [line, host] of [
    ['GET /healthz', 'localhost:99999'],
    ['GET /api\\sessions', 'localhost'],
  ] as const) {
    const answer = await exchange(port, head(line, `Host: ${host}`, 'Connection: close'))
    assert.equal(answer.status, 400)
    checkedProblem(answer.headers.get('content-type') ?? '', answer.body, { status: 400, fault: 'invalid' })
  }
})

test('names and origins of the environment may call, and only they', async t => {
  const { url } = await startWorkspace(t, {}, { TURNWISE_HOSTS: 'chat.lan, box', TURNWISE_ORIGINS: 'https://page.test' })
  const port = Number(new URL(url).port)
  const asked = async (...headers: readonly string[]): Promise<number> =>
    (await exchange(port, head('GET /api/sessions', ...headers, 'Connection: close'))).status
  assert.equal(await asked('Host: chat.lan'), 200)
  assert.equal(await asked('Host: box:4242'), 200, 'the port in front of a container is another')
  assert.equal(await asked('Host: other.lan'), 421)
  assert.equal(await asked('Host: chat.lan', 'Origin: https://page.test'), 200)
  assert.equal(await asked('Host: chat.lan', 'Origin: https://other.test'), 403)
})
