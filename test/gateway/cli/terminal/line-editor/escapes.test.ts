import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapesIn } from '../../../../support/terminal/escapes.ts'

test('every escape sequence is found, whichever way it is written', () => {
  const bytes = 'a\x1b[2J\x9b31m\x1b]0;title\x07b\x9d52;c;x\x9c\x1bPq\x1b\\\x1b_x\x1b\\\x1bc\x1b(0\x1b]8;;never ended'
  assert.deepEqual(
    escapesIn(bytes).map(({ kind, body }) => `${kind} ${body}`),
    ['CSI 2J', 'CSI 31m', 'OSC 0;title', 'OSC 52;c;x', 'DCS q', 'APC x', 'ESC c', 'ESC (0', 'OSC 8;;never ended'],
  )
  assert.deepEqual(escapesIn('␛[2J harmless U+009B'), [])
})
