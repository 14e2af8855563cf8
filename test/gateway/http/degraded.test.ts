// Rulings, "Seed 2": context never blocks a message, and comes back by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { houseParts } from '../../../src/turn/equipment/workspace-text.ts'
import { startGateway } from '../../support/gateway.ts'
import { clientOf, type Json } from './client.ts'
import { isEvent } from './frames.ts'

/** Long enough for every read that answers, also on a busy machine. */
const HISTORY_MS = 700

const never = new Promise<never>(() => undefined)

test('a store that is too slow costs the earlier messages, never the answer, and says so everywhere', async t => {
  let isSlow = false
  const agents = [{ key: 'one', name: 'One', prompt: 'You are one.', policy: 'recent' }]
  const { url } = await startGateway(t, {
    agents: () => agents,
    house: { parts: async agent => houseParts(agent, { agentsMd: 'The house is quiet.' }) },
    limits: { historyMs: HISTORY_MS },
    storing: log => ({ ...log, past: (...asked) => (isSlow ? never : log.past(...asked)) }),
  })
  const client = clientOf(url)
  const session = await client.open()
  await client.talk(session, 'one', 'two')
  await client.json(200, 'POST', `${session}/marks`, { body: { seq: 1, mark: 'pin' } })
  const receiptOf = (frames: readonly Json[]): Json => frames.find(isEvent('context.planned'))?.data.receipt
  const reasons = ({ in: sent, out }: Json): string[] => [...sent, ...out].map(line => line.reason)

  isSlow = true
  const frames = await (await client.say(session, 'three')).rest()
  assert.equal(frames.at(-1)?.data.reason, 'done')
  const receipt = receiptOf(frames)
  assert.deepEqual(receipt.degraded, { reason: `the history was not read within ${HISTORY_MS} ms` })
  assert.deepEqual(reasons(receipt), ['system.agent', 'system.agents-md', 'current.message', 'out.store-unavailable'])
  assert.equal(receipt.out[0].count, 4)
  const notice = frames.find(isEvent('notice'))
  assert.deepEqual([notice?.data.kind, notice?.data.turn], ['degraded', frames.at(-1)?.data.turn])
  assert.match(await (await client.ask('GET', '/metrics')).text(), /\nturnwise_degraded_total 1\n/)

  isSlow = false
  const back = receiptOf(await (await client.say(session, 'four')).rest())
  assert.equal(back.degraded, null)
  assert.ok(reasons(back).includes('pin.person') && reasons(back).includes('recent.window'))
  for (const { turn } of (await client.events(session)).filter(event => event.type === 'turn.started'))
    assert.equal((await client.json(200, 'GET', `${session}/turns/${turn}/context`)).verified, true)
})
