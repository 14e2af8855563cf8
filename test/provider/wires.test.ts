import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Block, Message, Plan } from '../../src/model/plan.ts'
import type { Wire } from '../../src/model/provider.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { earlierOllamaWires, ollamaWire } from '../../src/provider/ollama/encode.ts'
import { earlierOpenaiChatWires, openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { modelName } from '../../src/provider/transport/join-neighbors.ts'
import { blockOf, FILES, IMAGE, PAPER } from '../support/files.ts'
import { planOf } from '../support/material.ts'
import { tries } from '../support/tries.ts'
import { anthropicRefuses, ollamaRefuses, openaiChatRefuses, type Refuses } from '../support/validate-wire.ts'

type Door = { readonly model: string; readonly wire: Wire; readonly refuses: Refuses }

/** Every dialect there is, by the name of its golden. */
const DOORS: Readonly<Record<string, Door>> = {
  anthropic: { model: 'anthropic/claude-sonnet-4-5', wire: anthropicWire, refuses: anthropicRefuses },
  'openai-chat': { model: 'openai/gpt-5', wire: openaiChatWire, refuses: openaiChatRefuses() },
  openrouter: { model: 'openrouter/vendor/model', wire: openaiChatWire, refuses: openaiChatRefuses({ strict: true }) },
  compatible: { model: 'compatible/lab/model', wire: openaiChatWire, refuses: openaiChatRefuses({ plain: true, strict: true }) },
  ollama: { model: 'ollama/qwen3:8b', wire: ollamaWire, refuses: ollamaRefuses },
}

const PLAN = planOf()

const raw = { serializers: [(value: unknown) => String(value)] }

/** A case is a plan without the model, which is each door's own unless the case names one. */
type Case = Partial<Plan> & {
  readonly why: string
  readonly models?: Readonly<Record<string, string>>
  /** Files in base64, by their hashes. */
  readonly files?: Readonly<Record<string, string>>
}

for (const file of globSync('test/provider/golden-wires/*/plan.json').sort()) {
  test(`golden wire: ${basename(dirname(file))}`, t => {
    const { why: _why, models = {}, files = {}, ...given } = JSON.parse(readFileSync(file, 'utf8')) as Case
    for (const [name, { model, wire, refuses }] of Object.entries(DOORS)) {
      const { body } = wire.encode({ ...PLAN, ...given, model: models[name] ?? model }, new Map(Object.entries(files)))
      assert.deepEqual(refuses(body), [], name)
      // The body is what JSON.stringify writes (the validators say so), so the indented form stands for its exact bytes.
      t.assert.fileSnapshot(`${JSON.stringify(JSON.parse(body), null, 2)}\n`, join(dirname(file), `${name}.json`), raw)
    }
  })
}

/** Versions that are no longer sent. Where they differ from today's, their goldens have their version in the name. */
const EARLIER: Readonly<Record<string, readonly Wire[]>> = {
  'openai-chat': earlierOpenaiChatWires,
  openrouter: earlierOpenaiChatWires,
  compatible: earlierOpenaiChatWires,
  ollama: earlierOllamaWires,
}

for (const file of globSync('test/provider/golden-wires/*/plan.json').sort()) {
  test(`golden wire as it was: ${basename(dirname(file))}`, () => {
    const { why: _why, models = {}, files = {}, ...given } = JSON.parse(readFileSync(file, 'utf8')) as Case
    for (const [name, wires] of Object.entries(EARLIER))
      for (const wire of wires) {
        const plan = { ...PLAN, ...given, model: models[name] ?? DOORS[name]?.model ?? '' }
        const { body } = wire.encode(plan, new Map(Object.entries(files)))
        const own = join(dirname(file), `${name}@${wire.version}.json`)
        const golden = readFileSync(existsSync(own) ? own : join(dirname(file), `${name}.json`), 'utf8')
        assert.equal(`${JSON.stringify(JSON.parse(body), null, 2)}\n`, golden, `${name}@${wire.version}`)
      }
  })
}

/** A sound body of each dialect, and how to spoil it. */
const SPOILED: readonly { readonly door: string; readonly of: string; readonly what: string; readonly to: string }[] = [
  { door: 'anthropic', of: 'plain', what: '"role":"assistant"', to: '"role":"user"' },
  { door: 'anthropic', of: 'plain', what: 'Say yes.', to: ' ' },
  { door: 'anthropic', of: 'plain', what: 'Say yes.', to: '\\ud800' },
  { door: 'anthropic', of: 'plain', what: '"stream":true', to: '"stream":true,"seed":1' },
  { door: 'anthropic', of: 'several-calls', what: '"id":"call_2"', to: '"id":"call_1"' },
  { door: 'anthropic', of: 'several-calls', what: '"tool_use_id":"call_2"', to: '"tool_use_id":"call_1"' },
  {
    door: 'anthropic',
    of: 'several-calls',
    what: '"text":"I look."',
    to: '"text":"I look.","cache_control":{"type":"ephemeral"}',
  },
  { door: 'anthropic', of: 'several-calls', what: '"input":{"path":"a"}', to: '"input":"a"' },
  { door: 'anthropic', of: 'thinking-goes-on', what: '"budget_tokens":2457', to: '"budget_tokens":1000' },
  { door: 'anthropic', of: 'thinking-goes-on', what: '"thinking":{"type":"enabled","budget_tokens":2457},', to: '' },
  {
    door: 'anthropic',
    of: 'thinking-cut',
    what: '"stream":true',
    to: '"stream":true,"thinking":{"type":"enabled","budget_tokens":2457}',
  },
  { door: 'openai-chat', of: 'several-calls', what: '"tool_call_id":"call_2"', to: '"tool_call_id":"call_9"' },
  { door: 'openai-chat', of: 'several-calls', what: '"role":"tool"', to: '"role":"user"' },
  { door: 'openai-chat', of: 'plain', what: '"role":"user"', to: '"role":"system"' },
  { door: 'openrouter', of: 'several-calls', what: '{\\"path\\":\\"a\\"}', to: '{' },
  { door: 'compatible', of: 'plain', what: '"role":"assistant"', to: '"role":"user"' },
  { door: 'compatible', of: 'plain', what: '"Say yes."', to: '[{"type":"text","text":"Say yes."}]' },
  { door: 'ollama', of: 'several-calls', what: '"tool_name":"look"', to: '"tool_name":"find"' },
  { door: 'ollama', of: 'plain', what: '"Say yes."', to: '""' },
  { door: 'anthropic', of: 'images', what: '"media_type":"image/png"', to: '"media_type":"image/svg+xml"' },
  { door: 'anthropic', of: 'files', what: '"data":"JVBERi', to: '"data":"*' },
  { door: 'anthropic', of: 'files', what: '"title":"paper.pdf"', to: '"title":""' },
  { door: 'openai-chat', of: 'images', what: 'data:image/png;base64,', to: 'data:image/png,' },
  { door: 'openai-chat', of: 'files', what: '"filename":"paper.pdf"', to: '"filename":""' },
  { door: 'openrouter', of: 'files', what: '"type":"file"', to: '"type":"document"' },
  { door: 'compatible', of: 'images', what: '"A dot."', to: '[{"type":"text","text":"A dot."}]' },
  { door: 'ollama', of: 'images', what: '"images":["', to: '"images":["data:image/png;base64,' },
  { door: 'anthropic', of: 'result-images', what: '"media_type":"image/png"', to: '"media_type":"image/svg+xml"' },
  {
    door: 'anthropic',
    of: 'result-images',
    what: '"tool_use_id":"call_1"',
    to: '"tool_use_id":"call_1","is_error":true',
  },
  {
    door: 'openai-chat',
    of: 'result-images',
    what: '{"role":"user","content":[{"type":"text","text":"[2',
    to: '{"role":"tool","content":[{"type":"text","text":"[2',
  },
]

test('the validators refuse what providers refuse', () => {
  for (const { door, of, what, to } of SPOILED) {
    const sound = JSON.stringify(JSON.parse(readFileSync(`test/provider/golden-wires/${of}/${door}.json`, 'utf8')))
    assert.ok(sound.includes(what), `${door} ${of} has ${what}`)
    assert.notDeepEqual(DOORS[door]?.refuses(sound.replace(what, to)), [], `${door} ${of}: ${to} for ${what}`)
  }
})

test('every wire has a name, a version and a path of its own', () => {
  const doors = Object.values(DOORS).map(
    ({ model, wire }) => `${wire.name}@${wire.version} ${wire.encode({ ...PLAN, model }).url}`,
  )
  assert.deepEqual([...new Set(doors)], ['anthropic@1 /v1/messages', 'openai-chat@2 /chat/completions', 'ollama@2 /api/chat'])
})

test('only a model that was asked to think, or thinks unasked, may keep us waiting for its first byte', () => {
  const waits = (model: string, given: Partial<Plan> = {}): boolean | undefined =>
    openaiChatWire.encode({ ...PLAN, model, ...given }).reasons
  const quick = [
    'openrouter/anthropic/claude-sonnet-4.5',
    'openrouter/anthropic/claude-opus-4.8',
    'openrouter/~anthropic/claude-haiku-4.5',
    'openrouter/vendor/model',
    'openrouter/openai/gpt-4o',
    'openai/gpt-5.1',
    'openai/gpt-5.4-mini',
    'compatible/lab/model',
  ]
  const slow = [
    'openrouter/anthropic/claude-sonnet-5.5',
    'openrouter/anthropic/claude-fable-5',
    'openrouter/openai/o3',
    'openai/gpt-5',
  ]
  for (const model of quick) assert.equal(waits(model), false, model)
  for (const model of slow) assert.equal(waits(model), true, model)
  for (const model of [...quick, ...slow]) assert.equal(waits(model, { thinkingTokens: 2048 }), true, model)
})

test('a model goes by the name its provider knows', () => {
  const names = {
    'anthropic/a': 'a',
    'openrouter/v/a': 'v/a',
    'compatible/lab/v/a': 'v/a',
    'ollama/hf.co/v/a:q4': 'hf.co/v/a:q4',
    demo: 'demo',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(names).map(name => [name, modelName(name)])), names)
})

