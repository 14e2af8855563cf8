// A question of one node is shown by all of them, and answered on any.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../../../src/log/ports.ts'
import type { ApprovalAnswer } from '../../../src/model/event.ts'
import { fault } from '../../../src/model/fault.ts'
import { err } from '../../../src/model/result.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { type PlainTool, toolbox } from '../../../src/tool/toolbox.ts'
import { gate } from '../../support/engine.ts'
import { whyNoPostgres } from '../../support/postgres.ts'
import type { Json } from '../http/client.ts'
import { isEvent } from '../http/frames.ts'
import { idOf, startPair, startThree } from './house.ts'

const skip = (await whyNoPostgres()) ?? false

const write = (ran: string[]): PlainTool => ({
  spec: { name: 'write', description: 'Writes', parameters: { type: 'object' } },
  approval: 'ask',
  run: async args => {
    ran.push(JSON.stringify(args))
    return { ok: true, outcome: 'written' }
  },
})

const approvalsIn = (items: readonly Json[]): readonly Json[] => items.map(({ approval, session }) => [approval, session])

/** What each answer leaves behind: the calls that ran, how many questions were asked, and the grants. */
const ANSWERS: Readonly<Record<ApprovalAnswer, { readonly ran: number; readonly asked: number; readonly grants: number }>> = {
  once: { ran: 2, asked: 2, grants: 0 },
  session: { ran: 2, asked: 1, grants: 1 },
  always: { ran: 2, asked: 1, grants: 1 },
  deny: { ran: 0, asked: 2, grants: 0 },
}

test('each answer counts when it is given on another node than the one that asks', { skip }, async t => {
  const ran: string[] = []
  const script = Object.keys(ANSWERS).flatMap(() => [calls('write', { n: 1 }), calls('write', { n: 2 }, 'c2'), says('Done.')])
  const nodes = await startThree(t, { provider: scriptedProvider(script), toolbox: toolbox([write(ran)]) })
  const [one, other, third] = nodes
  for (const [answer, expected] of Object.entries(ANSWERS)) {
    ran.length = 0
    const session = await one.client.open()
    const stream = await one.client.say(session, 'Write twice.')
    for (let asked = 0; asked < expected.asked; asked += 1) {
      const question = (await stream.until(isEvent('approval.asked'))).at(-1)?.data
      for (const { client } of nodes) {
        const { items } = await client.json(200, 'GET', '/api/approvals')
        assert.deepEqual(approvalsIn(items), [[question.approval, idOf(session)]])
      }
      const path = `/api/approvals/${question.approval}`
      await other.client.json(200, 'POST', path, { body: { answer } })
      for (const { client } of nodes) await client.problem(409, 'conflict', 'POST', path, { body: { answer: 'once' } })
    }
    assert.equal((await stream.rest()).at(-1)?.data.reason, 'done', answer)
    for (const { client } of nodes) {
      assert.deepEqual((await client.json(200, 'GET', '/api/approvals')).items, [])
      assert.equal((await client.json(200, 'GET', '/api/grants')).items.length, expected.grants, answer)
    }
    assert.equal(ran.length, expected.ran, answer)
    for (const { id } of (await third.client.json(200, 'GET', '/api/grants')).items)
      assert.equal((await third.client.ask('DELETE', `/api/grants/${id}`)).status, 204)
  }
})

test('a node that was told "always" on another one does not ask again, however slow that one is', { skip }, async t => {
  const ran: string[] = []
  const slow = gate()
  const provider = scriptedProvider([calls('write', { n: 1 }), calls('write', { n: 2 }, 'c2'), says('Done.')])
  const [one, other] = await startPair(t, index => ({
    ...{ provider, toolbox: toolbox([write(ran)]) },
    ...(index === 0 ? {} : { storing: log => withSlowGrants(log, slow.passed) }),
  }))
  const session = await one.client.open()
  const stream = await one.client.say(session, 'Write twice.')
  const question = (await stream.until(isEvent('approval.asked'))).at(-1)?.data
  const answered = other.client.json(200, 'POST', `/api/approvals/${question.approval}`, { body: { answer: 'always' } })
  const rest = await stream.until(({ event }) => event === 'turn.ended' || event === 'approval.asked')
  slow.open()
  await answered
  assert.equal(rest.at(-1)?.event, 'turn.ended')
  assert.deepEqual(ran, ['{"n":1}', '{"n":2}'])
  assert.equal((await one.client.json(200, 'GET', '/api/grants')).items.length, 1)
})

test('an answer of another node is heard although the store was away when it was read', { skip }, async t => {
  const ran: string[] = []
  let failures = 0
  const provider = scriptedProvider([calls('write', { n: 1 }), says('Done.')])
  const [one, other] = await startPair(t, index => ({
    ...{ provider, toolbox: toolbox([write(ran)]) },
    ...(index === 1 ? {} : { storing: log => ({ ...log, read: (...given) => (failures-- > 0 ? away() : log.read(...given)) }) }),
  }))
  const session = await one.client.open()
  await one.client.json(202, 'POST', `${session}/messages`, { body: { text: 'Write.' } })
  const stream = await other.client.follow(session)
  const question = (await stream.until(isEvent('approval.asked'))).at(-1)?.data
  // The next read of the first node is of what the other has written.
  failures = 1
  await other.client.json(200, 'POST', `/api/approvals/${question.approval}`, { body: { answer: 'once' } })
  assert.equal((await stream.until(isEvent('turn.ended'))).at(-1)?.data.reason, 'done')
  assert.deepEqual(ran, ['{"n":1}'])
  assert.ok(failures < 1)
  await stream.hangUp()
})

const away = async () => err(fault('store', 'the store is away'))

/** Keeps what is granted only when it may. */
const withSlowGrants = (log: Log, may: Promise<void>): Log => ({
  ...log,
  grants: {
    ...log.grants,
    add: async grant => {
      await may
      return log.grants.add(grant)
    },
  },
})
