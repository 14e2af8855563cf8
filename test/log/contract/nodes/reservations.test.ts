// The budget of a day is reserved in the store: all nodes together stay within it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fact } from '../../../../src/model/event.ts'
import { heard, must, session, started, turn } from '../../facts.ts'
import { onSharedStores, type SharedLog } from './shared-stores.ts'

const RAIN = session('rain')
const T1 = turn('1')
const DAY = '2026-01-01'
const MS = 60_000
const used = (costUsd?: number): Fact => ({
  ...{ type: 'reply.finished', turn: T1, step: 1, parts: [], model: 'a' },
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, ...(costUsd === undefined ? {} : { costUsd }) },
})

onSharedStores('Reservations', open => {
  const reserve = async ({ nodes }: SharedLog, id: string, usd: number, day = DAY) => {
    const { isReserved, left } = must(await nodes.reservations.reserve({ id, day, usd, limit: 10, ms: MS }))
    return [isReserved, left]
  }

  test('what was used and what is reserved stay within the limit, up to the last cent', async t => {
    const { a, b } = await open(t, RAIN)
    must(await a.append(RAIN, [heard('a'), started(T1, 1), used(3), used()]))
    assert.deepEqual(await reserve(a, 'r1', 4), [true, 7])
    assert.deepEqual(await reserve(b, 'r2', 3.5), [false, 3])
    assert.deepEqual(await reserve(b, 'r2', 3), [true, 3])
    assert.deepEqual(await reserve(a, 'r3', 0.01), [false, 0])
    assert.deepEqual(await reserve(a, 'r3', 10, '2026-01-02'), [true, 10], 'another day has its own')
  })

  test('a reservation ends when it is settled or runs out, and asked for again it is one', async t => {
    const { a, b, pass } = await open(t, RAIN)
    assert.deepEqual(await reserve(a, 'r1', 6), [true, 10])
    assert.deepEqual(await reserve(b, 'r1', 8), [true, 10], 'in the place of the earlier')
    assert.deepEqual(await reserve(b, 'r2', 6), [false, 2])
    must(await a.append(RAIN, [heard('a'), started(T1, 1), used(1)]))
    must(await b.nodes.reservations.settle('r1'))
    must(await b.nodes.reservations.settle('r1'))
    assert.deepEqual(await reserve(b, 'r2', 6), [true, 9])
    assert.deepEqual(await reserve(a, 'r3', 6), [false, 3])
    await pass(MS + 1)
    assert.deepEqual(await reserve(a, 'r3', 6), [true, 9])
  })

  test('many nodes at once do not reserve more than there is', async t => {
    const { a, b } = await open(t)
    const tries = await Promise.all(Array.from({ length: 30 }, (_, index) => reserve(index % 2 === 0 ? a : b, `r${index}`, 1)))
    assert.equal(tries.filter(([isReserved]) => isReserved).length, 10)
  })
})
