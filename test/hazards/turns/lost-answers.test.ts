import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../../src/index.ts'
import { createFeed } from '../../../src/log/feed.ts'
import type { Log } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import { fault } from '../../../src/model/fault.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { err } from '../../../src/model/result.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { openLedger } from '../../../src/turn/durable/ledger.ts'
import { must, session, sessionOf } from '../../log/facts.ts'
import { ask, counting, engineWith, eventsOf, gate, isEvent, last, openSession, until } from '../../support/engine.ts'

const spec = { name: 'act', description: 'Acts', parameters: { type: 'object' } }

/** A log whose next append of such facts lands, and tells its writer otherwise. */
function losing(isMeant: (facts: readonly Fact[]) => boolean): { readonly log: Log; readonly lose: () => void } {
  const real = memoryLog({ clock: Date.now, weigh })
  let isArmed = false
  const append: Log['append'] = async (id, facts, options) => {
    const appended = await real.append(id, facts, options)
    if (!isArmed || !isMeant(facts)) return appended
    isArmed = false
    return err(fault('store', 'the answer was lost'))
  }
  return {
    log: { ...real, append },
    lose: () => {
      isArmed = true
    },
  }
}

test('a start that landed although its answer was lost is run, not forgotten', async () => {
  const { log, lose } = losing(([fact, ...others]) => fact?.type === 'turn.started' && others.length === 0)
  const hold = gate()
  async function* slow(): AsyncGenerator<Delta> {
    await hold.passed
    yield* says('one')
  }
  const engine = engineWith({ log, provider: scriptedProvider([slow, says('two')]) })
  const id = await openSession(engine)
  must(await engine.say({ session: id, text: 'first', from: 'person' }))
  const second = must(await engine.say({ session: id, text: 'second', from: 'person' }))
  lose()
  hold.open()
  await until(engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.seq > second.seq + 3)
  const events = await eventsOf(engine, id)
  assert.equal(events.filter(({ type }) => type === 'turn.started').length, 2)
  assert.deepEqual(last(events, 'reply.finished').parts, [{ type: 'text', text: 'two' }])
})

test('a message that landed although its sender was told otherwise is answered, once', async () => {
  const { log, lose } = losing(facts => facts.some(({ type }) => type === 'message.received'))
  const provider = scriptedProvider([says('here')])
  const engine = engineWith({ log, provider })
  const id = await openSession(engine)
  lose()
  const said = await engine.say({ session: id, text: 'hello', from: 'person' })
  assert.equal(said.ok ? 'ok' : said.fault.kind, 'store')
  await until(engine, id, signal => isEvent(signal, 'turn.ended'))
  assert.equal(provider.requests.length, 1)
})

test('a turn that a person stopped while it waited does not go on after its own end', async () => {
  const { log, lose } = losing(facts => facts.some(({ type }) => type === 'turn.ended'))
  const provider = scriptedProvider([calls('act', {}), says('after its end')])
  const engine = engineWith({
    log,
    provider,
    toolbox: toolbox([{ spec, approval: 'ask', run: async () => ({ ok: true, outcome: 'done' }) }]),
  })
  const id = await openSession(engine)
  must(await engine.say({ session: id, text: 'go', from: 'person' }))
  await until(engine, id, signal => isEvent(signal, 'approval.asked'))
  // It is set aside in the moment after the question.
  while (engine.approvals().length === 0) await new Promise(resolve => setImmediate(resolve))
  lose()
  await engine.cancel(id)
  await engine.close()
  const events = await eventsOf(engine, id)
  assert.equal(events.filter(({ type }) => type === 'turn.ended').length, 1)
  assert.equal(events.at(-1)?.type, 'turn.ended')
  assert.equal(provider.requests.length, 1)
})

test('facts that land beside others, twice without an answer, are in the log once', async () => {
  const real = memoryLog({ clock: Date.now, weigh })
  const id = session('beside')
  must(await real.open(sessionOf(id)))
  const lost: boolean[] = []
  const append: Log['append'] = async (...given) => {
    const isLost = lost.shift() === true
    const appended = await real.append(...given)
    if (!isLost) return appended
    await new Promise(resolve => setImmediate(resolve))
    return err(fault('store', 'the answer was lost'))
  }
  const ledger = openLedger({
    log: { ...real, append },
    feed: createFeed(),
    session: id,
    standing: must(await real.standing(id)),
    mint: counting(),
    clock: Date.now,
    onBug: cause => assert.fail(String(cause)),
  })
  const settled = (turn: string, call: string): Fact => ({
    ...{ type: 'tool.settled', turn: turn as TurnId, call, tool: 'act', ok: true, outcome: 'done', ms: 0 },
  })
  lost.push(true, false)
  await Promise.all([ledger.write([settled('trn_a', '1')]), ledger.write([settled('trn_b', '1')])])
  await ledger.saved()
  lost.push(true)
  await ledger.write([settled('trn_a', '2')])
  await ledger.saved()
  const calls = must(await real.read(id)).map(event => ('call' in event ? `${event.turn} ${event.call}` : ''))
  assert.deepEqual(calls, ['trn_a 1', 'trn_b 1', 'trn_a 2'])
})

test('a turn whose first step was cut off inside a call sees its later calls, also in a long session', async () => {
  let runs = 0
  const act = {
    spec,
    run: async () => {
      runs += 1
      return { ok: true, outcome: 'acted' }
    },
  }
  const cut: readonly Delta[] = [
    { type: 'call', call: 'c0', tool: 'act', text: '{"a' },
    { type: 'fault', fault: fault('unreachable', 'reset') },
  ]
  const before = Array.from({ length: 14 }, (_, index) => says(`answer ${index}`))
  const provider = scriptedProvider([...before, cut, calls('act', {}), says('The end.'), says('later')])
  const engine = engineWith({ provider, toolbox: toolbox([act]), policy: 'recent' })
  const id = await openSession(engine)
  for (const index of before.keys()) await ask(engine, id, `message ${index}`)
  await ask(engine, id, 'use it')
  assert.equal(runs, 1)
  assert.match(provider.requests[16]?.body ?? '', /acted/, 'the step after the call knows its result')
  await ask(engine, id, 'what came of it?')
  assert.match(provider.requests[17]?.body ?? '', /The end\./)
})

test('what was accepted with less is what a turn goes on with after it waited', async () => {
  const tooLong: readonly Delta[] = [{ type: 'fault', fault: fault('too-long', 'prompt is too long') }]
  const many = says('word '.repeat(400))
  const provider = scriptedProvider([many, many, tooLong, calls('act', {}), says('end')])
  const engine = engineWith({
    provider,
    toolbox: toolbox([{ spec, approval: 'ask', run: async () => ({ ok: true, outcome: 'done' }) }]),
  })
  const id = await openSession(engine)
  await ask(engine, id, 'a')
  await ask(engine, id, 'b')
  must(await engine.say({ session: id, text: 'c', from: 'person' }))
  await until(engine, id, signal => isEvent(signal, 'approval.asked'))
  const [pending] = engine.approvals()
  assert.ok(pending)
  must(await engine.answer(pending.approval, 'once'))
  await until(engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.turn === pending.turn)
  const [first, less, next] = provider.requests.slice(2).map(({ body }) => body.length)
  assert.ok((less ?? 0) < (first ?? 0) && (next ?? 0) < (first ?? 0), `${first}, ${less}, ${next}`)
})
