// Older versions of the assembly still build the same bytes: every golden case, by the hash of its body on each wire.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { assemble } from '../../src/context/assemble.ts'
import { type PresetName, presets } from '../../src/context/presets.ts'
import { rulesOf } from '../../src/context/versions.ts'
import type { Material } from '../../src/model/plan.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { demoWire } from '../../src/provider/demo/wire.ts'
import { materialOf, measure } from '../support/material.ts'

type Case = {
  readonly policy: PresetName
  readonly over?: Partial<Policy>
  readonly facts: Parameters<typeof materialOf>[0]
  readonly material?: Partial<Material>
  readonly files?: Readonly<Record<string, string>>
}

function hashesOf(folder: string, version: number): readonly string[] {
  const given = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as Case
  const { policy: name, over = {}, facts, material = {}, files = {} } = given
  const plan = assemble(materialOf(facts, material), { ...presets[name], ...over }, measure, rulesOf(version))
  if (!plan.ok) return [`fault ${plan.fault.kind}: ${plan.fault.message}`]
  return [demoWire, anthropicWire].map(({ name: wire, encode }) => {
    const model = wire === 'demo' ? 'demo' : `${wire}/model`
    return measure.hash(encode({ ...plan.value, model }, new Map(Object.entries(files))).body)
  })
}

test('what the second version built is built again, byte for byte', t => {
  const lines = globSync('test/context/golden/*/')
    .sort()
    .filter(folder => !SINCE.has(basename(folder)) && !/^(?:recall|fold|pinned-elsewhere|follow)-/.test(basename(folder)))
    .map(folder => [basename(folder), ...hashesOf(folder, 2)].join(' '))
  t.assert.fileSnapshot(`${lines.join('\n')}\n`, 'test/context/golden-version-2.txt', {
    serializers: [(value: unknown) => String(value)],
  })
})

test('what the third and the fourth version built is built again, byte for byte, under policies that fold today', t => {
  for (const version of [3, 4]) {
    const lines = globSync('test/context/golden/*/')
      .sort()
      .filter(folder => !/^(?:fold|pinned-elsewhere|follow)-/.test(basename(folder)))
      .map(folder => [basename(folder), ...hashesOf(folder, version)].join(' '))
    t.assert.fileSnapshot(`${lines.join('\n')}\n`, 'test/context/golden-version-4.txt', {
      serializers: [(value: unknown) => String(value)],
    })
  }
})

/** Cases that are younger than the second version. */
const SINCE: ReadonlySet<string> = new Set([
  'answer-with-steps-as-an-excerpt',
  'excerpt-of-a-large-message-at-a-drop',
  'excerpt-stays-until-the-next-drop',
  'full-begins-where-its-last-receipt-says',
  'head-tail-keeps-its-head-under-a-budget',
  'last-exchange-as-excerpts',
  'last-exchange-shares-what-is-left',
  'pinned-answer-without-its-question',
  'pins-over-half-of-the-room',
  'recent-has-a-note-where-the-budget-took-some',
  'results-of-a-step-share-a-quarter-of-the-room',
  'running-turn-cut-own-steps',
  'running-turn-cut-past-first',
  'skills-listed-automatically',
  'thinking-after-a-cut-stays',
  'thinking-is-dropped-at-a-cut',
  'transcript-history-is-shortened',
])

test('what a request showed is what the third version records, and the second knew nothing of it', () => {
  const folder = 'test/context/golden/over-budget-history-gives-way'
  const { policy: name, over = {}, facts } = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as Case
  const receipts = [2, 3].map(version => {
    const plan = assemble(materialOf(facts), { ...presets[name], ...over }, measure, rulesOf(version))
    assert.ok(plan.ok)
    return plan.value.receipt
  })
  assert.deepEqual(
    receipts.map(({ seen }) => seen),
    [undefined, { messages: 5, of: 13 }],
  )
})
