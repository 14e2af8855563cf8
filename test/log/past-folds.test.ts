// A past brings the folds that a context may use, and its gaps begin and end where they do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Log, PastQuery } from '../../src/log/ports.ts'
import type { Fact } from '../../src/model/event.ts'
import { tries } from '../support/tries.ts'
import { onEveryStore } from './contract/stores.ts'
import { eventsOf, exchange, heard, must, planned, seqsOf, session, sessionOf, turn } from './facts.ts'

const RAIN = session('rain')

const folded = (from: number, to: number, given: Partial<Extract<Fact, { type: 'history.folded' }>> = {}): Fact => ({
  ...{ type: 'history.folded', from, to, text: 'They met.', by: 'extract' },
  ...given,
})
/** Exchanges at 1–5, 6–10 and so on. */
const talk = (exchanges: number): readonly Fact[] =>
  Array.from({ length: exchanges }, (_, index) => exchange(index * 5 + 1, turn(String(index)), 'Rain?', 'Yes.')).flat()
const showing = (...folds: readonly number[]): Fact =>
  planned(turn('0'), 1, { policy: 'steady@1', window: { begins: 16, folds } })
const LAST = { voice: 'assistant', policy: 'steady@1', before: 99, orTokens: 1 }

onEveryStore('folds of a past', (_, opened) => {
  test('gaps are split where a fold begins and ends, each with its own numbers', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [...talk(5), folded(6, 15), folded(16, 20, { voice: 'ada' })]))
    const gapsOf = async (query: PastQuery) =>
      must(await log.past(RAIN, query)).gaps.map(({ from, to, messages, hearable }) => [from, to, messages, hearable])
    const from = { seq: 21 }
    assert.deepEqual(await gapsOf({ from }), [[1, 20, 8, undefined]], 'unless folds are asked for')
    const [voice, folds] = ['assistant', true as const]
    assert.deepEqual(await gapsOf({ from, folds }), [
      [1, 5, 2, undefined],
      [6, 15, 4, undefined],
      [16, 20, 2, undefined],
    ])
    assert.deepEqual(await gapsOf({ from: { seq: 18 }, folds, voice, head: { through: 8 } }), [
      [9, 15, 3, 3],
      [16, 17, 1, 1],
    ])
    assert.deepEqual(await gapsOf({ from: { seq: 10 }, folds, voice }), [
      [1, 5, 2, 2],
      [6, 9, 2, 2],
    ])
    assert.deepEqual(await gapsOf({ from, folds, voice, through: 25 }), [[1, 20, 8, 8]], 'folds that came later divide nothing')
    must(await log.append(RAIN, [{ type: 'message.marked', target: 6, mark: 'pin' }]))
    must(await log.append(RAIN, [{ type: 'message.marked', target: 19, mark: 'removed' }]))
    assert.deepEqual(
      await gapsOf({ from, folds, voice }),
      [
        [1, 5, 2, 2],
        [6, 15, 3, 3],
        [16, 20, 2, 1],
      ],
      'what is pinned is read, and what is excluded is not heard',
    )
    assert.deepEqual(await gapsOf({ from: 'start', folds, voice }), [])
  })

  test('all folds are there, also those inside gaps, and read by themselves', async t => {
    const { log } = await opened(t, RAIN)
    must(
      await log.append(RAIN, [
        ...talk(3),
        folded(1, 5),
        ...talk(2),
        folded(1, 10, { by: 'model', turn: turn('f'), left: ['No.'] }),
      ]),
    )
    const { folds, events } = must(await log.past(RAIN, { from: { seq: 20 }, folds: true }))
    const all = await eventsOf(log, RAIN)
    assert.deepEqual(folds, [all[15], all[26]])
    assert.ok(!seqsOf(events).includes(16), 'not among the events of a gap')
    assert.deepEqual(must(await log.past(RAIN, { from: { seq: 20 }, folds: true, through: 26 })).folds, [all[15]])
    assert.deepEqual(must(await log.past(RAIN, { from: { seq: 20 } })).folds, [])
    assert.deepEqual(seqsOf(must(await log.read(RAIN, { only: 'history.folded' }))), [16, 27])
    assert.deepEqual(seqsOf(must(await log.read(RAIN, { only: 'history.folded', newest: true, limit: 1 }))), [27])
    assert.deepEqual(seqsOf(must(await log.read(RAIN, { only: 'history.folded', through: 26 }))), [16])
  })

  test('where a last request is asked about, replaced folds are left out, unless they may still be shown', async t => {
    const { log } = await opened(t, RAIN)
    const coarse = folded(1, 15)
    // Folds at 21 to 24; the one at 24 stands for the first three.
    must(await log.append(RAIN, [...talk(4), folded(1, 5), folded(6, 10), folded(11, 15), coarse]))
    const foldsOf = async (query: PastQuery) => seqsOf(must(await log.past(RAIN, { folds: true, ...query })).folds)
    assert.deepEqual(await foldsOf({ from: LAST }), [24])
    assert.deepEqual(await foldsOf({ from: LAST, through: 23 }), [21, 22, 23], 'as it was then')
    assert.deepEqual(await foldsOf({ from: { seq: 16 } }), [21, 22, 23, 24])
    for (const from of [{ seq: 16 }, LAST]) {
      assert.deepEqual(await foldsOf({ from, folds: { shown: [23] } }), [23, 24], 'as it is said')
      assert.deepEqual(await foldsOf({ from, folds: { shown: [] } }), [24])
    }
    must(await log.append(RAIN, [showing(22, 23)]))
    assert.deepEqual(await foldsOf({ from: LAST }), [22, 23, 24])
    assert.deepEqual(await foldsOf({ from: { seq: 16 }, request: LAST }), [22, 23, 24])
    must(await log.append(RAIN, [folded(6, 10, { replaces: 22, text: '' })]))
    assert.deepEqual(await foldsOf({ from: LAST }), [22, 23, 24, 26], 'a removal is read, too')
    must(await log.append(RAIN, [showing(24)]))
    assert.deepEqual(await foldsOf({ from: LAST }), [24, 26])
  })

  test('a fork has the folds that were made by then, and none reaches beyond it', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [...talk(2), folded(1, 5), ...talk(1), folded(6, 16), folded(1, 10, { replaces: 11 })]))
    const copy = session('copy')
    const fork = (at: number) => log.fork(RAIN, at, sessionOf(copy, { parent: { session: RAIN, at }, family: RAIN }), () => [])
    for (const [at, expected] of [
      [10, []],
      [11, [11]],
      [16, [11]],
      [17, [11, 17]],
      [18, [17, 18]],
    ] as const) {
      must(await fork(at))
      const { folds, gaps } = must(await log.past(copy, { from: { seq: at }, request: LAST, folds: true }))
      assert.deepEqual(seqsOf(folds), expected, `at ${at}`)
      assert.ok(folds.every(fold => fold.session === copy && fold.to < fold.seq && fold.seq <= at))
      assert.ok(
        gaps.every(gap => folds.every(({ from, to }) => gap.to < from || gap.from > to || (gap.from >= from && gap.to <= to))),
      )
      must(await log.append(copy, [folded(1, 5)]))
      assert.deepEqual(seqsOf(must(await log.past(RAIN, { from: { seq: 18 }, folds: true })).folds), [11, 17, 18])
      must(await log.remove(copy))
    }
  })

  test('for any folds, the pieces of a gap are the whole gap, and none crosses the edge of a fold', async t => {
    const { log } = await opened(t)
    const range = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(15)).map(([from, length]) => ({ from, to: from + length }))
    const query = fc.record(
      {
        from: fc.integer({ min: 1, max: 50 }).map(seq => ({ seq })),
        voice: fc.constant('assistant'),
        head: fc.nat(12).map(through => ({ through })),
        through: fc.integer({ min: 10, max: 60 }),
      },
      { requiredKeys: ['from'] },
    )
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(range, { maxLength: 8 }),
        fc.array(fc.nat(7), { maxLength: 3 }),
        query,
        async (ranges, pins, asked) => {
          const id = session(`any${++run}`)
          must(await log.open(sessionOf(id)))
          const marks = pins.map(
            (place, index): Fact => ({ type: 'message.marked', target: place * 5 + 1, mark: index === 1 ? 'exclude' : 'pin' }),
          )
          must(await log.append(id, [...talk(8), ...ranges.map(({ from, to }) => folded(from, to)), ...marks, heard('And now?')]))
          await assertPieces(log, id, asked)
        },
      ),
      tries(60),
    )
  })
})

