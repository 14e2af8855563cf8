// A fork is the same conversation up to a place: event for event, and byte for byte in what is sent next.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Engine, memoryLog, weigh } from '../../src/index.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Encoded, Provider } from '../../src/model/provider.ts'
import { SYNTHESIS } from '../../src/model/settings/council.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import { type Tool, toolbox } from '../../src/tool/toolbox.ts'
import { advisor, boardOf, councilOf, round, settled, stand } from '../support/council.ts'
import { ask, engineWith, eventsOf, gate, isEvent, last, openSession, until } from '../support/engine.ts'
import { tries } from '../support/tries.ts'

const must = <Value>(result: { ok: true; value: Value } | { ok: false; fault: { message: string } }): Value => {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}

const withoutName = (events: readonly Recorded[]): readonly object[] => events.map(({ session: _, ...rest }) => rest)

const answered = (engine: Engine, session: SessionId, after: number): Promise<unknown> =>
  until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.seq > after)

async function verified(engine: Engine, session: SessionId): Promise<number> {
  let count = 0
  for await (const { verdict, detail } of engine.verify(session)) {
    assert.equal(verdict, 'identical', detail ?? '')
    count += 1
  }
  return count
}

/** Speaks a dialect that says whose request it is, uses a tool where it is asked to, and remembers what it was sent. */
function talker(): Provider & { readonly requests: Encoded[] } {
  const requests: Encoded[] = []
  async function* speak(request: Encoded): AsyncGenerator<Delta> {
    requests.push(request)
    const { messages } = JSON.parse(request.body) as { messages: { role: string; content: unknown }[] }
    const newest = messages.at(-1)
    if (newest?.role === 'user' && JSON.stringify(newest.content).includes('look'))
      yield { type: 'call', call: `c${requests.length}`, tool: 'look', text: '{}' }
    else yield { type: 'text', text: `answer ${requests.length}` }
    yield { type: 'done' }
  }
  return { wire: openaiChatWire, requests, speak }
}

const look = { spec: { name: 'look', description: 'Looks', parameters: {} }, run: async () => ({ ok: true, outcome: 'found' }) }

test('at any seq of any conversation a fork has the same events, verifies, and is sent what its parent would be', async () => {
  const act = fc.constantFrom('say', 'say', 'look', 'pin', 'exclude', 'rename')
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 1, maxLength: 7 }),
      fc.nat(60),
      fc.constantFrom('steady', 'recent', 'head-tail', 'full', 'transcript'),
      async (acts, place, policy) => {
        const provider = talker()
        const engine = engineWith({ provider, toolbox: toolbox([look]), clock: () => Date.UTC(2026, 0, 1, 12) })
        const { id } = must(await engine.open({ policy }))
        for (const [index, what] of acts.entries()) {
          if (what === 'say' || what === 'look') await ask(engine, id, `${what} ${index}`)
          else if (what === 'rename') must(await engine.change(id, { title: `title ${index}` }))
          else await engine.mark(id, 1, what === 'pin' ? 'pin' : 'exclude')
        }
        const events = await eventsOf(engine, id)
        const at = place % (events.length + 1)
        const fork = must(await engine.fork(id, at))
        assert.deepEqual(fork.parent, { session: id, at })
        const copied = await eventsOf(engine, fork.id)
        assert.deepEqual(withoutName(copied.slice(0, at)), withoutName(events.slice(0, at)))
        assert.deepEqual(
          copied.slice(at).filter(({ type }) => type !== 'turn.ended' && type !== 'tool.settled'),
          [],
        )
        assert.equal(await verified(engine, fork.id), events.slice(0, at).filter(({ type }) => type === 'context.planned').length)

        // A call that is not run here was, for all the parent knows, interrupted.
        if (copied.slice(at).some(({ type }) => type === 'tool.settled')) return
        const said = must(await engine.say({ session: fork.id, text: 'and now?', from: 'person' }))
        await answered(engine, fork.id, said.seq)
        const sent: unknown = JSON.parse(provider.requests.at(-1)?.body ?? '')
        if (at === 0) return
        const would = must(await engine.wouldSend(id, { text: 'and now?', at }))
        assert.deepEqual(sent, would.request?.body)
      },
    ),
    tries(120),
  )
})

