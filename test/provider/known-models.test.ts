import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelFacts, Price } from '../../src/model/provider.ts'
import { knownFacts as factsOf } from '../../src/provider/catalog/catalog.ts'
import { costOf } from '../../src/provider/catalog/price.ts'
import { PROVIDERS } from '../../src/provider/providers.ts'

const KNOWN_MODELS: Readonly<Record<string, ModelFacts>> = Object.assign({}, ...PROVIDERS.map(({ models }) => models))

const priceOf = (name: string): Price | undefined => factsOf(name)?.price

test('a model is known by its name', () => {
  const price = { input: 0, output: 0 }
  assert.deepEqual(factsOf('demo'), { window: 32_000, price, images: false, files: false, thinking: true, tools: true })
  assert.equal(factsOf('anthropic/claude-opus-5-5')?.window, 1_000_000)
  assert.equal(factsOf('anthropic/claude-opus-4-5')?.cacheMinimum, 4096)
  assert.equal(factsOf('openai/gpt-5')?.output, 128_000)
})

test('a dated or latest name is the name without it', () => {
  assert.equal(factsOf('anthropic/claude-sonnet-4-5-20250929'), factsOf('anthropic/claude-sonnet-4-5'))
  assert.equal(factsOf('openai/gpt-5-2025-08-07'), factsOf('openai/gpt-5'))
  assert.equal(factsOf('openai/gpt-5.4-mini-2026-03-17'), factsOf('openai/gpt-5.4-mini'))
  assert.equal(factsOf('anthropic/claude-haiku-4-5-latest'), factsOf('anthropic/claude-haiku-4-5'))
})

test('a version does not inherit from the one it looks like', () => {
  for (const name of [
    'anthropic/claude-opus-5-6',
    'openai/gpt-5-turbo',
    'anthropic/claude-sonnet-4-20250514',
    'openai/gpt-5-2025',
  ]) {
    assert.equal(factsOf(name), undefined, name)
  }
})

test('what nobody lists is not known, whatever a prototype has', () => {
  const strange = ['', '/', 'demo/', 'openai/', 'ollama/llama3', 'openrouter/', 'openrouter/:free', 'openrouter/demo']
  const inherited = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'openrouter/__proto__',
    'openrouter/constructor:free',
  ]
  for (const name of [...strange, ...inherited, 'openrouter/meta-llama/llama-4', 'openrouter/openrouter/openai/gpt-5']) {
    assert.equal(factsOf(name), undefined, name)
  }
})

test('at OpenRouter a model of Anthropic or OpenAI is what it is at home', () => {
  assert.deepEqual(factsOf('openrouter/anthropic/claude-sonnet-4.5'), factsOf('anthropic/claude-sonnet-4-5'))
  assert.deepEqual(factsOf('openrouter/anthropic/claude-opus-5'), factsOf('anthropic/claude-opus-5'))
  assert.deepEqual(priceOf('openrouter/openai/gpt-5.2'), priceOf('openai/gpt-5.2'))
  assert.deepEqual(factsOf('openrouter/openai/gpt-4o-2024-11-20'), factsOf('openai/gpt-4o'))
})

test('at OpenRouter a free variant costs nothing and another one an unknown amount', () => {
  assert.deepEqual(priceOf('openrouter/openai/gpt-5-mini:free'), { input: 0, output: 0 })
  const { price: _, ...unpriced } = KNOWN_MODELS['anthropic/claude-opus-5-5'] ?? {}
  assert.deepEqual(factsOf('openrouter/anthropic/claude-opus-5.5:nitro'), unpriced)
})

test('what only OpenAI refuses is not refused at OpenRouter', () => {
  assert.equal(factsOf('openai/gpt-6.1-sol')?.tools, false)
  assert.equal(factsOf('openrouter/openai/gpt-6.1-sol')?.tools, true)
  assert.equal(factsOf('openai/gpt-6-luna')?.thinkingWithTools, false)
  assert.equal(factsOf('openrouter/openai/gpt-6-luna')?.thinkingWithTools, undefined)
})

test('every entry can be true', () => {
  for (const [name, { window, output, price, cacheMinimum }] of Object.entries(KNOWN_MODELS)) {
    assert.ok(Number.isInteger(window) && window > 0, name)
    if (output !== undefined) assert.ok(Number.isInteger(output) && output > 0 && output < window, name)
    if (cacheMinimum !== undefined) assert.ok(name.startsWith('anthropic/') && cacheMinimum >= 512 && cacheMinimum <= 4096, name)
    for (const rates of price === undefined ? [] : [price, price.long ?? price]) {
      assert.ok(rates.input >= 0 && rates.output >= rates.input, name)
      if (rates.cacheRead !== undefined) assert.ok(rates.cacheRead >= 0 && rates.cacheRead <= rates.input, name)
      if (rates.cacheWrite !== undefined) assert.ok(rates.cacheWrite >= rates.input, name)
    }
    if (price?.long !== undefined) assert.ok(price.long.above < window && price.long.input > price.input, name)
  }
})

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

test('every kind of token has its price', () => {
  const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
  assert.equal(costOf(usage, price), 0)
  // 0.002 + 0.005 + 0.004 + 0.01
  assert.equal(costOf({ input: 1000, output: 500, cacheRead: 20_000, cacheWrite: 4000 }, price), 0.021)
  assert.equal(costOf({ input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 }, price), 14.7)
})

test('cached tokens without a price of their own cost what others do', () => {
  assert.equal(costOf({ ...usage, cacheRead: 1000, cacheWrite: 1000 }, { input: 3, output: 15 }), 0.006)
})

test('a price of nothing is nothing', () => {
  assert.equal(costOf({ input: 9, output: 9, cacheRead: 9, cacheWrite: 9 }, { input: 0, output: 0 }), 0)
})

test('a prompt beyond the limit costs more as a whole, its cached part counted', () => {
  const price = { input: 0.1, output: 0.5, cacheRead: 0.01, long: { above: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05 } }
  assert.equal(costOf({ ...usage, input: 100_000, output: 1000 }, price), 0.0105)
  // 10,001 × 0.5 + 1,000 × 2.5 + 90,000 × 0.05 millionths
  assert.equal(costOf({ ...usage, input: 10_001, output: 1000, cacheRead: 90_000 }, price), 0.0120005)
})

test('a cost is a whole number of billionths', () => {
  const price = { input: 0.1, output: 0.7 }
  assert.equal(costOf({ ...usage, input: 3 }, price), 3e-7)
  assert.equal(costOf({ ...usage, input: 1, output: 1 }, price), 8e-7)
  assert.equal(costOf({ ...usage, output: 1 }, { input: 0, output: 0.0004 }), 0)
})
