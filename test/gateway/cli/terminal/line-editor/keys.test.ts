import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decode, flush, type Key, NOTHING_HELD } from '../../../../../src/gateway/cli/terminal/line-editor/keys.ts'
import { tries } from '../../../../support/tries.ts'

const named = (name: string): Key => ({ type: 'key', name })
const text = (words: string): Key => ({ type: 'text', text: words })

/** What terminals send, and what it means. */
const CASES: readonly (readonly [string, readonly Key[]])[] = [
  ['grüße 日本 👩‍👧', [text('grüße 日本 👩‍👧')]],
  ['\r\n\t\x7f\b', [named('enter'), named('newline'), named('tab'), named('backspace'), named('backspace')]],
  ['\x01\x03\x04\x1a', [named('ctrl-a'), named('ctrl-c'), named('ctrl-d'), named('ctrl-z')]],
  ['\x1b[A\x1bOB\x1b[1;5C\x1b[1;3D', [named('up'), named('down'), named('word-right'), named('word-left')]],
  ['\x1b\x1b[D\x1b[1;2C', [named('word-left'), named('right')]],
  [
    '\x1b[H\x1b[4~\x1b[3~\x1b[3;5~\x1b[Z',
    [named('home'), named('end'), named('delete'), named('word-delete'), named('shift-tab')],
  ],
  ['\x1bb\x1b\x7f\x1b\r', [named('alt-b'), named('word-backspace'), named('newline')]],
  ['\x1b[13;2u\x1b[13u\x1b[27;2;13~', [named('newline'), named('enter'), named('newline')]],
  ['\x1b[99;5u\x1b[106;5u\x1b[98;3u', [named('ctrl-c'), named('newline'), named('alt-b')]],
  ['\x1b[97;1:3u\x1b[97u\x1b[228;2u\x1b[27u\x1b[57358u', [text('aÄ'), named('escape')]],
  ['\x1b[I\x1b[O\x1b[?1;2c\x1b[200;9x', []],
  ['\x1b[200~a\rb\x1b[A\x03\x1b[201~c', [{ type: 'paste', text: 'a\rb\x1b[A\x03' }, text('c')]],
  ['\x1b\x1b\x1bx', [named('escape'), named('escape'), named('alt-x')]],
  ['\x1b[\x03\x1bO\x1b[A', [named('ctrl-c'), named('up')]],
]

/** Keys, with words next to each other as one: where a chunk ends does not matter. */
const joined = (keys: readonly Key[]): readonly Key[] =>
  keys.reduce<Key[]>((all, key) => {
    const last = all.at(-1)
    if (key.type === 'text' && last?.type === 'text') all[all.length - 1] = text(last.text + key.text)
    else all.push(key)
    return all
  }, [])

const inPieces = (pieces: readonly string[]): readonly Key[] => {
  let decoding = NOTHING_HELD
  const keys = pieces.flatMap(piece => {
    const decoded = decode(decoding, piece)
    decoding = decoded.decoding
    return decoded.keys
  })
  return joined([...keys, ...flush(decoding).keys])
}

test('every key has one name, wherever the bytes are cut', () => {
  for (const [bytes, keys] of CASES) {
    assert.deepEqual(inPieces([bytes]), keys, JSON.stringify(bytes))
    const characters = [...bytes]
    for (let at = 1; at < characters.length; at += 1) {
      const cut = [characters.slice(0, at).join(''), characters.slice(at).join('')]
      assert.deepEqual(inPieces(cut), keys, JSON.stringify(cut))
    }
    assert.deepEqual(inPieces(characters), keys, JSON.stringify(bytes))
  }
})

test('an escape alone is a key once nothing follows', () => {
  const { decoding, keys } = decode(NOTHING_HELD, 'a\x1b')
  assert.deepEqual(keys, [text('a')])
  assert.deepEqual(flush(decoding), { decoding: NOTHING_HELD, keys: [named('escape')] })
})

test('no bytes make a keyboard deaf, and none are inserted that are not text', () => {
  const pieces = fc.constantFrom('\x1b', '[', 'O', '1', ';', ' ', 'a', 'é', '\x03', '\r', '\x9b', '~', '\x7f', '🇩')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), noise => {
      const first = decode(NOTHING_HELD, noise.join(''))
      const settled = flush(first.decoding)
      const { keys } = decode(settled.decoding, 'word')
      assert.deepEqual(keys, [text('word')])
      for (const key of first.keys) if (key.type === 'text') assert.doesNotMatch(key.text, /\p{Cc}/u)
    }),
    tries(100),
  )
})

test('a paste is bounded while it comes', () => {
  let decoding = decode(NOTHING_HELD, '\x1b[200~').decoding
  for (let times = 0; times < 8; times += 1) decoding = decode(decoding, 'x'.repeat(1024 * 1024)).decoding
  assert.ok(decoding.held.length <= 5 * 1024 * 1024)
  const { keys } = decode(decoding, '\x1b[201~y')
  assert.deepEqual(
    keys.map(({ type }) => type),
    ['paste', 'text'],
  )
})
