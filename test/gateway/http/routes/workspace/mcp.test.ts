// MCP servers over HTTP: added and removed by the settings, looked at, restarted, and asked for what they offer.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startWorkspace } from '../../../../support/workspace.ts'
import { type Client, clientOf, type Json } from '../../client.ts'

const CHILD = join(import.meta.dirname, '../../../../tool/mcp-child.ts')
const TALKATIVE = { command: process.execPath, args: [CHILD, 'talkative'] }

const serverIn = async (client: Client, name: string): Promise<Json> =>
  (await client.json(200, 'GET', '/api/mcp')).items.find((each: Json) => each.name === name)

test('a server is added while the gateway runs, used, and removed', async t => {
  const { url } = await startWorkspace(t, { 'turnwise.json': {} }, { PATH: process.env.PATH ?? '' })
  const client = clientOf(url)
  assert.deepEqual(await client.json(200, 'GET', '/api/mcp'), { items: [] })
  await client.json(200, 'PATCH', '/api/settings', {
    body: {
      mcp: { s: TALKATIVE, bad: { command: process.execPath, args: [CHILD, 'broken'] } },
      tools: { approve: { 's__*': 'auto' } },
    },
  })
  await t.waitFor(async () => assert.equal((await serverIn(client, 's')).prompts, 1), { timeout: 20_000 })
  const { state, tools, signedIn } = await serverIn(client, 's')
  assert.deepEqual([state, tools.map((tool: Json) => tool.approval), signedIn], ['ready', ['auto', 'auto'], false])
  const { items } = await client.json(200, 'GET', '/api/tools')
  const nod = items.find((tool: Json) => tool.name === 's__nod')
  assert.deepEqual([nod.server, nod.rule], ['s', 's__*'])

  const restarted = await client.json(200, 'POST', '/api/mcp/s/restart')
  assert.deepEqual([restarted.state, restarted.restarts], ['ready', 1])
  const log = await client.json(200, 'GET', '/api/mcp/s/log')
  assert.ok(log.items.some(({ text }: Json) => text === 'starting: it is started again'))

  const resources = await client.json(200, 'GET', '/api/mcp/s/resources')
  assert.equal(resources.items[0].uri, 'notes://today/plan%20b.txt')
  const read = await client.json(200, 'POST', '/api/mcp/s/resources/read', { body: { uri: 'notes://cat.png' } })
  assert.deepEqual(read.parts, [{ type: 'image', name: 'cat.png', mediaType: 'image/png', data: 'iVBORw0KGgo=' }])
  const prompts = await client.json(200, 'GET', '/api/mcp/s/prompts')
  assert.equal(prompts.items[0].name, 'review')
  const body = { name: 'review', arguments: { code: 'x = 1' } }
  const filled = await client.json(200, 'POST', '/api/mcp/s/prompts/get', { body })
  assert.equal(filled.text, 'Review this: x = 1')

  await t.waitFor(async () => assert.equal((await serverIn(client, 'bad')).state, 'down'), { timeout: 20_000 })
  const ready = await client.json(200, 'GET', '/readyz')
  assert.ok(
    ready.reasons.some((reason: string) => reason.startsWith('mcp: the server "bad" is down')),
    ready.reasons.join('\n'),
  )
  await client.problem(502, 'unreachable', 'GET', '/api/mcp/bad/resources')
  await client.problem(404, 'not-found', 'GET', '/api/mcp/elsewhere/log')

  await client.json(200, 'PATCH', '/api/settings', { body: { mcp: null } })
  assert.deepEqual(await client.json(200, 'GET', '/api/mcp'), { items: [] })
})
