import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { assemble } from '../../src/context/assemble.ts'
import { type PresetName, presets } from '../../src/context/presets.ts'
import { explain } from '../../src/context/receipt/explain.ts'
import type { Material } from '../../src/model/plan.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { demoWire } from '../../src/provider/demo/wire.ts'
import { ollamaWire } from '../../src/provider/ollama/encode.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { materialOf, measure } from '../support/material.ts'

/** A case is a folder: what was said, what would be read, and the exact bytes of the request. */
type Case = {
  readonly why: string
  readonly policy: PresetName
  readonly over?: Partial<Policy>
  readonly facts: Parameters<typeof materialOf>[0]
  readonly material?: Partial<Material>
  /** Files in base64, by their hashes. */
  readonly files?: Readonly<Record<string, string>>
}

const raw = { serializers: [(value: unknown) => String(value)] }

for (const folder of globSync('test/context/golden/*/').sort()) {
  test(`golden: ${basename(folder)}`, t => {
    const given = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as Case
    const { policy: name, over = {}, facts, material = {}, files = {} } = given
    assert.ok(presets[name], `there is a policy ${name}`)
    const plan = assemble(materialOf(facts, material), { ...presets[name], ...over }, measure)
    if (!plan.ok) {
      t.assert.fileSnapshot(`fault ${plan.fault.kind}: ${plan.fault.message}\n`, join(folder, 'context.txt'), raw)
      return
    }
    t.assert.fileSnapshot(explain(plan.value), join(folder, 'context.txt'), raw)
    for (const { name: wire, encode } of [demoWire, anthropicWire, openaiChatWire, ollamaWire]) {
      const model = wire === 'demo' ? 'demo' : `${wire === 'openai-chat' ? 'openai' : wire}/model`
      t.assert.fileSnapshot(
        `${encode({ ...plan.value, model }, new Map(Object.entries(files))).body}\n`,
        join(folder, `${wire}.json`),
        raw,
      )
    }
  })
}
