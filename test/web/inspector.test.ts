import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { SessionId } from '../../src/model/ids.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import { driftWords, requestFigures, troublesOf, verifiedWords } from '../../web/src/inspector/figures.ts'
import { cachedIn, filledBy } from '../../web/src/inspector/items/filled.ts'
import { groupSpan, itemGroups, itemWords, leftOf, listedItems } from '../../web/src/inspector/items/groups.ts'
import { inRows, moveOf, outRows } from '../../web/src/inspector/items/tree.ts'
import { cacheEffect, compared, markEffect, signedCount } from '../../web/src/inspector/views/compare.ts'
import { bodyBytes, curlOf } from '../../web/src/inspector/views/curl.ts'
import { presenceWords } from '../../web/src/inspector/views/presence.ts'
import { barsOf, momentWords } from '../../web/src/inspector/views/timeline.ts'
import { AS_IT_WAS, whatIfOf, whyNotBudget } from '../../web/src/inspector/views/wish.ts'
import { hashOf, lookHash, routeOf } from '../../web/src/view/route.ts'
import type { InspectedItem, InspectedRequest, Present, TimelineMoment } from '../../web/src/wire/inspect-api.ts'
import { tries } from '../support/tries.ts'

const item = (tokens: number, reason: InspectedItem['reason'], more: Partial<InspectedItem> = {}): InspectedItem => ({
  ...{ name: 'item', kind: 'message', tokens, reason, hash: `h${more.from ?? reason}`, volatile: false, text: 'words' },
  ...more,
})

const ITEMS: readonly InspectedItem[] = [
  item(100, 'system.agent', { kind: 'system', source: 'assistant' }),
  item(20, 'recent.window', { from: 5, to: 5, role: 'user' }),
  item(30, 'recent.window', { from: 8, to: 8, role: 'assistant' }),
  item(40, 'recent.window', { from: 12, to: 12, role: 'user' }),
  item(10, 'current.message', { kind: 'current', from: 20, to: 20, role: 'user' }),
]

const receipt = {
  in: [
    { kind: 'system', tokens: 100, reason: 'system.agent', hash: 'a' },
    { kind: 'message', tokens: 90, reason: 'recent.window', hash: 'b' },
    { kind: 'current', tokens: 10, reason: 'current.message', hash: 'c' },
  ],
  tokens: { estimated: 200, reported: null, cached: null, factor: 1, limit: 1000, reserved: 300 },
  cache: { stableThrough: 5, stableShare: 0.75, brokenBy: null },
  ...{ degraded: null, ladder: [], model: 'demo', window: { begins: 5 }, inputs: { window: 1300 } },
} as unknown as Receipt

const receiptFor = (model: string, factor: number): Receipt => ({ ...receipt, model, tokens: { ...receipt.tokens, factor } })

const request = (items: readonly InspectedItem[], factor = 1): Pick<InspectedRequest, 'items' | 'receipt'> => ({
  items,
  receipt: receiptFor('demo', factor),
})

const sum = (items: readonly InspectedItem[]): number => items.reduce((all, { tokens }) => all + tokens, 0)

