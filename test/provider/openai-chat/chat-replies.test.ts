// Chat completions as several servers really speak them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import type { Block, Plan } from '../../../src/model/plan.ts'
import { openaiChatWire } from '../../../src/provider/openai-chat/encode.ts'
import { addDelta, emptyReply, partsOf } from '../../../src/turn/step/reply-builder.ts'
import { requestTo } from '../speaking.ts'

function heard(...choices: readonly object[]): readonly Delta[] {
  const decoder = openaiChatWire.decode?.(requestTo('openai'))
  assert.ok(decoder)
  const bytes = choices.map(choice => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join('')
  return [...decoder.read(new TextEncoder().encode(bytes)), ...decoder.end()]
}

const detail = (fields: object): object => ({ delta: { reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }] } })

test('what a later piece of a detail leaves empty stands as it was', () => {
  const deltas = heard(
    detail({ text: 'Hm', signature: 'seal', format: 'x' }),
    detail({ text: '.', signature: null, format: null }),
    { delta: {}, finish_reason: 'stop' },
  )
  const sealed = deltas.find(delta => delta.type === 'sealed')
  assert.deepEqual(JSON.parse(sealed?.signature ?? ''), [
    { type: 'reasoning.text', index: 0, text: 'Hm.', signature: 'seal', format: 'x' },
  ])
})

test('a server that ran out of resources is overloaded, and worth another try', () => {
  const last = heard({ delta: {}, finish_reason: 'insufficient_system_resource' }).at(-1)
  assert.deepEqual([last?.type === 'fault' && last.fault.kind, last?.type === 'fault' && last.again], ['overloaded', true])
})

test('more details than anybody thinks are not kept, and more calls than anybody makes are too many', () => {
  const details = Array.from({ length: 1001 }, (_, index) => detail({ index, data: 'x' }))
  const deltas = heard(...details, { delta: {}, finish_reason: 'stop' })
  assert.deepEqual([deltas.some(({ type }) => type === 'sealed'), deltas.at(-1)?.type], [false, 'done'])
  const calls = Array.from({ length: 1001 }, (_, index) => ({
    delta: { tool_calls: [{ index, id: `c${index}`, function: { name: 'look', arguments: '{}' } }] },
  }))
  const last = heard(...calls).at(-1)
  assert.equal(last?.type === 'fault' && last.fault.kind, 'too-large')
})

test('thinking that is sealed already is not sealed twice: another begins', () => {
  const turn = 'trn_1' as TurnId
  const script = (
    [
      { type: 'think', text: 'a' },
      { type: 'sealed', signature: '1' },
      { type: 'sealed', signature: '2' },
    ] as const
  ).reduce((before, delta) => addDelta(before, delta)[0], emptyReply(turn, 1))
  assert.deepEqual(partsOf(script), [
    { type: 'think', text: 'a', signature: '1' },
    { type: 'think', text: '', signature: '2' },
  ])
})

const CALLED: readonly Block[] = [{ type: 'call', call: 'c1', tool: 'look', args: {} }]
const PLAN: Plan = {
  session: 'ses_1' as SessionId,
  abilities: { images: true, files: true, cacheMinimum: 0 },
  through: { tools: 0, system: 0, stable: 0, whole: 0 },
  model: 'demo',
  voice: 'assistant',
  ordinal: 1,
  system: '',
  tools: [],
  messages: [
    { role: 'user', blocks: [{ type: 'text', text: 'Look.' }] },
    { role: 'assistant', blocks: CALLED },
    { role: 'user', blocks: [{ type: 'result', call: 'c1', ok: true, text: 'one' }] },
  ],
  maxTokens: 4096,
  window: 32_768,
  outline: [],
  items: [],
  thinkingTokens: null,
  stableMessages: 0,
  receipt: {
    through: 1,
    window: { begins: 1 },
    policy: 'steady@1',
    model: 'demo',
    voice: 'assistant',
    tokens: { estimated: 10, reported: null, cached: null, factor: 1, limit: 28_672, reserved: 4096 },
    degraded: null,
    ladder: [],
    in: [],
    out: [],
  },
}

type Body = { readonly messages: readonly Readonly<Record<string, unknown>>[]; readonly cache_control?: unknown }
const bodyFor = (model: string): Body => JSON.parse(openaiChatWire.encode({ ...PLAN, model }).body) as Body

test('a DeepSeek gets a place for its thinking with every call, others do not', () => {
  assert.equal(bodyFor('compatible/lab/DeepSeek-V4').messages[1]?.reasoning_content, '')
  assert.equal(bodyFor('compatible/deepseek/other').messages[1]?.reasoning_content, undefined)
  assert.equal(bodyFor('openai/gpt-5').messages[1]?.reasoning_content, undefined)
})

test('the newest of Anthropic’s at OpenRouter is cached too', () => {
  assert.deepEqual(bodyFor('openrouter/~anthropic/claude-sonnet-latest').cache_control, { type: 'ephemeral' })
  assert.equal(bodyFor('openrouter/vendor/model').cache_control, undefined)
})

test('a model that thinks by itself is given time, unless it was told not to', () => {
  const reasons = (model: string, plan: Partial<Plan> = {}): unknown => openaiChatWire.encode({ ...PLAN, model, ...plan }).reasons
  assert.equal(reasons('openai/gpt-5'), true)
  assert.equal(reasons('openrouter/openai/gpt-5'), true)
  assert.equal(reasons('openai/gpt-4o'), false)
  assert.equal(reasons('compatible/lab/gpt-5'), false)
  const tools = [{ name: 'look', description: '', parameters: {} }]
  assert.equal(reasons('openai/gpt-6-sol', { tools, abilities: { ...PLAN.abilities, thinkingWithTools: false } }), false)
})
