// A program that uses the context engine alone gets the same stable requests as the engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Conversation } from '../../src/context/index.ts'
import { assemble, type ConversationMessage, materialOf, measure, type Plan, presets } from '../../src/context/index.ts'

const policy = { ...presets.steady, budget: { tokens: 2000, reserve: 500 } }
const lines = (many: number): string => Array.from({ length: many }, (_, index) => `line ${index + 1} of a long text`).join('\n')

function planOf(conversation: Conversation): Plan {
  const plan = assemble(materialOf(conversation), policy, measure)
  assert.ok(plan.ok)
  return plan.value
}

const messages: readonly ConversationMessage[] = [
  { role: 'user', text: lines(140) },
  { role: 'assistant', text: 'hello' },
  { role: 'user', text: lines(100) },
  { role: 'assistant', text: 'I see.' },
  { role: 'user', text: 'What was in it?' },
]

test('what went in part stays the same in the next request, if that is given what the last one showed', () => {
  const first = planOf({ messages })
  assert.deepEqual(
    first.receipt.window.excerpts?.map(({ seq }) => seq),
    [3],
  )
  const next = [...messages, { role: 'assistant', text: 'Lines.' }, { role: 'user', text: 'How many?' }] as const
  const second = planOf({ messages: next, last: first.receipt.window })
  assert.deepEqual(second.messages.slice(0, first.messages.length), first.messages)
})
