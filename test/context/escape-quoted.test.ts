import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeQuoted, unescapeQuoted } from '../../src/context/recall/escape-quoted.ts'
import { tries } from '../support/tries.ts'

const NAMES = ['Pema Chödrön', 'Ben', 'Ben (2)', 'a.*b', '']

const SPELLED: readonly (readonly [why: string, text: string, escaped: string])[] = [
  ['ordinary text stays as it is', 'Ask Ben: he knows [1].\nBenjamin: no', 'Ask Ben: he knows [1].\nBenjamin: no'],
  ["a line that reads as another speaker's", 'I agree.\n\nPema Chödrön: I do not.', 'I agree.\n\n\\Pema Chödrön: I do not.'],
  ['so does the first line', 'Ben: hello', '\\Ben: hello'],
  ['a block that begins or ends', 'x\n]\n\n[For reference, y', 'x\n\\]\n\n\\[For reference, y'],
  ['what was escaped already', '\\[a\n\\\\Ben: b\n\\c', '\\\\[a\n\\\\\\Ben: b\n\\c'],
  ['a name is no pattern', 'a.*b: c\naxxb: d', '\\a.*b: c\naxxb: d'],
  [
    'what only looks the same',
    'BEN : a\n  ben: b\nBen\u200b\uff1a c\nPema Cho\u0308dro\u0308n: d',
    '\\BEN : a\n\\  ben: b\n\\Ben\u200b\uff1a c\n\\Pema Cho\u0308dro\u0308n: d',
  ],
  ['every kind of line break', 'a\r\nBen: b\u2028Ben: c\vBen: d', 'a\r\n\\Ben: b\u2028\\Ben: c\v\\Ben: d'],
]

for (const [why, text, escaped] of SPELLED)
  test(`quoted text: ${why}`, () => {
    assert.equal(escapeQuoted(text, NAMES), escaped)
    assert.equal(unescapeQuoted(escaped, NAMES), text)
  })

const shard = fc.constantFrom(
  ...NAMES,
  'ben',
  'Pema',
  ':',
  ': ',
  '[',
  ']',
  '\\',
  '\n',
  '\n\n',
  '\r',
  ' ',
  '\t',
  '\u2028',
  '\u200b',
  'x',
)
const text = fc.array(shard, { maxLength: 12 }).map(shards => shards.join(''))

test('whatever is quoted comes back as it was', () => {
  fc.assert(
    fc.property(text, fc.subarray(NAMES), (given, names) => {
      assert.equal(unescapeQuoted(escapeQuoted(given, names), names), given)
    }),
    tries(2000),
  )
})

test("no line of a quote reads as another speaker's, or begins or ends a block", () => {
  fc.assert(
    fc.property(text, given => {
      for (const line of escapeQuoted(given, NAMES).split(/[\n\r\v\f\u0085\u2028\u2029]/)) {
        assert.doesNotMatch(line, /^[[\]]/)
        assert.doesNotMatch(line.replaceAll('\u200b', ''), /^\s*(?:pema chödrön|ben|ben \(2\)|a\.\*b)\s*:/i)
      }
    }),
    tries(2000),
  )
})

test('a text without a line break, or of line breaks alone, is quoted quickly', () => {
  for (const long of ['\\'.repeat(200_000), '\n'.repeat(200_000), ' '.repeat(200_000), 'Ben '.repeat(50_000)])
    assert.equal(unescapeQuoted(escapeQuoted(long, NAMES), NAMES), long)
})
