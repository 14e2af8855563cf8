import type { ModelFacts } from '../../model/provider.ts'

const CLAUDE = { window: 1_000_000, output: 128_000, images: true, files: true, thinking: true, tools: true }
const CLAUDE_SMALL = { ...CLAUDE, window: 200_000, output: 64_000 }

const FABLE_5_2 = { ...CLAUDE, price: { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10 } }
const FABLE_5_1 = { ...CLAUDE, price: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 }, cacheMinimum: 512 }
const FABLE_5 = { ...FABLE_5_1, price: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 } }
const OPUS_PRICE = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }
const SONNET_PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }

const GPT = { window: 1_050_000, output: 128_000, images: true, files: true, thinking: true, tools: true }
/** Reasons or calls tools: both at once are only to be had from another of OpenAI's APIs. */
const GPT_EITHER = { ...GPT, thinkingWithTools: false as const }
/** Cannot stop reasoning, hence no tools. */
const GPT_NO_TOOLS = { ...GPT, tools: false }
const GPT_400K = { ...GPT, window: 400_000 }
const GPT_4_1 = { ...GPT, window: 1_047_576, output: 32_768, thinking: false }
const GPT_4O = { ...GPT, window: 128_000, output: 16_384, thinking: false }
const LONG = 272_000

/** What was publicly known in November 2026; the prices are the list prices of ordinary, not hurried or batched, requests. */
export const KNOWN_MODELS: Readonly<Record<string, ModelFacts>> = {
  demo: { window: 32_000, price: { input: 0, output: 0 }, images: false, files: false, thinking: true, tools: true },

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

  'openai/gpt-6.1-sol': {
    ...GPT_NO_TOOLS,
    price: {
      input: 2,
      output: 10,
      cacheRead: 0.1,
      cacheWrite: 2.5,
      long: { above: LONG, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5 },
    },
  },
  'openai/gpt-6.1-terra': {
    ...GPT_EITHER,
    price: {
      input: 1,
      output: 5,
      cacheRead: 0.05,
      cacheWrite: 1.25,
      long: { above: LONG, input: 2, output: 7.5, cacheRead: 0.1, cacheWrite: 2.5 },
    },
  },
  'openai/gpt-6-astra': {
    ...GPT_NO_TOOLS,
    price: {
      input: 10,
      output: 50,
      cacheRead: 1,
      cacheWrite: 12.5,
      long: { above: LONG, input: 20, output: 75, cacheRead: 2, cacheWrite: 25 },
    },
  },
  'openai/gpt-6-sol': {
    ...GPT_EITHER,
    price: {
      input: 2,
      output: 10,
      cacheRead: 0.2,
      cacheWrite: 2.5,
      long: { above: LONG, input: 4, output: 15, cacheRead: 0.4, cacheWrite: 5 },
    },
  },
  'openai/gpt-6-luna': {
    ...GPT_EITHER,
    price: {
      input: 0.1,
      output: 0.5,
      cacheRead: 0.01,
      cacheWrite: 0.125,
      long: { above: LONG, input: 0.2, output: 0.75, cacheRead: 0.02, cacheWrite: 0.25 },
    },
  },
  // Its price was cut three times in four months and is announced only until 21 November 2026.
  'openai/gpt-5.6-sol': GPT_EITHER,
  'openai/gpt-5.6': GPT_EITHER,
  'openai/gpt-5.6-terra': {
    ...GPT_EITHER,
    price: {
      input: 2,
      output: 12,
      cacheRead: 0.2,
      cacheWrite: 2.5,
      long: { above: LONG, input: 4, output: 18, cacheRead: 0.4, cacheWrite: 5 },
    },
  },
  'openai/gpt-5.6-luna': {
    ...GPT_EITHER,
    price: {
      input: 0.2,
      output: 1.2,
      cacheRead: 0.02,
      cacheWrite: 0.25,
      long: { above: LONG, input: 0.4, output: 1.8, cacheRead: 0.04, cacheWrite: 0.5 },
    },
  },
  'openai/gpt-5.5': {
    ...GPT_EITHER,
    price: { input: 5, output: 30, cacheRead: 0.5, long: { above: LONG, input: 10, output: 45, cacheRead: 1 } },
  },
  'openai/gpt-5.4': {
    ...GPT_EITHER,
    price: { input: 2.5, output: 15, cacheRead: 0.25, long: { above: LONG, input: 5, output: 22.5, cacheRead: 0.5 } },
  },
  'openai/gpt-5.4-mini': { ...GPT_EITHER, window: 400_000, price: { input: 0.75, output: 4.5, cacheRead: 0.075 } },
  'openai/gpt-5.4-nano': { ...GPT_EITHER, window: 400_000, price: { input: 0.2, output: 1.25, cacheRead: 0.02 } },
  'openai/gpt-5.2': { ...GPT_400K, price: { input: 1.75, output: 14, cacheRead: 0.175 } },
  'openai/gpt-5.1': { ...GPT_400K, price: { input: 1.25, output: 10, cacheRead: 0.125 } },
  'openai/gpt-5': { ...GPT_400K, price: { input: 1.25, output: 10, cacheRead: 0.125 } },
  'openai/gpt-5-mini': { ...GPT_400K, price: { input: 0.25, output: 2, cacheRead: 0.025 } },
  'openai/gpt-5-nano': { ...GPT_400K, price: { input: 0.05, output: 0.4, cacheRead: 0.005 } },
  'openai/o3': { ...GPT, window: 200_000, output: 100_000, price: { input: 2, output: 8, cacheRead: 0.5 } },
  'openai/gpt-4.1': { ...GPT_4_1, price: { input: 2, output: 8, cacheRead: 0.5 } },
  'openai/gpt-4.1-mini': { ...GPT_4_1, price: { input: 0.4, output: 1.6, cacheRead: 0.1 } },
  'openai/gpt-4o': { ...GPT_4O, price: { input: 2.5, output: 10, cacheRead: 1.25 } },
  'openai/gpt-4o-mini': { ...GPT_4O, price: { input: 0.15, output: 0.6, cacheRead: 0.075 } },
}

/** What is known of `provider/model`, also under a dated or `-latest` name, and of Anthropic's and OpenAI's models at OpenRouter. */
export function factsOf(name: string): ModelFacts | undefined {
  return listed(name) ?? (name.startsWith('openrouter/') ? routed(name.slice('openrouter/'.length)) : undefined)
}

function listed(name: string): ModelFacts | undefined {
  const known = [name, name.replace(DATE, '')].find(one => Object.hasOwn(KNOWN_MODELS, one))
  return known === undefined ? undefined : KNOWN_MODELS[known]
}

const DATE = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

/** OpenRouter asks its vendors at their own prices, and OpenAI by the API that knows tools and reasoning together. */
function routed(name: string): ModelFacts | undefined {
  const [model = '', variant] = name.split(':')
  const facts = listed(model.startsWith('anthropic/') ? model.replaceAll('.', '-') : model)
  if (facts === undefined || !/^(?:anthropic|openai)\//.test(model)) return undefined
  const { price, thinkingWithTools: _, ...rest } = { ...facts, tools: true }
  if (variant === 'free') return { ...rest, price: { input: 0, output: 0 } }
  return variant === undefined && price !== undefined ? { ...rest, price } : rest
}
