import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { widthOf } from '../../../../../src/gateway/cli/output/width.ts'
import { cutStyled, styledWidth, wrapped } from '../../../../../src/gateway/cli/terminal/line-editor/styled.ts'

test('a character is as wide as Node itself believes, all through Unicode', t => {
  const output = Object.assign(new PassThrough(), { columns: 1000 })
  const reader = createInterface({ input: new PassThrough(), output, terminal: true, prompt: '' })
  t.after(() => reader.close())
  const nodesWidth = (text: string): number => {
    Object.assign(reader, { line: text, cursor: text.length })
    return reader.getCursorPos().cols
  }
  const differing: string[] = []
  for (let code = 0x20; code < 0x40000; code += 1) {
    const character = String.fromCodePoint(code)
    // Characters that are not assigned are nobody's; those for private use and halves of pairs are not written.
    if (/[\p{Cc}\p{Cs}\p{Cn}\p{Co}]/u.test(character)) continue
    // One in sixteen of the scripts with tens of thousands of signs is enough.
    if (code > 0x3400 && code % 16 !== 0 && /[\p{Script=Han}\p{Script=Hangul}\p{Script=Tangut}]/u.test(character)) continue
    // Node takes some notes of music apart before it measures them.
    if (character.normalize() !== character) continue
    if (widthOf(character) !== nodesWidth(character)) differing.push(code.toString(16))
  }
  // Marks below or above Japanese signs, which stand alone nowhere; Node gives them the width of the signs.
  assert.deepEqual(differing, ['302a', '302b', '302c', '302d', '3099', '309a', '16fe4'])
})

test('a sign is as wide as its base', () => {
  const widths = ['e\u0301', '日\u3099', '👩‍👧', '👍🏽', '🇩🇪', '❤\ufe0f', '❤', '✈\ufe0e', '1\ufe0f\u20e3', 'क्षि'].map(widthOf)
  assert.deepEqual(widths, [1, 2, 2, 2, 2, 2, 1, 1, 2, 1])
})

test('coloured text is wrapped and cut by what is seen, and no colour leaks', () => {
  const red = (text: string): string => `\x1b[31m${text}\x1b[0m`
  assert.equal(styledWidth(red('日本')), 4)
  assert.deepEqual(wrapped(`ab${red('cdef')}g`, 3), [`ab${'\x1b[31m'}c\x1b[0m`, `${red('def')}`, 'g'])
  assert.deepEqual(wrapped('', 5), [''])
  assert.equal(cutStyled(red('abcdef'), 4), `${red('abc')}…`)
  assert.equal(cutStyled(red('abcd'), 4), red('abcd'))
})
