// Holds how texts are cut into passages: whole sentences, nothing lost, in order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { passagesOf } from '../../../../src/context/recall/language/passages.ts'
import { tries } from '../../../support/tries.ts'
import { cpuTime } from './cpu-time.ts'

const slices = (text: string): readonly string[] => passagesOf(text).map(({ from, to }) => text.slice(from, to))

test('a text up to 750 characters is one passage without outer white space, and a blank one has none', () => {
  assert.deepEqual(slices(''), [])
  assert.deepEqual(slices(' \n\u3000\ufeff'), [])
  assert.deepEqual(slices('  One. Two.\n '), ['One. Two.'])
  assert.deepEqual(slices(` ${'a'.repeat(750)} `), ['a'.repeat(750)])
  assert.equal(slices('a'.repeat(751)).length, 2)
})

const SENTENCE = `${'word '.repeat(38)}done.`
const CUTS: readonly (readonly [string, string, readonly string[]])[] = [
  ['whole sentences', `${SENTENCE} `.repeat(5), [`${SENTENCE} ${SENTENCE}`, `${SENTENCE} ${SENTENCE}`, SENTENCE]],
  [
    'lines',
    `${'x'.repeat(300)}\n${'y'.repeat(300)}\n${'z'.repeat(190)}`,
    ['x'.repeat(300), `${'y'.repeat(300)}\n${'z'.repeat(190)}`],
  ],
  [
    'wide sentence marks',
    `${'雨'.repeat(299)}。${'風'.repeat(299)}！${'雪'.repeat(200)}`,
    [`${'雨'.repeat(299)}。`, `${'風'.repeat(299)}！${'雪'.repeat(200)}`],
  ],
  ['between words', `${'a'.repeat(400)} ${'b'.repeat(400)}`, ['a'.repeat(400), 'b'.repeat(400)]],
  ['anywhere if there is no word', 'a'.repeat(1001), ['a'.repeat(500), 'a'.repeat(500), 'a']],
  ['never inside a surrogate pair', `x${'😀'.repeat(400)}`, [`x${'😀'.repeat(249)}`, '😀'.repeat(151)]],
  ['a space at the limit', `${'a'.repeat(500)} ${'b'.repeat(300)}`, ['a'.repeat(500), 'b'.repeat(300)]],
]

for (const [name, text, expected] of CUTS) test(`cuts: ${name}`, () => assert.deepEqual(slices(text), expected))

test('passages are in order, do not overlap, are at most 750 long, and lose nothing but white space', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ' ',
      '\n',
      '. ',
      '! ',
      '。',
      '？',
      'a',
      'word ',
      'x'.repeat(600),
      '😀',
      '\u3000',
      '\ud800',
      '\udc00',
      ' '.repeat(600),
      '." ',
    ),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 80 })), { maxLength: 25 }), pieces => {
      const text = pieces.map(([each, times]) => each.repeat(times)).join('')
      let end = 0
      for (const { from, to } of passagesOf(text)) {
        assert.ok(from >= end && to > from && to - from <= 750)
        assert.equal(text.slice(end, from).trim(), '')
        assert.equal(text.slice(from, to), text.slice(from, to).trim())
        assert.ok(text.slice(from, to).isWellFormed() || !text.isWellFormed(), 'no half of a character')
        end = to
      }
      assert.equal(text.slice(end).trim(), '')
      if (text.trim().length > 750) assert.ok(passagesOf(text).every(({ from, to }) => to - from <= 500))
    }),
    tries(500),
  )
})

test('hostile texts of a megabyte take less than a second', () => {
  for (const unit of ['a', '\n-', '. ', ' ', '\n', '。', '😀', `a${' '.repeat(499)}`, `a ${'b'.repeat(600)}`, '"']) {
    const text = `x${unit.repeat(Math.ceil(1_000_000 / unit.length))}y`
    const begin = cpuTime()
    passagesOf(text)
    assert.ok(cpuTime() - begin < 1000, JSON.stringify(unit.slice(0, 5)))
  }
})