test('a fork at a message answers nothing by itself, and resume answers it', async () => {
  const engine = engineWith({ provider: stand() })
  const session = await openSession(engine)
  await ask(engine, session, 'one')
  const events = await ask(engine, session, 'two')
  const two = events.findLast(event => event.type === 'message.received')?.seq ?? 0
  const { id } = must(await engine.fork(session, two))
  assert.equal((await eventsOf(engine, id)).length, two)
  const turns = must(await engine.resume(id))
  assert.equal(turns.length, 1)
  await answered(engine, id, two)
  const reply = last(await eventsOf(engine, id), 'reply.finished')
  assert.deepEqual(reply.parts, [{ type: 'text', text: 'assistant says 2.' }])
  const again = await engine.resume(id)
  assert.ok(!again.ok && again.fault.kind === 'conflict')
})

test('a restart does not answer for a fork either', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const first = engineWith({ provider: stand(), log })
  const session = await openSession(first)
  await ask(first, session, 'one')
  const { id } = must(await first.fork(session, 1))
  const provider = stand()
  const second = engineWith({ provider, log })
  must(await second.recover())
  await ask(second, session, 'something else, so that whatever was started has begun')
  assert.equal((await eventsOf(second, id)).length, 1)
  must(await second.say({ session: id, text: 'two', from: 'person' }))
  await answered(second, id, 1)
  assert.equal(provider.requests.length, 2, 'one turn hears both messages')
})

test('a turn that was running is interrupted in the fork and goes on in the parent', async () => {
  const waiting = gate()
  const provider = scriptedProvider([
    async function* () {
      yield { type: 'text', text: 'half ' }
      await waiting.passed
      yield* says('whole')
    },
    says('from the fork'),
  ])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  must(await engine.say({ session, text: 'go', from: 'person' }))
  await until(engine, session, signal => signal.type === 'delta')
  const { id } = must(await engine.fork(session, 3))
  const copied = await eventsOf(engine, id)
  assert.deepEqual(
    copied.map(({ type }) => type),
    ['message.received', 'turn.started', 'context.planned', 'turn.ended'],
  )
  assert.equal(last(copied, 'turn.ended').reason, 'interrupted')
  must(await engine.resume(id))
  await answered(engine, id, 4)
  const begun = last(await eventsOf(engine, id), 'turn.started')
  assert.equal(begun.resumes, last(copied, 'turn.started').turn)
  waiting.open()
  await answered(engine, session, 3)
  assert.equal(last(await eventsOf(engine, session), 'turn.ended').reason, 'done')
})

test('a call that waits for a person waits in the parent alone; in the fork it is not run', async () => {
  let ran = 0
  const write: Tool = {
    spec: { name: 'write', description: 'Writes', parameters: {} },
    approval: 'ask',
    parallel: false,
    idempotent: false,
    prepare: async () => ({
      argv: ['write'],
      run: async () => {
        ran += 1
        return { ok: true, outcome: 'written' }
      },
    }),
  }
  const asks: readonly Delta[] = [{ type: 'call', call: 'c1', tool: 'write', text: '{}' }, { type: 'done' }]
  const engine = engineWith({
    provider: scriptedProvider([asks, says('I could not.'), says('Written.')]),
    toolbox: toolbox([write]),
  })
  const session = await openSession(engine)
  must(await engine.say({ session, text: 'write', from: 'person' }))
  await until(engine, session, signal => isEvent(signal, 'approval.asked'))
  const { id } = must(await engine.fork(session, 5))
  const copied = (await eventsOf(engine, id)).slice(5)
  assert.deepEqual(
    copied.map(event => [event.type, 'answer' in event ? event.answer : 'outcome' in event ? event.outcome : '']),
    [
      ['approval.answered', 'deny'],
      ['tool.settled', 'not run: the session was forked before it began'],
      ['turn.ended', ''],
    ],
  )
  const [pending, ...others] = engine.approvals()
  assert.deepEqual([pending?.session, others], [session, []])
  must(await engine.resume(id))
  await answered(engine, id, 8)
  assert.equal(ran, 0)
  assert.ok(pending)
  must(await engine.answer(pending.approval, 'once'))
  await answered(engine, session, 5)
  assert.equal(ran, 1)
  await verified(engine, id)
})

