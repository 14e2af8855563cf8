import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type AccessCheckOptions, createAccessCheck } from '../../../src/gateway/channel/access-check.ts'
import type { Incoming } from '../../../src/gateway/channel/adapter.ts'
import { createLiveReader, type LiveReaderOptions } from '../../../src/gateway/cli/chat/live-reader.ts'
import { createQuestions, type QuestionsOptions } from '../../../src/gateway/cli/chat/questions.ts'
import { type Engine, memoryLog, type Signal, weigh } from '../../../src/index.ts'
import type { Log } from '../../../src/log/ports.ts'
import type { ApprovalId } from '../../../src/model/ids.ts'
import { ok } from '../../../src/model/result.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { must, session, sessionOf, turn } from '../../log/facts.ts'
import { ask, engineWith, last, openSession } from '../../support/engine.ts'

test('whatever in a log throws, and whenever: the process lives, somebody is told, and every turn ends', async () => {
  const child = fileURLToPath(new URL('throwing-log.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--unhandled-rejections=strict', child], { timeout: 60_000 })
  assert.match(stdout, /^lived through \d{3} bugs\n$/)
})

test('what was set aside of the budget is given back when writing the receipt throws', async () => {
  const real = memoryLog({ clock: Date.now, weigh })
  let bugs = 0
  const append: Log['append'] = async (id, facts, options) => {
    if (bugs < 3 && facts.some(({ type }) => type === 'context.planned')) {
      bugs += 1
      throw new Error('a bug')
    }
    return real.append(id, facts, options)
  }
  const engine = engineWith({
    log: { ...real, append },
    provider: scriptedProvider([says('here')]),
    models: { demo: { price: { input: 0, output: 10 }, output: 1000, window: 8000 } },
    // Enough for one request at a time.
    limits: { budgetUsdPerDay: 0.015 },
  })
  const id = await openSession(engine)
  for (let times = 0; times < 3; times += 1) assert.equal(last(await ask(engine, id, 'anyone?'), 'turn.ended').fault?.kind, 'bug')
  const { reason, fault } = last(await ask(engine, id, 'anyone?'), 'turn.ended')
  assert.deepEqual({ reason, fault }, { reason: 'done', fault: undefined })
})

const BROKEN = new Error('a bug')
const broken = async (): Promise<never> => {
  throw BROKEN
}
/** What is thrown without being waited for is there a moment later. */
const aMoment = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const asked = (approval: string): Signal => ({
  type: 'event',
  event: {
    ...{ type: 'approval.asked', approval: approval as ApprovalId, turn: turn('1'), call: 'c1', tool: 'act', argv: ['act'] },
    ...{ session: session('rain'), seq: 1, at: '', tokens: 0 },
  } as Extract<Signal, { type: 'event' }>['event'],
})

test('an answer to a question in the terminal that throws is told, and ends nothing', async () => {
  const bugs: unknown[] = []
  const ink = { name: String, bold: String, dim: String } as unknown as QuestionsOptions['ink']
  const options = { ink, answer: broken, note: () => {}, onBug: (cause: unknown) => bugs.push(cause) }
  const keyed = (key: string): QuestionsOptions['editor'] => ({ key: async () => key })
  createQuestions({ ...options, editor: keyed('y'), approve: 'ask' }).hear(asked('apr_1'))
  createQuestions({ ...options, editor: keyed('y'), approve: 'never' as QuestionsOptions['approve'] }).hear(asked('apr_2'))
  const explained = createQuestions({ ...options, editor: keyed('r'), approve: 'ask' })
  explained.hear(asked('apr_3'))
  await aMoment()
  assert.equal(explained.takesReason('no'), true)
  await aMoment()
  assert.deepEqual(bugs, [BROKEN, BROKEN, BROKEN])
})

test('a signal that cannot be shown in the terminal is told, and what comes after it is heard', async () => {
  const bugs: unknown[] = []
  const heard: string[] = []
  const notice = (message: string): Signal => ({ type: 'notice', notice: { kind: 'saved', message } })
  async function* follow(): AsyncGenerator<Signal> {
    yield notice('first')
    yield notice('second')
    throw BROKEN
  }
  const ear = createLiveReader({
    link: { follow, act: broken },
    reader: { usage: async () => ok([]), read: async () => ok([]) } as unknown as Engine,
    screen: { lines: () => {} },
    looks: { ink: { bold: String, dim: String } },
    voices: {
      hear: (signal: Signal) => {
        if (signal.type === 'notice') heard.push(signal.notice.message)
        if (heard.length === 1) throw BROKEN
      },
      forget: () => {},
    },
    questions: { hear: () => {}, forget: () => {}, takesReason: () => false },
    tally: { begin: () => {}, recall: () => {}, hear: () => {} },
    note: () => {},
    onNews: () => {},
    onBug: (cause: unknown) => bugs.push(cause),
    own: new Set<string>(),
  } as unknown as LiveReaderOptions)
  must(await ear.enter(sessionOf(session('rain')), { withPast: false }))
  await aMoment()
  assert.deepEqual(heard, ['first', 'second'])
  assert.deepEqual(bugs, [BROKEN, BROKEN])
  ear.close()
})

test('what Telegram is told in passing may throw: that is reported, and the door stays open', async () => {
  const bugs: unknown[] = []
  const take = createAccessCheck({
    adapter: { send: broken, acknowledge: broken },
    store: { open: () => [] },
    pairings: { tryCode: () => 'wrong' },
    username: 'bot',
    isAllowed: (chat: string) => chat === '1',
    clock: Date.now,
    onStranger: () => {},
    onBug: (cause: unknown) => bugs.push(cause),
  } as unknown as AccessCheckOptions)
  const press = { kind: 'press', id: 'p', place: { chat: '1' }, message: '1', data: 'x' } as unknown as Incoming
  must(await take(press))
  const written = {
    kind: 'written',
    update: '1',
    place: { chat: '2' },
    message: '1',
    text: '/pair 123',
    files: [],
    isForwarded: false,
  }
  must(await take(written as unknown as Incoming))
  await aMoment()
  assert.deepEqual(bugs, [BROKEN, BROKEN])
})
