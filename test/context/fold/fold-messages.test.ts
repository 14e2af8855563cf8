import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldMessages } from '../../../src/context/fold/fold-messages.ts'
import { finishSteps, piecesOf, type Steps } from '../../../src/context/fold/steps.ts'
import type { Beat } from '../../../src/context/stages/draft.ts'
import { unitsOf } from '../../../src/context/window/units.ts'
import type { Part } from '../../../src/model/event.ts'
import type { CallId, TurnId } from '../../../src/model/ids.ts'
import { tries } from '../../support/tries.ts'

const heard = (seq: number, text: string): Beat => ({
  kind: 'heard',
  message: `heard ${seq}`,
  seq,
  text,
  attachments: [],
  tokens: 1,
})
const answered = (seq: number, parts: readonly Part[], result?: string): Beat => ({
  kind: 'said',
  message: 'turn 1',
  seq,
  to: seq,
  turn: 'trn_1' as TurnId,
  voice: 'builder',
  parts,
  answers: result === undefined ? [] : [{ call: 'cal_1' as CallId, ok: true, text: result }],
  tokens: 1,
})

test('a message has its speaker, its words without thinking, and what came with it', () => {
  const file = { type: 'text' as const, name: 'plan.md', mediaType: 'text/markdown', text: 'The plan.' }
  const call: Part = { type: 'call', call: 'cal_1' as CallId, tool: 'read', args: { path: 'a.ts' } }
  const units = unitsOf([
    { ...heard(1, 'Read it.'), attachments: [file] } as Beat,
    answered(3, [{ type: 'think', text: 'Hm.' }, { type: 'text', text: 'I look.' }, call], 'const a = 1'),
    answered(6, [{ type: 'text', text: 'It is one.' }]),
  ])
  assert.deepEqual(foldMessages(units, { person: 'Anna', voices: { builder: 'The Builder' } }), [
    { seq: 1, speaker: 'Anna', isPerson: true, words: 'Read it.', material: [{ name: 'plan.md', text: 'The plan.' }] },
    {
      seq: 3,
      speaker: 'The Builder',
      isPerson: false,
      words: 'I look.\n\nIt is one.',
      material: [
        { name: 'read', text: '{"path":"a.ts"}' },
        { name: '', text: 'const a = 1' },
      ],
    },
  ])
  assert.deepEqual(
    foldMessages(units).map(({ speaker }) => speaker),
    ['User', 'Assistant'],
  )
})

test('where messages begin with their authors, these are the speakers', () => {
  const named = foldMessages(unitsOf([heard(1, 'Anna: I am home.'), heard(2, 'Bob: Good.'), heard(3, 'Anna: Yes.')]))
  assert.deepEqual(
    named.map(({ speaker, words }) => [speaker, words]),
    [
      ['Anna', 'I am home.'],
      ['Bob', 'Good.'],
      ['Anna', 'Yes.'],
    ],
  )
  const note = foldMessages(unitsOf([heard(1, 'Note: I am home.'), heard(2, 'Good.'), heard(3, 'Yes.')]))
  assert.deepEqual(
    note.map(({ speaker }) => speaker),
    ['User', 'User', 'User'],
  )
})

test('the pieces of a text are the text, and none is long or ends within a character', () => {
  const part = fc.constantFrom('words and more words ', '\n', '😀'.repeat(300), 'x'.repeat(5000), '東京'.repeat(900))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), parts => {
      const text = parts.join('')
      const pieces = [...piecesOf(text)]
      assert.equal(pieces.map(piece => piece.text).join(''), text)
      for (const piece of pieces) {
        assert.ok(piece.text.length <= 8192 && piece.text.isWellFormed())
        assert.equal(text.slice(piece.at, piece.at + piece.text.length), piece.text)
      }
    }),
    tries(300),
  )
})

test('steps give their result at last', () => {
  function* work(): Steps<number> {
    yield
    yield
    return 3
  }
  assert.equal(finishSteps(work()), 3)
})
