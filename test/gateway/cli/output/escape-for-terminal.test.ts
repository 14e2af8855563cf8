import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createTerminalEscaper,
  escapeForTerminal,
  escapeToOneLine,
  jsonForTerminal,
} from '../../../../src/gateway/cli/output/escape-for-terminal.ts'
import { tries } from '../../../support/tries.ts'

/** Text as an attacker would write it: mostly sequences and their pieces. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...[
          '\x1b',
          '\x9b',
          '\x1b[2J',
          '\x1b]52;c;aGk=\x07',
          '\x1b]8;;http://x\x1b\\',
          '\x1bP1;2|\x9c',
          '\x90',
          '\x9d0;t\x9c',
          '\r',
        ],
        ...[
          '\r\n',
          '\n',
          '\x7f',
          '\x00',
          '\x08',
          '\u202e',
          '\u2066',
          '\u200b',
          '\u200d',
          '\u200c',
          '\ufe0f',
          '\ud83d',
          '\ude00',
          '👩‍👧',
          '1️⃣',
          'می‌خواهم',
        ],
        ...['\u{e0041}', '\u{e0100}', '葛\u{e0100}', 'plain words'],
      ),
    ),
  )
  .map(pieces => pieces.join(''))

const inPieces = (text: string, cuts: readonly number[]): string => {
  const places = [...new Set(cuts.map(cut => cut % (text.length + 1)))].sort((a, b) => a - b)
  const clean = createTerminalEscaper()
  const pieces = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length))
  return pieces.map(clean.write).join('') + clean.end()
}

/** Everything that could move a cursor, hide a character or turn the reading direction. */
const DANGEROUS = /[\p{Cs}\p{Bidi_Control}\u200b\u2028\u2029\ufeff\u{e0000}-\u{e007f}]/u
const isControl = (code: number): boolean => (code < 0x20 && code !== 0x0a && code !== 0x09) || (code >= 0x7f && code <= 0x9f)
const hasControls = (text: string): boolean => [...text].some(character => isControl(character.codePointAt(0) ?? 0))

test('no control gets through, whatever the text and wherever it is cut', () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat()), (text, cuts) => {
      const shown = inPieces(text, cuts)
      assert.ok(!hasControls(shown))
      assert.ok(!DANGEROUS.test(shown))
      assert.equal(shown, escapeForTerminal(text))
    }),
    tries(3000),
  )
})

test('every single cut of a known attack gives the same harmless text', () => {
  for (const attack of [
    '\x1b]52;c;ZXZpbA==\x07',
    '\x1b]8;;file:///etc\x1b\\click\x1b]8;;\x1b\\',
    '\x1b[2J\x1b[H',
    '\x1bP+q544e\x1b\\',
    '\x9b31mred',
  ]) {
    for (let cut = 0; cut <= attack.length; cut += 1) assert.equal(inPieces(attack, [cut]), escapeForTerminal(attack))
    assert.ok(!hasControls(escapeForTerminal(attack)))
  }
})

test('nothing is dropped: an attack can be read', () => {
  assert.equal(escapeForTerminal('\x1b[31mred\x1b[0m'), '␛[31mred␛[0m')
  assert.equal(escapeForTerminal('\x9b2J\x07\x7f'), 'U+009B2J␇␡')
  assert.equal(escapeForTerminal('a\u202eb\u200bc\u{e0041}'), 'aU+202EbU+200BcU+E0041')
})

test('honest text stays as it is', () => {
  for (const text of ['naïve “quotes” – 日本語\n\ttabs', '👩‍👩‍👧 ❤️ 1️⃣ 👋🏽', 'می‌خواهم', 'क्‍ष', 'שלום, العربية', '葛\u{e0100}']) {
    assert.equal(escapeForTerminal(text), text)
  }
  assert.equal(escapeForTerminal('one\r\ntwo\rthree'), 'one\ntwo␍three')
})

test('a line stays a line', () => {
  assert.equal(escapeToOneLine('  one\n\n  two\tthree\r\nfour '), 'one two three four')
})

test('harmless JSON says the same as JSON', () => {
  fc.assert(
    fc.property(hostile, text => {
      for (const indent of [0, 2]) {
        const written = jsonForTerminal({ text, list: [text] }, indent)
        assert.deepEqual(JSON.parse(written), JSON.parse(JSON.stringify({ text, list: [text] })))
        assert.ok(!hasControls(written))
        assert.ok(!DANGEROUS.test(written))
      }
    }),
    tries(100),
  )
})
