import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Recorded } from '../../src/model/event.ts'
import type { TurnId } from '../../src/model/ids.ts'
import { runningMs } from '../../src/turn/schedule/running-ms.ts'

const TURN = 'trn_1' as TurnId
const NOON = Date.UTC(2026, 0, 1, 12)

/** An event of the turn, so many seconds after noon. */
const at = (seconds: number, type: string, given: object = {}): Recorded =>
  ({ type, turn: TURN, seq: 1, at: new Date(NOON + seconds * 1000).toISOString(), ...given }) as unknown as Recorded

test('a turn runs from its first event to its last, without the time that people take to answer', () => {
  const events = [
    at(0, 'turn.started'),
    at(10, 'reply.finished'),
    at(11, 'approval.asked', { approval: 'a' }),
    at(12, 'approval.asked', { approval: 'b' }),
    at(600, 'approval.answered', { approval: 'a' }),
    at(4000, 'approval.answered', { approval: 'b' }),
    at(4005, 'tool.settled'),
  ]
  assert.equal(runningMs(events, TURN), 16_000)
  assert.equal(runningMs(events.slice(0, 4), TURN), 11_000)
})

test('other turns, and a clock that was set back, give it no time and take none', () => {
  const events = [
    at(0, 'turn.started'),
    at(50, 'turn.started', { turn: 'trn_2' }),
    at(5, 'reply.finished'),
    at(2, 'tool.settled'),
  ]
  assert.equal(runningMs(events, TURN), 5000)
  assert.equal(runningMs([], TURN), 0)
})
