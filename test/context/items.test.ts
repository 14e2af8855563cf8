// A request item by item: what the parts say and weigh is what the whole says and weighs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { presets } from '../../src/context/presets.ts'
import { type ContextItem, itemsOf } from '../../src/context/receipt/outline.ts'
import type { Plan } from '../../src/model/plan.ts'
import type { Wire } from '../../src/model/provider.ts'
import { wiresOf } from '../../src/provider/catalog/catalog.ts'
import { demoWire } from '../../src/provider/demo/wire.ts'
import { PROVIDERS } from '../../src/provider/providers.ts'
import { anyPolicy } from '../support/policies.ts'
import { requestsOf, talk } from '../support/talk.ts'
import { tries } from '../support/tries.ts'

const TOOLS = [{ name: 'look', description: 'Looks "closely"', parameters: { type: 'object' } }]
const SYSTEM = [
  { source: 'AGENTS.md', reason: 'system.agents-md', text: 'Be kind.\n\nSay "no" where it helps.' },
  { source: 'assistant', reason: 'system.agent', text: 'You are brief.' },
] as const

/** A model that counts as we do, one that counts less, and ones that count more. */
const factor = fc.constantFrom(1, 0.83, 1.07, 1.5)
const MODEL = { name: 'demo', window: 32_000 }

const bodyOf = (wire: Wire, plan: Plan): string => wire.encode(plan, new Map()).body

/** What an item says, piece by piece, without the signs that are only for people. */
const piecesOf = ({ text }: ContextItem): readonly string[] =>
  text.split('\n\n').map(piece => piece.replace(/^(?:→ \S+ |← (?:failed: )?|\(thinking\) )/, ''))

const withoutThinking = (text: string): string =>
  text
    .split('\n\n')
    .filter(piece => !piece.startsWith('(thinking) '))
    .join('\n\n')

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

test('the items of a request weigh what its receipt says, line by line and together, whatever the factor', () => {
  fc.assert(
    fc.property(talk, anyPolicy, factor, (turns, policy, times) => {
      for (const { plan } of requestsOf(turns, policy, { tools: TOOLS, system: SYSTEM, model: { ...MODEL, factor: times } })) {
        const items = itemsOf(plan)
        assert.equal(items.length, plan.outline.length)
        assert.equal(
          items.reduce((sum, { tokens }) => sum + tokens, 0),
          plan.receipt.tokens.estimated,
        )
        const rest = [...items]
        for (const line of plan.receipt.in) {
          let tokens = 0
          for (let done = false; !done; ) {
            const item = rest.shift()
            assert.ok(item !== undefined && item.kind === line.kind && item.reason === line.reason)
            assert.ok(item.tokens >= 0)
            tokens += item.tokens
            const [next] = rest
            done = next === undefined || next.kind !== line.kind || next.reason !== line.reason || next.from === undefined
          }
          assert.equal(tokens, line.tokens)
        }
        assert.deepEqual(rest, [])
      }
    }),
    tries(150),
  )
})

test('what an item says stands in the very bytes of the request, in the order of the items', () => {
  fc.assert(
    fc.property(talk, anyPolicy, (turns, policy) => {
      for (const { plan } of requestsOf(turns, policy, { tools: TOOLS, system: SYSTEM })) {
        const body = bodyOf(demoWire, plan)
        let at = 0
        for (const item of itemsOf(plan)) {
          // Of a transcript that goes on, the history stands in the message of its cycle, after what is beside it.
          const isWithin = policy.render === 'transcript' && item.reason === 'recent.window'
          let found = isWithin ? 0 : at
          // Tools stand there as JSON, not as a text.
          for (const piece of item.kind === 'tools' ? [item.text] : piecesOf(item)) {
            const words = body.includes(escaped(piece)) ? escaped(piece) : piece
            const place = body.indexOf(words, found)
            assert.notEqual(place, -1, `${item.name}: ${piece}`)
            found = place + words.length
          }
          if (!isWithin) at = found
        }
      }
    }),
    tries(150),
  )
})

test('so it does in the dialect of every provider, but for thinking, which some are not sent', () => {
  for (const wire of wiresOf(PROVIDERS)) {
    fc.assert(
      fc.property(talk, fc.constantFrom(presets.steady, presets.transcript), (turns, policy) => {
        for (const { plan } of requestsOf(turns, policy, { tools: TOOLS, system: SYSTEM })) {
          const body = bodyOf(wire, plan)
          for (const item of itemsOf(plan).filter(({ kind }) => kind !== 'tools'))
            for (const piece of piecesOf({ ...item, text: withoutThinking(item.text) }))
              assert.ok(body.includes(escaped(piece)) || body.includes(piece), `${wire.name}: ${item.name}: ${piece}`)
        }
      }),
      tries(20),
    )
  }
})
