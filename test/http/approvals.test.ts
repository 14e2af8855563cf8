// Approvals over HTTP: seen, answered once, told to whoever follows; and skills and tools as they are listed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionId } from '../../src/model/ids.ts'
import { type PlainTool, toolbox } from '../../src/tool/toolbox.ts'
import { isEvent as isEngineEvent, until } from '../support/engine.ts'
import { startGateway } from '../support/gateway.ts'
import { clientOf } from './client.ts'
import { isEvent } from './frames.ts'

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
    { name: 'write', description: 'Writes', parameters: { type: 'object' }, approval: 'ask', parallel: false, idempotent: false },
  ])
  assert.deepEqual(await clientOf(url).json(200, 'GET', '/api/skills'), { items: [], troubles: [] })
})
