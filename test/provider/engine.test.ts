// Whole turns with real services, as far as their fakes go: the bytes, the loop, the money, and what a person is told.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Engine, EngineOptions, Signal } from '../../src/engine.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Notice } from '../../src/model/message/delta.ts'
import { ASSISTANT } from '../../src/model/voice.ts'
import { type Fake, type FakePart, type Script, startFake } from '../../src/testing/index.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { ask, engineWith, eventsOf, isEvent, last, openSession, until } from '../support/engine.ts'
import { tries } from '../support/tries.ts'
import { DOORS, type Door } from './fakes/door.ts'

const MODEL_OF: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-opus-5',
  openai: 'openai/gpt-5.1',
  openrouter: 'openrouter/anthropic/claude-sonnet-5.5',
  ollama: 'ollama/qwen3:8b',
}

const look = {
  spec: {
    name: 'look',
    description: 'Looks at a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
  run: async () => ({ ok: true, outcome: 'found', content: 'this is a' }),
}

/** An engine that asks a fake for one of its service's models, thinking where it can. */
const engineOn = ({ name }: Pick<Door, 'name'>, fake: Fake, options: Partial<EngineOptions> = {}): Engine =>
  engineWith({
    model: MODEL_OF[name] ?? '',
    providers: { [name]: { apiKey: 'sk-fake', baseURL: fake.url } },
    agents: () => [{ ...ASSISTANT, prompt: 'You are brief.', thinking: true }],
    toolbox: toolbox([look]),
    ...options,
  })

const receiptsIn = (events: readonly Recorded[]): Extract<Recorded, { type: 'context.planned' }>['receipt'][] =>
  events.flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))

const digestOf = (body: string): string => `sha256:${createHash('sha256').update(body, 'utf8').digest('hex')}`

async function verified(engine: Engine, session: SessionId): Promise<void> {
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
}

/** A reply that thinks, says something and calls. */
const calling = (index: number, thinks: boolean): Script => ({
  says: [
    ...(thinks ? [{ type: 'think', text: `Step ${index}: I look.`, signature: `seal${index}` } as const] : []),
    { type: 'text', text: `I look, ${index}.` },
    { type: 'call', id: `call_${index}`, tool: 'look', args: `{"path": "a${index}" }` },
  ],
})

/** What a model was asked. A server may have been asked before what the model can do. */
const chatsOf = ({ requests }: Fake): Fake['requests'] => requests.filter(({ path }) => path !== '/api/show')

