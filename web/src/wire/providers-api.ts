// Asks the gateway about providers: connect, check, disconnect.
import type { ConnectedProvider, ProviderList } from '../../../src/model/connectable-providers.ts'
import type { AskGateway } from './ask.ts'
import type { ApiResult } from './problem.ts'

/** An address without a key forgets the key that was saved with another address. */
export type ProviderChange = { readonly apiKey?: string; readonly baseURL?: string }

export type ProvidersApi = {
  readonly list: () => Promise<ApiResult<ProviderList>>
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
