import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Fact } from '../../src/model/event.ts'
import type { TurnId } from '../../src/model/ids.ts'
import type { InLine, Receipt } from '../../src/model/receipt.ts'
import { type RingPart, ringOf, ringWarning, ringWords } from '../../web/src/composer/ring/figures.ts'
import { dollarRange, dollars, percentWords, shortCount } from '../../web/src/words/amounts.ts'
import { tries } from '../support/tries.ts'
import { ended, event, finished, planned, RECEIPT, said, show, started, TURN } from './signals.ts'

const line = (reason: InLine['reason'], tokens: number): InLine => ({ kind: 'message', tokens, reason, hash: 'h' })

const receipt = (estimated: number, more: Partial<Receipt> = {}): Receipt => ({
  ...RECEIPT,
  tokens: { ...RECEIPT.tokens, estimated, limit: 10_000, reserved: 2000 },
  in: [
    line('system.agent', 1000),
    line('tools.schema', 500),
    line('skill.listed', 100),
    line('head.first', 200),
    line('note.omitted', 10),
    line('pin.person', 40),
    line('recent.window', 3000),
    line('recall.match', 50),
    line('reference.last-round', 60),
    line('current.message', 40),
  ],
  ...more,
})

const asked = (of: Receipt): ReturnType<typeof show> => show([said(1, 'hi'), started(2), planned(3, 1, TURN, of)])

