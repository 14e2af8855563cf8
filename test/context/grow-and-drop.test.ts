import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Bounds, boundsOf, whyRefused } from '../../src/context/bounds.ts'
import { presets } from '../../src/context/presets.ts'
import { settlePolicy } from '../../src/context/reply-limit.ts'
import { windowRules } from '../../src/context/window/kinds.ts'
import type { Message, Plan } from '../../src/model/plan.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { messagePolicy } from '../support/policies.ts'
import { isPrefix, requestsOf, talk, withoutThinking } from '../support/talk.ts'
import { tries } from '../support/tries.ts'

const tight: Policy = { ...presets.steady, window: { kind: 'tokens', low: 150, high: 320 } }

const isCut = (last: Plan, next: Plan): boolean =>
  JSON.stringify({ ...last.receipt.window, results: [] }) !== JSON.stringify({ ...next.receipt.window, results: [] })

const withoutAside = (messages: readonly Message[]): readonly Message[] =>
  messages.filter(({ blocks }) => !(blocks[0]?.type === 'text' && /^\[\d+ word/.test(blocks[0].text)))

test('under steady the next request begins with the last one less its tail block, unless the window dropped', () => {
  let drops = 0
  let stays = 0
  fc.assert(
    fc.property(talk, turns => {
      const sent = requestsOf(turns, tight)
      for (const [index, next] of sent.entries()) {
        const last = sent[index - 1]
        if (last === undefined || next.step > 1) continue
        if (next.plan.receipt.window.begins !== last.plan.receipt.window.begins) {
          drops += 1
          continue
        }
        stays += 1
        assert.ok(isPrefix(withoutThinking(withoutAside(last.plan.messages)), withoutThinking(next.plan.messages)))
      }
    }),
    tries(500),
  )
  assert.ok(drops > 5 && stays > drops, `the conversations dropped ${drops} times and stayed ${stays} times`)
})

test('every step of a turn only appends, under any policy', () => {
  fc.assert(
    fc.property(talk, messagePolicy, (turns, policy) => {
      const sent = requestsOf(turns, policy)
      for (const [index, next] of sent.entries()) {
        const last = sent[index - 1]
        // A turn that has grown too long is cut, and from then on only added to again.
        if (last === undefined || next.step === 1 || isCut(last.plan, next.plan)) continue
        assert.ok(isPrefix(last.plan.messages, next.plan.messages), `step ${next.step} of turn ${next.turn}`)
        assert.equal(last.plan.system, next.plan.system)
      }
    }),
    tries(500),
  )
})

test('no first step is above high, and a drop goes down to low where whole turns allow it', () => {
  fc.assert(
    fc.property(talk, turns => {
      const sent = requestsOf(turns, tight)
      for (const [index, { plan, step }] of sent.entries()) {
        if (step > 1) continue
        const { tokens, window, seen, in: lines } = plan.receipt
        const past = lines.some(line => line.reason === 'recent.window')
        // The last exchange stays, whatever it takes.
        const isLeast = !past || (seen?.messages ?? 0) <= 4
        assert.ok(tokens.estimated <= 320 || isLeast, 'above high only if the last exchange and the new message are')
        const dropped = index > 0 && window.begins !== sent[index - 1]?.plan.receipt.window.begins
        if (dropped) assert.ok(tokens.estimated <= 150 || isLeast, 'a drop goes to low')
      }
    }),
    tries(500),
  )
})

test('the note keeps its words until more is dropped', () => {
  fc.assert(
    fc.property(talk, turns => {
      const notes = new Map<number | null, string>()
      for (const { plan } of requestsOf(turns, tight)) {
        if (!plan.receipt.in.some(line => line.reason === 'note.omitted')) continue
        const [first] = plan.messages
        const text = JSON.stringify(first)
        const { begins } = plan.receipt.window
        assert.equal(notes.get(begins) ?? text, text)
        notes.set(begins, text)
      }
    }),
    tries(300),
  )
})

test('bounds follow from the model where a policy leaves them open', () => {
  const bounds = (window: number): Bounds => {
    const model = { name: 'any', window, factor: 1 }
    return boundsOf(settlePolicy(presets.steady, { model, thinking: false }), window)
  }
  assert.deepEqual(bounds(32_000), { limit: 24_000, high: 18_000, low: 6000 })
  assert.deepEqual(bounds(200_000), { limit: 183_616, high: 60_000, low: 20_000 })
  assert.deepEqual(boundsOf({ window: windowRules(presets.steady.window), budget: { tokens: 8000, reserve: 1000 } }, 128_000), {
    limit: 8000,
    high: 6000,
    low: 2000,
  })
})

test('a policy that cannot work is refused with its reason', () => {
  const refused = (over: Partial<Policy>): string | undefined => whyRefused({ ...presets.steady, ...over })
  assert.equal(refused({}), undefined)
  assert.match(refused({ window: { kind: 'tokens', low: 10, high: 10 } }) ?? '', /low 10 must be less than high 10/)
  assert.match(
    refused({ window: { kind: 'head-tail', max: 20, head: 2, recent: 18, noteOver: 10 } }) ?? '',
    /= 21 is more than max 20/,
  )
  assert.match(
    refused({ window: { kind: 'tokens', low: 1, high: 9000 }, budget: { tokens: 8000, reserve: 1 } }) ?? '',
    /more than budget.tokens/,
  )
  assert.match(refused({ references: 'last-round' }) ?? '', /needs view "own"/)
})
