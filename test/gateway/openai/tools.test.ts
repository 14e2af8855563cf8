// Tools: the client's own are passed on and answered by the client; the house's run here, unless they would ask a person.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type OpenAI from 'openai'
import { ok } from '../../../src/model/result.ts'
import { calls, type Script, says, scriptedProvider } from '../../../src/testing/index.ts'
import { type Tool, toolbox } from '../../../src/tool/toolbox.ts'
import { doorWithFake, FAKE, heard, openDoor } from './door.ts'

type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[]
type Wire = { readonly messages: readonly Record<string, unknown>[]; readonly tools?: readonly unknown[] }

const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather somewhere',
    parameters: { type: 'object', properties: { place: { type: 'string' } } },
    strict: true,
  },
}
/** Not as JSON would be written: it has to come through as it is. */
const ARGS = '{"place": "Oslo" }'
const CALLING: Script = {
  says: [
    { type: 'text', text: 'I look.' },
    { type: 'call', id: 'call_1', tool: 'weather', args: ARGS },
    { type: 'call', id: 'call_2', tool: 'weather', args: '{"place":"Rome"}' },
  ],
  every: 3,
}
const ANSWER: Script = { says: [{ type: 'text', text: 'Snow and sun.' }] }

test('the client’s tools go to the model, their calls to the client, and the results on', async t => {
  const { openai, fake } = await doorWithFake(t, { scripts: [CALLING, ANSWER, CALLING] })
  const messages: Messages = [{ role: 'user', content: 'Weather in Oslo and Rome?' }]
  const first = await openai.chat.completions.create({ model: FAKE, messages, tools: [WEATHER], parallel_tool_calls: false })
  const [choice] = first.choices
  const expected = [
    { id: 'call_1', type: 'function', function: { name: 'weather', arguments: ARGS } },
    { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"place":"Rome"}' } },
  ]
  assert.equal(choice?.finish_reason, 'tool_calls')
  assert.equal(choice.message.content, 'I look.')
  assert.deepEqual(choice.message.tool_calls, expected)
  const { name, description, parameters } = WEATHER.function
  const asked = (await fake.nextRequest()).json as Wire
  assert.deepEqual(asked.tools, [{ type: 'function', function: { name, description, parameters } }])

  const results: Messages = [
    { role: 'tool', tool_call_id: 'call_2', content: 'sun' },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'snow' }] },
  ]
  const second = await openai.chat.completions.create({
    model: FAKE,
    messages: [...messages, choice.message, ...results],
    tools: [WEATHER],
  })
  assert.deepEqual([second.choices[0]?.finish_reason, second.choices[0]?.message.content], ['stop', 'Snow and sun.'])
  const next = (await fake.nextRequest()).json as Wire
  assert.deepEqual(
    next.messages.map(({ role, tool_call_id, tool_calls }) => ({ role, tool_call_id, calls: tool_calls })),
    [
      { role: 'user', tool_call_id: undefined, calls: undefined },
      { role: 'assistant', tool_call_id: undefined, calls: expected },
      { role: 'tool', tool_call_id: 'call_1', calls: undefined },
      { role: 'tool', tool_call_id: 'call_2', calls: undefined },
    ],
  )

  const { text, chunks } = await heard(
    await openai.chat.completions.create({ model: FAKE, messages, tools: [WEATHER], stream: true }),
  )
  const pieces = chunks.flatMap(chunk => chunk.choices[0]?.delta.tool_calls ?? [])
  assert.equal(text, 'I look.')
  assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'tool_calls')
  assert.deepEqual(pieces[0], { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } })
  assert.ok(pieces.length > 6)
  const argumentsOf = (index: number): string =>
    pieces.flatMap(piece => (piece.index === index ? [piece.function?.arguments ?? ''] : [])).join('')
  assert.deepEqual([argumentsOf(0), argumentsOf(1)], [ARGS, '{"place":"Rome"}'])
})

test('the client’s own loop runs its tools to the end, whole and streamed', async t => {
  const { openai, fake } = await doorWithFake(t, { scripts: [CALLING, ANSWER, CALLING, ANSWER] })
  const ran: string[] = []
  const tools = [
    {
      type: 'function' as const,
      function: {
        ...WEATHER.function,
        strict: false,
        parse: JSON.parse,
        function: ({ place }: { place: string }) => {
          ran.push(place)
          return place === 'Oslo' ? 'snow' : 'sun'
        },
      },
    },
  ]
  const messages: Messages = [{ role: 'user', content: 'Weather?' }]
  assert.equal(await openai.chat.completions.runTools({ model: FAKE, messages, tools }).finalContent(), 'Snow and sun.')
  const streaming = openai.chat.completions.runTools({ model: FAKE, messages, tools, stream: true })
  assert.equal(await streaming.finalContent(), 'Snow and sun.')
  assert.deepEqual(ran, ['Oslo', 'Rome', 'Oslo', 'Rome'])
  assert.equal(fake.requests.length, 4)
})

