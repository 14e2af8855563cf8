import type { Fault } from '../../src/model/fault.ts'
import type { Delta, Usage } from '../../src/model/message/delta.ts'
import type { Encoded, Provider, ProviderSetting, Wire } from '../../src/model/provider.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import type { ProviderDescriptor } from '../../src/provider/descriptor.ts'
import { ollamaWire } from '../../src/provider/ollama/encode.ts'
import { compatible } from '../../src/provider/openai-chat/descriptors.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { PROVIDERS } from '../../src/provider/providers.ts'
import { createClient } from '../../src/provider/transport/client.ts'

/** How each service is spoken to by us, by the name of its fake. */
export const WIRE_OF: Readonly<Record<string, Wire>> = {
  anthropic: anthropicWire,
  openai: openaiChatWire,
  openrouter: openaiChatWire,
  ollama: ollamaWire,
}

const PATH_OF: Readonly<Record<string, string>> = { anthropic: '/v1/messages', ollama: '/api/chat' }

export const requestTo = (name: string, body: object = {}): Encoded => ({
  url: PATH_OF[name] ?? '/chat/completions',
  body: JSON.stringify({ model: 'fake', stream: true, stream_options: { include_usage: true }, messages: [], ...body }),
})

/** Known providers by their name; every other name is a server of one's own. */
export const descriptorOf = (name: string): ProviderDescriptor => PROVIDERS.find(each => each.name === name) ?? compatible

/** Our client, in a hurry: tests wait for events, and these are the longest that nothing may happen. */
export const clientFor = (name: string, url: string, setting: ProviderSetting = {}): Provider =>
  createClient({
    name,
    descriptor: descriptorOf(name),
    needsKey: false,
    backoffMs: 2,
    setting: { apiKey: 'sk-fake', baseURL: url, ...setting },
  })

/** What a stream of deltas comes down to. */
export type Reply = {
  readonly text: string
  readonly thinking: string
  readonly seals: readonly string[]
  readonly redacted: readonly string[]
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly args: string }[]
  readonly usage: Usage | undefined
  readonly retries: number
  readonly end: 'done' | 'length' | undefined
  readonly fault: Fault | undefined
}

export function replyOf(deltas: readonly Delta[]): Reply {
  const of = <Type extends Delta['type']>(type: Type): Extract<Delta, { type: Type }>[] =>
    deltas.filter((delta): delta is Extract<Delta, { type: Type }> => delta.type === type)
  const calls = [...Map.groupBy(of('call'), ({ call }) => call)].map(([id, pieces]) => ({
    id,
    tool: pieces[0]?.tool ?? '',
    args: pieces.map(({ text }) => text).join(''),
  }))
  const [done] = of('done')
  return {
    text: of('text')
      .map(({ text }) => text)
      .join(''),
    thinking: of('think')
      .map(({ text }) => text)
      .join(''),
    seals: of('sealed').map(({ signature }) => signature),
    redacted: of('redacted').map(({ data }) => data),
    calls,
    usage: of('usage').at(-1)?.usage,
    retries: of('retrying').length,
    end: done === undefined ? undefined : (done.stop ?? 'done'),
    fault: of('fault')[0]?.fault,
  }
}

export async function collected(deltas: AsyncIterable<Delta>): Promise<readonly Delta[]> {
  const all: Delta[] = []
  for await (const delta of deltas) all.push(delta)
  return all
}

/** Everything a provider says to one request. */
export const spokenBy = async (
  provider: Provider,
  request: Encoded,
  signal: AbortSignal = new AbortController().signal,
): Promise<Reply> => replyOf(await collected(provider.speak(request, signal)))
