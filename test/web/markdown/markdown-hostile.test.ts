import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { common, createLowlight } from 'lowlight'
import { languageOf } from '../../../web/src/markdown/code/languages.ts'
import { colouredLength, type Shade, shadesOf } from '../../../web/src/markdown/code/shades.ts'
import { lex } from '../../../web/src/markdown/lex.ts'
import { mended } from '../../../web/src/markdown/mended.ts'
import { documentOf } from '../../../web/src/markdown/read.ts'
import { HOSTILE } from '../../browser/support/hostile-corpus.ts'
import { workOf } from '../../support/thread-time.ts'
import { tries } from '../../support/tries.ts'

/** Every kind of node there is, with exactly the fields it may have. */
const SHAPES = new Set([
  'inlines,type',
  'inlines,level,type',
  'language,text,type',
  'blocks,type',
  'items,start,type',
  'blocks,checked',
  'columns,rows,type',
  'align,head',
  'type',
  'text,type',
  'display,source,tex,type',
  'host,href,inlines,type',
  'alt,host,href,type',
])
const TYPES = /^(?:paragraph|heading|code|quote|list|table|rule|formula|plain|text|strong|emphasis|struck|break|link|image)$/

/** Throws where a tree has anything but what the types say, and gives its addresses. */
function checked(tree: unknown): readonly string[] {
  if (typeof tree !== 'object' || tree === null) return []
  if (Array.isArray(tree)) return tree.flatMap(checked)
  assert.equal(Object.getPrototypeOf(tree), Object.prototype)
  const node = tree as { readonly type?: string; readonly href?: string }
  assert.ok(SHAPES.has(Object.keys(node).sort().join()), Object.keys(node).join())
  if (node.type !== undefined) assert.match(node.type, TYPES)
  return [...(node.href === undefined ? [] : [node.href]), ...Object.values(node).flatMap(checked)]
}

function isHarmless(text: string): void {
  for (const href of checked(documentOf(text))) {
    assert.match(href, /^(?:https?:\/\/[^/]|mailto:[^/])[\x21-\x7e]*$/)
    assert.doesNotMatch(href, /^https?:\/\/[^/]*@/)
  }
}

test('the corpus is large, and no two of it are the same', () => {
  assert.ok(HOSTILE.length >= 200)
  assert.equal(new Set(HOSTILE).size, HOSTILE.length)
})

test('nothing in the corpus becomes more than the tree has room for', () => {
  for (const text of HOSTILE) {
    isHarmless(text)
    for (const part of [0.3, 0.7, 1]) isHarmless(mended(text.slice(0, text.length * part)))
  }
  isHarmless(HOSTILE.join('\n\n'))
  assert.equal(Object.hasOwn(Object.prototype, 'href'), false)
})

test('neither does anything made of its pieces', () => {
  const marks = fc.constantFrom(
    ...'*_~`[]()<>!#|\\$&:"\'\n -=+1.\u202e\u200b\t',
    '\n\n',
    '](',
    '![',
    '```',
    'http://',
    'javascript:',
    '&#',
  )
  const pieces = fc.oneof(marks, fc.constantFrom(...HOSTILE.filter(text => text.length < 200)), fc.string({ maxLength: 8 }))
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
      const text = parts.join('')
      isHarmless(text)
      isHarmless(mended(text))
    }),
    tries(2000),
  )
})

test('a language is a name we know, or a short word', () => {
  for (const written of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(languageOf(written).name, null)
  }
  for (const written of ['"><script>', "'x", '\u202ejs', 'x'.repeat(99), '', '__proto__']) {
    assert.equal(languageOf(written).title, 'Code', written)
  }
  assert.deepEqual(languageOf('TS'), { name: 'typescript', title: 'TypeScript' })
  assert.deepEqual(languageOf('Zig'), { name: null, title: 'Zig' })
  const lowlight = createLowlight(common)
  for (const language of lowlight.listLanguages()) {
    const { name } = languageOf(language)
    assert.ok(name === null || lowlight.registered(name), language)
  }
})

test('colours are class names of the highlighter, and lose no letter', () => {
  const words = (shades: readonly Shade[]): string =>
    shades.map(({ children }) => (typeof children === 'string' ? children : words(children))).join('')
  const code = 'class A { f() { return "</span><script>" } } // x'
  const shades = shadesOf(createLowlight(common).highlight('javascript', code).children)
  assert.equal(words(shades), code)
  assert.ok(shades.some(({ className }) => className === 'hljs-keyword'))
  assert.deepEqual(
    shadesOf([{ type: 'element', properties: { className: ['skip', 'hljs-x', 'hljs-"', 'x hljs-y'] }, children: [] }]),
    [{ className: 'hljs-x', children: [] }],
  )
})

