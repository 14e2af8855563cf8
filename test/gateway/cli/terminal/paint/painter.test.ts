import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters as plainly } from 'node:util'
import fc from 'fast-check'
import { widthOf } from '../../../../../src/gateway/cli/output/width.ts'
import { createPainter } from '../../../../../src/gateway/cli/terminal/paint/painter.ts'
import { tries } from '../../../../support/tries.ts'
import { screenOf } from './screen.ts'

const paint = (text: string, columns: number, color = true): string => {
  const painter = createPainter({ columns, color })
  return painter.write(text) + painter.end()
}

/** Pieces of Markdown and of attacks, whole and torn. */
const PIECES = [
  ...[
    'word ',
    'two words',
    '\n',
    '\n\n',
    ' ',
    '\t',
    '# ',
    '### heading\n',
    '- item\n',
    '  - nested\n',
    '1. ',
    '2) ',
    '- [ ] ',
    '> ',
    '>',
  ],
  ...[
    '**',
    '*',
    '_',
    '~~',
    '`',
    '``',
    '```\n',
    '```ts\n',
    'const a = "b" // c\n',
    '~~~',
    '| a | b |\n',
    '|---|:-:|\n',
    '| 1 | 2 |\n',
    '|',
  ],
  ...['---\n', '===\n', '<div>\n', '<br>', '<', '&amp;', '&#27;', '&#x202e;', '$x_1$', '$$\n', '\\(', '\\)', '\\[', '\\*', '\\'],
  ...[
    '[text](https://example.com/a_b)',
    '[a](javascript:alert(1))',
    '![cat](http://x/y.png)',
    '<https://a.b/_c_>',
    '[',
    '](',
    ')',
    '!',
  ],
  ...[
    'https://example.com/_under_score_',
    '日本語の文章、',
    '「かっこ」',
    '👩‍👧',
    '❤️',
    '🇩🇪',
    'e\u0301',
    'é',
    'می‌خواهم',
    'क्षि',
    '한글',
    'W'.repeat(90),
  ],
  ...['\x1b[2J', '\x1b]0;title\x07', '\x9b31m', '\u202e', '\u200b', '\r\n', '\r', '\x00', '\ud83d', '\u{e0041}', '    code\n'],
]
const markdown = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
    ),
    {
      maxLength: 40,
    },
  )
  .map(pieces => pieces.join(''))

const runs = tries(500)

test('what is printed does not depend on the pieces in which it came, and a terminal shows it the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      markdown,
      fc.array(fc.nat()),
      fc.integer({ min: 4, max: 90 }),
      fc.boolean(),
      async (text, cuts, columns, color) => {
        const whole = paint(text, columns, color)
        const places = [...new Set(cuts.map(cut => cut % (text.length + 1)))].sort((a, b) => a - b)
        const painter = createPainter({ columns, color })
        const pieces = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length))
        assert.equal(pieces.map(painter.write).join('') + painter.end(), whole)
        const units = createPainter({ columns, color })
        assert.equal(text.split('').map(units.write).join('') + units.end(), whole)
      },
    ),
    runs,
  )
  const text = 'A **bold** word\n\n- a list that is wrapped\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
  const painter = createPainter({ columns: 20, color: true })
  assert.deepEqual(
    await screenOf(text.split('').map(painter.write).join('') + painter.end(), 20),
    await screenOf(paint(text, 20), 20),
  )
})

test('no line is wider than the screen, and nothing but our own colours gets through', () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 4, max: 90 }), (text, columns) => {
      const painted = paint(text, columns)
      for (const line of plainly(painted).split('\n'))
        assert.ok(widthOf(line) <= columns, `${widthOf(line)} > ${columns}: ${JSON.stringify(line)}`)
      // Each colour is closed in its line, so that a text that is cut leaves none behind.
      for (const line of painted.split('\n')) {
        const bare = line.replaceAll(OWN_COLOUR, '$1')
        assert.ok(!hasControls(bare), JSON.stringify(line))
      }
      assert.ok(!DANGEROUS.test(painted))
      assert.equal(plainly(paint(text, columns, false)), paint(text, columns, false))
    }),
    runs,
  )
})

