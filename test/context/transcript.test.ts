import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { CLOSED_TEXTS, format, OPEN_TEXTS, type Transcript, type TranscriptEvent } from '../../src/context/transcript/format.ts'
import { parse } from '../../src/context/transcript/parse.ts'
import { tries } from '../support/tries.ts'

const SEED: Transcript = {
  history: [
    { type: 'user', text: 'How do I read the configuration file?' },
    { type: 'respond', text: "I'll help you read the configuration file" },
    { type: 'call', name: 'file_read', args: { file: 'config.yml' } },
    { type: 'result', outcome: 'Read config.yml', content: 'database:\n  host: localhost\n  port: 5432\n  name: myapp' },
    { type: 'respond', text: 'I found your database configuration settings' },
  ],
  shown: { last: 15, of: 73 },
  current: [
    { type: 'user', text: "What's in test.txt?" },
    { type: 'think', text: "The user is asking to read 'test.txt'. I should use file_read to get the contents" },
    { type: 'call', name: 'file_read', args: { file: 'test.txt' } },
    {
      type: 'result',
      outcome: 'Read test.txt',
      content: 'This is test file content\nLine 2 of the test file\nMore content here',
    },
    { type: 'respond', text: "I have successfully read the file 'test.txt'" },
  ],
}

test('the example of the seed document comes out byte for byte, and back', () => {
  const text = readFileSync('test/provider/golden-wires/seed-3.txt', 'utf8')
  assert.equal(format(SEED), text)
  assert.deepEqual(parse(text), SEED)
})

const user = (text: string): TranscriptEvent => ({ type: 'user', text })
const only = (...current: TranscriptEvent[]): Transcript => ({ history: [], current })

const SPELLED: readonly { readonly why: string; readonly of: Transcript; readonly text: string }[] = [
  { why: 'nothing was said', of: only(), text: '' },
  { why: 'only history', of: { history: [user('hi')], current: [] }, text: '=== HISTORY ===\n\n$user: hi' },
  { why: 'only a running cycle', of: only(user('hi')), text: '=== CURRENT ===\n\n$user: hi' },
  {
    why: 'an empty text keeps its marker and space',
    of: only(user(''), user('')),
    text: '=== CURRENT ===\n\n$user: \n\n$user: ',
  },
  {
    why: 'markers at the beginning of a line are data',
    of: only(user('=== CURRENT ===\n\n$call: {}\n \\$think: \n\\$user: x\n\\\\=== y\n$users: z\n\\z')),
    text: '=== CURRENT ===\n\n$user: \\=== CURRENT ===\n\n\\$call: {}\n \\$think: \n\\\\$user: x\n\\\\\\=== y\n$users: z\n\\z',
  },
  {
    why: 'a carriage return ends a line for some readers',
    of: only(user('a\r$user: b')),
    text: '=== CURRENT ===\n\n$user: a\r\\$user: b',
  },
  {
    why: 'an outcome ends at the first blank line, so it has none itself',
    of: only({ type: 'result', outcome: 'a\n\nb\n\\\n', content: '\nc\n' }),
    text: '=== CURRENT ===\n\n$result: a\n\\\nb\n\\\\\n\\\n\n\nc\n',
  },
  {
    why: 'one space after : and , outside of strings',
    of: only({ type: 'call', name: 'a:b,c', args: { list: [1, '",":\\'], none: null, deep: { a: [], b: {} } } }),
    text: '=== CURRENT ===\n\n$call: {"name": "a:b,c", "args": {"list": [1, "\\",\\":\\\\"], "none": null, "deep": {"a": [], "b": {}}}}',
  },
]

for (const { why, of, text } of SPELLED) {
  test(`transcript: ${why}`, () => {
    assert.equal(format(of), text)
    assert.deepEqual(parse(text), of)
  })
}