test('long code has no colours, and code that grows has them line by line', () => {
  assert.equal(colouredLength('a\nb', false), 3)
  assert.equal(colouredLength('a\nb', true), 2)
  assert.equal(colouredLength('a'.repeat(100_001), false), 0)
  assert.equal(colouredLength('a\n'.repeat(10_001), true), 0)
})

describe('texts made to be slow', () => {
  const SIZE = 19_000
  const of = (mark: string, size = SIZE): string => mark.repeat(Math.ceil(size / mark.length))
  /** Without bounds most of these take minutes, or run out of stack. */
  const SLOW: Readonly<Record<string, string>> = {
    'opening brackets': of('['),
    pictures: of('!['),
    'half links': of('[a](<b'),
    stars: of('*'),
    'stars within stars': of('*a ', 1900) + of(' a*', 1900),
    'strong within strong': of('**a ', 1900) + of(' a**', 1900),
    'stars that never match': Array(30).fill(of('*a**b ', 3900)).join('\n\nx\n\n'),
    'underscores in many paragraphs': Array(30).fill(of('_a', 3900)).join('\n\nx\n\n'),
    quotes: of('>'),
    'quotes and lists': of('> - '),
    'numbered lists': of('1. '),
    'runs of backticks': Array.from({ length: 190 }, (_, length) => '`'.repeat(length)).join('a'),
    pipes: of('|', 100_000),
    'a wide table': `|${of('-|')}\n|${of('-|')}`,
    'a long table': `|a|\n|-|\n${of('|b|\n', 90_000)}`,
    'headings below lines': of('a\n-\n'),
    'mail without end': `${of('a.', 100_000)}@`,
    'tags without end': of('<a href="', 100_000),
    dollars: of('$a ', 100_000),
    'formulas without end': of('\n$$\n\\[', 19_000),
    definitions: of('[a]: b\n', 100_000),
    'a million letters': of('*a* [b](c) ', 1_000_000),
    'a million lines': of('\n\na', 400_000),
  }
  for (const [name, text] of Object.entries(SLOW)) {
    test(name, () => {
      assert.ok(workOf(() => assert.notEqual(documentOf(text).length, 0)) < MOST_MS, `as it is, ${text.length} characters`)
      assert.ok(workOf(() => mended(text.slice(0, SIZE))) < MOST_MS, 'while it is written')
    })
  }

  /** Units that take the lexer the square of their number, each at and below every limit there is. */
  const UNITS = [
    'a\n-\n',
    '===* \n-\n',
    '\n> |-|\n|',
    '\n1. a@”',
    '- - - a\n',
    '_a',
    '__́',
    '!',
    '*a _b ~c [d](e \n\n',
    '-|\n',
    '$a ',
  ]
  for (const size of [3900, 40_000, 100_000, 200_000, 500_000]) {
    test(`whatever is repeated, up to ${size} characters`, () => {
      for (const unit of UNITS) {
        const text = unit.repeat(Math.floor(size / unit.length))
        const ms = workOf(() => documentOf(text))
        assert.ok(ms < MOST_MS, `${JSON.stringify(unit)}: ${Math.round(ms)} ms`)
        assert.ok(workOf(() => mended(text)) < MOST_MS, `${JSON.stringify(unit)} while it is written`)
      }
    })
  }
})

/** Most texts here took minutes before their work was counted. */
const MOST_MS = 1000

test('one paragraph that takes too much work is shown as it is, and the others are read', () => {
  const slow = '_a'.repeat(1950)
  const [before, plain, after] = documentOf(`**a**\n\n${slow}\n\n- b`)
  assert.deepEqual(before, { type: 'paragraph', inlines: [{ type: 'strong', inlines: [{ type: 'text', text: 'a' }] }] })
  assert.deepEqual(plain, { type: 'plain', text: slow })
  assert.equal(after?.type, 'list')
})

test('a text that grows is read from its last piece on, also where pieces take too much work', () => {
  const slow = '_a'.repeat(1950)
  const whole = `# a\n\n${slow}\n\nb\n\n${'c d '.repeat(50)}`
  const begun = whole.length - 150
  let before = lex(whole.slice(0, begun), { mend: mended })
  for (let length = begun; length <= whole.length; length += 10) {
    const after = lex(whole.slice(0, length), { before, mend: mended })
    assert.equal(after.pieces.length, 4)
    for (const index of [0, 1, 2]) assert.equal(after.pieces[index], before.pieces[index])
    before = after
  }
  assert.deepEqual(
    lex(whole, { before }).pieces.map(({ raw, tokens }) => [raw, tokens === null]),
    lex(whole).pieces.map(({ raw, tokens }) => [raw, tokens === null]),
  )
})
