// Summaries on the page: which are shown, where, for which messages, and what is said while one is made.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HistoryFolded } from '../../../src/model/fold.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import { FOLD } from '../../../src/model/settings/council.ts'
import { placedFolds } from '../../../web/src/transcript/folds/placed-folds.ts'
import { transcriptRows } from '../../../web/src/transcript/rows.ts'
import { foldSpans } from '../../../web/src/view/folds.ts'
import type { View } from '../../../web/src/view/view.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import { foldByWords, foldFailedWords, foldingWords, foldLineWords } from '../../../web/src/words/fold-words.ts'
import { followWords } from '../../../web/src/words/memory-words.ts'
import { leftWords, replySawWords } from '../../../web/src/words/reasons.ts'
import { delta, ended, event, FAULT, finished, planned, RECEIPT, said, show, started } from '../signals.ts'

const turnOf = (number: number): TurnId => `trn_${number}` as TurnId

/** Exchanges of five events each: message, start, request, reply, end. */
const exchange = (number: number): readonly PageSignal[] => {
  const [seq, turn] = [(number - 1) * 5 + 1, turnOf(number)]
  return [
    said(seq, `Question ${number}`),
    event(seq + 1, { type: 'turn.started', turn, voice: 'assistant', cause: seq }),
    planned(seq + 2, 1, turn),
    finished(seq + 3, [{ type: 'text', text: `Answer ${number}` }], 1, turn),
    ended(seq + 4, turn),
  ]
}
const PAST: View = show([1, 2, 3, 4].flatMap(exchange))

const fold = (seq: number, more: Partial<HistoryFolded> = {}): PageSignal =>
  event(seq, { type: 'history.folded', from: 1, to: 10, text: 'They talked.', by: 'extract', messages: 4, folded: 9300, ...more })

const FOLD_TURN = 'trn_fold' as TurnId
const folding = (seq: number, turn = FOLD_TURN): PageSignal =>
  event(seq, { type: 'turn.started', turn, voice: FOLD, cause: 16, fold: { from: 1, to: 10 } })
const foldEnd = (seq: number, reason: 'done' | 'failed' | 'cancelled', turn = FOLD_TURN): PageSignal =>
  event(seq, { type: 'turn.ended', turn, voice: FOLD, reason, ...(reason === 'failed' ? { fault: FAULT } : {}) })

const seqs = ({ folds }: View): readonly number[] => folds.made.map(({ seq }) => seq)

