// One update is answered once, also one that comes twice, in the wrong order, or while something fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Log, memoryLog, weigh } from '../../../src/index.ts'
import { fault } from '../../../src/model/fault.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { err } from '../../../src/model/result.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { stand } from '../../support/council.ts'
import { gate, isEvent, until } from '../../support/engine.ts'
import { eventsIn, refusals, sessionOf, settled, startTalk, type Talk } from './talk.ts'

const answered = async (talk: Talk): Promise<readonly (readonly [string, number | undefined])[]> => {
  await settled(talk)
  return talk.fake.shows().map(({ text, replyTo }) => [text, replyTo] as const)
}
const turnsIn = async (talk: Talk): Promise<number> =>
  (await eventsIn(talk, await sessionOf(talk))).filter(({ type }) => type === 'turn.started').length

test('every update three times, newest first: one turn and one reply for each, in the order of their numbers', async t => {
  const provider = stand(({ turn }) => says(`answer ${turn}`))
  const talk = await startTalk(t, { provider })
  talk.fake.brings({ times: 3, reversed: true })
  for (const text of ['a', 'b', 'b too', '/new', 'c', '/help']) talk.fake.writes({ text })
  await talk.fake.until(() => talk.fake.confirmed() === 1005, 'all are confirmed')
  await settled(talk)
  for (const update of [1000, 1003, 1005]) talk.fake.repeats(update, 3)
  talk.fake.writes({ text: 'd' })
  await talk.shows('seven answers', messages => messages.length === 7)
  const shown = await answered(talk)
  const sessions = await talk.engine.sessions({ limit: 9 })
  assert.equal(sessions.ok && sessions.value.items.length, 2)
  assert.equal(shown.filter(([text]) => text.startsWith('A fresh session')).length, 1)
  assert.equal(shown.filter(([text]) => text.includes('/resume:')).length, 1)
  assert.deepEqual(
    shown.map(([, replyTo]) => replyTo).toSorted((one = 0, other = 0) => one - other),
    [1, 2, 3, 4, 5, 6, 13],
  )
  assert.deepEqual(refusals(talk.fake), [])
})

test('after a restart an update that comes again is known, and the message goes on being the same one', async t => {
  const held = gate()
  async function* halfway(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'Half' }
    await held.passed
    yield { type: 'text', text: ' and whole.' }
    yield { type: 'done' }
  }
  const log = memoryLog({ clock: Date.now, weigh })
  const before = await startTalk(t, { log, provider: scriptedProvider([halfway]) })
  await before.ask('go', /^Half$/)
  // What is on its way arrives, and is written down, before the door is closed.
  const session = await sessionOf(before)
  await before.door.stop(10_000)
  held.open()
  await until(before.engine, session, signal => isEvent(signal, 'turn.ended'))
  const after = await startTalk(t, { log, fake: before.fake, provider: scriptedProvider([]) })
  after.fake.repeats(1000, 2)
  await after.shows('the whole', ([message]) => message?.text === 'Half and whole.')
  assert.deepEqual(await answered(after), [['Half and whole.', 1]])
  assert.equal(await turnsIn(after), 1)
})

/** A log whose door's memory fails when it is told to. */
function forgetful(): { readonly log: Log; fails: (key: string, value: string | null) => boolean } {
  const log = memoryLog({ clock: Date.now, weigh })
  const forgetting = {
    fails: (_key: string, _value: string | null): boolean => false,
    log: {
      ...log,
      remember: async (door: string, key: string, value: string | null) =>
        forgetting.fails(key, value) ? err(fault('store', 'not now')) : log.remember(door, key, value),
    },
  }
  return forgetting
}