describe('the inspector', () => {
  test('has an address for every request and every message', () => {
    for (const look of [{ turn: 'trn_1', step: null }, { turn: 'trn_1', step: 2 }, { message: 12 }] as const) {
      const hash = lookHash('ses_1', look)
      assert.deepEqual(routeOf(hash), { page: 'chat', session: 'ses_1', seq: null, look })
      assert.equal(hashOf(routeOf(hash)), hash)
    }
    for (const bad of ['#/s/a/t', '#/s/a/t/b/0', '#/s/a/t/b/1/2', '#/s/a/m/x', '#/s/a/m/1/2', '#/s/a/t/%'])
      assert.deepEqual(routeOf(bad), { page: 'chat', session: null, seq: null }, bad)
  })

  test('draws exactly what the receipt adds up to, and what is free and reserved', () => {
    const { parts, used, free, whole } = filledBy(receipt, cachedIn(receipt))
    assert.equal(used, receipt.tokens.estimated)
    assert.equal(free, 800)
    assert.equal(whole, 1300)
    assert.deepEqual(
      parts.map(({ slice, cached }) => [slice, cached]),
      [
        ['system', 100],
        ['history', 50],
        ['current', 0],
      ],
    )
    assert.equal(cachedIn({ ...receipt, tokens: { ...receipt.tokens, cached: 30 } }), 30, 'what was counted comes first')
  })

  test('groups neighbours of one reason and says what of each was cached', () => {
    const groups = itemGroups(ITEMS, 130)
    assert.deepEqual(
      groups.map(({ reason, tokens, known, entries }) => [reason, tokens, known, entries.length]),
      [
        ['system.agent', 100, 'all', 1],
        ['recent.window', 90, 'some', 3],
        ['current.message', 10, 'none', 1],
      ],
    )
    assert.deepEqual(
      groups[1]?.entries.map(({ known }) => known),
      ['all', 'some', 'none'],
    )
    assert.deepEqual(ITEMS.map(itemWords), ['assistant', 'Message 5', 'Reply 8', 'Message 12', 'Message 20'])
  })

  test('shows quotes as a group of their own, which is in no one place', () => {
    const quotes = [3, 90].map(from => item(15, 'recall.match', { kind: 'recall', from, to: from }))
    const [before, recalled, after] = itemGroups([...ITEMS.slice(1, 4), ...quotes, ...ITEMS.slice(4)], 0)
    assert.ok(before !== undefined && recalled !== undefined && after !== undefined)
    assert.deepEqual([recalled.slice, recalled.tokens, recalled.entries.length], ['recalled', 30, 2])
    assert.deepEqual([before, recalled, after].map(groupSpan), [{ from: 5, to: 12 }, null, { from: 20, to: 20 }])
    assert.deepEqual(quotes.map(itemWords), ['Quoted message 3', 'Quoted message 90'])
    assert.deepEqual(groupSpan({ ...recalled, entries: recalled.entries.slice(1) }), { from: 90, to: 90 })
    const { come, gone } = compared(request(ITEMS), request([...ITEMS.slice(0, 4), ...quotes.slice(1), ...ITEMS.slice(4)]))
    assert.deepEqual([come.map(itemWords), gone], [['Quoted message 90'], []])
  })

  test('names what is from other chats, which is in no place of this one', () => {
    const chat = { session: 'ses_7' as SessionId, title: 'Boathouse' }
    const here = item(15, 'recall.match', { kind: 'recall', from: 3, to: 3, session: 'ses_1' as SessionId })
    const quote = item(15, 'recall.match', { kind: 'recall', from: 3, to: 3, session: chat.session })
    const pin = item(9, 'pin.person', { from: 40, to: 40, session: chat.session })
    const summary = item(50, 'summary.folded', { kind: 'summary', from: 90, to: 90 })
    const window = {
      begins: 5,
      recalled: [
        { seqs: [3], author: null },
        { seqs: [3], author: null, chat },
      ],
      pinned: [{ seqs: [40], author: null, chat }],
    }
    const sent = { items: [pin, summary, here, quote], receipt: { ...receipt, window } }
    const items = listedItems(sent)
    assert.deepEqual(items.map(itemWords), [
      'Pinned in “Boathouse”',
      'Summary of earlier messages',
      'Quoted message 3',
      'Quoted from “Boathouse”',
    ])
    assert.deepEqual(itemGroups(items, 0).map(groupSpan), [null, null, { from: 3, to: 3 }])
    assert.deepEqual(
      itemGroups(items, 0).map(({ slice }) => slice),
      ['pinned', 'summaries', 'recalled'],
    )
  })

  test('says what was recalled and hidden in figures, and why nothing could be looked up', () => {
    const recall = {
      messages: 2,
      tokens: 30,
      most: 600,
      hidden: 15_587,
      looksBack: false,
      balance: 2310,
      limits: [1, 1],
    } as const
    const figures = (more: Partial<Receipt>): Readonly<Record<string, string>> => {
      const whole: Receipt = { ...receipt, timings: { readMs: 1, assembleMs: 1 }, out: [], ...more }
      return Object.fromEntries(requestFigures({ receipt: whole }, null).map(({ name, value }) => [name, value]))
    }
    const lines = [3, 90].map(
      from => ({ kind: 'recall', reason: 'recall.match', from, to: from, tokens: 14, hash: 'h' }) as const,
    )
    assert.equal(figures({ recall, in: lines }).Recalled, '2 · 28 tokens', 'as its lines add up')
    const { balance: _, ...given } = recall
    assert.equal(figures({ recall: given, in: lines }).Recalled, '2 · 28 of at most 600 tokens')
    assert.equal(figures({ recall }).Hidden, '15,587 tokens · can spend 2,310 on quotes')
    assert.deepEqual([figures({}).Recalled, figures({ recall }).Recalled], [undefined, undefined])
    const failed = { ...recall, failed: 'the index is closed' }
    assert.deepEqual(
      troublesOf({ receipt: { ...receipt, recall: failed } }).map(({ words }) => words),
      ['Earlier messages could not be looked up: the index is closed'],
    )
  })

  test('lists the lines of the receipt where a request cannot be built again', () => {
    assert.deepEqual(
      listedItems({ receipt }).map(({ tokens, text }) => [tokens, text]),
      [
        [100, ''],
        [90, ''],
        [10, ''],
      ],
    )
  })

  test('is walked as a tree: up and down, right into a row and left out of it', () => {
    const groups = itemGroups(ITEMS, 0)
    const lefts = leftOf([
      { from: 1, to: 1, count: 1, reason: 'out.excluded' },
      { from: 2, to: 4, count: 3, reason: 'out.window' },
    ])
    assert.deepEqual(
      lefts.map(({ reason, count }) => [reason, count]),
      [
        ['out.window', 3],
        ['out.excluded', 1],
      ],
    )
    const closed = [...inRows(groups, new Set()), ...outRows(lefts, new Set())]
    assert.deepEqual(
      closed.map(({ key }) => key),
      ['in 0', 'group 1', 'in 4', 'out out.window', 'out out.excluded'],
    )
    assert.deepEqual(moveOf(closed, 'in 0', 'j'), { to: 'group 1' })
    assert.deepEqual(moveOf(closed, 'in 0', 'k'), { to: 'in 0' })
    assert.deepEqual(moveOf(closed, 'group 1', 'ArrowRight'), { open: 'group 1', isOpen: true })
    assert.deepEqual(moveOf(closed, 'in 0', 'End'), { to: 'out out.excluded' })
    assert.equal(moveOf(closed, 'in 0', 'x'), null)
    const open = inRows(groups, new Set(['group 1']))
    assert.deepEqual(
      open.map(({ key, level }) => [key, level]),
      [
        ['in 0', 1],
        ['group 1', 1],
        ['in 1', 2],
        ['in 2', 2],
        ['in 3', 2],
        ['in 4', 1],
      ],
    )
    assert.deepEqual(moveOf(open, 'group 1', 'ArrowRight'), { to: 'in 1' })
    assert.deepEqual(moveOf(open, 'in 2', 'ArrowLeft'), { to: 'group 1' })
    assert.deepEqual(moveOf(open, 'group 1', 'Enter'), { open: 'group 1', isOpen: false })
    assert.equal(
      moveOf(outRows(lefts, new Set(['out out.window'])), 'out out.window 0', 'Enter'),
      null,
      'a line has nothing behind it',
    )
  })

  test('says how far the estimate was off, whether it is what was sent, and what to do about trouble', () => {
    assert.equal(driftWords(6148, 6201), '+0.9 %')
    assert.equal(driftWords(100, 90), '−10.0 %')
    assert.equal(driftWords(100, 100), '±0.0 %')
    assert.match(verifiedWords({ verified: false, difference: 'the house text changed' }), /house text changed/)
    assert.match(verifiedWords({ verified: null }), /^Cannot be compared/)
    const troubled: Receipt = {
      ...receipt,
      ...{ degraded: { reason: 'the store was slow' }, truncated: { sent: 900, seen: 300 }, ladder: ['history'] },
    }
    assert.deepEqual(troublesOf({ receipt }), [])
    assert.deepEqual(
      troublesOf({ receipt: troubled }).map(({ words }) => words.slice(0, 20)),
      ['Answered without the', 'The model did not se', 'To make it fit, the '],
    )
  })

  test('gives a request to a shell, never with a key, whatever is quoted in it', () => {
    const body = { say: "it's $HOME `here`" }
    const curl = curlOf({ url: 'https://api.anthropic.com/v1/messages', body }, 'anthropic@1') ?? ''
    assert.match(curl, /"x-api-key: \$ANTHROPIC_API_KEY"/)
    assert.ok(curl.includes(`'{"say":"it'\\''s $HOME \`here\`"}'`), curl)
    assert.match(
      curlOf({ url: 'https://openrouter.ai/api/v1/chat/completions', body }, 'openai-chat@1') ?? '',
      /\$OPENROUTER_API_KEY/,
    )
    assert.doesNotMatch(curlOf({ url: 'http://127.0.0.1:11434/api/chat', body }, 'ollama@1') ?? '', /authorization/)
    assert.equal(curlOf({ url: 'demo:', body }, 'demo@1'), null)
    assert.equal(bodyBytes('é'), 4)
  })

  test('compares two requests item by item', () => {
    const now = [...ITEMS.slice(0, 1), ...ITEMS.slice(2), item(7, 'recent.window', { from: 21 })]
    const { same, come, gone, tokens } = compared(request(ITEMS), request(now))
    assert.deepEqual([same, come.map(({ from }) => from), gone.map(({ from }) => from), tokens], [4, [21], [5], -13])
    assert.deepEqual([signedCount(0), signedCount(1204), signedCount(-3)], ['0', '+1,204', '−3'])
    const cache = (stableShare: number, item: string | null) => ({
      ...{ stableThrough: null, stableShare, brokenBy: item === null ? null : { item, reason: 'note.omitted' } },
    })
    assert.match(cacheEffect(cache(0.9, null), cache(0.2, 'note')), /20 % of it instead of 90 %, broken by note/)
    assert.match(cacheEffect(cache(0.9, null), cache(0.9, null)), /as much of it: 90 %/)
    assert.match(cacheEffect(null, null), /no request before/)
  })

  test('what is estimated differently by now is no difference between two requests', () => {
    const items = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 12 })
    const factors = fc.integer({ min: 60, max: 180 }).map(factor => factor / 100)
    const counted = (weights: readonly number[], factor: number): readonly InspectedItem[] =>
      weights.map((weight, index) => item(Math.ceil(weight * factor), 'recent.window', { from: index, hash: `h${index}` }))
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 900 }), factors, factors, (weights, more, was, is) => {
        const before = request(counted(weights, was), was)
        assert.equal(compared(before, request(counted(weights, is), is)).tokens, 0)
        const longer = compared(before, request(counted([...weights, more], is), is))
        const added = compared(before, request(counted([...weights, more], was), was)).tokens
        // Both were rounded up, the one in the measure of the other.
        assert.ok(Math.abs(longer.tokens - added) <= 1 + Math.max(1, was / is), `${longer.tokens} instead of ${added}`)
        assert.deepEqual(
          longer.come.map(({ tokens }) => tokens),
          [longer.tokens],
        )
        const other = compared(before, { ...request(counted(weights, is), is), receipt: receiptFor('another', is) })
        assert.equal(
          other.tokens > 0,
          is > was && sum(counted(weights, is)) > sum(counted(weights, was)),
          'a model counts as it does',
        )
      }),
      tries(100),
    )
  })

  test('says what a mark will do before it is done', () => {
    const pinned = [item(38, 'pin.person', { from: 3, to: 3 }), ...ITEMS]
    assert.equal(markEffect(request(ITEMS), request(pinned), 3), '+38 tokens in the next request; it will be in')
    assert.equal(markEffect(request(pinned), request(ITEMS), 3), '−38 tokens in the next request; it will be left out')
    assert.equal(markEffect(request(ITEMS), request(ITEMS), 5), '0 tokens in the next request; it stays in')
    assert.equal(markEffect(request(ITEMS), request(ITEMS), 3), '0 tokens in the next request; it stays out')
  })

  test('tells where a message went, and why it left', () => {
    const present = (isIn: boolean, reason: string): Present => ({ turn: 't', step: 1, voice: 'a', at: '', in: isIn, reason })
    assert.equal(presenceWords([], false), 'Nothing has been asked since.')
    assert.equal(presenceWords([present(true, 'recent.window')], false), 'It was in the one request since.')
    assert.match(
      presenceWords([present(false, 'out.window'), present(true, 'recent.window')], false),
      /1 of 2 .*It left .*out\.window/,
    )
    const part: Present = { ...present(true, 'recent.excerpt'), part: true }
    assert.equal(presenceWords([part], false), 'It was in the one request since, in part.')
    assert.equal(
      presenceWords([part, part, present(true, 'recent.window'), present(false, 'out.window')], false),
      'It was in 3 of 4 requests since, in 2 of them in part.',
    )
    assert.match(presenceWords([present(false, 'out.excluded')], true), /0 of the last 1 requests. It is left out: kept out/)
  })

  test('asks what if only where something is different and said right', () => {
    assert.equal(whatIfOf(AS_IT_WAS, 9), null)
    assert.deepEqual(whatIfOf({ ...AS_IT_WAS, policy: 'full' }, 9), { at: 9, policy: 'full' })
    assert.deepEqual(whatIfOf({ ...AS_IT_WAS, budget: '800', at: '4' }, 9), { at: 4, budget: 800 })
    assert.equal(whatIfOf({ ...AS_IT_WAS, budget: 'many' }, 9), null)
    assert.notEqual(whyNotBudget({ ...AS_IT_WAS, budget: '-1' }), null)
  })

  test('draws a session as it went', () => {
    const moment = (more: Partial<TimelineMoment>): TimelineMoment =>
      ({
        ...{ estimated: 100, reported: null, cached: null, stableShare: 0.5, costUsd: null, dropped: 0 },
        ...more,
      }) as TimelineMoment
    const bars = barsOf([moment({}), moment({ reported: 200, cached: 150, costUsd: 0.02, dropped: 4 })])
    assert.deepEqual(
      bars.map(({ height, cached, cost, hasDropped }) => [height, cached, cost, hasDropped]),
      [
        [0.5, 0.25, 0, false],
        [1, 0.75, 1, true],
      ],
    )
    assert.equal(
      momentWords(bars[1]?.moment as TimelineMoment, 2),
      'Request 2: 200 tokens · 75 % cached · $0.02 · 4 messages left the window',
    )
  })
})
