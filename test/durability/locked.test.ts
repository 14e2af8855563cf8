import assert from 'node:assert/strict'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createEngine } from '../../src/engine.ts'
import { calls, says, scriptedProvider } from '../../src/testing/scripted.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { start } from '../log/child.ts'
import { factsOf, faultOf, gapless, heard, must, session, sessionOf } from '../log/facts.ts'
import { openSqlite, temporaryFolder } from '../log/files.ts'
import { gate, isEvent, isNotice, isWord, listenTo, verdictsOf } from './hearing.ts'

/** Far more than a busy machine needs for a tick, far less than any wait for the lock. */
const TICK_MS = 700

test('a locked file is a fault for who writes, and never stops the main thread', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const log = await openSqlite(t, file, { patienceMs: 2000 })
  const id = session('locked')
  must(await log.open(sessionOf(id)))
  must(await log.append(id, [heard('before')]))
  const lock = await locked(t, file)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  // It measures from one tick to the next, so it needs a first one.
  await pause(20)
  const began = performance.now()
  const refused = log.append(id, [heard('refused')])
  let reads = 0
  for (let isOver = false; !isOver; reads += 1) {
    assert.equal(must(await log.read(id)).length, 1)
    assert.equal(must(await log.sessions({ limit: 5 })).items.length, 1)
    isOver = await Promise.race([refused.then(() => true), pause(5, false)])
  }
  const waited = performance.now() - began
  delay.disable()
  faultOf(await refused, 'store')
  assert.ok(waited >= 1900 && waited < 4500, `it waited ${waited} ms`)
  assert.ok(delay.max / 1e6 < TICK_MS, `the main thread stood still for ${delay.max / 1e6} ms`)
  assert.ok(reads > 10, `${reads} reads went on meanwhile`)

  await lock.release()
  must(await log.append(id, [heard('after')]))
  assert.deepEqual(factsOf(must(await log.read(id))), [heard('before'), heard('after')])
})

test('a search goes on while the file is locked', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const log = await openSqlite(t, file, { patienceMs: 300 })
  const id = session('locked')
  must(await log.open(sessionOf(id)))
  must(await log.append(id, [heard('drizzle')]))
  must(await log.sessions({ query: 'drizzle', limit: 5 }))
  await locked(t, file)
  assert.equal(must(await log.sessions({ query: 'drizzle', limit: 5 })).items.length, 1)
})

test('who was told that nothing was saved does not find it saved later', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const patienceMs = 1500
  const log = await openSqlite(t, file, { patienceMs })
  const id = session('locked')
  must(await log.open(sessionOf(id)))
  const lock = await locked(t, file)
  const first = log.append(id, [heard('first')])
  await pause(20)
  const second = log.append(id, [heard('second')])
  // Waits together with the second behind the first, but has much more time left when those two are given up.
  await pause(patienceMs - 100)
  const third = log.append(id, [heard('third')])
  faultOf(await first, 'store')
  faultOf(await second, 'store')
  await lock.release()
  must(await third)
  assert.deepEqual(factsOf(must(await log.read(id))), [heard('third')])
})

test('while the file is locked a new message is refused within six seconds, and nothing of it is kept', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const provider = scriptedProvider([says('One.'), says('Two.')])
  const engine = createEngine({ log: await openSqlite(t, file), provider })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'one', from: 'person' }))
  await listener.until(isEvent('turn.ended'))
  const before = must(await engine.read(id))

  const lock = await locked(t, file)
  const began = performance.now()
  faultOf(await engine.say({ session: id, text: 'two', from: 'person', key: 'k' }), 'store')
  assert.ok(performance.now() - began < 10_000, `it took ${performance.now() - began} ms`)
  await lock.release()
  assert.deepEqual(must(await engine.read(id)), before)
  const said = must(await engine.say({ session: id, text: 'two', from: 'person', key: 'k' }))
  await listener.until(isEvent('turn.ended', said.seq))
  assert.equal(provider.requests.length, 2)
  await engine.close()
})

test('a turn that runs while the file is locked goes on, but no tool runs before that is written down', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const isLocked = gate()
  const provider = scriptedProvider([
    async function* speak() {
      yield { type: 'text', text: 'Let me look.' }
      await isLocked.passed
      yield* calls('look', { at: 'sky' })
    },
    says(' It', ' rains.'),
    says('Still.'),
  ])
  let looked = 0
  const look = {
    spec: { description: 'Looks out of the window', name: 'look', parameters: {} },
    run: async () => {
      looked += 1
      return { ok: true, outcome: 'rain' }
    },
  }
  const log = await openSqlite(t, file, { patienceMs: 300 })
  const engine = createEngine({ log, provider, toolbox: toolbox([look]) })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'Rain?', from: 'person' }))
  await listener.until(isWord('Let me look.'))
  const lock = await locked(t, file)
  isLocked.open()
  await listener.until(isNotice('unsaved'))
  assert.equal(must(await engine.read(id)).length, 3, 'nothing more could be written')
  assert.equal(looked, 0, 'a crash now could make it run twice')

  await lock.release()
  await listener.until(isNotice('saved'))
  await listener.until(isEvent('turn.ended'))
  assert.deepEqual(listener.notices(), ['unsaved', 'saved'])
  assert.equal(looked, 1)
  const events = must(await engine.read(id))
  gapless(events)
  assert.deepEqual(events.map(event => event.type).slice(3), [
    'reply.finished',
    'tool.started',
    'tool.settled',
    'context.planned',
    'reply.finished',
    'turn.ended',
  ])
  must(await engine.say({ session: id, text: 'And now?', from: 'person' }))
  await listener.until(isEvent('turn.ended', 9))
  assert.deepEqual(await verdictsOf(engine, id), ['identical', 'identical', 'identical'])
  await engine.close()
})

async function locked(t: TestContext, file: string) {
  const child = start(t, '../durability/locker.ts', file)
  assert.equal(await child.line(), 'locked')
  return {
    release: async () => {
      child.say('now')
      assert.equal(await child.line(), 'released')
    },
  }
}
