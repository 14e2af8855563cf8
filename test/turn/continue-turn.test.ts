import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createEngine, type EngineOptions, memoryLog, weigh } from '../../src/index.ts'
import type { Log } from '../../src/log/ports.ts'
import type { Recorded } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import { isReply } from '../../src/model/message/spoken.ts'
import { spokenText } from '../../src/model/turn-view/join-cuts.ts'
import { calls, type ScriptedReply, says, scriptedProvider } from '../../src/testing/scripted.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { ask, engineWith, eventsOf, gate, isEvent, last, openSession, until } from '../support/engine.ts'

const must = <Value>(result: { ok: true; value: Value } | { ok: false; fault: { message: string } }): Value => {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}

const cutAfter = (...pieces: readonly string[]): readonly Delta[] => [
  ...pieces.map(text => ({ type: 'text', text }) as const),
  { type: 'fault', fault: fault('unreachable', 'the connection was reset') },
]

const textsOf = (events: readonly Recorded[]): readonly string[] =>
  events.flatMap(event =>
    event.type === 'reply.finished' || event.type === 'reply.broken'
      ? [`${event.type} ${event.step}: ${event.parts.map(part => ('text' in part ? part.text : part.tool)).join('|')}`]
      : [],
  )

test('a reply that is cut off goes on by itself, in its own turn, and is one answer from then on', async () => {
  const provider = scriptedProvider([cutAfter('One, two', ', three'), says(', four.'), says('later')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Count')
  assert.deepEqual(textsOf(events), ['reply.broken 1: One, two, three', 'reply.finished 2: , four.'])
  assert.equal(last(events, 'turn.ended').reason, 'done')
  const again = JSON.parse(provider.requests[1]?.body ?? '{}')
  assert.deepEqual(again.messages, [
    {
      role: 'user',
      blocks: [
        { type: 'text', text: '=== CURRENT ===\n\n$user: Count\n\n$respond: One, two, three' },
        {
          type: 'text',
          text: '[You were cut off at the very end of the transcript above. Go on from exactly there: write only what comes next, and repeat nothing that stands in it.]',
        },
      ],
    },
  ])
  await ask(engine, session, 'And then?')
  const next = JSON.parse(provider.requests[2]?.body ?? '{}')
  assert.deepEqual(next.messages[1], { role: 'assistant', blocks: [{ type: 'text', text: 'One, two, three, four.' }] })
  assert.equal(must(await engine.session(session)).messages, 4, 'one answer, counted once')
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('a model that says its last words again is heard only from there on', async () => {
  const provider = scriptedProvider([cutAfter('The quick brown fox jumps'), says('quick brown', ' fox jumps over', ' the dog.')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Go')
  assert.deepEqual(textsOf(events), ['reply.broken 1: The quick brown fox jumps', 'reply.finished 2:  over the dog.'])
})

test('what was cut off twice is joined as one, whoever says its last words again', async () => {
  const provider = scriptedProvider([cutAfter('The quick brown fox'), cutAfter(' ju'), says('brown fox ju', 'mps.')])
  const engine = engineWith({ provider, resume: { continuations: 2 } })
  const events = await ask(engine, await openSession(engine), 'Go')
  assert.equal(spokenText(events.filter(isReply)), 'The quick brown fox jumps.')
})

test('blank lines before a cut are not said twice', async () => {
  const provider = scriptedProvider([cutAfter('\n\n'), says('\n\n', 'Hello.')])
  const engine = engineWith({ provider })
  const events = await ask(engine, await openSession(engine), 'Go')
  assert.equal(spokenText(events.filter(isReply)), '\n\nHello.')
  assert.equal(last(events, 'turn.ended').reason, 'done')
})

test('it is not asked a third time by itself, nor where a person is to be asked, nor where the fault is not on the way', async () => {
  const told = async (replies: readonly ScriptedReply[], options: Partial<EngineOptions> = {}) => {
    const provider = scriptedProvider(replies)
    const engine = engineWith({ provider, ...options })
    const events = await ask(engine, await openSession(engine), 'Go')
    return { requests: provider.requests.length, reason: last(events, 'turn.ended').reason }
  }
  assert.deepEqual(await told([cutAfter('a'), cutAfter('b')]), { requests: 2, reason: 'failed' })
  assert.deepEqual(await told([cutAfter('a')], { resume: { mode: 'ask' } }), { requests: 1, reason: 'failed' })
  assert.deepEqual(await told([cutAfter('a'), cutAfter('b'), says('c')], { resume: { continuations: 2 } }), {
    requests: 3,
    reason: 'done',
  })
  const refused: readonly Delta[] = [
    { type: 'text', text: 'a' },
    { type: 'fault', fault: fault('refused', 'no') },
  ]
  assert.deepEqual(await told([refused]), { requests: 1, reason: 'failed' })
  assert.deepEqual(
    await told([cutAfter()]),
    { requests: 1, reason: 'failed' },
    'nothing was said, so there is nothing to go on with',
  )
})

/** An engine that is let go of when its test is over: what it was doing goes on for ever. */
function doomed(t: TestContext, options: EngineOptions) {
  const engine = createEngine(options)
  t.after(() => engine.close(1))
  return engine
}

/** What was going on when the process died: the same log, another engine. */
async function afterCrash(log: Log, replies: readonly ScriptedReply[], options: Partial<EngineOptions> = {}) {
  const provider = scriptedProvider(replies)
  const engine = createEngine({ log, provider, ...options })
  must(await engine.recover())
  return { engine, provider }
}

const forever = (...pieces: readonly string[]) =>
  async function* (): AsyncGenerator<Delta> {
    for (const text of pieces) yield { type: 'text', text }
    await new Promise(() => {})
  }

test('after a crash inside a reply the turn goes on where its checkpoint ends', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const first = doomed(t, { log, provider: scriptedProvider([forever('Half of ')]) })
  const session = await openSession(first)
  const checkpointed = gate()
  const { checkpoint } = log
  Object.assign(log, {
    checkpoint: async (...args: Parameters<Log['checkpoint']>) => {
      const done = await checkpoint(...args)
      checkpointed.open()
      return done
    },
  })
  const said = must(await first.say({ session, text: 'Go', from: 'person' }))
  await checkpointed.passed
  const { engine, provider } = await afterCrash(log, [says('it.')])
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  const events = await eventsOf(engine, session)
  assert.deepEqual(textsOf(events), ['reply.broken 1: Half of ', 'reply.finished 2: it.'])
  assert.deepEqual(
    events.flatMap(event => (event.type === 'turn.ended' ? [[event.turn, event.reason]] : [])),
    [[said.turns[0], 'done']],
  )
  assert.equal(provider.requests.length, 1)
})

test('after a crash before the first word the same request goes out again, byte for byte', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const before = scriptedProvider([says('hello'), forever()])
  const first = doomed(t, { log, provider: before })
  const session = await openSession(first)
  await ask(first, session, 'Hi')
  must(await first.say({ session, text: 'Go', from: 'person' }))
  await until(first, session, signal => isEvent(signal, 'context.planned') && signal.event.seq > 5)
  const { engine, provider } = await afterCrash(log, [says('gone.')])
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.seq > 8)
  assert.equal(provider.requests[0]?.body, before.requests[1]?.body)
  assert.deepEqual(textsOf(await eventsOf(engine, session)), ['reply.finished 1: hello', 'reply.finished 1: gone.'])
})

test('after a crash in a tool the call is settled as unknown, never run again, and the turn goes on', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  let runs = 0
  const tool = (idempotent: boolean) => ({
    spec: { name: 'act', description: 'Acts', parameters: { type: 'object' } },
    idempotent,
    run: async () => {
      runs += 1
      if (runs === 1) await new Promise(() => {})
      return { ok: true, outcome: 'acted' }
    },
  })
  const first = doomed(t, { log, toolbox: toolbox([tool(false)]), provider: scriptedProvider([calls('act', {})]) })
  const session = await openSession(first)
  must(await first.say({ session, text: 'Go', from: 'person' }))
  await until(first, session, signal => isEvent(signal, 'tool.started'))
  const { engine, provider } = await afterCrash(log, [says('Who knows.')], { toolbox: toolbox([tool(false)]) })
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  const events = await eventsOf(engine, session)
  assert.equal(runs, 1)
  assert.equal(last(events, 'tool.settled').outcome, 'interrupted, its effects are unknown')
  assert.equal(last(events, 'turn.ended').reason, 'done')
  assert.equal(provider.requests.length, 1, 'what was said already is not asked for again')
})

test('a tool that says it may is run again', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  let runs = 0
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    idempotent: true,
    run: async () => {
      runs += 1
      if (runs === 1) await new Promise(() => {})
      return { ok: true, outcome: 'seen' }
    },
  }
  const first = doomed(t, { log, toolbox: toolbox([look]), provider: scriptedProvider([calls('look', {})]) })
  const session = await openSession(first)
  must(await first.say({ session, text: 'Go', from: 'person' }))
  await until(first, session, signal => isEvent(signal, 'tool.started'))
  const { engine } = await afterCrash(log, [says('Done.')], { toolbox: toolbox([look]) })
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  assert.equal(runs, 2)
  assert.equal(last(await eventsOf(engine, session), 'tool.settled').outcome, 'seen')
})

