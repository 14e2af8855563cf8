// What `turnwise doctor` says of MCP servers and of rules for tools, with a gateway and without one.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { serverRemedy, serverWords } from '../../../../src/gateway/cli/output/server-words.ts'
import { listen, newerDoor } from '../../../tool/mcp-http.ts'
import { piped } from '../in-process.ts'
import { serve, tempHome } from '../turnwise.ts'

const SECRET = 'canary-0123456789-header'
const RULES = { 'docs__*': 'auto', docs__ghost: 'ask', 'gone__*': 'auto', frob: 'never', read_skill: 'auto', 'd*': 'ask' }

type Check = { readonly name: string; readonly state: string; readonly found: string; readonly remedy?: string }

async function workspaceWithServers(t: TestContext): Promise<string> {
  const home = tempHome(t)
  mkdirSync(home)
  const { url } = await listen(t, newerDoor)
  const mcp = {
    docs: { url, headers: { authorization: `Bearer ${SECRET}` } },
    gone: { url: `http://127.0.0.1:9/mcp`, headers: { authorization: `Bearer ${SECRET}` } },
    'Odd One': { url },
  }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ mcp, tools: { approve: RULES } }), { mode: 0o600 })
  return home
}

async function checksIn(home: string): Promise<readonly Check[]> {
  const { code, stdout } = await piped(['doctor', '--json'], { home, env: { TURNWISE_PORT: '0' } })
  assert.equal(code, 0, stdout)
  assert.ok(!stdout.includes(SECRET))
  return (JSON.parse(stdout) as { checks: readonly Check[] }).checks
}

function assertServersAndRules(checks: readonly Check[]): void {
  const row = (name: string) => checks.find(check => check.name === name)
  assert.equal(row('MCP docs')?.state, 'ok')
  assert.match(row('MCP docs')?.found ?? '', /^ready, \d+ tools$/)
  assert.deepEqual(row('MCP gone'), {
    name: 'MCP gone',
    state: 'warn',
    found: 'down: no server listens at its address (ECONNREFUSED)',
    remedy: 'check that it runs, and mcp.gone.url and its headers in turnwise.json',
  })
  assert.match(row('MCP Odd One')?.found ?? '', /^refused by the settings: /)
  assert.equal(row('MCP Odd One')?.remedy, 'change mcp.Odd One in turnwise.json, or take it out')
  assert.match(row('tools')?.found ?? '', /^\d\d tools$/, 'those of servers count')
  assert.deepEqual(
    checks.filter(({ name }) => name === 'rules').map(({ state, found }) => [state, found]),
    [
      ['warn', 'tools.approve: "docs__ghost" matches no tool'],
      ['warn', 'tools.approve: "frob" matches no tool'],
    ],
    'the tools of a server that is down are not known',
  )
}

test('alone, doctor tries every server', async t => {
  assertServersAndRules(await checksIn(await workspaceWithServers(t)))
})

test('with a gateway, doctor asks it', async t => {
  const home = await workspaceWithServers(t)
  await serve(t, { home })
  assertServersAndRules(await checksIn(home))
})

test('there are words and a remedy for every state', () => {
  const base = { name: 's', kind: 'process', message: 'why', tools: [] } as const
  const rows = (['ready', 'starting', 'down', 'refused', 'sign-in'] as const).map(state => {
    const server = { ...base, state, message: state === 'ready' ? null : 'why' }
    return [serverWords(server), serverRemedy(server) !== undefined]
  })
  assert.deepEqual(rows, [
    ['ready, 0 tools', false],
    ['starting: it has not answered yet', true],
    ['down: why', true],
    ['refused by the settings: why', true],
    ['needs sign-in: it wants a person to sign in', true],
  ])
})
