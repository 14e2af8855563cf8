// The contract's POST …/messages and …/cancel: what is said is heard once, in order, and stopped only on purpose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../../src/model/fault.ts'
import { calls, type ScriptedReply, says, scriptedProvider } from '../../../../src/testing/index.ts'
import { type PlainTool, toolbox } from '../../../../src/tool/toolbox.ts'
import { startGateway } from '../../../support/gateway.ts'
import { type Client, clientOf, type Json } from '../client.ts'
import { type Frame, type FrameReader, idsOf, isEvent } from '../frames.ts'

const ONE_TURN = ['message.received', 'turn.started', 'context.planned', 'reply.finished', 'turn.ended']

const eventNames = (frames: readonly Frame[]): string[] =>
  frames.filter(frame => frame.id !== undefined).map(frame => frame.event)
const spoken = (frames: readonly Frame[]): string =>
  frames.flatMap(({ event, data }) => (event === 'delta' ? [data.text] : [])).join('')

/** A reply that says its first words, waits to be let on, and says the rest. */
function held(first: string, rest: string): { readonly reply: ScriptedReply; readonly letOn: () => void } {
  const gate = Promise.withResolvers<void>()
  const reply: ScriptedReply = async function* (_request, signal) {
    yield { type: 'text', text: first }
    await Promise.race([gate.promise, new Promise(resolve => signal.addEventListener('abort', resolve))])
    if (signal.aborted) return yield { type: 'fault', fault: fault('cancelled', 'stopped') }
    yield { type: 'text', text: rest }
    yield { type: 'done' }
  }
  return { reply, letOn: gate.resolve }
}

test('a message is taken at once, with its place and the turn that will answer', async t => {
  const client = clientOf((await startGateway(t, { provider: scriptedProvider([says('Hello', ' you')]) })).url)
  const session = await client.open()
  const taken = await client.json(202, 'POST', `${session}/messages`, { body: { text: 'Hello' } })
  assert.deepEqual(Object.keys(taken), ['seq', 'turns'])
  assert.equal(taken.seq, 1)
  assert.equal(taken.turns.length, 1)
  const frames = await (await client.follow(session)).until(isEvent('turn.ended'))
  assert.equal(frames.at(-1)?.data.turn, taken.turns[0])
})

test('as a stream, a message gives everything it causes and then ends', async t => {
  const client = clientOf((await startGateway(t, { provider: scriptedProvider([says('Hello', ' you', ' 🌊')]) })).url)
  const session = await client.open()
  const frames = await (await client.say(session, 'Hello 🌊')).rest()
  assert.deepEqual(
    frames.map(frame => frame.event),
    ['message.received', 'turn.started', 'context.planned', 'delta', 'delta', 'delta', 'reply.finished', 'turn.ended'],
  )
  assert.deepEqual(idsOf(frames), [1, 2, 3, 4, 5])
  const [message, started, planned] = frames
  assert.deepEqual([message?.data.text, message?.data.from], ['Hello 🌊', 'person'])
  assert.equal(started?.data.cause, 1)
  assert.equal(planned?.data.receipt.policy, 'steady@1')
  const deltas = frames
    .filter(isEvent('delta'))
    .map(({ data: { step, kind, part, offset, text } }) => ({ step, kind, part, offset, text }))
  assert.deepEqual(deltas, [
    { step: 1, kind: 'text', part: 0, offset: 0, text: 'Hello' },
    { step: 1, kind: 'text', part: 0, offset: 5, text: ' you' },
    { step: 1, kind: 'text', part: 0, offset: 9, text: ' 🌊' },
  ])
  assert.deepEqual(frames.at(-2)?.data.parts, [{ type: 'text', text: 'Hello you 🌊' }])
  assert.equal(frames.at(-1)?.data.reason, 'done')
  for (const { data } of frames) assert.ok(session.endsWith(data.session))
})

