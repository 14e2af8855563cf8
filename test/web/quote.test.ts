import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Quote, VoiceQuote } from '../../src/model/quote.ts'
import { quoteLine, quoteSpoken } from '../../web/src/composer/quote.ts'
import { chat, DOWN, world } from './world.ts'

const quote = (many: number, price: number | null): Quote => {
  const one: VoiceQuote = {
    voice: 'a',
    model: 'm',
    input: 8200,
    cached: 0,
    output: 4000,
    leastUsd: price,
    mostUsd: price === null ? null : price * 3,
  }
  const times = (value: number | null): number | null => (value === null ? null : value * many)
  return {
    voices: Array.from({ length: many }, () => one),
    total: { input: 8200 * many, cached: 0, output: 4000 * many, leastUsd: times(one.leastUsd), mostUsd: times(one.mostUsd) },
    replyLimit: null,
    refused: null,
  }
}

test('a quote is one quiet line; for a council it is what each takes, and what all cost', () => {
  assert.equal(quoteLine(quote(1, 0.01)), '≈ 8.2k in, ≤ 4k out · $0.01–0.03')
  assert.equal(quoteLine(quote(5, 0.01)), '≈ 5 × 8.2k in, ≤ 5 × 4k out · $0.05–0.15')
  assert.equal(quoteLine(quote(1, null)), '≈ 8.2k in, ≤ 4k out · –')
  assert.equal(quoteLine(quote(1, 0)), '≈ 8.2k in, ≤ 4k out · $0')
})

test('and it can be heard', () => {
  assert.equal(quoteSpoken(quote(1, 0.01)), 'About 8.2k tokens in and at most 4k out, at most $0.03')
  assert.equal(
    quoteSpoken(quote(2, null)),
    'About 16.4k tokens in and at most 8k out for 2 voices together, the price is not known',
  )
})

test('it is asked of the session, or before there is one of whoever would answer; a refusal is no quote', async () => {
  const { store, calls, answers } = world()
  answers.set('quote', () => ({ ok: true, value: quote(1, 0) }))
  store.choose({ council: 'board' })
  await store.arrange({ policy: 'recent' })
  assert.equal(await store.quote('hello'), null)
  assert.deepEqual(calls.at(-1), ['quoteFirst', 'hello', { council: 'board' }, null, { policy: 'recent' }])
  store.visit(chat('ses_1'))
  assert.equal((await store.quote('hello'))?.voices.length, 1)
  answers.set('quote', () => ({ ok: false, problem: DOWN }))
  assert.equal(await store.quote('hello'), null)
  assert.equal(store.get().problem, null, 'nobody asked for it')
})
