/** The services that people can connect: their titles, addresses, and where their keys come from. */
import type { ProviderDescriptor } from '../../provider/descriptor.ts'
import { compatible } from '../../provider/openai-chat/descriptors.ts'
import { PROVIDERS } from '../../provider/providers.ts'

/** A service that a person can connect with one click. */
export type ProviderTemplate = {
  readonly name: string
  readonly title: string
  readonly baseURL: string
  readonly needsKey: boolean
  /** Where the vendor gives out keys. */
  readonly keyPage: string | null
  /** True for a server on the person's own machine. */
  readonly isLocal: boolean
}

const onThisMachine = (name: string, title: string, port: number): ProviderTemplate => ({
  name,
  title,
  baseURL: `http://127.0.0.1:${port}/v1`,
  needsKey: false,
  keyPage: null,
  isLocal: true,
})

/** Servers that speak OpenAI's chat completions, under names of their own. */
export const TEMPLATES: readonly ProviderTemplate[] = [
  {
    name: 'gemini',
    title: 'Gemini',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
    needsKey: true,
    keyPage: 'https://aistudio.google.com/apikey',
    isLocal: false,
  },
  onThisMachine('lmstudio', 'LM Studio', 1234),
  onThisMachine('vllm', 'vLLM', 8000),
  onThisMachine('llamacpp', 'llama.cpp', 8080),
]

const TITLES: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  openrouter: 'OpenRouter',
  ollama: 'Ollama',
  ...Object.fromEntries(TEMPLATES.map(({ name, title }) => [name, title])),
}

export const titleOf = (provider: string): string => (Object.hasOwn(TITLES, provider) ? (TITLES[provider] ?? provider) : provider)

/** How a provider of this name is spoken to. A name that is not one of the vendors' is a compatible server. */
export const descriptorNamed = (provider: string): ProviderDescriptor =>
  PROVIDERS.find(({ name, baseURL }) => name === provider && baseURL !== undefined) ?? compatible
