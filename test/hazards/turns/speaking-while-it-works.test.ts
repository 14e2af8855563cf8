import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delta } from '../../../src/model/message/delta.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { engineWith, eventsOf, gate, isEvent, openSession, until } from '../../support/engine.ts'

test('a message sent while a tool runs is heard by the next step, and no second turn is due', async () => {
  const running = gate()
  const finish = gate()
  const slow = {
    spec: { name: 'slow', description: 'Takes its time', parameters: { type: 'object' } },
    run: async () => {
      running.open()
      await finish.passed
      return { ok: true, outcome: 'done at last' }
    },
  }
  const provider = scriptedProvider([calls('slow', {}), says('In Celsius then.')])
  const engine = engineWith({ provider, toolbox: toolbox([slow]) })
  const session = await openSession(engine)
  await engine.say({ session, text: 'Weather?', from: 'person' })
  await running.passed
  const steered = await engine.say({ session, text: 'In Celsius.', from: 'person' })
  assert.deepEqual(steered.ok && steered.value.turns, [], 'a running turn may hear it')
  finish.open()
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  await engine.close()
  assert.equal(provider.requests.length, 2)
  assert.match(provider.requests[1]?.body ?? '', /done at last.*In Celsius\./s, 'after the results it interrupted')
  const events = await eventsOf(engine, session)
  assert.equal(events.filter(event => event.type === 'turn.started').length, 1)
})

test('a message that came too late for the running turn starts the next one', async () => {
  const speaking = gate()
  const finish = gate()
  async function* slow(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'one' }
    speaking.open()
    await finish.passed
    yield { type: 'done' }
  }
  const provider = scriptedProvider([slow, says('two')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  await engine.say({ session, text: 'first', from: 'person' })
  await speaking.passed
  const second = await engine.say({ session, text: 'second', from: 'person' })
  const third = await engine.say({ session, text: 'third', from: 'person' })
  assert.ok(second.ok && third.ok)
  finish.open()
  let ended = 0
  await until(engine, session, signal => {
    if (isEvent(signal, 'turn.ended')) ended += 1
    return ended === 2
  })
  const started = (await eventsOf(engine, session)).flatMap(event => (event.type === 'turn.started' ? [event.cause] : []))
  assert.deepEqual(started, [1, second.value.seq], 'one turn answers both that waited')
  assert.match(provider.requests[1]?.body ?? '', /second.*third/s)
})

test('a hundred messages at once are all heard, in order, without a gap', async () => {
  const engine = engineWith({})
  const session = await openSession(engine)
  const said = await Promise.all(
    Array.from({ length: 100 }, (_, index) => engine.say({ session, text: `message ${index}`, from: 'person' })),
  )
  const seqs = said.map(each => (each.ok ? each.value.seq : 0))
  await until(engine, session, signal => isEvent(signal, 'context.planned') && signal.event.receipt.through >= Math.max(...seqs))
  await engine.close()
  const events = await eventsOf(engine, session)
  assert.deepEqual(
    events.map(event => event.seq),
    events.map((_, index) => index + 1),
  )
  assert.equal(events.filter(event => event.type === 'message.received').length, 100)
  assert.equal(
    events.filter(event => event.type === 'turn.started').length,
    events.filter(event => event.type === 'turn.ended').length,
  )
})

test('the same key twice is one message and one request', async () => {
  const provider = scriptedProvider([says('once')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  const inbound = { session, text: 'hello', from: 'person', key: 'k' }
  const [first, second] = await Promise.all([engine.say(inbound), engine.say(inbound)])
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  const third = await engine.say(inbound)
  assert.deepEqual([first.ok && first.value.seq, second.ok && second.value.seq, third.ok && third.value.seq], [1, 1, 1])
  assert.equal(provider.requests.length, 1)
  const other = await engine.say({ ...inbound, text: 'something else' })
  assert.equal(!other.ok && other.fault.kind, 'conflict')
})

test('hanging up does not stop the turn', async () => {
  const speaking = gate()
  const finish = gate()
  async function* slow(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'a long ' }
    speaking.open()
    await finish.passed
    yield { type: 'text', text: 'story' }
    yield { type: 'done' }
  }
  const engine = engineWith({ provider: scriptedProvider([slow]) })
  const session = await openSession(engine)
  await engine.say({ session, text: 'go', from: 'person' })
  await until(engine, session, signal => signal.type === 'delta')
  await speaking.passed
  finish.open()
  const signals = await until(engine, session, signal => isEvent(signal, 'reply.finished'))
  const reply = signals.at(-1)
  assert.deepEqual(reply?.type === 'event' && reply.event.type === 'reply.finished' && reply.event.parts, [
    { type: 'text', text: 'a long story' },
  ])
})