const shard = fc.constantFrom(
  'a',
  'b c',
  ' ',
  '\n',
  '\u0000',
  '\ud800',
  '\udc00',
  '\ud83d\ude00',
  '\\ud800',
  '"',
  '[For reference',
  '\u0085',
)
const text = fc.array(shard, { minLength: 1, maxLength: 6 }).map(shards => shards.join(''))
const spoken = text.map(some => `x${some}`)
const callId = fc.constantFrom('c1', 'c1_2', 'c 1', 'c.1', '', '功', 'toolu_01', `${'long'.repeat(20)}`, `${'long'.repeat(20)}er`)
const args = fc.oneof(
  fc
    .dictionary(text, fc.oneof(text, fc.constantFrom(0, null, [], { deep: ['\udbff'] })), { maxKeys: 3 })
    .map(given => ({ args: given })),
  fc.constantFrom(
    { args: { b: 1, a: 2 }, raw: '{ "b":1.0, "a": 2 }' },
    { args: null, raw: '{"half": ' },
    { args: [1], raw: '[1]' },
  ),
)
const thinking: fc.Arbitrary<Block> = fc.record(
  { type: fc.constant('think' as const), text: fc.oneof(text, fc.constant('')), signature: fc.constantFrom('seal', '') },
  { requiredKeys: ['type', 'text'] },
)
const call: fc.Arbitrary<Extract<Block, { type: 'call' }>> = fc
  .tuple(callId, fc.constantFrom('look', 'a.b c', '', 'n'.repeat(80)), args)
  .map(([id, tool, given]) => ({ type: 'call', call: id, tool, ...given }))