for (const door of DOORS) {
  const { name, wire, flavour } = door

  test(`${name}: the bytes on the socket are the bytes of the digest, at every step, and verify proves it`, async () => {
    await using fake = await startFake({ wire, flavour })
    fake.say(calling(1, true), calling(2, false), { says: [{ type: 'text', text: 'Done. 世界 👩‍👩‍👧' }] })
    const engine = engineOn(door, fake)
    const session = await openSession(engine)
    const events = await ask(engine, session, 'What is in a? \ud83d\ude00')
    await ask(engine, session, 'And now?')
    const all = await eventsOf(engine, session)
    assert.deepEqual(
      chatsOf(fake).map(({ body }) => digestOf(body)),
      receiptsIn(all).map(({ digest }) => digest),
    )
    assert.equal(chatsOf(fake).length, 4)
    assert.equal(last(events, 'turn.ended').reason, 'done')
    await verified(engine, session)
    await engine.close(100)
  })

  test(`${name}: the steps of a turn only append, in any tool loop`, { timeout: 60_000 }, async () => {
    const step = fc.record({ thinks: fc.boolean(), calls: fc.integer({ min: 1, max: 3 }), words: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), async turns => {
        await using fake = await startFake({ wire, flavour })
        const engine = engineOn(door, fake)
        const session = await openSession(engine)
        for (const [turn, steps] of turns.entries()) {
          fake.say(
            ...steps.map(({ thinks, calls, words }, index): Script => {
              const id = `${turn}_${index}`
              const says: FakePart[] = [
                ...(thinks ? [{ type: 'think', text: `Hm ${id}.`, signature: `seal_${id}` } as const] : []),
                ...(words ? [{ type: 'text', text: `Looking ${id}.` } as const] : []),
                ...Array.from(
                  { length: calls },
                  (_, call): FakePart => ({ type: 'call', id: `call_${id}_${call}`, tool: 'look', args: `{"path":"${call}"}` }),
                ),
              ]
              return { says }
            }),
            { says: [{ type: 'text', text: `Answer ${turn}.` }] },
          )
          const before = chatsOf(fake).length
          await ask(engine, session, `Question ${turn}?`)
          const bodies = chatsOf(fake)
            .slice(before)
            .map(({ body }) => unmarked(JSON.parse(body)))
          assert.equal(bodies.length, steps.length + 1)
          bodies.slice(1).forEach((body, index) => {
            const { messages: earlier = [], ...rest } = bodies[index] ?? {}
            const { messages, ...others } = body
            assert.deepEqual(others, rest, 'everything around the messages stays')
            assert.deepEqual(messages.slice(0, earlier.length), earlier, 'messages are only added')
            assert.ok(messages.length > earlier.length)
          })
        }
        await verified(engine, session)
        await engine.close(100)
      }),
      { ...tries(15), endOnFailure: true },
    )
  })

  test(`${name}: a connection that drops in the middle keeps what was said, and names what happened`, async () => {
    await using fake = await startFake({ wire, flavour })
    fake.say({
      says: [{ type: 'text', text: 'Once upon a time there was a river, and it carried boats.' }],
      faults: [{ type: 'cutAt', byte: 1500, how: 'rst' }],
    })
    const engine = engineOn(door, fake, { resume: { mode: 'ask' } })
    const events = await ask(engine, await openSession(engine), 'Tell me.')
    const broken = last(events, 'reply.broken')
    assert.equal(broken.fault.kind, 'unreachable')
    assert.match(broken.parts.map(part => (part.type === 'text' ? part.text : '')).join(''), /^Once upon/)
    assert.deepEqual([last(events, 'turn.ended').reason, last(events, 'turn.ended').fault?.kind], ['failed', 'unreachable'])
    assert.equal(chatsOf(fake).length, 1)
    await engine.close(100)
    await fake.quiet()
  })

  test(`${name}: a retry is told while it waits, and the turn ends well`, async () => {
    await using fake = await startFake({ wire, flavour })
    fake.say(
      { faults: [{ type: 'status', code: 429, headers: { 'retry-after': '0.05' } }] },
      { says: [{ type: 'text', text: 'Here.' }] },
    )
    const engine = engineOn(door, fake)
    const session = await openSession(engine)
    const heard = until(engine, session, signal => isEvent(signal, 'turn.ended'))
    await engine.say({ session, text: 'Hello?', from: 'person' })
    const [notice] = noticesIn(await heard)
    assert.equal(notice?.kind, 'retrying')
    const { afterMs = 0 } = notice ?? {}
    assert.ok(afterMs >= 50 && afterMs <= 63, `${afterMs}`)
    assert.match(notice?.message ?? '', new RegExp(`^${name} asks for fewer requests \\(429\\).* Trying again in 1 s\\.$`))
    assert.equal(last(await eventsOf(engine, session), 'turn.ended').reason, 'done')
    await engine.close(100)
  })

  test(`${name}: a person's stop reaches the provider's socket, and the partial text is kept`, async () => {
    await using fake = await startFake({ wire, flavour })
    fake.say({ says: [{ type: 'text', text: 'word '.repeat(50) }], faults: [{ type: 'stallAt', byte: 2000 }] })
    const engine = engineOn(door, fake)
    const session = await openSession(engine)
    await engine.say({ session, text: 'Go on.', from: 'person' })
    await until(engine, session, signal => signal.type === 'delta')
    const started = performance.now()
    await engine.cancel(session)
    await fake.quiet()
    assert.ok(performance.now() - started < 5000)
    const events = await eventsOf(engine, session)
    assert.equal(last(events, 'turn.ended').reason, 'cancelled')
    assert.match(JSON.stringify(last(events, 'reply.broken').parts), /word/)
    await engine.close(100)
  })

  test(`${name}: a reply that reached its limit says so, and a refusal is one`, async () => {
    await using fake = await startFake({ wire, flavour })
    fake.say(
      { says: [{ type: 'text', text: 'One, two' }], stop: 'length' },
      { says: [{ type: 'text', text: 'I will not.' }], stop: 'refusal' },
    )
    const engine = engineOn(door, fake)
    const session = await openSession(engine)
    assert.equal(last(await ask(engine, session, 'Count.'), 'reply.finished').stop, 'length')
    const refused = await ask(engine, session, 'Do harm.')
    // Ollama has no word for a refusal: there it is an answer like any other.
    if (name === 'ollama') assert.equal(last(refused, 'turn.ended').reason, 'done')
    else assert.equal(last(refused, 'reply.broken').fault.kind, 'refused')
    await engine.close(100)
  })
}

