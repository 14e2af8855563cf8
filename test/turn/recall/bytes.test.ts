// What the index writes as bytes it reads back as it was: numbers, texts, postings, blocks, words and replaced answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PostingRow } from '../../../src/log/ports.ts'
import {
  addMessages,
  BLOCK,
  decodeBlock,
  decodeReplaced,
  decodeTerms,
  eachTerm,
  encodeBlock,
  encodeReplaced,
  encodeTerms,
  type IndexedMessage,
  NO_TOTALS,
  scanBlock,
} from '../../../src/turn/recall/fill/blocks.ts'
import { amongTexts, byteReader, byteWriter } from '../../../src/turn/recall/fill/bytes.ts'
import { countBelow, eachPosting, type Posting, segmentOf, withPostings } from '../../../src/turn/recall/fill/postings.ts'
import { workedMs } from '../../support/thread-time.ts'
import { tries } from '../../support/tries.ts'

const RUNS = tries(200)
const number = fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.constantFrom(0, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32))
/** As a store keeps them: half of a surrogate pair becomes the sign for what is no character. */
const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', 'ß', '渡口'),
)

/** Terms are never empty. */
const term = text.filter(each => each !== '')

test('numbers and texts come back as they were written', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(number, text)), items => {
      const writer = byteWriter()
      for (const item of items) typeof item === 'number' ? writer.number(item) : writer.text(item)
      const reader = byteReader(writer.done())
      for (const item of items) assert.equal(typeof item === 'number' ? reader.number() : reader.text(), item)
      assert.ok(reader.isAtEnd())
    }),
    RUNS,
  )
})

test('a text is found among others without reading those', () => {
  fc.assert(
    fc.property(fc.array(term), fc.array(term, { maxLength: 4 }), fc.nat(), (texts, others, at) => {
      const wanted = new Set([...others, texts[at % Math.max(1, texts.length)] ?? 'none'])
      const writer = byteWriter()
      for (const each of texts) writer.text(each)
      const reader = byteReader(writer.done())
      for (const each of texts) assert.equal(reader.textAmong(amongTexts(wanted)), wanted.has(each) ? each : undefined)
    }),
    RUNS,
  )
})

test('bytes that end too early are refused at once, however long they say they are', () => {
  const writer = byteWriter()
  writer.number(2 ** 45)
  const began = workedMs()
  assert.throws(() => byteReader(writer.done()).text(), RangeError)
  assert.throws(() => byteReader(Uint8Array.of(0x80)).number(), RangeError)
  assert.throws(() => byteReader(new Uint8Array()).number(), RangeError)
  assert.ok(workedMs() - began < 500, 'and nothing is made of what is not there')
})

const passages = fc
  .uniqueArray(fc.nat(70_000), { minLength: 1, maxLength: 40 })
  .map(list => list.toSorted((a, b) => a - b))
  .chain(list =>
    fc.tuple(
      ...list.map(passage => fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 })).map(count => ({ passage, count }))),
    ),
  )

const readAll = (row: PostingRow, below = Number.POSITIVE_INFINITY): readonly Posting[] => {
  const found: Posting[] = []
  eachPosting(row, below, (passage, count) => found.push({ passage, count }))
  return found
}

test('postings come back in their segments, also if they were added in parts, or a part of them twice', () => {
  fc.assert(
    fc.property(passages, fc.nat(), fc.nat(), fc.nat(80_000), (all, cut, again, below) => {
      for (const [segment, own] of Map.groupBy(all, ({ passage }) => segmentOf(passage))) {
        const at = cut % (own.length + 1)
        const whole = withPostings(undefined, 'term', own)
        assert.deepEqual(readAll(whole), own)
        assert.deepEqual([whole.segment, whole.count, whole.last], [segment, own.length, own.at(-1)?.passage])
        if (at > 0 && at < own.length) {
          const first = withPostings(undefined, 'term', own.slice(0, at))
          assert.deepEqual(withPostings(first, 'term', own.slice(at)), whole)
          // A crash left more behind than the state knows of.
          assert.deepEqual(withPostings(whole, 'term', own.slice(again % own.length)), whole)
          assert.deepEqual(readAll(withPostings(whole, 'term', own.slice(again % at, at))), own.slice(0, at))
        }
        const kept = own.filter(({ passage }) => passage < below)
        assert.deepEqual(readAll(whole, below), kept)
        assert.equal(countBelow(whole, below), kept.length)
      }
    }),
    RUNS,
  )
})

