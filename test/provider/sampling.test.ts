// Sampling over real sockets: what each service gets, as its own client would write it, which level counts, and that verify proves it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import type { Engine, EngineOptions, Inbound } from '../../src/engine.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import type { Sampling } from '../../src/model/sampling.ts'
import { type Agent, ASSISTANT } from '../../src/model/voice.ts'
import { type Fake, startFake } from '../../src/testing/index.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { advisor, councilOf } from '../support/council.ts'
import { engineWith, eventsOf, isEvent, until } from '../support/engine.ts'
import { DOORS, hello } from './fakes/door.ts'

type Json = Readonly<Record<string, unknown>>

const bodyOf = ({ body }: Fake['requests'][number]): Json => JSON.parse(body)
const lastBody = (fake: Fake): Json => bodyOf(fake.requests.at(-1) ?? assert.fail('nothing was asked'))

async function opened(engine: Engine, wish: Parameters<Engine['open']>[0] = {}): Promise<SessionId> {
  const session = await engine.open(wish)
  return session.ok ? session.value.id : assert.fail(session.fault.message)
}

/** Says something, waits for the answer, and gives back the receipts of that turn. */
async function said(engine: Engine, session: SessionId, more: Partial<Inbound> = {}): Promise<readonly Receipt[]> {
  const taken = await engine.say({ session, text: 'Hello?', from: 'person', ...more })
  if (!taken.ok) assert.fail(taken.fault.message)
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.seq > taken.value.seq)
  const events = await eventsOf(engine, session)
  return events.flatMap(event => (event.type === 'context.planned' && event.seq > taken.value.seq ? [event.receipt] : []))
}

async function verified(engine: Engine, session: SessionId): Promise<number> {
  let count = 0
  for await (const { verdict, detail } of engine.verify(session)) {
    assert.equal(verdict, 'identical', detail ?? '')
    count += 1
  }
  return count
}

const engineOn = (
  name: string,
  fake: Fake,
  model: string,
  agent: Partial<Agent> = {},
  more: Partial<EngineOptions> = {},
): Engine =>
  engineWith({
    model,
    providers: { [name]: { apiKey: 'sk-fake', baseURL: fake.url } },
    agents: () => [{ ...ASSISTANT, ...agent }],
    ...more,
  })

const MESSAGES = [{ role: 'user' as const, content: 'Hello?' }]
const PATIENT = { apiKey: 'sk-fake', maxRetries: 0 }

/** What a service's own client puts on the wire for the same wish, and the fields of it that are about sampling. */
const JUDGES: readonly {
  readonly name: string
  readonly model: string
  readonly sampling: Sampling
  readonly ask: (url: string) => Promise<unknown>
  readonly about: (body: Json) => unknown
}[] = [
  {
    name: 'anthropic',
    model: 'anthropic/claude-sonnet-4-5',
    sampling: { temperature: 0.2, stop: ['END'] },
    // Its types have no temperature any more, but its older models still take one.
    ask: baseURL => {
      const params = { model: 'x', max_tokens: 9, messages: MESSAGES, temperature: 0.2, stop_sequences: ['END'] }
      return new Anthropic({ ...PATIENT, baseURL }).messages.create(params)
    },
    about: ({ temperature, stop_sequences }) => ({ temperature, stop_sequences }),
  },
  {
    name: 'anthropic',
    model: 'anthropic/claude-opus-5',
    sampling: { effort: 'xhigh' },
    ask: baseURL =>
      new Anthropic({ ...PATIENT, baseURL }).messages.create({
        ...{ model: 'x', max_tokens: 9, messages: MESSAGES },
        output_config: { effort: 'xhigh' },
      }),
    about: ({ output_config }) => output_config,
  },
  {
    name: 'openai',
    model: 'openai/gpt-4.1',
    sampling: { temperature: 0.2, topP: 0.9, seed: 7, stop: ['END'] },
    ask: baseURL =>
      new OpenAI({ ...PATIENT, baseURL }).chat.completions.create({
        ...{ model: 'x', messages: MESSAGES, temperature: 0.2, top_p: 0.9, seed: 7, stop: ['END'] },
      }),
    about: ({ temperature, top_p, seed, stop }) => ({ temperature, top_p, seed, stop }),
  },
  {
    name: 'openai',
    model: 'openai/gpt-5.2',
    sampling: { effort: 'xhigh' },
    ask: baseURL =>
      new OpenAI({ ...PATIENT, baseURL }).chat.completions.create({ model: 'x', messages: MESSAGES, reasoning_effort: 'xhigh' }),
    about: ({ reasoning_effort }) => reasoning_effort,
  },
  {
    name: 'ollama',
    model: 'ollama/gpt-oss:20b',
    sampling: { temperature: 0.2, topP: 0.9, seed: 7, stop: ['END'], effort: 'low' },
    ask: host =>
      new Ollama({ host }).chat({
        ...{ model: 'x', messages: MESSAGES, think: 'low' },
        options: { temperature: 0.2, top_p: 0.9, seed: 7, stop: ['END'] },
      }),
    about: ({ think, options }) => {
      const { temperature, top_p, seed, stop } = options as Json
      return { think, temperature, top_p, seed, stop }
    },
  },
]

