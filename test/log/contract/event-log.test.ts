// Appends are whole, in order and written once, and reads give back what was said, letter for letter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ANYONE, type Log } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import { tries } from '../../support/tries.ts'
import {
  ended,
  eventsOf,
  exchange,
  factsOf,
  faultOf,
  finished,
  gapless,
  heard,
  must,
  planned,
  seqsOf,
  session,
  started,
  text,
  turn,
} from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')
const T2 = turn('2')

/** Every text that some layer between a person and a disk has been known to change. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a lone high surrogate': 'a\ud800b',
  'a lone low surrogate': '\udfff',
  'surrogates the wrong way round': '\udc00\ud800',
  'a NUL in the middle': 'before\u0000after',
  'only a NUL': '\u0000',
  'every control character': Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join(''),
  'a control token': '<|endoftext|>',
  'line separators and a BOM': '\ufeffa\u2028b\u2029c\r\nd',
  'letters that would be normalised': 'e\u0301 \u00e9 \ufb01 \u212b',
  'something like SQL': `'; drop table events; --`,
  'something like JSON': '{"type":"turn.ended"}\\u0000\\"',
  'nothing at all': '',
  'a family in one character': '👩‍👩‍👧‍👦',
}

onEveryStore('EventLog', (_, opened) => {
  test('events count 1, 2, 3 in each session, and come back as they were said', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const said = [...exchange(1, T1, 'Rain?', 'Yes.'), ...exchange(6, T2, 'Still?', 'No.')]
    const first = must(await log.append(RAIN, said.slice(0, 3)))
    must(await log.append(SUN, [heard('elsewhere')]))
    const second = must(await log.append(RAIN, said.slice(3)))
    const events = await eventsOf(log, RAIN)
    gapless(events)
    assert.deepEqual(factsOf(events), said)
    assert.deepEqual(events, [...first.events, ...second.events], 'an append gives back what a read will')
    assert.ok(events.every(event => event.session === RAIN))
    assert.deepEqual(new Set(first.events.map(event => event.at)).size, 1, 'facts said together have one time')
    assert.deepEqual(seqsOf(await eventsOf(log, SUN)), [1])
  })

  test('an append is all or nothing', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('one')]))
    const before = must(await log.standing(RAIN))
    const impossible = { type: 'tool.started', turn: T1, call: 'c1', tool: 'x', args: () => 1 } satisfies Fact
    await assert.rejects(async () => log.append(RAIN, [heard('two'), started(T1, 2), impossible], { key: 'k' }))
    faultOf(await log.append(RAIN, [heard('two'), started(T1, 2)], { expect: 7, key: 'k' }), 'conflict')
    assert.deepEqual(await eventsOf(log, RAIN).then(seqsOf), [1])
    assert.deepEqual(must(await log.standing(RAIN)), before)
    assert.deepEqual(must(await log.openTurns()), [])
    assert.equal(must(await log.append(RAIN, [heard('two')], { key: 'k' })).again, false, 'its key is free')
  })

  test('of two writers that saw the same end, one gets a conflict', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('one')], { expect: 0 }))
    const both = await Promise.all([
      log.append(RAIN, [heard('mine'), heard('mine too')], { expect: 1 }),
      log.append(RAIN, [heard('theirs'), heard('theirs too')], { expect: 1 }),
    ])
    assert.deepEqual(both.map(result => (result.ok ? 'ok' : result.fault.kind)).sort(), ['conflict', 'ok'])
    gapless(await eventsOf(log, RAIN))
    assert.equal(must(await log.standing(RAIN)).head, 3)
  })

  test('many writers at once leave no gap and lose nothing', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const texts = Array.from({ length: 60 }, (_, index) => `message ${index}`)
    const appended = await Promise.all(
      texts.map((each, index) => log.append(index % 3 === 0 ? SUN : RAIN, [heard(each), heard(`${each} again`)])),
    )
    for (const id of [RAIN, SUN]) {
      const events = await eventsOf(log, id)
      gapless(events)
      assert.deepEqual(
        events,
        appended.flatMap(one => must(one).events.filter(event => event.session === id)),
      )
    }
  })

  test('the same key gives the same events back, whatever was said since', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const first = must(await log.append(RAIN, [heard('once'), started(T1, 1)], { key: 'k1' }))
    assert.equal(first.again, false)
    must(await log.append(RAIN, [heard('later'), ended(T1)]))
    const again = must(await log.append(RAIN, [heard('not this'), heard('nor this')], { key: 'k1', expect: 99 }))
    assert.equal(again.again, true)
    assert.deepEqual(again.events, first.events)
    assert.equal(again.standing.head, 4)
    assert.equal((await eventsOf(log, RAIN)).length, 4)
    assert.equal(must(await log.append(SUN, [heard('once')], { key: 'k1' })).again, false, 'keys are per session')
    assert.equal(must(await log.append(RAIN, [heard('once')], { key: 'K1' })).again, false, 'another key')
  })

  test('a key sent many times at once is written once', async t => {
    const { log } = await opened(t, RAIN)
    const sent = await Promise.all(Array.from({ length: 8 }, () => log.append(RAIN, [heard('once')], { key: 'k' })))
    const [first, ...others] = sent.map(must).sort((a, b) => Number(a.again) - Number(b.again))
    assert.equal(first?.again, false)
    for (const other of others) assert.deepEqual([other.again, other.events], [true, first?.events])
    assert.equal((await eventsOf(log, RAIN)).length, 1)
  })

  test('a key is known after a restart, and so is everything else', async t => {
    const { log, restarted } = await opened(t, RAIN)
    if ('never' in restarted) return t.skip(restarted.never)
    const first = must(
      await log.append(RAIN, [heard('once'), started(T1, 1)], { key: 'k1', texts: [{ hash: 'h', text: 'kept' }] }),
    )
    must(await log.checkpoint(RAIN, { turn: T1, step: 1, parts: [text('half a')] }))
    const before = must(await log.standing(RAIN))
    const after = await restarted()
    const again = must(await after.append(RAIN, [heard('twice')], { key: 'k1' }))
    assert.deepEqual([again.again, again.events], [true, first.events])
    assert.deepEqual(await eventsOf(after, RAIN), first.events)
    assert.deepEqual(must(await after.standing(RAIN)), before)
    assert.deepEqual([...must(await after.texts(['h']))], [['h', 'kept']])
    assert.deepEqual(must(await after.checkpoints(RAIN)), [{ turn: T1, step: 1, parts: [text('half a')] }])
    assert.deepEqual(must(await after.openTurns()), [{ session: RAIN, turn: T1, voice: 'assistant', started: 2 }])
  })

  test('a range reads exactly what it names', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [...exchange(1, T1, 'a', 'b'), ...exchange(6, T2, 'c', 'd')]))
    const seqs = async (range: Parameters<Log['read']>[1]): Promise<readonly number[]> =>
      seqsOf(must(await log.read(RAIN, range)))
    assert.deepEqual(await seqs({ after: 0 }), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    assert.deepEqual(await seqs({ after: 8 }), [9, 10])
    assert.deepEqual(await seqs({ after: 10 }), [])
    assert.deepEqual(await seqs({ after: 99 }), [])
    assert.deepEqual(await seqs({ through: 2 }), [1, 2])
    assert.deepEqual(await seqs({ through: 0 }), [])
    assert.deepEqual(await seqs({ after: 3, through: 5 }), [4, 5])
    assert.deepEqual(await seqs({ after: 5, through: 3 }), [])
    assert.deepEqual(await seqs({ limit: 3 }), [1, 2, 3])
    assert.deepEqual(await seqs({ after: 7, limit: 2 }), [8, 9])
    assert.deepEqual(await seqs({ limit: 0 }), [])
    assert.deepEqual(await seqs({ only: 'turn.started' }), [2, 7])
    assert.deepEqual(await seqs({ only: 'context.planned', after: 3 }), [8])
    assert.deepEqual(await seqs({ only: 'context.planned', limit: 1 }), [3])
    assert.deepEqual(await seqs({ turn: T2 }), [7, 8, 9, 10])
    assert.deepEqual(await seqs({ turn: T1, only: 'context.planned' }), [3])
    assert.deepEqual(await seqs({ turn: T1, after: 3, limit: 1 }), [4])
    assert.deepEqual(await seqs({ turn: turn('none') }), [])
  })

  test('reads after any cursors, joined, are the whole', async t => {
    const { log } = await opened(t, RAIN)
    const length = 97
    must(
      await log.append(
        RAIN,
        Array.from({ length }, (_, index) => heard(`message ${index}`)),
      ),
    )
    const whole = await eventsOf(log, RAIN)
    const cuts = fc
      .array(fc.integer({ min: 0, max: length }), { maxLength: 8 })
      .map(list => [...list, 0, length].sort((a, b) => a - b))
    await fc.assert(
      fc.asyncProperty(cuts, async at => {
        const pieces = await Promise.all(at.slice(1).map((through, index) => log.read(RAIN, { after: at[index] ?? 0, through })))
        assert.deepEqual(pieces.flatMap(must), whole)
      }),
      tries(40),
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: length + 5 }), async limit => {
        const joined = []
        for (let page = must(await log.read(RAIN, { limit })); page.length > 0; ) {
          joined.push(...page)
          page = must(await log.read(RAIN, { limit, after: joined.at(-1)?.seq ?? 0 }))
        }
        assert.deepEqual(joined, whole)
      }),
      tries(10),
    )
  })

  test('a session knows where it stands', async t => {
    const { log } = await opened(t, RAIN)
    const standing = async (...facts: readonly Fact[]) => must(await log.append(RAIN, facts)).standing
    const expected = { head: 0, messages: 0, tokens: 0, due: [], voices: {} }
    const due = (...seqs: readonly number[]) => seqs.map(seq => ({ voice: ANYONE, seq }))
    const voices = { assistant: { turns: 1, answers: 0 } }
    assert.deepEqual(must(await log.standing(RAIN)), expected)
    assert.deepEqual(await standing(heard('hello')), { ...expected, head: 1, messages: 1, tokens: 1, due: due(1) })
    assert.deepEqual(await standing(heard('hello')), { ...expected, head: 2, messages: 2, tokens: 2, due: due(1, 2) })
    assert.deepEqual(await standing(started(T1, 1)), { head: 3, messages: 2, tokens: 2, due: due(2), voices })
    const degraded = planned(T1, 3, { degraded: { reason: 'the store was away' } })
    assert.deepEqual((await standing(degraded)).due, due(2), 'a request without its past has heard its own message only')
    assert.deepEqual((await standing(planned(T1, 3))).due, [])
    const answered = await standing(
      finished(T1, 1, text('hello'), { type: 'think', text: 'long thoughts' }),
      finished(T1, 2, text('hello')),
    )
    assert.deepEqual(answered, { head: 7, messages: 3, tokens: 4, due: [], voices }, 'a turn’s answer is one message')
    const over = { ...answered, head: 8, voices: { assistant: { turns: 1, answers: 1 } } }
    assert.deepEqual(await standing(ended(T1)), over)
    assert.deepEqual(must(await log.standing(RAIN)), over)
    assert.equal(must(await log.session(RAIN)).messages, 3)
  })

  for (const [what, hostile] of Object.entries({ ...HOSTILE, 'a megabyte of one letter': 'a'.repeat(1 << 20) })) {
    test(`${what} comes back letter for letter, wherever it was said`, async t => {
      const { log } = await opened(t, RAIN)
      const args: unknown = JSON.parse(`{"__proto__":{"polluted":true},"constructor":${JSON.stringify(hostile)}}`)
      const facts: readonly Fact[] = [
        heard(hostile),
        started(T1, 1),
        finished(
          T1,
          1,
          text(hostile),
          { type: 'think', text: hostile },
          { type: 'call', call: hostile.slice(0, 99), tool: 'x', args, raw: hostile },
        ),
        {
          type: 'tool.settled',
          turn: T1,
          call: hostile.slice(0, 99),
          tool: 'x',
          ok: true,
          outcome: 'done',
          content: hostile,
          ms: 1,
        },
      ]
      const appended = must(
        await log.append(RAIN, facts, { texts: [{ hash: 'h', text: hostile }], key: `key ${hostile.slice(0, 99)}` }),
      )
      must(await log.checkpoint(RAIN, { turn: T1, step: 2, parts: [text(hostile)] }))
      const events = await eventsOf(log, RAIN)
      assert.deepEqual(factsOf(events), facts)
      assert.deepEqual(events, appended.events)
      const [, , reply] = events
      assert.equal(
        reply?.type === 'reply.finished' && reply.parts[2]?.type === 'call' && JSON.stringify(reply.parts[2].args),
        JSON.stringify(args),
      )
      assert.equal(must(await log.texts(['h'])).get('h'), hostile)
      assert.deepEqual(must(await log.checkpoints(RAIN)), [{ turn: T1, step: 2, parts: [text(hostile)] }])
      assert.equal(must(await log.append(RAIN, [heard('other')], { key: `key ${hostile.slice(0, 99)}` })).again, true)
      assert.equal(must(await log.append(RAIN, [heard('other')], { key: 'key \udbff' })).again, false)
    })
  }
})
