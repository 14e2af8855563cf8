// What a person says of a model, as form fields.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnchanged, modelFactsOf, modelFactsPatch } from '../../../web/src/pages/models/model-facts-form.ts'

const MODEL = {
  ...{ name: 'compatible/lan/qwen', window: 128_000, output: null, price: null, ready: true },
  ...{ images: false, files: false, thinking: false, tools: true },
}
const patch = (form: object): unknown => modelFactsPatch(MODEL, { ...modelFactsOf(MODEL), ...form })

test('only what was changed is sent, and an empty field takes a value back', () => {
  assert.deepEqual(modelFactsOf(MODEL), { window: '128,000', output: '', priceIn: '', priceOut: '' })
  assert.ok(isUnchanged(MODEL, modelFactsOf(MODEL)))
  assert.deepEqual(patch({ window: '32,768' }), { models: { [MODEL.name]: { window: 32_768 } } })
  assert.deepEqual(patch({ window: '' }), { models: { [MODEL.name]: { window: null } } })
  assert.deepEqual(patch({ priceIn: '0.5', priceOut: '2' }), { models: { [MODEL.name]: { price: { input: 0.5, output: 2 } } } })
  assert.deepEqual(patch({ output: 'many' }), { models: { [MODEL.name]: { output: 'many' } } }, 'the gateway says what is wrong')
})
