import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { weigh } from '../../src/context/text/tokens.ts'
import { createEngine, type Engine } from '../../src/engine.ts'
import { memoryLog } from '../../src/log/memory/memory-log.ts'
import type { Log } from '../../src/log/ports.ts'
import { fault } from '../../src/model/fault.ts'
import { err } from '../../src/model/result.ts'
import type { DemoRequest } from '../../src/provider/demo/wire.ts'
import { calls, type ScriptedProvider, type ScriptedReply, says, scriptedProvider } from '../../src/testing/scripted.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { gapless, must } from '../log/facts.ts'
import { gate, haltingly, isEvent, isNotice, isWord, listenTo, receiptsOf, verdictsOf } from './hearing.ts'

const HISTORY_MS = 80

/** How a store can be away for those who read; none of them throws. */
const AWAY: Readonly<Record<string, <Value>(read: () => Promise<Value>) => Promise<Value>>> = {
  'never answers': () => new Promise(() => {}),
  'answers too late': async read => {
    await pause(HISTORY_MS * 3)
    return read()
  },
  fails: async <Value>() => err(fault('store', 'the database said: disk I/O error')) as Value,
}

for (const [how, away] of Object.entries(AWAY)) {
  for (const policy of ['full', 'recent']) {
    test(`where the history ${how}, a turn under ${policy} goes on with the message alone, and the next one has it all again`, async t => {
      const store = withHistory(away)
      const provider = scriptedProvider(['One.', 'Two.', 'Three.', 'Four.'].map(words => says(words)))
      const engine = createEngine({ log: store.log, provider, policy, limits: { historyMs: HISTORY_MS } })
      const { id } = must(await engine.open({}))
      const listener = listenTo(t, engine, id)
      const answer = async (text: string): Promise<void> => {
        const { seq } = must(await engine.say({ session: id, text, from: 'person' }))
        await listener.until(isEvent('turn.ended', seq))
      }
      await answer('first')
      await answer('second')
      assert.deepEqual(listener.notices(), [])

      store.leave()
      const began = performance.now()
      const asked = answer('third')
      await listener.until(isWord('Three.'))
      const waited = performance.now() - began
      assert.ok(waited < HISTORY_MS + 3000, `the answer came after ${waited} ms`)
      store.comeBack()
      await asked
      const notice = await listener.until(isNotice('degraded'))
      assert.match(notice.notice.message, /without earlier messages/)
      assert.deepEqual(textsOf(provider, 2), ['third'], 'the new message, once, and nothing else')

      await answer('fourth')
      assert.deepEqual(
        textsOf(provider, 3),
        ['first', 'One.', 'second', 'Two.', 'third', 'Three.', 'fourth'].slice(policy === 'full' ? 0 : 2),
      )
      const receipts = await receiptsOf(engine, id)
      assert.deepEqual(
        receipts.map(receipt => receipt.degraded !== null),
        [false, false, true, false],
      )
      assert.deepEqual(receipts[2]?.out, [{ from: 1, to: 10, count: 4, reason: 'out.store-unavailable' }])
      assert.ok(!receipts[3]?.out.some(line => line.reason === 'out.store-unavailable'))
      assert.deepEqual(await verdictsOf(engine, id), ['identical', 'identical', 'identical', 'identical'])
      gapless(must(await engine.read(id)))
      // Five messages and the new one are all that this policy sends, and the fourth turn has seven.
      assert.deepEqual(listener.notices(), policy === 'full' ? ['degraded'] : ['degraded', 'window'])
      await engine.close()
    })
  }
}

test('a first message has no history to miss', async t => {
  const store = withHistory(AWAY.fails)
  store.leave()
  const provider = scriptedProvider([says('Hello.')])
  const engine = createEngine({ log: store.log, provider })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'Hi.', from: 'person' }))
  await listener.until(isWord('Hello.'))
  store.comeBack()
  await listener.until(isEvent('turn.ended'))
  assert.deepEqual((await receiptsOf(engine, id))[0]?.out, [])
  assert.deepEqual(await verdictsOf(engine, id), ['identical'])
  await engine.close()
})

