import OpenAI from 'openai'
import { type Fake, type FakeOptions, startFake } from '../../../src/testing/index.ts'
import { type Scope, startGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.ts'
import { type Client, clientOf } from '../http/client.ts'

/** A gateway with the vendor's own client at its door; nothing is tried again behind a test's back. */
export type Door = TestGateway & { readonly openai: OpenAI; readonly http: Client }

export async function openDoor(t: Scope, options: TestGatewayOptions = {}): Promise<Door> {
  const gateway = await startGateway(t, { inMemory: true, ...options })
  return { ...gateway, openai: clientAt(gateway.url), http: clientOf(gateway.url) }
}

export const clientAt = (url: string, apiKey = 'any'): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })

/** The name of the model that a fake provider speaks for. */
export const FAKE = 'openai/gpt-5.1'

/** A gateway whose OpenAI is a fake on loopback. */
export async function doorWithFake(
  t: Scope,
  { scripts, ...options }: TestGatewayOptions & Pick<FakeOptions, 'scripts'>,
): Promise<Door & { readonly fake: Fake }> {
  const fake = await startFake({ wire: 'openai', ...(scripts === undefined ? {} : { scripts }) })
  t.after(() => fake.close())
  const door = await openDoor(t, { providers: { openai: { apiKey: 'sk-fake', baseURL: fake.url } }, ...options })
  return { ...door, fake }
}

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk

/** What a stream said, put together as a client would. */
export async function heard(stream: AsyncIterable<Chunk>): Promise<{ text: string; thoughts: string; chunks: Chunk[] }> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const deltas = chunks.map(chunk => chunk.choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined)
  return {
    text: deltas.map(delta => delta?.content ?? '').join(''),
    thoughts: deltas.map(delta => delta?.reasoning_content ?? '').join(''),
    chunks,
  }
}
