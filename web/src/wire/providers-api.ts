// Asks the gateway about providers: connect, check, disconnect.
import type { AskGateway } from './ask.ts'
import type { ApiResult } from './problem.ts'

export type ProviderKind = 'anthropic' | 'openai' | 'openrouter' | 'ollama' | 'compatible'

/** What the last check of a provider said. */
export type ProviderState = 'ready' | 'no-key' | 'bad-key' | 'unreachable' | 'unchecked'

/** A provider with the outcome of its last check. Its key is never given out, only the end of it. */
export type ConnectedProvider = {
  readonly name: string
  readonly kind: ProviderKind
  readonly title: string
  readonly baseURL: string
  readonly hasKey: boolean
  readonly last4: string | null
  readonly keyFrom: 'environment' | 'secrets' | 'file' | null
  /** The variable that has the key, or that could have it. */
  readonly keyVariable: string | null
  readonly addressFrom: 'environment' | 'secrets' | 'file' | 'vendor'
  readonly state: ProviderState
  /** One sentence when it is not ready. */
  readonly message: string | null
  /** Full names, as settings take them. */
  readonly models: readonly string[]
  readonly checkedAt: string | null
  readonly needsKey: boolean
  readonly isRemovable: boolean
}

/** A compatible server whose address is known in advance. */
export type ProviderTemplate = {
  readonly name: string
  readonly title: string
  readonly baseURL: string
  readonly needsKey: boolean
  readonly keyPage: string | null
  readonly isLocal: boolean
}

export type ListedProviders = {
  readonly items: readonly ConnectedProvider[]
  readonly templates: readonly ProviderTemplate[]
}

/** An address without a key forgets the key that was saved with another address. */
export type ProviderChange = { readonly apiKey?: string; readonly baseURL?: string }

export type ProvidersApi = {
  readonly list: () => Promise<ApiResult<ListedProviders>>
  /** Saves, and checks at once; saved also when the check fails. */
  readonly connect: (name: string, change: ProviderChange) => Promise<ApiResult<ConnectedProvider>>
  readonly check: (name: string) => Promise<ApiResult<ConnectedProvider>>
  /** Forgets what was saved here; variables and turnwise.json stay as they are. */
  readonly disconnect: (name: string) => Promise<ApiResult<unknown>>
}

export function createProvidersApi(ask: AskGateway): ProvidersApi {
  const at = (name: string): string => `api/providers/${encodeURIComponent(name)}`
  return {
    list: () => ask('GET', 'api/providers'),
    connect: (name, change) => ask('PUT', at(name), change),
    check: name => ask('POST', `${at(name)}/check`, {}),
    disconnect: name => ask('DELETE', at(name)),
  }
}