test('while the store is down nothing is acknowledged, and afterwards everything is answered once', async t => {
  const store = forgetful()
  const talk = await startTalk(t, { log: store.log, provider: stand(({ turn }) => says(`answer ${turn}`)) })
  await talk.ask('a', /^answer 1$/)
  await settled(talk)
  store.fails = () => true
  const asked = talk.fake.calls.length
  talk.fake.writes({ text: 'b' })
  await talk.fake.until(
    () => talk.fake.calls.slice(asked).filter(({ method }) => method === 'getUpdates').length > 3,
    'it is asked again',
  )
  assert.equal(talk.fake.confirmed(), 1000)
  assert.match(talk.door.trouble() ?? '', /not now/)
  store.fails = () => false
  await talk.shows('the answer', messages => messages.some(({ text }) => text === 'answer 2'))
  assert.equal((await answered(talk)).length, 2)
  assert.equal(talk.door.trouble(), undefined)
  assert.equal(await turnsIn(talk), 2)
})

test('wherever the memory of the door fails once, one turn and one reply come of each message', async t => {
  // What is written for two messages: the tasks, the binding, what waits, their places in the session, what was sent, and that
  // they are done.
  for (let at = 1; at <= 10; at += 1) {
    const store = forgetful()
    let writes = 0
    store.fails = () => {
      writes += 1
      return writes === at
    }
    const talk = await startTalk(t, { log: store.log, provider: scriptedProvider([says('Here.'), says('There.')]) })
    for (const text of ['hello', 'and again']) talk.fake.writes({ text })
    await talk.shows(`two answers though write ${at} failed`, messages => messages.length > 1)
    const expected = [['Here.', 1] as const, ['There.', 2] as const]
    assert.deepEqual(await answered(talk), expected, `write ${at}`)
    const sessions = await talk.engine.sessions({ limit: 9 })
    assert.equal(sessions.ok && sessions.value.items.length, 1, `write ${at}`)
    await talk.door.stop(0)
  }
})

test('429 is waited out, 5xx and cut lines are tried again, and an edit that had happened does no harm', async t => {
  const talk = await startTalk(t, { provider: stand(({ turn }) => says(`answer ${turn}`)) })
  talk.fake.fails('sendMessage', { code: 429, retryAfter: 1 }, { code: 502 }, { cut: 'before' }, { code: 500 })
  const begun = Date.now()
  await talk.ask('a', /^answer 1$/)
  assert.ok(Date.now() - begun >= 1000, 'it waited as long as it was told to')
  assert.equal((await answered(talk)).length, 1)
  talk.fake.fails('getUpdates', { code: 502 }, { cut: 'before' }, { cut: 'after' }, { code: 429, retryAfter: 1 })
  await talk.ask('b', /^answer 2$/)
  assert.equal((await answered(talk)).length, 2)
  assert.equal(await turnsIn(talk), 2)
})

test('an edit whose answer was cut off is made again, and leaves one message', async t => {
  const held = gate()
  async function* slowly(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'One' }
    await held.passed
    yield { type: 'text', text: ' two' }
    yield { type: 'done' }
  }
  const talk = await startTalk(t, { provider: scriptedProvider([slowly]) })
  await talk.ask('go', /^One$/)
  talk.fake.fails('editMessageText', { cut: 'after' }, { code: 429, retryAfter: 1 })
  held.open()
  await talk.shows('the end', ([message]) => message?.text === 'One two')
  assert.deepEqual(await answered(talk), [['One two', 1]])
  assert.ok(talk.fake.calls.some(({ refused }) => /not modified/.test(refused ?? '')))
})

test('an answer that nobody heard the arrival of is sent again rather than lost', async t => {
  const talk = await startTalk(t, { provider: scriptedProvider([says('Here.')]) })
  talk.fake.fails('sendMessage', { cut: 'after' })
  await talk.ask('hello', /^Here\.$/)
  // Nobody can know that the first one arrived; that is the one case in which something is seen twice.
  assert.deepEqual(await answered(talk), [
    ['Here.', 1],
    ['Here.', 1],
  ])
  assert.equal(await turnsIn(talk), 1)
})

