/** The services that people can connect, and a provider as people see it once it is known. */

/** A compatible server that a person can connect with one click. */
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

/** How a provider answered last. */
export type ProviderState = 'ready' | 'no-key' | 'bad-key' | 'unreachable' | 'unchecked'

/** A provider as people see it. It never has the key itself, only the end of it. */
export type ConnectedProvider = {
  readonly name: string
  readonly kind: string
  readonly title: string
  readonly baseURL: string
  readonly hasKey: boolean
  readonly last4: string | null
  readonly keyFrom: 'environment' | 'secrets' | 'file' | null
  /** The variable that gives the key, or could give it. */
  readonly keyVariable: string | null
  readonly addressFrom: 'environment' | 'secrets' | 'file' | 'vendor'
  readonly state: ProviderState
  /** One sentence if it is not ready. */
  readonly message: string | null
  /** By the names that settings take. */
  readonly models: readonly string[]
  readonly checkedAt: string | null
  readonly needsKey: boolean
  /** True if disconnecting it changes something. */
  readonly isRemovable: boolean
}

export type ProviderList = { readonly items: readonly ConnectedProvider[]; readonly templates: readonly ProviderTemplate[] }

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

/** The vendors whose addresses are known without a setting. */
export const VENDORS: readonly { readonly name: string; readonly title: string; readonly keyPage: string }[] = [
  { name: 'anthropic', title: 'Anthropic', keyPage: 'https://platform.claude.com/settings/keys' },
  { name: 'openai', title: 'OpenAI', keyPage: 'https://platform.openai.com/api-keys' },
  { name: 'openrouter', title: 'OpenRouter', keyPage: 'https://openrouter.ai/settings/keys' },
]

const WITHOUT_KEYS = [
  { name: 'demo', title: 'Demo', keyPage: null },
  { name: 'ollama', title: 'Ollama', keyPage: null },
]
const KNOWN = [...VENDORS, ...TEMPLATES, ...WITHOUT_KEYS]

/** A server under a name of its own is called by that name. */
export const providerTitle = (provider: string): string => KNOWN.find(({ name }) => name === provider)?.title ?? provider

/** Where the vendor gives out keys, if that is known. */
export const keyPageOf = (provider: string): string | null => KNOWN.find(({ name }) => name === provider)?.keyPage ?? null