test('the same key and text is the same message: once in the log, answered once, told again', async t => {
  const provider = scriptedProvider([says('Once'), says('And again')])
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open()
  const headers = { 'idempotency-key': 'key-1' }
  const post = (text: string, path = session): Promise<Json> =>
    client.json(202, 'POST', `${path}/messages`, { body: { text }, headers })
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('Hello')))
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  const first = await (await client.say(session, 'Hello', headers)).rest()
  assert.deepEqual(eventNames(first), ONE_TURN)
  const again = await (await client.say(session, 'Hello', headers)).rest()
  assert.deepEqual(
    again.filter(frame => frame.id !== undefined),
    first.filter(frame => frame.id !== undefined),
  )
  assert.equal(provider.requests.length, 1)

  const problem = await client.problem(409, 'conflict', 'POST', `${session}/messages`, { body: { text: 'Other' }, headers })
  assert.match(problem.detail, /use a new key/)
  await client.problem(409, 'conflict', 'POST', `${session}/messages`, {
    body: { text: 'Other' },
    headers: { ...headers, accept: 'text/event-stream' },
  })
  assert.equal((await client.events(session)).length, 5)

  const other = await client.open()
  assert.equal((await post('Other', other)).seq, 1)
  await (await client.follow(other)).until(isEvent('turn.ended'))
  assert.equal(provider.requests.length, 2)
})

test('a key can be anything visible, and nothing else', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const post = (key: string): Parameters<Client['json']> => [
    202,
    'POST',
    `${session}/messages`,
    { body: { text: 'Hello' }, headers: { 'idempotency-key': key } },
  ]
  for (const key of ['a', '!~"{}', 'x'.repeat(200)]) await client.json(...post(key))
  for (const key of ['', 'two words', 'x'.repeat(201), 'é'])
    assert.match((await client.problem(400, 'invalid', 'POST', `${session}/messages`, post(key)[3])).detail, /Idempotency-Key/)
})

test('a message that is sent again while it is answered joins its own answer', async t => {
  const { reply, letOn } = held('Half', ' and half')
  const client = clientOf((await startGateway(t, { provider: scriptedProvider([reply]) })).url)
  const session = await client.open()
  const headers = { 'idempotency-key': 'k' }
  const first = await client.say(session, 'Hello', headers)
  const begun = await first.until(isEvent('delta'))
  const second = await client.say(session, 'Hello', headers)
  const joined = await second.until(isEvent('delta'))
  letOn()
  const [one, two] = [begun.concat(await first.rest()), joined.concat(await second.rest())]
  assert.deepEqual(two, one)
  assert.equal(spoken(two), 'Half and half')
})

test('hanging up does not stop the turn', async t => {
  const { reply, letOn } = held('Half', ' and half')
  const { url, engine } = await startGateway(t, { provider: scriptedProvider([reply]) })
  const client = clientOf(url)
  const session = await client.open()
  const stream = await client.say(session, 'Hello')
  await stream.until(isEvent('delta'))
  await stream.hangUp()
  await client.untilStreams(0)
  letOn()
  const frames = await (await client.follow(session)).until(isEvent('turn.ended'))
  assert.deepEqual(frames.find(isEvent('reply.finished'))?.data.parts, [{ type: 'text', text: 'Half and half' }])
  assert.equal(frames.at(-1)?.data.reason, 'done')
  assert.equal((await engine.sessions({ limit: 1 })).ok, true)
})

test('stopping a turn keeps what it has said, and only stops the turn that was meant', async t => {
  const { reply } = held('Half', ' and half')
  const client = clientOf((await startGateway(t, { provider: scriptedProvider([reply, says('Next')]) })).url)
  const session = await client.open()
  const stream = await client.say(session, 'Hello')
  const begun = await stream.until(isEvent('delta'))
  const turn = begun.find(isEvent('turn.started'))?.data.turn
  const cancel = (body?: object): Promise<Json> =>
    client.json(200, 'POST', `${session}/cancel`, body === undefined ? {} : { body })

  for (const strange of ['trn_00000000000000000000000000', 'nonsense'])
    await client.problem(404, 'not-found', 'POST', `${session}/cancel`, { body: { turn: strange } })
  assert.deepEqual(await cancel({ turn }), { turns: [turn] })
  const rest = await stream.rest()
  assert.deepEqual(
    rest.map(frame => frame.event),
    ['reply.broken', 'turn.ended'],
  )
  assert.deepEqual(rest[0]?.data.parts, [{ type: 'text', text: 'Half' }])
  assert.equal(rest[0]?.data.fault.kind, 'cancelled')
  assert.equal(rest[1]?.data.reason, 'cancelled')
  assert.deepEqual(await cancel(), { turns: [] })

  const next = await (await client.say(session, 'And now?')).rest()
  assert.equal(next.at(-1)?.data.reason, 'done')
})

