import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageRow } from '../../src/model/usage.ts'
import {
  barWords,
  byModel,
  chartOf,
  dayRanges,
  OTHERS,
  sinceDay,
  ticksUpTo,
  usageCost,
  usageCostWords,
} from '../../web/src/pages/usage/usage.ts'

const TODAY = '2026-03-02'

const row = (day: string, model: string, costUsd: number | null, input = 100): UsageRow => ({
  ...{ day, model, costUsd, input, output: 10, cacheRead: 5, cacheWrite: 1, requests: 2 },
})

test('a span ends today and has exactly so many days, across the end of a month', () => {
  assert.equal(sinceDay(7, TODAY), '2026-02-24')
  const days = dayRanges([], 7, TODAY)
  assert.deepEqual(
    days.map(({ key }) => key),
    ['2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'],
  )
  assert.equal(days.at(-1)?.label, 'Mar 2')
  assert.equal(dayRanges([], 90, TODAY).length, 90)
})

test('all there is begins with the first day, and is shown in months where days would be too many', () => {
  assert.deepEqual(
    dayRanges([row('2026-03-01', 'a', 1), row('2026-02-28', 'a', 1)], null, TODAY).map(({ key }) => key),
    ['2026-02-28', '2026-03-01', '2026-03-02'],
  )
  assert.deepEqual(
    dayRanges([row('2025-11-30', 'a', 1)], null, TODAY).map(({ key, label }) => `${key} ${label}`),
    ['2025-11 Nov 2025', '2025-12 Dec 2025', '2026-01 Jan 2026', '2026-02 Feb 2026', '2026-03 Mar 2026'],
  )
  assert.deepEqual(
    dayRanges([], null, TODAY).map(({ key }) => key),
    [TODAY],
  )
})

test('a price that is not known is no zero, and a part of a sum does not pass for the whole', () => {
  const priced = row(TODAY, 'a', 0.25)
  const unpriced = row(TODAY, 'b', null)
  assert.equal(usageCostWords(usageCost([priced, priced])), '$0.50')
  assert.equal(usageCostWords(usageCost([priced, unpriced])), 'at least $0.25')
  assert.equal(usageCostWords(usageCost([unpriced])), '–')
  assert.equal(usageCostWords(usageCost([row(TODAY, 'demo', 0)])), '$0')
  assert.equal(usageCostWords(usageCost([row(TODAY, 'demo', 0), unpriced])), '–', '"at least $0" would say nothing')
  assert.deepEqual(usageCost([priced, unpriced]), { knownUsd: 0.25, priced: 2, unpriced: 2 })
})

test('models stand by what they cost, then by what they were used for', () => {
  const rows = [row('2026-03-01', 'cheap', 0.1), row(TODAY, 'free', 0, 900), row(TODAY, 'dear', 2), row(TODAY, 'cheap', 0.2)]
  const uses = byModel([...rows, row(TODAY, 'idle', 0, 1)])
  assert.deepEqual(
    uses.map(({ model, sum, cost }) => [model, sum.requests, cost.knownUsd]),
    [
      ['dear', 2, 2],
      ['cheap', 4, 0.3],
      ['free', 2, 0],
      ['idle', 2, 0],
    ],
  )
})

test('the parts of a bar lie on each other, and what was used for nothing has none', () => {
  const rows = [row('2026-03-01', 'a', 1), row('2026-03-01', 'b', 0.5), row(TODAY, 'c', null)]
  const stretches = dayRanges(rows, 7, TODAY)
  const { bars, series, ticks, top } = chartOf(rows, stretches, 'cost')
  assert.deepEqual(series, ['a', 'b', 'c'])
  assert.deepEqual(bars[5]?.parts, [
    { series: 0, name: 'a', from: 0, to: 1 },
    { series: 1, name: 'b', from: 1, to: 1.5 },
  ])
  assert.deepEqual([bars[6]?.parts, bars[6]?.rows.length, bars[0]?.rows.length], [[], 1, 0])
  assert.deepEqual([ticks, top], [[0, 0.5, 1, 1.5], 1.5])
  const tokens = chartOf(rows, stretches, 'tokens')
  assert.deepEqual([tokens.bars[5]?.total, tokens.bars[6]?.total], [232, 116])
})

test('beyond six models the least are shown together', () => {
  const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((model, index) => row(TODAY, model, 8 - index))
  const { series, bars } = chartOf(rows, dayRanges(rows, 7, TODAY), 'cost')
  assert.deepEqual(series, ['a', 'b', 'c', 'd', 'e', OTHERS])
  assert.deepEqual(bars.at(-1)?.parts.at(-1), { series: 5, name: OTHERS, from: 30, to: 36 })
})

test('ticks are round, begin at zero, and reach the highest bar', () => {
  for (const [most, ticks] of [
    [0, [0, 1]],
    [1, [0, 0.5, 1]],
    [0.0034, [0, 0.001, 0.002, 0.003, 0.004]],
    [7, [0, 2, 4, 6, 8]],
    [40, [0, 10, 20, 30, 40]],
    [41, [0, 20, 40, 60]],
    [123_456, [0, 50_000, 100_000, 150_000]],
  ] as const)
    assert.deepEqual(ticksUpTo(most), ticks, String(most))
  for (let most = 0.0001; most < 1e7; most *= 1.7) {
    const ticks = ticksUpTo(most)
    assert.ok((ticks.at(-1) ?? 0) >= most * 0.999 && ticks.length >= 3 && ticks.length <= 6, `${most}: ${ticks}`)
  }
})

test('a bar says what it holds', () => {
  const rows = [row(TODAY, 'a', 0.25), row(TODAY, 'b', null)]
  assert.equal(barWords({ label: 'Mar 2', rows }), 'Mar 2: at least $0.25, 232 tokens. a $0.25, 116 tokens; b –, 116 tokens')
  assert.equal(barWords({ label: 'Mar 1', rows: [] }), 'Mar 1: nothing was used')
})
