import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FoldEvent, foldsThatCount, type MarkEvent, usableFolds } from '../../../src/context/fold/folds-that-count.ts'
import type { Mark } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { tries } from '../../support/tries.ts'

type Given = Partial<Omit<FoldEvent, 'type'>> & Pick<FoldEvent, 'seq' | 'from' | 'to'>

const fold = (given: Given): FoldEvent => ({
  type: 'history.folded',
  session: 'ses_1' as SessionId,
  at: '2026-01-01T12:00:00.000Z',
  tokens: 5,
  text: 'What happened.',
  by: 'extract',
  ...given,
})

const mark = (seq: number, target: number, value: Mark | null): MarkEvent => ({
  type: 'message.marked',
  session: 'ses_1' as SessionId,
  at: '2026-01-01T12:00:00.000Z',
  tokens: 0,
  seq,
  target,
  mark: value,
})

const counting = (folds: readonly FoldEvent[], voice = 'assistant', view: 'all' | 'own' = 'all'): readonly number[] =>
  foldsThatCount(folds, voice, view).map(({ seq }) => seq)

test('folds of different stretches all count, in the order of the stretches', () => {
  assert.deepEqual(counting([fold({ seq: 50, from: 21, to: 40 }), fold({ seq: 60, from: 1, to: 20 })]), [60, 50])
})

test('a later fold replaces the one it names, and all whose stretches are in its own', () => {
  const folds = [fold({ seq: 50, from: 1, to: 20 }), fold({ seq: 60, from: 21, to: 40 }), fold({ seq: 70, from: 41, to: 55 })]
  assert.deepEqual(counting([...folds, fold({ seq: 80, from: 1, to: 40, replaces: 50 })]), [80, 70])
  assert.deepEqual(counting([...folds, fold({ seq: 80, from: 1, to: 19, replaces: 50 })]), [80, 60, 70])
  assert.deepEqual(counting([...folds, fold({ seq: 80, from: 2, to: 20 })]), [50, 80, 60, 70])
})

test('an earlier fold never replaces a later one', () => {
  assert.deepEqual(counting([fold({ seq: 50, from: 1, to: 40 }), fold({ seq: 60, from: 1, to: 20 })]), [60, 50])
})

test('a fold without text removes the one it replaces and does not count itself', () => {
  const folds = [fold({ seq: 50, from: 1, to: 20 }), fold({ seq: 60, from: 21, to: 40 })]
  assert.deepEqual(counting([...folds, fold({ seq: 70, from: 1, to: 20, replaces: 50, text: '' })]), [60])
  // What a removed fold had replaced does not come back.
  const coarser = fold({ seq: 70, from: 1, to: 40, replaces: 50 })
  assert.deepEqual(counting([...folds, coarser, fold({ seq: 80, from: 1, to: 40, replaces: 70, text: '' })]), [])
})

test('with view "own" the folds of the voice count, with view "all" those for everyone; neither replaces the other', () => {
  const folds = [
    fold({ seq: 50, from: 1, to: 20 }),
    fold({ seq: 51, from: 1, to: 20, voice: 'builder' }),
    fold({ seq: 52, from: 1, to: 20, voice: 'critic' }),
  ]
  assert.deepEqual(counting(folds, 'builder', 'own'), [51])
  assert.deepEqual(counting(folds, 'builder', 'all'), [50])
  assert.deepEqual(counting(folds, 'poet', 'own'), [])
})

test('a fold is not usable while a message of its stretch is excluded by a newer mark', () => {
  const folds = [fold({ seq: 50, from: 1, to: 20 }), fold({ seq: 60, from: 21, to: 40 })]
  const usable = (...marks: readonly MarkEvent[]): readonly number[] => usableFolds(folds, marks).map(({ seq }) => seq)
  assert.deepEqual(usable(), [50, 60])
  assert.deepEqual(usable(mark(70, 20, 'exclude')), [60])
  assert.deepEqual(usable(mark(70, 21, 'removed')), [50])
  assert.deepEqual(usable(mark(70, 41, 'exclude')), [50, 60])
  // What was excluded before is not in the text.
  assert.deepEqual(usable(mark(45, 20, 'exclude')), [50, 60])
  assert.deepEqual(usable(mark(70, 20, 'exclude'), mark(71, 20, null)), [50, 60])
  assert.deepEqual(usable(mark(70, 20, 'pin')), [50, 60])
})

test('the folds that count are those that the rule, applied to each pair, leaves', () => {
  const range = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.nat({ max: 8 })).map(([from, more]) => ({ from, to: from + more }))
  const one = fc.record({
    range,
    voice: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    isEmpty: fc.boolean(),
    names: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 14 }), list => {
      const folds = list.map(({ range: { from, to }, voice, isEmpty, names }, index) =>
        fold({
          seq: 100 + index,
          from,
          to,
          text: isEmpty ? '' : 'Words.',
          ...(voice === undefined ? {} : { voice }),
          ...(names % 3 === 0 && index > 0 ? { replaces: 100 + (names % index) } : {}),
        }),
      )
      for (const [voice, view] of [
        ['a', 'own'],
        ['a', 'all'],
      ] as const) {
        const own = folds.filter(each => each.voice === (view === 'all' ? undefined : voice))
        const expected = own.filter(
          each =>
            each.text !== '' &&
            !own.some(
              later => later.seq > each.seq && (later.replaces === each.seq || (later.from <= each.from && later.to >= each.to)),
            ),
        )
        assert.deepEqual(new Set(counting(folds, voice, view)), new Set(expected.map(({ seq }) => seq)))
      }
    }),
    tries(2000),
  )
})

test('a message that was excluded after the words of a fold were read keeps the fold from being shown, also if the fold came last', () => {
  const folds = [fold({ seq: 50, from: 1, to: 20, marksThrough: 45 })]
  assert.deepEqual(usableFolds(folds, [mark(48, 7, 'exclude')]), [])
  assert.deepEqual(usableFolds(folds, [mark(48, 7, 'exclude'), mark(49, 7, null)]), folds)
  assert.deepEqual(usableFolds(folds, [mark(45, 7, 'removed')]), folds)
})
