import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import type { Fake } from '../../../src/testing/index.ts'
import type { Heard } from './heard.ts'

type Ask = { readonly model?: string; readonly key?: string }
/** How a service's own client hears an answer; `pieces` counts the deltas with text. */
export type Client = {
  readonly stream: (fake: Fake, ask?: Ask) => Promise<Heard & { readonly pieces: number }>
  readonly whole: (fake: Fake, ask?: Ask) => Promise<Heard>
}

const ASKED = [{ role: 'user' as const, content: 'Weather in Oslo?' }]
const quiet = { maxRetries: 0, logLevel: 'off' } as const

const anthropic: Client = {
  async stream(fake, { model = 'fake', key = 'sk-fake' } = {}) {
    const stream = new Anthropic({ ...quiet, baseURL: fake.url, apiKey: key }).messages.stream({
      model,
      max_tokens: 100,
      messages: ASKED,
    })
    const args = new Map<number, string>()
    let pieces = 0
    for await (const event of stream) {
      if (event.type !== 'content_block_delta') continue
      if (event.delta.type === 'text_delta') pieces += 1
      if (event.delta.type === 'input_json_delta') args.set(event.index, (args.get(event.index) ?? '') + event.delta.partial_json)
    }
    const message = await stream.finalMessage()
    return { ...heardMessage(message, index => JSON.parse(args.get(index) ?? '')), pieces }
  },
  async whole(fake, { model = 'fake', key = 'sk-fake' } = {}) {
    const client = new Anthropic({ ...quiet, baseURL: fake.url, apiKey: key })
    return heardMessage(await client.messages.create({ model, max_tokens: 100, messages: ASKED }))
  },
}

function heardMessage({ content, stop_reason, usage }: Anthropic.Message, rawArgs?: (index: number) => unknown): Heard {
  return {
    text: content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join(''),
    refusal: null,
    thinking: content.flatMap(block => (block.type === 'thinking' ? [block.thinking] : [])).join(''),
    signatures: content.flatMap(block => (block.type === 'thinking' ? [block.signature] : [])),
    redacted: content.flatMap(block => (block.type === 'redacted_thinking' ? [block.data] : [])),
    calls: content.flatMap((block, index) =>
      block.type === 'tool_use' ? [{ id: block.id, tool: block.name, args: rawArgs?.(index) ?? block.input }] : [],
    ),
    stop: stop_reason ?? '',
    usage: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
    },
  }
}

type Detail = { readonly type: string; readonly signature?: string; readonly data?: string }
/** OpenRouter's own fields, which OpenAI's types do not know. */
type Thoughts = { readonly reasoning?: string | null; readonly reasoning_details?: readonly Detail[] }

const openai: Client = {
  async stream(fake, { model = 'fake', key = 'sk-fake' } = {}) {
    const client = new OpenAI({ ...quiet, baseURL: fake.url, apiKey: key })
    const stream = client.chat.completions.stream({ model, messages: ASKED, stream_options: { include_usage: true } })
    const thoughts: Thoughts[] = []
    let pieces = 0
    for await (const { choices } of stream) {
      const delta = choices[0]?.delta
      if (delta?.content || delta?.refusal) pieces += 1
      if (delta !== undefined) thoughts.push(delta as Thoughts)
    }
    return { ...heardCompletion(await stream.finalChatCompletion(), thoughts), pieces }
  },
  async whole(fake, { model = 'fake', key = 'sk-fake' } = {}) {
    const client = new OpenAI({ ...quiet, baseURL: fake.url, apiKey: key })
    const completion = await client.chat.completions.create({ model, messages: ASKED })
    return heardCompletion(completion, [completion.choices[0]?.message as Thoughts])
  },
}

function heardCompletion({ choices, usage }: OpenAI.ChatCompletion, thoughts: readonly Thoughts[]): Heard {
  const [choice] = choices
  const details = thoughts.flatMap(({ reasoning_details = [] }) => reasoning_details)
  const { cost } = usage as { cost?: number }
  return {
    text: choice?.message.content ?? '',
    refusal: choice?.message.refusal ?? null,
    thinking: thoughts.map(({ reasoning }) => reasoning ?? '').join(''),
    signatures: details.flatMap(({ signature = [] }) => signature),
    redacted: details.flatMap(({ type, data = [] }) => (type === 'reasoning.encrypted' ? data : [])),
    calls: (choice?.message.tool_calls ?? []).flatMap(call =>
      call.type === 'function' ? [{ id: call.id, tool: call.function.name, args: JSON.parse(call.function.arguments) }] : [],
    ),
    stop: choice?.finish_reason ?? '',
    usage: {
      prompt: usage?.prompt_tokens,
      output: usage?.completion_tokens,
      total: usage?.total_tokens,
      cached: usage?.prompt_tokens_details?.cached_tokens,
      written: usage?.prompt_tokens_details?.cache_write_tokens,
      ...(cost === undefined ? {} : { cost }),
    },
  }
}

const bearer = (key: string | undefined): { headers?: Record<string, string> } =>
  key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }

const ollama: Client = {
  async stream(fake, { model = 'fake', key } = {}) {
    const parts = []
    const client = new Ollama({ host: fake.url, ...bearer(key) })
    for await (const part of await client.chat({ model, messages: ASKED, stream: true })) parts.push(part)
    const last = parts.at(-1)
    const messages = parts.map(({ message }) => message)
    const heard = heardMessages(messages, last?.done_reason, last?.prompt_eval_count, last?.eval_count)
    return { ...heard, pieces: messages.filter(({ content }) => content !== '').length }
  },
  async whole(fake, { model = 'fake', key } = {}) {
    const answer = await new Ollama({ host: fake.url, ...bearer(key) }).chat({ model, messages: ASKED, stream: false })
    return heardMessages([answer.message], answer.done_reason, answer.prompt_eval_count, answer.eval_count)
  },
}

type OllamaMessage = {
  readonly content: string
  readonly thinking?: string
  readonly tool_calls?: { readonly id?: string; readonly function: { readonly name: string; readonly arguments: unknown } }[]
}

const heardMessages = (messages: readonly OllamaMessage[], stop = '', prompt?: number, output?: number): Heard => ({
  text: messages.map(({ content }) => content).join(''),
  refusal: null,
  thinking: messages.map(({ thinking = '' }) => thinking).join(''),
  signatures: [],
  redacted: [],
  calls: messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.map(({ id = '', function: called }) => ({ id, tool: called.name, args: called.arguments })),
  ),
  stop,
  usage: { prompt, output },
})

export const CLIENTS: { readonly anthropic: Client; readonly openai: Client; readonly ollama: Client } = {
  anthropic,
  openai,
  ollama,
}