test('a tool that says it may, and that a person allowed once, is run again as it was shown, and not as anything else', async t => {
  for (const [description, outcome] of [
    ['Looks', 'seen'],
    ['Looks, and tells everybody', 'interrupted, its effects are unknown'],
  ] as const) {
    const log = memoryLog({ clock: Date.now, weigh })
    let runs = 0
    const look = (said: string) => ({
      spec: { name: 'look', description: said, parameters: { type: 'object' } },
      ...{ approval: 'ask' as const, idempotent: true },
      run: async () => {
        runs += 1
        if (runs === 1) await new Promise(() => {})
        return { ok: true, outcome: 'seen' }
      },
    })
    const first = doomed(t, { log, toolbox: toolbox([look('Looks')]), provider: scriptedProvider([calls('look', {})]) })
    const session = await openSession(first)
    must(await first.say({ session, text: 'Go', from: 'person' }))
    await until(first, session, signal => isEvent(signal, 'approval.asked'))
    const [pending] = first.approvals()
    assert.ok(pending)
    must(await first.answer(pending.approval, 'once'))
    await until(first, session, signal => isEvent(signal, 'tool.started'))
    const { engine } = await afterCrash(log, [says('Done.')], { toolbox: toolbox([look(description)]) })
    await until(engine, session, signal => isEvent(signal, 'turn.ended'))
    assert.equal(last(await eventsOf(engine, session), 'tool.settled').outcome, outcome)
    assert.equal(runs, outcome === 'seen' ? 2 : 1)
  }
})

