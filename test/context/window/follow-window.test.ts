import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presets } from '../../../src/context/presets.ts'
import { explain } from '../../../src/context/receipt/explain.ts'
import { windowRules } from '../../../src/context/window/kinds.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { RecallMaterial } from '../../../src/model/recall.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { Chat, SMALL } from './chat.ts'

/** A chat in which the last replies needed what the window did not show. */
function needy(policy: Policy, many: number): Chat {
  const chat = new Chat(policy).turns(12)
  chat.ask()
  chat.turns(4)
  const replies = chat.facts.flatMap((fact, index) => (fact.type === 'reply.finished' ? [index] : []))
  for (const index of replies.slice(-many)) {
    const fact = chat.facts[index]
    if (fact?.type === 'reply.finished') chat.facts[index] = { ...fact, beyond: 2 }
  }
  return chat
}

const saved = (balance: number): { readonly recall: RecallMaterial } => ({
  recall: { session: 'ses_1' as SessionId, balance, events: [] },
})

test('a window whose replies needed more grows by half at a drop, never above the room, and says why', () => {
  const chat = needy(SMALL, 4)
  const plan = chat.ask()
  const { follow, begins } = plan.receipt.window
  assert.equal(follow?.reason, 'grown')
  // Three quarters of the room times a half more would be above the room.
  assert.ok((follow?.times ?? 0) > 1.3 && (follow?.times ?? 0) <= 1.334, `${follow?.times}`)
  assert.equal(begins, 1, 'with so much more room nothing had to go')
  assert.deepEqual(follow?.beyond.slice(-5), [0, 2, 2, 2, 2])
  assert.match(explain(plan), /the window is 1\.3\d* times as large as at first, grown because replies needed/)
  assert.ok(plan.receipt.tokens.estimated <= 1000)
})

test('three replies of ten are not enough, and the window drops', () => {
  const { follow, begins } = needy(SMALL, 3).ask().receipt.window
  assert.deepEqual([follow?.times, follow?.reason], [1, undefined])
  assert.ok((begins ?? 0) > 1)
})

test('between drops the size stays, and replies are counted once', () => {
  const chat = needy(SMALL, 4)
  const grown = chat.ask().receipt.window.follow
  const next = chat.turns(1).ask().receipt.window.follow
  assert.deepEqual([next?.times, next?.reason], [grown?.times, undefined])
  assert.deepEqual(next?.beyond, [...(grown?.beyond ?? []), 0])
})

test('where quotes are bought from what was saved, a window grows by no more than that', () => {
  const saving: Policy = { ...SMALL, recall: { tokens: 'auto', from: 'session' } }
  const reasonWith = (given: Partial<{ readonly recall: RecallMaterial }>): string | undefined =>
    needy(saving, 4).ask(given).receipt.window.follow?.reason
  assert.equal(reasonWith(saved(10)), 'balance')
  assert.equal(reasonWith({}), 'balance')
  assert.equal(reasonWith(saved(10_000)), 'grown')
})

test('a window with given numbers, or that is not to follow, stays as it is', () => {
  for (const window of [
    { kind: 'tokens', low: 200, high: 800 },
    { kind: 'tokens', low: null, high: null },
    { kind: 'tokens', low: null, high: null, follow: false },
  ] as const) {
    const { follow } = needy({ ...SMALL, window }, 4).ask().receipt.window
    assert.equal(follow, undefined)
  }
})

test('the words of a window say that it follows, where it does', () => {
  const words = (policy: Policy): string => windowRules(policy.window).words.sentence
  assert.match(words(presets.steady), /grows by half/)
  assert.doesNotMatch(words({ ...presets.steady, window: { kind: 'tokens', low: null, high: null } }), /grows by half/)
  assert.match(windowRules(presets.steady.window).words.short, /more where replies need it/)
})
