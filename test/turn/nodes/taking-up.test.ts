// What happens to a session in the very moment in which a node takes it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Log, memoryLog, weigh } from '../../../src/index.ts'
import { LOOK } from '../../../src/log/node-ports.ts'
import { fault } from '../../../src/model/fault.ts'
import { err } from '../../../src/model/result.ts'
import { type ScriptedReply, says } from '../../../src/testing/scripted.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { eventsOf, gate, last, openSession, until } from '../../support/engine.ts'
import { cuttable, ended, LEASE_MS, node, say } from './engines.ts'

const shared = (clock: () => number = Date.now): Log => memoryLog({ clock, weigh, isShared: true })

/** Says something, and then nothing until it is stopped. */
const stuckAfter = (text: string): ScriptedReply =>
  async function* (_, signal) {
    yield { type: 'text', text }
    await new Promise(resolve => signal.addEventListener('abort', resolve))
  }

/** Waits for something that happens by itself. */
const untilTrue = (t: TestContext, isTrue: () => boolean): Promise<void> =>
  t.waitFor(() => assert.ok(isTrue()), { interval: 5, timeout: 15_000 })

test('a stop that is found while its session is being taken is not lost', { timeout: 20_000 }, async t => {
  let ahead = 0
  const store = shared(() => Date.now() + ahead)
  const { nodes } = store
  assert.ok(nodes)
  const { log, cut } = cuttable(store)
  const goOn = gate()
  let isTaking = false
  let looks = 0
  let isOrdered = false
  const slow: Log = {
    ...store,
    openTurns: async id => {
      if (id !== undefined) {
        isTaking = true
        await goOn.passed
      }
      return store.openTurns(id)
    },
    nodes: {
      ...nodes,
      orders: {
        ...nodes.orders,
        add: async order => {
          const added = await nodes.orders.add(order)
          isOrdered = true
          return added
        },
      },
      watch: {
        ...nodes.watch,
        looks: async ids => {
          const looked = await nodes.watch.looks(ids)
          // After what the node does at once with the answer.
          if (isTaking) setTimeout(() => (looks += 1), 50)
          return looked
        },
      },
    },
  }
  const first = node(t, log, [stuckAfter('Half ')])
  const session = await openSession(first)
  await say(first, session, 'go')
  await until(first, session, ({ type }) => type === 'delta')
  const other = node(t, slow, [stuckAfter('and ')])
  const stopping = other.cancel(session)
  await untilTrue(t, () => isOrdered)
  cut()
  ahead += LEASE_MS
  await untilTrue(t, () => isTaking)
  nodes.pokes.send(session, LOOK)
  await untilTrue(t, () => looks > 0)
  goOn.open()
  const stopped = await stopping
  assert.ok(stopped.ok, stopped.ok ? '' : stopped.fault.message)
  assert.equal(stopped.value.length, 1)
  assert.equal(last(await eventsOf(other, session), 'turn.ended').reason, 'cancelled')
})

test('a message is answered although its session came to this node after it was left for another one', {
  timeout: 20_000,
}, async t => {
  const store = shared()
  const { nodes } = store
  assert.ok(nodes)
  const appended = gate()
  let isWaiting = false
  const slow: Log = {
    ...store,
    append: async (id, facts, options) => {
      if (facts.some(fact => fact.type === 'message.received' && fact.text === 'for ben')) {
        isWaiting = true
        await appended.passed
      }
      return store.append(id, facts, options)
    },
  }
  const engine = node(t, slow, [], {
    councils: () => [councilOf([advisor('ann'), advisor('ben')])],
    provider: stand(({ voice }, signal) =>
      voice === 'ben'
        ? says('Ben is here.')
        : (async function* () {
            yield { type: 'text', text: 'Ann ' }
            await new Promise(resolve => signal.addEventListener('abort', resolve))
          })(),
    ),
  })
  const opened = await engine.open({ council: 'board' })
  assert.ok(opened.ok)
  const { id } = opened.value
  assert.ok((await nodes.leases.take(id, 'another', 60_000)).ok)
  const saying = engine.say({ session: id, text: 'for ben', from: 'person', to: ['ben'] })
  await untilTrue(t, () => isWaiting)
  await nodes.leases.giveBack('another', [id])
  assert.ok((await engine.say({ session: id, text: 'for ann', from: 'person', to: ['ann'] })).ok)
  await until(engine, id, ({ type }) => type === 'delta')
  appended.open()
  assert.ok((await saying).ok)
  await ended(engine, id)
  assert.equal(last(await eventsOf(engine, id), 'turn.ended').voice, 'ben')
})

test('what is due after a round is made although the store is away for longer than a session stays idle', {
  timeout: 20_000,
}, async t => {
  const store = shared()
  let awayUntil = 0
  let isOver = false
  let readable = 0
  const blipping: Log = {
    ...store,
    append: async (id, facts, options) => {
      const done = await store.append(id, facts, options)
      if (!isOver && facts.some(({ type }) => type === 'turn.ended')) {
        isOver = true
        awayUntil = performance.now() + 1500
        readable = 0
      }
      return done
    },
    // It can be read once whenever the session is taken, and then not again.
    openTurns: async id => {
      readable = 1
      return store.openTurns(id)
    },
    session: async id => {
      if (performance.now() >= awayUntil) return store.session(id)
      readable -= 1
      return readable < 0 ? err(fault('store', 'it is away')) : store.session(id)
    },
  }
  const engine = node(t, blipping, [], {
    councils: () => [councilOf([advisor('ann')], { synthesis: 'brief' })],
    provider: stand(({ voice }) => says(`${voice} says yes.`)),
  })
  const opened = await engine.open({ council: 'board' })
  assert.ok(opened.ok)
  await say(engine, opened.value.id, 'go')
  await ended(engine, opened.value.id, 2)
  assert.equal(last(await eventsOf(engine, opened.value.id), 'turn.ended').voice, 'house:synthesis')
})