const ESCAPE = String.fromCharCode(27)
const OWN_COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]+m([^${ESCAPE}\\n]+)${ESCAPE}\\[0m`, 'g')
const DANGEROUS = /[\p{Cs}\p{Bidi_Control}\u200b\u2028\u2029\ufeff\u{e0000}-\u{e007f}]/u
const hasControls = (text: string): boolean =>
  [...text].some(sign => {
    const code = sign.codePointAt(0) ?? 0
    return code < 0x20 || (code >= 0x7f && code <= 0x9f)
  })

test('every word of a text is there, in its order', () => {
  // `<br >` is the one tag that is a line's end, and no word.
  const word = fc.stringMatching(/^[a-zA-Z0-9]{1,14}$/).filter(each => each.toLowerCase() !== 'br')
  const dressed = fc
    .tuple(word, fc.constantFrom('', '**', '*', '_', '~~', '`', '# ', '- ', '> ', '\n', '\n\n', '1. ', '[', '(', '$', '<', '| '))
    .map(([each, mark]) => `${mark}${each}${/^[*_~`]/.test(mark) ? mark : ''} `)
  fc.assert(
    fc.property(fc.array(dressed, { maxLength: 60 }), fc.integer({ min: 16, max: 100 }), (words, columns) => {
      const text = words.join('')
      const said = text.match(/[a-zA-Z0-9]+/g) ?? []
      const shown = plainly(paint(text, columns)).match(/[a-zA-Z0-9]+/g) ?? []
      // Numbers of lists are ours and theirs alike; everything is compared.
      assert.deepEqual(shown, said)
    }),
    runs,
  )
})

test('words appear as soon as they are whole, and an open mark holds them back only so long', () => {
  const painter = createPainter({ columns: 80, color: true })
  assert.equal(painter.write('Hello wor'), 'Hello')
  assert.equal(painter.write('ld and '), ' world and')
  assert.equal(painter.write('*not closed'), '')
  const shown = painter.write(' more words of it'.repeat(13))
  assert.match(shown, /^ \*not closed more/)
  assert.equal(painter.write('\nnext line '), ` it\nnext line`)
  assert.equal(painter.end(), '\n')
  assert.equal(painter.end(), '')
  assert.equal(painter.write('日本語'), '日本')
  assert.equal(painter.end(), '語\n')
})

test('a text that is made to be slow is not', () => {
  for (const piece of ['*a **b _c ', '[', '`a ``b ', '|a', '>', '- ', '<https:', '\\(', '$a ', '👩‍', 'a\u0301', '日'])
    assert.ok(paint(piece.repeat(1000), 80).length > 0)
  assert.ok(paint(`a${'\u0301'.repeat(20_000)}`, 80).length > 0)
})

test('a control that is named instead of written is shown too, wherever it stands', () => {
  const named = ['&#27;[2J', '&#x1b;]0;t&#7;', '&#155;31m', '&#x202e;', '&#8203;', '&#13;', '&#10;']
  const places = [
    'x',
    '_x_',
    '**x**',
    '~~x~~',
    '`x`',
    '[x](https://a.b)',
    '[a](https://a.b/x)',
    '![x](https://a.b)',
    '# x',
    '- *x*',
  ]
  const attacks = ['\x1b]52;c;ZXZpbA==\x07', '\x1b]8;;file:///etc\x1b\\click\x1b]8;;\x1b\\', '\x1bP+q544e\x1b\\', '\x9b31mred']
  const block = ['| a | _x_ |\n|---|---|\n| x | `x` |', '```js\nx\n```', '<div>\nx\n</div>', '$$\nx\n$$', '    x', '> x\n> ===']
  for (const hidden of [...named, ...attacks])
    for (const place of [...places, ...block]) {
      const painted = paint(place.replaceAll('x', hidden), 60)
      const bare = painted.replaceAll(OWN_COLOUR, '$1').replaceAll('\n', '')
      assert.ok(!hasControls(bare) && !DANGEROUS.test(bare), JSON.stringify({ place, painted }))
    }
})
