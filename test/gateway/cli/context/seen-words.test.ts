import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainReceipt } from '../../../../src/context/receipt/explain.ts'
import { summaryPage, whyPage } from '../../../../src/gateway/cli/context/receipt-page.ts'
import { inkFor } from '../../../../src/gateway/cli/output/ink.ts'
import { partWords, seenWords } from '../../../../src/gateway/cli/output/seen-words.ts'
import type { Receipt, WindowState } from '../../../../src/model/receipt.ts'
import { RECEIPT } from '../../../web/signals.ts'

const FULL: WindowState = {
  begins: 900,
  excerpts: [{ seq: 901, tokens: 400 }],
  unpinned: [3, 7],
  hidden: [{ from: 8, through: 40, steps: 12 }],
  results: Array.from({ length: 10 }, (_, index) => ({ seq: 41 + index, tokens: 90 })),
}
const receipt: Receipt = { ...RECEIPT, window: FULL, seen: { messages: 506, of: 20_000 } }
const ink = inkFor({ isTTY: false } as NodeJS.WriteStream, {})
const context = { receipt, request: null, verified: null, outline: [] }

test('how much a model saw is said in words, and what came in part beside it', () => {
  assert.equal(seenWords(receipt), 'saw 506 of 20,000 messages')
  assert.equal(seenWords({ ...receipt, seen: { messages: 12, of: 12 } }), 'saw all 12 messages')
  assert.equal(seenWords({ ...receipt, seen: { messages: 1, of: 1 } }), 'saw the one message')
  assert.equal(seenWords(RECEIPT), 'saw the one message')
  assert.deepEqual(partWords(RECEIPT), [])
  assert.deepEqual(partWords(receipt), [
    'sent in part: 1 long message, seq 901',
    'pinned, but did not fit: 2 messages, seq 3, 7',
    'not sent: 12 steps of long turns',
    'sent in part: 10 tool results, seq 41, 42, 43, 44, 45, 46, 47, 48 and 2 more',
  ])
})

test('both pages of a receipt say it, and so does a receipt read aloud', () => {
  for (const page of [summaryPage, whyPage]) {
    const lines = page({ title: 'What was sent', context, ink })
    const at = lines.indexOf('  saw 506 of 20,000 messages')
    assert.ok(at > 0, lines.join('\n'))
    assert.equal(lines[at + 2], '  pinned, but did not fit: 2 messages, seq 3, 7')
  }
  const aloud = explainReceipt({ ...receipt, window: { ...FULL, results: [] } })
  assert.deepEqual(aloud.slice(1, 5), [
    '  saw 506 of 20000 messages',
    '  in part: 901 (at most 400 tokens)',
    '  pinned, but did not fit: 3, 7',
    '  not shown: 12 steps of a turn, 8–40',
  ])
  assert.doesNotMatch(explainReceipt(RECEIPT).join('\n'), /saw|in part|not shown/)
})
