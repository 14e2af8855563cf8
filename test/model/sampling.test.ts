// Contract §6, sampling: which level counts, what a model takes, and the nearest effort it has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { thinksBy, withoutThinking, withThinking } from '../../src/context/reply-limit.ts'
import {
  EFFORTS,
  nearestEffort,
  patchedSampling,
  refusedSampling,
  type SampledModel,
  samplingOf,
  sentSampling,
  wantsThinking,
} from '../../src/model/sampling.ts'
import { samplingWords } from '../../src/model/sampling-words.ts'
import { catalogued } from '../../src/provider/catalog/catalog.ts'
import { tries } from '../support/tries.ts'

function modelOf(name: string): SampledModel {
  const entry = catalogued(name)
  assert.ok(entry.ok)
  return entry.value.facts
}

test('the most specific level counts, key by key', () => {
  const [request, session, agent] = [{ temperature: 0 }, { temperature: 1, seed: 2 }, { seed: 3, stop: ['a'], topP: 0.5 }]
  assert.deepEqual(samplingOf({ sampling: request }, { sampling: session }, { sampling: agent }), {
    temperature: 0,
    seed: 2,
    stop: ['a'],
    topP: 0.5,
  })
  assert.equal(samplingOf({}, { sampling: null }, {}), undefined)
})

test('an effort asks for thinking, and the first level that speaks of it counts', () => {
  const effort = (value: (typeof EFFORTS)[number]): { sampling: { effort: typeof value } } => ({ sampling: { effort: value } })
  assert.ok(wantsThinking(effort('minimal')))
  assert.ok(!wantsThinking(effort('none'), { thinking: true }))
  assert.ok(wantsThinking({ ...effort('low'), thinking: false }))
  assert.ok(!wantsThinking({ thinking: false }, effort('high')))
  assert.ok(!wantsThinking({ thinking: null }, {}))
  // Who turns thinking off or on again does not leave the other level's effort behind.
  assert.equal(samplingOf({ thinking: false }, effort('high')), undefined)
  assert.equal(samplingOf({ thinking: true }, effort('none')), undefined)
  assert.deepEqual(samplingOf({ thinking: true }, effort('high')), { effort: 'high' })
})

const NEVER: readonly (readonly [model: string, sampling: object, key: string | undefined])[] = [
  ['anthropic/claude-sonnet-4-5', { seed: 1 }, 'seed'],
  ['anthropic/claude-sonnet-4-5', { temperature: 0.2 }, undefined],
  ['anthropic/claude-sonnet-4-5', { temperature: 1.5 }, 'temperature'],
  ['anthropic/claude-sonnet-4-5', { temperature: 0.2, topP: 0.9 }, 'topP'],
  ['anthropic/claude-sonnet-4-20250514', { temperature: 0.2, topP: 0.9 }, undefined],
  ['anthropic/claude-3-5-sonnet-20241022', { temperature: 0.2, topP: 0.9 }, undefined],
  ['anthropic/claude-sonnet-4-5', { stop: ['\n'] }, 'stop'],
  ['anthropic/claude-sonnet-4-5', { stop: ['END'], topP: 0.9 }, undefined],
  ['anthropic/claude-opus-4-6', { temperature: 0.2 }, undefined],
  ['anthropic/claude-opus-4-6', { temperature: 0.2, effort: 'low' }, 'temperature'],
  ['anthropic/claude-opus-4-7', { temperature: 0.2 }, 'temperature'],
  ['anthropic/claude-opus-4-7', { temperature: 1 }, undefined],
  ['anthropic/claude-haiku-5-5', { topP: 0.2 }, 'topP'],
  ['openrouter/anthropic/claude-opus-4.7', { temperature: 0.2 }, 'temperature'],
  ['openrouter/openai/o3', { stop: ['a'] }, 'stop'],
  ['openrouter/vendor/model', { temperature: 2, topP: 0, seed: 1, stop: ['\n'], effort: 'xhigh' }, undefined],
  ['openai/o3', { temperature: 0.2 }, 'temperature'],
  ['openai/gpt-5.1', { stop: ['a'] }, 'stop'],
  ['openai/gpt-5.1', { seed: 1, effort: 'minimal' }, undefined],
  ['openai/gpt-4.1', { temperature: 2, topP: 0.1, seed: 1, stop: ['\n'], effort: 'none' }, undefined],
  ['openai/gpt-4.1', { effort: 'low' }, 'effort'],
  ['ollama/qwen3:8b', { temperature: 2, topP: 0.1, seed: 1, stop: ['\n'], effort: 'xhigh' }, undefined],
  ['demo', { temperature: 2, topP: 0.1, seed: 1, stop: ['\n'], effort: 'xhigh' }, undefined],
]