test('a call without arguments has none, as JSON', async t => {
  const bare: Script = { says: [{ type: 'call', id: 'c', tool: 'weather', args: '' }] }
  const { openai } = await doorWithFake(t, { scripts: [bare, bare] })
  const body = { model: FAKE, messages: [{ role: 'user' as const, content: 'Go' }], tools: [WEATHER] }
  const whole = await openai.chat.completions.create(body)
  assert.deepEqual(
    whole.choices[0]?.message.tool_calls?.map(call => call.type === 'function' && call.function.arguments),
    ['{}'],
  )
  assert.equal(whole.choices[0]?.message.content, null)
  const { chunks } = await heard(await openai.chat.completions.create({ ...body, stream: true }))
  const pieces = chunks.flatMap(chunk => chunk.choices[0]?.delta.tool_calls ?? [])
  assert.equal(pieces.map(piece => piece.function?.arguments).join(''), '{}')
})

/** A tool that counts how often it ran. */
const counting = (name: string, approval: Tool['approval']): Tool & { ran: number } => {
  const tool = {
    spec: { name, description: name, parameters: { type: 'object' } },
    approval,
    parallel: false,
    idempotent: false,
    ran: 0,
    prepare: async () => ({
      run: async () => {
        tool.ran += 1
        return { ok: true, outcome: 'done' }
      },
    }),
  }
  return tool
}

test('an agent’s own tools run here, and every step’s words are the answer; what would ask is denied at once', async t => {
  const [look, erase, trusted] = [counting('look', 'auto'), counting('erase', 'ask'), counting('trusted', 'ask')]
  const provider = scriptedProvider([
    [{ type: 'text', text: 'First I look.' }, ...calls('look', {}, 'c1')],
    [...calls('erase', {}, 'c2').slice(0, -1), ...calls('trusted', {}, 'c3')],
    says('It is', ' done.'),
    says('Plain.'),
  ])
  const { openai, engine } = await openDoor(t, {
    provider,
    toolbox: toolbox([look, erase, trusted]),
    // Granted for good; what is granted in some session says nothing here.
    storing: log => ({
      ...log,
      grants: { ...log.grants, has: async (tool, _, session) => ok(tool === (session === null ? 'trusted' : 'erase')) },
    }),
  })
  const messages: Messages = [{ role: 'user', content: 'Go' }]
  const { text, chunks } = await heard(await openai.chat.completions.create({ model: 'assistant', messages, stream: true }))
  assert.equal(text, 'First I look.\n\nIt is done.')
  assert.ok(chunks.every(chunk => chunk.choices.every(choice => choice.delta.tool_calls === undefined)))
  const last = chunks.at(-1) as unknown as { turnwise: { receipts: string[] } }
  assert.equal(last.turnwise.receipts.length, 3)
  assert.deepEqual([look.ran, erase.ran, trusted.ran], [1, 0, 1])
  assert.match(provider.requests[2]?.body ?? '', /denied: this asks a person first/)
  assert.deepEqual(engine.approvals(), [])

  // A model that is asked as it is has none of them.
  await openai.chat.completions.create({ model: 'demo', messages })
  assert.deepEqual(JSON.parse(provider.requests[3]?.body ?? '{}').tools, [])
})

test('with "none" nobody has tools, and a reply that calls all the same is not run here', async t => {
  const look = counting('look', 'auto')
  const provider = scriptedProvider([says('No tools.')])
  const { openai } = await openDoor(t, { provider, toolbox: toolbox([look]) })
  const answer = await openai.chat.completions.create({
    model: 'assistant',
    messages: [{ role: 'user', content: 'Go' }],
    tools: [WEATHER],
    tool_choice: 'none',
  })
  assert.equal(answer.choices[0]?.message.content, 'No tools.')
  assert.deepEqual(JSON.parse(provider.requests[0]?.body ?? '{}').tools, [])
})

test('what an agent says over several steps is counted together', async t => {
  const look = counting('look', 'auto')
  const used = (input: number, cacheRead: number): NonNullable<Script['usage']> => ({
    input,
    output: 7,
    cacheRead,
    cacheWrite: 0,
  })
  const { openai } = await doorWithFake(t, {
    model: FAKE,
    toolbox: toolbox([look]),
    scripts: [
      { says: [{ type: 'call', id: 'c', tool: 'look', args: '{}' }], usage: used(100, 0) },
      { says: [{ type: 'text', text: 'Done.' }], usage: used(20, 100) },
    ],
  })
  const answer = await openai.chat.completions.create({ model: 'assistant', messages: [{ role: 'user', content: 'Go' }] })
  assert.deepEqual(answer.usage, {
    prompt_tokens: 220,
    completion_tokens: 14,
    total_tokens: 234,
    prompt_tokens_details: { cached_tokens: 100 },
  })
})
