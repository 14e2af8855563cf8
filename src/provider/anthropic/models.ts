/** Anthropic's models: what was publicly known in November 2026, with the list prices of ordinary requests. */
import type { ModelFacts } from '../../model/provider.ts'

const CLAUDE = { window: 1_000_000, output: 128_000, images: true, files: true, thinking: true, tools: true }
const CLAUDE_SMALL = { ...CLAUDE, window: 200_000, output: 64_000 }

const FABLE_5_2 = { ...CLAUDE, price: { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10 } }
const FABLE_5_1 = { ...CLAUDE, price: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 }, cacheMinimum: 512 }
const FABLE_5 = { ...FABLE_5_1, price: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 } }
const OPUS_PRICE = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }
const SONNET_PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }

export const ANTHROPIC_MODELS: Readonly<Record<string, ModelFacts>> = {
  'anthropic/claude-fable-5-2': FABLE_5_2,
  'anthropic/claude-mythos-5-2': FABLE_5_2,
  'anthropic/claude-fable-5-1': FABLE_5_1,
  'anthropic/claude-mythos-5-1': FABLE_5_1,
  'anthropic/claude-fable-5': FABLE_5,
  'anthropic/claude-mythos-5': FABLE_5,
  'anthropic/claude-opus-5-5': { ...CLAUDE, price: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 }, cacheMinimum: 512 },
  'anthropic/claude-opus-5': { ...CLAUDE, price: OPUS_PRICE, cacheMinimum: 512 },
  'anthropic/claude-opus-4-8': { ...CLAUDE, price: OPUS_PRICE, cacheMinimum: 1024 },
  'anthropic/claude-opus-4-7': { ...CLAUDE, price: OPUS_PRICE, cacheMinimum: 2048 },
  'anthropic/claude-opus-4-6': { ...CLAUDE, price: OPUS_PRICE, cacheMinimum: 4096 },
  'anthropic/claude-opus-4-5': { ...CLAUDE_SMALL, price: OPUS_PRICE, cacheMinimum: 4096 },
  'anthropic/claude-sonnet-5-5': {
    ...CLAUDE,
    price: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
    cacheMinimum: 512,
  },
  'anthropic/claude-sonnet-5': {
    ...CLAUDE,
    price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
    cacheMinimum: 1024,
  },
  'anthropic/claude-sonnet-4-6': { ...CLAUDE, price: SONNET_PRICE, cacheMinimum: 1024 },
  'anthropic/claude-sonnet-4-5': { ...CLAUDE_SMALL, price: SONNET_PRICE, cacheMinimum: 1024 },
  'anthropic/claude-haiku-5-5': {
    ...CLAUDE,
    price: {
      input: 0.1,
      output: 0.5,
      cacheRead: 0.01,
      cacheWrite: 0.125,
      long: { above: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
    },
    cacheMinimum: 512,
  },
  'anthropic/claude-haiku-4-5': {
    ...CLAUDE_SMALL,
    price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    cacheMinimum: 4096,
  },
}