test('what a model is known never to take is refused by its key', () => {
  for (const [name, sampling, key] of NEVER)
    assert.equal(refusedSampling(sampling, modelOf(name))?.key, key, `${name} ${JSON.stringify(sampling)}`)
})

const NEAREST: Readonly<Record<string, readonly (string | undefined)[]>> = {
  // For none, minimal, low, medium, high, xhigh.
  'openai/o3': ['low', 'low', 'low', 'medium', 'high', 'high'],
  'openai/gpt-5': ['minimal', 'minimal', 'low', 'medium', 'high', 'high'],
  'openai/gpt-5.1': ['none', 'low', 'low', 'medium', 'high', 'high'],
  'openai/gpt-5.2': ['none', 'low', 'low', 'medium', 'high', 'xhigh'],
  'openai/gpt-4.1': [undefined, undefined, undefined, undefined, undefined, undefined],
  'anthropic/claude-sonnet-4-5': ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  'anthropic/claude-opus-4-6': ['none', 'low', 'low', 'medium', 'high', 'high'],
  'anthropic/claude-opus-5': ['none', 'low', 'low', 'medium', 'high', 'xhigh'],
  'anthropic/claude-fable-5': ['low', 'low', 'low', 'medium', 'high', 'xhigh'],
  'ollama/qwen3:8b': ['none', 'medium', 'medium', 'medium', 'medium', 'medium'],
  'ollama/gpt-oss:20b': ['low', 'low', 'low', 'medium', 'high', 'high'],
}

test('an effort goes out as the nearest that the model has', () => {
  for (const [name, nearest] of Object.entries(NEAREST))
    assert.deepEqual(
      EFFORTS.map(effort => nearestEffort(effort, modelOf(name))),
      nearest,
      name,
    )
})

const someSampling = fc.record(
  {
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    topP: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.integer(),
    stop: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
    effort: fc.constantFrom(...EFFORTS),
  },
  { requiredKeys: [] },
)

test('nothing that is sent is known to be refused, and nothing is sent that was not given', () => {
  const names = [...new Set([...NEVER.map(([name]) => name), ...Object.keys(NEAREST)])]
  fc.assert(
    fc.property(fc.constantFrom(...names), someSampling, fc.boolean(), (name, given, wantsIt) => {
      const model = modelOf(name)
      const thinking = model.thinking && wantsThinking({ sampling: given, thinking: wantsIt })
      const sent = sentSampling(given, model, thinking)
      assert.equal(refusedSampling(sent, model, sent, thinking), undefined)
      for (const key of Object.keys(sent) as (keyof typeof sent)[]) {
        assert.notEqual(given[key], undefined)
        if (key !== 'effort') assert.deepEqual(sent[key], given[key])
      }
      const refused = refusedSampling(given, model, given, thinking)
      if (refused === undefined && given.seed !== undefined) assert.equal(sent.seed, given.seed)
    }),
    tries(100),
  )
})

test('a change keeps what it does not name, and null takes away', () => {
  assert.deepEqual(patchedSampling({ seed: 1, topP: 0.5 }, { seed: null, temperature: 0 }), { topP: 0.5, temperature: 0 })
  assert.equal(patchedSampling({ seed: 1 }, { seed: null }), null)
})

test('what thinking gets on top of a reply grows with the effort, and `thinking: true` alone is medium', () => {
  assert.deepEqual(
    EFFORTS.map(effort => withThinking(1000, thinksBy(true, { effort }))),
    [1600, 1100, 1300, 1600, 2000, 2600],
  )
  assert.equal(withThinking(1000, true), withThinking(1000, 'medium'))
  assert.equal(withThinking(1000, thinksBy(false, { effort: 'high' })), 1000)
  for (const effort of EFFORTS) assert.ok(withThinking(withoutThinking(5000, effort), effort) <= 5000)
})

test('sampling in words says what was not sent, or not as it was asked for', () => {
  assert.equal(samplingWords({ temperature: 0.2, stop: ['a'] }), 'temperature 0.2, stop ["a"]')
  assert.equal(
    samplingWords({ temperature: 0.2, effort: 'xhigh' }, { effort: 'high' }),
    'temperature 0.2 not sent, effort high (asked for xhigh)',
  )
  assert.equal(samplingWords(undefined), '')
})
