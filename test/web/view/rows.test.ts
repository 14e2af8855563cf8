import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TurnId } from '../../../src/model/ids.ts'
import { SYNTHESIS, TITLE } from '../../../src/model/settings/council.ts'
import { findPlaces, stepTo } from '../../../web/src/transcript/find/find.ts'
import {
  countReplies,
  rowOfTurn,
  type TranscriptRowData,
  transcriptRowAt,
  transcriptRows,
} from '../../../web/src/transcript/rows.ts'
import { reduceAll } from '../../../web/src/view/reduce.ts'
import { EMPTY_VIEW, type View } from '../../../web/src/view/view.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import { workedMs } from '../../support/thread-time.ts'
import { delta, event, finished, planned, RECEIPT, said, show } from '../signals.ts'

const turn = (number: number): TurnId => `trn_${number}` as TurnId
const starts = (seq: number, number: number, voice: string, resumes?: TurnId): PageSignal =>
  event(seq, { type: 'turn.started', turn: turn(number), voice, cause: 1, ...(resumes === undefined ? {} : { resumes }) })
const ends = (seq: number, number: number, voice: string): PageSignal =>
  event(seq, { type: 'turn.ended', turn: turn(number), voice, reason: 'done' })

const drawn = (rows: readonly TranscriptRowData[]): readonly string[] =>
  rows.map(row => (row.kind === 'round' ? row.replies.map(({ voice }) => voice).join('+') : row.kind))
const rowsIn = (view: View, isCouncil = false, before?: readonly TranscriptRowData[]): readonly TranscriptRowData[] =>
  transcriptRows(view.entries, isCouncil, before)

const round = [said(1, 'hi'), starts(2, 1, 'ada'), starts(3, 2, 'bo'), planned(4, 1, turn(1)), planned(5, 1, turn(2))]

test('with one voice every entry is a row; several voices after one message are a round', () => {
  assert.deepEqual(drawn(rowsIn(show([said(1, 'hi'), starts(2, 1, 'ada')]))), ['message', 'reply'])
  assert.deepEqual(drawn(rowsIn(show([said(1, 'hi'), starts(2, 1, 'ada')]), true)), ['message', 'ada'])
  assert.deepEqual(drawn(rowsIn(show(round))), ['message', 'ada+bo'], 'also before anybody knows that it is a council')
})

test('a second attempt stays in its round, and what the house makes of it stands below, whenever it was made', () => {
  const summed = show([
    ...[...round, ends(6, 1, 'ada'), ends(7, 2, 'bo'), starts(8, 3, SYNTHESIS), ends(9, 3, SYNTHESIS)],
    ...[starts(10, 4, 'bo', turn(2)), said(11, 'and?'), starts(12, 5, 'ada')],
  ])
  assert.deepEqual(drawn(rowsIn(summed, true)), ['message', 'ada+bo+bo', 'reply', 'message', 'ada'])
})

test('a growing reply changes its own row and no other', () => {
  const before = rowsIn(show(round))
  const after = rowsIn(show([...round, delta('A', 0, { turn: turn(1) })]), false, before)
  const view = show([...round, said(6, 'wait')])
  const first = rowsIn(view)
  const grown = rowsIn(show([delta('A', 0, { turn: turn(1) })], view), false, first)
  assert.notEqual(after, before)
  assert.deepEqual(
    grown.map((row, index) => row === first[index]),
    [true, false, true],
  )
  assert.deepEqual(
    grown.map(({ key }) => key),
    first.map(({ key }) => key),
  )
  assert.equal(rowsIn(view, false, first), first, 'the same list where nothing changed')
})

test('a title that the house finds is not shown, and nobody waits for it', () => {
  const titled = show([...round, starts(6, 9, TITLE), planned(7, 1, turn(9), { ...RECEIPT, voice: TITLE }), ends(9, 9, TITLE)])
  assert.deepEqual(drawn(rowsIn(titled)), ['message', 'ada+bo'])
  assert.deepEqual(show([...round, starts(6, 9, TITLE)]).running, [turn(1), turn(2)])
})

test('an event is found in the row that holds it, also where voices spoke side by side', () => {
  const view = show([
    ...round,
    finished(6, [{ type: 'text', text: 'second' }], 1, turn(2)),
    ...[finished(7, [{ type: 'text', text: 'first' }], 1, turn(1)), ends(8, 1, 'ada'), ends(9, 2, 'bo'), said(10, 'next')],
  ])
  const rows = rowsIn(view)
  const at = (seq: number): number => transcriptRowAt(rows, seq)
  assert.deepEqual([1, 2, 6, 7, 8, 10, 99].map(at), [0, 1, 1, 1, 1, 2, 2])
  assert.equal(transcriptRowAt(rows, 0), -1)
  assert.equal(rowOfTurn(rows, turn(2)), 1)
  assert.equal(rowOfTurn(rows, 'trn_x'), -1)
  assert.equal(countReplies(view.entries), 2)

  const into = rowsIn(
    show([said(1, 'hi'), starts(2, 1, 'ada'), planned(3, 1, turn(1)), said(4, 'hurry'), finished(5, [], 1, turn(1))]),
  )
  assert.equal(transcriptRowAt(into, 5), 1, 'a reply is where it stands, though something was said before it ended')
})

test('words are found wherever they are said, in any case and without accents, and stepping goes round', () => {
  const view = show([
    said(1, 'Café, café'),
    starts(2, 1, 'ada'),
    ...[
      planned(3, 1, turn(1)),
      finished(
        4,
        [
          { type: 'think', text: 'cafe' },
          { type: 'text', text: 'a CAFE' },
        ],
        1,
        turn(1),
      ),
    ],
  ])
  const rows = rowsIn(view)
  const places = findPlaces(rows, ' cafe ')
  assert.deepEqual(places, [
    { row: 'message 1', nth: 0 },
    { row: 'message 1', nth: 1 },
    { row: 'reply 2 trn_1', nth: 0 },
  ])
  assert.deepEqual(findPlaces(rows, '  '), [])
  assert.deepEqual([stepTo(places, null, 1), stepTo(places, null, -1), stepTo(places, 2, 1), stepTo(places, 0, -1)], [0, 2, 0, 2])
  assert.equal(stepTo([], null, 1), null)
})

test('a session of 20,000 messages is read at once', () => {
  const signals = Array.from({ length: 10_000 }, (_, index): readonly PageSignal[] => {
    const seq = index * 5 + 1
    return [
      said(seq, 'hi'),
      event(seq + 1, { type: 'turn.started', turn: turn(index), voice: 'ada', cause: seq }),
      planned(seq + 2, 1, turn(index)),
      finished(seq + 3, [{ type: 'text', text: 'hello' }], 1, turn(index)),
      ends(seq + 4, index, 'ada'),
    ]
  }).flat()
  const started = workedMs()
  const view = reduceAll(EMPTY_VIEW, signals)
  const rows = transcriptRows(view.entries, false)
  const ms = workedMs() - started
  assert.equal(rows.length, 20_000)
  // A tenth of that on an idle machine; what grows with the square of the length takes several times as much.
  assert.ok(ms < 1200, `${ms} ms`)
})
