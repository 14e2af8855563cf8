import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assembleWith, materialOf, measure, type Policy, presets, WINDOW_KINDS, type Window } from '../../src/context/index.ts'
import { rulesIn } from '../../src/context/window/kinds.ts'
import { type Opening, opening } from './toy-opening-kind.ts'

const KINDS = { ...WINDOW_KINDS, opening }
const assemble = assembleWith<Window | Opening>(KINDS)

const toy: Policy<Opening> = { ...presets.full, name: 'toy', window: { kind: 'opening', messages: 2 } }
const material = materialOf({
  messages: ['one', 'two', 'three', 'four', 'five'].map((text, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    text,
  })),
})

test('a kind of window outside src/ is one file and one line, and its requests are assembled like any other', () => {
  const plan = assemble(material, toy, measure)
  assert.ok(plan.ok)
  const texts = plan.value.messages.flatMap(({ blocks }) => blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])))
  assert.deepEqual(texts, ['one', 'two', 'five'])
  assert.equal(plan.value.receipt.policy, 'toy@1')
  assert.deepEqual(
    plan.value.receipt.in.map(({ reason, count }) => [reason, count]),
    [
      ['head.first', 2],
      ['current.message', 1],
    ],
  )
  assert.deepEqual(
    plan.value.receipt.out.map(({ reason, count }) => [reason, count]),
    [['out.window', 2]],
  )
})

test('our own kinds assemble beside it as before', () => {
  const plan = assemble(material, presets.full, measure)
  assert.ok(plan.ok)
  assert.equal(plan.value.messages.length, 5)
})

test('its check, its reading rule and its words are found by its kind', () => {
  const rules = rulesIn<Window | Opening>(KINDS, toy.window)
  assert.equal(
    rulesIn<Window | Opening>(KINDS, { kind: 'opening', messages: 0 }).whyRefused(toy),
    'window.messages must be at least 1',
  )
  assert.equal(rules.words.short, 'the first 2 messages and the new one')
  const same = (tokens: number): number => tokens
  const reading = { voice: 'assistant', policy: 'toy@1', cause: 5, tokens: 50, turnBegan: undefined, began: undefined }
  assert.deepEqual(rules.read({ ...reading, bounds: { limit: 100, high: 50, low: 25 }, enough: same, enoughOrLow: same }), {
    head: { messages: 4, least: 2, tokens: 100 },
    from: { seq: 5 },
  })
})

test('the compiler names a kind that the registry lacks', () => {
  // @ts-expect-error: `opening` is missing
  assert.ok(assembleWith<Window | Opening>(WINDOW_KINDS))
})
