// What people see of servers, and what they can do about them while they run.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Mcp, type McpOptions, type McpServer, type McpStatus, openMcp } from '../../src/tool/mcp/servers.ts'
import { ADDRESSES } from './mcp-addresses.ts'
import { listen, newerDoor } from './mcp-http.ts'

const CHILD = join(import.meta.dirname, 'mcp-child.ts')
const child = (...args: string[]): McpServer => ({ command: process.execPath, args: [CHILD, ...args] })

async function open(
  t: TestContext,
  servers: Readonly<Record<string, McpServer>>,
  options: Partial<McpOptions> = {},
): Promise<Mcp> {
  const mcp = openMcp(servers, {
    environment: process.env,
    directory: import.meta.dirname,
    addresses: ADDRESSES,
    backoff: { firstMs: 10, mostMs: 100 },
    readyMs: 60_000,
    ...options,
  })
  t.after(mcp.close)
  await mcp.ready
  return mcp
}

function statusOf(mcp: Mcp, name: string): McpStatus {
  const found = mcp.list().find(each => each.name === name)
  assert.ok(found)
  return found
}
const logOf = (mcp: Mcp, name: string): readonly string[] => {
  const lines = mcp.log(name)
  assert.ok(lines.ok)
  return lines.value.map(({ text }) => text)
}
const namesOf = (mcp: Mcp): readonly string[] => mcp.tools().map(({ spec }) => spec.name)

test('a server has a state, its tools with what decides about them, and counts of what else it offers', async t => {
  const servers = { good: child('talkative'), ended: child('broken'), odd: { command: '' } }
  const approve = { 'good__*': 'auto', good__shake: 'never', '*': 'ask' } as const
  const mcp = await open(t, servers, { approve })
  await t.waitFor(() => assert.equal(statusOf(mcp, 'good').resources, 2), { timeout: 20_000 })
  const { since, ...good } = statusOf(mcp, 'good')
  assert.ok(Date.parse(since) <= Date.now())
  assert.deepEqual(good, {
    name: 'good',
    kind: 'process',
    command: [process.execPath, CHILD, 'talkative'],
    state: 'ready',
    message: null,
    tools: [
      { name: 'good__nod', description: '', approval: 'auto' },
      { name: 'good__shake', description: '', approval: 'never' },
    ],
    resources: 2,
    prompts: 1,
    restarts: 0,
    signedIn: false,
  })
  assert.deepEqual(
    mcp.tools().map(({ rule, server }) => [rule, server]),
    [
      ['good__*', 'good'],
      ['good__shake', 'good'],
    ],
  )
  const ended = statusOf(mcp, 'ended')
  assert.deepEqual([ended.state, ended.message], ['down', 'it ended with code 4'])
  await t.waitFor(() => assert.ok(statusOf(mcp, 'ended').restarts > 1), { timeout: 20_000 })
  assert.deepEqual([statusOf(mcp, 'odd').state, statusOf(mcp, 'odd').message], ['refused', 'its command is empty'])
})

test('the log has what a process complains about and what became of it, without secrets', async t => {
  const server = { ...child('talkative', '--token=hunter22-secret'), env: { PASS: 'from-the-env' } }
  const mcp = await open(t, { noisy: server })
  await t.waitFor(() => assert.ok(logOf(mcp, 'noisy').includes('API_KEY=(hidden) in a line')), { timeout: 20_000 })
  const restarted = await mcp.restart('noisy')
  assert.ok(restarted.ok)
  const lines = logOf(mcp, 'noisy')
  assert.ok(lines.includes('hello with --token=(hidden)'), lines.join('\n'))
  // Its last line had no end.
  assert.ok(lines.includes('no end'), lines.join('\n'))
  assert.deepEqual(lines.slice(0, 1), ['starting'])
  assert.ok(lines.includes('starting: it is started again'))
  assert.doesNotMatch(lines.join('\n'), /hunter22|abcdef1234/)
  assert.ok(!mcp.log('elsewhere').ok)
})

