// Sessions are opened once, changed and removed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Session } from '../../../src/model/session.ts'
import { eventsOf, factsOf, faultOf, heard, must, session, sessionOf, started, text, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')

onEveryStore('SessionStore', (_, opened) => {
  test('a change of a session shows at once, and is not a use', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('  The first\n words  ')]))
    const before = must(await log.session(RAIN))
    assert.equal(before.preview, 'The first words')
    must(await log.append(RAIN, [{ type: 'session.changed', changes: { title: 'Rain \ud800', archived: true } }]))
    must(await log.append(RAIN, [{ type: 'session.changed', changes: { policy: 'recent', agent: 'engineer' } }]))
    const after: Session = { ...before, title: 'Rain \ud800', archived: true, policy: 'recent', agent: 'engineer' }
    assert.deepEqual(must(await log.session(RAIN)), after)
    assert.deepEqual(must(await log.sessions({ limit: 5 })).items, [after])
    assert.deepEqual(must(await log.sessions({ query: 'rain', limit: 5 })).items, [after])
    must(await log.append(RAIN, [{ type: 'session.changed', changes: { title: null } }]))
    assert.deepEqual(must(await log.session(RAIN)), { ...after, title: null })
    assert.deepEqual(must(await log.sessions({ query: 'rain', limit: 5 })).items, [])
  })

  test('a session is opened once', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('mine')]))
    faultOf(await log.open(sessionOf(RAIN)), 'conflict')
    assert.deepEqual(factsOf(await eventsOf(log, RAIN)), [heard('mine')])
  })

  test('a removed session is not found by anyone, and the others are untouched', async t => {
    const { log } = await opened(t, RAIN, SUN)
    for (const id of [RAIN, SUN]) must(await log.append(id, [heard('drizzle'), started(T1, 1)], { key: 'k' }))
    for (const id of [RAIN, SUN]) must(await log.checkpoint(id, { turn: T1, step: 1, parts: [text('half')] }))
    must(await log.remove(RAIN))
    const asked: readonly ((id: SessionId) => Promise<Parameters<typeof faultOf>[0]>)[] = [
      id => log.session(id),
      id => log.read(id),
      id => log.read(id, { after: 1, limit: 1 }),
      id => log.past(id, { from: { messages: 1, before: 1 } }),
      id => log.planned(id, 1),
      id => log.planned(id, 1, { voice: 'assistant' }),
      id => log.voiceAt(id, 'assistant', 1),
      id => log.standing(id),
      id => log.append(id, [heard('x')]),
      id => log.append(id, [heard('x')], { key: 'k' }),
      id => log.checkpoint(id, { turn: T1, step: 1, parts: [] }),
      id => log.checkpoints(id),
      id => log.remove(id),
    ]
    for (const ask of asked) for (const id of [RAIN, session('never')]) faultOf(await ask(id), 'not-found')
    assert.deepEqual(
      must(await log.sessions({ limit: 5 })).items.map(item => item.id),
      [SUN],
    )
    assert.deepEqual(
      must(await log.sessions({ query: 'drizzle', limit: 5 })).items.map(item => item.id),
      [SUN],
    )
    assert.deepEqual(
      must(await log.openTurns()).map(open => open.session),
      [SUN],
    )
    assert.equal((await eventsOf(log, SUN)).length, 2)
    assert.equal(must(await log.checkpoints(SUN)).length, 1)
    must(await log.open(sessionOf(RAIN)))
    assert.deepEqual(await eventsOf(log, RAIN), [], 'and a new one of that id begins empty')
    assert.equal(must(await log.append(RAIN, [heard('x')], { key: 'k' })).events[0]?.seq, 1)
  })
})
