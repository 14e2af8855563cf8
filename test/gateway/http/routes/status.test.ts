// Readiness and metrics of a gateway whose MCP servers come and go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorkspace } from '../../../support/workspace.ts'
import { listen, newerDoor } from '../../../tool/mcp-http.ts'
import { clientOf } from '../client.ts'

const SECRET = 'canary-0123456789-header'

test('a server that is down or refused is a reason, and none once it is back', { timeout: 30_000 }, async t => {
  const first = await listen(t, newerDoor)
  const mcp = { files: { url: first.url, headers: { 'x-key': SECRET } }, 'Bad Name': { url: 'http://127.0.0.1:9/mcp' } }
  const { url } = await startWorkspace(t, { 'turnwise.json': { mcp } })
  const client = clientOf(url)
  const ready = () => client.json(200, 'GET', '/readyz')
  const metrics = async () => (await client.ask('GET', '/metrics')).text()
  const refused = 'mcp: the server "Bad Name" is refused: its name must be up to 32 lowercase letters, digits and hyphens'
  await t.waitFor(async () => assert.match(await metrics(), /^turnwise_mcp_servers\{state="ready"\} 1$/m), { timeout: 10_000 })
  assert.deepEqual(await ready(), { status: 'degraded', reasons: [refused] })
  assert.match(await metrics(), /^# TYPE turnwise_mcp_servers gauge\nturnwise_mcp_servers\{state="starting"\} 0$/m)
  assert.match(await metrics(), /^turnwise_mcp_tools [1-9]\d*$/m)
  assert.equal((await metrics()).split('# TYPE turnwise_mcp_servers gauge').length, 2, 'the type is said once')

  await first.stop()
  await client.json(200, 'POST', '/api/mcp/files/restart')
  const down = await ready()
  assert.equal(down.status, 'degraded')
  assert.deepEqual(
    down.reasons.filter((reason: string) => reason !== refused),
    ['mcp: the server "files" is down: no server listens at its address (ECONNREFUSED)'],
  )
  assert.match(await metrics(), /^turnwise_mcp_servers\{state="down"\} 1$/m)
  assert.ok(!JSON.stringify(down).includes(SECRET))

  await listen(t, newerDoor, first.port)
  const back = await client.json(200, 'POST', '/api/mcp/files/restart')
  assert.equal(back.state, 'ready')
  await client.json(200, 'PATCH', '/api/settings', { body: { mcp: { 'Bad Name': null } } })
  assert.deepEqual(await ready(), { status: 'ready', reasons: [] })
})

test('a server that is still starting is no reason', async t => {
  const silent = await listen(t, () => () => new Promise<Response>(() => {}))
  const { url } = await startWorkspace(t, { 'turnwise.json': { mcp: { slow: { url: silent.url } } } })
  const client = clientOf(url)
  const { items } = await client.json(200, 'GET', '/api/mcp')
  assert.equal(items[0].state, 'starting')
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'ready', reasons: [] })
})

test('a server that wants a sign-in is a reason, and a secret that a server repeats is not shown', async t => {
  const closed = await listen(t, () => async () => new Response('who are you?', { status: 401 }))
  const echoing = await listen(t, () => async request => {
    const { id } = (await request.json()) as { id?: number }
    const message = `no ${request.headers.get('x-key')} here`
    return Response.json({ jsonrpc: '2.0', id: id ?? null, error: { code: -32_000, message } })
  })
  const mcp = { closed: { url: closed.url }, echoing: { url: echoing.url, headers: { 'x-key': SECRET } } }
  const { url } = await startWorkspace(t, { 'turnwise.json': { mcp } })
  const client = clientOf(url)
  const states = async () => (await client.json(200, 'GET', '/api/mcp')).items.map(({ state }: { state: string }) => state)
  await t.waitFor(async () => assert.deepEqual(await states(), ['sign-in', 'down']), { timeout: 10_000 })
  const { status, reasons } = await client.json(200, 'GET', '/readyz')
  assert.deepEqual(
    [status, reasons],
    ['degraded', ['mcp: the server "closed" wants a person to sign in', 'mcp: the server "echoing" is down: no (hidden) here']],
  )
})