test('a history that goes away in the middle of a turn leaves the turn what it has said itself', async t => {
  const store = withHistory(AWAY.fails)
  const { provider, engine } = withTool(
    store.log,
    [says('Before.'), calls('look', {}), says('Rain.'), says('Again.')],
    async () => store.leave(),
  )
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'earlier', from: 'person' }))
  await listener.until(isEvent('turn.ended'))
  must(await engine.say({ session: id, text: 'Rain?', from: 'person' }))
  await listener.until(isWord('Rain.'))
  store.comeBack()
  await listener.until(isEvent('turn.ended', 6))
  assert.deepEqual(
    requestOf(provider, 2).messages.map(message => message.blocks.map(block => block.type)),
    [['text'], ['call'], ['result']],
  )
  const receipts = await receiptsOf(engine, id)
  assert.deepEqual(
    receipts.map(receipt => receipt.degraded !== null),
    [false, false, true],
  )
  assert.deepEqual(receipts[2]?.out, [{ from: 1, to: 5, count: 2, reason: 'out.store-unavailable' }])
  must(await engine.say({ session: id, text: 'And now?', from: 'person' }))
  await listener.until(isEvent('turn.ended', 14))
  assert.equal(requestOf(provider, 3).messages.length, 7)
  assert.deepEqual(await verdictsOf(engine, id), ['identical', 'identical', 'identical', 'identical'])
  await engine.close()
})

test('a message that comes while an answer knows only its own gets an answer of its own', async t => {
  const store = withHistory(AWAY.fails)
  store.leave()
  const spoken = gate()
  const provider = scriptedProvider([haltingly('One', spoken.passed, '.'), says('Two.')])
  const engine = createEngine({ log: store.log, provider })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'first', from: 'person' }))
  await listener.until(isWord('One'))
  const second = must(await engine.say({ session: id, text: 'second', from: 'person' }))
  spoken.open()
  await listener.until(isWord('Two.'))
  store.comeBack()
  const started = await listener.until(isEvent('turn.started', second.seq))
  await listener.until(isEvent('turn.ended', started.event.seq))
  assert.deepEqual(textsOf(provider, 0), ['first'])
  assert.deepEqual(textsOf(provider, 1), ['second'])
  assert.deepEqual(await verdictsOf(engine, id), ['identical', 'identical'])
  await engine.close()
})

/** A log in memory whose history can be sent away; everything else goes on. */
function withHistory(away: (typeof AWAY)[string] | undefined): { log: Log; leave: () => void; comeBack: () => void } {
  const inner = memoryLog({ clock: Date.now, weigh })
  let isAway = false
  const ask = <Value>(read: () => Promise<Value>): Promise<Value> => (isAway && away !== undefined ? away(read) : read())
  return {
    log: {
      ...inner,
      // Followers and the conductor read what is new; only who reads everything asks for history.
      read: (id, range) => (range === undefined ? ask(() => inner.read(id)) : inner.read(id, range)),
      past: (id, want) => ask(() => inner.past(id, want)),
    },
    leave: () => {
      isAway = true
    },
    comeBack: () => {
      isAway = false
    },
  }
}

function withTool(
  log: Log,
  replies: readonly ScriptedReply[],
  run: () => Promise<void>,
): { provider: ScriptedProvider; engine: Engine } {
  const provider = scriptedProvider(replies)
  const look = {
    spec: { description: 'Looks', name: 'look', parameters: {} },
    run: async () => {
      await run()
      return { ok: true, outcome: 'rain' }
    },
  }
  return { provider, engine: createEngine({ log, provider, toolbox: toolbox([look]) }) }
}

function requestOf(provider: ScriptedProvider, index: number): DemoRequest {
  return JSON.parse(provider.requests[index]?.body ?? '') as DemoRequest
}

const textsOf = (provider: ScriptedProvider, index: number): readonly string[] =>
  requestOf(provider, index).messages.flatMap(message =>
    message.blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])),
  )