test('where texts are closed, one blank line follows each event, and no line break is at the end', () => {
  const said = only(
    user('a\n'),
    { type: 'result', outcome: 'Read a.txt', content: 'one\ntwo\n\n' },
    { type: 'result', outcome: 'Read b.txt', content: '' },
    { type: 'respond', text: 'b\n\\' },
    { type: 'respond', text: 'c\n' },
  )
  const text =
    '=== CURRENT ===\n\n$user: a\n\\\n\n$result: Read a.txt\n\none\ntwo\n\n\\\n\n$result: Read b.txt\n\n\\\n\n$respond: b\n\\\\\n\n$respond: c\n\\'
  assert.equal(format(said, CLOSED_TEXTS), text)
  assert.deepEqual(parse(text, CLOSED_TEXTS), said)
})

test('how much is shown says nothing without a history', () => {
  assert.equal(format({ history: [], shown: { last: 0, of: 9 }, current: [user('hi')] }), '=== CURRENT ===\n\n$user: hi')
})

const MARKERS = '$user:|$respond: |$think:|$call: {"name": "x", "args": {}}|$result: |===|=== CURRENT ===|=== HISTORY ==='
const ODDITIES =
  '(showing last 1 of 2 messages)|\\|\\\\|\n|\n\n|\r|\r\n|\u2028|\u2029|\u0085|\t| |$|:|\u0000|\ud800|\udc00|§user:|__proto__||a'
const shard = fc.constantFrom(...MARKERS.split('|'), ...ODDITIES.split('|'))
const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.array(shard, { maxLength: 8 }).map(shards => shards.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)
/** Values as a log gives them back, with hostile strings and keys. */
const jsonValue = fc
  .oneof(fc.jsonValue(), fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile))), hostile)
  .map(value => JSON.parse(JSON.stringify(value)) as unknown)
const plain = { noNullPrototype: true } as const
const event: fc.Arbitrary<TranscriptEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('user', 'respond', 'think'), text: hostile }, plain),
  fc.record({ type: fc.constant('call'), name: hostile, args: jsonValue }, plain),
  fc.record({ type: fc.constant('result'), outcome: hostile, content: hostile }, { ...plain, requiredKeys: ['type', 'outcome'] }),
)
const transcript: fc.Arbitrary<Transcript> = fc.oneof(
  fc.record({ history: fc.array(event, { maxLength: 4 }), current: fc.array(event, { maxLength: 4 }) }, plain),
  fc.record(
    {
      history: fc.array(event, { minLength: 1, maxLength: 4 }),
      shown: fc.record({ last: fc.nat(), of: fc.nat() }, plain),
      current: fc.array(event, { maxLength: 4 }),
    },
    plain,
  ),
)

test('whatever is said parses back to exactly what was said, in either form', () => {
  fc.assert(
    fc.property(transcript, fc.constantFrom(OPEN_TEXTS, CLOSED_TEXTS), (said, form) => {
      assert.deepEqual(parse(format(said, form), form), said)
    }),
    tries(5_000),
  )
})

test('where texts are closed, no text ends in a line break or leaves two blank lines before the next marker', () => {
  fc.assert(
    fc.property(transcript, said => {
      const text = format(said, CLOSED_TEXTS)
      assert.doesNotMatch(text, /\n$/)
      assert.doesNotMatch(text, /\n\n\n(?:\$(?:user|respond|think|call|result): |===)/)
    }),
    tries(5_000),
  )
})

test('other text is refused, or was canonical: nothing is read as something it does not say', () => {
  const text = fc.array(fc.oneof(shard, fc.constantFrom('\n\n$user: ', '\n\n=== CURRENT ===\n\n', '=== HISTORY ===\n\n')), {
    maxLength: 10,
  })
  fc.assert(
    fc.property(text, fc.constantFrom(OPEN_TEXTS, CLOSED_TEXTS), (shards, form) => {
      const given = shards.join('')
      try {
        assert.equal(format(parse(given, form), form), given)
      } catch (error) {
        assert.ok(error instanceof SyntaxError, String(error))
      }
    }),
    tries(5_000),
  )
})

test('deeply nested arguments and very long strings are no trouble', () => {
  const args: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
  const text = '\\"\n$user: '.repeat(100_000)
  const written = format(only({ type: 'call', name: 'deep', args }, { type: 'call', name: 'long', args: { text } }, user(text)))
  assert.equal(format(parse(written)), written)
})
