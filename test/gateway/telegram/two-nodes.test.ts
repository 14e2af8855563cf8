/** The Telegram channel of gateways that share a store: one node listens, another takes over, and every message is answered once. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Channel } from '../../../src/gateway/channel/closed-channel.ts'
import { oneNodeChannel } from '../../../src/gateway/channel/one-node-channel.ts'
import { createTelegramChannel } from '../../../src/gateway/telegram/telegram-channel.ts'
import { createEngine, type Engine, type Log, memoryLog, weigh } from '../../../src/index.ts'
import type { Leases } from '../../../src/log/open-store.ts'
import { fault } from '../../../src/model/fault.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import type { Provider } from '../../../src/model/provider.ts'
import { err } from '../../../src/model/result.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { FAKE_CHAT, type FakeTelegram, startFakeTelegram } from '../../../src/testing/telegram/fake-telegram.ts'
import { stand } from '../../support/council.ts'
import { gate } from '../../support/engine.ts'
import { QUICK, refusals } from './talk.ts'

const PACE = { leaseMs: 300, renewMs: 60 }

type Node = {
  readonly engine: Engine
  readonly door: Channel<number>
  /** Cuts this node's channel from the store's leases, as if it could not reach them. */
  readonly cut: () => void
}

const sharedLog = (): Log => ({ ...memoryLog({ clock: Date.now, weigh, isShared: true }), close: async () => {} })

async function startNode(t: TestContext, log: Log, fake: FakeTelegram, provider: Provider): Promise<Node> {
  const { nodes } = log
  assert.ok(nodes !== undefined)
  let isCut = false
  const away = async () => err(fault('store', 'away'))
  const leases: Leases = {
    ...nodes.leases,
    take: (...given) => (isCut ? away() : nodes.leases.take(...given)),
    renew: (...given) => (isCut ? away() : nodes.leases.renew(...given)),
  }
  const engine = createEngine({ log, provider })
  assert.ok((await engine.recover()).ok)
  const host = { engine, onTrouble: () => {}, onBug: assert.ifError }
  const setting = { botToken: fake.token, apiRoot: fake.root, chats: [FAKE_CHAT] }
  const door = oneNodeChannel<number>({
    ...host,
    ...{ leases, name: 'telegram', title: 'Telegram', chats: setting.chats, pace: PACE },
    make: (isMine, pairings) => createTelegramChannel({ ...host, setting, isMine, pairings, pace: QUICK }),
  })
  door.start()
  t.after(async () => {
    await door.stop()
    await engine.close(0)
  })
  return {
    engine,
    door,
    cut: () => {
      isCut = true
    },
  }
}

async function telegram(t: TestContext): Promise<FakeTelegram> {
  const fake = await startFakeTelegram()
  t.after(fake.close)
  return fake
}

const answered = (fake: FakeTelegram, count: number): Promise<void> =>
  fake.until(
    () => fake.shows().filter(({ text }) => text.startsWith('answer')).length === count,
    () => `${count} answers: ${JSON.stringify(fake.shows().map(({ text }) => text))}`,
  )

test('one of two nodes listens; when it stops, the other goes on, and every message is answered once', async t => {
  const [log, fake] = [sharedLog(), await telegram(t)]
  const provider = stand(({ turn }) => says(`answer ${turn}`))
  const one = await startNode(t, log, fake, provider)
  await fake.until(() => one.door.status().running, 'the first listens')
  const other = await startNode(t, log, fake, provider)
  fake.writes({ text: 'first' })
  await answered(fake, 1)
  assert.equal(other.door.status().running, false)
  assert.match(other.door.status().trouble ?? '', /another node of this gateway listens/)
  assert.equal(other.door.trouble(), undefined, 'that is nothing to mend')
  await one.door.stop()
  fake.writes({ text: 'second' })
  await answered(fake, 2)
  assert.ok(other.door.status().running)
  assert.deepEqual(
    fake.shows().map(({ text, replyTo }) => [text, replyTo]),
    [
      ['answer 1', 1],
      ['answer 2', 3],
    ],
  )
  assert.deepEqual(refusals(fake), [])
})