type Body = { readonly messages: readonly unknown[] } & Readonly<Record<string, unknown>>

/** A request without its cache marks, which move. */
const unmarked = (body: unknown): Body =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === 'cache_control' ? undefined : value))) as Body

const noticesIn = (signals: readonly Signal[]): readonly Notice[] =>
  signals.flatMap(signal => (signal.type === 'notice' ? [signal.notice] : []))

const usage = { input: 1000, output: 100, cacheRead: 2000, cacheWrite: 400 }

test('a reply costs what its model costs, what its provider says it cost, or nothing that anybody knows', async () => {
  const costOf = async (door: Door, model: string, options: Partial<EngineOptions> = {}, cost?: number): Promise<unknown> => {
    await using fake = await startFake({ wire: door.wire, flavour: door.flavour })
    fake.say({ says: [{ type: 'text', text: 'Hi.' }], usage: { ...usage, ...(cost === undefined ? {} : { cost }) } })
    const engine = engineOn(door, fake, { model, ...options })
    const reply = last(await ask(engine, await openSession(engine), 'Hello'), 'reply.finished')
    await engine.close(100)
    assert.equal(reply.model, model)
    return reply.usage?.costUsd
  }
  const [anthropic, openai, openrouter, ollama] = DOORS
  assert.ok(anthropic && openai && openrouter && ollama)
  assert.equal(await costOf(anthropic, 'anthropic/claude-sonnet-4-5'), (1000 * 3 + 100 * 15 + 2000 * 0.3 + 400 * 3.75) / 1e6)
  assert.equal(await costOf(openrouter, 'openrouter/vendor/new', {}, 0.0125), 0.0125)
  assert.equal(await costOf(openai, 'openai/never-heard-of'), undefined)
  assert.equal(await costOf(ollama, 'ollama/qwen3:8b'), undefined)
  const models = { 'ollama/qwen3:8b': { price: { input: 0, output: 0 } } }
  assert.equal(await costOf(ollama, 'ollama/qwen3:8b', { models }), 0)
})

test('a budget stops before the call, counts what earlier processes spent, and is new every day', async () => {
  await using fake = await startFake({ wire: 'anthropic', script: { says: [{ type: 'text', text: 'Hi.' }], usage } })
  let now = Date.parse('2026-11-15T22:00:00Z')
  const { memoryLog, weigh } = await import('../../src/index.ts')
  const clock = (): number => now
  const log = memoryLog({ clock, weigh })
  const options = { log, clock, model: 'anthropic/claude-sonnet-4-5', agents: () => [{ ...ASSISTANT, maxTokens: 4096 }] }
  // The most a short question can cost is about 4,096 tokens of reply at $15: six cents.
  const limits = { budgetUsdPerDay: 0.07 }
  const engine = engineOn({ name: 'anthropic' }, fake, { ...options, limits })
  const session = await openSession(engine)
  assert.equal(last(await ask(engine, session, 'One'), 'turn.ended').reason, 'done')
  const asked = last(await ask(engine, session, 'Two'), 'turn.ended')
  assert.equal(asked.reason, 'done', 'the first cost less than a cent')
  const spender = engineOn({ name: 'anthropic' }, fake, { ...options, limits: { budgetUsdPerDay: 0.07 } })
  // Three replies cost 0.0066 each: the fourth could go over.
  for (let more = 0; more < 2; more += 1) await ask(spender, session, 'More')
  const before = chatsOf(fake).length
  const stopped = last(await ask(spender, session, 'Too much'), 'turn.ended')
  assert.deepEqual([stopped.reason, stopped.fault?.kind], ['failed', 'budget'])
  assert.match(
    stopped.fault?.message ?? '',
    /could cost \$0\.06\d\d, and of the \$0\.0700 for today \$0\.0\d+ are spent.*midnight UTC/,
  )
  assert.equal(chatsOf(fake).length, before, 'nothing was sent')
  now += 3 * 3_600_000
  assert.equal(last(await ask(spender, session, 'Tomorrow'), 'turn.ended').reason, 'done')
  await engine.close(100)
})

