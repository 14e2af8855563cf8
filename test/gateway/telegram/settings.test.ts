// What turnwise.json may say about Telegram, and the complaint where it says something else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSettings, secretsIn } from '../../../src/gateway/workspace/settings.ts'

const TOKEN = '123:secret-of-a-bot'
const settingsOf = (telegram: unknown, environment: Record<string, string> = {}): ReturnType<typeof parseSettings> =>
  parseSettings(JSON.stringify({ channels: { telegram } }), environment)
const wrong = (telegram: unknown, environment: Record<string, string> = {}): string => {
  const parsed = settingsOf(telegram, environment)
  return parsed.ok ? '' : parsed.fault.message
}

test('a token in the environment opens no door by itself; where the channel is named, it wins', () => {
  const none = parseSettings('{}', { TELEGRAM_BOT_TOKEN: TOKEN })
  assert.deepEqual(none.ok && none.value.channels, {})
  const named = settingsOf({ botToken: '1:other', chats: [5, -100] }, { TELEGRAM_BOT_TOKEN: TOKEN })
  assert.deepEqual(named.ok && named.value.channels, { telegram: { botToken: TOKEN, chats: [5, -100] } })
})

test('a variable that is not set yet leaves the bot without a token, and the gateway running', () => {
  const unset = settingsOf({ botToken: '$BOT' })
  assert.deepEqual(unset.ok && unset.value.channels, { telegram: { chats: [] } })
  const set = settingsOf({ botToken: '$BOT' }, { BOT: TOKEN })
  assert.deepEqual(set.ok && set.value.channels, { telegram: { botToken: TOKEN, chats: [] } })
})

test('a name is no chat, and nothing that is wrong repeats the token', () => {
  assert.match(
    wrong({ botToken: TOKEN, chats: ['@somebody'] }),
    /chats\.0: "@somebody" must be the number of a chat.*turnwise telegram pair/,
  )
  assert.match(wrong({ botToken: TOKEN, chats: [0] }), /must be the number of a chat/)
  assert.match(wrong({ botToken: TOKEN, chats: [1.5] }), /chats\.0/)
  assert.match(wrong({ botToken: `${TOKEN}!` }), /botToken: is not the token of a bot/)
  assert.match(wrong({ botToken: TOKEN, apiRoot: 'http://example.org' }), /apiRoot: the token would travel unencrypted/)
  assert.match(wrong({ botToken: TOKEN, apiRoot: 'ftp://example.org' }), /apiRoot: is not an address/)
  assert.match(wrong({ botToken: TOKEN, apiRoot: 'https://a:b@example.org' }), /apiRoot: has more in it/)
  assert.match(wrong({ botToken: TOKEN, apiRoot: 'http://169.254.169.254' }), /own network/)
  assert.match(wrong({ bottoken: TOKEN }), /did you mean "botToken"/)
  assert.match(wrong(TOKEN), /channels\.telegram/)
  for (const given of [{ botToken: `${TOKEN}!` }, TOKEN, { botToken: [TOKEN] }, [TOKEN], { botToken: TOKEN, chats: 'x' }])
    assert.doesNotMatch(wrong(given), /secret-of-a-bot/)
})

test('a server of one’s own may give tokens of another form', () => {
  assert.equal(wrong({ botToken: 'test-token', apiRoot: 'http://127.0.0.1:8081' }), '')
  assert.match(wrong({ botToken: 'test-token' }), /botToken: is not the token of a bot/)
  assert.match(wrong({ botToken: 'a/../b', apiRoot: 'http://127.0.0.1:8081' }), /botToken: is not the token of a bot/)
})

test('a token that stands in the file is a secret of the file', () => {
  assert.deepEqual(secretsIn(JSON.stringify({ channels: { telegram: { botToken: TOKEN } } })), ['channels.telegram.botToken'])
  assert.deepEqual(secretsIn(JSON.stringify({ channels: { telegram: { botToken: '$BOT' } } })), [])
})
