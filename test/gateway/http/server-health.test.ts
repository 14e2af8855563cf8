// What readiness and the metrics say of MCP servers: bounded, on one line each, and nothing of one that is well or starting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverGauges, serverReasons } from '../../../src/gateway/http/server-health.ts'

type Standing = Parameters<typeof serverReasons>[0][number]

const server = (name: string, state: Standing['state'], message: string | null = null, tools = 0): Standing => ({
  name,
  state,
  message,
  tools: Array.from({ length: tools }, (_, place) => ({ name: `${name}__${place}`, description: '', approval: 'ask' as const })),
})

test('each server that people have to see to is a reason', () => {
  const servers = [
    server('new', 'starting', 'it is started again'),
    server('well', 'ready', 'a tool is left out'),
    server('files', 'down', 'its command was not found\n(ENOENT)'),
    server('docs', 'sign-in', 'it wants a person to sign in'),
    server('"odd"', 'refused', 'its name is odd'),
  ]
  assert.deepEqual(serverReasons(servers), [
    'mcp: the server "files" is down: its command was not found (ENOENT)',
    'mcp: the server "docs" wants a person to sign in',
    'mcp: the server "\\"odd\\"" is refused: its name is odd',
  ])
})

test('reasons are bounded in length and number', () => {
  const many = Array.from({ length: 50 }, (_, place) => server(`s${place}`, 'down', 'x'.repeat(5000)))
  const reasons = serverReasons(many)
  assert.equal(reasons.length, 11)
  assert.equal(reasons.at(-1), 'mcp: 40 more servers are not ready')
  assert.ok(reasons.every(reason => reason.length <= 300))
})

test('the metrics count servers by state and their tools, also where there are none', () => {
  const gauges = serverGauges([server('a', 'ready', null, 2), server('b', 'ready', null, 1), server('c', 'down')])
  assert.deepEqual(gauges, {
    'turnwise_mcp_servers{state="starting"}': 0,
    'turnwise_mcp_servers{state="ready"}': 2,
    'turnwise_mcp_servers{state="down"}': 1,
    'turnwise_mcp_servers{state="refused"}': 0,
    'turnwise_mcp_servers{state="sign-in"}': 0,
    turnwise_mcp_tools: 3,
  })
  assert.ok(Object.values(serverGauges([])).every(value => value === 0))
})
