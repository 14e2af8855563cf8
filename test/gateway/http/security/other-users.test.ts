// Another user of the same machine asks a gateway that has no token.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { peerUser } from '../../../../src/gateway/http/peer-user.ts'
import { serve, tempHome } from '../../cli/turnwise.ts'

const NOBODY = 65_534
const TOKEN = 'a-decoy-token-of-many-characters'
const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const canRun = (): boolean => spawnSync(process.execPath, ['-e', '0'], { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0
const skip = !isRoot ? 'only root on Linux can ask as another user' : canRun() ? false : 'another user cannot run this Node'

/** Prints the status of one request. */
const ASK = `const [url, method, body, token] = process.argv.slice(1)
const headers = { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: 'Bearer ' + token }) }
fetch(url, { method, headers, ...(body === '' ? {} : { body }) }).then(answer => console.log(answer.status), cause => console.log(String(cause)))`

async function asked(uid: number, url: string, method: string, body: unknown, token = ''): Promise<string> {
  const given = [url, method, body === undefined ? '' : JSON.stringify(body), token]
  const child = spawn(process.execPath, ['-e', ASK, ...given], { uid, gid: uid, cwd: '/', env: {} })
  return (await text(child.stdout)).trim()
}

test('without a token another user changes no settings and no keys, and the owner does', { skip }, async t => {
  const { url } = await serve(t, { home: tempHome(t) })
  const program = { mcp: { decoy: { command: 'touch', args: ['/nonexistent/decoy'] } } }
  const changes = [
    ['/api/settings', 'PATCH', program],
    ['/api/settings', 'PATCH', { tools: { approve: { notes_read: 'auto' } } }],
    ['/api/providers/lan', 'PUT', { baseURL: 'http://127.0.0.1:9/v1' }],
    ['/api/providers/lan', 'DELETE', undefined],
    ['/api/memory', 'PATCH', { from: 'everywhere' }],
    ['/api/models', 'PATCH', { name: 'ollama/small', window: 16_384 }],
    ['/api/mcp/docs/sign-in', 'POST', undefined],
    ['/api/mcp/docs/sign-in', 'DELETE', undefined],
  ] as const
  for (const [path, method, body] of changes)
    assert.equal(await asked(NOBODY, `${url}${path}`, method, body), '403', `${method} ${path}`)
  const names = async (): Promise<unknown> => ((await (await fetch(`${url}/api/mcp`)).json()) as { items: unknown }).items
  assert.deepEqual(await names(), [], 'nothing was started')
  assert.equal(await asked(0, `${url}/api/settings`, 'PATCH', { limits: { steps: 7 } }), '200')
  assert.equal(await asked(0, `${url}/api/providers/lan`, 'PUT', { baseURL: 'http://127.0.0.1:9/v1' }), '200')
})

test('a user with the token may', { skip }, async t => {
  const { url } = await serve(t, { home: tempHome(t), env: { TURNWISE_TOKEN: TOKEN } })
  assert.equal(await asked(NOBODY, `${url}/api/settings`, 'PATCH', { limits: { steps: 7 } }), '401')
  assert.equal(await asked(NOBODY, `${url}/api/settings`, 'PATCH', { limits: { steps: 7 } }, TOKEN), '200')
})

/** Sends a whole request and is gone before it can be answered, politely or with a reset. */
const LEAVE = `const [port, how, body] = process.argv.slice(1)
const socket = require('node:net').connect(Number(port), '127.0.0.1', () => {
  const head = ['PATCH /api/settings HTTP/1.1', 'Host: 127.0.0.1:' + port, 'Content-Type: application/json', 'Content-Length: ' + body.length, '', body]
  socket.write(head.join('\\r\\n'), () => (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()))
})`

test('a user who hangs up at once changes nothing either', { skip }, async t => {
  const { url } = await serve(t, { home: tempHome(t) })
  const body = JSON.stringify({ mcp: { decoy: { command: 'true' } } })
  for (const how of ['reset', 'close', 'reset', 'close', 'reset', 'close']) {
    const child = spawn(process.execPath, ['-e', LEAVE, new URL(url).port, how, body], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      env: {},
    })
    await once(child, 'exit')
  }
  // Changes are made one after another, so all of those are over with this one.
  assert.equal(await asked(0, `${url}/api/settings`, 'PATCH', { limits: { steps: 7 } }), '200')
  assert.deepEqual(await (await fetch(`${url}/api/mcp`)).json(), { items: [] })
})

test('a connection that is over has no user, and one that is not of this machine is not looked for', async () => {
  const here = { localAddress: '127.0.0.1', localPort: 1 }
  const ends = { remoteAddress: '127.0.0.1', remotePort: 1, ...here }
  assert.equal(await peerUser(ends), 'unknown', 'nobody listens there')
  assert.equal(await peerUser({ ...ends, remoteAddress: '192.0.2.1' }), 'unknown')
  assert.equal(await peerUser({}), process.platform === 'linux' ? 'gone' : 'unknown')
})