describe('the ring', () => {
  test('is not there before the first request', () => {
    assert.equal(ringOf(show([said(1, 'hi'), started(2)]).entries), null)
  })

  test('says how full the newest request was, in kinds that sum to it', () => {
    const ring = ringOf(asked(receipt(5000)).entries)
    assert.ok(ring !== null)
    assert.equal(ring.used, 5000)
    assert.equal(ring.isCounted, false)
    assert.equal(ringWords(ring), '5k of 10k, 50 %')
    assert.deepEqual(Object.fromEntries(ring.parts.map(({ slice, tokens }) => [slice, tokens])), {
      system: 1000,
      tools: 500,
      skills: 100,
      history: 3200,
      notes: 10,
      pinned: 40,
      recalled: 50,
      references: 60,
      current: 40,
    })
  })

  test('what the provider counted holds, and what it knew already is taken from the beginning', () => {
    const usage = { input: 3000, output: 5, cacheRead: 1200, cacheWrite: 800 }
    const view = show([
      said(1, 'hi'),
      started(2),
      planned(3, 1, TURN, receipt(4900)),
      event(4, { type: 'reply.finished', turn: TURN, step: 1, parts: [{ type: 'text', text: 'ok' }], usage }),
    ])
    const ring = ringOf(view.entries)
    assert.equal(ring?.used, 5000)
    assert.equal(ring?.isCounted, true)
    assert.equal(ring?.cached, 1200)
    const cached = ring?.parts.map(({ cached: known }) => known) ?? []
    assert.deepEqual(cached.slice(0, 3), [1000, 200, 0])
    assert.deepEqual(
      ring?.parts.slice(0, 3).map(({ tokens }) => tokens),
      [1000, 500, 100],
      'in the provider’s measure',
    )
    assert.equal(
      cached.reduce((sum, each) => sum + each, 0),
      1200,
    )
  })

  test('its rows add up to it, however the provider counts', () => {
    const reasons: readonly InLine['reason'][] = [
      'system.agent',
      'tools.schema',
      'recent.window',
      'recent.excerpt',
      'current.message',
    ]
    const lines = fc.array(fc.tuple(fc.constantFrom(...reasons), fc.nat(5000)), { maxLength: 12 })
    const usages = fc.option(
      fc.record({ input: fc.nat(30_000), output: fc.constant(5), cacheRead: fc.nat(9000), cacheWrite: fc.nat(9000) }),
      {
        nil: null,
      },
    )
    fc.assert(
      fc.property(lines, usages, fc.double({ min: 0, max: 1, noNaN: true }), (all, usage, stableShare) => {
        const made = all.map(([reason, tokens]) => line(reason, tokens))
        const estimated = made.reduce((sum, { tokens }) => sum + tokens, 0)
        const cache = { stableThrough: null, stableShare, brokenBy: null }
        const reply: Fact = { type: 'reply.finished', turn: TURN, step: 1, parts: [], ...(usage === null ? {} : { usage }) }
        const view = show([
          said(1, 'hi'),
          started(2),
          planned(3, 1, TURN, receipt(estimated, { in: made, cache })),
          event(4, reply),
        ])
        const ring = ringOf(view.entries)
        assert.ok(ring !== null)
        const sum = (of: (part: RingPart) => number): number => ring.parts.reduce((total, part) => total + of(part), 0)
        assert.equal(
          sum(({ tokens }) => tokens),
          ring.used,
        )
        assert.equal(
          sum(({ cached }) => cached),
          ring.cached,
        )
        assert.ok(ring.parts.every(({ tokens, cached }) => tokens > 0 && cached >= 0 && cached <= tokens))
        assert.equal(ring.used, usage === null ? estimated : usage.input + usage.cacheRead + usage.cacheWrite)
      }),
      tries(100),
    )
  })

  test('calm up to three quarters, warm up to nine tenths, then hot; unknown is never a share', () => {
    const levels = [7500, 7501, 9000, 9001].map(used => ringOf(asked(receipt(used)).entries)?.level)
    assert.deepEqual(levels, ['calm', 'warm', 'warm', 'hot'])
    const unknown = ringOf(asked(receipt(5000, { tokens: { ...RECEIPT.tokens, estimated: 5000, limit: 0 } })).entries)
    assert.equal(unknown?.share, null)
    assert.equal(unknown?.level, 'calm')
    assert.equal(unknown === null ? '' : ringWords(unknown), '5k tokens, of a window of unknown size')
  })

  test('of a council it is the fullest voice, by its newest request; who has left and the house do not count', () => {
    const turn = (id: string): TurnId => id as TurnId
    const speak = (seq: number, id: string, voice: string, used: number): ReturnType<typeof said>[] => [
      started(seq, turn(id), voice),
      planned(seq + 1, 1, turn(id), receipt(used, { voice })),
      finished(seq + 2, [{ type: 'text', text: 'so' }], 1, turn(id)),
      ended(seq + 3, turn(id)),
    ]
    const view = show([
      said(1, 'hi'),
      ...speak(2, 'trn_a', 'ada', 9900),
      ...speak(6, 'trn_b', 'bo', 3000),
      ...speak(10, 'trn_c', 'cy', 8000),
      ...speak(14, 'trn_d', 'ada', 2000),
      ...speak(18, 'trn_e', 'house:synthesis', 9999),
    ])
    assert.equal(ringOf(view.entries)?.voice, 'cy')
    assert.equal(ringOf(view.entries, voice => voice !== 'cy')?.voice, 'bo')
  })

  test('warns in words of what the policy does next', () => {
    const calm = ringOf(asked(receipt(5000)).entries)
    const hot = ringOf(asked(receipt(9500)).entries)
    assert.ok(calm !== null && hot !== null)
    assert.equal(ringWarning(calm, undefined), null)
    assert.equal(
      ringWarning(hot, undefined),
      'Nearly full: soon the oldest turns will be left out, several at once. Pin what must stay.',
    )
    assert.match(ringWarning(hot, { window: { kind: 'tokens', low: null, high: null } }) ?? '', /several at once/)
    assert.match(ringWarning(hot, { window: { kind: 'last', messages: 5 } }) ?? '', /only the last messages/)
  })
})

test('amounts are short, and a price that nobody knows is no zero', () => {
  assert.deepEqual([0, 940, 8234, 53_600, 99_960, 200_000, 1_250_000].map(shortCount), [
    '0',
    '940',
    '8.2k',
    '53.6k',
    '100k',
    '200k',
    '1.3M',
  ])
  assert.deepEqual([null, 0, 1.234, 0.0123, 0.00312, 0.000001].map(dollars), ['–', '$0', '$1.23', '$0.01', '$0.0031', '$0.0001'])
  assert.equal(dollarRange(0.011, 0.034), '$0.01–0.03')
  assert.equal(dollarRange(0.0301, 0.0302), '$0.03')
  assert.equal(dollarRange(0.0001, 0.02), '$0.00–0.02')
  assert.equal(dollarRange(null, 0.02), '–')
  assert.deepEqual([0.268, 0.001, 0].map(percentWords), ['27 %', '< 1 %', '0 %'])
})
