/** Where a request to each provider goes, and the headers it carries. */
import type { Encoded, ProviderSetting } from '../../model/provider.ts'

/** A request's address and headers; names of headers are in lower case. */
export type Addressed = { readonly url: URL; readonly headers: Readonly<Record<string, string>> }

/** Where the known services are. */
export const BASE_URLS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  ollama: 'http://127.0.0.1:11434',
} as const

/** The version of Anthropic's API that our requests are written for. */
const ANTHROPIC_VERSION = '2023-06-01'
/** How OpenRouter tells people's programs apart; this one runs on their own machine. */
const OPENROUTER_HEADERS = { 'http-referer': 'http://localhost', 'x-title': 'Turnwise', 'x-openrouter-title': 'Turnwise' }

/** Throws where the settings give no usable address or a header that HTTP cannot carry. */
export function address(provider: string, { url }: Pick<Encoded, 'url'>, setting: ProviderSetting): Addressed {
  const base = setting.baseURL || (Object.hasOwn(BASE_URLS, provider) ? BASE_URLS[provider as keyof typeof BASE_URLS] : '')
  const headers = {
    accept: provider === 'ollama' ? 'application/json' : 'text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'Turnwise',
    ...ownHeaders(provider, setting),
    ...lowerCased(setting.headers),
  }
  // `Headers` refuses what would break a request in two.
  return { url: new URL(base.replace(/\/$/, '') + url), headers: Object.fromEntries(new Headers(headers)) }
}

function ownHeaders(provider: string, { apiKey = '' }: ProviderSetting): Readonly<Record<string, string>> {
  if (provider === 'anthropic')
    // Older gateways in front of Anthropic know only this header, not a bearer token.
    return { ...(apiKey === '' ? {} : { 'x-api-key': apiKey }), 'anthropic-version': ANTHROPIC_VERSION }
  // A server that wants no key should not be sent an empty one.
  const authorization: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
  return provider === 'openrouter' ? { ...authorization, ...OPENROUTER_HEADERS } : authorization
}

/** Two spellings of one header would be sent as two. */
const lowerCased = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