for (const { name, model, sampling, ask, about } of JUDGES) {
  test(`${model}: sampling is written as the service's own client writes it`, async () => {
    const { wire = 'openai', flavour = 'openai' } = DOORS.find(door => door.name === name) ?? {}
    await using fake = await startFake({ wire, flavour })
    fake.say(hello, hello)
    await ask(fake.url)
    const theirs = about(lastBody(fake))
    const engine = engineOn(name, fake, model)
    const session = await opened(engine, { sampling })
    const [receipt] = await said(engine, session)
    assert.deepEqual(about(lastBody(fake)), theirs)
    assert.deepEqual([receipt?.inputs.sampling, receipt?.sampling], [sampling, sampling])
    assert.equal(await verified(engine, session), 1)
    await engine.close(100)
  })
}

test('request before session before agent, key by key, in every step of the turn, and verify builds the same bytes', async () => {
  await using fake = await startFake({ wire: 'openai', flavour: 'openai' })
  const look = {
    spec: { name: 'look', description: '', parameters: { type: 'object' } },
    run: async () => ({ ok: true, outcome: 'seen' }),
  }
  const agent = { sampling: { temperature: 0.9, seed: 1, topP: 0.5 }, maxTokens: 300 }
  const engine = engineOn('openai', fake, 'openai/gpt-4.1', agent, { toolbox: toolbox([look]) })
  const session = await opened(engine, { sampling: { temperature: 0.5, seed: 2 }, maxTokens: 200 })
  fake.say({ says: [{ type: 'call', id: 'call_1', tool: 'look', args: '{}' }] }, hello)
  const first = await said(engine, session, { sampling: { temperature: 0.1, stop: ['X'] }, maxTokens: 100 })
  assert.equal(first.length, 2)
  for (const body of fake.requests.map(bodyOf)) {
    const { temperature, seed, top_p, stop, max_completion_tokens } = body
    assert.deepEqual([temperature, seed, top_p, stop, max_completion_tokens], [0.1, 2, 0.5, ['X'], 100])
  }
  for (const receipt of first) assert.deepEqual(receipt.inputs.sampling, { temperature: 0.1, seed: 2, topP: 0.5, stop: ['X'] })
  fake.say(hello)
  await said(engine, session)
  assert.deepEqual(
    [lastBody(fake).temperature, lastBody(fake).max_completion_tokens, 'stop' in lastBody(fake)],
    [0.5, 200, false],
  )
  await engine.change(session, { sampling: null, maxTokens: null })
  fake.say(hello)
  await said(engine, session)
  assert.deepEqual([lastBody(fake).temperature, lastBody(fake).max_completion_tokens], [0.9, 300])
  assert.equal(await verified(engine, session), 4)
  await engine.close(100)
})

test('the title generator and other house voices are not sampled as the session is', async () => {
  await using fake = await startFake({ wire: 'openai', flavour: 'openai' })
  const engine = engineOn('openai', fake, 'openai/gpt-4.1')
  const session = await opened(engine, { sampling: { temperature: 0.1, stop: [' '] }, maxTokens: 50 })
  fake.say(hello, hello)
  await said(engine, session)
  const titled = await engine.title(session)
  assert.ok(titled.ok)
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && titled.ok && signal.event.turn === titled.value)
  const body = lastBody(fake)
  assert.deepEqual(['temperature' in body, 'stop' in body, body.max_completion_tokens], [false, false, 4096])
  await engine.close(100)
})