test('a turn that is too old, or where a person is to be asked, ends as interrupted and is gone on with by a new one', async t => {
  for (const resume of [{ mode: 'ask' as const }, { withinMinutes: 0 }]) {
    let now = Date.UTC(2026, 0, 1)
    const clock = () => now
    const log = memoryLog({ clock, weigh })
    const first = doomed(t, { log, clock, provider: scriptedProvider([forever()]) })
    const session = await openSession(first)
    must(await first.say({ session, text: 'Go', from: 'person' }))
    await until(first, session, signal => isEvent(signal, 'context.planned'))
    now += 1000
    const { engine, provider } = await afterCrash(log, [says('At last.')], { resume, clock })
    const left = await eventsOf(engine, session)
    assert.equal(last(left, 'turn.ended').reason, 'interrupted')
    assert.equal(provider.requests.length, 0)
    const [turn] = must(await engine.resume(session))
    await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === turn)
    const events = await eventsOf(engine, session)
    assert.equal(last(events, 'turn.started').resumes, last(left, 'turn.ended').turn)
    assert.equal(events.filter(({ type }) => type === 'message.received').length, 1)
    assert.equal(last(events, 'turn.ended').reason, 'done')
  }
})

test('when the gateway stops in the middle of a reply, the next start goes on with it', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const first = doomed(t, { log, provider: scriptedProvider([forever('Half of ')]) })
  const session = await openSession(first)
  must(await first.say({ session, text: 'Go', from: 'person' }))
  await until(first, session, signal => signal.type === 'delta')
  await first.close(10)
  const { engine } = await afterCrash(log, [says('it.')])
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  assert.deepEqual(textsOf(await eventsOf(engine, session)), ['reply.broken 1: Half of ', 'reply.finished 2: it.'])
})

test('a failed turn is tried again after its complete steps: no second message, no second call', async () => {
  let runs = 0
  const act = {
    spec: { name: 'act', description: 'Acts', parameters: { type: 'object' } },
    run: async () => {
      runs += 1
      return { ok: true, outcome: `acted ${runs}` }
    },
  }
  const failing: readonly Delta[] = [{ type: 'fault', fault: fault('rejected', 'no') }]
  const provider = scriptedProvider([calls('act', { a: 1 }), failing, says('It is done.')])
  const engine = engineWith({ provider, toolbox: toolbox([act]) })
  const session = await openSession(engine)
  const failed = await ask(engine, session, 'Go')
  assert.equal(last(failed, 'turn.ended').reason, 'failed')
  const [turn] = must(await engine.resume(session))
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === turn)
  assert.equal(runs, 1)
  const request = JSON.parse(provider.requests[2]?.body ?? '{}')
  assert.deepEqual(
    request.messages.map(
      ({ role, blocks }: { role: string; blocks: { type: string }[] }) => `${role} ${blocks.map(({ type }) => type).join(' ')}`,
    ),
    ['user text', 'assistant call', 'user result'],
  )
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})
