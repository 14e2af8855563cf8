import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definitionsOf, splitMarkdown } from '../../../src/archive/output/markdown-pieces.ts'
import { DEEPEST } from '../../../web/src/markdown/lex.ts'
import { documentOf, inlineWords } from '../../../web/src/markdown/read.ts'
import type { MarkdownBlock, MarkdownInline } from '../../../web/src/markdown/tree.ts'

const text = (words: string): MarkdownInline => ({ type: 'text', text: words })
const paragraph = (...inlines: readonly MarkdownInline[]): MarkdownBlock => ({ type: 'paragraph', inlines })
const inlinesOf = (markdown: string): readonly MarkdownInline[] => {
  const [block] = documentOf(markdown)
  assert.ok(block?.type === 'paragraph', `${markdown} is one paragraph`)
  return block.inlines
}

test('a plain text is its own words, with its lines and spaces', () => {
  assert.deepEqual(documentOf('calm river  under\na wide sky'), [
    paragraph(text('calm river  under'), { type: 'break' }, text('a wide sky')),
  ])
  assert.deepEqual(documentOf(''), [])
})

test('what people write with a few marks is read', () => {
  assert.deepEqual(inlinesOf('**a** *b* ~~c~~ `d &amp;` \\*e\\* &lt;f&gt; &nope; 1 < 2 & 3'), [
    { type: 'strong', inlines: [text('a')] },
    text(' '),
    { type: 'emphasis', inlines: [text('b')] },
    text(' '),
    { type: 'struck', inlines: [text('c')] },
    text(' '),
    { type: 'code', text: 'd &amp;' },
    text(' *e* <f> &nope; 1 < 2 & 3'),
  ])
  assert.deepEqual(
    documentOf('# A\n## B\n### C\n###### F').map(block => block.type === 'heading' && block.level),
    [3, 4, 5, 6],
  )
  assert.deepEqual(documentOf('---\n\n> a'), [{ type: 'rule' }, { type: 'quote', blocks: [paragraph(text('a'))] }])
})

test('lists keep their numbers, their tasks and what is nested in them', () => {
  assert.deepEqual(documentOf('3. a\n4. b\n\n   more'), [
    {
      type: 'list',
      start: 3,
      items: [
        { checked: null, blocks: [paragraph(text('a'))] },
        { checked: null, blocks: [paragraph(text('b')), paragraph(text('more'))] },
      ],
    },
  ])
  assert.deepEqual(documentOf('- [x] a\n- [ ] b\n  - c'), [
    {
      type: 'list',
      start: null,
      items: [
        { checked: true, blocks: [paragraph(text('a'))] },
        {
          checked: false,
          blocks: [
            paragraph(text('b')),
            { type: 'list', start: null, items: [{ checked: null, blocks: [paragraph(text('c'))] }] },
          ],
        },
      ],
    },
  ])
})

test('a table has its columns, and lines within a cell', () => {
  assert.deepEqual(documentOf('| a | b |\n|:--|--:|\n| 1<br>2 | `x` |'), [
    {
      type: 'table',
      columns: [
        { align: 'left', head: [text('a')] },
        { align: 'right', head: [text('b')] },
      ],
      rows: [[[text('1'), { type: 'break' }, text('2')], [{ type: 'code', text: 'x' }]]],
    },
  ])
})

test('code is a block from its fence on, closed or not', () => {
  const code = { type: 'code', language: 'js', text: 'a\n\n**b**' }
  assert.deepEqual(documentOf('```js title="x"\na\n\n**b**\n```'), [code])
  assert.deepEqual(documentOf('words\n```js\na\n\n**b**'), [paragraph(text('words')), code])
})

test('raw HTML and what nobody knows are shown as they are', () => {
  assert.deepEqual(documentOf('<div onclick="x">\n**a**\n</div>'), [{ type: 'plain', text: '<div onclick="x">\n**a**\n</div>' }])
  assert.deepEqual(inlinesOf('a <b>c</b> <!-- d -->'), [text('a <b>c</b> <!-- d -->')])
  assert.deepEqual(inlinesOf('see [^1]'), [text('see [^1]')])
  assert.equal(documentOf('see [^1]\n\n[^1]: note').length, 2, 'a footnote is not lost')
})

