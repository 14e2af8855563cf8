// A session is named by the house: only when asked, from how it began, and never over a person's own title.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, type Engine, type EngineOptions, memoryLog, weigh } from '../../src/index.ts'
import { type FaultKind, fault } from '../../src/model/fault.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import { TITLE } from '../../src/model/settings/council.ts'
import { ASSISTANT } from '../../src/model/voice.ts'
import { demoProvider } from '../../src/provider/demo/demo.ts'
import { says } from '../../src/testing/scripted.ts'
import { titleIn } from '../../src/turn/memory/first-exchange.ts'
import { advisor, boardOf, councilOf, linesOf, round, type Stand, stand } from '../support/council.ts'
import { ask, engineWith, eventsOf, gate, isEvent, openSession, until } from '../support/engine.ts'

const must = <Value>(result: { ok: true; value: Value } | { ok: false; fault: { message: string } }): Value => {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}
const refused = (result: { ok: boolean; fault?: { kind: FaultKind; message: string } }, words: RegExp): void => {
  assert.ok(!result.ok && result.fault !== undefined, 'a fault was expected')
  assert.equal(result.fault.kind, 'conflict')
  assert.match(result.fault.message, words)
}

/** Answers everybody; the house, as it is told. */
const naming = (title: () => Iterable<Delta> | AsyncIterable<Delta>): Stand =>
  stand(({ voice, turn }) => (voice === TITLE ? give(title()) : says(`${voice} says ${turn}.`)))

async function* give(deltas: Iterable<Delta> | AsyncIterable<Delta>): AsyncGenerator<Delta> {
  yield* deltas
}

const titled = (engine: Engine, session: SessionId): Promise<unknown> =>
  until(engine, session, signal => isEvent(signal, 'session.changed') && signal.event.changes.title !== undefined)
const ended = (engine: Engine, session: SessionId): Promise<unknown> =>
  until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.voice === TITLE)
const titleOf = async (engine: Engine, session: SessionId): Promise<string | null> => must(await engine.session(session)).title

const withAnswer = async (options: Partial<EngineOptions>, text = 'How do boats float?') => {
  const engine = engineWith(options)
  const session = await openSession(engine)
  await ask(engine, session, text)
  return { engine, session }
}

