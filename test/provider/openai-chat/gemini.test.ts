// Gemini at its address for OpenAI clients: it seals its calls, and refuses a step whose call came back without the seal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, type Engine, type EngineOptions, memoryLog, weigh } from '../../../src/index.ts'
import type { Call, Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { type Fake, type Script, startFake } from '../../../src/testing/index.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { bytesOf, exportedFrom } from '../../archive/house.ts'
import { ask, engineWith, eventsOf, isEvent, last, openSession, until } from '../../support/engine.ts'

const look = {
  spec: { name: 'look', description: 'Looks at a file', parameters: { type: 'object' } },
  run: async () => ({ ok: true, outcome: 'found' }),
}

const optionsOn = (fake: Fake): Partial<EngineOptions> => ({
  model: 'compatible/gemini/gemini-3-pro-preview',
  providers: { gemini: { apiKey: 'fake', baseURL: fake.url } },
  toolbox: toolbox([look]),
})

const engineOn = (fake: Fake): Engine => engineWith(optionsOn(fake))

const startGemini = (): Promise<Fake> => startFake({ wire: 'openai', flavour: 'gemini' })

const calling = (...ids: readonly string[]): Script => ({
  says: ids.map(id => ({ type: 'call', id, tool: 'look', args: `{"path":"${id}"}` })),
})
const saying = (text: string): Script => ({ says: [{ type: 'text', text }] })

const seal = (id: string): object => ({ google: { thought_signature: Buffer.from(`seal of ${id}`).toString('base64') } })

type SentCall = { readonly id: string; readonly extra_content?: object }

/** The calls that each request carries. */
const sentCalls = ({ requests }: Fake): readonly (readonly SentCall[])[] =>
  requests.map(({ body }) => {
    const { messages } = JSON.parse(body) as { messages: readonly { tool_calls?: readonly SentCall[] }[] }
    return messages.flatMap(({ tool_calls = [] }) => tool_calls)
  })

const keptCalls = (events: readonly Recorded[]): readonly Call[] =>
  events.flatMap(event => (event.type === 'reply.finished' ? event.parts.filter(part => part.type === 'call') : []))

async function verified(engine: Engine, session: SessionId): Promise<void> {
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
}

test('a turn with tools goes through, every call with its own seal, and later turns send none', async () => {
  await using fake = await startGemini()
  fake.say(calling('one', 'two'), calling('three'), saying('Done.'), saying('Yes.'))
  const engine = engineOn(fake)
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Look twice')
  assert.equal(last(events, 'turn.ended').reason, 'done', last(events, 'turn.ended').fault?.message ?? '')
  assert.deepEqual(
    keptCalls(events).map(({ call, extra }) => [call, extra]),
    [
      ['one', { extra_content: seal('one') }],
      ['two', undefined],
      ['three', { extra_content: seal('three') }],
    ],
  )
  await ask(engine, session, 'Sure?')
  const [, second = [], third = [], later = []] = sentCalls(fake)
  assert.deepEqual(
    second.map(call => call.extra_content),
    [seal('one'), undefined],
  )
  assert.deepEqual(
    third.map(call => call.extra_content),
    [seal('one'), undefined, seal('three')],
  )
  assert.deepEqual(
    later.map(call => 'extra_content' in call),
    [false, false, false],
  )
  await verified(engine, session)
})

test('the fake refuses a call without its seal, or with another one, in the words of Gemini', async () => {
  await using fake = await startGemini()
  const post = async (extra: object): Promise<{ status: number; text: string }> => {
    const call = { id: 'one', type: 'function', function: { name: 'look', arguments: '{}' }, ...extra }
    const messages = [
      { role: 'user', content: 'Look' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'one', content: 'found' },
    ]
    const answer = await fetch(`${fake.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'gemini', messages }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  assert.equal((await post({ extra_content: seal('one') })).status, 200)
  for (const extra of [{}, { extra_content: seal('two') }]) {
    const { status, text } = await post(extra)
    assert.equal(status, 400)
    assert.match(text, /missing a thought_signature/)
  }
})

test('a person reads what Gemini refused, in its own words', async () => {
  await using fake = await startGemini()
  // So large that it is not kept, and Gemini misses it.
  fake.say({
    says: [{ type: 'call', id: 'one', tool: 'look', args: '{}', extra: { extra_content: { much: 'x'.repeat(70_000) } } }],
  })
  const engine = engineOn(fake)
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Look')
  assert.deepEqual(
    keptCalls(events).map(({ extra }) => extra),
    [undefined],
  )
  const { reason, fault } = last(events, 'turn.ended')
  assert.equal(reason, 'failed')
  assert.equal(fault?.kind, 'rejected')
  assert.match(fault?.message ?? '', /\(400\): Function call is missing a thought_signature/)
})

test('seals survive a restart in the middle of the turn, and a turn that is tried again', async t => {
  await using fake = await startGemini()
  const log = memoryLog({ clock: Date.now, weigh })
  const options = { ...optionsOn(fake), log }
  fake.say(calling('one'), { faults: [{ type: 'stallAt', byte: 0 }] })
  const first = createEngine(options)
  t.after(() => first.close(1))
  const session = await openSession(first)
  await first.say({ session, text: 'Look', from: 'person' })
  await fake.nextRequest()
  await fake.nextRequest()

  fake.say({ faults: [{ type: 'status', code: 400 }] }, saying('Done.'))
  const engine = createEngine(options)
  await engine.recover()
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  assert.equal(last(await eventsOf(engine, session), 'turn.ended').reason, 'failed')
  const resumed = await engine.resume(session)
  assert.ok(resumed.ok)
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === resumed.value[0])
  const events = await eventsOf(engine, session)
  assert.equal(last(events, 'turn.ended').reason, 'done', last(events, 'turn.ended').fault?.message ?? '')
  assert.deepEqual(
    sentCalls(fake).map(calls => calls.map(call => call.extra_content)),
    [[], [seal('one')], [seal('one')], [seal('one')]],
  )
  await verified(engine, session)
})

test('seals are in an archive, come back with it, and count as tokens while they are sent', async () => {
  await using fake = await startGemini()
  const large = { extra_content: seal('one'), note: 'lorem ipsum '.repeat(1000) }
  fake.say({ says: [{ type: 'call', id: 'one', tool: 'look', args: '{}', extra: large }] }, saying('Done.'), saying('Yes.'))
  const engine = engineOn(fake)
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Look')
  await ask(engine, session, 'Sure?')
  const planned = (await eventsOf(engine, session)).flatMap(event =>
    event.type === 'context.planned' ? [event.receipt.tokens.estimated] : [],
  )
  const [first = 0, second = 0, later = 0] = planned
  assert.ok(second > first + 1000, `${first}, then ${second}`)
  assert.ok(later < first + 500, `${first}, and later ${later}`)

  const imported = engineOn(fake)
  const came = await imported.import(bytesOf(await exportedFrom(engine, session)))
  assert.ok(came.ok)
  const [id] = came.value.ids
  assert.ok(id)
  assert.deepEqual(keptCalls(await eventsOf(imported, id)), keptCalls(events))
  await verified(imported, id)
})