test('an effort decides how much room thinking gets, where thinking has a budget of tokens', async () => {
  await using fake = await startFake({ wire: 'anthropic', flavour: 'openai' })
  const engine = engineOn('anthropic', fake, 'anthropic/claude-sonnet-4-5', { maxTokens: 10_000 })
  const session = await opened(engine)
  const budgets: unknown[] = []
  for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'none'] as const) {
    fake.say(hello)
    const [receipt] = await said(engine, session, { sampling: { effort } })
    const { thinking, max_tokens } = lastBody(fake)
    budgets.push([(thinking as Json | undefined)?.budget_tokens, max_tokens, receipt?.tokens.reserved])
  }
  assert.deepEqual(budgets, [
    [1024, 11_000, 11_000],
    [3000, 13_000, 13_000],
    [6000, 16_000, 16_000],
    [10_000, 20_000, 20_000],
    [16_000, 26_000, 26_000],
    [undefined, 10_000, 10_000],
  ])
  assert.equal(await verified(engine, session), 6)
  await engine.close(100)
})

test('an effort that the model does not have becomes the nearest, and the receipt says both', async () => {
  await using fake = await startFake({ wire: 'openai', flavour: 'openai' })
  const engine = engineOn('openai', fake, 'openai/gpt-5.1', { thinking: true })
  const session = await opened(engine)
  fake.say(hello, hello, hello)
  const [none] = await said(engine, session)
  assert.deepEqual([lastBody(fake).reasoning_effort, none?.inputs.sampling, none?.sampling], ['medium', undefined, undefined])
  const [most] = await said(engine, session, { sampling: { effort: 'xhigh' } })
  assert.equal(lastBody(fake).reasoning_effort, 'high')
  assert.deepEqual(
    [most?.inputs.sampling, most?.sampling, most?.inputs.thinking],
    [{ effort: 'xhigh' }, { effort: 'high' }, true],
  )
  const [off] = await said(engine, session, { sampling: { effort: 'none' } })
  assert.deepEqual([lastBody(fake).reasoning_effort, off?.inputs.thinking], ['none', false])
  assert.equal(await verified(engine, session), 3)
  await engine.close(100)
})

test('a model that cannot think beside tools is told so, and the receipt says none', async () => {
  await using fake = await startFake({ wire: 'openai', flavour: 'openai' })
  const look = {
    spec: { name: 'look', description: '', parameters: { type: 'object' } },
    run: async () => ({ ok: true, outcome: 'seen' }),
  }
  const engine = engineOn('openai', fake, 'openai/gpt-5.4', {}, { toolbox: toolbox([look]) })
  const session = await opened(engine, { sampling: { effort: 'high' } })
  fake.say(hello)
  const [receipt] = await said(engine, session)
  assert.deepEqual([lastBody(fake).reasoning_effort, receipt?.sampling], ['none', { effort: 'none' }])
  assert.equal(await verified(engine, session), 1)
  await engine.close(100)
})

test('what a session or a message asks for and its model never takes is refused; what an agent brings along is left out', async () => {
  await using fake = await startFake({ wire: 'openai', flavour: 'openai' })
  const engine = engineOn('openai', fake, 'openai/gpt-4.1', { sampling: { temperature: 0.3 } })
  const session = await opened(engine, { sampling: { seed: 4 } })
  const refusedBy = async (change: Parameters<Engine['change']>[1]): Promise<string | undefined> => {
    const changed = await engine.change(session, change)
    return changed.ok ? undefined : `${changed.fault.kind}: ${changed.fault.message}`
  }
  assert.equal(
    await refusedBy({ sampling: { effort: 'low' } }),
    'refused: sampling.effort: "openai/gpt-4.1" cannot think; leave it out, or choose another model',
  )
  assert.equal(
    await refusedBy({ model: 'anthropic/claude-opus-5' }),
    'refused: sampling.seed: "anthropic/claude-opus-5" takes none; leave it out, or choose another model',
  )
  assert.match((await refusedBy({ maxTokens: 2_000_000 })) ?? '', /^refused: maxTokens: 2000000 leaves no room/)
  const message = await engine.say({ session, text: 'Hi', from: 'person', sampling: { effort: 'high' } })
  assert.equal(message.ok ? '' : message.fault.kind, 'refused')
  assert.deepEqual(
    (await eventsOf(engine, session)).map(({ type }) => type),
    [],
  )
  assert.equal(await refusedBy({ model: 'openai/o3' }), undefined)
  fake.say(hello)
  const [receipt] = await said(engine, session)
  assert.deepEqual([receipt?.inputs.sampling, receipt?.sampling], [{ temperature: 0.3, seed: 4 }, { seed: 4 }])
  assert.deepEqual(['temperature' in lastBody(fake), lastBody(fake).seed], [false, 4])
  assert.equal(await verified(engine, session), 1)
  await engine.close(100)
})

