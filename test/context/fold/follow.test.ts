import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { followNeed, type NeedRequest } from '../../../src/context/window/follow.ts'
import type { FollowState } from '../../../src/model/receipt.ts'
import { tries } from '../../support/tries.ts'

const state = (beyond: readonly number[], times = 1): FollowState => ({ times, beyond, through: 100 })
const needing = (many: number, of = 10): readonly number[] => Array.from({ length: of }, (_, index) => (index < many ? 2 : 0))

const after = (given: Partial<NeedRequest>): FollowState =>
  followNeed({ last: undefined, replies: [], isDrop: true, high: 1000, limit: 10_000, balance: 10_000, ...given })

test('a window has its plain size at first, and remembers what each reply needed', () => {
  assert.deepEqual(after({ isDrop: false }), { times: 1, beyond: [], through: 0 })
  const replies = [
    { seq: 4, beyond: 0 },
    { seq: 9, beyond: 3 },
  ]
  assert.deepEqual(after({ isDrop: false, replies }), { times: 1, beyond: [0, 3], through: 9 })
})

test('a reply is counted once, and at most twenty are remembered', () => {
  const last: FollowState = { times: 1, beyond: Array(19).fill(0), through: 9 }
  const replies = [9, 12, 15].map(seq => ({ seq, beyond: seq }))
  const { beyond, through } = after({ last, replies, isDrop: false })
  assert.equal(beyond.length, 20)
  assert.deepEqual(beyond.slice(-3), [0, 12, 15])
  assert.equal(through, 15)
})

test('it grows by half at a drop if more than three of the last ten replies needed more', () => {
  assert.deepEqual(after({ last: state(needing(4)) }), { times: 1.5, beyond: needing(4), through: 100, reason: 'grown' })
  assert.equal(after({ last: state(needing(3)) }).times, 1)
  assert.equal(after({ last: state(needing(3)) }).reason, undefined)
  // Those before the last ten do not count.
  assert.equal(after({ last: state([1, 1, 1, 1, ...needing(3)]) }).times, 1)
  // With the one that has come since, they are four.
  assert.equal(after({ last: state(needing(3, 9)), replies: [{ seq: 101, beyond: 1 }] }).times, 1.5)
})

test('between drops its size stays, whatever replies need', () => {
  const last = { ...state(needing(10), 1.5), reason: 'grown' as const }
  assert.deepEqual(after({ last, isDrop: false }), state(needing(10), 1.5))
})

test('it grows up to the limit and says so when it is there', () => {
  assert.deepEqual(after({ last: state(needing(4), 1.5), limit: 2000 }), { ...state(needing(4), 2), reason: 'grown' })
  assert.deepEqual(after({ last: state(needing(4), 2), limit: 2000 }), { ...state(needing(4), 2), reason: 'limit' })
  // A limit that has become smaller takes nothing away.
  assert.deepEqual(after({ last: state(needing(4), 2), limit: 1500 }), { ...state(needing(4), 2), reason: 'limit' })
})

test('it grows only as far as the balance pays, and says so when that is too little', () => {
  assert.equal(after({ last: state(needing(4)), balance: 500 }).times, 1.5)
  assert.deepEqual(after({ last: state(needing(4)), balance: 499 }), { ...state(needing(4)), reason: 'balance' })
  assert.equal(after({ last: state(needing(4)), balance: undefined }).reason, 'balance')
})

test('it shrinks by a quarter at a drop when none of the last twenty replies needed more', () => {
  assert.deepEqual(after({ last: state(needing(0, 20), 2) }), { ...state(needing(0, 20), 1.5), reason: 'shrunk' })
  assert.equal(after({ last: state(needing(0, 19), 2) }).times, 2)
  assert.equal(after({ last: state(needing(1, 20), 2) }).times, 2)
  assert.equal(after({ last: state(needing(0, 20), 2), isDrop: false }).times, 2)
})

test('it never shrinks below its plain size', () => {
  assert.deepEqual(after({ last: state(needing(0, 20), 1.2) }), { ...state(needing(0, 20), 1), reason: 'shrunk' })
  assert.deepEqual(after({ last: state(needing(0, 20), 1) }), state(needing(0, 20), 1))
})

test('its size is never below one and never grows past the limit', () => {
  const step = fc.record({
    beyond: fc.constantFrom(0, 0, 1),
    isDrop: fc.boolean(),
    high: fc.integer({ min: 1, max: 5000 }),
    room: fc.nat({ max: 20_000 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), steps => {
      let last: FollowState | undefined
      for (const [index, { beyond, isDrop, high, room }] of steps.entries()) {
        const before = last?.times ?? 1
        last = after({ last, replies: [{ seq: index + 1, beyond }], isDrop, high, limit: high + room, balance: 1e9 })
        assert.ok(last.times >= 1)
        assert.ok(last.times <= before || last.times * high <= high + room + 1e-6)
        assert.ok(isDrop || last.times === before)
        assert.ok(last.beyond.length <= 20)
      }
    }),
    tries(1000),
  )
})