async function assertPieces(log: Log, id: ReturnType<typeof session>, asked: PastQuery): Promise<void> {
  const whole = must(await log.past(id, asked))
  const { gaps, folds, ...rest } = must(await log.past(id, { ...asked, folds: true }))
  const {
    gaps: [gap],
    folds: _,
    ...same
  } = whole
  assert.deepEqual(rest, same, 'nothing else changes')
  const sum = (of: 'messages' | 'hearable'): number => gaps.reduce((all, each) => all + (each[of] ?? 0), 0)
  assert.deepEqual(
    [gaps[0]?.from, gaps.at(-1)?.to, sum('messages'), sum('hearable')],
    [gap?.from, gap?.to, gap?.messages ?? 0, gap?.hearable ?? 0],
  )
  for (const [place, { from, to }] of gaps.entries()) {
    assert.ok(from <= to && (place === 0 || gaps[place - 1]?.to === from - 1))
    for (const fold of folds) assert.ok(to < fold.from || from > fold.to || (from >= fold.from && to <= fold.to))
    // Each piece is what a past gives that has only this gap.
    const alone = must(await log.past(id, { ...asked, from: { seq: to + 1 }, head: { through: from - 1 } })).gaps
    assert.deepEqual(gaps[place], alone[0])
  }
  const edges = new Set(
    folds.flatMap(({ from, to }) => [from, to + 1]).filter(edge => edge > (gap?.from ?? 0) && edge <= (gap?.to ?? 0)),
  )
  assert.equal(gaps.length, gap === undefined ? 0 : edges.size + 1, 'no more pieces than that')
}