test('in a fork of a council all advisors answer a message that is resumed, and what was wished for follows', async () => {
  const provider = stand()
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')], { synthesis: 'brief' }), { provider })
  await round(board, 'one')
  await settled(board, events => events.some(event => event.type === 'turn.ended' && event.voice === SYNTHESIS))
  const { id } = must(await board.engine.fork(board.session, 1))
  assert.equal(must(await board.engine.resume(id)).length, 2)
  const events = await settled({ engine: board.engine, session: id }, all =>
    all.some(event => event.type === 'turn.ended' && event.voice === SYNTHESIS),
  )
  assert.deepEqual(
    events.flatMap(event => (event.type === 'turn.started' ? [event.voice] : [])),
    ['ada', 'bo', SYNTHESIS],
  )
  await verified(board.engine, id)
})

test('a round that was answered before the fork is not brought together again in it', async () => {
  const provider = stand()
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')], { synthesis: 'brief' }), { provider })
  const all = await settledSynthesis(board)
  const before = (all.find(event => event.type === 'turn.started' && event.voice === SYNTHESIS)?.seq ?? 0) - 1
  const { id } = must(await board.engine.fork(board.session, before))
  const fork = { ...board, session: id }
  must(await board.engine.say({ session: id, text: 'two', from: 'person' }))
  const events = await settled(fork, seen => seen.some(event => event.type === 'turn.ended' && event.voice === SYNTHESIS))
  const syntheses = events.filter(event => event.type === 'turn.started' && event.voice === SYNTHESIS)
  assert.deepEqual(
    syntheses.map(event => event.type === 'turn.started' && event.cause > before),
    [true],
  )
})

async function settledSynthesis(board: Awaited<ReturnType<typeof boardOf>>): Promise<readonly Recorded[]> {
  await round(board, 'one')
  return settled(board, events => events.some(event => event.type === 'turn.ended' && event.voice === SYNTHESIS))
}

test('whoever answers in a session now answers in its forks, also what others were asked', async () => {
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { provider: stand() })
  const { engine } = board
  const voicesOf = async (id: SessionId): Promise<readonly string[]> =>
    (await settled({ engine, session: id }, () => true)).flatMap(event => (event.type === 'turn.started' ? [event.voice] : []))

  await round(board, 'one')
  must(await engine.change(board.session, { council: null }))
  const alone = must(await engine.fork(board.session, 1)).id
  assert.equal(must(await engine.resume(alone)).length, 1)
  assert.deepEqual(await voicesOf(alone), ['assistant'])
  const again = await engine.resume(alone)
  assert.ok(!again.ok && again.fault.kind === 'conflict', 'nobody else is waited for')

  const session = await openSession(engine)
  await ask(engine, session, 'one')
  const early = must(await engine.fork(session, 1)).id
  must(await engine.change(session, { council: 'board' }))
  const many = must(await engine.fork(session, 1)).id
  // What a fork has from its parent is being answered by nobody, and holds nothing up.
  must(await engine.change(early, { council: 'board' }))
  for (const id of [many, early]) {
    assert.equal(must(await engine.resume(id)).length, 2)
    assert.deepEqual(await voicesOf(id), ['ada', 'bo'])
    await verified(engine, id)
  }
})

test('a call that had begun has an end in the fork, also when its id was used before', async () => {
  const begun = gate()
  const waiting = gate()
  let ran = 0
  const run = async () => {
    ran += 1
    if (ran === 2) {
      begun.open()
      await waiting.passed
    }
    return { ok: true, outcome: 'found' }
  }
  const asks: readonly Delta[] = [{ type: 'call', call: 'c1', tool: 'look', text: '{}' }, { type: 'done' }]
  const engine = engineWith({ provider: scriptedProvider([asks, asks, says('seen')]), toolbox: toolbox([{ ...look, run }]) })
  const session = await openSession(engine)
  must(await engine.say({ session, text: 'look twice', from: 'person' }))
  await begun.passed
  const { length } = await eventsOf(engine, session)
  const { id } = must(await engine.fork(session, length))
  waiting.open()
  assert.deepEqual(
    (await eventsOf(engine, id)).slice(length).map(event => [event.type, 'call' in event ? event.call : '']),
    [
      ['tool.settled', 'c1'],
      ['turn.ended', ''],
    ],
  )
  await answered(engine, session, 0)
})
