// A writer that has lost its lease on a session cannot append to it any more.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { EventId } from '../../../src/model/ids.ts'
import { ended, faultOf, heard, must, seqsOf, session, sessionOf, started, ticking, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')

onEveryStore('fences of EventLog', open => {
  const opened = async (t: TestContext) => {
    const store = await open(t, ticking())
    for (const id of [RAIN, SUN]) must(await store.log.open(sessionOf(id)))
    return store
  }

  test('a lower fence than the highest is a conflict and writes nothing', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a'), started(T1, 1)], { fence: 7 }))
    must(await log.append(RAIN, [heard('b')], { fence: 7 }))
    must(await log.append(RAIN, [heard('c')], { fence: 9 }))
    const before = must(await log.standing(RAIN))
    const late = [ended(T1), heard('late')]
    for (const fence of [0, 7, 8])
      faultOf(await log.append(RAIN, late, { fence, key: 'k', texts: [{ hash: 'h', text: 'late' }] }), 'conflict')
    assert.deepEqual(seqsOf(must(await log.read(RAIN))), [1, 2, 3, 4])
    assert.deepEqual(must(await log.standing(RAIN)), before)
    assert.equal(must(await log.openTurns()).length, 1)
    assert.equal(must(await log.texts(['h'])).size, 0)
    assert.equal(must(await log.append(RAIN, [heard('d')], { fence: 9, key: 'k' })).again, false, 'its key is free')
  })

  test('appends without a fence are not checked, and change no fence', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a')]))
    must(await log.append(RAIN, [heard('b')], { fence: 3 }))
    must(await log.append(RAIN, [heard('from another node')]))
    faultOf(await log.append(RAIN, [heard('late')], { fence: 2 }), 'conflict')
    must(await log.append(RAIN, [heard('c')], { fence: 3 }))
    assert.equal(must(await log.read(RAIN)).length, 4)
  })

  test('each session has its own fence', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a')], { fence: 5 }))
    must(await log.append(SUN, [heard('a')], { fence: 1 }))
    faultOf(await log.append(RAIN, [heard('late')], { fence: 1 }), 'conflict')
  })

  test('a new owner shuts the old one out before it has anything to say', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a')], { fence: 1 }))
    must(await log.append(RAIN, [], { fence: 2 }))
    faultOf(await log.append(RAIN, [heard('late')], { fence: 1 }), 'conflict')
    assert.deepEqual(seqsOf(must(await log.read(RAIN))), [1])
  })

  test('an old owner that tries again what was written is refused as well, and its successor is not', async t => {
    const { log } = await opened(t)
    const ids = ['evt_1' as EventId]
    must(await log.append(RAIN, [heard('a')], { fence: 1, ids, key: 'k' }))
    for (const known of [{ ids }, { key: 'k' }]) {
      assert.equal(must(await log.append(RAIN, [heard('a')], { fence: 1, ...known })).again, true)
    }
    assert.equal(must(await log.append(RAIN, [heard('a')], { fence: 2, ids })).again, true)
    for (const known of [{ ids }, { key: 'k' }]) faultOf(await log.append(RAIN, [heard('a')], { fence: 1, ...known }), 'conflict')
  })

  test('a refused append raises no fence', async t => {
    const { log } = await opened(t)
    faultOf(await log.append(RAIN, [heard('a')], { fence: 8, expect: 3 }), 'conflict')
    must(await log.append(RAIN, [heard('a')], { fence: 1 }))
    await assert.rejects(async () => log.append(RAIN, [heard('a')], { fence: 1.5 }), /whole number/)
  })

  test('a fence is known after a restart', async t => {
    const { log, restarted } = await opened(t)
    if ('never' in restarted) return t.skip(restarted.never)
    must(await log.append(RAIN, [heard('a')], { fence: 4 }))
    const after = await restarted()
    faultOf(await after.append(RAIN, [heard('late')], { fence: 3 }), 'conflict')
    must(await after.append(RAIN, [heard('b')], { fence: 4 }))
  })

  test('a fork has no fence yet, nor has a session that is opened again after it was removed', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a')], { fence: 4 }))
    const copy = sessionOf(session('copy'), { parent: { session: RAIN, at: 1 } })
    must(await log.fork(RAIN, 1, copy, () => []))
    must(await log.append(copy.id, [heard('b')], { fence: 1 }))
    must(await log.remove(RAIN))
    must(await log.open(sessionOf(RAIN)))
    must(await log.append(RAIN, [heard('c')], { fence: 1 }))
  })
})
