// Who may speak: chats on the list and chats with a code, and no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../../src/index.ts'
import { FAKE_CHAT } from '../../../src/testing/telegram/fake-telegram.ts'
import { settled, startTalk, type Talk } from './talk.ts'

const STRANGER = 777

/** Whatever the bot said or did in answer to somebody, beside asking for news. */
const deeds = ({ fake }: Talk): readonly string[] =>
  fake.calls.map(({ method }) => method).filter(method => !['getMe', 'getUpdates', 'setMyCommands'].includes(method))

test('a stranger, a channel, an edit, a bot, a forward and a foreign button get silence, and one line in the log', async t => {
  const talk = await startTalk(t)
  const { fake } = talk
  for (const text of ['hello', '/start', '/new', '/pair', '/pair@another_bot ABCD2345']) fake.writes({ chat: STRANGER, text })
  fake.writes({ chat: -555, text: 'from a group' })
  fake.tells({
    edited_message: { message_id: 1, chat: { id: FAKE_CHAT, type: 'private' }, from: { id: 1, is_bot: false }, text: 'x' },
  })
  fake.tells({ channel_post: { message_id: 1, chat: { id: FAKE_CHAT, type: 'channel' }, text: 'x' } })
  fake.writes({ chat: FAKE_CHAT, text: 'x', from: { id: 9, is_bot: true } })
  fake.writes({ chat: FAKE_CHAT, text: 'x', via_bot: { id: 9 } })
  fake.writes({ chat: FAKE_CHAT, text: 'x', chat_id: 1, sender_chat: { id: -1 } })
  fake.writes({ chat: STRANGER, text: '/pair ABCD2345', forward_origin: { type: 'hidden_user' } })
  fake.presses(STRANGER, 1, 'o:apr_1')
  const last = fake.tells({ message: { nonsense: true } })
  await fake.until(() => fake.confirmed() >= last, 'all are confirmed')
  assert.deepEqual(deeds(talk), [])
  assert.deepEqual(
    talk.lines.map(line => /chat (-?\d+)/.exec(line)?.[1]),
    ['777', '-555'],
  )
  const sessions = await talk.engine.sessions({ limit: 9 })
  assert.equal(sessions.ok && sessions.value.items.length, 0)
})

test('in a chat of the list a forwarded message is not taken for its own, and that is said', async t => {
  const talk = await startTalk(t)
  talk.fake.writes({ text: '/cancel', forward_origin: { type: 'user', sender_user: { id: 1 } } })
  await talk.shows('it is said', messages => messages.some(({ text }) => /^Forwarded messages are not taken/.test(text)))
})

test('a code lets one chat in, once, for good; it can be taken off the list again', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const talk = await startTalk(t, { log, chats: [] })
  const made = await talk.door.pair()
  assert.ok(made.ok)
  assert.match(made.value.code, /^[2-9A-HJKMNP-Z]{8}$/)
  assert.equal(talk.door.status().pairings, 1)
  await talk.ask(`/pair ${made.value.code.toLowerCase()}`, /^Paired/, STRANGER)
  await talk.ask('hello', /script|turn/i, STRANGER)
  await talk.ask(`/pair ${made.value.code}`, /not right, or no longer valid/, 888)
  assert.deepEqual(
    talk.door.status().chats.map(({ id, source }) => [id, source]),
    [[STRANGER, 'paired']],
  )
  await settled(talk)
  await talk.door.stop()
  const after = await startTalk(t, { log, fake: talk.fake, chats: [FAKE_CHAT] })
  await after.ask('/help', /\/resume:/, STRANGER)
  assert.equal((await after.door.forget(FAKE_CHAT)).ok, false)
  assert.equal((await after.door.forget(123)).ok, false)
  assert.ok((await after.door.forget(STRANGER)).ok)
  await settled(after)
  const before = after.fake.shows(STRANGER).length
  const last = after.fake.writes({ chat: STRANGER, text: 'and now?' })
  await after.fake.until(() => after.fake.confirmed() >= last, 'it is confirmed')
  assert.equal(after.fake.shows(STRANGER).length, before)
})

test('five wrong codes in an hour, then silence; an old code is none, and only three wait at a time', async t => {
  let now = 1_000_000
  const talk = await startTalk(t, { chats: [], clock: () => now })
  const codes = [await talk.door.pair(), await talk.door.pair(), await talk.door.pair()]
  assert.ok(codes.every(({ ok }) => ok))
  const fourth = await talk.door.pair()
  assert.equal(!fourth.ok && fourth.fault.kind, 'conflict')
  const tries = Array.from({ length: 8 }, (_, index) => talk.fake.writes({ chat: STRANGER, text: `/pair WRONG${index}AA` }))
  await talk.fake.until(() => talk.fake.confirmed() >= (tries.at(-1) ?? 0), 'all are confirmed')
  await talk.shows('five refusals', messages => messages.length === 5, STRANGER)
  const [first] = codes
  assert.ok(first?.ok)
  const silent = talk.fake.writes({ chat: STRANGER, text: `/pair ${first.value.code}` })
  await talk.fake.until(() => talk.fake.confirmed() >= silent, 'it is confirmed')
  assert.equal(talk.fake.shows(STRANGER).length, 5)
  now += 11 * 60_000
  assert.equal(talk.door.status().pairings, 0)
  await talk.ask(`/pair ${first.value.code}`, /not right, or no longer valid/, 888)
  now += 3_600_000
  const fresh = await talk.door.pair()
  assert.ok(fresh.ok)
  await talk.ask(`/pair ${fresh.value.code}`, /^Paired/, STRANGER)
})
