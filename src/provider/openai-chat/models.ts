/** OpenAI's models, as publicly known in November 2026 with the list prices of ordinary requests, and both vendors' models at OpenRouter. */
import type { ModelFacts } from '../../model/provider.ts'
import { ANTHROPIC_MODELS } from '../anthropic/models.ts'
import { knownIn } from '../catalog/known-in.ts'

const GPT = { window: 1_050_000, output: 128_000, images: true, files: true, thinking: true, tools: true }
/** These models reason or call tools. Only another of OpenAI's APIs can do both at once. */
const GPT_EITHER = { ...GPT, thinkingWithTools: false as const }
/** These models cannot stop reasoning, so they have no tools. */
const GPT_NO_TOOLS = { ...GPT, tools: false }
const GPT_400K = { ...GPT, window: 400_000 }
const GPT_4_1 = { ...GPT, window: 1_047_576, output: 32_768, thinking: false }
const GPT_4O = { ...GPT, window: 128_000, output: 16_384, thinking: false }
const LONG = 272_000

export const OPENAI_MODELS: Readonly<Record<string, ModelFacts>> = {
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

const AT_OPENROUTER = 'openrouter/'

/** OpenRouter charges its vendors' own prices, and uses the OpenAI API that has tools and reasoning together. */
export function openRouterFacts(name: string): ModelFacts | undefined {
  if (!name.startsWith(AT_OPENROUTER)) return undefined
  const [model = '', variant] = name.slice(AT_OPENROUTER.length).split(':')
  const facts = model.startsWith('anthropic/')
    ? knownIn(ANTHROPIC_MODELS, model.replaceAll('.', '-'))
    : knownIn(OPENAI_MODELS, model)
  if (facts === undefined) return undefined
  const { price, thinkingWithTools: _, ...rest } = { ...facts, tools: true }
  if (variant === 'free') return { ...rest, price: { input: 0, output: 0 } }
  return variant === undefined && price !== undefined ? { ...rest, price } : rest
}
