// Any store can stand behind the session index: its answers may take their time, and their number does not grow with the session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as later } from 'node:timers/promises'
import { weigh } from '../../src/context/text/tokens.ts'
import { indexOf } from '../../src/log/memory/memory-index.ts'
import { emptyRow, type Row } from '../../src/log/memory/memory-rows.ts'
import type { PastQuery } from '../../src/log/ports.ts'
import { pastOf, type SessionIndex } from '../../src/log/session-index.ts'
import { advance } from '../../src/log/standing.ts'
import type { Fact } from '../../src/model/event.ts'
import type { EventId } from '../../src/model/ids.ts'
import { exchange, session, sessionOf, turn } from './facts.ts'

const RAIN = session('rain')

/** A session of so many exchanges, with a pin near its beginning. */
function rowOf(exchanges: number): Row {
  const row = emptyRow(sessionOf(RAIN))
  const add = (fact: Fact): void => {
    const weight = weigh(fact)
    row.standing = advance(row.standing, fact, weight)
    row.events.push({ ...fact, session: RAIN, seq: row.standing.head, at: '2026-01-01T12:00:00.000Z', tokens: weight.tokens })
    row.messages.push(row.standing.messages)
    row.tokens.push(row.standing.tokens)
  }
  for (let number = 0; number < exchanges; number += 1) {
    const first = row.standing.head + 1
    for (const fact of exchange(first, turn(String(number)), 'hello there', 'hello to you')) add(fact)
  }
  add({ type: 'message.marked', target: 21, mark: 'pin' })
  row.ids.set('evt_1' as EventId, 3)
  return row
}

/** The same index as a store far away: every answer comes in a later turn of the event loop, and is counted. */
function farAway(index: SessionIndex): { readonly index: SessionIndex; readonly asked: () => number } {
  let asked = 0
  const { head, ...questions } = index
  const slow = Object.entries(questions).map(([name, ask]) => [
    name,
    async (...given: never[]) => {
      asked += 1
      await later()
      return (ask as (...values: never[]) => Promise<unknown>)(...given)
    },
  ])
  return { index: { head, ...Object.fromEntries(slow) } as SessionIndex, asked: () => asked }
}

const queries = (head: number): Readonly<Record<string, PastQuery>> => ({
  everything: { from: 'start' },
  'the last messages': { from: { messages: 6, before: head + 1 }, ids: ['evt_1' as EventId, 'evt_2' as EventId] },
  'the last tokens, and the beginning': { from: { tokens: 20 }, head: { messages: 3 } },
  'where the last request began': { from: { voice: 'assistant', policy: 'full@1', before: head + 1, orTokens: 12 } },
  'what one voice heard and said': { from: { messages: 6, before: head + 1 }, own: { voice: 'assistant', whole: 10 } },
  'the least messages, and what could be heard': {
    from: { tokens: 1, before: head + 1 },
    least: 4,
    voice: 'assistant',
    request: { voice: 'assistant', policy: 'full@1', before: head + 1 },
  },
  'from a seq, as it was then': { from: { seq: head - 20 }, through: head - 10 },
})

for (const what of Object.keys(queries(1))) {
  test(`a far index gives the same past, with as many questions for a long session: ${what}`, async () => {
    const counts: number[] = []
    for (const exchanges of [40, 800]) {
      const near = indexOf(rowOf(exchanges), weigh)
      const query = queries(near.head)[what] as PastQuery
      const far = farAway(near)
      assert.deepEqual(await pastOf(far.index, query), await pastOf(near, query))
      counts.push(far.asked())
    }
    const [short, long] = counts
    assert.equal(long, short)
  })
}
