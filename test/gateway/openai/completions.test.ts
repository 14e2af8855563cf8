// The vendor's own client at our door: agents and models answer, whole and streamed, and nothing but receipts is kept.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import type OpenAI from 'openai'
import type { DemoRequest } from '../../../src/provider/demo/wire.ts'
import { says, scriptedProvider } from '../../../src/testing/index.ts'
import { PNG } from '../../support/files.ts'
import { doorWithFake, FAKE, heard, openDoor } from './door.ts'

type Params = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

const requestOf = ({ body }: { readonly body: string } = { body: '{}' }): DemoRequest => JSON.parse(body)

test('a model answers, with its usage and the id of its receipt', async t => {
  const { openai, http } = await openDoor(t, { inMemory: false })
  const { data, response } = await openai.chat.completions
    .create({ model: 'demo', messages: [{ role: 'user', content: 'say 5 words' }] })
    .withResponse()
  assert.match(data.id, /^chatcmpl-[a-z0-9]{26}$/)
  assert.deepEqual(
    { object: data.object, model: data.model, choices: data.choices },
    {
      object: 'chat.completion',
      model: 'demo',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'calm river under a wide', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    },
  )
  const { usage } = data
  assert.ok(usage !== undefined && usage.prompt_tokens > 0)
  assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)

  const id = response.headers.get('x-turnwise-context') ?? ''
  const kept = await http.json(200, 'GET', `/api/receipts/${id}`)
  assert.deepEqual(Object.keys(kept), ['receipt'])
  assert.deepEqual(
    { id: kept.receipt.id, model: kept.receipt.model, policy: kept.receipt.policy, reported: kept.receipt.tokens.reported },
    { id, model: 'demo', policy: 'full@1', reported: usage.prompt_tokens },
  )
  await http.problem(404, 'not-found', 'GET', '/api/receipts/rcp_nobodyknows')
  await http.problem(404, 'not-found', 'GET', '/api/receipts/anything')
})

test('the receipt of a session says where its conversation is', async t => {
  const { http } = await openDoor(t)
  const session = await http.open()
  await http.talk(session, 'Hello')
  const planned = (await http.events(session)).find(event => event.type === 'context.planned')
  const { receipt, ...place } = await http.json(200, 'GET', `/api/receipts/${planned.receipt.id}`)
  assert.equal(receipt.digest, planned.receipt.digest)
  assert.deepEqual(place, { session: planned.session, turn: planned.turn, step: 1 })
})

test('a stream says the same, piece by piece, thoughts apart, and what it used at its end', async t => {
  const { openai, http } = await openDoor(t)
  const asked: Params = { model: 'demo', messages: [{ role: 'user', content: 'think about rivers' }] }
  const whole = await openai.chat.completions.create(asked)
  const stream = await openai.chat.completions
    .create({ ...asked, stream: true, stream_options: { include_usage: true } })
    .withResponse()
  const { text, thoughts, chunks } = await heard(stream.data)
  const message = whole.choices[0]?.message as unknown as { content: string; reasoning_content: string }
  assert.deepEqual({ text, thoughts }, { text: message.content, thoughts: message.reasoning_content })
  assert.ok(chunks.length > 10)
  assert.deepEqual(chunks[0]?.choices[0]?.delta, { role: 'assistant', content: '' })
  assert.deepEqual(
    chunks.slice(0, -1).map(({ usage }) => usage),
    chunks.slice(0, -1).map(() => null),
  )
  assert.deepEqual(
    chunks.flatMap(chunk => chunk.choices.flatMap(choice => choice.finish_reason ?? [])),
    ['stop'],
  )
  assert.deepEqual(chunks.at(-1)?.choices, [])
  assert.deepEqual(chunks.at(-1)?.usage, whole.usage)
  assert.equal(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size, 1)
  const id = stream.response.headers.get('x-turnwise-context')
  assert.equal((await http.json(200, 'GET', `/api/receipts/${id}`)).receipt.model, 'demo')

  const plain = await heard(await openai.chat.completions.create({ ...asked, stream: true }))
  assert.ok(plain.chunks.every(chunk => !('usage' in chunk)))
  const helped = await openai.chat.completions.stream({ model: asked.model, messages: asked.messages }).finalContent()
  assert.equal(helped, message.content)
})

