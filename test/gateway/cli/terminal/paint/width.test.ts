import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitted, signsOf, widthOf } from '../../../../../src/gateway/cli/output/width.ts'

test('a sign is as wide as a terminal draws it', () => {
  const widths: Readonly<Record<string, number>> = {
    ...{ abc: 3, 日本: 4, '👩‍👧': 2, '❤️': 2, '❤': 1, '1️⃣': 2, 'e\u0301': 1, é: 1, '🇩🇪': 2, '👋🏽': 2, 한글: 4, ｱ: 1, '。': 2 },
    ...{ '\u200b': 0, '\u0301': 0, '…': 1, '│': 1, '': 0, ' ': 1, '⌚': 2, '⌚\ufe0e': 1 },
  }
  for (const [text, width] of Object.entries(widths)) assert.equal(widthOf(text), width, text)
  assert.deepEqual(
    signsOf('a👩‍👧e\u0301').map(({ text }) => text),
    ['a', '👩‍👧', 'e\u0301'],
  )
})

test('a text is cut between signs', () => {
  assert.deepEqual(
    [fitted('short', 5), fitted('longer', 5), fitted('日本語です', 6), fitted('ab', 0)],
    ['short', 'long…', '日本…', ''],
  )
})
