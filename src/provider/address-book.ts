import type { Encoded, ProviderSetting } from '../model/provider.ts'

/** Where a request goes and what stands above its bytes. */
export type Addressed = { readonly url: URL; readonly headers: Readonly<Record<string, string>> }

/** The way a vendor's client takes to the network; ours carries the bytes that were digested, whatever the client made. */
type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** A vendor's own client, asked to send one request through `fetch`. */
type Carrier = (request: Encoded, setting: ProviderSetting, fetch: Fetch) => Promise<unknown>

/** Where the known services are, as their own clients have it. */
export const BASE_URLS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  ollama: 'http://127.0.0.1:11434',
} as const

const EMPTY = new Uint8Array()
const JSON_BODY = { 'content-type': 'application/json' }
/** The client's own clock must not run out before ours. */
const NEVER_MS = 2 ** 31 - 1

/** The version of Anthropic's API that our requests are written for. */
const ANTHROPIC_VERSION = '2023-06-01'

const anthropic: Carrier = async ({ url, body }, { apiKey = '', baseURL, headers = {} }, fetch) => {
  const { Anthropic } = await import('@anthropic-ai/sdk')
  const client = new Anthropic({
    apiKey,
    baseURL: baseURL ?? BASE_URLS.anthropic,
    fetch,
    maxRetries: 0,
    timeout: NEVER_MS,
    openTelemetry: false,
    // By the header that its older gateways know too.
    defaultHeaders: { authorization: null, 'x-api-key': apiKey, 'anthropic-version': ANTHROPIC_VERSION, ...headers },
  })
  return client.post(url, { body: bytesOf(body), headers: { ...JSON_BODY, accept: 'text/event-stream' } }).asResponse()
}

const openai: Carrier = async ({ url, body }, { apiKey = '', baseURL, headers = {} }, fetch) => {
  const { OpenAI } = await import('openai')
  const client = new OpenAI({
    apiKey,
    baseURL: baseURL ?? BASE_URLS.openai,
    organization: null,
    project: null,
    fetch,
    maxRetries: 0,
    timeout: NEVER_MS,
    // A server that wants no key should not be sent an empty one.
    defaultHeaders: { ...(apiKey === '' ? { authorization: null } : {}), ...headers },
  })
  return client.post(url, { body: bytesOf(body), headers: { ...JSON_BODY, accept: 'text/event-stream' } }).asResponse()
}

const openrouter: Carrier = (request, setting, fetch) =>
  openai(
    request,
    {
      ...setting,
      baseURL: setting.baseURL ?? BASE_URLS.openrouter,
      // How it tells people's programs apart; this one runs on their own machine.
      headers: {
        'http-referer': 'http://localhost',
        'x-title': 'Turnwise',
        'x-openrouter-title': 'Turnwise',
        ...setting.headers,
      },
    },
    fetch,
  )

const ollama: Carrier = async (_request, { apiKey, baseURL, headers = {} }, fetch) => {
  const { Ollama } = await import('ollama')
  const authorization: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const client = new Ollama({ host: baseURL ?? BASE_URLS.ollama, fetch, headers: { ...authorization, ...headers } })
  return client.chat({ model: '', messages: [], stream: true })
}

const CARRIERS: Readonly<Record<string, Carrier>> = { anthropic, openai, openrouter, ollama }

/** Hands a request to the vendor's client, and what the client would send to `carry`; the client never sees the answer. */
export async function address(
  provider: string,
  request: Encoded,
  setting: ProviderSetting,
  carry: (addressed: Addressed) => Promise<void>,
): Promise<void> {
  const carrier = CARRIERS[provider] ?? openai
  await carrier(request, setting, async (url, init) => {
    await carry({ url: new URL(url instanceof Request ? url.url : url), headers: Object.fromEntries(new Headers(init?.headers)) })
    return new Response(EMPTY, { status: 200, headers: { 'content-type': 'application/json' } })
  })
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
