import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { assemble } from '../src/context/assemble.ts'
import { explain } from '../src/context/explain.ts'
import { presets } from '../src/context/presets.ts'
import type { Material } from '../src/model/plan.ts'
import { demoWire } from '../src/provider/demo-wire.ts'
import { materialOf, measure } from './support/material.ts'

/** A case is a folder: what was said, what would be read, and the exact bytes of the request. */
type Case = {
  readonly why: string
  readonly policy: string
  readonly budget?: number
  readonly facts: Parameters<typeof materialOf>[0]
  readonly material?: Partial<Material>
}

const raw = { serializers: [(value: unknown) => String(value)] }

for (const folder of globSync('test/golden/*/').sort()) {
  test(`golden: ${basename(folder)}`, t => {
    const { policy: name, budget, facts, material = {} } = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as Case
    const preset = presets[name]
    assert.ok(preset, `there is a policy ${name}`)
    const policy = budget === undefined ? preset : { ...preset, budget: { tokens: budget, reserve: 100 } }
    const plan = assemble(materialOf(facts, material), policy, measure)
    if (!plan.ok) {
      t.assert.fileSnapshot(`fault ${plan.fault.kind}: ${plan.fault.message}\n`, join(folder, 'context.txt'), raw)
      return
    }
    t.assert.fileSnapshot(explain(plan.value), join(folder, 'context.txt'), raw)
    t.assert.fileSnapshot(`${demoWire.encode(plan.value).body}\n`, join(folder, 'demo.json'), raw)
  })
}