const said: fc.Arbitrary<Block> = text.map(some => ({ type: 'text', text: some }))
const file: fc.Arbitrary<Block> = fc.constantFrom(
  blockOf(IMAGE),
  blockOf(PAPER),
  { ...blockOf(IMAGE), name: 'b "\ud800".png' },
  { ...blockOf(PAPER), hash: 'gone' },
)
const heard: fc.Arbitrary<Message> = fc
  .record({
    files: fc.array(file, { maxLength: 2 }),
    first: spoken,
    rest: fc.array(said, { maxLength: 1 }),
    silent: fc.boolean(),
  })
  .map(({ files, first, rest, silent }) => ({
    role: 'user',
    blocks: silent && files.length > 0 ? files : [...files, { type: 'text', text: first }, ...rest],
  }))

/** One reply; the calls of it, if any, are answered, in any order, perhaps in two messages, perhaps with something said meanwhile. */
const step: fc.Arbitrary<readonly Message[]> = fc
  .record({
    before: fc.array(fc.oneof(thinking, said), { maxLength: 2 }),
    first: spoken,
    calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ call }) => call }),
    after: fc.array(said, { maxLength: 1 }),
    backwards: fc.boolean(),
    apart: fc.boolean(),
    steered: fc.array(heard, { maxLength: 1 }),
    outcome: fc.oneof(spoken, fc.constantFrom('', ' ')),
    ok: fc.boolean(),
  })
  .map(({ before, first, calls, after, backwards, apart, steered, outcome, ok }) => {
    const opening: Block[] = calls.length === 0 ? [{ type: 'text', text: first }] : []
    const reply: Message = { role: 'assistant', blocks: [...before, ...opening, ...calls, ...after] }
    const results = calls.map(({ call }): Block => ({ type: 'result', call, ok, text: outcome }))
    if (backwards) results.reverse()
    const answers = apart ? results.map(one => [one]) : [results]
    return [reply, ...answers.filter(some => some.length > 0).map((blocks): Message => ({ role: 'user', blocks })), ...steered]
  })

