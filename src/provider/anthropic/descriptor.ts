/** Anthropic's Messages API. */
import { ANTHROPIC_LIST } from '../catalog/model-list.ts'
import type { ProviderDescriptor } from '../descriptor.ts'
import { anthropicWire } from './encode.ts'
import { ANTHROPIC_MODELS } from './models.ts'
import { anthropicSampling } from './sampling.ts'

export const anthropic: ProviderDescriptor = {
  name: 'anthropic',
  wire: anthropicWire,
  baseURL: 'https://api.anthropic.com',
  keyVariable: 'ANTHROPIC_API_KEY',
  baseURLVariable: 'ANTHROPIC_BASE_URL',
  // Older gateways in front of Anthropic know only this header for the key, not a bearer token.
  headers: apiKey => ({ ...(apiKey === '' ? {} : { 'x-api-key': apiKey }), 'anthropic-version': '2023-06-01' }),
  assumes: { files: true, cacheMinimum: 1024 },
  models: ANTHROPIC_MODELS,
  list: ANTHROPIC_LIST,
  samplingOf: anthropicSampling,
}
