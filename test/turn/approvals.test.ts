// A call that waits for a person: asked once, answered once, and over restarts.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Engine, type EngineOptions, type Log, memoryLog, openEngine, weigh } from '../../src/index.ts'
import type { Recorded } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import { err, ok } from '../../src/model/result.ts'
import { ASSISTANT } from '../../src/model/voice.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import { type Ready, type Settlement, type Tool, toolbox } from '../../src/tool/toolbox.ts'
import { engineWith, eventsOf, gate, isEvent, last, openSession, until } from '../support/engine.ts'

/** A tool that counts how often it ran, and asks first unless told otherwise. */
function counting(
  name: string,
  given: Partial<Tool> & { readonly argv?: () => readonly string[] } = {},
): Tool & { ran: string[] } {
  const { argv, ...rest } = given
  const tool = {
    spec: { name, description: name, parameters: { type: 'object' } },
    approval: 'ask',
    parallel: false,
    idempotent: false,
    ran: [] as string[],
    prepare: async (args: unknown): Promise<Ready | Settlement> => ({
      argv: argv?.() ?? [name, JSON.stringify(args)],
      run: async () => {
        tool.ran.push(JSON.stringify(args))
        return { ok: true, outcome: 'done' }
      },
    }),
    ...rest,
  } satisfies Tool & { ran: string[] }
  return tool
}

const calls = (...tools: readonly (readonly [id: string, tool: string, args: string])[]): readonly Delta[] => [
  ...tools.map(([call, tool, text]): Delta => ({ type: 'call', call, tool, text })),
  { type: 'done' },
]

async function say(engine: Engine, session: SessionId, text: string): Promise<void> {
  const said = await engine.say({ session, text, from: 'person' })
  assert.ok(said.ok)
}

/** A log beside which everything is granted that this says. */
const withGrants = (isGranted: (tool: string) => boolean): Log => {
  const log = memoryLog({ clock: Date.now, weigh })
  return { ...log, grants: { ...log.grants, has: async tool => ok(isGranted(tool)) } }
}

const asked = (engine: Engine, session: SessionId, count = 1): Promise<unknown> => {
  let seen = 0
  return until(engine, session, signal => {
    if (isEvent(signal, 'approval.asked')) seen += 1
    return seen === count
  })
}
const ended = (engine: Engine, session: SessionId): Promise<unknown> =>
  until(engine, session, signal => isEvent(signal, 'turn.ended'))

const typesOf = (events: readonly Recorded[]): readonly string[] => events.map(({ type }) => type)

