// Commands beside a gateway whose settings name MCP servers: they end at once, and start none of the servers.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findAnsweringEngine } from '../../../src/gateway/cli/talk/answering-engine.ts'
import { openWorkspace } from '../../../src/gateway/workspace/workspace.ts'
import { cleanEnvironment, serve, start, tempHome, turnwise } from '../../gateway/cli/turnwise.ts'
import { leftovers, putProgram } from '../../tool/ground.ts'

const CHILD = join(import.meta.dirname, '../../tool/mcp-child.ts')

type Servers = {
  readonly home: string
  /** How often the living server was started. */
  readonly starts: () => number
  /** Processes of the living server that are still there. */
  readonly alive: () => readonly number[]
}

/** A workspace whose settings name a server that answers, one that does not exist and one that ends at once. */
function workspaceWithServers(t: TestContext): Servers {
  const home = tempHome(t)
  mkdirSync(home)
  const [mark, record] = [randomUUID(), join(home, 'starts')]
  const living = putProgram(
    join(home, 'living'),
    `#!/bin/sh\necho started >> '${record}'\nexec '${process.execPath}' '${CHILD}' both\n`,
  )
  const mcp = {
    living: { command: living, env: { TEST_MARK: mark } },
    dead: { command: 'no-such-binary' },
    broken: { command: 'false' },
  }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ mcp }))
  return {
    home,
    starts: () => (existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n').length : 0),
    alive: () => leftovers(mark),
  }
}

const ARCHIVE = JSON.stringify({ messages: [{ role: 'user', content: 'from elsewhere' }] })

test('ask, chat, import and a second gateway end beside a gateway with MCP servers, and start none', {
  timeout: 60_000,
}, async t => {
  const { home, starts, alive } = workspaceWithServers(t)
  const gateway = await serve(t, { home })
  writeFileSync(join(home, 'one.jsonl'), `${ARCHIVE}\n`)
  const [asked, chatted, imported, again] = await Promise.all([
    turnwise(['ask', 'hello'], { home }),
    turnwise(['chat'], { home, input: 'hello\n' }),
    turnwise(['import', join(home, 'one.jsonl')], { home }),
    turnwise(['serve'], { home, env: { TURNWISE_PORT: '0' } }),
  ])
  assert.deepEqual([asked.code, chatted.code, imported.code, again.code], [0, 0, 0, 1], imported.stderr + again.stderr)
  assert.match(asked.stdout, /You said: “hello”/)
  assert.equal(starts(), 1, 'the gateway’s own')
  assert.equal((await gateway.stop()).code, 0)
  assert.deepEqual(alive(), [])
})

test('whoever waits for the lock starts its servers once, when it has the lock, and Ctrl+C leaves none behind', {
  timeout: 60_000,
}, async t => {
  const { home, starts, alive } = workspaceWithServers(t)
  const slow = start(['ask', 'say 400 words'], { home, env: { TURNWISE_DEMO_DELAY_MS: '50' } })
  await slow.says(' ')
  assert.equal(starts(), 1)
  const environment = cleanEnvironment(home)
  const workspace = openWorkspace(environment, { create: false })
  assert.ok(workspace.ok)
  const { promise: waits, resolve } = Promise.withResolvers<void>()
  const finding = findAnsweringEngine(workspace.value, environment, new AbortController().signal, resolve)
  await waits
  assert.equal(starts(), 1, 'the lock is tried first')
  slow.child.kill('SIGINT')
  assert.equal((await slow.ended).code, 130)
  const found = await finding
  assert.ok(found.ok && found.value.isAlone)
  await t.waitFor(() => assert.equal(starts(), 2), { timeout: 30_000 })
  await found.value.close()
  assert.deepEqual(alive(), [])
})

test('a gateway that cannot begin ends the servers it had started', { timeout: 60_000 }, async t => {
  const { home, alive } = workspaceWithServers(t)
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  const { port } = taken.address() as { port: number }
  const { code, stderr } = await turnwise(['serve'], { home, env: { TURNWISE_PORT: String(port) } })
  assert.equal(code, 1)
  assert.match(stderr, /port \d+ is taken/)
  assert.deepEqual(alive(), [])
})