test('a node that loses its lease in the middle of an answer shows nothing more, and the other finishes the same message', async t => {
  const [log, fake] = [sharedLog(), await telegram(t)]
  const held = gate()
  async function* slow(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'Half' }
    await held.passed
    yield { type: 'text', text: ' and whole' }
    yield { type: 'done' }
  }
  const one = await startNode(t, log, fake, scriptedProvider([slow]))
  await fake.until(() => one.door.status().running, 'the first listens')
  const other = await startNode(t, log, fake, scriptedProvider([]))
  fake.writes({ text: 'go' })
  await fake.until(() => fake.shows()[0]?.text === 'Half', 'half an answer')
  one.cut()
  await fake.until(() => other.door.status().running, 'the second listens')
  assert.equal(one.door.status().running, false)
  held.open()
  await fake.until(() => fake.shows()[0]?.text === 'Half and whole', 'the whole answer')
  assert.equal(fake.shows().length, 1)
  assert.equal(fake.calls.filter(({ method }) => method === 'sendMessage').length, 1)
})

test('codes are made and chats are taken off the list on any node', async t => {
  const [log, fake] = [sharedLog(), await telegram(t)]
  const provider = stand(({ turn }) => says(`answer ${turn}`))
  const one = await startNode(t, log, fake, provider)
  await fake.until(() => one.door.status().running, 'the first listens')
  const other = await startNode(t, log, fake, provider)
  const made = await other.door.pair()
  assert.ok(made.ok)
  const kept = await log.remembered('telegram', '')
  assert.ok(kept.ok)
  assert.ok(!JSON.stringify([...kept.value]).includes(made.value.code), 'the store has no code that can be read')
  fake.writes({ chat: 99, text: `/pair ${made.value.code}` })
  await fake.until(() => fake.shows(99).length === 1, 'it is paired')
  fake.writes({ chat: 98, text: `/pair ${made.value.code}` })
  await fake.until(() => fake.shows(98).length === 1, 'a code counts once')
  assert.match(fake.shows(98)[0]?.text ?? '', /not right/)
  fake.writes({ chat: 99, text: 'hello' })
  await fake.until(() => fake.shows(99).some(({ text }) => text.startsWith('answer')), 'it is answered')
  assert.equal((await other.door.forget(FAKE_CHAT)).ok, false)
  assert.ok((await other.door.forget(99)).ok)
  const gone = await other.door.forget(99)
  assert.ok(!gone.ok && gone.fault.kind === 'not-found')
  const before = fake.shows(99).length
  fake.writes({ chat: 99, text: 'hello again' })
  fake.writes({ text: 'still there' })
  await answered(fake, 1)
  assert.equal(fake.shows(99).length, before)
})

test('a node that finds its lease over neither takes nor shows anything, and does so as soon as it has one', async t => {
  const [log, fake] = [sharedLog(), await telegram(t)]
  const engine = createEngine({ log, provider: stand(({ turn }) => says(`answer ${turn}`)) })
  assert.ok((await engine.recover()).ok)
  let asked = 0
  let isMine = false
  const door = createTelegramChannel({
    ...{ engine, onTrouble: () => {}, onBug: assert.ifError, pace: QUICK },
    setting: { botToken: fake.token, apiRoot: fake.root, chats: [FAKE_CHAT] },
    isMine: () => {
      asked += 1
      return isMine
    },
  })
  door.start()
  t.after(async () => {
    await door.stop(0)
    await engine.close(0)
  })
  fake.writes({ text: 'hello' })
  await fake.until(() => asked > 2, 'it tries')
  assert.deepEqual([fake.shows().length, fake.calls.filter(({ method }) => /send|edit/.test(method)).length], [0, 0])
  isMine = true
  await answered(fake, 1)
})
