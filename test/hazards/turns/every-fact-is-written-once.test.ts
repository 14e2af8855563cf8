import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryLog, weigh } from '../../../src/index.ts'
import { createFeed } from '../../../src/log/feed.ts'
import type { Log } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import { fault } from '../../../src/model/fault.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { err } from '../../../src/model/result.ts'
import { calls, type ScriptedReply, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { openLedger } from '../../../src/turn/durable/ledger.ts'
import { factsOf, gapless, must, session, sessionOf } from '../../log/facts.ts'
import { ask, counting, engineWith, eventsOf, gate, isEvent, openSession, until } from '../../support/engine.ts'
import { tries } from '../../support/tries.ts'

const AWAY = err(fault('store', 'the database does not answer'))

/** What becomes of the next appends: they are written, they are not, or they are and nobody is told. */
type Fate = 'written' | 'away' | 'lost'

function fated(): { readonly log: Log; fate: (facts: readonly Fact[]) => Fate } {
  const inner = memoryLog({ clock: Date.now, weigh })
  const store = {
    fate: (_: readonly Fact[]): Fate => 'written',
    log: {
      ...inner,
      append: async (...[id, facts, options]: Parameters<Log['append']>) => {
        const fate = store.fate(facts)
        if (fate === 'away') return AWAY
        const appended = await inner.append(id, facts, options)
        return fate === 'lost' ? AWAY : appended
      },
    },
  }
  return store
}

/** A reply that does something before it is spoken. */
const after = (work: () => void | Promise<void>, reply: readonly Delta[]): ScriptedReply =>
  async function* () {
    await work()
    yield* reply
  }

test('a refused first request that is sent again with less while the store is away has a receipt of its own', async () => {
  const store = fated()
  const hold = gate()
  const provider = scriptedProvider([
    says('first answer'),
    says('second answer'),
    [{ type: 'fault', fault: fault('rejected', 'messages.1: roles must alternate') }],
    after(async () => {
      // Both receipts wait by now.
      store.fate = () => 'written'
      await hold.passed
    }, says('third answer')),
  ])
  const engine = engineWith({ log: store.log, provider })
  const id = await openSession(engine)
  await ask(engine, id, 'first')
  await ask(engine, id, 'second')
  store.fate = ([fact]) => (fact?.type === 'message.received' ? 'written' : 'away')
  const third = must(await engine.say({ session: id, text: 'third', from: 'person' }))
  await until(engine, id, signal => signal.type === 'notice' && signal.notice.kind === 'saved')
  hold.open()
  await until(engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.seq > third.seq)
  const events = await eventsOf(engine, id)
  gapless(events)
  const receipts = events.flatMap(event => (event.type === 'context.planned' ? [event.receipt.id] : []))
  assert.equal(provider.requests.length, 4)
  assert.equal(new Set(receipts).size, 4, 'a receipt for everything that was sent')
  for await (const { verdict, detail } of engine.verify(id)) assert.equal(verdict, 'identical', detail ?? '')
  await engine.close()
})

test('two steps whose calls have one id keep what came of both while the store is away', async () => {
  const store = fated()
  const provider = scriptedProvider([
    calls('gone', { a: 1 }),
    calls('gone', { a: 2 }),
    after(() => {
      store.fate = () => 'written'
    }, says('over')),
  ])
  const engine = engineWith({ log: store.log, provider })
  const id = await openSession(engine)
  store.fate = ([fact]) => (fact?.type === 'message.received' || fact?.type === 'context.planned' ? 'written' : 'away')
  const events = await ask(engine, id, 'try it twice')
  const settled = events.flatMap(event => (event.type === 'tool.settled' ? [event.call] : []))
  assert.deepEqual(settled, ['c1', 'c1'])
  gapless(events)
  for await (const { verdict, detail } of engine.verify(id)) assert.equal(verdict, 'identical', detail ?? '')
  await engine.close()
})

test('a reply that landed without an answer is sent to the model once, also when a message came in beside it', async () => {
  const store = fated()
  const spoken = gate()
  let isSaid = false
  const provider = scriptedProvider([
    calls('gone', {}),
    after(() => {
      store.fate = () => 'written'
    }, says('over')),
  ])
  const beside: Log = {
    ...store.log,
    append: async (id, facts, options) => {
      const appended = await store.log.append(id, facts, options)
      if (facts.some(({ type }) => type === 'message.received') || isSaid) return appended
      if (!facts.some(({ type }) => type === 'reply.finished')) return appended
      // In the log, and somebody speaks before its writer is told that it is not.
      isSaid = true
      spoken.open()
      await said.passed
      return appended
    },
  }
  const said = gate()
  const engine = engineWith({ log: beside, provider })
  const id = await openSession(engine)
  store.fate = facts => (facts.some(({ type }) => type === 'reply.finished' || type === 'tool.settled') ? 'lost' : 'written')
  must(await engine.say({ session: id, text: 'use it', from: 'person' }))
  await spoken.passed
  must(await engine.say({ session: id, text: 'and hurry', from: 'person' }))
  said.open()
  await until(engine, id, signal => isEvent(signal, 'turn.ended'))
  const { messages } = JSON.parse(provider.requests[1]?.body ?? '{}') as {
    messages: readonly { blocks: readonly { type: string }[] }[]
  }
  const called = messages.flatMap(({ blocks }) => blocks).filter(({ type }) => type === 'call')
  assert.equal(called.length, 1)
  gapless(await eventsOf(engine, id))
  await engine.close()
})

test('whatever becomes of each try, facts that look alike are written once each and in order', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const turn = 'trn_a' as TurnId
  const settled: Fact = { type: 'tool.settled', turn, call: 'c1', tool: 'act', ok: true, outcome: 'done', ms: 0 }
  const fates = fc.array(fc.constantFrom<Fate>('written', 'away', 'lost'), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fates, fc.integer({ min: 1, max: 6 }), async (tried, many) => {
      const store = fated()
      const left = [...tried]
      const id = session('alike')
      must(await store.log.open(sessionOf(id)))
      const standing = must(await store.log.standing(id))
      const ledger = openLedger({
        log: store.log,
        feed: createFeed(),
        session: id,
        standing,
        mint: counting(),
        clock: Date.now,
        onBug: cause => assert.fail(String(cause)),
      })
      store.fate = () => left.shift() ?? 'written'
      for (let index = 0; index < many; index += 1) must(await ledger.write([settled, settled]))
      let isDone = false
      const saved = ledger.saved().then(() => {
        isDone = true
      })
      while (!isDone) {
        await new Promise(resolve => setImmediate(resolve))
        t.mock.timers.tick(250)
      }
      await saved
      assert.deepEqual(factsOf(must(await store.log.read(id))), Array(many * 2).fill(settled))
      assert.equal(ledger.standing().head, many * 2)
    }),
    tries(100),
  )
})
