import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, memoryLog, weigh } from '../../src/index.ts'
import type { Log } from '../../src/log/ports.ts'
import type { Fact } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { SYNTHESIS } from '../../src/model/settings/council.ts'
import type { DemoRequest } from '../../src/provider/demo/wire.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import { createTimeLimit } from '../../src/turn/step/time-limit.ts'
import { must } from '../log/facts.ts'
import { advisor, boardOf, councilOf, settled, stand } from '../support/council.ts'
import { eachMethod, methodsOf } from '../support/each-method.ts'
import { ask, gate, isEvent, last, until } from '../support/engine.ts'

const HISTORY_MS = 1200
/** Much less than as many limits as there are reads, and enough for a machine that is busy. */
const GUARD_MS = HISTORY_MS * 2.5
const SEES = { demo: { images: true, files: true } }
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/**
 * What a turn waits for although it stalls: a request leaves only when its receipt is written, or when the store has said that it
 * cannot be. Everything else a log can do, also what is added to it one day, must not hold up the first request.
 */
const MAY_HOLD_UP: ReadonlySet<string> = new Set(['append', 'close'])

const METHODS = methodsOf(memoryLog({ clock: Date.now, weigh })).filter(method => !MAY_HOLD_UP.has(method))

/** A log that answers nothing for these methods from the moment such a fact is written, until it is let go. */
function stalling(real: Log, stalled: ReadonlySet<string>, from: (fact: Fact) => boolean) {
  const back = gate()
  const asked = new Set<string>()
  let isStalled = false
  const log = eachMethod(real, async ({ method, given, work }) => {
    if (isStalled && stalled.has(method)) {
      asked.add(method)
      await back.passed
    }
    const done = await work()
    if (method === 'append' && (given[1] as readonly Fact[]).some(from)) isStalled = true
    return done
  })
  return { log, letGo: back.open, asked }
}

/** A session with a picture in it, as a process finds it that has just started. */
async function withPast(): Promise<{ readonly log: Log; readonly id: SessionId }> {
  const log = memoryLog({ clock: Date.now, weigh })
  const engine = createEngine({ log, provider: scriptedProvider([says('One.'), says('Two.')]), models: SEES })
  const { id } = must(await engine.open({}))
  const parts = [{ type: 'image' as const, name: 'dot.png', mediaType: 'image/png', data: PIXEL }]
  const { seq } = must(await engine.say({ session: id, text: 'look', from: 'person', parts }))
  await until(engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.seq > seq)
  await ask(engine, id, 'second')
  return { log, id }
}

/** Says a third thing to a store that stalls; gives what the model was asked, after how long, and what was waited for. */
async function third(stalled: ReadonlySet<string>) {
  const { log: real, id } = await withPast()
  const { log, letGo, asked } = stalling(real, stalled, ({ type }) => type === 'message.received')
  const provider = scriptedProvider([says('Three.')])
  const called = gate()
  const speak: typeof provider.speak = (...given) => {
    called.open()
    return provider.speak(...given)
  }
  const engine = createEngine({ log, provider: { ...provider, speak }, models: SEES, limits: { historyMs: HISTORY_MS } })
  must(await engine.say({ session: id, text: 'third', from: 'person' }))
  const began = performance.now()
  await called.passed
  const waited = performance.now() - began
  letGo()
  await until(engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.seq > 12)
  const events = must(await engine.read(id))
  assert.equal(last(events, 'turn.ended').reason, 'done')
  for await (const { verdict, detail } of engine.verify(id)) assert.equal(verdict, 'identical', detail ?? '')
  await engine.close()
  const { messages } = JSON.parse(provider.requests[0]?.body ?? '') as DemoRequest
  return { waited, asked, messages: messages.length, isDegraded: last(events, 'context.planned').receipt.degraded !== null }
}

test('whichever method of the store stalls, a model is asked within the limit, with all of the history that could be read', async () => {
  const seen = await Promise.all(
    METHODS.map(async method => {
      const { waited, asked, messages, isDegraded } = await third(new Set([method]))
      assert.ok(waited < GUARD_MS, `${method}: asked after ${waited} ms`)
      const needed = method === 'past' || method === 'texts'
      assert.deepEqual(
        { messages, isDegraded },
        needed ? { messages: 1, isDegraded: true } : { messages: 5, isDegraded: false },
        method,
      )
      return [...asked]
    }),
  )
  const waitedFor = new Set(seen.flat())
  for (const method of ['past', 'texts', 'planned', 'factors']) assert.ok(waitedFor.has(method), `nobody asked for ${method}`)
})

test('a store that stalls altogether is waited for once, not once for each read', async () => {
  const { waited, messages, isDegraded } = await third(new Set(METHODS))
  assert.ok(waited < GUARD_MS, `asked after ${waited} ms`)
  assert.deepEqual({ messages, isDegraded }, { messages: 1, isDegraded: true })
})

test('reads that are waited for one after the other share one limit, and so do those side by side', async t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const { wait } = createTimeLimit(100, Date.now)
  const never = new Promise<string>(() => {})
  /** What was waited for, once the time is up for it. */
  const waited = async (reading: Promise<unknown>): Promise<number> => {
    const began = Date.now()
    let isOver = false
    reading.then(() => {
      isOver = true
    })
    for (;;) {
      await new Promise(resolve => setImmediate(resolve))
      if (isOver) return Date.now() - began
      t.mock.timers.tick(1)
    }
  }
  const late = (): string => 'late'
  assert.equal(await waited(wait(never, late, 0.2)), 20, 'only its part')
  t.mock.timers.tick(1000)
  assert.equal(await wait(Promise.resolve('read'), late), 'read', 'what happens in between takes nothing of it')
  const reading = Promise.all([wait(never, late), wait(never, late), wait(Promise.resolve('read'), late)])
  assert.equal(await waited(reading), 80, 'the rest, once for all')
  assert.deepEqual(await reading, ['late', 'late', 'read'])
  assert.ok((await waited(wait(never, late))) <= 1)
  assert.equal(await wait(Promise.resolve('read'), late), 'read', 'what is there already is taken all the same')
})

test('a synthesis whose round cannot be read in time fails, and can be asked for again', async () => {
  const real = memoryLog({ clock: Date.now, weigh })
  const { log, letGo } = stalling(real, new Set(['read']), fact => fact.type === 'turn.started' && fact.voice === SYNTHESIS)
  const limits = { historyMs: HISTORY_MS }
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { log, provider: stand(), limits })
  must(await board.engine.say({ session: board.session, text: 'Rain?', from: 'person' }))
  await settled(board, events => events.filter(({ type }) => type === 'turn.ended').length === 2)
  const ended = gate()
  const began = performance.now()
  const turn = must(await board.engine.synthesize(board.session, 'brief'))
  const look = async (): Promise<void> => {
    const standing = must(await real.openTurns())
    if (standing.some(each => each.turn === turn)) setImmediate(look)
    else ended.open()
  }
  await look()
  await ended.passed
  assert.ok(performance.now() - began < GUARD_MS)
  assert.equal(last(must(await real.read(board.session)), 'turn.ended').fault?.kind, 'store')
  letGo()
  must(await board.engine.resume(board.session))
  await settled(board, events => events.filter(({ type }) => type === 'turn.ended').length === 4)
  assert.equal(last(must(await real.read(board.session)), 'turn.ended').reason, 'done')
  await board.engine.close()
})
