// A Telegram in trouble keeps nothing else from working, and no token is ever said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBotApi } from '../../src/gateway/telegram/bot-api.ts'
import { startFakeTelegram } from '../../src/testing/fake-telegram.ts'
import { startTalk } from './talk.ts'

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
  faults.push(await api.me(50), await api.file('none', 10), await api.send({ chat: 1 }, { text: '', entities: [] }))
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
