import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presenceAmong, presenceIn, type Subject } from '../../src/context/receipt/presence.ts'
import type { TurnId } from '../../src/model/ids.ts'
import type { PlanItem } from '../../src/model/plan.ts'
import type { InLine, Receipt } from '../../src/model/receipt.ts'
import { RECEIPT } from '../web/signals.ts'

const line = (reason: InLine['reason'], from: number, to: number, kind: InLine['kind'] = 'message'): InLine => ({
  ...{ kind, from, to, count: 1, tokens: 10, reason, hash: 'h' },
})
const heard = (seq: number): Subject => ({
  ...{ seq, kind: 'heard', key: `heard ${seq}`, message: [seq], isBroken: false, isBlank: false, isQuotable: false, marks: [] },
})
const said = (seq: number, turn: string, message: readonly number[], kind: 'said' | 'result' = 'said'): Subject => ({
  ...{ seq, kind, key: `turn ${turn}`, turn: turn as TurnId, voice: 'assistant', cause: 1, message },
  ...{ isBroken: false, isBlank: false, isQuotable: true, marks: [] },
})

/** Messages 1 and 9 are excerpts, 5 is whole; 3 is an answer of three steps, shown in part. */
const receipt: Receipt = {
  ...RECEIPT,
  through: 30,
  window: {
    begins: 1,
    excerpts: [
      { seq: 1, tokens: 300 },
      { seq: 3, tokens: 300 },
      { seq: 9, tokens: 300 },
    ],
  },
  in: [
    line('recent.excerpt', 1, 7),
    line('recent.window', 5, 8),
    line('recent.excerpt', 9, 9),
    line('current.message', 20, 20, 'current'),
  ],
  inputs: { ...RECEIPT.inputs, cause: 20, turn: 'trn_9' },
}

test('an excerpt is present in part, and what is whole beside it is not', () => {
  assert.deepEqual(presenceIn(receipt, heard(1), 'all'), { in: true, part: true, reason: 'recent.excerpt' })
  assert.deepEqual(presenceIn(receipt, heard(9), 'all'), { in: true, part: true, reason: 'recent.excerpt' })
  assert.deepEqual(presenceIn(receipt, heard(5), 'all'), { in: true, reason: 'recent.window' })
  assert.deepEqual(presenceIn(receipt, heard(20), 'all'), { in: true, reason: 'current.message' })
  assert.deepEqual(presenceIn(receipt, heard(2), 'all'), { in: false, reason: 'out.window' }, 'no excerpt is of this one')
})

test('every step and result of an answer that is shown in part is present in part', () => {
  const message = [3, 5, 7]
  assert.deepEqual(presenceIn(receipt, said(3, 'trn_1', message), 'all'), { in: true, part: true, reason: 'recent.excerpt' })
  assert.deepEqual(presenceIn(receipt, said(6, 'trn_1', message, 'result'), 'all'), {
    in: true,
    part: true,
    reason: 'recent.excerpt',
  })
  const items = [{ kind: 'message', reason: 'recent.excerpt', from: 3, to: 7, keys: ['turn trn_1'] }] as unknown as PlanItem[]
  assert.deepEqual(presenceAmong(items, receipt, said(5, 'trn_1', message)), { in: true, part: true, reason: 'recent.excerpt' })
})

test('of a turn that is cut, hidden steps are out, and results that were shortened are in part', () => {
  const cut: Receipt = {
    ...receipt,
    window: { begins: 20, hidden: [{ from: 22, through: 24, steps: 2 }], results: [{ seq: 26, tokens: 200 }] },
    in: [line('current.message', 20, 20, 'current'), line('current.cycle', 25, 29, 'current')],
  }
  const own = (seq: number, kind: 'said' | 'result'): Subject => said(seq, 'trn_9', [22, 25, 28], kind)
  assert.deepEqual(presenceIn(cut, own(22, 'said'), 'all'), { in: false, reason: 'out.budget' })
  assert.deepEqual(presenceIn(cut, own(26, 'result'), 'all'), { in: true, part: true, reason: 'current.cycle' })
  assert.deepEqual(presenceIn(cut, own(29, 'result'), 'all'), { in: true, reason: 'current.cycle' })
  assert.deepEqual(presenceAmong([], cut, own(23, 'result')), { in: false, reason: 'out.budget' })
})
