// The Telegram channel as part of a gateway: over HTTP, on the command line, and when the process is killed.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FAKE_CHAT, startFakeTelegram } from '../../../src/testing/telegram/fake-telegram.ts'
import { startWorkspace } from '../../support/workspace.ts'
import { command } from '../cli/in-process.ts'
import { type Child, spawnGateway, temporary } from '../http/child.ts'

type Seen = { readonly type: string; readonly parts?: readonly { readonly text?: string }[] }

const settingsFor = (fake: { readonly root: string }): unknown => ({
  channels: { telegram: { botToken: '$TELEGRAM_BOT_TOKEN', apiRoot: fake.root, chats: [FAKE_CHAT] } },
})

test('over HTTP and on the command line: how it stands, a code, a chat taken off', async t => {
  const fake = await startFakeTelegram()
  t.after(fake.close)
  const { url, home, write } = await startWorkspace(t, { 'turnwise.json': settingsFor(fake) }, { TELEGRAM_BOT_TOKEN: fake.token })
  await fake.until(() => fake.calls.some(({ method }) => method === 'setMyCommands'), 'it listens')
  const status = async (): Promise<unknown> => (await fetch(`${url}/api/telegram`)).json()
  const chats = [{ id: FAKE_CHAT, source: 'settings', session: null }]
  assert.deepEqual(await status(), { running: true, bot: fake.username, chats, pairings: 0 })
  const made = await fetch(`${url}/api/telegram/pairings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  assert.equal(made.status, 201)
  const { code } = (await made.json()) as { code: string }
  fake.writes({ chat: 99, text: `/pair ${code}` })
  await fake.until(() => fake.shows(99).length === 1, 'it is paired')
  const { chats: after } = (await status()) as { chats: unknown[] }
  assert.equal(after.length, 2)
  // The command line reads the settings too, and asks the running gateway.
  write('turnwise.json', { channels: { telegram: { botToken: '1:x', apiRoot: fake.root, chats: [FAKE_CHAT] } } })
  // A file that holds a token itself is only taken when nobody else can read it.
  assert.match(
    (await command(home, ['telegram'])).stderr,
    /other users can read it, and channels\.telegram\.botToken stands in it/,
  )
  chmodSync(join(home, 'turnwise.json'), 0o600)
  const page = await command(home, ['telegram'])
  assert.match(page.stdout, /^@turnwise_fake_bot listens\n.*4242 +settings.*\n.*99 +paired/)
  assert.match((await command(home, ['telegram', 'pair'])).stdout, /^Say this to the bot before \d\d:\d\d: \/pair [2-9A-Z]{8}\n$/)
  assert.match((await command(home, ['telegram', 'forget', '99'])).stdout, /^Chat 99 is no longer listened to/)
  const again = await command(home, ['telegram', 'forget', '99'])
  assert.deepEqual([again.code, again.stderr], [1, 'turnwise: chat 99 is not paired\n'])
  assert.equal((await command(home, ['telegram', 'forget', 'me'])).code, 2)
  assert.equal((await fetch(`${url}/api/telegram/chats/${FAKE_CHAT}`, { method: 'DELETE' })).status, 409)
  assert.equal((await fetch(`${url}/api/telegram/chats/nobody`, { method: 'DELETE' })).status, 404)
  const doctor = JSON.parse((await command(home, ['doctor', '--json'])).stdout) as {
    checks: { name: string; found: string; remedy?: string }[]
  }
  assert.deepEqual(
    doctor.checks.filter(({ name }) => name === 'Telegram').map(({ found }) => found),
    ['Telegram does not know this bot’s token; ask @BotFather for one and set TELEGRAM_BOT_TOKEN'],
  )
})

test('without Telegram, or without a token, the gateway runs and says so', async t => {
  const without = await startWorkspace(t, { 'turnwise.json': {} }, { TELEGRAM_BOT_TOKEN: '1:x' })
  const status = (await (await fetch(`${without.url}/api/telegram`)).json()) as { running: boolean; trouble: string }
  assert.equal(status.running, false)
  assert.match(status.trouble, /no channels\.telegram/)
  assert.deepEqual(await (await fetch(`${without.url}/readyz`)).json(), { status: 'ready', reasons: [] })
  const made = await fetch(`${without.url}/api/telegram/pairings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  assert.equal(made.status, 409)
  const keyless = await startWorkspace(t, { 'turnwise.json': { channels: { telegram: { botToken: '$TELEGRAM_BOT_TOKEN' } } } })
  const { reasons } = (await (await fetch(`${keyless.url}/readyz`)).json()) as { reasons: readonly string[] }
  assert.deepEqual(reasons, ['Telegram: the bot has no token; set TELEGRAM_BOT_TOKEN, or channels.telegram.botToken'])
  assert.deepEqual(keyless.troubles, reasons)
})

test('killed when the update came, while it was thought of, and while it was said: one turn, one message, no token anywhere', async t => {
  const fake = await startFakeTelegram({ token: '4711:a-secret-in-no-file' })
  t.after(fake.close)
  const home = join(temporary(t), 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settingsFor(fake)))
  const said: string[] = []
  const environment = {
    TELEGRAM_BOT_TOKEN: fake.token,
    TURNWISE_DEMO_DELAY_MS: '40',
    OLLAMA_HOST: '127.0.0.1:9',
    TURNWISE_LOG_LEVEL: 'debug',
  }
  const start = (): Child => spawnGateway(t, { home, environment })
  const killedAt = async (method: string): Promise<void> => {
    const child = start()
    const before = fake.calls.length
    await fake.until(() => fake.calls.slice(before).some(call => call.method === method), `${method} is called`)
    child.kill('SIGKILL')
    await child.exited
    said.push(child.stdout(), child.stderr())
  }
  const update = fake.writes({ text: 'say 40 words' })
  await killedAt('getUpdates')
  await killedAt('sendChatAction')
  await killedAt('editMessageText')
  const last = start()
  const url = await last.listening
  await fake.until(() => fake.confirmed() >= update && fake.shows().length > 0, 'it is confirmed')
  const { items } = (await (await fetch(`${url}/api/sessions`)).json()) as { items: readonly { id: string }[] }
  assert.equal(items.length, 1)
  const events = async (): Promise<readonly Seen[]> =>
    ((await (await fetch(`${url}/api/sessions/${items[0]?.id}/events`)).json()) as { items: Seen[] }).items
  const deadline = AbortSignal.timeout(20_000)
  let seen = await events()
  while (!seen.some(({ type }) => type === 'turn.ended')) {
    deadline.throwIfAborted()
    seen = await events()
  }
  // The same message is brought to the end of what was said, wherever it was left.
  const words = seen.flatMap(({ parts = [] }) => parts.flatMap(({ text }) => text ?? []))
  const end = words.join('').trim().slice(-12)
  assert.equal(end.length, 12)
  await fake.until(() => fake.shows()[0]?.text.includes(end) === true, 'the message is whole')
  assert.equal(seen.filter(({ type }) => type === 'message.received').length, 1)
  assert.equal(seen.filter(({ type }) => type === 'turn.started').length, 1)
  last.kill('SIGTERM')
  assert.equal(await last.exited, 0)
  said.push(last.stdout(), last.stderr())
  assert.deepEqual(
    fake.shows().map(({ replyTo }) => replyTo),
    [1],
  )
  assert.equal(fake.calls.filter(({ method }) => method === 'sendMessage').length, 1)
  const kept = readdirSync(home).map(file => readFileSync(join(home, file), 'latin1'))
  for (const text of [...said, ...kept]) assert.ok(!text.includes('a-secret-in-no-file'))
})