test('links lead to where they may, pictures are links, and every other link is text', () => {
  assert.deepEqual(inlinesOf('[a](https://b.example/?c=1&amp;d=2)'), [
    { type: 'link', href: 'https://b.example/?c=1&d=2', host: null, inlines: [text('a')] },
  ])
  assert.deepEqual(inlinesOf('[a](javascript:b)'), [text('[a](javascript:b)')])
  assert.deepEqual(inlinesOf('![a](https://b.example/c.png)'), [
    { type: 'image', href: 'https://b.example/c.png', host: 'b.example', alt: 'a' },
  ])
  assert.deepEqual(inlinesOf('![a](data:image/png,x)'), [text('![a](data:image/png,x)')])
  assert.deepEqual(
    inlinesOf('[*![a](https://b.example/c.png)*](https://d.example/)'),
    [
      {
        type: 'link',
        href: 'https://d.example/',
        host: null,
        inlines: [{ type: 'emphasis', inlines: [text('Image: a')] }],
      },
    ],
    'there is no link within a link',
  )
})

test('a link by its label finds its definition in another piece', () => {
  const pieces = splitMarkdown('[a][b] and [__proto__]\n\nwords\n\n[b]: https://c.example/')
  assert.equal(pieces.length, 3)
  assert.equal(definitionsOf(pieces), '[b]: https://c.example/')
  assert.deepEqual(inlinesOf('[a][b] and [c]\n\n[b]: https://c.example/'), [
    { type: 'link', href: 'https://c.example/', host: null, inlines: [text('a')] },
    text(' and [c]'),
  ])
})

const CUTS: readonly (readonly [string, readonly string[]])[] = [
  ['a\n\nb', ['a\n\n', 'b']],
  ['a\nb', ['a\nb']],
  ['- a\n\n- b\n\n  c\n\nd', ['- a\n\n- b\n\n  c\n\n', 'd']],
  ['a\n\n- b', ['a\n\n', '- b']],
  ['# a\n- b\n\n- c', ['# a\n- b\n\n- c']],
  ['a\n```\nb\n\nc\n```\nd', ['a\n', '```\nb\n\nc\n```\n', 'd']],
  ['````\n```\n\n````\na', ['````\n```\n\n````\n', 'a']],
  ['~~~\n```\n\nb', ['~~~\n```\n\nb']],
  ['- a\n  ```\n  b\n\n  c\n  ```', ['- a\n  ```\n  b\n\n  c\n  ```']],
  ['- a\n```\nb\n```', ['- a\n', '```\nb\n```']],
  ['a\n\n    b', ['a\n\n    b']],
  ['\n\n', []],
]

test('a text is cut only where a block ends for certain', () => {
  for (const [markdown, pieces] of CUTS) {
    assert.deepEqual(
      splitMarkdown(markdown).map(({ raw }) => raw),
      pieces,
      JSON.stringify(markdown),
    )
  }
})

test('while a text grows, the pieces before the last one stay as they are', () => {
  const whole = 'One **two**\n\n- three\n- four\n\n```js\nfive\n\nsix\n```\n\n| a |\n|---|\n| b |\n\nseven'
  const final = splitMarkdown(whole).map(({ raw }) => raw)
  for (let length = 1; length <= whole.length; length += 1) {
    const before = splitMarkdown(whole.slice(0, length)).map(({ raw }) => raw)
    assert.deepEqual(before.slice(0, -1), final.slice(0, before.length - 1), `after ${length} letters`)
  }
})

test('quotes, lists and emphasis without end are text from some depth on', () => {
  const depth = (blocks: readonly MarkdownBlock[]): number =>
    Math.max(
      0,
      ...blocks.map(block => {
        if (block.type === 'quote') return 1 + depth(block.blocks)
        return block.type === 'list' ? 1 + depth(block.items.flatMap(item => item.blocks)) : 0
      }),
    )
  for (const mark of ['> ', '- ', '1. ', '> - ']) {
    const blocks = documentOf(`${mark.repeat(4000)}end`)
    assert.equal(depth(blocks), DEEPEST, mark)
    assert.match(JSON.stringify(blocks), /end"/, 'nothing is lost')
  }
  const stars = inlineWords(inlinesOf(`${'*a '.repeat(60)}${'b* '.repeat(60)}`)).match(/\*/g)
  assert.equal(stars?.length, 2 * (60 - DEEPEST))
})
