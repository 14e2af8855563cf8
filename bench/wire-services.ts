import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { anthropic } from '../src/provider/anthropic/descriptor.ts'
import type { ProviderDescriptor } from '../src/provider/descriptor.ts'
import { ollama } from '../src/provider/ollama/descriptor.ts'
import { openai } from '../src/provider/openai-chat/descriptors.ts'

/** Hears one whole reply and says how many deltas with text it had. */
export type Hear = () => Promise<number>

/** A service as we speak to it, and as its own client does. */
export type Service = {
  readonly name: 'anthropic' | 'openai' | 'ollama'
  readonly descriptor: ProviderDescriptor
  /** What a base URL ends with. */
  readonly base: string
  readonly path: string
  /** Nothing is tried twice. */
  readonly sdk: (baseURL: string) => Hear
}

/** What is asked, whoever asks. */
export const ASKED: { readonly model: string; readonly messages: [{ role: 'user'; content: string }] } = {
  model: 'fake',
  messages: [{ role: 'user', content: 'Tell me something about small boats.' }],
}

const OPTIONS = { apiKey: 'sk-fake', maxRetries: 0, logLevel: 'off' } as const

export const SERVICES: readonly Service[] = [
  {
    name: 'anthropic',
    descriptor: anthropic,
    base: '',
    path: '/v1/messages',
    sdk: baseURL => {
      const { messages } = new Anthropic({ ...OPTIONS, baseURL })
      return async () => {
        let deltas = 0
        for await (const event of await messages.create({ ...ASKED, max_tokens: 100, stream: true }))
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta' && event.delta.text !== '') deltas += 1
        return deltas
      }
    },
  },
  {
    name: 'openai',
    descriptor: openai,
    base: '/v1',
    path: '/chat/completions',
    sdk: baseURL => {
      const { completions } = new OpenAI({ ...OPTIONS, baseURL }).chat
      return async () => {
        let deltas = 0
        for await (const { choices } of await completions.create({ ...ASKED, stream: true }))
          if (choices[0]?.delta.content) deltas += 1
        return deltas
      }
    },
  },
  {
    name: 'ollama',
    descriptor: ollama,
    base: '',
    path: '/api/chat',
    sdk: host => {
      const client = new Ollama({ host })
      return async () => {
        let deltas = 0
        for await (const { message } of await client.chat({ ...ASKED, stream: true })) if (message.content !== '') deltas += 1
        return deltas
      }
    },
  },
]