test('approved once: it runs exactly as shown, and the model reads what came of it', async () => {
  const write = counting('write')
  const provider = scriptedProvider([calls(['c1', 'write', '{"x":1}']), says('Written.')])
  const engine = engineWith({ provider, toolbox: toolbox([write]) })
  const session = await openSession(engine)
  await say(engine, session, 'write it')
  await asked(engine, session)
  const [pending] = engine.approvals()
  assert.deepEqual(pending?.argv, ['write', '{"x":1}'])
  assert.deepEqual(write.ran, [])
  assert.ok(pending)
  assert.ok((await engine.answer(pending.approval, 'once')).ok)
  await ended(engine, session)
  const events = await eventsOf(engine, session)
  assert.deepEqual(typesOf(events), [
    ...['message.received', 'turn.started', 'context.planned', 'reply.finished', 'approval.asked', 'approval.answered'],
    ...['tool.started', 'tool.settled', 'context.planned', 'reply.finished', 'turn.ended'],
  ])
  assert.deepEqual(write.ran, ['{"x":1}'])
  assert.deepEqual(engine.approvals(), [])
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('denied: nothing runs, and the model reads why', async () => {
  const write = counting('write')
  const provider = scriptedProvider([calls(['c1', 'write', '{}']), says('Then not.')])
  const engine = engineWith({ provider, toolbox: toolbox([write]) })
  const session = await openSession(engine)
  await say(engine, session, 'write it')
  await asked(engine, session)
  const [pending] = engine.approvals()
  assert.ok(pending && (await engine.answer(pending.approval, 'deny', 'not today')).ok)
  await ended(engine, session)
  const settled = last(await eventsOf(engine, session), 'tool.settled')
  assert.deepEqual([settled.ok, settled.outcome], [false, 'denied: not today; nothing was run'])
  assert.deepEqual(write.ran, [])
  assert.match(provider.requests.at(-1)?.body ?? '', /denied: not today/)
})

test('two answers at once: the first counts, the second is told so; an unknown one is not found', async () => {
  const write = counting('write')
  const engine = engineWith({ provider: scriptedProvider([calls(['c1', 'write', '{}']), says('ok')]), toolbox: toolbox([write]) })
  const session = await openSession(engine)
  await say(engine, session, 'write it')
  await asked(engine, session)
  const [pending] = engine.approvals()
  assert.ok(pending)
  const answers = await Promise.all([engine.answer(pending.approval, 'once'), engine.answer(pending.approval, 'deny')])
  assert.deepEqual(
    answers.map(answer => (answer.ok ? 'ok' : answer.fault.kind)),
    ['ok', 'conflict'],
  )
  await ended(engine, session)
  assert.equal(write.ran.length, 1)
  const third = await engine.answer(pending.approval, 'deny')
  assert.equal(third.ok ? '' : third.fault.kind, 'conflict')
  const unknown = await engine.answer('apr_unknown' as typeof pending.approval, 'once')
  assert.equal(unknown.ok ? '' : unknown.fault.kind, 'not-found')
})

test('an answer is for what was shown: if that has changed meanwhile, it is shown and asked about anew', async () => {
  let path = '/bin/a'
  const write = counting('write', { argv: () => [path] })
  const engine = engineWith({ provider: scriptedProvider([calls(['c1', 'write', '{}']), says('ok')]), toolbox: toolbox([write]) })
  const session = await openSession(engine)
  await say(engine, session, 'write it')
  await asked(engine, session)
  const [pending] = engine.approvals()
  path = '/bin/b'
  assert.ok(pending && (await engine.answer(pending.approval, 'once')).ok)
  await asked(engine, session, 2)
  assert.deepEqual(write.ran, [])
  const [again] = engine.approvals()
  assert.deepEqual([again?.argv, again?.call], [['/bin/b'], 'c1'])
  assert.ok(again && (await engine.answer(again.approval, 'once')).ok)
  await ended(engine, session)
  assert.equal(write.ran.length, 1)
})

test('for the session: not asked again there, also after a restart, but asked elsewhere; always: asked nowhere', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const write = counting('write')
  const replies = Array.from({ length: 6 }, (_, index) => [calls([`c${index}`, 'write', '{}']), says('ok')]).flat()
  const options = { log, provider: scriptedProvider(replies), toolbox: toolbox([write]) }
  const engine = engineWith(options)
  const session = await openSession(engine)
  await say(engine, session, 'one')
  await asked(engine, session)
  const [pending] = engine.approvals()
  assert.ok(pending && (await engine.answer(pending.approval, 'session')).ok)
  await ended(engine, session)
  const runs = async (on: Engine, id: SessionId): Promise<boolean> => {
    await say(on, id, 'again')
    const before = write.ran.length
    await until(on, id, signal => isEvent(signal, 'turn.ended') && write.ran.length > before)
    return on.approvals().length === 0
  }
  assert.ok(await runs(engine, session))
  assert.ok(await runs(engineWith(options), session), 'it is kept beside the log')
  const other = await openSession(engine)
  await say(engine, other, 'here')
  await asked(engine, other)
  const [elsewhere] = engine.approvals()
  assert.ok(elsewhere && (await engine.answer(elsewhere.approval, 'always')).ok)
  await ended(engine, other)
  assert.ok(await runs(engine, await openSession(engine)))
})

test('what is never run is refused at once, whatever anybody allowed', async () => {
  const never = counting('never', { approval: 'never' })
  const engine = engineWith({
    provider: scriptedProvider([calls(['c1', 'never', '{}']), says('ok')]),
    toolbox: toolbox([never]),
    log: withGrants(() => true),
  })
  const session = await openSession(engine)
  await say(engine, session, 'do it')
  await ended(engine, session)
  assert.equal(last(await eventsOf(engine, session), 'tool.settled').outcome, 'denied: never is never run here')
  assert.deepEqual(never.ran, [])
})

test('waiting holds up nothing but its own turn: other sessions answer, messages here are taken and heard later', async () => {
  const write = counting('write')
  const provider = scriptedProvider([calls(['c1', 'write', '{}']), says('elsewhere'), says('heard both')])
  const engine = engineWith({ provider, toolbox: toolbox([write]), limits: { turnMs: 1000 } })
  const session = await openSession(engine)
  await say(engine, session, 'write it')
  await asked(engine, session)
  const other = await openSession(engine)
  await say(engine, other, 'hello')
  await ended(engine, other)
  const more = await engine.say({ session, text: 'and hurry', from: 'person' })
  assert.deepEqual(more.ok && more.value.turns, [])
  const [pending] = engine.approvals()
  assert.ok(pending && (await engine.answer(pending.approval, 'once')).ok)
  await ended(engine, session)
  const request = JSON.parse(provider.requests.at(-1)?.body ?? '') as { messages: { blocks: { text?: string }[] }[] }
  assert.match(JSON.stringify(request.messages), /and hurry/)
  assert.equal((await eventsOf(engine, session)).filter(({ type }) => type === 'turn.started').length, 1)
})

test('the time that a person takes is not the turn’s, and the time before and after it counts as one', async () => {
  for (const { ranBefore, reason } of [
    { ranBefore: 1, reason: 'done' },
    { ranBefore: 3_600_001, reason: 'failed' },
  ]) {
    let now = Date.UTC(2026, 0, 1)
    async function* thinking(): AsyncGenerator<Delta> {
      now += ranBefore
      yield* calls(['c1', 'write', '{}'])
    }
    const log = memoryLog({ clock: () => now, weigh })
    const provider = scriptedProvider([thinking, says('Written.')])
    const engine = engineWith({ log, clock: () => now, provider, toolbox: toolbox([counting('write')]) })
    const session = await openSession(engine)
    await say(engine, session, 'write it')
    await asked(engine, session)
    now += 5 * 3_600_000
    const [pending] = engine.approvals()
    assert.ok(pending && (await engine.answer(pending.approval, 'once')).ok)
    await ended(engine, session)
    const end = last(await eventsOf(engine, session), 'turn.ended')
    assert.equal(end.reason, reason)
    if (reason === 'failed') assert.match(end.fault?.message ?? '', /longer than 3600 s/)
  }
})

test('several calls of one reply: what may run runs, what asks is answered in any order, each is settled once', async () => {
  const write = counting('write')
  const look = counting('look', { approval: 'auto', parallel: true })
  const provider = scriptedProvider([
    calls(
      ['c1', 'write', '{"n":1}'],
      ['c2', 'look', '{}'],
      ['c3', 'write', '{"n":3}'],
      ['c4', 'nothing', '{}'],
      ['c5', 'look', '{'],
    ),
    says('ok'),
  ])
  const engine = engineWith({ provider, toolbox: toolbox([write, look]) })
  const session = await openSession(engine)
  await say(engine, session, 'go')
  await until(engine, session, signal => isEvent(signal, 'tool.settled') && signal.event.call === 'c2')
  assert.equal(engine.approvals().length, 2)
  const [first, second] = engine.approvals()
  assert.ok(first && second)
  await engine.answer(second.approval, 'once')
  await until(engine, session, signal => isEvent(signal, 'tool.settled') && signal.event.call === 'c3')
  await engine.answer(first.approval, 'deny')
  await ended(engine, session)
  const settled = (await eventsOf(engine, session)).flatMap(event =>
    event.type === 'tool.settled' ? [[event.call, event.ok]] : [],
  )
  assert.deepEqual(settled.toSorted(), [
    ['c1', false],
    ['c2', true],
    ['c3', true],
    ['c4', false],
    ['c5', false],
  ])
  assert.deepEqual(write.ran, ['{"n":3}'])
})

test('calls whose tools allow it run side by side; others have the moment to themselves', async () => {
  const [both, alone] = [gate(), gate()]
  let running = 0
  const beside = (name: string): Tool => ({
    ...counting(name, { approval: 'auto', parallel: true }),
    prepare: async () => ({
      run: async () => {
        running += 1
        if (running === 2) both.open()
        await both.passed
        running -= 1
        return { ok: true, outcome: 'done' }
      },
    }),
  })
  const single: Tool = {
    ...counting('single', { approval: 'auto' }),
    prepare: async () => ({
      run: async () => {
        assert.equal(running, 0)
        alone.open()
        return { ok: true, outcome: 'done' }
      },
    }),
  }
  const provider = scriptedProvider([calls(['c1', 'a', '{}'], ['c2', 'b', '{}'], ['c3', 'single', '{}']), says('ok')])
  const engine = engineWith({ provider, toolbox: toolbox([beside('a'), beside('b'), single]) })
  const session = await openSession(engine)
  await say(engine, session, 'go')
  await ended(engine, session)
  await alone.passed
  assert.equal((await eventsOf(engine, session)).filter(event => event.type === 'tool.settled' && event.ok).length, 3)
})

test('a person stops a turn that waits: its question and its call are settled, and the session goes on', async () => {
  const write = counting('write')
  const engine = engineWith({
    provider: scriptedProvider([calls(['c1', 'write', '{}']), says('next')]),
    toolbox: toolbox([write]),
  })
  const session = await openSession(engine)
  await say(engine, session, 'write it')
  await asked(engine, session)
  const [pending] = engine.approvals()
  const stopped = await engine.cancel(session)
  assert.ok(stopped.ok && stopped.value.length === 1)
  assert.deepEqual(engine.approvals(), [])
  const events = await eventsOf(engine, session)
  assert.deepEqual(typesOf(events).slice(-3), ['approval.answered', 'tool.settled', 'turn.ended'])
  assert.equal(last(events, 'turn.ended').reason, 'cancelled')
  assert.ok(pending)
  const late = await engine.answer(pending.approval, 'once')
  assert.ok(!late.ok)
  await say(engine, session, 'something else')
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.reason === 'done')
  assert.deepEqual(write.ran, [])
})