test('an agent answers with its own text, then the client’s, under its own policy; a model with the client’s alone', async t => {
  const provider = scriptedProvider([says('One'), says('Two')])
  const house = async (): Promise<readonly { source: string; reason: 'system.agent' | 'system.agents-md'; text: string }[]> => [
    { source: 'agent poet', reason: 'system.agent', text: 'You rhyme.' },
    { source: 'AGENTS.md', reason: 'system.agents-md', text: 'Be kind.' },
  ]
  const { openai, http } = await openDoor(t, {
    provider,
    house: { parts: house },
    agents: () => [{ key: 'poet', name: 'Poet', prompt: 'You rhyme.', policy: 'recent', maxTokens: 300 }],
  })
  const messages: Params['messages'] = [
    { role: 'developer', content: 'In English.' },
    ...Array.from({ length: 8 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Line ${index}`,
    })),
    { role: 'system', content: [{ type: 'text', text: 'Four lines.' }] },
    { role: 'user', content: 'And now?' },
  ]
  const { response } = await openai.chat.completions
    .create({ model: 'poet', messages, max_completion_tokens: 5000, temperature: 0.2, seed: 3, user: 'me', top_p: 1 })
    .withResponse()
  const agent = requestOf(provider.requests[0])
  assert.equal(agent.system, 'You rhyme.\n\nIn English.\n\nFour lines.\n\nBe kind.')
  assert.equal(agent.max_tokens, 300)
  const { receipt } = await http.json(200, 'GET', `/api/receipts/${response.headers.get('x-turnwise-context')}`)
  assert.equal(receipt.policy, 'recent@1')
  assert.ok(
    receipt.in.some((line: { source?: string; reason: string }) => line.source === 'client' && line.reason === 'system.agent'),
  )
  // The last five of eight begin with an answer, whose question is gone.
  assert.deepEqual(receipt.out, [{ from: 1, to: 7, count: 4, reason: 'out.window' }])

  await openai.chat.completions.create({ model: 'demo', messages, max_tokens: 77 })
  const plain = requestOf(provider.requests[1])
  assert.equal(plain.system, 'In English.\n\nFour lines.')
  assert.deepEqual(plain.tools, [])
  assert.equal(plain.messages.length, 9)
  assert.equal(plain.max_tokens, 77)
})

test('an agent that is heard whole is, and no word is lost', async t => {
  const { openai } = await openDoor(t, { agents: () => [{ key: 'slow', name: 'Slow', prompt: '', stream: false }] })
  const { text, chunks } = await heard(
    await openai.chat.completions.create({ model: 'slow', messages: [{ role: 'user', content: 'say 5 words' }], stream: true }),
  )
  assert.equal(text, 'calm river under a wide')
  assert.equal(chunks.length, 3)
})

test('nothing of a talk is kept but its receipt', async t => {
  const { openai, http, file } = await openDoor(t, { inMemory: false })
  const secret = 'xyzzy-plugh-4711'
  const before = await http.json(200, 'GET', '/api/usage')
  const asked: Params = {
    model: 'assistant',
    messages: [
      { role: 'system', content: `system ${secret}` },
      {
        role: 'user',
        content: [
          { type: 'text', text: `first ${secret}` },
          { type: 'image_url', image_url: { url: PNG_URL } },
        ],
      },
      { role: 'assistant', content: `answer ${secret}` },
      { role: 'user', content: `what do you remember? ${secret}` },
    ],
  }
  await openai.chat.completions.create(asked)
  await heard(await openai.chat.completions.create({ ...asked, stream: true }))
  assert.deepEqual((await http.json(200, 'GET', '/api/sessions')).items, [])
  assert.equal((await http.json(200, 'GET', '/api/usage')).total.requests, before.total.requests + 2)
  const files = readdirSync(dirname(file)).filter(name => name.startsWith(basename(file)))
  assert.ok(files.length > 0)
  for (const name of files) {
    const bytes = readFileSync(join(dirname(file), name), 'latin1')
    assert.ok(!bytes.includes(secret), `${name} has what was said`)
    assert.ok(!bytes.includes(PNG), `${name} has the image`)
  }
})

const PNG_URL = `data:image/png;base64,${PNG}`

test('images go along as they came', async t => {
  const { openai, fake } = await doorWithFake(t, { scripts: [{ says: [{ type: 'text', text: 'A dot.' }] }] })
  await openai.chat.completions.create({
    model: FAKE,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: PNG_URL } },
        ],
      },
    ],
  })
  const { messages } = (await fake.nextRequest()).json as { messages: unknown[] }
  assert.ok(JSON.stringify(messages).includes(PNG_URL))
})

test('how a reply ended is said as clients know it', async t => {
  const { openai } = await doorWithFake(t, {
    scripts: [
      { says: [{ type: 'text', text: 'Too lo' }], stop: 'length' },
      { says: [{ type: 'text', text: 'I will not.' }], stop: 'refusal' },
      { says: [{ type: 'text', text: 'I will not.' }], stop: 'refusal' },
    ],
  })
  const ask = { model: FAKE, messages: [{ role: 'user', content: 'Go' }] } satisfies Params
  const endOf = async (): Promise<unknown> => (await openai.chat.completions.create(ask)).choices[0]
  const end = { index: 0, logprobs: null }
  const message = (content: string): object => ({ role: 'assistant', content, refusal: null })
  assert.deepEqual(await endOf(), { ...end, message: message('Too lo'), finish_reason: 'length' })
  assert.deepEqual(await endOf(), { ...end, message: message('I will not.'), finish_reason: 'content_filter' })
  const { text, chunks } = await heard(await openai.chat.completions.create({ ...ask, stream: true }))
  assert.deepEqual([text, chunks.at(-1)?.choices[0]?.finish_reason], ['I will not.', 'content_filter'])
})

test('agents, councils and models that are ready are listed, and found by their ids', async t => {
  const { openai, http } = await openDoor(t, {
    providers: { openai: { apiKey: 'sk' }, local: { baseURL: 'http://127.0.0.1:9/v1' } },
    models: { 'compatible/local/tiny': { window: 8192 } },
    agents: () => [{ key: 'poet', name: 'Poet', prompt: '' }],
    councils: () => [{ key: 'board', name: 'Board', advisors: [], references: 'none', early: { turns: 0 } }],
  })
  const { data } = await openai.models.list()
  const owners = new Map(data.map(({ id, owned_by }) => [id, owned_by]))
  assert.deepEqual([...owners.keys()].slice(0, 3), ['poet', 'council:board', 'demo'])
  assert.deepEqual(
    ['poet', 'council:board', 'demo', FAKE, 'compatible/local/tiny'].map(id => owners.get(id)),
    ['turnwise', 'turnwise', 'turnwise', 'openai', 'local'],
  )
  assert.ok(![...owners.keys()].some(id => id.startsWith('anthropic/')))
  assert.deepEqual(
    await openai.models.retrieve('compatible/local/tiny'),
    data.find(({ id }) => id === 'compatible/local/tiny'),
  )
  // Also as people write it in an address.
  assert.equal((await http.json(200, 'GET', '/v1/models/compatible/local/tiny')).owned_by, 'local')
})