test('the log keeps its last 200 lines', async t => {
  const mcp = await open(t, { gone: { url: 'http://127.0.0.1:9/mcp' } })
  for (let round = 0; round < 120; round += 1) await mcp.restart('gone')
  const lines = logOf(mcp, 'gone')
  assert.equal(lines.length, 200)
  assert.notEqual(lines[0], 'starting')
})

test('a restart ends the process and begins another, and resolves when that one is up', async t => {
  const mcp = await open(t, { s: child('both') })
  const before = statusOf(mcp, 's')
  const restarted = await mcp.restart('s')
  assert.ok(restarted.ok)
  assert.equal(restarted.value.state, 'ready')
  assert.equal(restarted.value.restarts, before.restarts + 1)
  assert.ok(restarted.value.tools.length > 0)
  assert.equal((await mcp.restart('elsewhere')).ok, false)
})

test('changed settings start what is new, end what is gone, and leave the rest alone', async t => {
  const kept = await listen(t, newerDoor)
  const mcp = await open(t, { kept: { url: kept.url }, gone: child('touchy') })
  const before = statusOf(mcp, 'kept')
  assert.ok(namesOf(mcp).includes('gone__touch'))
  mcp.apply({ servers: { kept: { url: kept.url }, fresh: child('taciturn') }, approve: { 'kept__*': 'auto' } })
  assert.ok(!namesOf(mcp).includes('gone__touch'))
  await mcp.ready
  assert.ok(namesOf(mcp).includes('fresh__nod'))
  const after = statusOf(mcp, 'kept')
  assert.deepEqual([after.since, after.restarts], [before.since, 0])
  assert.deepEqual([...new Set(after.tools.map(({ approval }) => approval))], ['auto'])
  assert.equal(mcp.log('gone').ok, false)

  mcp.apply({ servers: { kept: child('touchy') } })
  await mcp.ready
  assert.deepEqual(namesOf(mcp), ['kept__touch'])
  assert.ok(logOf(mcp, 'kept').includes('starting: its settings have changed'))
})

test('resources and prompts come in the shape that messages take', async t => {
  const mcp = await open(t, { s: child('talkative'), down: child('broken') })
  assert.deepEqual(await mcp.resources('s'), {
    ok: true,
    value: [
      { uri: 'notes://today/plan%20b.txt', name: 'plan', description: 'What to do', mediaType: 'text/plain' },
      { uri: 'notes://cat.png', name: 'cat', mediaType: 'image/png' },
    ],
  })
  const data = Buffer.from('Feed the cat.').toString('base64')
  assert.deepEqual(await mcp.readResource('s', 'notes://today/plan%20b.txt'), {
    ok: true,
    value: [{ type: 'file', name: 'plan b.txt', mediaType: 'text/plain', data }],
  })
  assert.deepEqual(await mcp.readResource('s', 'notes://cat.png'), {
    ok: true,
    value: [{ type: 'image', name: 'cat.png', mediaType: 'image/png', data: 'iVBORw0KGgo=' }],
  })
  assert.deepEqual(await mcp.prompts('s'), {
    ok: true,
    value: [
      {
        name: 'review',
        description: 'Reviews code',
        arguments: [
          { name: 'code', required: true },
          { name: 'tone', required: false },
        ],
      },
    ],
  })
  assert.deepEqual(await mcp.prompt('s', 'review', { code: 'x = 1' }), {
    ok: true,
    value: {
      text: 'Review this: x = 1',
      parts: [{ type: 'file', name: 'style.md', mediaType: 'text/markdown', data: Buffer.from('# Style').toString('base64') }],
    },
  })
  const gone = await mcp.readResource('s', 'notes://gone')
  assert.deepEqual(gone.ok ? undefined : [gone.fault.kind, gone.fault.message], [
    'invalid',
    'the MCP server "s" did not give it: method not found',
  ])
  const down = await mcp.resources('down')
  assert.equal(down.ok ? undefined : down.fault.kind, 'unreachable')
  const unknown = await mcp.prompts('elsewhere')
  assert.equal(unknown.ok ? undefined : unknown.fault.kind, 'not-found')
})
