import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { coarserDue, type DueRequest, foldAsked, foldDue, foldedUntil, foldTokens } from '../../../src/context/fold/fold-range.ts'
import type { FoldEvent } from '../../../src/context/fold/folds-that-count.ts'
import type { Beat } from '../../../src/context/stages/draft.ts'
import { beginsTurn, unitSeq } from '../../../src/context/window/units.ts'
import type { Unit } from '../../../src/context/window/window-kind.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import { tries } from '../../support/tries.ts'

/** A message of so many tokens, of which four are for what is around it. */
function unit(kind: 'heard' | 'said', seq: number, tokens: number): Unit {
  const message = `${kind} ${seq}`
  const beat: Beat =
    kind === 'heard'
      ? { kind, message, seq, text: 'words', attachments: [], tokens: tokens - 4 }
      : {
          kind,
          message,
          seq,
          to: seq,
          turn: `trn_${seq}` as TurnId,
          voice: 'assistant',
          parts: [],
          answers: [],
          tokens: tokens - 4,
        }
  return { key: message, beats: [beat] }
}

/** Exchanges of 200 tokens each, at seqs 1 and 4, 11 and 14, and so on. */
const exchanges = (many: number): readonly Unit[] =>
  Array.from({ length: many }, (_, index) => [unit('heard', index * 10 + 1, 50), unit('said', index * 10 + 4, 150)]).flat()

const fold = (given: Partial<FoldEvent> & Pick<FoldEvent, 'from' | 'to'>): FoldEvent => ({
  type: 'history.folded',
  session: 'ses_1' as SessionId,
  at: '2026-01-01T12:00:00.000Z',
  seq: 1000 + given.from,
  tokens: 100,
  text: 'What happened.',
  by: 'model',
  ...given,
})

const request = (given: Partial<DueRequest> = {}): DueRequest => ({
  units: exchanges(10),
  last: { begins: null },
  bounds: { high: 2000, low: 650 },
  room: 3000,
  before: 0,
  factor: 1,
  setting: { tokens: 'auto' },
  folds: [],
  ...given,
})

const rangeOf = (given: Partial<DueRequest> = {}): readonly number[] | undefined => {
  const due = foldDue(request(given))
  return due === undefined ? undefined : [due.from, due.to]
}

test('a fold is due once the window has passed four fifths of its high, and reaches to where the rest is low', () => {
  assert.equal(rangeOf({ units: exchanges(8) }), undefined)
  assert.deepEqual(rangeOf({ units: exchanges(9) }), [1, 60])
  assert.deepEqual(rangeOf({ units: exchanges(10) }), [1, 70])
  // What is before the window counts, too.
  assert.deepEqual(rangeOf({ units: exchanges(8), before: 100 }), [1, 60])
  assert.deepEqual(rangeOf({ units: exchanges(8), factor: 1.2 }), [1, 60])
})

test('it begins where the window begins', () => {
  assert.equal(rangeOf({ units: exchanges(12), last: { begins: 51 } }), undefined)
  assert.deepEqual(rangeOf({ units: exchanges(14), last: { begins: 51 } }), [51, 110])
})

test('messages that are shown in part count as far as they are shown', () => {
  const units = [unit('heard', 1, 4000), unit('said', 4, 50), ...exchanges(9).slice(2)]
  assert.deepEqual(rangeOf({ units }), [1, 60])
  assert.equal(rangeOf({ units: units.slice(0, 16), last: { begins: 1, excerpts: [{ seq: 1, tokens: 100 }] } }), undefined)
})

test('the last exchange is never folded, and a stretch is always whole turns', () => {
  const [last] = exchanges(1)
  assert.ok(last !== undefined)
  const units = [...exchanges(2), unit('heard', 21, 3000), unit('said', 24, 3000)]
  assert.deepEqual(rangeOf({ units }), [1, 20])
  assert.equal(rangeOf({ units: [unit('heard', 1, 3000), unit('said', 4, 3000)] }), undefined)
  // Two messages of a person in a row begin one turn.
  const double = [
    unit('heard', 1, 900),
    unit('said', 4, 800),
    unit('heard', 11, 100),
    unit('heard', 12, 100),
    unit('said', 14, 300),
  ]
  assert.deepEqual(rangeOf({ units: double }), [1, 10])
})

test('what is folded already is not folded again; a new fold goes on right behind it', () => {
  assert.equal(rangeOf({ units: exchanges(10), folds: [fold({ from: 1, to: 70 })] }), undefined)
  assert.deepEqual(rangeOf({ units: exchanges(20), folds: [fold({ from: 1, to: 70 })] }), [71, 170])
  // A fold behind a hole does not help.
  assert.deepEqual(rangeOf({ units: exchanges(10), folds: [fold({ from: 11, to: 70 })] }), [1, 70])
  assert.equal(foldedUntil([fold({ from: 21, to: 40 }), fold({ from: 1, to: 20 })], 5), 41)
  assert.equal(foldedUntil([fold({ from: 22, to: 40 }), fold({ from: 1, to: 20 })], 5), 21)
  assert.equal(foldedUntil([], 5), 5)
})

