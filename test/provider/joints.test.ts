// Where neighbors of one role become one text, each message can be told from the next; requests of earlier wires still verify.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryLog, weigh } from '../../src/index.ts'
import type { Provider, Wire } from '../../src/model/provider.ts'
import { earlierOllamaWires, ollamaWire } from '../../src/provider/ollama/encode.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { textProtocol } from '../../src/provider/text-protocol/encode.ts'
import { escapeJoints, JOINT, unescapeJoints } from '../../src/provider/transport/joints.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import { ask, engineWith, eventsOf, openSession } from '../support/engine.ts'
import { planOf } from '../support/material.ts'
import { tries } from '../support/tries.ts'

const line = fc.constantFrom(
  'a',
  '',
  ' ',
  JOINT,
  `\\${JOINT}`,
  `  ${JOINT}`,
  '\\\\=== next message',
  '==== Next Message',
  '=== HISTORY ===',
)
const text = fc
  .array(
    fc.tuple(line, fc.constantFrom('\n', '\n\n', '\r\n', '\u2028')).map(parts => parts.join('')),
    { maxLength: 6 },
  )
  .map(parts => `x${parts.join('')}`)

type Sent = { readonly role: string; readonly content: string }

/** As a server with one text for each side puts it: Ollama joins what comes apart, too. */
function collated(body: string): readonly Sent[] {
  const all: Sent[] = []
  for (const { role, content } of (JSON.parse(body) as { messages: readonly Sent[] }).messages) {
    const last = all.at(-1)
    if (last?.role === role) all[all.length - 1] = { role, content: `${last.content}\n\n${content}` }
    else all.push({ role, content })
  }
  return all
}

const DOORS: readonly (readonly [string, Wire])[] = [
  ['compatible/lab/model', openaiChatWire],
  ['ollama/qwen3:8b', ollamaWire],
]

for (const [model, wire] of DOORS)
  test(`${model}: what neighbors said can be told apart, whatever they said`, () => {
    const side = fc.array(text, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 3 }), pairs => {
        const sides = pairs.flatMap(([heard, said]) => [
          { role: 'user' as const, texts: heard },
          { role: 'assistant' as const, texts: said },
        ])
        const messages = sides.flatMap(({ role, texts }) =>
          texts.map(each => ({ role, blocks: [{ type: 'text' as const, text: each }] })),
        )
        const found = collated(wire.encode(planOf({ model, messages })).body).map(({ role, content }) => ({
          role,
          texts: content.split(`\n\n${JOINT}\n\n`).map(unescapeJoints),
        }))
        assert.deepEqual(found, sides)
      }),
      tries(300),
    )
  })

test('escaping can be undone, and leaves no line that looks like a joint', () => {
  fc.assert(
    fc.property(text, given => {
      const escaped = escapeJoints(given)
      assert.equal(unescapeJoints(escaped), given)
      assert.doesNotMatch(escaped, /^[ \t]*={3,}[ \t]*next message/im)
    }),
    tries(500),
  )
})

test('a transcript and the question after it are two messages on a compatible server', () => {
  const messages = [
    { role: 'user' as const, blocks: [{ type: 'text' as const, text: '=== HISTORY ===\n\n$user: Who?\n\n$respond: Ada.' }] },
    { role: 'user' as const, blocks: [{ type: 'text' as const, text: 'And then?' }] },
  ]
  const plan = planOf({ model: 'compatible/lab/model', messages })
  const content = '=== HISTORY ===\n\n$user: Who?\n\n$respond: Ada.\n\n=== NEXT MESSAGE ===\n\nAnd then?'
  for (const wire of [openaiChatWire, textProtocol(openaiChatWire)])
    assert.deepEqual(collated(wire.encode(plan).body), [{ role: 'user', content }])
})

const speaking = (wire: Wire, replies: Parameters<typeof scriptedProvider>[0]): Provider => ({
  ...scriptedProvider(replies),
  wire,
})

test('requests that an earlier wire sent still verify, and new ones go over the new one', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  for (const [name, wires] of [
    ['ollama', [...earlierOllamaWires, ollamaWire]],
    ['ollama+text', [...earlierOllamaWires, ollamaWire].map(textProtocol)],
  ] as const) {
    const [before, now] = wires
    assert.ok(before && now)
    const first = engineWith({ log, provider: speaking(before, [says('Ada.'), says('Then Ben.')]), policy: 'transcript' })
    const session = await openSession(first)
    await ask(first, session, 'Who was it?')
    await ask(first, session, 'And then?')
    const second = engineWith({ log, provider: speaking(now, [says('Cy.')]), policy: 'transcript' })
    await ask(second, session, 'And then?')
    const used = (await eventsOf(second, session)).flatMap(event =>
      event.type === 'context.planned' ? [event.receipt.inputs.wire] : [],
    )
    assert.deepEqual(used, [`${name}@1`, `${name}@1`, `${name}@2`])
    const verdicts: string[] = []
    for await (const { verdict } of second.verify(session)) verdicts.push(verdict)
    assert.deepEqual(verdicts, ['identical', 'identical', 'identical'])
  }
})
