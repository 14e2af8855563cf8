import type { Encoded, ProviderSetting } from '../../model/provider.ts'

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
const EVENT_STREAM = { 'content-type': 'application/json', accept: 'text/event-stream' }
/** The client's own clock must not run out before ours. */
const NEVER_MS = 2 ** 31 - 1

/** The version of Anthropic's API that our requests are written for. */
const ANTHROPIC_VERSION = '2023-06-01'

/** The clients insist on a key; this one goes no further than them. */
const NO_KEY = 'none'

const anthropic: Carrier = async ({ url, body }, { apiKey, baseURL }, fetch) => {
  const { Anthropic } = await import('@anthropic-ai/sdk')
  const client = new Anthropic({
    apiKey: apiKey || NO_KEY,
    authToken: null,
    baseURL: baseURL ?? BASE_URLS.anthropic,
    fetch,
    maxRetries: 0,
    timeout: NEVER_MS,
    logLevel: 'off',
    openTelemetry: false,
  })
  return client.post(url, { body: bytesOf(body), headers: EVENT_STREAM }).asResponse()
}

const openai: Carrier = async ({ url, body }, { apiKey, baseURL }, fetch) => {
  const { OpenAI } = await import('openai')
  const client = new OpenAI({
    apiKey: apiKey || NO_KEY,
    adminAPIKey: null,
    baseURL: baseURL ?? BASE_URLS.openai,
    organization: null,
    project: null,
    fetch,
    maxRetries: 0,
    timeout: NEVER_MS,
    logLevel: 'off',
  })
  return client.post(url, { body: bytesOf(body), headers: EVENT_STREAM }).asResponse()
}

const openrouter: Carrier = (request, setting, fetch) =>
  openai(request, { ...setting, baseURL: setting.baseURL ?? BASE_URLS.openrouter }, fetch)

const ollama: Carrier = async (_request, { baseURL }, fetch) => {
  const { Ollama } = await import('ollama')
  const client = new Ollama({ host: baseURL ?? BASE_URLS.ollama, fetch })
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
  const ours = Object.fromEntries(new Headers({ ...ownHeaders(provider, setting), ...lowerCased(setting.headers) }))
  await carrier(request, setting, async (url, init) => {
    const theirs = [...new Headers(init?.headers)].filter(([name]) => THEIRS.test(name))
    await carry({ url: new URL(url instanceof Request ? url.url : url), headers: { ...Object.fromEntries(theirs), ...ours } })
    return new Response(EMPTY, { status: 200, headers: { 'content-type': 'application/json' } })
  })
}

/** All that is taken from a client: it may add what this machine's variables say, for another program. */
const THEIRS = /^(?:accept|content-type|user-agent|x-stainless-.+)$/

function ownHeaders(provider: string, { apiKey = '' }: ProviderSetting): Readonly<Record<string, string>> {
  if (provider === 'anthropic')
    // By the header that its older gateways know too.
    return { ...(apiKey === '' ? {} : { 'x-api-key': apiKey }), 'anthropic-version': ANTHROPIC_VERSION }
  // A server that wants no key should not be sent an empty one.
  const authorization: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
  return provider === 'openrouter' ? { ...authorization, ...OPENROUTER_HEADERS } : authorization
}

/** How it tells people's programs apart; this one runs on their own machine. */
const OPENROUTER_HEADERS = { 'http-referer': 'http://localhost', 'x-title': 'Turnwise', 'x-openrouter-title': 'Turnwise' }

/** Two spellings of one header would be sent as two. */
const lowerCased = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
