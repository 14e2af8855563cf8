import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { ANYONE, type Checkpoint, type Clock, type Log, type PastQuery, type ReadRange } from '../../src/log/ports.ts'
import { ASIDE_TYPES } from '../../src/log/session-index.ts'
import type { Fact } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Usage } from '../../src/model/message/delta.ts'
import type { Session } from '../../src/model/session.ts'
import {
  broken,
  ended,
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
  sessionOf,
  started,
  text,
  ticking,
  turn,
} from './facts.ts'

/** A store under test; `restarted` closes it and opens it again, or says why that makes no sense. */
export type Shelf = { readonly log: Log; readonly restarted: (() => Promise<Log>) | { readonly never: string } }

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

const TEN: Usage = { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 }
const replied = (usage: Usage, model = 'a'): Fact => ({ type: 'reply.finished', turn: T1, step: 1, parts: [], model, usage })

/** What every log promises. */
export function logContract(name: string, open: (t: TestContext, clock: Clock) => Promise<Shelf>): void {
  const opened = async (t: TestContext, ...sessions: readonly SessionId[]): Promise<Shelf> => {
    const shelf = await open(t, ticking())
    for (const id of sessions) must(await shelf.log.open(sessionOf(id)))
    return shelf
  }
  const eventsOf = async (log: Log, id: SessionId) => must(await log.read(id))

  suite(name, { concurrency: 1 }, () => {
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
          const pieces = await Promise.all(
            at.slice(1).map((through, index) => log.read(RAIN, { after: at[index] ?? 0, through })),
          )
          assert.deepEqual(pieces.flatMap(must), whole)
        }),
        { numRuns: 40 },
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
        { numRuns: 10 },
      )
    })

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
        for (const { voice, turn: id } of turns)
          facts.push(finished(id, 1, text(voice === 'ada' ? 'hello' : 'hello '.repeat(500))))
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
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 25 }),
          fc.nat(6),
          fc.nat(26),
          async (steps, messages, place) => {
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
          },
        ),
        { numRuns: 60 },
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

    test('what replies used is counted by day and model, whoever ended them', async t => {
      let now = Date.UTC(2026, 0, 1, 23, 59)
      const { log } = await open(t, () => now)
      for (const id of [RAIN, SUN]) must(await log.open(sessionOf(id)))
      assert.deepEqual(must(await log.usage({})), [])
      must(
        await log.append(RAIN, [
          heard('a'),
          started(T1, 1),
          replied({ ...TEN, costUsd: 0.1 }),
          replied({ ...TEN, costUsd: 0.2 }),
        ]),
      )
      must(await log.append(RAIN, [{ ...broken(T1, 3), model: 'b', usage: { ...TEN, costUsd: 0 } } as Fact]))
      must(await log.append(SUN, [heard('a'), started(T2, 1), replied(TEN, 'b'), replied({ ...TEN, costUsd: 1 }, 'b')]))
      now = Date.UTC(2026, 0, 2)
      must(await log.append(SUN, [replied({ ...TEN, costUsd: 0.5 })]))
      // Nothing that was counted, or nobody who counted.
      must(await log.append(SUN, [finished(T2, 9, text('x')), replied({ ...TEN, input: Number.NaN }), broken(T2, 9)]))
      const { model: _, ...nameless } = replied(TEN) as Extract<Fact, { type: 'reply.finished' }>
      must(await log.append(SUN, [nameless]))
      const row = (day: string, model: string, requests: number, costUsd: number | null) => {
        const [input, output, cacheRead, cacheWrite] = [10, 20, 30, 40].map(count => count * requests)
        return { day, model, input, output, cacheRead, cacheWrite, costUsd, requests }
      }
      const first = row('2026-01-01', 'a', 2, 0.3)
      assert.deepEqual(must(await log.usage({})), [first, row('2026-01-01', 'b', 3, null), row('2026-01-02', 'a', 1, 0.5)])
      assert.deepEqual(must(await log.usage({ session: RAIN })), [first, row('2026-01-01', 'b', 1, 0)])
      assert.deepEqual(must(await log.usage({ since: '2026-01-02' })), [row('2026-01-02', 'a', 1, 0.5)])
      assert.deepEqual(must(await log.usage({ since: '2026-01-01T23:59:00.000Z', session: RAIN })).length, 2)
      assert.deepEqual(must(await log.usage({ since: '2026-01-01T23:59:00.001Z', session: RAIN })), [])
      assert.deepEqual(must(await log.usage({ since: '2026-01-02', session: RAIN })), [])
      faultOf(await log.usage({ session: session('never') }), 'not-found')
    })

    test('an append that does not happen uses nothing', async t => {
      const { log } = await opened(t, RAIN)
      must(await log.append(RAIN, [heard('a'), started(T1, 1)]))
      const impossible = { type: 'tool.started', turn: T1, call: 'c1', tool: 'x', args: () => 1 } satisfies Fact
      await assert.rejects(async () => log.append(RAIN, [replied(TEN), impossible]))
      faultOf(await log.append(RAIN, [replied(TEN)], { expect: 9 }), 'conflict')
      assert.deepEqual(must(await log.usage({})), [])
      for (let times = 0; times < 2; times += 1) must(await log.append(RAIN, [replied(TEN)], { key: 'k' }))
      assert.equal(must(await log.usage({}))[0]?.requests, 1, 'once per key')
    })

    test('what a removed session used is still counted, under nobody’s name', async t => {
      const { log } = await opened(t, RAIN, SUN)
      for (const id of [RAIN, SUN]) must(await log.append(id, [heard('a'), started(T1, 1), replied(TEN)]))
      const before = must(await log.usage({}))
      must(await log.remove(RAIN))
      assert.deepEqual(must(await log.usage({})), before)
      assert.equal(before[0]?.requests, 2)
      faultOf(await log.usage({ session: RAIN }), 'not-found')
      faultOf(await log.usage({ session: '' as SessionId }), 'not-found')
      must(await log.open(sessionOf(RAIN)))
      assert.deepEqual(must(await log.usage({ session: RAIN })), [], 'a new one of that id has used nothing')
    })

    test('texts are kept once under their hash', async t => {
      const { log } = await opened(t, RAIN, SUN)
      must(
        await log.append(RAIN, [heard('a')], {
          texts: [
            { hash: 'h1', text: 'Be brief.' },
            { hash: 'h2', text: '[]' },
          ],
        }),
      )
      must(await log.append(SUN, [heard('b')], { texts: [{ hash: 'h1', text: 'Be brief.' }] }))
      assert.deepEqual(
        must(await log.texts(['h1', 'h2', 'unknown'])),
        new Map([
          ['h1', 'Be brief.'],
          ['h2', '[]'],
        ]),
      )
      assert.deepEqual(must(await log.texts([])), new Map())
    })

    test('a text goes with the last session that used it', async t => {
      const { log } = await opened(t, RAIN, SUN)
      const [shared, own] = [
        { hash: 'h1', text: 'shared' },
        { hash: 'h2', text: 'own' },
      ]
      must(await log.append(RAIN, [heard('a')], { texts: [shared, own] }))
      must(await log.append(SUN, [heard('b')], { texts: [shared] }))
      must(await log.remove(RAIN))
      assert.deepEqual([...must(await log.texts(['h1', 'h2']))], [['h1', 'shared']])
      must(await log.remove(SUN))
      assert.deepEqual([...must(await log.texts(['h1', 'h2']))], [])
    })

    test('a checkpoint is what a running reply has said so far', async t => {
      const { log } = await opened(t, RAIN, SUN)
      must(await log.append(RAIN, [heard('a'), started(T1, 1)]))
      const said = (step: number, words: string): Checkpoint => ({ turn: T1, step, parts: [text(words)] })
      const now = async () => must(await log.checkpoints(RAIN))
      assert.deepEqual(await now(), [])
      must(await log.checkpoint(RAIN, said(1, 'Once')))
      must(await log.checkpoint(RAIN, said(1, 'Once upon')))
      assert.deepEqual(await now(), [said(1, 'Once upon')])
      assert.deepEqual(must(await log.checkpoints(SUN)), [])
      assert.equal((await eventsOf(log, RAIN)).length, 2, 'it is not an event')
    })

    for (const [how, close] of [
      ['finished', finished(T1, 1, text('Once upon a time.'))],
      ['broken', broken(T1, 1, text('Once upon'))],
      ['of a turn that ended', ended(T1)],
    ] as const) {
      test(`the checkpoint of a reply that is ${how} is gone, and a late one does not bring it back`, async t => {
        const { log } = await opened(t, RAIN)
        must(await log.append(RAIN, [heard('a'), started(T1, 1)]))
        must(await log.checkpoint(RAIN, { turn: T1, step: 1, parts: [text('Once')] }))
        must(await log.append(RAIN, [close]))
        assert.deepEqual(must(await log.checkpoints(RAIN)), [])
        must(await log.checkpoint(RAIN, { turn: T1, step: 1, parts: [text('Once upon')] }))
        assert.deepEqual(must(await log.checkpoints(RAIN)), [])
      })
    }

    test('the next step of a turn has checkpoints of its own, and another turn keeps its', async t => {
      const { log } = await opened(t, RAIN)
      must(await log.append(RAIN, [heard('a'), started(T1, 1), started(T2, 1)]))
      const other: Checkpoint = { turn: T2, step: 1, parts: [text('Elsewhere')] }
      must(await log.checkpoint(RAIN, other))
      must(await log.append(RAIN, [finished(T1, 1, text('First.'))]))
      const second: Checkpoint = { turn: T1, step: 2, parts: [text('Second')] }
      must(await log.checkpoint(RAIN, second))
      const kept = [...must(await log.checkpoints(RAIN))].sort((a, b) => (a.turn < b.turn ? -1 : 1))
      assert.deepEqual(kept, [second, other])
      must(await log.append(RAIN, [ended(T1), ended(T2)]))
      assert.deepEqual(must(await log.checkpoints(RAIN)), [])
    })

    test('turns without an end are known, in any session', async t => {
      const { log } = await opened(t, RAIN, SUN)
      must(await log.append(RAIN, [...exchange(1, T1, 'a', 'b'), heard('c'), started(T2, 6)]))
      must(await log.append(SUN, [heard('d'), started(turn('3'), 1)]))
      const open = [...must(await log.openTurns())].sort((a, b) => (a.session < b.session ? -1 : 1))
      assert.deepEqual(open, [
        { session: RAIN, turn: T2, voice: 'assistant', started: 7 },
        { session: SUN, turn: turn('3'), voice: 'assistant', started: 2 },
      ])
      must(await log.append(RAIN, [ended(T2, 'failed')]))
      must(await log.remove(SUN))
      assert.deepEqual(must(await log.openTurns()), [])
    })

    test('a session waits while nobody has heard its last message', async t => {
      const { log } = await opened(t, RAIN, SUN)
      must(await log.append(RAIN, [heard('a')]))
      assert.deepEqual(must(await log.waiting()), [RAIN])
      must(await log.append(RAIN, [started(T1, 1)]))
      assert.deepEqual(must(await log.waiting()), [])
      must(await log.append(RAIN, [heard('b')]))
      assert.deepEqual(must(await log.waiting()), [RAIN])
      must(await log.append(RAIN, [planned(T1, 3)]))
      assert.deepEqual(must(await log.waiting()), [])
    })

    test('sessions are listed by last use, page by page, each exactly once', async t => {
      const { log } = await opened(t)
      const ids = Array.from({ length: 11 }, (_, index) => session(`list${String(index).padStart(2, '0')}`))
      const later = new Date(Date.UTC(2026, 0, 2)).toISOString()
      for (const [index, id] of ids.entries()) {
        // Three of one moment, so that a page may end between equals.
        must(
          await log.open(sessionOf(id, { project: index % 2 === 0 ? 'even' : null, ...(index > 7 ? { updatedAt: later } : {}) })),
        )
      }
      const used = ids[4] as SessionId
      for (const id of ids.slice(0, 8)) if (id !== used) must(await log.append(id, [heard('hello')]))
      must(await log.append(used, [heard('newest of the older ones')]))
      const expected = [
        ...ids.slice(8),
        used,
        ...ids
          .slice(0, 8)
          .reverse()
          .filter(id => id !== used),
      ]
      const paged = async (limit: number, project?: string): Promise<SessionId[]> => {
        const seen: SessionId[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const query = { limit, ...(cursor === undefined ? {} : { cursor }), ...(project === undefined ? {} : { project }) }
          const page = must(await log.sessions(query))
          assert.ok(page.items.length <= limit)
          seen.push(...page.items.map(item => item.id))
          cursor = page.next
        }
        return seen
      }
      for (const limit of [1, 2, 3, 5, 10, 11, 50]) assert.deepEqual(await paged(limit), expected, `pages of ${limit}`)
      assert.deepEqual(
        await paged(2, 'even'),
        expected.filter(id => ids.indexOf(id) % 2 === 0),
      )
      assert.deepEqual(await paged(2, 'nobody’s'), [])
      for (const cursor of ['', 'x', '2026_ses_1', "9999-01-01T00:00:00.000Z_ses_'"])
        faultOf(await log.sessions({ limit: 1, cursor }), 'invalid')
    })

    test('a search finds words of titles and messages, the last word by its beginning', async t => {
      const { log } = await opened(t)
      const [title, message, answer, both] = ['title', 'message', 'answer', 'both'].map(session) as [
        SessionId,
        SessionId,
        SessionId,
        SessionId,
      ]
      must(await log.open(sessionOf(title, { title: 'Umbrellas of Bergen, Élan' })))
      for (const id of [message, answer, both]) must(await log.open(sessionOf(id, { project: id === both ? 'p' : null })))
      must(await log.append(title, [heard('nothing of interest')]))
      must(
        await log.append(message, [
          heard('Will it rain in Bergen tomorrow?'),
          started(T1, 1),
          finished(T1, 1, { type: 'think', text: 'secret musings' }),
        ]),
      )
      must(await log.append(answer, [heard('x'), started(T1, 1), finished(T1, 1, text('Raincoats are sold in Oslo.'))]))
      must(await log.append(both, [heard('rain'), heard('rain again'), heard('snow')]))
      const find = async (query: string, project?: string) => {
        const { items, next } = must(await log.sessions({ query, limit: 10, ...(project === undefined ? {} : { project }) }))
        assert.equal(next, null)
        return items
      }
      const ids = async (query: string, project?: string) => (await find(query, project)).map(item => item.id).sort()
      assert.deepEqual(await ids('rain'), [answer, both, message].sort())
      assert.deepEqual(await ids('rain', 'p'), [both])
      assert.deepEqual(await ids('RAIN bergen'), [message])
      assert.deepEqual(await ids('bergen rain'), [message], 'in any order')
      assert.deepEqual(await ids('umbr'), [title])
      assert.deepEqual(await ids('umbr bergen'), [], 'only the last word may be unfinished')
      assert.deepEqual(await ids('bergen umbr'), [title])
      assert.deepEqual(await ids('"Umbrellas", Bergen!'), [title])
      assert.deepEqual(await ids('élan'), [title], 'capitals beyond ASCII')
      assert.deepEqual(await ids('brellas'), [], 'words begin at their beginning')
      assert.deepEqual(await ids('bergen'), [message, title].sort())
      assert.deepEqual(await ids('musings'), [], 'thinking is nobody’s message')
      assert.deepEqual(await ids('oslo tomorrow'), [], 'not in one message')
      const [hit] = await find('rain', 'p')
      assert.equal(hit?.seq, 2, 'the newest place')
      assert.equal(hit?.snippet, 'rain again')
      assert.deepEqual(await ids(''), [])
    })

    test('nothing in a search is syntax', async t => {
      const { log } = await opened(t, RAIN, SUN)
      must(await log.append(RAIN, [heard('either this or that, near the sea, and not 100% "quoted" text: column')]))
      must(await log.append(SUN, [heard('plain')]))
      const ids = async (query: string) => must(await log.sessions({ query, limit: 10 })).items.map(item => item.id)
      for (const query of ['"', '*', '%', '_', '^', '()', '{', '-', '\\', "'", ';', '\u0000', '\ud800', ' ', '::', '+']) {
        assert.deepEqual(await ids(query), [], query)
      }
      for (const query of [
        '"quoted',
        'this OR',
        'text: column',
        'NEAR(sea',
        'NOT',
        '{text}: column',
        '^either',
        '"this" OR "tha*',
        '-text',
      ]) {
        assert.deepEqual(await ids(query), [RAIN], query)
      }
      for (const query of [
        'plain OR this',
        'plain NOT this',
        'this AND plain',
        "' or 1=1 --",
        'words MATCH *',
        'NEAR(plain this, 5)',
      ]) {
        assert.deepEqual(await ids(query), [], query)
      }
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.mixedCase(fc.constantFrom('near(', 'or*', 'not "'))),
          async query => {
            must(await log.sessions({ query, limit: 10 }))
          },
        ),
        { numRuns: 60 },
      )
    })

    test('a busy session does not hide the others from a search', async t => {
      const { log } = await opened(t, RAIN, SUN)
      must(await log.append(RAIN, [heard('drizzle here')]))
      must(
        await log.append(
          SUN,
          Array.from({ length: 1200 }, () => heard('drizzle there')),
        ),
      )
      const { items } = must(await log.sessions({ query: 'drizzle', limit: 10 }))
      assert.deepEqual(
        items.map(item => [item.id, item.seq]),
        [
          [SUN, 1200],
          [RAIN, 1],
        ],
      )
    })

    test('a change of a session shows at once, and is not a use', async t => {
      const { log } = await opened(t, RAIN)
      must(await log.append(RAIN, [heard('  The first\n words  ')]))
      const before = must(await log.session(RAIN))
      assert.equal(before.preview, 'The first words')
      must(await log.append(RAIN, [{ type: 'session.changed', changes: { title: 'Rain \ud800', archived: true } }]))
      must(await log.append(RAIN, [{ type: 'session.changed', changes: { policy: 'recent', agent: 'engineer' } }]))
      const after: Session = { ...before, title: 'Rain \ud800', archived: true, policy: 'recent', agent: 'engineer' }
      assert.deepEqual(must(await log.session(RAIN)), after)
      assert.deepEqual(must(await log.sessions({ limit: 5 })).items, [after])
      assert.deepEqual(must(await log.sessions({ query: 'rain', limit: 5 })).items, [after])
      must(await log.append(RAIN, [{ type: 'session.changed', changes: { title: null } }]))
      assert.deepEqual(must(await log.session(RAIN)), { ...after, title: null })
      assert.deepEqual(must(await log.sessions({ query: 'rain', limit: 5 })).items, [])
    })

    test('a session is opened once', async t => {
      const { log } = await opened(t, RAIN)
      must(await log.append(RAIN, [heard('mine')]))
      faultOf(await log.open(sessionOf(RAIN)), 'conflict')
      assert.deepEqual(factsOf(await eventsOf(log, RAIN)), [heard('mine')])
    })

    test('a removed session is not found by anyone, and the others are untouched', async t => {
      const { log } = await opened(t, RAIN, SUN)
      for (const id of [RAIN, SUN]) must(await log.append(id, [heard('drizzle'), started(T1, 1)], { key: 'k' }))
      for (const id of [RAIN, SUN]) must(await log.checkpoint(id, { turn: T1, step: 1, parts: [text('half')] }))
      must(await log.remove(RAIN))
      const asked: readonly ((id: SessionId) => Promise<Parameters<typeof faultOf>[0]>)[] = [
        id => log.session(id),
        id => log.read(id),
        id => log.read(id, { after: 1, limit: 1 }),
        id => log.past(id, { from: { messages: 1, before: 1 } }),
        id => log.planned(id, 1),
        id => log.standing(id),
        id => log.append(id, [heard('x')]),
        id => log.append(id, [heard('x')], { key: 'k' }),
        id => log.checkpoint(id, { turn: T1, step: 1, parts: [] }),
        id => log.checkpoints(id),
        id => log.remove(id),
      ]
      for (const ask of asked) for (const id of [RAIN, session('never')]) faultOf(await ask(id), 'not-found')
      assert.deepEqual(
        must(await log.sessions({ limit: 5 })).items.map(item => item.id),
        [SUN],
      )
      assert.deepEqual(
        must(await log.sessions({ query: 'drizzle', limit: 5 })).items.map(item => item.id),
        [SUN],
      )
      assert.deepEqual(
        must(await log.openTurns()).map(open => open.session),
        [SUN],
      )
      assert.equal((await eventsOf(log, SUN)).length, 2)
      assert.equal(must(await log.checkpoints(SUN)).length, 1)
      must(await log.open(sessionOf(RAIN)))
      assert.deepEqual(await eventsOf(log, RAIN), [], 'and a new one of that id begins empty')
      assert.equal(must(await log.append(RAIN, [heard('x')], { key: 'k' })).events[0]?.seq, 1)
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

  const factFor = (kind: string, index: number): Fact => {
    const id = turn(String(index))
    if (kind === 'heard') return heard('hello')
    if (kind === 'reply') return finished(id, 1, text('yes'))
    if (kind === 'more') return finished(id, 2, text('and'))
    if (kind === 'empty') return broken(id, 1)
    return { type: 'session.changed', changes: {} }
  }
  const beginsMessage = (kind: string | undefined): boolean => kind === 'heard' || kind === 'reply'
}

/** The seqs after a place of what a context can be made of. */
const spokenAfter = (facts: readonly Fact[], after: number): number[] =>
  facts.flatMap((fact, index) => (index >= after && !ASIDE_TYPES.includes(fact.type) ? [index + 1] : []))
