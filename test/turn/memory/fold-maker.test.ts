import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makerFor } from '../../../src/turn/memory/fold-due.ts'
import type { Model, Services } from '../../../src/turn/services.ts'

const services = { limits: { budgetUsdPerDay: null } } as unknown as Services
const model = (name: string, facts: Partial<Model['facts']> = {}): Model => ({ name, facts }) as unknown as Model
const making = { range: { from: 1, to: 9, tokens: 200 }, planned: undefined, tries: 0 }

test('a model is asked where that is cheap: not for what no cache has, not where there is one prefix only, not again and again', async () => {
  const by = (setting: 'auto' | 'model' | 'extract', own: Model, more: Partial<Parameters<typeof makerFor>[3]> = {}) =>
    makerFor(services, { by: setting }, own, { ...making, ...more })
  const sonnet = model('anthropic/sonnet')
  assert.equal(await by('auto', sonnet), 'model')
  assert.equal(await by('auto', sonnet, { isCoarser: true }), 'extract')
  assert.equal(await by('auto', sonnet, { tries: 2 }), 'extract')
  assert.equal(await by('auto', model('ollama/small', { keepsOnePrefix: true })), 'extract')
  assert.equal(await by('auto', model('demo')), 'extract')
  assert.equal(await by('model', sonnet, { isCoarser: true }), 'model', 'a policy that says so has it')
  assert.equal(await by('model', sonnet, { tries: 2 }), undefined)
  assert.equal(await by('extract', sonnet), 'extract')
})
