// A fact that is written again under its id is written once.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Log } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { EventId } from '../../../src/model/ids.ts'
import { factsOf, faultOf, heard, must, planned, seqsOf, session, sessionOf, started, ticking, turn } from '../facts.ts'
import { type OpenStore, onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')
const ids = (...names: readonly string[]): readonly EventId[] => names.map(name => `evt_${name}` as EventId)
const USED: Fact = {
  ...{ type: 'reply.finished', turn: T1, step: 1, parts: [], model: 'a' },
  usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
}

onEveryStore('ids of EventLog', open => {
  const opened = async (t: TestContext): Promise<OpenStore> => {
    const store = await open(t, ticking())
    for (const id of [RAIN, SUN]) must(await store.log.open(sessionOf(id)))
    return store
  }

  test('an append that is tried again under its ids writes nothing, and gives back what is there', async t => {
    const { log, restarted } = await opened(t)
    const facts = [heard('a'), started(T1, 1), USED]
    const options = { ids: ids('1', '2', '3') }
    const first = must(await log.append(RAIN, facts, options))
    assert.equal(first.again, false)
    must(await log.append(RAIN, [heard('b')], { ids: ids('4') }))
    const tryAgain = async (from: Log): Promise<void> => {
      const again = must(await from.append(RAIN, facts, { ...options, expect: 0 }))
      assert.equal(again.again, true)
      assert.deepEqual(again.events, first.events)
      assert.equal(again.standing.head, 4)
      assert.deepEqual(seqsOf(must(await from.read(RAIN))), [1, 2, 3, 4])
      assert.equal(must(await from.usage({}))[0]?.requests, 1, 'what it used is counted once')
    }
    await tryAgain(log)
    if (typeof restarted === 'function') await tryAgain(await restarted())
  })

  test('equal facts under other ids are other events, however much they look alike', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a'), started(T1, 1)], { ids: ids('1', '2') }))
    for (const each of ['3', '4']) must(await log.append(RAIN, [planned(T1, 2)], { ids: ids(each) }))
    must(await log.append(RAIN, [planned(T1, 2)]))
    must(await log.append(RAIN, [planned(T1, 2)]))
    assert.deepEqual(factsOf(must(await log.read(RAIN))).slice(2), Array(4).fill(planned(T1, 2)))
  })

  test('tries that arrive side by side are one', async t => {
    const { log } = await opened(t)
    const tried = await Promise.all(Array.from({ length: 5 }, () => log.append(RAIN, [heard('once')], { ids: ids('1') })))
    assert.deepEqual(tried.map(each => must(each).again).sort(), [false, true, true, true, true])
    assert.equal(must(await log.read(RAIN)).length, 1)
  })

  test('ids count within their session, and a fork has events of its own', async t => {
    const { log } = await opened(t)
    for (const id of [RAIN, SUN]) assert.equal(must(await log.append(id, [heard('a')], { ids: ids('1') })).again, false)
    const copy = session('copy')
    must(await log.fork(RAIN, 1, sessionOf(copy, { family: RAIN, parent: { session: RAIN, at: 1 } }), () => []))
    assert.equal(must(await log.append(copy, [heard('b')], { ids: ids('1') })).again, false)
    assert.deepEqual(must(await log.past(copy, { from: 'start', ids: ids('1', '2') })).landed, ids('1'))
  })

  test('facts of which only some are there are refused whole, and ids that cannot be theirs are a bug', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a'), heard('b')], { ids: ids('1', '2') }))
    for (const mixed of [ids('2', '3'), ids('2', '1'), ids('3', '1')])
      faultOf(await log.append(RAIN, [heard('a'), heard('b')], { ids: mixed }), 'conflict')
    for (const wrong of [ids('5'), ids('5', '5'), ids('5', '6', '7')])
      await assert.rejects(async () => log.append(RAIN, [heard('a'), heard('b')], { ids: wrong }))
    assert.deepEqual(seqsOf(must(await log.read(RAIN))), [1, 2])
  })

  test('whoever reads a past learns which facts it holds', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a'), heard('b')], { ids: ids('1', '2') }))
    must(await log.append(RAIN, [heard('c')], { ids: ids('3') }))
    const landed = async (through?: number): Promise<readonly EventId[]> =>
      must(await log.past(RAIN, { from: 'start', ids: ids('9', '3', '1'), ...(through === undefined ? {} : { through }) })).landed
    assert.deepEqual(await landed(), ids('3', '1'))
    assert.deepEqual(await landed(2), ids('1'), 'only up to where it was read')
    assert.deepEqual(must(await log.past(RAIN, { from: 'start' })).landed, [])
  })

  test('a key and ids together are each enough', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a')], { key: 'k', ids: ids('1') }))
    assert.equal(must(await log.append(RAIN, [heard('a')], { key: 'k', ids: ids('2') })).again, true)
    assert.equal(must(await log.append(RAIN, [heard('a')], { key: 'other', ids: ids('1') })).again, true)
    assert.equal(must(await log.read(RAIN)).length, 1)
  })
})
