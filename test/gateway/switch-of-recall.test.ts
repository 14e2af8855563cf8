// The switch of recall between chats: whatever it is turned by, the next turn of every door goes by it, without a restart.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FAKE_CHAT, startFakeTelegram } from '../../src/testing/telegram/fake-telegram.ts'
import { startWorkspace } from '../support/workspace.ts'
import { piped } from './cli/in-process.ts'
import { tempHome, turnwise } from './cli/turnwise.ts'
import { type Client, clientOf, type Json } from './http/client.ts'

const idOf = (session: string): string => session.split('/').at(-1) ?? ''

/** Where the newest request of a session was looked for, beside the session itself. */
async function lookedIn(client: Client, session: string): Promise<string | undefined> {
  const planned = (await client.events(session)).findLast(event => event.type === 'context.planned')
  return planned.receipt.inputs.recall?.from?.from
}

/** A busy machine takes longer than people wait. */
const limits = { historyMs: 20_000 }

const QUESTION = 'What was the name of the boat?'

test('every door goes by the switch from the next turn on', async t => {
  const fake = await startFakeTelegram()
  t.after(fake.close)
  const telegram = { botToken: '$TELEGRAM_BOT_TOKEN', apiRoot: fake.root, chats: [FAKE_CHAT] }
  const { url, home } = await startWorkspace(
    t,
    { 'turnwise.json': { limits, channels: { telegram } } },
    { TELEGRAM_BOT_TOKEN: fake.token },
  )
  const client = clientOf(url)
  const source = await client.open({ title: 'Boats' })
  await client.talk(source, 'The name of the boat is Albatross.')
  await fake.until(() => fake.calls.some(({ method }) => method === 'setMyCommands'), 'it listens')

  const session = await client.open()
  const ask = {
    http: async () => {
      await client.talk(session, QUESTION)
      return session
    },
    'command line': async () => {
      const ran = await turnwise(['ask', '-s', idOf(session), QUESTION], { home, env: { TELEGRAM_BOT_TOKEN: fake.token } })
      assert.equal(ran.code, 0, ran.stderr)
      return session
    },
    '/v1': async () => {
      const messages = [{ role: 'user', content: QUESTION }]
      await client.json(200, 'POST', '/v1/chat/completions', {
        body: { model: 'assistant', metadata: { session: idOf(session) }, messages },
      })
      return session
    },
    '/api/chat': async () => {
      const message = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text: QUESTION }] }
      const answer = await client.ask('POST', '/api/chat', { body: { id: idOf(session), message } })
      await answer.text()
      return session
    },
    telegram: async () => {
      const before = fake.shows(FAKE_CHAT).length
      fake.writes({ text: QUESTION })
      await fake.until(() => fake.shows(FAKE_CHAT).length > before, 'an answer')
      const { chats } = await client.json(200, 'GET', '/api/telegram')
      const own = `/api/sessions/${chats[0].session}`
      await (await client.follow(own)).until(({ event }) => event === 'turn.ended')
      return own
    },
  }
  const switches = {
    everywhere: () => client.json(200, 'PATCH', '/api/memory', { body: { from: 'everywhere' } }),
    session: async () => writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ limits, channels: { telegram } })),
  }
  for (const [door, say] of Object.entries(ask)) {
    await switches.session()
    assert.equal(await lookedIn(client, await say()), undefined, `${door}, switched off`)
    await switches.everywhere()
    assert.equal(await lookedIn(client, await say()), 'everywhere', `${door}, switched on`)
  }
  await client.json(200, 'PATCH', source, { body: { private: true } })
  const { receipt } = await client.json(200, 'POST', `${session}/context`, { body: { text: QUESTION } })
  assert.ok(!JSON.stringify(receipt.window).includes(idOf(source)), 'a private chat is never a source')
})

test('the switch of a project lets its chats quote each other, and no others', async t => {
  const { url } = await startWorkspace(t, {
    ...{ 'turnwise.json': { limits }, 'projects/boat/CONTEXT.md': 'A boat.', 'projects/car/CONTEXT.md': 'A car.' },
  })
  const client = clientOf(url)
  const source = await client.open({ project: 'boat', title: 'Names' })
  await client.talk(source, 'The name of the boat is Albatross.')
  const [boat, car, none] = [await client.open({ project: 'boat' }), await client.open({ project: 'car' }), await client.open()]
  const quoted = async (session: string): Promise<Json> => {
    await client.talk(session, QUESTION)
    const planned = (await client.events(session)).findLast(event => event.type === 'context.planned')
    return [planned.receipt.inputs.recall?.from?.from, planned.receipt.window.recalled?.[0]?.chat?.title]
  }
  assert.deepEqual(await quoted(boat), [undefined, undefined])
  await client.json(200, 'PATCH', '/api/projects/boat', { body: { recall: true } })
  assert.equal((await quoted(boat))[0], 'project')
  assert.deepEqual(await quoted(await client.open({ project: 'boat' })), ['project', 'Names'])
  assert.deepEqual(await quoted(car), [undefined, undefined])
  assert.deepEqual(await quoted(none), [undefined, undefined])
  await client.json(200, 'PATCH', '/api/projects/boat', { body: { recall: false } })
  assert.deepEqual((await quoted(boat))[0], undefined)
})

test('without a gateway a command goes by the switch, too', async t => {
  const home = tempHome(t)
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ limits }))
  assert.equal((await piped(['ask', 'The name of the boat is Albatross.'], { home })).code, 0)
  assert.equal((await piped(['memory', 'from', 'everywhere'], { home })).code, 0)
  const dry = await piped(['ask', '--json', QUESTION], { home })
  assert.equal(dry.code, 0, dry.stderr)
  const { items } = JSON.parse((await piped(['sessions', '--json'], { home })).stdout)
  const { receipt } = JSON.parse((await piped(['context', items[0].id, '--json'], { home })).stdout)
  assert.equal(receipt.inputs.recall.from.from, 'everywhere')
  // A chat without a title is not named by its first words: they may be excluded later.
  assert.match(JSON.stringify(receipt.window.recalled), /"title":"another chat"/)
  const page = await piped(['context', items[0].id], { home })
  assert.match(page.stdout, /Recalled \d earlier messages? \(\d+ tokens\)\n/)
  assert.match(page.stdout, /Quoted from other chats: “another chat”\n/)
  assert.match(page.stdout, /Also looked in 1 other chat\n/)
})
