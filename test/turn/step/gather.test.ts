import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Past } from '../../../src/log/ports.ts'
import type { Event } from '../../../src/model/event.ts'
import type { EventId, SessionId } from '../../../src/model/ids.ts'
import { freshIn } from '../../../src/turn/step/gather.ts'

const heard = (seq: number, text: string): Event => ({
  type: 'message.received',
  from: 'person',
  session: 'ses_1' as SessionId,
  at: '2026-01-01T12:00:00.000Z',
  tokens: 1,
  seq,
  text,
})
const unsaved = (id: string, event: Event): { readonly id: EventId; readonly event: Event } => ({ id: id as EventId, event })

const past = (landed: readonly string[], through: number): Past => ({
  events: [],
  gaps: [],
  begins: null,
  last: null,
  lastBalance: null,
  lastMarksThrough: null,
  folds: [],
  through,
  landed: landed as readonly EventId[],
})

test('an event that was saved while the log was read is not read twice', () => {
  const waiting = [unsaved('evt_1', heard(4, 'one')), unsaved('evt_2', heard(5, 'two'))]
  const texts = (events: readonly Event[]): readonly unknown[] => events.map(event => [event.seq, 'text' in event && event.text])
  assert.deepEqual(texts(freshIn(waiting, past(['evt_1'], 4), undefined)), [[5, 'two']])
  assert.deepEqual(texts(freshIn(waiting, past(['evt_1', 'evt_2'], 5), undefined)), [])
  // What is not saved comes after everything that is, also where others wrote meanwhile.
  assert.deepEqual(texts(freshIn(waiting, past([], 9), undefined)), [
    [10, 'one'],
    [11, 'two'],
  ])
})

test('what a dry run imagines counts only beyond what the log has', () => {
  const imagined = [{ event: heard(4, 'one') }, { event: heard(5, 'two') }]
  assert.deepEqual(
    freshIn(imagined, past([], 4), undefined).map(({ seq }) => seq),
    [5],
  )
})