const flags = fc.record({ asks: fc.boolean(), statesRule: fc.boolean(), statesWish: fc.boolean(), speaksOfSelf: fc.boolean() })
const message = fc
  .record({ seq: fc.nat(1e6), steps: fc.array(fc.nat(900), { maxLength: 3 }), later: fc.nat(50), minute: fc.nat(30_000_000) })
  .chain(({ seq, steps, later, minute }) =>
    fc
      .tuple(flags, fc.constantFrom('', 'assistant', 'ada'), text, fc.array(text, { maxLength: 2 }), fc.nat(5000), fc.nat(4))
      .map(([facts, voice, name, to, tokens, more]) => {
        const seqs = [seq, ...steps.map((_, at) => seq + steps.slice(0, at + 1).reduce((sum, step) => sum + step + 1, 0))]
        const completed = (seqs.at(-1) ?? 0) + later
        return { ...facts, seqs, completed, minute, voice, name, to, tokens, passages: more + 1, sitting: minute % 7 }
      }),
  )

test('a block gives back its messages and passages, what came before, and where each message begins', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), fc.nat(9), (given, block) => {
      const before = addMessages(NO_TOTALS, [])
      let first = block * BLOCK
      const messages = given.map((each, index): IndexedMessage => {
        const placed = { ...each, number: index, first, terms: each.passages * 3 }
        first += each.passages
        return placed
      })
      const own = messages.flatMap(({ passages: many }) =>
        Array.from({ length: many }, (_, behind) => ({
          text: behind % 2,
          from: behind * 7,
          to: behind * 7 + 5,
          length: 3,
          behind,
        })),
      )
      assert.deepEqual(decodeBlock(encodeBlock({ before, messages, passages: own }), block), { before, messages, passages: own })
      const scanned = scanBlock(encodeBlock({ before, messages, passages: own }), block)
      const begins = new Map(messages.map(each => [each.first - block * BLOCK, each]))
      for (const [index, passage] of own.entries()) {
        assert.deepEqual([scanned.behind(index), scanned.passage(index)], [passage.behind, passage])
        assert.deepEqual(scanned.message(index), begins.get(index))
      }
      assert.deepEqual([scanned.passage(own.length), scanned.message(own.length)], [undefined, undefined])
      assert.deepEqual(scanned.whole(), { before, messages, passages: own })
      const totals = addMessages(before, messages)
      const next = decodeBlock(encodeBlock({ before: totals, messages: [], passages: [] }), block + 1)
      assert.deepEqual(next.before, totals)
      const scannedNext = scanBlock(encodeBlock({ before: totals, messages: [], passages: [] }), block + 1)
      assert.deepEqual([scannedNext.messagesBefore, scannedNext.completedBefore], [totals.messages, totals.completed])
      assert.equal(totals.messages, messages.length)
    }),
    RUNS,
  )
})

test('the words of passages and the answers that were replaced come back', () => {
  const terms = fc.array(fc.uniqueArray(fc.tuple(term, fc.integer({ min: 1, max: 200 })), { selector: ([each]) => each }))
  fc.assert(
    fc.property(terms, fc.array(fc.tuple(number, number)), (given, replaced) => {
      assert.deepEqual(decodeTerms(encodeTerms(given)), given)
      const wanted = new Set(given.flat().flatMap(([each], index) => (index % 2 === 0 ? [each] : [])))
      const seen: [number, string, number][] = []
      eachTerm(encodeTerms(given), wanted, (...one) => seen.push(one))
      assert.deepEqual(
        seen,
        given.flatMap((own, passage) => own.filter(([each]) => wanted.has(each)).map(([each, count]) => [passage, each, count])),
      )
      assert.deepEqual(decodeReplaced(encodeReplaced(replaced)), replaced)
    }),
    RUNS,
  )
})
