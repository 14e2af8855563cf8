/** The three providers with chat completions: OpenAI, OpenRouter, and servers that the settings name. */
import { COMPATIBLE } from '../../model/model-name.ts'
import { OPENAI_LIST, OPENROUTER_LIST } from '../catalog/model-list.ts'
import { bearer, type ProviderDescriptor } from '../descriptor.ts'
import { earlierOpenaiChatWires, openaiChatWire } from './encode.ts'
import { OPENAI_MODELS, openRouterFacts } from './models.ts'
import { openaiSampling, openrouterSampling } from './sampling.ts'

export const openai: ProviderDescriptor = {
  name: 'openai',
  wire: openaiChatWire,
  earlierWires: earlierOpenaiChatWires,
  baseURL: 'https://api.openai.com/v1',
  keyVariable: 'OPENAI_API_KEY',
  baseURLVariable: 'OPENAI_BASE_URL',
  headers: bearer,
  models: OPENAI_MODELS,
  list: OPENAI_LIST,
  samplingOf: openaiSampling,
}

export const openrouter: ProviderDescriptor = {
  name: 'openrouter',
  wire: openaiChatWire,
  earlierWires: earlierOpenaiChatWires,
  baseURL: 'https://openrouter.ai/api/v1',
  keyVariable: 'OPENROUTER_API_KEY',
  baseURLVariable: 'OPENROUTER_BASE_URL',
  // OpenRouter tells programs apart by these headers.
  headers: apiKey => ({
    ...bearer(apiKey),
    'http-referer': 'http://localhost',
    'x-title': 'Turnwise',
    'x-openrouter-title': 'Turnwise',
  }),
  factsOf: openRouterFacts,
  list: OPENROUTER_LIST,
  samplingOf: openrouterSampling,
}

/** Each such server has its own name under `providers`: `compatible/<server>/<model>`. */
export const compatible: ProviderDescriptor = {
  name: COMPATIBLE,
  wire: openaiChatWire,
  earlierWires: earlierOpenaiChatWires,
  headers: bearer,
  list: OPENAI_LIST,
  // Most of them are llama.cpp, LM Studio and the like.
  assumes: { keepsOnePrefix: true },
}