test('a title is made of the first exchange alone, by a turn that can be looked at', async () => {
  const provider = naming(() => says('"Why boats', ' float."'))
  const { engine, session } = await withAnswer({ provider })
  await ask(engine, session, 'And how do stones sink?')
  const before = must(await engine.session(session))
  const turn = must(await engine.title(session))
  await titled(engine, session)
  assert.equal(await titleOf(engine, session), 'Why boats float')
  const [request] = provider.requests.filter(({ voice }) => voice === TITLE)
  assert.ok(request)
  assert.deepEqual(linesOf(request), [
    'user: [This is how the conversation begins:\n\nThe person: How do boats float?\n\nThe answer: assistant says 1.]',
  ])
  assert.match(request.system, /^Below is how a conversation begins/)
  const sent = must(await engine.asSent(session, turn))
  assert.equal(sent.verified, true)
  assert.deepEqual(
    sent.receipt.in.map(({ kind, source }) => source ?? kind),
    ['prompts/title.md', 'reference'],
  )
  const after = must(await engine.session(session))
  assert.equal(after.messages, before.messages, 'it is no message')
  const events = await eventsOf(engine, session)
  assert.deepEqual(
    events.slice(-5).map(({ type }) => type),
    ['turn.started', 'context.planned', 'reply.finished', 'turn.ended', 'session.changed'],
  )

  await ask(engine, session, 'three')
  const [, , third] = provider.requests.filter(({ voice }) => voice === 'assistant')
  assert.ok(third && !JSON.stringify(third).includes('Why boats'), 'nobody hears it')
  assert.equal(third.turn, 3)
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('what was said at length is read only by how it begins', async () => {
  const provider = naming(() => says('Words'))
  const { engine, session } = await withAnswer({ provider }, `${'字'.repeat(8000)} ${'word '.repeat(8000)}`)
  const turn = must(await engine.title(session))
  await titled(engine, session)
  const { receipt } = must(await engine.asSent(session, turn))
  assert.ok(receipt.tokens.estimated < 2000, `${receipt.tokens.estimated}`)
  assert.ok(receipt.tokens.estimated > 900)
})

test('it is asked for once at a time, of a session without a title that has an answer', async () => {
  const waiting = gate()
  const provider = naming(async function* () {
    await waiting.passed
    yield* says('Named')
  })
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  refused(await engine.title(session), /nothing was answered/)
  await ask(engine, session, 'one')
  const [first, second] = await Promise.all([engine.title(session), engine.title(session)])
  assert.deepEqual([first.ok, second.ok].sort(), [false, true])
  refused(first.ok ? second : first, /being made/)
  refused(await engine.title(session), /being made/)
  await ask(engine, session, 'meanwhile the talk goes on')
  waiting.open()
  await titled(engine, session)
  refused(await engine.title(session), /has a title already/)
  assert.equal(must(await engine.title('ses_none' as SessionId).then(result => ({ ok: true, value: result.ok }))), false)
})

test('a message that waits while a title is made is not the house’s to answer', async () => {
  const waiting = gate()
  const provider = stand(({ voice, turn }) => {
    if (voice === TITLE) return says('Named')
    return turn === 1 ? says('one') : give(slowly(waiting.passed))
  })
  const { engine, session } = await withAnswer({ provider })
  for (const text of ['two', 'three']) must(await engine.say({ session, text, from: 'person' }))
  must(await engine.title(session))
  await titled(engine, session)
  waiting.open()
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.voice !== TITLE && signal.event.seq > 12)
  const voices = (await eventsOf(engine, session)).flatMap(event => (event.type === 'turn.started' ? [event.voice] : []))
  assert.equal(voices.filter(voice => voice === TITLE).length, 1)
})

async function* slowly(passed: Promise<void>): AsyncGenerator<Delta> {
  await passed
  yield* says('later')
}

test('a title that a person gives meanwhile stands', async () => {
  const waiting = gate()
  const provider = naming(async function* () {
    await waiting.passed
    yield* says('Of the house')
  })
  const { engine, session } = await withAnswer({ provider })
  must(await engine.title(session))
  must(await engine.change(session, { title: 'My own' }))
  waiting.open()
  await ended(engine, session)
  await ask(engine, session, 'two')
  assert.equal(await titleOf(engine, session), 'My own')
})

test('an answer that is empty or fails sets nothing, and another may be asked for', async () => {
  const answers: Iterable<Delta>[] = [says('  "" . '), [{ type: 'fault', fault: fault('refused', 'no') }], says('At last')]
  const provider = naming(() => answers.shift() ?? says('too many'))
  const { engine, session } = await withAnswer({ provider })
  for (let times = 0; times < 2; times += 1) {
    const { seq = 0 } = (await eventsOf(engine, session)).at(-1) ?? {}
    must(await engine.title(session))
    await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.seq > seq)
    assert.equal(await titleOf(engine, session), null)
    const resumed = await engine.resume(session)
    assert.ok(!resumed.ok && resumed.fault.kind === 'conflict', 'it is nothing to go on with')
  }
  must(await engine.title(session))
  await titled(engine, session)
  assert.equal(await titleOf(engine, session), 'At last')
})

