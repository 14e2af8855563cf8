// Approvals over HTTP: seen, answered once, told to whoever follows; and skills and tools as they are listed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunFacts } from '../../../../src/model/approval.ts'
import type { SessionId } from '../../../../src/model/ids.ts'
import { type PlainTool, type Tool, toolbox } from '../../../../src/tool/toolbox.ts'
import { isEvent as isEngineEvent, until } from '../../../support/engine.ts'
import { startGateway } from '../../../support/gateway.ts'
import { clientOf } from '../client.ts'
import { isEvent } from '../frames.ts'

const write = (ran: string[]): PlainTool => ({
  spec: { name: 'write', description: 'Writes', parameters: { type: 'object' } },
  approval: 'ask',
  run: async args => {
    ran.push(JSON.stringify(args))
    return { ok: true, outcome: 'written' }
  },
})

test('a call waits, is listed with what would be run, and the first answer counts', async t => {
  const ran: string[] = []
  const { url, engine } = await startGateway(t, { toolbox: toolbox([write(ran)]) })
  const client = clientOf(url)
  const session = await client.open()
  const stream = await client.say(session, 'use write {"x":1}')
  const heard = await stream.until(isEvent('approval.asked'))
  const asked = heard.at(-1)?.data
  assert.deepEqual([asked.tool, asked.argv], ['write', ['write', '{"x":1}']])
  const { items } = await client.json(200, 'GET', '/api/approvals')
  assert.deepEqual(
    items.map(({ approval, tool, session: id }: Record<string, string>) => [approval, tool, id]),
    [[asked.approval, 'write', session.split('/').at(-1)]],
  )
  assert.ok(Date.parse(items[0].expiresAt) - Date.parse(items[0].at) === 24 * 3_600_000)

  const path = `/api/approvals/${asked.approval}`
  await client.problem(400, 'invalid', 'POST', path, { body: { answer: 'perhaps' } })
  await client.problem(404, 'not-found', 'POST', '/api/approvals/apr_nobody', { body: { answer: 'once' } })
  assert.deepEqual(ran, [])
  assert.deepEqual(await client.json(200, 'POST', path, { body: { answer: 'once' } }), {})
  await client.problem(409, 'conflict', 'POST', path, { body: { answer: 'deny' } })
  const rest = await stream.rest()
  assert.equal(rest.find(isEvent('approval.answered'))?.data.answer, 'once')
  assert.equal(rest.at(-1)?.data.reason, 'done')
  assert.deepEqual(ran, ['{"x":1}'])
  assert.deepEqual((await client.json(200, 'GET', '/api/approvals')).items, [])
  assert.deepEqual(engine.approvals(), [])
})

/** What a tool of a skill, of a server and with a resolver would show, all at once. */
const FACTS: RunFacts = {
  binary: { path: '/opt/write', sha256: 'ab'.repeat(32) },
  env: ['HOME', 'NOTES'],
  server: { name: 'files', command: ['files', '--root'], sha256: 'aa'.repeat(32), schema: 'bb'.repeat(32) },
  resolver: [{ param: 'to', at: 1, argv: ['where', 'x'], binary: { path: '/opt/where', sha256: 'cd'.repeat(32) } }],
  descriptor: 'ef'.repeat(32),
}

test('a question carries everything its answer is bound to, and what was granted is listed and taken back', async t => {
  const tool: Tool = {
    spec: { name: 'write', description: 'Writes', parameters: { type: 'object' } },
    ...{ approval: 'ask', parallel: false, idempotent: false },
    prepare: async () => ({ argv: ['write', '<to>'], facts: FACTS, run: async () => ({ ok: true, outcome: 'written' }) }),
  }
  const { url } = await startGateway(t, { toolbox: toolbox([tool]) })
  const client = clientOf(url)
  const session = await client.open()
  const stream = await client.say(session, 'use write {}')
  const asked = (await stream.until(isEvent('approval.asked'))).at(-1)?.data
  const carried = ({ binary, env, server, resolver, descriptor }: RunFacts): RunFacts =>
    ({ binary, env, server, resolver, descriptor }) as RunFacts
  assert.deepEqual(carried(asked), FACTS)
  const { items } = await client.json(200, 'GET', '/api/approvals')
  assert.deepEqual(carried(items[0]), FACTS)
  await client.json(200, 'POST', `/api/approvals/${asked.approval}`, { body: { answer: 'session' } })
  await stream.rest()

  const granted = await client.json(200, 'GET', '/api/grants')
  assert.equal(granted.items.length, 1)
  const [{ id, tool: name, session: of, facts }] = granted.items
  assert.deepEqual([name, of, facts.binary], ['write', session.split('/').at(-1), FACTS.binary])
  assert.deepEqual(facts.resolver[0].argv, ['where'], 'a grant is for any arguments')
  assert.equal((await client.ask('DELETE', `/api/grants/${id}`)).status, 204)
  await client.problem(404, 'not-found', 'DELETE', `/api/grants/${id}`)
  const again = await client.say(session, 'use write {}')
  await again.until(isEvent('approval.asked'))
})

test('deleting a session whose turn waits takes the question with it', async t => {
  const { url, engine } = await startGateway(t, { toolbox: toolbox([write([])]) })
  const client = clientOf(url)
  const session = await client.open()
  await client.json(202, 'POST', `${session}/messages`, { body: { text: 'use write {}' } })
  await until(engine, session.split('/').at(-1) as SessionId, signal => isEngineEvent(signal, 'approval.asked'))
  assert.equal((await client.ask('DELETE', session)).status, 204)
  assert.deepEqual((await client.json(200, 'GET', '/api/approvals')).items, [])
})

test('tools are listed as they are sent, with what it takes to run them', async t => {
  const { url } = await startGateway(t, { toolbox: toolbox([write([])]) })
  const { items } = await clientOf(url).json(200, 'GET', '/api/tools')
  assert.deepEqual(items, [
    {
      ...{ name: 'write', description: 'Writes', parameters: { type: 'object' } },
      ...{ approval: 'ask', parallel: false, idempotent: false, server: null, rule: null },
    },
  ])
  assert.deepEqual(await clientOf(url).json(200, 'GET', '/api/skills'), { items: [], troubles: [] })
})
