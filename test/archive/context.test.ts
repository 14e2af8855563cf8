import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assemble } from '../../src/context/assemble.ts'
import { presets } from '../../src/context/presets.ts'
import type { Fact } from '../../src/model/event.ts'
import type { TurnId } from '../../src/model/ids.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { materialOf, measure } from '../support/material.ts'
import { tries } from '../support/tries.ts'
import { anthropicRefuses, openaiChatRefuses } from '../support/validate-wire.ts'
import { readAll } from './reading.ts'

type Line = { readonly kind: 'user' | 'answer' | 'call' | 'system' | 'blank'; readonly text: string }

const line: fc.Arbitrary<Line> = fc.record({
  kind: fc.constantFrom<Line['kind']>('user', 'user', 'answer', 'answer', 'call', 'system', 'blank'),
  text: fc.string({ minLength: 1, maxLength: 8 }),
})

/** Every text is one of its own, so that it can be found again. */
const worded = (lines: readonly Line[]): readonly Line[] =>
  lines.map((each, index) => ({ ...each, text: `«${index} ${each.text}»` }))

const spoken = (lines: readonly Line[]): readonly string[] =>
  lines.flatMap(({ kind, text }) => (kind === 'system' || kind === 'blank' ? [] : [text]))

const WRITERS: Readonly<Record<string, (lines: readonly Line[]) => unknown>> = {
  port42: lines => ({
    agent: '@ai-muse',
    messages: lines.map(({ kind, text }) => ({
      role: kind === 'user' ? 'user' : kind === 'system' ? 'system' : 'assistant',
      content: kind === 'blank' ? ' ' : text,
    })),
  }),
  space: lines => ({
    messages: lines.map(({ kind, text }) =>
      kind === 'answer' || kind === 'call'
        ? { type: 'parallel_advisor_response', advisorResponses: { muse: { name: 'Muse', content: text, completed: true } } }
        : { type: kind === 'blank' ? 'user' : kind, content: kind === 'blank' ? '' : text },
    ),
  }),
  claude: lines => ({
    chat_messages: lines
      .filter(({ kind }) => kind !== 'system')
      .map(({ kind, text }) => ({
        sender: kind === 'user' ? 'human' : 'assistant',
        content:
          kind === 'call'
            ? [
                { type: 'tool_use', id: 'x', name: 'look up', input: { what: 1 } },
                { type: 'tool_result', tool_use_id: 'x', content: text },
              ]
            : [{ type: 'text', text: kind === 'blank' ? '' : text }],
      })),
  }),
  chatgpt: lines => ({
    current_node: `n${lines.length * 2 - 1}`,
    mapping: Object.fromEntries(
      lines.flatMap(({ kind, text }, index) => {
        const node = (place: number, role: string, content: object, more: object = {}): [string, object] => [
          `n${place}`,
          {
            parent: place === 0 ? null : `n${place - 1}`,
            message: { author: { role, name: more === undefined ? null : 'python' }, content, ...more },
          },
        ]
        const words = (said: string): object => ({ content_type: 'text', parts: [said] })
        const [first, second] = [index * 2, index * 2 + 1]
        if (kind === 'call')
          return [
            node(first, 'assistant', { content_type: 'code', text: 'look()' }, { recipient: 'python' }),
            node(second, 'tool', { content_type: 'execution_output', text }),
          ]
        const role = kind === 'answer' || kind === 'blank' ? 'assistant' : kind
        return [node(first, role, words(kind === 'blank' ? '' : text)), node(second, 'assistant', words(''))]
      }),
    ),
  }),
  openai: lines => ({
    messages: lines.flatMap(({ kind, text }, index): object[] => {
      if (kind === 'call')
        return [
          { role: 'assistant', content: null, tool_calls: [{ id: `c${index}`, function: { name: 'look', arguments: '{ }' } }] },
          { role: 'tool', tool_call_id: `c${index}`, content: text },
        ]
      return [{ role: kind === 'answer' || kind === 'blank' ? 'assistant' : kind, content: kind === 'blank' ? '' : text }]
    }),
  }),
}

for (const [format, write] of Object.entries(WRITERS)) {
  test(`what was said in any file of ${format} is in the next request, in its order`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async some => {
        const lines = worded(some)
        const found = await readAll(JSON.stringify(write(lines)))
        const facts = found.flatMap(each => (each.type === 'fact' ? [each.fact] : []))
        const voice = facts.find(fact => fact.type === 'turn.started')?.voice ?? 'assistant'
        const now: Fact[] = [
          { type: 'message.received', text: 'and now?', from: 'person' },
          { type: 'turn.started', turn: 'trn_now' as TurnId, voice, cause: facts.length + 1 },
        ]
        const material = materialOf([...facts, ...now], { voice })
        const plan = assemble(material, presets.full, measure)
        assert.ok(plan.ok, plan.ok ? '' : plan.fault.message)
        for (const [wire, refuses] of [
          [anthropicWire, anthropicRefuses],
          [openaiChatWire, openaiChatRefuses()],
        ] as const) {
          const { body } = wire.encode(plan.value)
          assert.deepEqual(refuses(body), [])
        }
        const said = JSON.stringify(plan.value.messages)
        const places = spoken(lines).map(text => said.indexOf(JSON.stringify(text).slice(1, -1)))
        // Nothing can answer before anybody spoke, so a request leaves out what stands there.
        const heard = lines.findIndex(({ kind }) => kind === 'user')
        const expected = places.slice(heard === -1 ? places.length : spoken(lines.slice(0, heard)).length)
        assert.ok(
          expected.every(place => place !== -1),
          'everything is there',
        )
        assert.deepEqual(
          expected,
          expected.toSorted((a, b) => a - b),
          'in order',
        )
        const turns = facts.filter(fact => fact.type === 'turn.started').length
        assert.equal(facts.filter(fact => fact.type === 'turn.ended').length, turns, 'every turn has ended')
      }),
      tries(150),
    )
  })
}