test('a message that cannot be changed is said anew when it is whole, and one that a person deleted stays deleted', async t => {
  for (const description of ["Bad Request: message can't be edited", 'Bad Request: message to edit not found']) {
    const [half, rest] = [gate(), gate()]
    async function* slowly(): AsyncGenerator<Delta> {
      yield { type: 'text', text: 'One' }
      await half.passed
      yield { type: 'text', text: ' two' }
      await rest.passed
      yield { type: 'text', text: ' three' }
      yield { type: 'done' }
    }
    const talk = await startTalk(t, { provider: scriptedProvider([slowly]) })
    await talk.ask('go', /^One$/)
    const refused = { code: 400, description } as const
    talk.fake.fails('editMessageText', refused, refused, refused)
    half.open()
    await talk.fake.until(() => refusals(talk.fake).length > 0, 'a change is refused')
    rest.open()
    await settled(talk)
    const isDeleted = description.includes('not found')
    await talk.shows('one message', messages => messages.length === 1 && (isDeleted || messages[0]?.text === 'One two three'))
    assert.equal(talk.fake.shows()[0]?.replyTo, 1)
    // What is refused once is not asked for again with every word.
    if (!isDeleted) assert.equal(refusals(talk.fake).length, 1)
    assert.equal(talk.lines.length, isDeleted ? 0 : 1)
    await talk.door.stop(0)
  }
})

test('what is refused goes out without its looks, at worst not as a reply; a chat that takes nothing is left alone', async t => {
  const talk = await startTalk(t, { provider: scriptedProvider([says('**bold**'), says('x')]) })
  talk.fake.fails('sendMessage', { code: 400, description: 'Bad Request' })
  const [message] = await talk.ask('a', /^bold$/)
  assert.deepEqual([message?.entities, message?.replyTo], [[], undefined])
  talk.fake.fails('sendMessage', { code: 403, description: 'Forbidden: bot was blocked by the user' })
  talk.fake.writes({ text: 'b' })
  await talk.fake.until(() => talk.lines.some(line => /blocked by the user/.test(line)), 'the operator is told')
  await settled(talk)
  assert.equal(talk.fake.shows().length, 1)
})

test('old updates are forgotten, those that are not done are kept', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const task = (update: number, isDone: boolean): string =>
    JSON.stringify({
      ...{ update, place: { chat: 4242 }, message: 1, at: update, posts: {}, isDone },
      task: { kind: 'say', session: 'ses_1', isFresh: false, isInstead: false },
    })
  for (let update = 2001; update <= 3100; update += 1)
    await log.remember('telegram', `update:${update}`, task(update, update !== 2002))
  await log.remember('telegram', 'update:broken', 'no JSON at all')
  const talk = await startTalk(t, { log, clock: () => 50_000 })
  await talk.ask('/help', /\/resume/)
  await talk.fake.until(() => talk.fake.confirmed() === 1000, 'it is confirmed')
  let kept = new Set<string>()
  const look = async (): Promise<void> => {
    const read = await log.remembered('telegram', 'update:')
    if (read.ok) kept = new Set(read.value.keys())
  }
  await talk.fake.until(() => {
    void look()
    return kept.size > 0 && kept.size < 1010
  }, 'the oldest are gone')
  assert.ok(kept.has('update:2002') && kept.has('update:3100') && !kept.has('update:2003'))
})

test('a word to stop that comes again, also after a restart, stops nothing that was said later', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const talk = await startTalk(t, { log, provider: scriptedProvider([says('Late, but whole.')]) })
  await log.remember(
    'telegram',
    'update:900',
    JSON.stringify({
      ...{ update: 900, place: { chat: 4242 }, message: 1, at: 1, posts: {}, isDone: false },
      task: { kind: 'command', command: 'cancel', argument: '', isDid: true },
    }),
  )
  const held = gate()
  async function* waits(): AsyncGenerator<Delta> {
    await held.passed
    yield* says('Late, but whole.')
  }
  await talk.door.stop()
  const after = await startTalk(t, { log, fake: talk.fake, provider: scriptedProvider([waits]) })
  after.fake.writes({ text: 'go' })
  await after.shows('it was stopped before', messages => messages.some(({ text }) => text.startsWith('Stopped.')))
  held.open()
  await after.shows('the answer', messages => messages.some(({ text }) => text === 'Late, but whole.'))
})
