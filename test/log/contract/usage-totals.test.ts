// Usage is counted by day and model, and outlives its session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fact } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Usage } from '../../../src/model/message/delta.ts'
import { broken, faultOf, finished, heard, must, session, sessionOf, started, text, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')
const T2 = turn('2')

const TEN: Usage = { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 }
const replied = (usage: Usage, model = 'a'): Fact => ({ type: 'reply.finished', turn: T1, step: 1, parts: [], model, usage })

onEveryStore('UsageTotals', (open, opened) => {
  test('what replies used is counted by day and model, whoever ended them', async t => {
    let now = Date.UTC(2026, 0, 1, 23, 59)
    const { log } = await open(t, () => now)
    for (const id of [RAIN, SUN]) must(await log.open(sessionOf(id)))
    assert.deepEqual(must(await log.usage({})), [])
    must(
      await log.append(RAIN, [heard('a'), started(T1, 1), replied({ ...TEN, costUsd: 0.1 }), replied({ ...TEN, costUsd: 0.2 })]),
    )
    must(await log.append(RAIN, [{ ...broken(T1, 3), model: 'b', usage: { ...TEN, costUsd: 0 } } as Fact]))
    must(await log.append(SUN, [heard('a'), started(T2, 1), replied(TEN, 'b'), replied({ ...TEN, costUsd: 1 }, 'b')]))
    now = Date.UTC(2026, 0, 2)
    must(await log.append(SUN, [replied({ ...TEN, costUsd: 0.5 })]))
    // Nothing that was counted, or nobody who counted.
    must(await log.append(SUN, [finished(T2, 9, text('x')), replied({ ...TEN, input: Number.NaN }), broken(T2, 9)]))
    const { model: _, ...nameless } = replied(TEN) as Extract<Fact, { type: 'reply.finished' }>
    must(await log.append(SUN, [nameless]))
    const row = (day: string, model: string, requests: number, costUsd: number | null) => {
      const [input, output, cacheRead, cacheWrite] = [10, 20, 30, 40].map(count => count * requests)
      return { day, model, input, output, cacheRead, cacheWrite, costUsd, requests }
    }
    const first = row('2026-01-01', 'a', 2, 0.3)
    assert.deepEqual(must(await log.usage({})), [first, row('2026-01-01', 'b', 3, null), row('2026-01-02', 'a', 1, 0.5)])
    assert.deepEqual(must(await log.usage({ session: RAIN })), [first, row('2026-01-01', 'b', 1, 0)])
    assert.deepEqual(must(await log.usage({ since: '2026-01-02' })), [row('2026-01-02', 'a', 1, 0.5)])
    assert.deepEqual(must(await log.usage({ since: '2026-01-01T23:59:00.000Z', session: RAIN })).length, 2)
    assert.deepEqual(must(await log.usage({ since: '2026-01-01T23:59:00.001Z', session: RAIN })), [])
    assert.deepEqual(must(await log.usage({ since: '2026-01-02', session: RAIN })), [])
    faultOf(await log.usage({ session: session('never') }), 'not-found')
  })

  test('an append that does not happen uses nothing', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('a'), started(T1, 1)]))
    const impossible = { type: 'tool.started', turn: T1, call: 'c1', tool: 'x', args: () => 1 } satisfies Fact
    await assert.rejects(async () => log.append(RAIN, [replied(TEN), impossible]))
    faultOf(await log.append(RAIN, [replied(TEN)], { expect: 9 }), 'conflict')
    assert.deepEqual(must(await log.usage({})), [])
    for (let times = 0; times < 2; times += 1) must(await log.append(RAIN, [replied(TEN)], { key: 'k' }))
    assert.equal(must(await log.usage({}))[0]?.requests, 1, 'once per key')
  })

  test('what a removed session used is still counted, under nobody’s name', async t => {
    const { log } = await opened(t, RAIN, SUN)
    for (const id of [RAIN, SUN]) must(await log.append(id, [heard('a'), started(T1, 1), replied(TEN)]))
    const before = must(await log.usage({}))
    must(await log.remove(RAIN))
    assert.deepEqual(must(await log.usage({})), before)
    assert.equal(before[0]?.requests, 2)
    faultOf(await log.usage({ session: RAIN }), 'not-found')
    faultOf(await log.usage({ session: '' as SessionId }), 'not-found')
    must(await log.open(sessionOf(RAIN)))
    assert.deepEqual(must(await log.usage({ session: RAIN })), [], 'a new one of that id has used nothing')
  })
})
