import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type SeenReceipt, type ShownBefore, seenIn, unseenIn, windowChange } from '../../src/context/receipt/seen.ts'
import type { InLine, InReason, OutLine, OutReason, WindowState } from '../../src/model/receipt.ts'
import { tries } from '../support/tries.ts'

const shown = (reason: InReason, count?: number): InLine => ({
  ...{ kind: 'message', tokens: 10, reason, hash: 'h' },
  ...(count === undefined ? {} : { count }),
})
const left = (reason: OutReason, count: number): OutLine => ({ from: 1, to: 9, count, reason })

test('what a receipt counted holds; an older one is counted from its lines', () => {
  const lines: SeenReceipt = {
    in: [
      shown('system.agent'),
      shown('head.first', 2),
      shown('note.omitted'),
      shown('recent.window', 4),
      shown('current.message', 1),
    ],
    out: [
      left('out.window', 11),
      left('out.budget', 2),
      left('out.excluded', 3),
      left('out.other-voice', 5),
      left('out.thinking', 1),
    ],
  }
  assert.deepEqual(seenIn({ ...lines, seen: { messages: 506, of: 20_000 } }), { messages: 506, of: 20_000 })
  assert.deepEqual(seenIn(lines), { messages: 7, of: 20 })
  assert.equal(unseenIn(lines), 13)
  assert.deepEqual(seenIn({ in: [shown('current.message', 1)], out: [] }), { messages: 1, of: 1 })
})

test('a pin or an excerpt is seen, a summary, a quote and the running turn are not', () => {
  const in_ = [
    shown('pin.person', 1),
    shown('recent.excerpt', 2),
    shown('summary.folded', 1),
    shown('recall.match', 3),
    shown('reference.last-round', 2),
    shown('current.cycle', 1),
  ]
  assert.deepEqual(seenIn({ in: in_, out: [left('out.folded', 9), left('out.store-unavailable', 4)] }), {
    messages: 3,
    of: 16,
    folded: 9,
  })
})

const receipt = (window: Partial<WindowState>, messages: number, of: number): ShownBefore => ({
  window: { begins: 1, ...window },
  seen: { messages, of },
  in: [],
  out: [],
})

test('the first request that leaves something out is news, the ones after it are not', () => {
  assert.equal(windowChange(receipt({}, 12, 12), receipt({}, 10, 10)).dropped, 0)
  assert.equal(windowChange(receipt({}, 6, 14), receipt({}, 12, 12)).dropped, 8)
  assert.equal(windowChange(receipt({}, 8, 16), receipt({}, 6, 14)).dropped, 0)
  assert.equal(windowChange(receipt({}, 506, 20_000), null).dropped, 19_494, 'a voice that was never asked, in a long import')
})

test('excerpts, pins that do not fit and a cut turn are news when they come, not while they stay', () => {
  const none = receipt({}, 4, 4)
  const now = receipt(
    {
      excerpts: [{ seq: 1, tokens: 400 }],
      unpinned: [3, 5],
      hidden: [{ from: 8, through: 40, steps: 12 }],
      thoughtless: 40,
      results: [{ seq: 44, tokens: 900 }],
    },
    4,
    4,
  )
  assert.deepEqual(windowChange(now, none), { dropped: 0, excerpts: 1, unpinned: 2, steps: 12, results: 1 })
  assert.deepEqual(windowChange(now, now), { dropped: 0, excerpts: 0, unpinned: 0, steps: 0, results: 0 })
  const smaller = receipt({ ...now.window, excerpts: [{ seq: 1, tokens: 200 }], unpinned: [3] }, 4, 4)
  assert.deepEqual(windowChange(smaller, now), { dropped: 0, excerpts: 1, unpinned: 0, steps: 0, results: 0 })
})

test('nothing is news twice, and what was never said is never negative', () => {
  const count = fc.nat(30)
  const windows = fc.record({
    begins: fc.option(fc.nat(50), { nil: null }),
    excerpts: fc.array(fc.record({ seq: fc.nat(50), tokens: fc.nat(900) }), { maxLength: 4 }),
    unpinned: fc.uniqueArray(fc.nat(50), { maxLength: 4 }),
  })
  const receipts = fc.tuple(windows, count, count).map(([window, messages, more]) => receipt(window, messages, messages + more))
  fc.assert(
    fc.property(receipts, fc.option(receipts, { nil: null }), (now, before) => {
      const change = windowChange(now, before)
      assert.ok(Object.values(change).every(each => each >= 0))
      assert.deepEqual(windowChange(now, now), { dropped: 0, excerpts: 0, unpinned: 0, steps: 0, results: 0 })
      assert.equal(change.dropped > 0, unseenIn(now) > 0 && (before === null || unseenIn(before) === 0))
    }),
    tries(100),
  )
})
