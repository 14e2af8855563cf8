import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { weigh } from '../../src/context/text/tokens.ts'
import { createEngine } from '../../src/engine.ts'
import { memoryLog } from '../../src/log/memory/memory-log.ts'
import type { Log } from '../../src/log/ports.ts'
import type { Fact } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import { err } from '../../src/model/result.ts'
import { calls, says, scriptedProvider } from '../../src/testing/scripted.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { faultOf, gapless, must } from '../log/facts.ts'
import { advisor, councilOf, stand } from '../support/council.ts'
import { type EventSignal, gate, isEvent, isNotice, isWord, listenTo, verdictsOf } from './hearing.ts'

const AWAY = err(fault('store', 'the database does not answer'))
const holds = (facts: readonly Fact[], type: Fact['type']): boolean => facts.some(fact => fact.type === type)

test('facts that waited for the store are saved in order, while the turn goes on', async t => {
  const back = gate()
  let store: 'sound' | 'away' | 'back' = 'sound'
  const log = intercepted(async (facts, append) => {
    if (store === 'sound' && holds(facts, 'reply.finished')) store = 'away'
    return store === 'away' ? AWAY : append()
  })
  const look = {
    spec: { description: 'Looks', name: 'look', parameters: {} },
    run: async () => ({ ok: true, outcome: 'rain' }),
  }
  const provider = scriptedProvider([
    calls('look', {}),
    async function* speak() {
      yield { type: 'text', text: 'It' }
      await back.passed
      yield* says(' rains.')
    },
  ])
  const engine = createEngine({ log, provider, toolbox: toolbox([look]) })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'Rain?', from: 'person' }))
  await listener.until(isNotice('unsaved'))
  await listener.until(isWord('It'))
  store = 'back'
  await listener.until(isNotice('saved'))
  back.open()
  await listener.until(isEvent('turn.ended'))
  gapless(must(await engine.read(id)))
  assert.deepEqual(await verdictsOf(engine, id), ['identical', 'identical'])
  assert.equal(listener.words(), '{}It rains.')
  await engine.close()
})

test('facts that join a queue which is being saved keep their places', async t => {
  const isHeld = gate()
  const release = gate()
  let appends: 'pass' | 'fail' | 'one more' | 'hold' | 'back' = 'pass'
  const log = intercepted(async (facts, append) => {
    if (appends === 'pass' && holds(facts, 'reply.finished')) appends = 'fail'
    if (appends === 'fail') return AWAY
    if (appends === 'hold') {
      isHeld.open()
      await release.passed
    }
    if (appends === 'one more') appends = 'hold'
    return append()
  })
  const look = {
    spec: { description: 'Looks', name: 'look', parameters: {} },
    // The reply and the start of this call wait; the first of them is saved while the call runs.
    run: async () => {
      appends = 'one more'
      await isHeld.passed
      return { ok: true, outcome: 'rain' }
    },
  }
  const provider = scriptedProvider([calls('look', {}), says('It rains.')])
  const engine = createEngine({ log, provider, toolbox: toolbox([look]) })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'Rain?', from: 'person' }))
  await listener.until(isWord('It rains.'))
  appends = 'back'
  release.open()
  await listener.until(isEvent('turn.ended'))
  gapless(must(await engine.read(id)))
  assert.deepEqual(await verdictsOf(engine, id), ['identical', 'identical'])
  await engine.close()
})

test('three advisors go on while the store is away: every word is heard, and everything is saved once and in order', async t => {
  let store: 'sound' | 'away' | 'back' = 'sound'
  let lost = 0
  const log = intercepted(async (facts, append) => {
    if (store === 'sound' && holds(facts, 'context.planned')) store = 'away'
    // Some land although their answer is lost, some do not.
    if (store === 'away' && lost++ % 2 === 0) await append()
    return store === 'away' ? AWAY : append()
  })
  const council = councilOf([advisor('ada'), advisor('bo'), advisor('cy')])
  const provider = stand(({ voice }) => says(`${voice} `, 'speaks.'))
  const engine = createEngine({ log, provider, councils: () => [council] })
  const { id } = must(await engine.open({ council: 'board' }))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'Rain?', from: 'person' }))
  await listener.until(isNotice('unsaved'))
  for (const voice of ['ada ', 'bo ', 'cy ']) await listener.until(isWord(voice))
  store = 'back'
  await listener.until(isNotice('saved'))
  for (const voice of ['ada', 'bo', 'cy'])
    await listener.until(
      (signal): signal is EventSignal => isEvent('turn.ended')(signal) && 'voice' in signal.event && signal.event.voice === voice,
    )
  const events = must(await engine.read(id))
  gapless(events)
  const kinds = Map.groupBy(events, ({ type }) => type)
  assert.deepEqual(
    [...kinds].map(([type, all]) => [type, all.length]),
    [
      ['message.received', 1],
      ['turn.started', 3],
      ['context.planned', 3],
      ['reply.finished', 3],
      ['turn.ended', 3],
    ],
  )
  assert.deepEqual(await verdictsOf(engine, id), ['identical', 'identical', 'identical'])
  await engine.close()
})

test('facts whose answer was lost on the way are not written twice', async t => {
  const log = intercepted(loseOneAnswer('reply.finished'))
  const engine = createEngine({ log, provider: scriptedProvider([says('Once.')]) })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'Say it once.', from: 'person' }))
  await listener.until(isNotice('saved'))
  await listener.until(isEvent('turn.ended'))
  assert.deepEqual(
    must(await engine.read(id)).map(event => event.type),
    ['message.received', 'turn.started', 'context.planned', 'reply.finished', 'turn.ended'],
  )
  await engine.close()
})

test('a message whose acknowledgement was lost is answered when it is sent again', async t => {
  const log = intercepted(loseOneAnswer('message.received'))
  const provider = scriptedProvider([says('Here.')])
  const engine = createEngine({ log, provider })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  const message = { session: id, text: 'Anyone?', from: 'person', key: 'k' }
  faultOf(await engine.say(message), 'store')
  assert.equal(must(await engine.say(message)).seq, 1)
  const waiting = new AbortController()
  const late = pause(15_000, undefined, { signal: waiting.signal })
  const answered = await Promise.race([listener.until(isEvent('turn.ended')), late])
  waiting.abort()
  await engine.close(0)
  assert.ok(answered, 'nobody answered')
})

type Append = (facts: readonly Fact[], append: () => ReturnType<Log['append']>) => ReturnType<Log['append']>

/** A log in memory with someone between it and those who write. */
function intercepted(between: Append): Log {
  const inner = memoryLog({ clock: Date.now, weigh })
  return { ...inner, append: (id, facts, options) => between(facts, () => inner.append(id, facts, options)) }
}

/** Writes, but once says that it did not: the answer came too late for whoever asked. */
function loseOneAnswer(type: Fact['type']): Append {
  let isLost = false
  return async (facts, append) => {
    const appended = await append()
    if (isLost || !holds(facts, type)) return appended
    isLost = true
    return AWAY
  }
}
