// Speaking while somebody answers: every message is heard once, its own stream ends, and the next request tells it in order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../src/model/fault.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { calls, type ScriptedReply, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { clientOf, type Json } from '../../gateway/http/client.ts'
import type { Frame } from '../../gateway/http/frames.ts'
import { gate } from '../../support/engine.ts'
import { startGateway } from '../../support/gateway.ts'

/** What a request says, a line for each block: who, and what. */
const linesOf = (body: string | undefined): readonly string[] =>
  JSON.parse(body ?? '{}').messages.flatMap(({ role, blocks }: Json) =>
    blocks.map((block: Json) => `${role}: ${block.text ?? block.tool}`),
  )

const eventsIn = (frames: readonly Frame[]): readonly string[] =>
  frames.flatMap(({ id, event }) => (id === undefined ? [] : [event]))

/** A reply that waits in the middle until it is let go. */
function held(first: string, rest: readonly Delta[]): { reply: ScriptedReply; speaking: Promise<void>; release: () => void } {
  const speaking = gate()
  const released = gate()
  async function* reply(): AsyncGenerator<Delta> {
    yield { type: 'text', text: first }
    speaking.open()
    await released.passed
    yield* rest
  }
  return { reply, speaking: speaking.passed, release: released.open }
}

test('too late for the running turn, a message starts the next one, which reads the earlier answer before it', async t => {
  const { reply, speaking, release } = held('One', says(', two.'))
  const provider = scriptedProvider([reply, says('Three.'), says('Four.')])
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open()
  const first = await client.say(session, 'Count')
  await speaking
  const second = await client.say(session, 'Go on')
  release()
  const [one, two] = await Promise.all([first.rest(), second.rest()])
  const whole = ['message.received', 'turn.started', 'context.planned', 'reply.finished', 'turn.ended']
  assert.deepEqual([eventsIn(one), eventsIn(two)], [whole, whole], 'each stream has its own answer, and ends')
  assert.deepEqual(linesOf(provider.requests[1]?.body), ['user: Count', 'assistant: One, two.', 'user: Go on'])
  const events = await client.events(session)
  const [asked, later] = events.filter(({ type }) => type === 'message.received')
  assert.deepEqual(
    events.filter(({ type }) => type === 'turn.started').map(({ cause }) => cause),
    [asked.seq, later.seq],
  )
})

test('in time for the next step, a message is heard there, and no other turn begins', async t => {
  const running = gate()
  const found = gate()
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => {
      running.open()
      await found.passed
      return { ok: true, outcome: 'found' }
    },
  }
  const provider = scriptedProvider([calls('look', {}), says('Here.'), says('Later.')])
  const client = clientOf((await startGateway(t, { provider, toolbox: toolbox([look]) })).url)
  const session = await client.open()
  const first = await client.say(session, 'Find it')
  await running.passed
  const second = await client.say(session, 'Quickly')
  found.open()
  const [one, two] = await Promise.all([first.rest(), second.rest()])
  assert.equal(eventsIn(one).at(-1), 'turn.ended')
  assert.deepEqual(eventsIn(two), ['message.received', 'context.planned', 'reply.finished', 'turn.ended'])
  const heard = ['user: Find it', 'assistant: look', 'user: found', 'user: Quickly']
  assert.deepEqual(linesOf(provider.requests[1]?.body), heard, 'behind the results that it interrupted')
  assert.equal((await client.events(session)).filter(({ type }) => type === 'turn.started').length, 1)
  await client.talk(session, 'Thanks')
  assert.deepEqual(linesOf(provider.requests[2]?.body), [...heard, 'assistant: Here.', 'user: Thanks'])
})

test('into a reply that is then cut off, a message is heard by what goes on', async t => {
  const { reply, speaking, release } = held('It rains', [
    { type: 'fault', fault: fault('unreachable', 'the connection was reset') },
  ])
  const provider = scriptedProvider([reply, says(' in Oslo.'), says('Later.')])
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open()
  const first = await client.say(session, 'Weather?')
  await speaking
  const second = await client.say(session, 'In Celsius')
  release()
  const [one, two] = await Promise.all([first.rest(), second.rest()])
  assert.deepEqual([eventsIn(one).at(-1), eventsIn(two).at(-1)], ['turn.ended', 'turn.ended'])
  const [transcript = ''] = linesOf(provider.requests[1]?.body)
  assert.match(transcript, /\$user: Weather\?\n\n\$user: In Celsius\n\n\$respond: It rains$/, 'it goes on where it was cut off')
  assert.equal(provider.requests.length, 2, 'it was heard, so nothing else is due')
  await client.talk(session, 'And?')
  const lines = linesOf(provider.requests[2]?.body)
  assert.equal(lines.filter(line => line === 'assistant: It rains in Oslo.').length, 1, 'one answer')
  assert.equal(lines.filter(line => line === 'user: In Celsius').length, 1)
})

test('an answer that was spoken when a message came stays before that message, however long ago it was', async t => {
  const { reply, speaking, release } = held('One', says(', two.'))
  const provider = scriptedProvider([reply, says('Three.'), says('Four.')])
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open()
  const first = await client.say(session, 'Count')
  await speaking
  const second = await client.say(session, 'Go on')
  release()
  await Promise.all([first.rest(), second.rest()])
  await client.talk(session, 'And?')
  const before = linesOf(provider.requests[1]?.body)
  assert.deepEqual(linesOf(provider.requests[2]?.body), [...before, 'assistant: Three.', 'user: And?'])
})

test('words and a call that were spoken when a message came stand before it in the next step', async t => {
  const { reply, speaking, release } = held('I look.', calls('look', {}))
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => ({ ok: true, outcome: 'found' }),
  }
  const provider = scriptedProvider([reply, says('Here.')])
  const client = clientOf((await startGateway(t, { provider, toolbox: toolbox([look]) })).url)
  const session = await client.open()
  const first = await client.say(session, 'Find it')
  await speaking
  const second = await client.say(session, 'Quickly')
  release()
  await Promise.all([first.rest(), second.rest()])
  const heard = ['user: Find it', 'assistant: I look.', 'assistant: look', 'user: found', 'user: Quickly']
  assert.deepEqual(linesOf(provider.requests[1]?.body), heard)
})