const plan: fc.Arbitrary<Plan> = fc
  .record({
    turns: fc.array(fc.tuple(fc.array(heard, { minLength: 1, maxLength: 3 }), fc.array(step, { maxLength: 3 })), {
      maxLength: 4,
    }),
    end: fc.array(heard, { minLength: 1, maxLength: 3 }),
    running: fc.array(step, { maxLength: 2 }),
    system: fc.oneof(text, fc.constant('')),
    tools: fc.uniqueArray(fc.constantFrom('look', 'find', 'read_skill'), { maxLength: 3 }),
    maxTokens: fc.constantFrom(500, 1025, 4096),
    thinks: fc.boolean(),
    stable: fc.nat(20),
    images: fc.boolean(),
    files: fc.boolean(),
  })
  .map(({ turns, end, running, system, tools, maxTokens, thinks, stable, images, files }) => {
    const goesOn = running.filter(messages => messages.length > 1)
    const messages = [...turns.flatMap(([asked, steps]) => [...asked, ...steps.flat()]), ...end, ...goesOn.flat()]
    return {
      ...PLAN,
      abilities: { ...PLAN.abilities, images, files },
      messages,
      system,
      tools: tools.map(name => ({ name, description: `can ${name}`, parameters: { type: 'object' } })),
      maxTokens,
      thinkingTokens: thinks ? Math.floor(maxTokens * 0.6) : null,
      stableMessages: Math.min(stable, messages.length),
    }
  })

const RUNS = tries(400)

