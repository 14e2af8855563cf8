import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../src/index.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { demoWire } from '../../src/provider/demo/wire.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { COUNCIL_GOLDENS, councilStory } from './council-story.ts'

const raw = { serializers: [(value: unknown) => String(value)] }

for (const wire of [demoWire, anthropicWire, openaiChatWire]) {
  test(`golden council: ${wire.name}`, async t => {
    const asked = await councilStory(wire, clock => memoryLog({ clock, weigh }))
    for (const [name, request] of Object.entries(COUNCIL_GOLDENS)) {
      const body = asked.get(request)
      assert.ok(body, `${request} was asked`)
      t.assert.fileSnapshot(`${body}\n`, join('test/context/golden-council', name, `${wire.name}.json`), raw)
    }
  })
}