test('stopping without naming a turn stops what runs, a tool included', async t => {
  const begun = Promise.withResolvers<AbortSignal>()
  const tool: PlainTool = {
    spec: { name: 'wait', description: 'waits for ever', parameters: {} },
    run: (_args, signal) => {
      begun.resolve(signal)
      return new Promise(() => undefined)
    },
  }
  const provider = scriptedProvider([calls('wait', {})])
  const client = clientOf((await startGateway(t, { provider, toolbox: toolbox([tool]) })).url)
  const session = await client.open()
  const stream = await client.say(session, 'Wait')
  const signal = await begun.promise
  const stopped = performance.now()
  const { turns } = await client.json(200, 'POST', `${session}/cancel`)
  assert.ok(performance.now() - stopped < 4000)
  assert.ok(signal.aborted)
  const frames = await stream.rest()
  assert.deepEqual(eventNames(frames).slice(-3), ['tool.started', 'tool.settled', 'turn.ended'])
  assert.equal(frames.at(-2)?.data.ok, false)
  assert.deepEqual([frames.at(-1)?.data.turn, frames.at(-1)?.data.reason], [turns[0], 'cancelled'])
})

test('a provider that fails ends the turn with its fault, and the next message is answered', async t => {
  const trouble = fault('overloaded', 'too many people at once', 3000)
  const broken: ScriptedReply = [
    { type: 'text', text: 'So ' },
    { type: 'fault', fault: trouble },
  ]
  const provider = scriptedProvider([broken, says('Better')])
  const client = clientOf((await startGateway(t, { provider, resume: { continuations: 0 } })).url)
  const session = await client.open()
  const frames = await (await client.say(session, 'Hello')).rest()
  assert.deepEqual(eventNames(frames).slice(-2), ['reply.broken', 'turn.ended'])
  assert.deepEqual(frames.at(-2)?.data.parts, [{ type: 'text', text: 'So ' }])
  assert.deepEqual(frames.at(-1)?.data.fault, {
    kind: 'overloaded',
    message: 'too many people at once',
    retryable: true,
    retryAfterMs: 3000,
  })
  assert.equal((await (await client.say(session, 'Again')).rest()).at(-1)?.data.reason, 'done')
})

test('a hundred messages at once are all taken, in one order, without a gap, and every stream ends', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const texts = Array.from({ length: 100 }, (_, index) => `message ${index}`)
  const streams = await Promise.all(
    texts.map(async (text, index) => {
      if (index % 2 === 0) return { text, taken: await client.json(202, 'POST', `${session}/messages`, { body: { text } }) }
      const frames = await (await client.say(session, text)).rest()
      assert.equal(frames.at(-1)?.event, 'turn.ended', text)
      return { text, taken: { seq: frames[0]?.id } }
    }),
  )
  await client.talk(session, 'the last one')
  const events = await client.events(session)
  assert.deepEqual(
    events.map(event => event.seq),
    events.map((_, index) => index + 1),
  )
  const messages = events.filter(event => event.type === 'message.received')
  assert.deepEqual(messages.map(message => message.text).sort(), [...texts, 'the last one'].sort())
  for (const { text, taken } of streams) assert.equal(messages.find(message => message.seq === taken.seq)?.text, text)

  const heard = events.flatMap(event => (event.type === 'context.planned' ? [event.receipt.through] : []))
  assert.ok(messages.every(message => heard.some(through => through >= message.seq)))
  const started = events.filter(event => event.type === 'turn.started').map(event => event.turn)
  assert.deepEqual(
    events.filter(event => event.type === 'turn.ended').map(event => event.turn),
    started,
    'one turn at a time',
  )
  const { request } = await client.json(200, 'GET', `${session}/turns/${started.at(-1)}/context`)
  const asked = request.body.messages.flatMap((message: Json) =>
    message.role === 'user' ? message.blocks.map((block: Json) => block.text) : [],
  )
  const lines = asked.join('\n').split('\n')
  assert.deepEqual(
    lines.filter((line: string) => line.startsWith('message ') || line === 'the last one'),
    messages.map(message => message.text),
  )
})

