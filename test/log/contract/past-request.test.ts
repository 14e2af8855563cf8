// A past can be asked for a least number of messages, and says what the last request of a voice and policy showed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PastQuery } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { broken, ended, exchange, finished, heard, must, planned, session, started, text, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const LONG = 'hello '.repeat(500)

/** Five exchanges of two long messages each, at 1–5, 6–10 and so on, and a new message at 26. */
const talk = (answer = LONG): readonly Fact[] => [
  ...[1, 6, 11, 16, 21].flatMap(cause => exchange(cause, turn(String(cause)), LONG, answer)),
  heard('and now?'),
]

onEveryStore('least and last of a past', (_, opened) => {
  test('at least so many messages are read, however long they are', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, talk()))
    const first = async (query: PastQuery) => {
      const { gaps } = must(await log.past(RAIN, query))
      return (gaps.at(-1)?.to ?? 0) + 1
    }
    const forms: readonly PastQuery['from'][] = [
      { tokens: 1, before: 26 },
      { messages: 9, tokens: 1, before: 26 },
      { messages: 1, before: 26 },
      { voice: 'assistant', policy: 'none@1', before: 26, orTokens: 1 },
    ]
    for (const from of forms) {
      assert.ok((await first({ from })) >= 24)
      for (const asking of [{}, { voice: 'assistant' }, { voice: 'assistant', own: { voice: 'assistant', whole: 0 } }]) {
        assert.equal(await first({ from, least: 2, ...asking }), 21)
        assert.equal(await first({ from, least: 4, ...asking }), 16)
        assert.equal(await first({ from, least: 99, ...asking }), 1)
      }
    }
    assert.equal(await first({ from: { messages: 6, before: 26 }, least: 2 }), 11, 'more is read where more is asked for')
    assert.equal(await first({ from: { seq: 24 }, least: 2 }), 24, 'what begins with a seq begins there')
    assert.equal(await first({ from: { tokens: 1, before: 26 }, least: 2, through: 15 }), 11, 'of what had been said then')
  })

  test('only what a voice could hear, and what is not excluded, counts among the least', async t => {
    const { log } = await opened(t, RAIN)
    const aside = (to: string): Fact => ({ type: 'message.received', text: 'aside', from: 'person', to: [to] })
    const id = turn('failed')
    must(
      await log.append(RAIN, [
        ...talk().slice(0, 20),
        ...[aside('bob'), aside('bob'), heard('Hm?'), started(id, 23), broken(id, 1, text('He')), ended(id, 'failed')],
        ...[heard('No.'), { type: 'message.marked', target: 27, mark: 'exclude' } as const, heard('and now?')],
      ]),
    )
    const from = { tokens: 1, before: 29 }
    const first = async (query: Omit<PastQuery, 'from'>) =>
      (must(await log.past(RAIN, { from, ...query })).gaps.at(-1)?.to ?? 0) + 1
    assert.equal(await first({ least: 2 }), 25)
    // One message is heard of the six before the new one, and the answer before them has to be there as well.
    assert.ok((await first({ least: 2, voice: 'assistant' })) <= 19)
    assert.ok((await first({ least: 3, voice: 'bob' })) <= 21)
    assert.equal(await first({ least: 2, voice: 'assistant', marksThrough: 27 }), 22, 'the mark was not known yet')
    must(
      await log.append(
        RAIN,
        Array.from({ length: 600 }, () => aside('bob')),
      ),
    )
    const far = must(await log.past(RAIN, { from: { tokens: 1, before: 630 }, least: 2, voice: 'assistant' }))
    assert.equal(far.gaps.at(-1)?.to, 627, 'it is not looked for without end')
  })

  test('a past goes back to at least so many tokens from where the last request began', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [...talk(), planned(turn('new'), 26, { policy: 'steady@1', window: { begins: 21 } })]))
    const read = async (atLeast?: number) => {
      const from = {
        voice: 'assistant',
        policy: 'steady@1',
        before: 28,
        orTokens: 1,
        ...(atLeast === undefined ? {} : { atLeast }),
      }
      const { begins, gaps } = must(await log.past(RAIN, { from }))
      return [begins, (gaps.at(-1)?.to ?? 0) + 1]
    }
    assert.deepEqual(await read(), [21, 21])
    assert.deepEqual(await read(900), [21, 21])
    assert.deepEqual(await read(1200), [21, 19])
    assert.deepEqual(await read(1700), [21, 16])
    assert.deepEqual(await read(100_000), [21, 1])
  })

  test('what the last request of a voice and policy showed comes with any past', async t => {
    const { log } = await opened(t, RAIN)
    const window = { begins: 6, excerpts: [{ seq: 6, tokens: 100 }], head: 2, unpinned: [1] }
    const receipt = (given: Partial<Receipt>): Fact => {
      const plan = planned(turn('x'), 5, { policy: 'steady@1', ...given }) as Extract<Fact, { type: 'context.planned' }>
      return { ...plan, receipt: { ...plan.receipt, inputs: { ...plan.receipt.inputs, marksThrough: 4 } } }
    }
    const facts = [
      ...talk(),
      receipt({ window }),
      receipt({ window: { begins: 11 }, degraded: { reason: 'slow' } }),
      receipt({ window: { begins: 16 }, voice: 'bob' }),
      receipt({ window: { begins: null }, policy: 'full@1' }),
    ]
    must(await log.append(RAIN, facts))
    const request = { voice: 'assistant', policy: 'steady@1', before: 99 }
    const of = async (query: PastQuery) => {
      const { last, lastMarksThrough, begins, gaps } = must(await log.past(RAIN, query))
      return { last, lastMarksThrough, begins, first: (gaps.at(-1)?.to ?? 0) + 1 }
    }
    const shown = { last: window, lastMarksThrough: 4 }
    assert.deepEqual(await of({ from: { ...request, orTokens: 1 } }), { ...shown, begins: 6, first: 6 })
    assert.deepEqual(await of({ from: 'start', request }), { ...shown, begins: null, first: 1 })
    assert.deepEqual(await of({ from: { messages: 2, before: 26 }, request }), { ...shown, begins: null, first: 21 })
    assert.deepEqual(await of({ from: { tokens: 1, before: 26 }, request }), { ...shown, begins: null, first: 26 })
    assert.deepEqual(await of({ from: { seq: 21 }, request }), { ...shown, begins: 21, first: 21 })
    const none = { last: null, lastMarksThrough: null, begins: null }
    assert.deepEqual(await of({ from: 'start' }), { ...none, first: 1 })
    assert.deepEqual(await of({ from: 'start', request: { ...request, policy: 'other@1' } }), { ...none, first: 1 })
    assert.deepEqual(await of({ from: 'start', request: { ...request, before: 27 } }), { ...none, first: 1 })
    assert.deepEqual(await of({ from: 'start', request, through: 26 }), { ...none, first: 1 }, 'as it was then')
    const full = { ...request, policy: 'full@1' }
    const everything = { last: { begins: null }, lastMarksThrough: 4, begins: null }
    assert.deepEqual(await of({ from: { ...full, orTokens: 1 } }), { ...everything, first: 26 }, 'nothing is known of where')
  })

  test('what could be heard changes with what becomes of an answer later', async t => {
    const { log } = await opened(t, RAIN)
    const [T1, T2, T3] = [turn('1'), turn('2'), turn('3')]
    const hearable = async () =>
      must(await log.past(RAIN, { from: { seq: 7 }, voice: 'assistant' })).gaps.map(gap => [gap.messages, gap.hearable])
    must(await log.append(RAIN, [heard('a'), started(T1, 1), broken(T1, 1, text('He')), heard('b'), started(T2, 4)]))
    must(await log.append(RAIN, [broken(T2, 1, text('Hel')), heard('c')]))
    assert.deepEqual(await hearable(), [[4, 2]], 'both answers broke')
    must(await log.append(RAIN, [ended(T1, 'cancelled')]))
    assert.deepEqual(await hearable(), [[4, 3]], 'a person stopped the first and has seen its words')
    must(await log.append(RAIN, [finished(T2, 2, text('lo.')), ended(T2)]))
    assert.deepEqual(await hearable(), [[4, 4]], 'the second went on')
    must(await log.append(RAIN, [{ ...started(T3, 1), resumes: T1 } as Fact]))
    assert.deepEqual(await hearable(), [[4, 3]], 'the first begins anew')
    must(await log.append(RAIN, [{ type: 'message.marked', target: 6, mark: 'exclude' }]))
    assert.deepEqual(await hearable(), [[4, 2]])
    must(await log.append(RAIN, [{ type: 'message.marked', target: 4, mark: 'pin' }]))
    assert.deepEqual(await hearable(), [[3, 1]])
  })

  test('without a voice a gap says nothing of what could be heard', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [...talk(), finished(turn('x'), 1, text('Yes.'))]))
    const gaps = async (query: Omit<PastQuery, 'from'>) => must(await log.past(RAIN, { from: { seq: 21 }, ...query })).gaps
    assert.deepEqual(await gaps({}), [{ from: 1, to: 20, messages: 8 }])
    assert.deepEqual(await gaps({ voice: 'assistant' }), [{ from: 1, to: 20, messages: 8, hearable: 8 }])
    assert.deepEqual(await gaps({ voice: 'bob' }), [{ from: 1, to: 20, messages: 8, hearable: 8 }])
    const own = { voice: 'bob', whole: 0 }
    assert.deepEqual(await gaps({ voice: 'bob', own }), [{ from: 1, to: 20, messages: 8, hearable: 4 }])
  })
})
