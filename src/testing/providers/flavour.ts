/** How chat completions of OpenAI differ from those of OpenRouter, for the fake provider. */
import type { FakeStop, FakeUsage, Filled, FilledCall } from '../fake-script.ts'
import type { Asked, ErrorWords } from './dialect.ts'

type FakePart = Filled['says'][number]

/** Where the services with chat completions differ. */
export type FlavourWords = {
  readonly id: (asked: Asked) => string
  /** Frames before the first one of the reply. */
  readonly before: readonly string[]
  /** Fields of every chunk. */
  readonly chunk: object
  /** Fields of every chunk with a delta. */
  readonly spoken: object
  /** Fields of a choice with this stop reason. */
  readonly choice: (stop: FakeStop | null) => object
  readonly finish: (stop: FakeStop) => string
  /** Deltas for thinking. OpenAI's own models do not show theirs. */
  readonly thinking: (said: FakePart, index: number, every: number) => readonly object[]
  /** Fields of a whole message for thinking. */
  readonly thought: (says: readonly FakePart[]) => object
  /** Fields of the nth call of an answer that are the service's own. */
  readonly callExtra: (call: FilledCall, index: number) => object
  /** What the service misses in a request that it refuses for it. */
  readonly missing: (json: unknown) => string | null
  readonly usage: (usage: FakeUsage) => object
  /** True if refusals have a field of their own. */
  readonly refuses: boolean
  readonly ping: string
  readonly errorBody: (code: number, words: ErrorWords) => object
  readonly errorChunk: (words: Required<ErrorWords>) => object | null
  readonly headers: (asked: Asked) => Readonly<Record<string, string>>
}

const FINISH_REASONS: Readonly<Record<FakeStop, string>> = { end: 'stop', length: 'length', tool: 'tool_calls', refusal: 'stop' }
const ERROR_CODES: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['invalid_request_error', 'unsupported_country_region_territory'],
  404: ['invalid_request_error', 'model_not_found'],
  429: ['requests', 'rate_limit_exceeded'],
}

/** Chat completions of OpenAI itself. */
export const openaiFlavour: FlavourWords = {
  id: ({ ordinal }) => `chatcmpl-fake-${ordinal}`,
  before: [],
  chunk: { service_tier: 'default', system_fingerprint: 'fp_fake' },
  // Padding, so that lengths on the network reveal nothing.
  spoken: { obfuscation: 'fake' },
  choice: () => ({}),
  finish: stop => FINISH_REASONS[stop],
  thinking: () => [],
  thought: () => ({}),
  callExtra: () => ({}),
  missing: () => null,
  usage: () => ({}),
  refuses: true,
  // OpenAI sends no pings, but proxies in front of compatible servers do.
  ping: ': ping\n\n',
  errorBody: (code, { type, message }) => {
    const [usual, name] = ERROR_CODES[code] ?? ['server_error', null]
    return { error: { message, type: type ?? usual, param: null, code: name } }
  },
  errorChunk: () => null,
  headers: ({ ordinal }) => ({ 'x-request-id': `req_fake_${ordinal}`, 'openai-version': '2020-10-01' }),
}
