// The file of word vectors is read back as it was written, damage is noticed, and the shipped file knows what words mean.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { writeWordVectors } from '../../../scripts/word-vectors-file.ts'
import {
  cosine,
  quantizedUnit,
  readWordVectors,
  type WordVectors,
  wordVectorsChecksum,
} from '../../../src/context/recall/word-vectors.ts'

const PIECES = ['[PAD]', 'dog', 'puppy', 'walk', '##ing', 'cafe', '東', '##er', 'w']

/** Each piece points along its own axis; `puppy` is half way to `dog`. */
function tinyFile(): Uint8Array {
  const vectors = new Int8Array(PIECES.length * 128)
  for (const index of PIECES.keys()) vectors[index * 128 + index] = 127
  vectors[2 * 128 + 1] = 127
  const related = PIECES.map((): { piece: number; cosine: number }[] => [])
  related[1] = [
    { piece: 2, cosine: Math.SQRT1_2 },
    { piece: 3, cosine: 0.5 },
  ]
  related[2] = [{ piece: 1, cosine: Math.SQRT1_2 }]
  return writeWordVectors({ pieces: PIECES, vectors, related })
}

const tiny = (bytes = tinyFile()): WordVectors => readWordVectors(bytes) ?? assert.fail('the file is read')

/** The numbers of a vector that are not zero, by their index. */
const numbersOf = (vector: Int8Array | undefined): Record<number, number> | undefined =>
  vector && Object.fromEntries([...vector.entries()].filter(([, each]) => each !== 0))

/** The same file with a right checksum, after a change. */
function forged(change: (bytes: Uint8Array, view: DataView) => void): Uint8Array {
  const bytes = tinyFile()
  const view = new DataView(bytes.buffer)
  change(bytes, view)
  view.setUint32(bytes.length - 4, wordVectorsChecksum(bytes, bytes.length - 4), true)
  return bytes
}

test('a file is read back as it was written', () => {
  const words = tiny()
  assert.equal(words.dimensions, 128)
  assert.equal(words.pieceCount, PIECES.length)
  assert.deepEqual(numbersOf(words.vectorOf(['dog'])), { 1: 127 })
  assert.deepEqual(numbersOf(words.vectorOf(['puppy'])), { 1: 90, 2: 90 })
  assert.deepEqual(
    words.related('dog').map(each => [each.word, each.cosine.toFixed(2)]),
    [
      ['puppy', '0.71'],
      ['walk', '0.50'],
    ],
  )
  assert.deepEqual(words.related('walk'), [])
  assert.deepEqual(tinyFile(), tinyFile())
})

test('a file in the middle of other bytes, or shared between threads, is read as well', () => {
  const bytes = tinyFile()
  for (const offset of [0, 1, 2, 3]) {
    const around = new Uint8Array(new SharedArrayBuffer(bytes.length + 9)).fill(7)
    around.set(bytes, offset)
    assert.deepEqual(numbersOf(tiny(around.subarray(offset, offset + bytes.length)).vectorOf(['dog'])), { 1: 127 })
  }
})

test('words are split into the longest pieces, and rare pieces count for more', () => {
  const words = tiny()
  const [walk, ing, er] = [Math.log(4), Math.log(5), Math.log(8)]
  const unit = (numbers: Record<number, number>): Record<number, number> => {
    const length = Math.hypot(...Object.values(numbers))
    return Object.fromEntries(Object.entries(numbers).map(([index, each]) => [index, Math.round((127 * each) / length)]))
  }
  assert.deepEqual(numbersOf(words.vectorOf(['walking'])), unit({ 3: walk, 4: ing }))
  assert.deepEqual(numbersOf(words.vectorOf(['walker', 'walking'])), unit({ 3: 2 * walk, 4: ing, 7: er }))
  assert.deepEqual(numbersOf(words.vectorOf(['café'])), { 5: 127 })
  assert.deepEqual(numbersOf(words.vectorOf(['cafe\u0301'])), { 5: 127 })
  assert.deepEqual(words.related('dóg'), words.related('dog'))
})

test('words with digits, with more than 20 letters or with an unknown piece have no vector', () => {
  const words = tiny()
  for (const word of ['', 'dog1', '1', 'walkings', 'ing', '##ing', '[PAD]', '[pad]', 'wa lk', '東京', `walk${'ing'.repeat(6)}`]) {
    assert.equal(words.vectorOf([word]), undefined, word)
    assert.deepEqual(words.related(word), [], word)
  }
  assert.notEqual(words.vectorOf([`w${'er'.repeat(9)}`]), undefined, '19 letters')
  assert.equal(words.vectorOf([]), undefined)
  assert.deepEqual(numbersOf(words.vectorOf(['dog1', 'dog', 'cat'])), { 1: 127 })
})

