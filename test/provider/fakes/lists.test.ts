/** The lists of models that the fakes give, read by the services' own clients. */
import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { statusIs } from './door.ts'
import { testWith } from './with-fake.ts'

const quiet = { maxRetries: 0, logLevel: 'off' } as const
const keys = ['sk-right']
const models = Array.from({ length: 25 }, (_, index) => ({
  name: `claude-${index}`,
  title: `Claude ${index}`,
  context: 1000 + index,
}))

testWith('anthropic: all pages of the list, by its own client', { wire: 'anthropic', keys, models }, async fake => {
  const client = new Anthropic({ ...quiet, baseURL: fake.url, apiKey: 'sk-right' })
  const found = await all(client.models.list())
  assert.deepEqual(
    found.map(({ id, display_name, max_input_tokens }) => ({ name: id, title: display_name, context: max_input_tokens })),
    models,
  )
  assert.equal(fake.requests.length, 2, 'twenty on the first page')
  const stranger = new Anthropic({ ...quiet, baseURL: fake.url, apiKey: 'sk-wrong' })
  await assert.rejects(all(stranger.models.list()), statusIs(401))
  await assert.rejects(stranger.messages.create({ model: 'claude-1', max_tokens: 9, messages: [] }), /sk-wrong/)
})

testWith('openai: its list, by its own client', { wire: 'openai', keys }, async fake => {
  const client = new OpenAI({ ...quiet, baseURL: fake.url, apiKey: 'sk-right' })
  const found = await all(client.models.list())
  assert.deepEqual(
    found.map(({ id }) => id),
    ['fake-large', 'fake-small'],
  )
  const stranger = new OpenAI({ ...quiet, baseURL: fake.url, apiKey: 'sk-wrong' })
  await assert.rejects(all(stranger.models.list()), statusIs(401))
})

const priced = { name: 'vendor/sees', price: { input: 3, output: 15 }, context: 9000, capabilities: ['vision', 'tools'] }

testWith(
  'openrouter: its list is public, its key is not',
  { wire: 'openai', flavour: 'openrouter', keys, models: [priced] },
  async fake => {
    const list = (await (await fetch(`${fake.url}/models`)).json()) as { readonly data: readonly Record<string, unknown>[] }
    const [only] = list.data
    assert.deepEqual([only?.id, only?.context_length], ['vendor/sees', 9000])
    assert.deepEqual(only?.pricing, { prompt: '0.000003000', completion: '0.000015000' })
    assert.match(
      JSON.stringify(only),
      /"input_modalities":\["text","image"\].*"supported_parameters":\["max_tokens","tools","tool_choice"\]/,
    )
    const asked = async (key: string): Promise<number> => {
      const response = await fetch(`${fake.url}/key`, { headers: { authorization: `Bearer ${key}` } })
      await response.text()
      return response.status
    }
    assert.deepEqual([await asked('sk-right'), await asked('sk-wrong')], [200, 401])
  },
)

testWith('ollama: behind a proxy that wants a key', { wire: 'ollama', keys }, async fake => {
  const headers = { authorization: 'Bearer sk-right' }
  assert.equal((await new Ollama({ host: fake.url, headers }).list()).models.length, 1)
  await assert.rejects(new Ollama({ host: fake.url }).list(), statusIs(401))
})

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}
