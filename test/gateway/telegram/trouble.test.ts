// A Telegram in trouble keeps nothing else from working, and no token is ever said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchParts } from '../../../src/gateway/channel/attachments.ts'
import { createBotApi } from '../../../src/gateway/telegram/bot-api.ts'
import { PACE } from '../../../src/gateway/telegram/pace.ts'
import { poll } from '../../../src/gateway/telegram/poll.ts'
import { createTelegramAdapter } from '../../../src/gateway/telegram/telegram-adapter.ts'
import { ok } from '../../../src/model/result.ts'
import { FAKE_CHAT, startFakeTelegram } from '../../../src/testing/telegram/fake-telegram.ts'
import { settled, startTalk } from './talk.ts'

test('a token that is refused is said once, without the token', async t => {
  const talk = await startTalk(t, { token: '999:another-token' })
  await talk.fake.until(() => talk.lines.length > 0, 'it is said')
  const { status, trouble } = talk.door
  assert.match(trouble() ?? '', /does not know this bot’s token/)
  assert.equal(status().running, false)
  assert.equal(status().bot, null)
  assert.equal(talk.lines.length, 1)
  assert.doesNotMatch(JSON.stringify([talk.lines, status()]), /another-token/)
})

test('another poller, then a fall of the line, then all is well: each is said once, and nothing is lost', async t => {
  const talk = await startTalk(t)
  await talk.fake.until(() => talk.door.status().running, 'it runs')
  talk.fake.failsAlways({ code: 409 })
  await talk.fake.until(() => talk.fake.calls.filter(({ refused }) => refused === 'scripted 409').length > 3, 'it tries again')
  assert.match(talk.door.trouble() ?? '', /another program asks/)
  talk.fake.failsAlways({ cut: 'before' })
  await talk.fake.until(() => /cannot be reached/.test(talk.door.trouble() ?? ''), 'it is unreachable')
  talk.fake.failsAlways(undefined)
  await talk.ask('hello', /./)
  assert.equal(talk.door.trouble(), undefined)
  assert.deepEqual(
    talk.lines.map(line => line.replace(/ \(.*/, '')),
    [
      'Telegram: another program asks for this bot’s messages; stop it, or take away its webhook',
      'Telegram: Telegram cannot be reached',
      'Telegram: all is well again',
    ],
  )
})

test('whatever goes wrong, its words have no token in them', async t => {
  const fake = await startFakeTelegram()
  const stopped = new AbortController()
  t.after(fake.close)
  const api = createBotApi({ token: fake.token, root: fake.root, abort: stopped.signal })
  const faults: unknown[] = []
  for (const fault of [
    { cut: 'before' },
    { code: 502 },
    { code: 400, description: `no ${fake.token} here` },
    { code: 403, description: `no ${fake.token} here` },
    { code: 429, retryAfter: 3 },
    { code: 409 },
  ] as const) {
    fake.fails('getMe', fault)
    faults.push(await api.me())
  }
  fake.fails('getMe', { hang: true })
  faults.push(await api.me(50), await api.file('none', 10), await api.send({ chat: '1' }, { text: '', entities: [] }))
  const nobody = createBotApi({ token: fake.token, root: 'http://127.0.0.1:1', abort: stopped.signal })
  faults.push(await nobody.me())
  stopped.abort()
  faults.push(await api.me())
  assert.deepEqual(
    faults.map(each => (each as { fault: { kind: string } }).fault.kind),
    [
      'unreachable',
      'overloaded',
      'rejected',
      'denied',
      'throttled',
      'conflict',
      'timeout',
      'rejected',
      'rejected',
      'unreachable',
      'cancelled',
    ],
  )
  assert.doesNotMatch(JSON.stringify(faults), /fake-token/)
})

test('a file is not fetched beyond its limit, and no link leads out of the files', async t => {
  const fake = await startFakeTelegram()
  t.after(fake.close)
  const api = createBotApi({ token: fake.token, root: fake.root, abort: new AbortController().signal })
  fake.holds('f', Buffer.alloc(100))
  const small = await api.file('f', 100)
  assert.equal(small.ok && small.value.length, 100)
  const large = await api.file('f', 99)
  assert.equal(!large.ok && large.fault.kind, 'too-large')
  fake.holds('../../etc', Buffer.alloc(1))
  const outside = await api.file('../../etc', 99)
  assert.equal(outside.ok, false)
})

test('a server that knows little else than messages is enough, and so is a message with little in it', async t => {
  const fake = await startFakeTelegram()
  t.after(fake.close)
  for (const method of ['getMe', 'setMyCommands', 'sendChatAction']) fake.fails(method, { code: 404 })
  const talk = await startTalk(t, { fake })
  fake.tells({ message: { message_id: 1, chat: { id: FAKE_CHAT }, from: { id: FAKE_CHAT }, text: 'hello' } })
  fake.tells({ message: { message_id: 2, chat: { id: FAKE_CHAT, type: 'private' }, text: '/new@whoever' } })
  const last = fake.tells({ message: { message_id: 3, chat: { id: FAKE_CHAT, type: 'supergroup' }, text: 'from nobody' } })
  await fake.until(() => fake.confirmed() >= last, 'all are confirmed')
  await talk.shows('both answers', messages => messages.length === 2)
  await settled(talk)
  assert.deepEqual(new Set(fake.shows().map(({ replyTo }) => replyTo)), new Set([1, 2]))
  assert.deepEqual([talk.door.status().running, talk.door.status().bot, talk.lines], [true, null, []])
})

test('a file that does not come keeps nothing behind it waiting for ever', async t => {
  const talk = await startTalk(t)
  talk.fake.fails('getFile', ...Array.from({ length: 5 }, () => ({ code: 500 }) as const))
  talk.fake.writes({ photo: [{ file_id: 'pic' }] })
  await talk.ask('hello', /hello/)
  await settled(talk)
  assert.equal(talk.fake.shows()[0]?.text, 'Telegram is in trouble (500)')
  talk.fake.writes({ photo: [{ file_id: 'nowhere' }] })
  await talk.shows('it is said', messages => messages.at(-1)?.text === '“photo.jpg” could not be fetched from Telegram.')
})

test('a file that is not fetched because the gateway stops is no file that cannot be had', async t => {
  const fake = await startFakeTelegram()
  t.after(fake.close)
  const stopped = new AbortController()
  stopped.abort()
  const signals = { receiving: stopped.signal, sending: stopped.signal }
  const telegram = createTelegramAdapter({ token: fake.token, root: fake.root, chats: [] }, PACE, signals)
  const parts = await fetchParts(telegram, [{ id: 'f', name: 'f', mediaType: 'text/plain', bytes: 1 }])
  assert.equal(!parts.ok && parts.fault.kind, 'cancelled')
})

test('a server that does not wait for news is not asked without a pause, and what was confirmed stays confirmed', async () => {
  const asking = (idleMs: number, most: number): { readonly offsets: (number | undefined)[]; readonly stop: AbortController } => {
    const [offsets, stop]: [(number | undefined)[], AbortController] = [[], new AbortController()]
    const updates = async (offset: number | undefined) => {
      if (offsets.push(offset) === most) stop.abort()
      return ok(offsets.length === 1 ? [{ update_id: 5 }] : [])
    }
    const rest = { take: async () => ok(null), pace: { ...PACE, idleMs }, abort: stop.signal, onState: () => {} }
    void poll({ api: { updates }, ...rest })
    return { offsets, stop }
  }
  const patient = asking(60_000, 100)
  const hasty = asking(0, 4)
  await new Promise(resolve => hasty.stop.signal.addEventListener('abort', resolve))
  patient.stop.abort()
  assert.deepEqual(patient.offsets, [undefined, 6])
  assert.deepEqual(hasty.offsets, [undefined, 6, 6, 6])
})