test('a file that is cut or changed at any place is not read', () => {
  const bytes = tinyFile()
  for (let length = 0; length < bytes.length; length++) {
    assert.equal(readWordVectors(bytes.subarray(0, length)), undefined, `cut at ${length}`)
  }
  for (let index = 0; index < bytes.length; index++) {
    const changed = bytes.slice()
    changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8))
    assert.equal(readWordVectors(changed), undefined, `changed at ${index}`)
  }
  assert.equal(readWordVectors(new Uint8Array([...bytes, 0, 0, 0, 0])), undefined)
})

test('a file with a right checksum and wrong contents is not read', () => {
  const pieces = PIECES.length
  const countsAt = 28 + pieces * 128
  const relatedAt = countsAt + pieces
  const wrong: Record<string, (bytes: Uint8Array, view: DataView) => void> = {
    version: (_, view) => view.setUint32(8, 2, true),
    dimensions: (_, view) => view.setUint32(12, 64, true),
    'no pieces': (_, view) => view.setUint32(16, 0, true),
    'many pieces': (_, view) => view.setUint32(16, 0xffffffff, true),
    'one piece more': (_, view) => view.setUint32(16, pieces + 1, true),
    'many pairs': (_, view) => view.setUint32(20, 0xffffffff, true),
    'a long text': (_, view) => view.setUint32(24, 0xffffffff, true),
    'counts that do not match': bytes => bytes.fill(9, countsAt, countsAt + 1),
    'a related piece that is not there': (_, view) => view.setUint16(relatedAt, pieces, true),
    'a piece twice': bytes => {
      const at = new TextDecoder('latin1').decode(bytes).indexOf('dog\npuppy')
      bytes.set(new TextEncoder().encode('dog\ndog\nx'), at)
    },
    'one piece less': bytes => bytes.fill(120, bytes.lastIndexOf(10), bytes.lastIndexOf(10) + 1),
  }
  for (const [name, change] of Object.entries(wrong)) assert.equal(readWordVectors(forged(change)), undefined, name)
  assert.notEqual(readWordVectors(forged(() => {})), undefined)
})

test('cosines of vectors', () => {
  assert.equal(cosine(Int8Array.of(3, 4), Int8Array.of(3, 4)), 1)
  assert.equal(cosine(Int8Array.of(1, 0), Int8Array.of(0, 1)), 0)
  assert.equal(cosine(Int8Array.of(0, 0), Int8Array.of(0, 1)), 0)
  assert.equal(cosine(Int8Array.of(1), Int8Array.of(1, 0)), 0)
  assert.deepEqual(quantizedUnit([3, -4]), Int8Array.of(76, -102))
  assert.equal(quantizedUnit([0, 0]), undefined)
  assert.equal(quantizedUnit([Number.NaN, 1]), undefined)
})

const shipped = readWordVectors(readFileSync('vectors/words-minilm-128.bin')) ?? assert.fail('the shipped file is read')
const sentence = (text: string): Int8Array => shipped.vectorOf(text.split(' ')) ?? assert.fail(text)

test('the shipped file knows related words', () => {
  assert.equal(shipped.pieceCount, 30_522)
  const expected = { dog: ['puppy', 'canine', 'pet'], doctor: ['physician'], bought: ['purchased', 'buy'], holiday: ['vacation'] }
  for (const [word, others] of Object.entries(expected)) {
    const related = shipped.related(word)
    assert.deepEqual(
      others.filter(other => !related.some(each => each.word === other)),
      [],
      word,
    )
    assert.ok(related.length <= 40)
    for (const each of related) {
      assert.ok(each.cosine > 0.48 && each.cosine <= 1)
      assert.ok(Math.abs(cosine(sentence(word), sentence(each.word)) - each.cosine) < 0.02, `${word} ${each.word}`)
    }
    assert.deepEqual(
      related,
      related.toSorted((a, b) => b.cosine - a.cosine),
    )
  }
  assert.deepEqual(shipped.related('zzyzxq'), [])
  assert.deepEqual(shipped.related('of'), [], 'too short')
})

test('the shipped file finds similar sentences', () => {
  const asked = sentence('which animal did she adopt')
  const similar = cosine(asked, sentence('we brought a kitten home from the shelter'))
  const other = cosine(asked, sentence('the quarterly report is due on friday'))
  assert.ok(similar > other + 0.05, `${similar} ${other}`)
  assert.ok(
    cosine(sentence('where do you work'), sentence('my job is at the hospital')) >
      cosine(asked, sentence('my job is at the hospital')),
  )
  assert.notEqual(shipped.vectorOf(['kindergärtnerin']), undefined)
  assert.equal(shipped.vectorOf(['2024', 'a1b2']), undefined)
})
