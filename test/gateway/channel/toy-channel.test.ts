// A channel that is not Telegram, and not in src/: everything but its own wire comes from the channel layer.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createChannel } from '../../../src/gateway/channel/channel.ts'
import type { Channel } from '../../../src/gateway/channel/closed-channel.ts'
import { type Engine, type EngineOptions, openEngine } from '../../../src/index.ts'
import type { Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { type Tool, toolbox } from '../../../src/tool/toolbox.ts'
import { stand } from '../../support/council.ts'
import { eventsOf, gate } from '../../support/engine.ts'
import { temporary } from '../http/child.ts'
import { createLinesAdapter } from './lines-adapter.ts'
import { createPerson, type Person } from './person.ts'

/** A colon and a percent sign: ids are the channel's own, and the store must keep them apart. */
const CHAT = 'ann:home%3A'

type Running = {
  readonly engine: Engine
  readonly channel: Channel
  readonly port: number
  readonly lines: readonly string[]
  readonly close: () => Promise<void>
}

async function startLines(t: TestContext, file: string, options: Omit<EngineOptions, 'log'>, chats = [CHAT]): Promise<Running> {
  const bugs: unknown[] = []
  const lines: string[] = []
  const engine = await openEngine(file, {
    ...options,
    observe: seen => (seen.type === 'bug' ? bugs.push(seen.cause) : undefined),
  })
  assert.ok(engine.ok)
  assert.ok((await engine.value.recover()).ok)
  const listening = Promise.withResolvers<number>()
  const channel = createChannel({
    ...{ engine: engine.value, chats },
    adapter: signals => createLinesAdapter(listening.resolve, signals),
    onTrouble: line => lines.push(line),
    onBug: cause => bugs.push(cause),
  })
  channel.start()
  const close = async (): Promise<void> => {
    await channel.stop(0)
    await engine.value.close(0)
    assert.deepEqual(bugs, [])
  }
  t.after(close)
  return { engine: engine.value, channel, port: await listening.promise, lines, close }
}

const textsOf = (person: Person): readonly (readonly [text: string, replyTo: string | undefined])[] =>
  person.shown().map(({ text, replyTo }) => [text, replyTo])

const isShown = (person: Person, end: string): boolean => person.shown().some(({ text }) => text.endsWith(end))

async function eventsIn({ engine, channel }: Running): Promise<readonly Recorded[]> {
  const session = channel.status().chats.find(({ id }) => id === CHAT)?.session
  return eventsOf(engine, session as SessionId)
}

test('a message is answered, its answer grows in one message, and the same message again is not answered again', async t => {
  const held = gate()
  async function* slowly(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'One' }
    await held.passed
    yield* says(' two')
  }
  const running = await startLines(t, join(temporary(t), 'log.db'), { provider: scriptedProvider([slowly, says('Three')]) })
  const person = createPerson(t, CHAT)
  person.connect(running.port)
  person.say('m1', 'count')
  await person.until('the first word', () => person.shown()[0]?.text === 'One')
  held.open()
  await person.until('the whole', () => person.shown()[0]?.text === 'One two')
  person.say('m1', 'count')
  person.say('m2', 'go on')
  await person.until('the second answer', () => person.shown().some(({ text }) => text === 'Three'))
  assert.deepEqual(textsOf(person), [
    ['One two', 'm1'],
    ['Three', 'm2'],
  ])
  assert.equal((await eventsIn(running)).filter(({ type }) => type === 'turn.started').length, 2)
  person.say('m3', '/help')
  await person.until('the help', () => person.shown().some(({ text }) => text.includes('/context: ')))
})

test('a call waits for a person, who allows it by a word; the question then shows the outcome', async t => {
  let ran = 0
  const tool: Tool = {
    spec: { name: 'write', description: 'writes', parameters: { type: 'object' } },
    ...{ approval: 'ask', parallel: false, idempotent: false },
    prepare: async () => ({
      argv: ['write', 'it'],
      facts: { binary: { path: '/opt/write', sha256: 'ab'.repeat(32) }, env: [] },
      run: async () => {
        ran += 1
        return { ok: true, outcome: 'done' }
      },
    }),
  }
  const provider = scriptedProvider([calls('write', {}), says('Written.')])
  const running = await startLines(t, join(temporary(t), 'log.db'), { provider, toolbox: toolbox([tool]) })
  const person = createPerson(t, CHAT)
  person.connect(running.port)
  person.say('m1', 'write it')
  const question = (): string => person.shown().find(({ text }) => text.startsWith('May write run this?\nwrite it'))?.text ?? ''
  await person.until('the question', () => question() !== '')
  assert.equal(ran, 0)
  const [, word = ''] = /^Allow once: (\S+)$/m.exec(question()) ?? []
  person.say('m2', word)
  await person.until('the answer', () => person.shown().some(({ text }) => text === 'Written.'))
  await person.until('the outcome', () => person.shown().some(({ text }) => text.endsWith('Allowed, this once.')))
  assert.equal(ran, 1)
  assert.deepEqual(person.notices, ['Allowed, this once.'])
  assert.ok(person.shown().every(({ text }) => !text.includes('Allow once:')))
})

