// What a person does to a session works on any node, also while another one runs its turns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calls, type ScriptedReply, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { type PlainTool, toolbox } from '../../../src/tool/toolbox.ts'
import { gate } from '../../support/engine.ts'
import { whyNoPostgres } from '../../support/postgres.ts'
import type { Json } from '../http/client.ts'
import { isEvent } from '../http/frames.ts'
import { idOf, startThree } from './house.ts'

const skip = (await whyNoPostgres()) ?? false

/** Says something and then nothing more until it is stopped. */
const endless = (onStop: () => void = () => {}): ScriptedReply =>
  async function* (_, signal) {
    yield { type: 'text', text: 'Once' }
    await new Promise(resolve => signal.addEventListener('abort', resolve))
    onStop()
  }

test('a session that is deleted on another node than the one that runs it ends for everyone', { skip }, async t => {
  const stopped = gate()
  const [one, other, third] = await startThree(t, { provider: scriptedProvider([endless(stopped.open)]) })
  const session = await one.client.open()
  const said = await one.client.say(session, 'Tell me a story')
  const readers = await Promise.all([one, other, third].map(({ client }) => client.follow(session)))
  for (const reader of readers) await reader.until(isEvent('delta'))
  assert.equal((await other.client.ask('DELETE', session)).status, 204)
  await stopped.passed
  for (const reader of [...readers, said]) {
    const last = (await reader.rest()).at(-1)
    assert.ok(last?.event === 'turn.ended' || (last?.event === 'fault' && last.data.kind === 'not-found'), JSON.stringify(last))
  }
  for (const { client } of [one, other, third]) {
    await client.problem(404, 'not-found', 'GET', session)
    assert.deepEqual((await client.json(200, 'GET', '/api/sessions')).items, [])
  }
})

test('a message that comes in on another node is heard by the next step of the turn, and its stream ends with the answer', {
  skip,
}, async t => {
  const [looking, goOn] = [gate(), gate()]
  const look: PlainTool = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => {
      looking.open()
      await goOn.passed
      return { ok: true, outcome: 'found' }
    },
  }
  const provider = scriptedProvider([calls('look', {}), says('Two gulls.')])
  const [one, other, third] = await startThree(t, { provider, toolbox: toolbox([look]) })
  const session = await one.client.open()
  await one.client.json(202, 'POST', `${session}/messages`, { body: { text: 'What is there?' } })
  await looking.passed
  const stream = await other.client.say(session, 'Count the gulls, too.')
  assert.equal((await stream.next())?.data.text, 'Count the gulls, too.')
  // Marks and a new name come from a third node meanwhile.
  await third.client.json(200, 'POST', `${session}/marks`, { body: { seq: 1, mark: 'pin' } })
  assert.equal((await third.client.json(200, 'PATCH', session, { body: { title: 'Gulls' } })).title, 'Gulls')
  for (const { client } of [one, other]) assert.equal((await client.json(200, 'GET', session)).title, 'Gulls')
  goOn.open()
  assert.equal((await stream.rest()).at(-1)?.data.reason, 'done')
  assert.match(provider.requests[1]?.body ?? '', /Count the gulls, too\./)
  const events = await third.client.events(session)
  assert.equal(events.filter(({ type }) => type === 'turn.ended').length, 1)
  assert.equal(events.filter(({ type }) => type === 'message.marked').length, 1)
  assert.equal(provider.requests.length, 2)
})

test('a turn is stopped on a second node and gone on with on a third', { skip }, async t => {
  const provider = scriptedProvider([endless(), says('upon a time.')])
  const [one, other, third] = await startThree(t, { provider })
  const session = await one.client.open()
  const { turns } = await one.client.json(202, 'POST', `${session}/messages`, { body: { text: 'Tell me a story' } })
  const reader = await third.client.follow(session)
  await reader.until(isEvent('delta'))
  assert.deepEqual(await other.client.json(200, 'POST', `${session}/cancel`, { body: {} }), { turns })
  assert.equal((await reader.until(isEvent('turn.ended'))).at(-1)?.data.reason, 'cancelled')
  const [turn] = turns
  await third.client.json(202, 'POST', `${session}/resume`, { body: { turn } })
  assert.equal((await reader.until(isEvent('turn.ended'))).at(-1)?.data.reason, 'done')
  await reader.hangUp()
  await other.client.problem(409, 'conflict', 'POST', `${session}/resume`, { body: { turn } })
})

test('a fork is made on another node while the turn runs, and goes its own way on a third', { skip }, async t => {
  const provider = scriptedProvider([says('Blue.'), endless(), says('Red, then.')])
  const [one, other, third] = await startThree(t, { provider })
  const session = await one.client.open()
  await one.client.talk(session, 'Which colour?')
  await one.client.json(202, 'POST', `${session}/messages`, { body: { text: 'Another one?' } })
  const reader = await other.client.follow(session)
  const started = (await reader.until(isEvent('delta'))).findLast(isEvent('turn.started'))
  const fork = await other.client.json(201, 'POST', `${session}/fork`, { body: { at: started?.id } })
  const path = `/api/sessions/${fork.id}`
  await third.client.talk(path, 'And the third?')
  const events = await one.client.events(path)
  assert.deepEqual(
    events.filter(({ type }) => type === 'turn.ended').map(({ reason }) => reason),
    ['done', 'interrupted', 'done'],
  )
  assert.match(JSON.stringify(events.at(-2).parts), /Red, then/)
  // The parent runs on, untouched.
  const last = (await one.client.events(session)).at(-1)
  assert.equal(last.type, 'context.planned')
  await one.client.json(200, 'POST', `${session}/cancel`, { body: {} })
  await reader.until(isEvent('turn.ended'))
  await reader.hangUp()
  for (const id of [session, path])
    for await (const { verdict, detail } of other.engine.verify(idOf(id))) assert.equal(verdict, 'identical', detail ?? '')
})

test('the same message sent to several nodes at once is one message with one answer', { skip }, async t => {
  const nodes = await startThree(t)
  const [one] = nodes
  for (let round = 1; round <= 4; round += 1) {
    const session = await one.client.open()
    const asked = { body: { text: 'say 2 words' }, headers: { 'idempotency-key': `key-${round}` } }
    const answers = await Promise.all(nodes.map(({ client }) => client.json(202, 'POST', `${session}/messages`, asked)))
    assert.deepEqual([...new Set(answers.map(({ seq }) => seq))], [1])
    const reader = await one.client.follow(session)
    await reader.until(isEvent('turn.ended'))
    await reader.hangUp()
    const events: Json[] = await one.client.events(session)
    const count = (type: string): number => events.filter(event => event.type === type).length
    assert.deepEqual([count('message.received'), count('turn.started'), count('reply.finished')], [1, 1, 1])
  }
})