test('two tabs that speak at once both hear both, and the same', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const tabs = await Promise.all([client.follow(session), client.follow(session)])
  const taken = await Promise.all(
    ['from one', 'from two'].map(text => client.json(202, 'POST', `${session}/messages`, { body: { text } })),
  )
  assert.deepEqual(taken.map(({ seq }) => seq).length, new Set(taken.map(({ seq }) => seq)).size)
  const last = Math.max(...taken.map(({ seq }) => seq))
  const untilAnswered = (tab: FrameReader): Promise<Frame[]> => {
    let isHeard = false
    return tab.until(({ event, data }) => {
      if (event === 'context.planned') isHeard ||= data.receipt.through >= last
      return isHeard && event === 'turn.ended'
    })
  }
  const [one = [], two = []] = await Promise.all(tabs.map(untilAnswered))
  assert.deepEqual(two, one)
  assert.deepEqual(
    one
      .filter(isEvent('message.received'))
      .map(({ data }) => data.text)
      .sort(),
    ['from one', 'from two'],
  )
  await Promise.all(tabs.map(tab => tab.hangUp()))
})

test('a message sent while a tool runs is heard by the next step, and starts no turn of its own', async t => {
  const running = Promise.withResolvers<void>()
  const result = Promise.withResolvers<string>()
  const tool: PlainTool = {
    spec: { name: 'weather', description: 'the weather of a city', parameters: {} },
    run: async () => {
      running.resolve()
      return { ok: true, outcome: await result.promise }
    },
  }
  const provider = scriptedProvider([calls('weather', { city: 'Oslo' }), says('5 °C, rain')])
  const client = clientOf((await startGateway(t, { provider, toolbox: toolbox([tool]) })).url)
  const session = await client.open()
  const first = await client.say(session, 'Weather in Oslo?')
  await running.promise
  const taken = await client.json(202, 'POST', `${session}/messages`, {
    body: { text: 'In Celsius, please.' },
    headers: { 'idempotency-key': 'steer' },
  })
  assert.deepEqual(taken.turns, [])
  const second = await client.say(session, 'In Celsius, please.', { 'idempotency-key': 'steer' })
  result.resolve('41F, rain')

  const [one, two] = await Promise.all([first.rest(), second.rest()])
  assert.deepEqual(eventNames(one), [
    'message.received',
    'turn.started',
    'context.planned',
    'reply.finished',
    'tool.started',
    'tool.settled',
    'context.planned',
    'reply.finished',
    'turn.ended',
  ])
  // Its own stream begins where the turn has heard it.
  assert.deepEqual(eventNames(two), ['message.received', 'context.planned', 'reply.finished', 'turn.ended'])
  assert.equal(spoken(two), '5 °C, rain')
  assert.equal(provider.requests.length, 2)
  const { messages } = JSON.parse(provider.requests[1]?.body ?? '')
  const said = messages.flatMap((message: Json) => message.blocks.map((block: Json) => block.text ?? block.tool))
  assert.deepEqual(said, ['Weather in Oslo?', 'weather', '41F, rain', 'In Celsius, please.'])
  assert.equal((await client.events(session)).filter(event => event.type === 'turn.started').length, 1)
})
