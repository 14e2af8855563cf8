import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presets } from '../../../src/context/presets.ts'
import { fault } from '../../../src/model/fault.ts'
import type { ReceiptDraft } from '../../../src/model/receipt.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { smallerRequest } from '../../../src/turn/step/retry-smaller.ts'

const TOO_LONG = fault('too-long', 'prompt is too long')

const receipt: Pick<ReceiptDraft, 'in' | 'tokens'> = {
  in: [{ kind: 'message', reason: 'recent.window', tokens: 900, hash: 'h', from: 1, to: 8, count: 8 }],
  tokens: { estimated: 1001, reported: null, cached: null, factor: 1, limit: 4000, reserved: 500 },
}

const secondTry = (policy: Policy): Pick<Policy, 'window' | 'budget'> | undefined => {
  const { window, budget } = smallerRequest(receipt, policy, TOO_LONG)?.policy ?? policy
  return { window, budget }
}

test('after a request that was too long, the second try may have half of its tokens, whatever the window', () => {
  for (const policy of Object.values(presets)) assert.equal(secondTry(policy)?.budget.tokens, 500, policy.name)
  assert.equal(secondTry({ ...presets.full, budget: { tokens: 4000, reserve: 100 } })?.budget.reserve, 100, 'the reply stays')
})

test('a window that grows is told to drop to half of that again; the others stay as they are', () => {
  assert.deepEqual(secondTry(presets.steady)?.window, { kind: 'tokens', high: 500, low: 250 })
  const window = { kind: 'tokens', high: 300, low: 100 } as const
  assert.deepEqual(secondTry({ ...presets.steady, window })?.window, window, 'one that is smaller already is not made larger')
  for (const { name, window: own } of [presets.recent, presets['head-tail'], presets.full])
    assert.deepEqual(secondTry({ ...presets[name as 'full'], window: own })?.window, own)
})

test('without a past there is nothing to halve', () => {
  const alone = { ...receipt, in: [{ kind: 'current', reason: 'current.message', tokens: 900, hash: 'h' }] } as const
  assert.equal(smallerRequest(alone, presets.steady, TOO_LONG), undefined)
})
