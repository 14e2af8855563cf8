// A past is the part of a session that a context can use, and says what it left out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PastQuery, ReadRange } from '../../../src/log/ports.ts'
import { ASIDE_TYPES } from '../../../src/log/session-index.ts'
import type { Fact } from '../../../src/model/event.ts'
import { tries } from '../../support/tries.ts'
import { broken, exchange, finished, heard, must, seqsOf, session, sessionOf, started, text, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const T1 = turn('1')
const T2 = turn('2')

onEveryStore('past of EventLog', (_, opened) => {
  test('a tail begins where the last messages before a place begin, and says what stands before it', async t => {
    const { log } = await opened(t, RAIN)
    // Messages begin at 1 and 4 (turn 1), 6 and 9 (turn 2), 11 (the new one, in turn 3).
    const said = [...exchange(1, T1, 'a', 'b'), ...exchange(6, T2, 'c', 'd'), heard('e'), started(turn('3'), 11)]
    must(await log.append(RAIN, said))
    const tail = async (messages: number, before: number) => {
      const { events, gaps } = must(await log.past(RAIN, { from: { messages, before } }))
      const [gap] = gaps
      const unread = gap === undefined ? null : { to: gap.to, messages: gap.messages }
      const near = events.filter(({ seq }) => seq > (unread?.to ?? 0))
      assert.deepEqual(seqsOf(near), spokenAfter(said, unread?.to ?? 0), 'up to the end')
      assert.equal(events.at(-1)?.seq, 12)
      const starts = new Set(events.flatMap(event => (event.type === 'turn.started' ? [event.turn] : [])))
      assert.ok(
        events.every(event => !('turn' in event) || starts.has(event.turn)),
        'it is known whose words they are',
      )
      return { from: near[0]?.seq, unread }
    }
    assert.deepEqual(await tail(0, 11), { from: 11, unread: { to: 10, messages: 4 } })
    assert.deepEqual(await tail(1, 11), { from: 9, unread: { to: 8, messages: 3 } })
    assert.deepEqual(await tail(2, 11), { from: 6, unread: { to: 5, messages: 2 } })
    assert.deepEqual(await tail(3, 11), { from: 4, unread: { to: 3, messages: 1 } })
    assert.deepEqual(await tail(4, 11), { from: 1, unread: null })
    assert.deepEqual(await tail(50, 11), { from: 1, unread: null })
    assert.deepEqual(await tail(1, 6), { from: 4, unread: { to: 3, messages: 1 } })
    assert.deepEqual(await tail(1, 13), { from: 11, unread: { to: 10, messages: 4 } }, 'before an event that is yet to come')
    assert.deepEqual(await tail(1, 1), { from: 1, unread: null })
  })

  test('long messages end a page, and a tail, before their number does', async t => {
    const { log } = await opened(t, RAIN)
    const long = 'hello '.repeat(1 << 17)
    // Messages begin at 1 and 4 (turn 1), 6 and 9 (turn 2), 11 (the new one).
    must(await log.append(RAIN, [...exchange(1, T1, long, long), ...exchange(6, T2, long, long), heard('hello')]))
    const sized = async (range: ReadRange) => seqsOf(must(await log.read(RAIN, { ...range, size: 1 << 20 })))
    assert.deepEqual(await sized({}), [1, 2, 3, 4], 'the event that goes beyond is still there')
    assert.deepEqual(await sized({ after: 4, limit: 3 }), [5, 6, 7])
    assert.deepEqual(await sized({ newest: true }), [6, 7, 8, 9, 10, 11])
    assert.deepEqual(await sized({ after: 11 }), [])
    const all = Array.from({ length: 11 }, (_, index) => index + 1)
    assert.deepEqual(seqsOf(must(await log.read(RAIN))), all, 'who names no size gets everything')
    assert.deepEqual(seqsOf(must(await log.read(RAIN, { newest: true, limit: 7 }))), all.slice(4))
    assert.deepEqual(seqsOf(must(await log.read(RAIN, { turn: T2 }))), [7, 8, 9, 10])
    const first = async (from: PastQuery['from']) => {
      const { events, gaps } = must(await log.past(RAIN, { from }))
      return [events.find(({ seq }) => seq > (gaps[0]?.to ?? 0))?.seq, gaps[0]?.messages ?? 0]
    }
    const weight = must(await log.read(RAIN))[0]?.tokens ?? 0
    const head = async (messages: number, least: number, tokens: number) =>
      seqsOf(must(await log.past(RAIN, { from: { seq: 11 }, head: { messages, least, tokens } })).events).at(-2)
    assert.equal(await head(9, 1, 9 * weight), 10)
    assert.equal(await head(2, 1, 9 * weight), 5)
    assert.equal(await head(9, 1, weight), 5, 'the one that goes beyond, and its turn, are still there')
    assert.equal(await head(9, 3, 1), 10, 'some are always read')
    assert.deepEqual(await first({ messages: 50, tokens: 2 * weight, before: 11 }), [6, 2])
    assert.deepEqual(await first({ messages: 1, tokens: 2 * weight, before: 11 }), [9, 3], 'whichever is nearer')
    assert.deepEqual(await first({ messages: 50, tokens: 9 * weight, before: 11 }), [1, 0])
    assert.deepEqual(await first({ messages: 50, tokens: 1, before: 11 }), [9, 3], 'the one that goes beyond is still there')
    assert.deepEqual(await first({ tokens: 1, before: 6 }), [6, 2], 'however long what came after it is')
    assert.deepEqual(await first({ tokens: weight + 1, before: 11 }), [9, 3])
  })

  test('what is measured by one voice is what it heard and said, however much the others say', async t => {
    const { log } = await opened(t, RAIN)
    const facts: Fact[] = []
    const begins: number[] = []
    for (let round = 1; round <= 6; round += 1) {
      begins.push(facts.length + 1)
      const cause = facts.length + 1
      const turns = ['ada', 'talker'].map(voice => ({ voice, turn: turn(`${voice}${round}`) }))
      facts.push(heard('hello'), ...turns.map(each => ({ type: 'turn.started' as const, ...each, cause })))
      for (const { voice, turn: id } of turns) facts.push(finished(id, 1, text(voice === 'ada' ? 'hello' : 'hello '.repeat(500))))
    }
    must(await log.append(RAIN, facts))
    const first = async (want: Pick<PastQuery, 'from' | 'own'>) => must(await log.past(RAIN, want)).events[0]?.seq
    const own = { voice: 'ada', whole: 0 }
    // Two messages a round, one token each.
    assert.equal(await first({ from: { messages: 4, before: facts.length + 1 }, own }), begins[4])
    assert.equal(await first({ from: { tokens: 6 }, own }), begins[3])
    assert.equal(await first({ from: { voice: 'ada', policy: 'x', before: 99, orTokens: 2 }, own }), begins[5])
    assert.equal(await first({ from: { tokens: 2 }, own: { voice: 'ada', whole: 11 } }), begins[5], 'there is more than that')
    assert.equal(await first({ from: { tokens: 2 }, own: { voice: 'ada', whole: 12 } }), 1, 'all of it')
    assert.equal(await first({ from: { tokens: 2 }, own: { voice: 'new', whole: 6 } }), 1, 'who says nothing hears everything')
    assert.equal(await first({ from: { messages: 400, before: facts.length + 1 }, own }), 1)
  })

  test('for any session and any place, a tail and what it left unread are the whole', async t => {
    const { log } = await opened(t)
    const step = fc.constantFrom('heard', 'reply', 'more', 'empty', 'other')
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), fc.nat(6), fc.nat(26), async (steps, messages, place) => {
        count += 1
        const id = session(`tail${count}`)
        must(await log.open(sessionOf(id)))
        const facts = steps.map(factFor)
        must(await log.append(id, facts))
        const before = 1 + (place % (facts.length + 1))
        const { events, gaps } = must(await log.past(id, { from: { messages, before } }))
        const [unread] = gaps
        const begins = facts.flatMap((_, index) => (beginsMessage(steps[index]) ? [index + 1] : []))
        const past = begins.filter(seq => seq < before)
        const whole = messages >= past.length
        const from = whole ? 1 : (past[past.length - messages] ?? begins.find(seq => seq >= before) ?? before)
        assert.deepEqual(unread, whole ? undefined : { from: 1, to: from - 1, messages: past.length - messages })
        assert.deepEqual(seqsOf(events), spokenAfter(facts, from - 1))
      }),
      tries(60),
    )
  })
})

const factFor = (kind: string, index: number): Fact => {
  const id = turn(String(index))
  if (kind === 'heard') return heard('hello')
  if (kind === 'reply') return finished(id, 1, text('yes'))
  if (kind === 'more') return finished(id, 2, text('and'))
  if (kind === 'empty') return broken(id, 1)
  return { type: 'session.changed', changes: {} }
}
const beginsMessage = (kind: string | undefined): boolean => kind === 'heard' || kind === 'reply'

/** The seqs after a place of what a context can be made of. */
const spokenAfter = (facts: readonly Fact[], after: number): number[] =>
  facts.flatMap((fact, index) => (index >= after && !ASIDE_TYPES.includes(fact.type) ? [index + 1] : []))
