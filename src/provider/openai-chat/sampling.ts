/** What is known about sampling on OpenAI's models, and on both vendors' models at OpenRouter, as of November 2026. */
import type { Effort, SamplingFacts } from '../../model/sampling.ts'
import { anthropicSampling } from '../anthropic/sampling.ts'

/** OpenAI's models that reason; `gpt-4o`, `gpt-4.1` and older ones do not. */
export const isReasoning = (model: string): boolean => /^openai\/(?!gpt-[34]|chatgpt)/.test(model)

/** Models that reason choose their words without a person's help, and refuse `stop` with "Unsupported parameter". */
export function openaiSampling(name: string): SamplingFacts {
  if (!isReasoning(name)) return {}
  return { never: ['temperature', 'topP', 'stop'], efforts: effortsOf(name) }
}

function effortsOf(name: string): readonly Effort[] {
  const [, major = '', minor = '0'] = /gpt-(\d+)(?:\.(\d+))?/.exec(name) ?? []
  if (major === '') return ['low', 'medium', 'high']
  if (/-pro\b/.test(name)) return ['high']
  if (Number(major) === 5 && Number(minor) === 0) return ['minimal', 'low', 'medium', 'high']
  if (Number(major) === 5 && Number(minor) === 1) return ['none', 'low', 'medium', 'high']
  return ['none', 'low', 'medium', 'high', 'xhigh']
}

/** OpenRouter ignores what a model does not take, so what its vendors' own APIs refuse is refused here, too. */
export function openrouterSampling(name: string): SamplingFacts {
  const model = name.replace(/^openrouter\/~?/, '')
  if (model.startsWith('anthropic/')) return anthropicSampling(model)
  return model.startsWith('openai/') ? openaiSampling(model) : {}
}