test('a restart loses nothing: what was begun, what waited and what was said meanwhile are each answered once', async t => {
  const file = join(temporary(t), 'log.db')
  async function* stuck(_: unknown, signal: AbortSignal): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'Half' }
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
    yield { type: 'done' }
  }
  const before = await startLines(t, file, { provider: scriptedProvider([stuck]) })
  const person = createPerson(t, CHAT)
  person.connect(before.port)
  person.say('m1', 'first')
  await person.until('half an answer', () => person.shown()[0]?.text === 'Half')
  person.say('m2', 'second')
  await person.until('the second is taken', () => person.taken.has('m2'))
  const [half] = person.shown()
  await before.close()
  person.say('m3', 'third')
  const provider = stand(({ messages }) => says(`, then ${/first|second|third/.exec(JSON.stringify(messages.at(-1)))}.`))
  const after = await startLines(t, file, { provider })
  person.connect(after.port)
  await person.until('an answer to each', () => ['first.', 'second.', 'third.'].every(end => isShown(person, end)))
  assert.deepEqual(textsOf(person), [
    ['Half, then first.', 'm1'],
    [', then second.', 'm2'],
    [', then third.', 'm3'],
  ])
  // The message that showed half of the answer is the one that shows the whole.
  assert.equal(person.shown()[0]?.message, half?.message)
  const events = await eventsIn(after)
  assert.equal(events.filter(({ type }) => type === 'message.received').length, 3)
  assert.equal(events.filter(({ type }) => type === 'turn.started').length, 3)
})

test('a stranger gets silence until it gives the code that an operator made, and again when it is taken off the list', async t => {
  const provider = stand(({ turn }) => says(`Answer ${turn}.`))
  const running = await startLines(t, join(temporary(t), 'log.db'), { provider }, [])
  const { channel, lines, port } = running
  const person = createPerson(t, CHAT)
  person.connect(port)
  person.say('m1', 'hello')
  await person.until('it is acknowledged', () => person.taken.has('m1'))
  assert.deepEqual(person.shown(), [])
  assert.match(
    lines.join('\n'),
    /^Lines: chat ann:home%3A is not on the list [^\n]*channels\.lines\.chats[^\n]*"turnwise lines pair"$/,
  )
  const pairing = await channel.pair()
  assert.ok(pairing.ok)
  person.say('m2', `/pair ${pairing.value.code}`)
  await person.until('it is paired', () => person.shown().some(({ text }) => text.startsWith('Paired: ')))
  person.say('m3', 'hello')
  await person.until('an answer', () => isShown(person, 'Answer 1.'))
  const [listed] = channel.status().chats
  assert.deepEqual([listed?.id, listed?.source, channel.status().pairings], [CHAT, 'paired', 0])
  assert.ok((await channel.forget(CHAT)).ok)
  person.say('m4', 'still there?')
  await person.until('it is acknowledged', () => person.taken.has('m4'))
  assert.equal(person.shown().length, 2)
})

test('messages that come at once on many connections open one session for their chat', async t => {
  const running = await startLines(t, join(temporary(t), 'log.db'), { provider: stand(() => says('Yes.')) })
  const people = Array.from({ length: 4 }, () => createPerson(t, CHAT))
  for (const [index, person] of people.entries()) {
    person.connect(running.port)
    person.say(`m${index}`, 'hello')
  }
  await Promise.all(people.map(person => person.until('it is taken', () => person.taken.size === 1)))
  const sessions = await running.engine.sessions({ limit: 9 })
  assert.equal(sessions.ok && sessions.value.items.length, 1)
})

test('neither the channel layer nor the toy knows Telegram', () => {
  const files = ['src/gateway/channel/**/*.ts', 'test/gateway/channel/*.ts'].flatMap(pattern => globSync(pattern))
  assert.ok(files.length > 20)
  assert.deepEqual(
    files.filter(file => /from '[^']*telegram/.test(readFileSync(file, 'utf8'))),
    [],
  )
})