test('no fold is due that would be as long as what it stands for, or too short to say anything', () => {
  assert.equal(rangeOf({ room: 600 }), undefined)
  assert.deepEqual(rangeOf({ room: 700 }), [1, 70])
  assert.equal(rangeOf({ bounds: { high: 240, low: 80 }, units: exchanges(2), room: 6000 }), undefined)
})

test('a fold has a tenth of its stretch, at least 200 tokens, at most a third of 15 % of the room', () => {
  assert.equal(foldTokens({ tokens: 'auto' }, 5000, 100_000), 500)
  assert.equal(foldTokens({ tokens: 'auto' }, 900, 100_000), 200)
  assert.equal(foldTokens({ tokens: 'auto' }, 90_000, 100_000), 5000)
  assert.equal(foldTokens({ tokens: 'auto' }, 900, 2000), 100)
  assert.equal(foldTokens({ tokens: 700 }, 900, 100_000), 700)
  assert.equal(foldTokens({ tokens: 700 }, 900, 2000), 300)
})

test('what a person asks for is whole turns around the seqs that are named, without the last exchange', () => {
  const asked = (from: number, to: number): readonly number[] | undefined => {
    const found = foldAsked({ units: exchanges(5), from, to, room: 3000, factor: 1, setting: { tokens: 'auto' } })
    return found === undefined ? undefined : [found.from, found.to]
  }
  assert.deepEqual(asked(1, 40), [1, 40])
  assert.deepEqual(asked(1, 400), [1, 40])
  assert.deepEqual(asked(14, 25), [11, 30])
  assert.deepEqual(asked(0, 1), [1, 10])
  assert.equal(asked(41, 50), undefined)
  assert.equal(asked(60, 90), undefined)
})

test('folds that take more than 12 % of the room become one: the oldest, up to half of what all take', () => {
  const folds = [1, 21, 41, 61].map(from => fold({ from, to: from + 19, tokens: 400 }))
  assert.equal(coarserDue(folds, { tokens: 'auto' }, 14_000), undefined)
  assert.deepEqual(coarserDue(folds, { tokens: 'auto' }, 13_000), { from: 1, to: 40, replaces: 1001, tokens: 400 })
  // One large fold at first: still two.
  const [, ...others] = folds
  assert.deepEqual(coarserDue([fold({ from: 1, to: 20, tokens: 2000 }), ...others], { tokens: 'auto' }, 13_000), {
    from: 1,
    to: 40,
    replaces: 1001,
    tokens: 650,
  })
  assert.equal(coarserDue([fold({ from: 1, to: 20, tokens: 5000 })], { tokens: 'auto' }, 13_000), undefined)
})

test('what a person wrote is not folded into another', () => {
  const folds = [1, 21, 41, 61].map(from => fold({ from, to: from + 19, tokens: 900 }))
  const byPerson = (...places: readonly number[]): readonly FoldEvent[] =>
    folds.map((each, index) => (places.includes(index) ? { ...each, by: 'person' } : each))
  assert.equal(coarserDue(byPerson(0), { tokens: 'auto' }, 13_000)?.from, 21)
  assert.equal(coarserDue(byPerson(1), { tokens: 'auto' }, 13_000)?.from, 41)
  assert.equal(coarserDue(byPerson(1, 3), { tokens: 'auto' }, 13_000), undefined)
})

test('whatever the messages, a due fold is whole turns from the window on, and what is left is low or the last exchange', () => {
  const some = fc.array(fc.tuple(fc.constantFrom('heard' as const, 'said' as const), fc.integer({ min: 5, max: 900 })), {
    minLength: 1,
    maxLength: 40,
  })
  fc.assert(
    fc.property(some, fc.nat({ max: 40 }), fc.integer({ min: 300, max: 5000 }), (list, begins, high) => {
      const units = list.map(([kind, tokens], index) => unit(kind, index + 1, tokens))
      const low = Math.floor(high / 3)
      const due = foldDue(
        request({ units, last: { begins: begins === 0 ? null : begins }, bounds: { high, low }, room: 100_000 }),
      )
      if (due === undefined) return
      const end = units.findIndex(each => unitSeq(each) === due.to + 1)
      assert.ok(end > 0 && beginsTurn(units, end))
      assert.equal(due.from, unitSeq(due.units[0] as Unit))
      assert.ok(due.from >= begins || begins === 0)
      const rest = list.slice(end).reduce((sum, [, tokens]) => sum + tokens, 0)
      const isLast = !units
        .slice(end + 1)
        .some((each, index) => each.beats[0]?.kind === 'heard' && beginsTurn(units, end + 1 + index))
      assert.ok(rest <= low || isLast, `${rest} of ${low}`)
    }),
    tries(1000),
  )
})
