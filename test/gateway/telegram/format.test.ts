// What a model writes becomes text with styles beside it, in pieces that fit; no text of a model can break that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RichText } from '../../../src/gateway/channel/text/rich-text.ts'
import { formattedMarkdown } from '../../../src/gateway/telegram/markdown.ts'
import { MOST_UNITS, pieces } from '../../../src/gateway/telegram/split.ts'
import { createFakeChats } from '../../../src/testing/telegram/chat.ts'
import { tries } from '../../support/tries.ts'

const looksOf = (formatted: RichText): readonly (readonly string[])[] =>
  formatted.entities.map(entity => [
    entity.type,
    formatted.text.slice(entity.offset, entity.offset + entity.length),
    ...('url' in entity ? [entity.url] : []),
    ...('language' in entity ? [entity.language ?? ''] : []),
  ])
const whole = (text: string): RichText => formattedMarkdown(text, { isWhole: true })

test('bold, italic, code, links, quotes, lists, tables and headings', () => {
  const source = [
    '# A *big* title',
    'Some **bold `code` words**, _slanted_ and ~~gone~~, [here](https://example.org/a?b=c).',
    '> quoted `x`\n> on\n>\n> and on',
    '- one\n  - two\n- [x] three\n\n5. five\n6. six',
    '```ts\nconst a = 1 < 2 && true\n  b()\n```',
    '| a | bb |\n|---|---|\n| 1 | 2 |',
  ].join('\n\n')
  const formatted = whole(source)
  assert.equal(
    formatted.text,
    [
      'A big title',
      'Some bold code words, slanted and gone, here.',
      'quoted x\non\n\nand on',
      '• one\n  ◦ two\n☑ three',
      '5. five\n6. six',
      'const a = 1 < 2 && true\n  b()',
      'a | bb\n--+---\n1 | 2',
    ].join('\n\n'),
  )
  assert.deepEqual(looksOf(formatted), [
    ['bold', 'A big title'],
    ['italic', 'big'],
    ['bold', 'bold '],
    ['code', 'code'],
    ['bold', ' words'],
    ['italic', 'slanted'],
    ['strikethrough', 'gone'],
    ['text_link', 'here', 'https://example.org/a?b=c'],
    ['blockquote', 'quoted x\non\n\nand on'],
    ['code', 'x'],
    ['pre', 'const a = 1 < 2 && true\n  b()', 'ts'],
    ['pre', 'a | bb\n--+---\n1 | 2'],
  ])
})

test('only web addresses are links; every other one is only read', () => {
  const formatted = whole('[a](javascript:alert(1)) [b](tg://user?id=1) ![c](https://example.org/c.png) https://example.org')
  assert.equal(formatted.text, 'a (javascript:alert(1)) b (tg://user?id=1) c https://example.org')
  assert.deepEqual(looksOf(formatted), [['text_link', 'c', 'https://example.org/c.png']])
})

test('controls, halves of characters and what turns the reading direction are made visible', () => {
  assert.equal(whole('a\u202eb\u0007c\ud800d').text, 'aU+202Eb␇cU+D800d')
  assert.equal(formattedMarkdown('smile \ud83d', { isWhole: false }).text, 'smile')
  assert.equal(formattedMarkdown('smile \ud83d\ude00', { isWhole: false }).text, 'smile 😀')
})

test('a long text is cut at a paragraph, else a line, a sentence, a word; code goes on as code', () => {
  assert.deepEqual(
    pieces(whole('one two three\n\nfour five six seven'), 20).map(({ text }) => text),
    ['one two three', 'four five six seven'],
  )
  assert.deepEqual(
    pieces({ text: 'one two. Three four five', entities: [] }, 16).map(({ text }) => text),
    ['one two.', 'Three four five'],
  )
  assert.deepEqual(pieces(whole('```sh\nfirst line\nsecond line\n```'), 15).map(looksOf), [
    [['pre', 'first line', 'sh']],
    [['pre', 'second line', 'sh']],
  ])
  assert.deepEqual(
    pieces({ text: '👩‍👩‍👧‍👧👩‍👩‍👧‍👧', entities: [] }, 15).map(({ text }) => text),
    ['👩‍👩‍👧‍👧', '👩‍👩‍👧‍👧'],
  )
})

const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '**',
        '*',
        '_',
        '`',
        '```\n',
        '~~',
        '[',
        '](https://a.b)',
        '> ',
        '- ',
        '1. ',
        '\n',
        '\n\n',
        '# ',
        '|',
        ' ',
        '<b>',
        '\\',
      ),
      fc.constantFrom(
        '_*[]()~>#+-=|{}.!',
        '👩‍👩‍👧',
        'e\u0301',
        '\ud800',
        '\udfff',
        '\u202e',
        '\u0000',
        'ﷺ',
        'नमस्ते',
        '\r\n',
        ' \u0308',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.lorem({ maxCount: 8 }),
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join(''))

test('property: whatever is written, every piece is one that Telegram takes, and together they are the text', () => {
  const segmenter = new Intl.Segmenter()
  fc.assert(
    fc.property(markdown, fc.integer({ min: 8, max: 80 }), fc.boolean(), (source, most, isWhole) => {
      const formatted = formattedMarkdown(source, { isWhole })
      const found = pieces(formatted, most)
      const squeezed = (text: string): string => text.replace(/\s+/g, '')
      assert.equal(squeezed(found.map(({ text }) => text).join('')), squeezed(formatted.text))
      const chats = createFakeChats()
      for (const piece of found) {
        assert.ok(piece.text.length <= most)
        assert.equal(typeof chats.send({ chat_id: 1, ...piece }), 'object', JSON.stringify(piece))
      }
      const longest = Math.max(0, ...[...segmenter.segment(formatted.text)].map(({ segment }) => segment.length))
      // What people see as one sign is in one piece, unless it is longer than a message.
      if (longest <= most)
        assert.deepEqual(
          found
            .flatMap(({ text }) => [...segmenter.segment(text)].map(({ segment }) => segment))
            .filter(sign => sign.trim() !== ''),
          [...segmenter.segment(formatted.text)].map(({ segment }) => segment).filter(sign => sign.trim() !== ''),
        )
    }),
    tries(300),
  )
})

test('property: a text that grows keeps all pieces but the last', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 60, mode: 'sentences' }), fc.lorem({ maxCount: 5, mode: 'sentences' }), (text, more) => {
      const before = pieces({ text, entities: [] }, 100)
      const after = pieces({ text: `${text} ${more}`, entities: [] }, 100)
      assert.deepEqual(after.slice(0, before.length - 1), before.slice(0, -1))
    }),
    tries(100),
  )
})

test('the limit is that of Telegram, and texts that are made to hurt do not', () => {
  assert.equal(MOST_UNITS, 4096)
  for (const hostile of [
    '>'.repeat(20_000),
    '**a'.repeat(20_000),
    '[a]('.repeat(20_000),
    '`a '.repeat(20_000),
    '- '.repeat(20_000),
    'x\u0301'.repeat(20_000),
  ]) {
    const found = pieces(whole(hostile))
    assert.ok(found.every(({ text }) => text.length <= MOST_UNITS))
    assert.ok(found.length < 30)
  }
  const zalgo = `e${'\u0301'.repeat(10_000)}`
  assert.equal(
    pieces(whole(zalgo))
      .map(({ text }) => text)
      .join(''),
    zalgo,
  )
})
