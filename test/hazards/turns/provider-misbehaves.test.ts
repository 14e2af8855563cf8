import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../src/model/fault.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { ask, engineWith, eventsOf, isEvent, last, openSession, until } from '../../support/engine.ts'

test('a stream that merely stops is a fault, not a short answer', async () => {
  const engine = engineWith({
    provider: scriptedProvider([[{ type: 'text', text: 'half a' }]]),
    resume: { continuations: 0 },
  })
  const events = await ask(engine, await openSession(engine), 'go')
  const broken = last(events, 'reply.broken')
  assert.equal(broken.fault.kind, 'garbled')
  assert.deepEqual(broken.parts, [{ type: 'text', text: 'half a' }])
  assert.equal(last(events, 'turn.ended').reason, 'failed')
})

test('a fault in mid-reply keeps the partial text, and the next message is answered', async () => {
  const cut: Delta = { type: 'fault', fault: fault('unreachable', 'reset') }
  const provider = scriptedProvider([[{ type: 'text', text: 'half' }, cut], says('whole')])
  const engine = engineWith({ provider, resume: { continuations: 0 } })
  const session = await openSession(engine)
  assert.equal(last(await ask(engine, session, 'one'), 'turn.ended').fault?.kind, 'unreachable')
  assert.equal(last(await ask(engine, session, 'two'), 'turn.ended').reason, 'done')
  assert.doesNotMatch(provider.requests[1]?.body ?? '', /half/, 'what failed stays out')
})

test('a provider that throws is a bug that ends only its turn', async () => {
  const bugs: unknown[] = []
  const engine = engineWith({
    provider: scriptedProvider([]),
    observe: seen => {
      if (seen.type === 'bug') bugs.push(seen.cause)
    },
  })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(last(events, 'turn.ended').fault?.kind, 'bug')
  assert.doesNotMatch(JSON.stringify(events), /the script has/, 'the text of a bug is for the log, not for people')
  assert.equal(bugs.length, 1)
})

test('cancel is heard by the turn even if the provider never hears it', async () => {
  async function* deaf(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'on and' }
    await new Promise(() => {})
  }
  const engine = engineWith({ provider: scriptedProvider([deaf, says('next')]) })
  const session = await openSession(engine)
  const said = await engine.say({ session, text: 'go', from: 'person' })
  assert.ok(said.ok)
  await until(engine, session, signal => signal.type === 'delta')
  const stopped = await engine.cancel(session)
  assert.deepEqual(stopped, { ok: true, value: said.value.turns })
  const events = await eventsOf(engine, session)
  assert.deepEqual(last(events, 'reply.broken').parts, [{ type: 'text', text: 'on and' }])
  assert.equal(last(events, 'turn.ended').reason, 'cancelled')
  assert.equal(last(await ask(engine, session, 'and now?'), 'turn.ended').reason, 'done')
})

test('a turn ends within its declared limit', async () => {
  async function* silent(): AsyncGenerator<Delta> {
    yield* []
    await new Promise(() => {})
  }
  const engine = engineWith({ provider: scriptedProvider([silent]), limits: { turnMs: 50 } })
  const session = await openSession(engine)
  await engine.say({ session, text: 'go', from: 'person' })
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  assert.equal(last(await eventsOf(engine, session), 'turn.ended').fault?.kind, 'timeout')
})

test('a surrogate pair split across two deltas is one character in the end', async () => {
  const engine = engineWith({ provider: scriptedProvider([says('a \ud83d', '\ude00 b')]) })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.deepEqual(last(events, 'reply.finished').parts, [{ type: 'text', text: 'a 😀 b' }])
})
