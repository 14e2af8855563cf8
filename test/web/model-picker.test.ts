// What the model picker lists, without its looks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_SHOWN, type PickerInput, pickerSections } from '../../web/src/model-picker/sections.ts'
import { createModelChoices } from '../../web/src/store/model-choices.ts'
import type { LocalStore } from '../../web/src/wire/local-storage.ts'
import type { ModelRow } from '../../web/src/wire/workspace-api.ts'

const model = (name: string, more: Partial<ModelRow> = {}): ModelRow => ({
  ...{ name, window: 8192, output: null, price: null, images: false, files: false, thinking: false, tools: true },
  ...{ ready: true, needs: null, ...more },
})
const MODELS = [
  ...[model('demo'), model('openai/gpt', { ready: false }), model('openai/gpt-mini', { ready: false })],
  ...[model('anthropic/large', { images: true }), model('anthropic/small'), model('compatible/lan/qwen', { provider: 'lan' })],
]
const CONNECTABLE = [
  ...[
    { name: 'anthropic', title: 'Anthropic' },
    { name: 'openai', title: 'OpenAI' },
    { name: 'gemini', title: 'Gemini' },
  ],
]
const listed = (more: Partial<PickerInput> = {}): readonly (readonly [string, readonly string[]])[] =>
  pickerSections({
    ...{ models: MODELS, choices: { favorites: [], recent: [] }, query: '', value: '', defaultLabel: null },
    ...{ connectable: CONNECTABLE, ...more },
  }).map(({ title, options }) => [title, options.map(({ key }) => key)] as const)

test('usable models are listed by provider, and the others are one row each that connects', () => {
  assert.deepEqual(listed(), [
    ['Demo', ['demo']],
    ['Anthropic', ['anthropic/large', 'anthropic/small']],
    ['lan', ['compatible/lan/qwen']],
    ['Connect', ['connect openai', 'connect gemini']],
  ])
})

test('favorites come first, then recent models, each model once', () => {
  const choices = { favorites: ['anthropic/small', 'openai/gpt'], recent: ['anthropic/small', 'demo'] }
  assert.deepEqual(listed({ choices, defaultLabel: 'Default (demo)' }).slice(0, 4), [
    ['', ['default']],
    ['Favorites', ['anthropic/small']],
    ['Recent', ['demo']],
    ['Anthropic', ['anthropic/large']],
  ])
})

test('a search finds models by name and ability, and what would have to be connected', () => {
  assert.deepEqual(listed({ query: 'images' }), [['Anthropic', ['anthropic/large']]])
  assert.deepEqual(listed({ query: 'gpt' }), [['Connect', ['connect openai']]])
  assert.deepEqual(listed({ query: 'gemini' }), [['Connect', ['connect gemini']]])
  assert.deepEqual(listed({ query: 'nothing like it' }), [])
})

test('a chosen model that is not there now is shown, and a long list is cut but still offers to connect', () => {
  assert.deepEqual(listed({ value: 'anthropic/old' })[0], ['', ['gone anthropic/old']])
  const many = Array.from({ length: 500 }, (_, index) => model(`openrouter/m${index}`))
  const sections = listed({ models: [...many, ...MODELS] })
  assert.equal(sections[0]?.[1].length, MOST_SHOWN)
  assert.equal(sections.at(-1)?.[0], 'Connect')
})

function storeWith(first: Readonly<Record<string, string>> = {}): LocalStore & { readonly all: Map<string, string> } {
  const all = new Map(Object.entries(first))
  return {
    all,
    read: name => all.get(name) ?? null,
    write: (name, value) => void (value === null ? all.delete(name) : all.set(name, value)),
  }
}

test('stars and the last choices are kept in this browser, and nonsense there counts as nothing', () => {
  const store = storeWith({ 'models.favorites': '{"no":1}', 'models.recent': 'not json' })
  const choices = createModelChoices(store)
  assert.deepEqual(choices.get(), { favorites: [], recent: [] })
  let heard = 0
  choices.watch(() => {
    heard += 1
  })
  choices.star('a/b')
  for (const name of ['1', '2', '3', '4', '5', '2']) choices.use(name)
  assert.deepEqual(createModelChoices(store).get(), { favorites: ['a/b'], recent: ['2', '5', '4', '3'] })
  choices.star('a/b')
  assert.equal(store.all.has('models.favorites'), false)
  assert.equal(heard, 8)
})