const file = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-approvals-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'test.db')
}
async function opened(database: string, options: Partial<EngineOptions>): Promise<Engine> {
  const engine = await openEngine(database, options)
  assert.ok(engine.ok, engine.ok ? '' : engine.fault.message)
  assert.ok((await engine.value.recover()).ok)
  return engine.value
}

test('a restart while it waits: it goes on waiting, and the answer is done once, by steps that only append', async t => {
  const database = file(t)
  const write = counting('write')
  const provider = scriptedProvider([calls(['c1', 'write', '{"x":1}']), says('Written.')])
  const first = await opened(database, { provider, toolbox: toolbox([write]) })
  const session = await openSession(first)
  await say(first, session, 'write it')
  await asked(first, session)
  await first.close(0)

  const second = await opened(database, { provider, toolbox: toolbox([write]) })
  const [pending] = second.approvals()
  assert.deepEqual([pending?.tool, pending?.argv], ['write', ['write', '{"x":1}']])
  assert.ok(pending && (await second.answer(pending.approval, 'once')).ok)
  await ended(second, session)
  assert.deepEqual(write.ran, ['{"x":1}'])
  const [one, two] = provider.requests.map(({ body }) => JSON.parse(body).messages as unknown[])
  assert.deepEqual(two?.slice(0, one?.length), one)
  assert.equal(last(await eventsOf(second, session), 'turn.ended').reason, 'done')
  for await (const { verdict, detail } of second.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
  await second.close(0)
})

test('nobody answers for a day, over a restart: it is denied, and the turn goes on', async t => {
  const database = file(t)
  let now = Date.parse('2026-11-15T12:00:00Z')
  const write = counting('write')
  const provider = scriptedProvider([calls(['c1', 'write', '{}']), says('Then not.')])
  const options = { provider, toolbox: toolbox([write]), clock: () => now }
  const first = await opened(database, options)
  const session = await openSession(first)
  await say(first, session, 'write it')
  await asked(first, session)
  assert.equal(first.approvals()[0]?.expiresAt, '2026-11-16T12:00:00.000Z')
  await first.close(0)
  now += 24 * 3_600_000
  const second = await opened(database, options)
  await ended(second, session)
  assert.match(last(await eventsOf(second, session), 'tool.settled').outcome, /denied: nobody answered within 24 hours/)
  assert.deepEqual(write.ran, [])
  await second.close(0)
})

/** A log whose next append, from now on, fails; and back. */
function unreliable(log: ReturnType<typeof memoryLog>): { readonly log: typeof log; fails: boolean } {
  const state = {
    fails: false,
    log: {
      ...log,
      append: async (...given: Parameters<typeof log.append>) =>
        state.fails ? err(fault('store', 'the disk is away')) : log.append(...given),
    },
  }
  return state
}

const waitingCall = async (
  options: Partial<EngineOptions> = {},
): Promise<{ engine: Engine; session: SessionId; write: ReturnType<typeof counting> }> => {
  const write = counting('write')
  const provider = scriptedProvider([calls(['c1', 'write', '{}']), says('ok'), calls(['c2', 'write', '{}']), says('ok')])
  const engine = engineWith({ provider, toolbox: toolbox([write]), ...options })
  const session = await openSession(engine)
  await say(engine, session, 'write it')
  await asked(engine, session)
  return { engine, session, write }
}

test('an answer and a stop in the same moment: the call runs or is cancelled, and the turn ends once', async () => {
  for (let tries = 0; tries < 20; tries += 1) {
    const { engine, session, write } = await waitingCall()
    const [pending] = engine.approvals()
    assert.ok(pending)
    await Promise.all([engine.answer(pending.approval, 'once'), engine.cancel(session)])
    await ended(engine, session)
    await engine.close(100)
    const events = await eventsOf(engine, session)
    assert.equal(events.filter(({ type }) => type === 'turn.ended').length, 1)
    assert.equal(events.filter(({ type }) => type === 'tool.settled').length, 1)
    assert.ok(write.ran.length <= 1)
    assert.equal(typesOf(events).at(-1), 'turn.ended')
  }
})

test('an answer that could not be written allows nothing, and can be given again', async () => {
  const store = unreliable(memoryLog({ clock: Date.now, weigh }))
  const { engine, session, write } = await waitingCall({ log: store.log })
  const [pending] = engine.approvals()
  assert.ok(pending)
  store.fails = true
  assert.ok(!(await engine.answer(pending.approval, 'session')).ok)
  store.fails = false
  assert.ok((await engine.answer(pending.approval, 'deny')).ok)
  await ended(engine, session)
  await say(engine, session, 'again')
  await asked(engine, session, 2)
  assert.deepEqual(write.ran, [])
  assert.equal(engine.approvals().length, 1)
})

test('a stop that could not be written is told, and the call goes on waiting', async () => {
  const store = unreliable(memoryLog({ clock: Date.now, weigh }))
  const { engine, session } = await waitingCall({ log: store.log })
  store.fails = true
  const stopped = await engine.cancel(session)
  assert.equal(stopped.ok ? '' : stopped.fault.kind, 'store')
  assert.equal(engine.approvals().length, 1)
  store.fails = false
  assert.ok((await engine.cancel(session)).ok)
  assert.equal(last(await eventsOf(engine, session), 'turn.ended').reason, 'cancelled')
})

test('another agent is chosen while a call waits: the turn goes on as the voice it was begun with', async () => {
  const agents = [
    { ...ASSISTANT, key: 'a', name: 'A' },
    { ...ASSISTANT, key: 'b', name: 'B' },
  ]
  const { engine, session, write } = await waitingCall({ agents: () => agents, policy: 'council' })
  assert.ok((await engine.change(session, { agent: 'b' })).ok)
  const [pending] = engine.approvals()
  assert.ok(pending && (await engine.answer(pending.approval, 'once')).ok)
  await ended(engine, session)
  const events = await eventsOf(engine, session)
  const voices = events.flatMap(event => (event.type === 'context.planned' ? [event.receipt.voice] : []))
  assert.deepEqual(voices, ['a', 'a'])
  assert.equal(write.ran.length, 1)
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('a turn that cannot go on ends with its calls and questions settled', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const { session, write } = await waitingCall({ log })
  const broken = engineWith({
    log: { ...log, texts: async () => err(fault('invalid', 'the texts are gone')) },
    toolbox: toolbox([write]),
  })
  assert.ok((await broken.recover()).ok)
  await ended(broken, session)
  const after = await eventsOf(broken, session)
  assert.deepEqual(typesOf(after).slice(-3), ['approval.answered', 'tool.settled', 'turn.ended'])
  assert.equal(last(after, 'turn.ended').reason, 'failed')
  assert.deepEqual(broken.approvals(), [])
})

test('a kit that cannot be made ends the turn, and says so', async () => {
  const bugs: unknown[] = []
  const engine = engineWith({
    equipment: { now: () => Promise.reject(new Error('no disk')) },
    observe: seen => {
      if (seen.type === 'bug') bugs.push(seen.cause)
    },
  })
  const session = await openSession(engine)
  await say(engine, session, 'hello')
  await ended(engine, session)
  assert.equal(last(await eventsOf(engine, session), 'turn.ended').fault?.kind, 'bug')
  assert.equal(bugs.length, 1)
})

test('whoever hears of a question can answer it in the same moment', async () => {
  const write = counting('write')
  const provider = scriptedProvider([calls(['c1', 'write', '{}']), says('Written.')])
  const engine = engineWith({ provider, toolbox: toolbox([write]) })
  const session = await openSession(engine)
  const answers: unknown[] = []
  const over = until(engine, session, signal => {
    if (signal.type === 'event' && signal.event.type === 'approval.asked')
      engine.answer(signal.event.approval, 'once').then(answer => answers.push(answer.ok), assert.ifError)
    return isEvent(signal, 'turn.ended')
  })
  await say(engine, session, 'write it')
  await over
  assert.deepEqual(answers, [true])
  assert.deepEqual(write.ran, ['{}'])
})
