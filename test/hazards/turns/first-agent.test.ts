// Making the first agent takes nothing away: Assistant, who was there without a file, stays, and stays the first.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Client, clientOf, type Json } from '../../gateway/http/client.ts'
import type { Scope } from '../../support/gateway.ts'
import { startWorkspace } from '../../support/workspace.ts'

const CY = { name: 'Cy', prompt: 'You are Cy.' }
const PLAIN = { name: 'Assistant', prompt: '' }

async function start(t: Scope, file?: object): Promise<{ readonly client: Client; readonly agents: () => Json }> {
  const { url, home } = await startWorkspace(t, file === undefined ? {} : { 'agents.json': file })
  const agents = (): Json => JSON.parse(readFileSync(join(home, 'agents.json'), 'utf8').replace(/^\/\/.*\n/gm, '')).agents
  return { client: clientOf(url), agents }
}

const put = (client: Client, key: string, body: object): Promise<Json> => client.json(200, 'PUT', `/api/agents/${key}`, { body })

const keysOf = async (client: Client): Promise<string[]> =>
  (await client.json(200, 'GET', '/api/agents')).items.map(({ key }: Json) => key)

const agentIn = async (client: Client, session: string): Promise<string> => (await client.json(200, 'GET', session)).agent

const wouldSend = async (client: Client, session: string): Promise<Json> =>
  (await client.json(200, 'POST', `${session}/context`, { body: { text: 'Hello' } })).request.body

test('the first agent removed Assistant: now its chats keep it, and new and imported ones still go to it', async t => {
  const { client, agents } = await start(t)
  const earlier = await client.open()
  await client.talk(earlier, 'Hello')
  const before = await wouldSend(client, earlier)
  await put(client, 'cy', CY)
  assert.deepEqual(Object.entries(agents()), [
    ['assistant', PLAIN],
    ['cy', CY],
  ])
  assert.deepEqual(await keysOf(client), ['assistant', 'cy'])
  assert.deepEqual(await client.json(200, 'GET', '/api/agents/assistant'), { key: 'assistant', ...PLAIN })
  assert.equal(await agentIn(client, earlier), 'assistant')
  assert.deepEqual(await wouldSend(client, earlier), before, 'it says what it said before')
  assert.equal(await agentIn(client, await client.open()), 'assistant')
  const chat = `${JSON.stringify({ messages: [{ role: 'user', content: 'From elsewhere' }] })}\n`
  const headers = { 'content-type': 'application/octet-stream' }
  await client.json(200, 'POST', '/api/import?format=openai', { body: chat, headers })
  const { items } = await client.json(200, 'GET', '/api/sessions')
  assert.deepEqual(
    items.map(({ agent }: Json) => agent),
    ['assistant', 'assistant', 'assistant'],
  )
})

test('several first agents that come at once find Assistant before them, once', async t => {
  const { client } = await start(t)
  const keys = ['a1', 'a2', 'a3', 'a4']
  await Promise.all(keys.map(key => put(client, key, { name: key, prompt: 'x' })))
  const [first, ...others] = await keysOf(client)
  assert.deepEqual([first, others.toSorted()], ['assistant', keys])
})

test('a file that somebody brings is taken as it is; one that names nobody still had Assistant', async t => {
  const brought = await start(t, { agents: { ann: { name: 'Ann', prompt: 'You ask.' } } })
  await put(brought.client, 'cy', CY)
  assert.deepEqual(Object.keys(brought.agents()), ['ann', 'cy'])
  const empty = await start(t, { agents: {} })
  await put(empty.client, 'cy', CY)
  assert.deepEqual(Object.keys(empty.agents()), ['assistant', 'cy'])
  const own = await start(t)
  await put(own.client, 'assistant', { name: 'Helper', prompt: 'You help.' })
  await put(own.client, 'cy', CY)
  assert.deepEqual(Object.entries(own.agents()), [
    ['assistant', { name: 'Helper', prompt: 'You help.' }],
    ['cy', CY],
  ])
})

test('a person may take Assistant out, and bring it back without a text; any other agent needs one', async t => {
  const { client } = await start(t)
  const session = await client.open()
  await put(client, 'cy', CY)
  assert.equal((await client.ask('DELETE', '/api/agents/assistant')).status, 204)
  await put(client, 'di', { name: 'Di', prompt: 'You are Di.' })
  assert.deepEqual(await keysOf(client), ['cy', 'di'], 'it does not come back by itself')
  await put(client, 'assistant', PLAIN)
  assert.deepEqual(await keysOf(client), ['cy', 'di', 'assistant'])
  assert.equal(await agentIn(client, session), 'assistant')
  assert.equal(await agentIn(client, await client.open()), 'cy')
  const { detail } = await client.problem(400, 'invalid', 'PUT', '/api/agents/ed', { body: { name: 'Ed', prompt: '' } })
  assert.equal(detail, 'prompt: "" must not be empty')
})
