/** What is known about sampling on Ollama: it takes everything, and most models think or do not. */
import type { SamplingFacts } from '../../model/sampling.ts'

/** True for models that take a level of thinking instead of yes or no. */
export const hasLevels = (name: string): boolean => /gpt-oss/i.test(name)

export const ollamaSampling = (name: string): SamplingFacts => ({
  efforts: hasLevels(name) ? ['low', 'medium', 'high'] : ['none', 'medium'],
})