test('a crash in the middle ends it, and a message that waited is answered by its own voice', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const waiting = gate()
  const slow = naming(async function* () {
    yield { type: 'text', text: 'half' }
    await waiting.passed
  })
  const first = createEngine({ log, provider: slow })
  const session = await openSession(first)
  await ask(first, session, 'one')
  must(await first.title(session))
  await until(first, session, signal => isEvent(signal, 'context.planned') && signal.event.receipt.voice === TITLE)
  const second = createEngine({ log, provider: naming(() => says('too late')) })
  must(await second.recover())
  await ended(second, session)
  const events = await eventsOf(second, session)
  const end = events.findLast(event => event.type === 'turn.ended')
  assert.deepEqual(end?.type === 'turn.ended' && [end.voice, end.reason], [TITLE, 'interrupted'])
  await ask(second, session, 'two')
  assert.equal(must(await second.session(session)).messages, 4)
  assert.equal(await titleOf(second, session), null)
  waiting.open()
})

test('an agent’s session is named with the agent’s model, in a council with the usual one', async () => {
  const provider = naming(() => says('Named'))
  const asked: string[] = []
  const { engine, session } = await withAnswer({
    provider,
    agents: () => [{ ...ASSISTANT, model: 'demo' }],
    observe: seen => {
      if (seen.type === 'planned') asked.push(`${seen.receipt.voice} ${seen.receipt.model}`)
    },
    model: 'openai/none',
    providers: { openai: { apiKey: 'sk-none' } },
  })
  must(await engine.title(session))
  await titled(engine, session)
  assert.deepEqual(asked, ['assistant demo', `${TITLE} demo`])

  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { provider: naming(() => says('A board')) })
  await round(board, 'one')
  must(await board.engine.title(board.session))
  await titled(board.engine, board.session)
  assert.equal(await titleOf(board.engine, board.session), 'A board')
})

test('the demo model names a session by the first words of its first message', async () => {
  const { engine, session } = await withAnswer(
    { provider: demoProvider({ delayMs: 0 }) },
    'how do boats\nfloat on the water at night?',
  )
  must(await engine.title(session))
  await titled(engine, session)
  assert.equal(await titleOf(engine, session), 'How do boats float on the')
})

test('a fork of a session whose title is being made has none, and may have its own', async () => {
  const waiting = gate()
  const answers = [waiting.passed, Promise.resolve()]
  const provider = naming(async function* () {
    await answers.shift()
    yield* says('Named')
  })
  const { engine, session } = await withAnswer({ provider })
  must(await engine.title(session))
  await until(engine, session, signal => isEvent(signal, 'context.planned') && signal.event.receipt.voice === TITLE)
  const { id } = must(await engine.fork(session, (await eventsOf(engine, session)).length))
  const resumed = await engine.resume(id)
  assert.ok(!resumed.ok)
  must(await engine.title(id))
  await titled(engine, id)
  assert.equal(await titleOf(engine, session), null)
  waiting.open()
  await titled(engine, session)
  assert.deepEqual([await titleOf(engine, session), await titleOf(engine, id)], ['Named', 'Named'])
})

const ANSWERS: Readonly<Record<string, string>> = {
  Boats: 'Boats',
  '"Boats."': 'Boats',
  '“Boats”.': 'Boats',
  '**Boats and water**': 'Boats and water',
  '# Boats\n\nBecause you asked about boats.': 'Boats',
  'Title: Boats': 'Boats',
  'Title: "Boats."': 'Boats',
  '\n\n  Boats \u202e and\twater  \n': 'Boats and water',
  'And then …': 'And then …',
  'Wait...': 'Wait...',
  '题目。': '题目',
  'C++': 'C++',
  '🚤': '🚤',
  '': '',
  '...': '',
  '"" .': '',
}

for (const [answer, title] of Object.entries(ANSWERS))
  test(`the title in ${JSON.stringify(answer)} is ${JSON.stringify(title)}`, () => assert.equal(titleIn(answer), title))

test('a title that is too long ends with a whole word, or at least with a whole character', () => {
  assert.equal(
    titleIn('word '.repeat(40)),
    'word '
      .repeat(16)
      .trim()
      .slice(0, 80)
      .replace(/ \w{0,3}$/, ''),
  )
  assert.equal([...titleIn('👩'.repeat(200))].length, 80)
})