for (const [name, { model, wire, refuses }] of Object.entries(DOORS)) {
  test(`${name}: no plan is refused, and the same plan gives the same bytes`, () => {
    fc.assert(
      fc.property(plan, given => {
        const { body } = wire.encode({ ...given, model }, FILES)
        assert.deepEqual(refuses(body), [])
        assert.equal(wire.encode(structuredClone({ ...given, model }), structuredClone(FILES)).body, body)
      }),
      RUNS,
    )
  })

  test(`${name}: everything said is sent once, in order, and every result after its own call`, () => {
    fc.assert(
      fc.property(plan, given => {
        const labelled = withLabels(given)
        const { body } = wire.encode({ ...labelled, model }, FILES)
        const sent = [...body.matchAll(/«([^»]*)»/g)].map(([, label]) => label)
        assert.deepEqual([...sent].sort(), [...labelsOf(labelled)].sort())
        for (const part of ['said', 'call']) assert.deepEqual(only(sent, part), only(labelsOf(labelled), part))
        assert.deepEqual(only(sent, 'result'), only(sent, 'call'), 'results are in the order of their calls')
      }),
      RUNS,
    )
  })

  test(`${name}: saying more rewrites nothing that was sent`, () => {
    fc.assert(
      fc.property(plan, step, (given, more) => {
        const before = piecesOf(wire.encode({ ...given, model, thinkingTokens: null }, FILES).body)
        const messages = [...given.messages, ...more]
        const after = piecesOf(wire.encode({ ...given, model, thinkingTokens: null, messages }, FILES).body)
        assert.ok(after.startsWith(before), `${after}\ndoes not begin with\n${before}`)
      }),
      RUNS,
    )
  })

  test(`${name}: nothing that a plan may hold makes it throw`, () => {
    const block = fc.oneof(
      said,
      file,
      thinking,
      call,
      callId.map((id): Block => ({ type: 'result', call: id, ok: false, text: '' })),
    )
    const message = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      blocks: fc.array(block, { maxLength: 4 }),
    })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.boolean(), (messages, thinks) => {
        const { body } = wire.encode({
          ...PLAN,
          model,
          messages,
          thinkingTokens: thinks ? 2000 : null,
          stableMessages: messages.length,
        })
        assert.equal(JSON.stringify(JSON.parse(body)), body)
      }),
      RUNS,
    )
  })
}

/** Texts, results and calls are given labels that survive every dialect: calls in their tools' names would not. */
function withLabels(given: Plan): Plan {
  let count = 0
  const open = new Map<string, string>()
  const label = (block: Block): Block => {
    count += 1
    switch (block.type) {
      case 'text':
        return { type: 'text', text: `«said ${count}»` }
      case 'think':
        return block
      case 'call':
        open.set(block.call, `«result ${count}»`)
        return { type: 'call', call: block.call, tool: block.tool, args: { label: `«call ${count}»` } }
      case 'result':
        return { ...block, text: open.get(block.call) ?? 'no such call' }
      case 'image':
      case 'file':
        return block
    }
  }
  return { ...given, system: '', messages: given.messages.map(message => ({ ...message, blocks: message.blocks.map(label) })) }
}

const labelsOf = (given: Plan): string[] =>
  [...JSON.stringify(given.messages).matchAll(/«([^»]*)»/g)].map(([, label]) => label ?? '')
const only = (labels: readonly (string | undefined)[], part: string): string[] =>
  labels.flatMap(label => (label?.startsWith(`${part} `) ? [label.slice(part.length + 1)] : []))

/** The conversation in a body without what may change: cache marks, and where one message ends when the next is of its role. */
function piecesOf(body: string): string {
  const { messages } = JSON.parse(body.replaceAll(',"cache_control":{"type":"ephemeral"}', '')) as {
    messages: readonly Record<string, unknown>[]
  }
  return messages
    .flatMap(({ role, content, ...rest }) =>
      (Array.isArray(content) ? content : [content]).map(piece => JSON.stringify([role, piece, rest])),
    )
    .join('\n')
}