test('requests at the same time cannot together cost more than there is', async () => {
  await using fake = await startFake({ wire: 'anthropic', script: { says: [{ type: 'text', text: 'Hi.' }], usage } })
  const engine = engineOn({ name: 'anthropic' }, fake, {
    model: 'anthropic/claude-sonnet-4-5',
    agents: () => [{ ...ASSISTANT, maxTokens: 4096 }],
    limits: { budgetUsdPerDay: 0.13 },
  })
  const sessions = await Promise.all(Array.from({ length: 6 }, () => openSession(engine)))
  const ends = await Promise.all(sessions.map(async session => last(await ask(engine, session, 'Go'), 'turn.ended')))
  assert.equal(ends.filter(({ reason }) => reason === 'done').length, 2)
  assert.equal(ends.filter(({ fault }) => fault?.kind === 'budget').length, 4)
  assert.equal(chatsOf(fake).length, 2)
  await engine.close(100)
})

test('a reply that the budget cannot pay for in full is asked for shorter, not below 4,096 tokens, and that is said', async () => {
  await using fake = await startFake({ wire: 'anthropic', script: { says: [{ type: 'text', text: 'Hi.' }], usage } })
  // A reply of 32,000 tokens could cost $0.48; thinking comes on top of it.
  const engine = engineOn({ name: 'anthropic' }, fake, {
    model: 'anthropic/claude-sonnet-4-5',
    limits: { budgetUsdPerDay: 0.12 },
  })
  const session = await openSession(engine)
  const heard = until(engine, session, signal => isEvent(signal, 'turn.ended'))
  const events = await ask(engine, session, 'One')
  assert.equal(last(events, 'turn.ended').reason, 'done')
  const { reserved } = last(events, 'context.planned').receipt.tokens
  const body = JSON.parse(chatsOf(fake)[0]?.body ?? '{}')
  assert.equal(body.max_tokens, reserved)
  assert.ok(reserved > 6553 && reserved < 8000, `${reserved}: 4,096 and what thinking gets on top, or a little more`)
  const notices = (await heard).flatMap(signal => (signal.type === 'notice' ? [signal.notice.message] : []))
  assert.match(notices.join(), /leaves room for replies of at most 7,\d\d\d tokens/)
  assert.equal(chatsOf(fake).length, 1)
  // Two more cents are spent by others: not even 4,096 tokens can be paid for.
  for (let more = 0; more < 3; more += 1) await ask(engine, session, 'More')
  const stopped = last(await ask(engine, session, 'Too much'), 'turn.ended')
  assert.deepEqual([stopped.reason, stopped.fault?.kind], ['failed', 'budget'])
  await engine.close(100)
})

test('a model without a price cannot run under a budget', async () => {
  await using fake = await startFake({ wire: 'openai' })
  const engine = engineOn({ name: 'openai' }, fake, { model: 'openai/never-heard-of', limits: { budgetUsdPerDay: 5 } })
  const { fault } = last(await ask(engine, await openSession(engine), 'Hello'), 'turn.ended')
  assert.equal(fault?.kind, 'budget')
  assert.match(fault?.message ?? '', /has no price.*models\."openai\/never-heard-of"\.price/)
  assert.equal(chatsOf(fake).length, 0)
  await engine.close(100)
})

test('a server that silently drops the front of a prompt is found out, and its count teaches nothing', async () => {
  await using fake = await startFake({ wire: 'ollama' })
  fake.say({ says: [{ type: 'text', text: 'ANANAS?' }], usage: { input: 500, output: 3, cacheRead: 0, cacheWrite: 0 } })
  const engine = engineOn({ name: 'ollama' }, fake)
  const session = await openSession(engine)
  const heard = until(engine, session, signal => isEvent(signal, 'turn.ended'))
  await engine.say({ session, text: `The word is ANANAS. ${'many words '.repeat(1500)} What was the word?`, from: 'person' })
  const signals = await heard
  const [notice] = noticesIn(signals)
  assert.equal(notice?.kind, 'truncated')
  assert.match(notice?.message ?? '', /^ollama\/qwen3:8b saw about 500 of 3,\d\d\d tokens/)
  const events = await eventsOf(engine, session)
  const sent = await engine.asSent(session, last(events, 'turn.ended').turn)
  assert.ok(sent.ok)
  assert.equal(sent.value.receipt.truncated?.seen, 500)
  await ask(engine, session, 'Again?')
  const windows = chatsOf(fake).map(({ body }) => (JSON.parse(body) as { options: { num_ctx: number } }).options.num_ctx)
  assert.deepEqual(windows, [16_384, 16_384], 'as the server says of the model, and the same each time')
  assert.equal(sent.value.receipt.inputs.window, 16_384)
  assert.equal(receiptsIn(await eventsOf(engine, session)).at(-1)?.tokens.factor, 1)
  await engine.close(100)
})
