// `turnwise tools` with MCP servers: alone, beside a gateway, and while another command has the lock. Nothing is left behind.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openEngine } from '../../../../src/engine.ts'
import { must } from '../../../log/facts.ts'
import { leftovers, putProgram } from '../../../tool/ground.ts'
import { piped } from '../in-process.ts'
import { serve, tempHome, turnwise } from '../turnwise.ts'

const CHILD = join(import.meta.dirname, '../../../tool/mcp-child.ts')
const SECRET = 'canary-0123456789-argument'

type Servers = { readonly home: string; readonly starts: () => number; readonly alive: () => readonly number[] }

/** A workspace with a server that answers, one that ends at once with a secret among its arguments, and one that is refused. */
function workspaceWithServers(t: TestContext): Servers {
  const home = tempHome(t)
  mkdirSync(home)
  const [mark, record] = [randomUUID(), join(home, 'starts')]
  const script = `#!/bin/sh\necho started >> '${record}'\nexec '${process.execPath}' '${CHILD}' talkative\n`
  const living = putProgram(join(home, 'living'), script)
  const mcp = {
    living: { command: living, env: { TEST_MARK: mark, API_KEY: SECRET } },
    dead: { command: 'false', args: [SECRET] },
    'Odd One': { command: 'true' },
  }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ mcp, tools: { approve: { 'living__n*': 'auto' } } }))
  return {
    home,
    starts: () => (existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n').length : 0),
    alive: () => leftovers(mark),
  }
}

type Listed = {
  readonly items: readonly { readonly name: string; readonly server: string | null; readonly rule: string | null }[]
  readonly servers: readonly { readonly name: string; readonly state: string; readonly message: string | null }[]
  readonly unasked: string | null
}

const STATES = [
  ['Odd One', 'refused'],
  ['dead', 'down'],
  ['living', 'ready'],
]
const statesIn = ({ servers }: Listed) => servers.map(({ name, state }) => [name, state])

test('alone it starts the servers once, lists their tools and states, and ends all of them', { timeout: 30_000 }, async t => {
  const { home, starts, alive } = workspaceWithServers(t)
  const page = await turnwise(['tools'], { home })
  assert.deepEqual([page.code, page.stderr], [0, ''])
  assert.match(page.stdout, /^ {2}living__nod +runs/m)
  assert.match(page.stdout, /^ {2}living__shake +asks/m)
  assert.match(page.stdout, /^ {2}dead +down: ./m)
  assert.match(page.stdout, /^ {2}living +ready, 2 tools$/m)
  assert.match(page.stdout, /^ {2}Odd One +refused by the settings: its name/m)
  assert.ok(!page.stdout.includes(SECRET))
  assert.equal(starts(), 1)
  assert.deepEqual(alive(), [])
  assert.equal(existsSync(join(home, 'turnwise.db')), false, 'a look makes no database')
})

test('beside a gateway it asks the gateway and starts nothing', { timeout: 30_000 }, async t => {
  const { home, starts } = workspaceWithServers(t)
  const gateway = await serve(t, { home })
  const { code, stdout } = await piped(['tools', '--json'], { home })
  assert.equal(code, 0)
  const listed = JSON.parse(stdout) as Listed
  assert.deepEqual(statesIn(listed), STATES)
  const nod = listed.items.find(({ name }) => name === 'living__nod')
  assert.deepEqual([nod?.server, nod?.rule, listed.unasked], ['living', 'living__n*', null])
  assert.equal(starts(), 1, 'the gateway’s own')
  assert.ok(!stdout.includes(SECRET))
  await gateway.stop()
})

test('without a gateway that answers, a lock that another command has keeps it from starting servers', async t => {
  const { home, starts } = workspaceWithServers(t)
  const other = must(await openEngine(join(home, 'turnwise.db')))
  try {
    const locked = await piped(['tools', '--json'], { home })
    const listed = JSON.parse(locked.stdout) as Listed
    assert.deepEqual([locked.code, listed.servers, starts()], [0, [], 0])
    assert.match(listed.unasked ?? '', /in use by another Turnwise process/)
    assert.match((await piped(['tools'], { home })).stdout, /The MCP servers were not asked: .*in use by another/)
  } finally {
    await other.close(0)
  }
  const free = JSON.parse((await piped(['tools', '--json'], { home })).stdout) as Listed
  assert.deepEqual([statesIn(free), starts()], [STATES, 1])
})
