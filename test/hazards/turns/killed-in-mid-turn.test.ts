import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, memoryLog, weigh } from '../../../src/index.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { planned } from '../../log/facts.ts'
import { engineWith, eventsOf, isEvent, last, openSession, until } from '../../support/engine.ts'

const turn = 'trn_1' as TurnId

test('what a reply had said before the crash is kept, its calls are settled as unknown, and the turn has an end', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const before = engineWith({ log })
  const session = await openSession(before)
  await log.append(session, [
    { type: 'message.received', text: 'go', from: 'person' },
    { type: 'turn.started', turn, voice: 'assistant', cause: 1 },
    { type: 'reply.finished', turn, step: 1, parts: [{ type: 'call', call: 'c1', tool: 'push', args: {} }] },
    { type: 'tool.started', turn, call: 'c1', tool: 'push', args: {} },
    { ...planned(turn, 4), step: 2 } as Fact,
  ])
  await log.checkpoint(session, { turn, step: 2, parts: [{ type: 'text', text: 'I have pu' }] })

  const after = createEngine({ log, provider: scriptedProvider([says('go on')]), resume: { mode: 'ask' } })
  assert.deepEqual(await after.recover(), { ok: true, value: null })
  const events = await eventsOf(after, session)
  assert.deepEqual(last(events, 'reply.broken').parts, [{ type: 'text', text: 'I have pu' }])
  assert.equal(last(events, 'tool.settled').outcome, 'interrupted, its effects are unknown')
  assert.equal(last(events, 'turn.ended').reason, 'interrupted')
  assert.deepEqual(await log.checkpoints(session), { ok: true, value: [] })
  assert.deepEqual(await after.recover(), { ok: true, value: null })
  assert.equal((await eventsOf(after, session)).length, events.length, 'a second start changes nothing')
})

test('a message that nobody had begun to answer is answered after the restart', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const session = await openSession(engineWith({ log }))
  await log.append(session, [{ type: 'message.received', text: 'anyone?', from: 'person' }])
  const after = createEngine({ log, provider: scriptedProvider([says('here')]) })
  await after.recover()
  await until(after, session, signal => isEvent(signal, 'turn.ended'))
  assert.deepEqual(last(await eventsOf(after, session), 'reply.finished').parts, [{ type: 'text', text: 'here' }])
})