test('in a council each advisor gets what its model takes, and what none of them takes is refused', async () => {
  await using fake = await startFake({ wire: 'openai', flavour: 'openai' })
  const board = councilOf([
    advisor('ann', { model: 'openai/gpt-4.1', sampling: { temperature: 0.9, topP: 0.5 }, maxTokens: 111 }),
    advisor('bea', { model: 'openai/o3' }),
  ])
  const engine = engineOn('openai', fake, 'openai/gpt-4.1', {}, { councils: () => [board] })
  const session = await opened(engine, { council: 'board', sampling: { temperature: 0.2, effort: 'high' } })
  fake.say(hello, hello)
  const taken = await engine.say({ session, text: 'Hello?', from: 'person' })
  assert.ok(taken.ok)
  let ended = 0
  await until(engine, session, signal => {
    if (isEvent(signal, 'turn.ended')) ended += 1
    return ended === 2
  })
  const bodies = Object.fromEntries(fake.requests.map(bodyOf).map(body => [String(body.model), body]))
  const ann = bodies['gpt-4.1'] ?? {}
  assert.deepEqual([ann.temperature, ann.top_p, ann.max_completion_tokens, 'reasoning_effort' in ann], [0.2, 0.5, 111, false])
  const bea = bodies.o3 ?? {}
  assert.deepEqual(['temperature' in bea, bea.reasoning_effort], [false, 'high'])
  const refused = await engine.say({ session, text: 'And?', from: 'person', to: ['bea'], sampling: { temperature: 0 } })
  assert.match(refused.ok ? '' : refused.fault.message, /^sampling\.temperature: "openai\/o3" takes none/)
  assert.equal(await verified(engine, session), 2)
  await engine.close(100)
})

test('the text protocol keeps its own stops beside those of a person', async () => {
  await using fake = await startFake({ wire: 'ollama', flavour: 'openai' })
  const engine = engineOn('ollama', fake, 'ollama/tiny', { protocol: 'text', sampling: { stop: ['END'] } })
  const session = await opened(engine)
  fake.say(hello)
  await said(engine, session)
  assert.deepEqual((lastBody(fake).options as Json).stop, ['\n§execute', '\n§end', 'END'])
  assert.equal(await verified(engine, session), 1)
  await engine.close(100)
})

test('a message with the same key and other settings is another message', async () => {
  const engine = engineWith({})
  const session = await opened(engine)
  const inbound = { session, text: 'Hi', from: 'person', key: 'k', sampling: { seed: 1 } }
  assert.ok((await engine.say(inbound)).ok)
  assert.ok((await engine.say(inbound)).ok)
  const other = await engine.say({ ...inbound, sampling: { seed: 2 } })
  assert.equal(other.ok ? '' : other.fault.message, 'this Idempotency-Key was used with other settings; use a new key')
  await engine.close(100)
})

test('the demo ends its words before a stop, and its request shows the rest', async () => {
  const engine = engineWith({})
  const session = await opened(engine, { sampling: { temperature: 0.1, stop: ['under', 'sky'] } })
  const [receipt] = await said(engine, session, { text: 'say 12 words' })
  const events = await eventsOf(engine, session)
  const reply = events.find(event => event.type === 'reply.finished')
  assert.deepEqual(reply?.type === 'reply.finished' ? reply.parts : [], [{ type: 'text', text: 'calm river ' }])
  assert.deepEqual(receipt?.sampling, { temperature: 0.1, stop: ['under', 'sky'] })
  assert.equal(await verified(engine, session), 1)
  await engine.close(100)
})