describe('folds', () => {
  test('stand below the row with which their stretch ends, and say which messages they are about', () => {
    const view = show([fold(21)], PAST)
    assert.equal(view.entries.length, PAST.entries.length, 'a summary is no entry of the conversation')
    const rows = transcriptRows(view.entries, false)
    const placed = placedFolds(rows, view.entries, view.folds)
    assert.deepEqual([...placed.keys()], [3], 'below the second answer')
    const [shown] = placed.get(3)?.made ?? []
    assert.ok(shown !== undefined)
    assert.deepEqual(shown.span, { first: 1, last: 4 })
    assert.equal(foldLineWords(shown, shown.span), 'Messages 1–4 summarized · 9,300 → 3 tokens')
    const later = fold(22, { from: 11, to: 15, messages: 2 })
    assert.deepEqual(foldSpans(view.entries, show([later], view).folds.made), [
      { first: 1, last: 4 },
      { first: 5, last: 6 },
    ])
    assert.deepEqual(foldSpans(view.entries, [{ from: 11, to: 20 }]), [{ first: 5, last: 8 }], 'counted where it does not say')
  })

  test('are gone once one replaces them by name or by its range, or removes them; those of other voices stay', () => {
    assert.deepEqual(seqs(show([fold(21), fold(22, { replaces: 21, by: 'person', text: 'Edited.' })], PAST)), [22])
    assert.deepEqual(seqs(show([fold(21), fold(22, { from: 11, to: 15 }), fold(23, { to: 15 })], PAST)), [23])
    assert.deepEqual(seqs(show([fold(21), fold(22, { replaces: 21, text: '' })], PAST)), [])
    assert.deepEqual(seqs(show([fold(21), fold(22, { to: 8 })], PAST)), [21, 22], 'a smaller one replaces no larger one')
    const ofAda = fold(21, { voice: 'ada' })
    assert.deepEqual(seqs(show([ofAda, fold(22)], PAST)), [21, 22])
    assert.deepEqual(seqs(show([ofAda, fold(22, { voice: 'ada', replaces: 21, text: '' })], PAST)), [])
    const known = show([fold(21), fold(22, { replaces: 21, text: '' })], PAST).folds.known
    assert.deepEqual(
      known.map(({ seq }) => seq),
      [21],
      'an old request still finds what its summary was about',
    )
  })

  test('that are being made run beside the conversation: no reply, nothing to stop, and their model is known', () => {
    const begun = show([folding(21), planned(22, 1, FOLD_TURN, { ...RECEIPT, voice: FOLD, model: 'small' })], PAST)
    const spoken = show([delta('They', 0, { turn: FOLD_TURN })], begun)
    assert.deepEqual(spoken.running, [])
    assert.equal(spoken.entries, PAST.entries)
    assert.equal(spoken.boundary, PAST.boundary)
    assert.deepEqual(
      spoken.folds.making.map(({ failed }) => failed),
      [null],
    )
    const placed = placedFolds(transcriptRows(spoken.entries, false), spoken.entries, spoken.folds)
    assert.equal(foldingWords(placed.get(3)?.making[0]?.span ?? { first: 0, last: 0 }), 'Summarizing messages 1–4 …')

    const done = show([fold(24, { by: 'model', turn: FOLD_TURN }), foldEnd(25, 'done')], spoken)
    assert.deepEqual(done.folds.making, [])
    assert.deepEqual(
      done.folds.made.map(({ model }) => model),
      ['small'],
    )
    assert.equal(foldByWords({ by: 'model', model: 'small' }), 'Written by small')
    const answering = show([started(26, turnOf(9))], begun)
    assert.deepEqual(answering.running, [turnOf(9)], 'an answer beside it is stopped by itself')
  })

  test('that failed say so until one comes for the same messages; those that made way say nothing', () => {
    const failed = show([folding(21), foldEnd(22, 'failed')], PAST)
    assert.deepEqual(
      failed.folds.making.map(({ failed: why }) => why),
      [FAULT.message],
    )
    assert.equal(
      foldFailedWords({ first: 1, last: 4 }, FAULT.message),
      'Messages 1–4 could not be summarized: the line went dead',
    )
    assert.deepEqual(show([fold(23)], failed).folds.making, [])
    const again = 'trn_again' as TurnId
    assert.deepEqual(
      show([folding(23, again)], failed).folds.making.map(({ turn }) => turn),
      [again],
    )
    assert.deepEqual(show([folding(21), foldEnd(22, 'cancelled')], PAST).folds.making, [])
  })

  test('are counted on the line above which nothing was sent, and beside a reply', () => {
    const seen = { messages: 2, of: 9, folded: 4 }
    const receipt = { ...RECEIPT, seen, window: { begins: 16, folds: [21] } }
    const { boundary } = show([started(21, turnOf(9)), planned(22, 1, turnOf(9), receipt)], PAST)
    assert.equal(boundary?.folded, 4)
    assert.equal(
      leftWords(7, null, boundary ?? {}),
      '7 messages above this line were not sent with the last reply; 4 of them are summarized',
    )
    assert.equal(leftWords(4, 'Ada', { folded: 4 }), '4 messages above this line were sent as a summary to Ada')
    assert.equal(replySawWords(receipt), 'Saw 2 of 9 messages, 4 summarized')
  })

  test('and the size of the window is said with its reason', () => {
    const follow = { times: 1.5, beyond: [], through: 1 }
    assert.equal(
      followWords({ ...follow, reason: 'grown' }),
      'Window grew to 1.5 times its first size, because replies needed more than it showed',
    )
    assert.match(followWords({ ...follow, reason: 'shrunk' }) ?? '', /^Window shrank to 1\.5 times/)
    assert.match(followWords({ ...follow, reason: 'limit' }) ?? '', /cannot grow further$/)
    assert.match(followWords({ ...follow, reason: 'balance' }) ?? '', /would cost more/)
    assert.equal(followWords({ ...follow, times: 1 }), null)
  })
})

test('a pin says how far it reaches, and another mark does not', () => {
  const pin = event(21, { type: 'message.marked', target: 1, mark: 'pin', reach: 'project' })
  const pinned = show([pin, event(22, { type: 'message.marked', target: 4, mark: 'pin', reach: 'everywhere' })], PAST)
  const [message, reply] = pinned.entries
  assert.equal(message?.kind === 'message' ? message.reach : null, 'project')
  assert.equal(reply?.kind === 'reply' ? reply.steps[0]?.reach : null, 'everywhere')
  const [again] = show([event(23, { type: 'message.marked', target: 1, mark: 'pin' })], pinned).entries
  assert.equal(again !== undefined && 'reach' in again, false)
})
