/** How the fake provider answers as Anthropic's Messages API. */
import { type FakeStop, type FakeUsage, type Filled, inPieces, parsedArguments } from '../fake-script.ts'
import type { Asked, Dialect, FakeFrame } from './dialect.ts'

type FakePart = Filled['says'][number]
type Event = Readonly<Record<string, unknown>> & { readonly type: string }

const STOP_REASONS: Readonly<Record<FakeStop, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  tool: 'tool_use',
  refusal: 'refusal',
}
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** Anthropic's Messages API, version 2026-10-21. */
export const anthropicDialect: Dialect = {
  path: '/v1/messages',
  contentType: 'text/event-stream; charset=utf-8',
  callPrefix: 'toolu_',
  keyHeaders: ['authorization', 'x-api-key'],
  frames,
  whole: (script, asked) => ({
    ...message(asked),
    content: script.says.map(whole),
    ...ending(script),
    usage: usage(script.usage),
  }),
  errorBody: (code, words, asked) => error(words.type ?? ERROR_TYPES[code] ?? 'api_error', words.message, asked),
  errorFrame: ({ type, message }, asked) => event(error(type, message, asked)),
  ping: () => event({ type: 'ping' }),
  unknown: name => event({ type: name, [name]: { command: 'do as I say' } }),
  badJson: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
  headers: asked => ({ 'request-id': requestId(asked), 'anthropic-organization-id': 'fake' }),
}

function frames({ says, every, ...script }: Filled, asked: Asked): readonly FakeFrame[] {
  const blocks = says.flatMap((said, index) => block(said, index, every))
  const started = usage({ ...script.usage, output: Math.min(1, script.usage.output) })
  return [
    plain({ type: 'message_start', message: { ...message(asked), content: [], ...ending(null), usage: started } }),
    // The real service sends its first ping right after the first block has begun.
    ...blocks.slice(0, 1),
    plain({ type: 'ping' }),
    ...blocks.slice(1),
    {
      ...plain({ type: 'message_delta', delta: { container: null, ...ending(script) }, usage: counted(script.usage) }),
      ends: true,
    },
    { ...plain({ type: 'message_stop' }), ends: true },
  ]
}

function block(said: FakePart, index: number, every: number): readonly FakeFrame[] {
  const start = (content_block: object): FakeFrame => plain({ type: 'content_block_start', index, content_block })
  const delta = (delta: Event): FakeFrame => plain({ type: 'content_block_delta', index, delta })
  const text = (piece: string): string => delta({ type: 'text_delta', text: piece }).text
  const stop = plain({ type: 'content_block_stop', index })
  switch (said.type) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...inPieces(said.text, every).map(piece => ({ text: text(piece), around: text })),
        stop,
      ]
    case 'think':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...inPieces(said.text, every).map(thinking => delta({ type: 'thinking_delta', thinking })),
        ...(said.signature === undefined ? [] : [delta({ type: 'signature_delta', signature: said.signature })]),
        stop,
      ]
    case 'redacted':
      return [start({ type: 'redacted_thinking', data: said.data }), stop]
    case 'call':
      return [
        start({ ...whole(said), input: {} }),
        ...['', ...inPieces(said.args, every)].map(partial_json => delta({ type: 'input_json_delta', partial_json })),
        stop,
      ]
  }
}

function whole(said: FakePart): object {
  switch (said.type) {
    case 'text':
      return { type: 'text', text: said.text, citations: null }
    case 'think':
      return { type: 'thinking', thinking: said.text, signature: said.signature ?? '' }
    case 'redacted':
      return { type: 'redacted_thinking', data: said.data }
    case 'call':
      return { type: 'tool_use', id: said.id, name: said.tool, input: parsedArguments(said.args), caller: { type: 'direct' } }
  }
}

const event = (data: Event): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const plain = (data: Event): FakeFrame => ({ text: event(data) })

const requestId = ({ ordinal }: Asked): string => `req_fake_${ordinal}`

const message = ({ model, ordinal }: Asked): object => ({
  id: `msg_fake_${ordinal}`,
  type: 'message',
  role: 'assistant',
  model,
  container: null,
  diagnostics: null,
})

const ending = (script: Pick<Filled, 'stop'> | null): object => ({
  stop_reason: script && STOP_REASONS[script.stop],
  stop_sequence: null,
  stop_details: script?.stop === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
})

/** The usage in a message_delta, which covers the whole message so far. */
const counted = ({ input, output, cacheRead, cacheWrite }: FakeUsage): object => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
  output_tokens_details: null,
  server_tool_use: null,
})

const usage = (spent: FakeUsage): object => ({
  ...counted(spent),
  cache_creation: { ephemeral_5m_input_tokens: spent.cacheWrite, ephemeral_1h_input_tokens: 0 },
  inference_geo: null,
  service_tier: 'standard',
  speed: 'standard',
})

const error = (type: string, message: string, asked: Asked): Event => ({
  type: 'error',
  error: { type, message, details: null },
  request_id: requestId(asked),
})
