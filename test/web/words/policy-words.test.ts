import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presets } from '../../../src/index.ts'
import type { FoldSetting } from '../../../src/model/fold.ts'
import type { Window } from '../../../src/model/settings/policy.ts'
import { policyWords, stripOf, windowWords } from '../../../web/src/words/policy-words.ts'

const BUDGET =
  'A request may fill the model’s window, except what is kept for the reply: what the model can put out, at most 32,000 tokens.'
const STEADY =
  'Sends everything until the conversation takes three quarters of the room (at most 60,000 tokens); then drops the oldest turns at once until a third of that remains, so that prompt caches keep working. Where replies use what it no longer shows, it grows by half at the next drop.'
const FOLDS = 'What leaves the window is summarized.'
const QUOTES = 'Quotes older messages that match, paid from what hiding the past saves.'

test('every preset is said in words', () => {
  assert.deepEqual(Object.fromEntries(Object.entries(presets).map(([name, policy]) => [name, policyWords(policy)])), {
    steady: `${STEADY} ${QUOTES} ${FOLDS} ${BUDGET}`,
    recent: `Sends the last 5 messages and the new one. ${BUDGET}`,
    'head-tail': `Sends everything up to 20 messages; in a longer conversation the first 2 and the last 17, with a note between where more than 10 are left out. ${BUDGET}`,
    full: `Sends the whole conversation; once it no longer fits, as many of the latest turns as do. ${QUOTES} ${BUDGET}`,
    transcript: `Sends the last 20 messages and the new one. All of it is sent as one text. ${BUDGET}`,
    council: `${STEADY} A voice sees only what the person and it itself said. ${QUOTES} ${FOLDS} Beside the new message stands what the others said last. Each of the person’s messages carries its time. ${BUDGET}`,
  })
})

test('what is one’s own in a policy is said, too', () => {
  const own = { ...presets.recent, thinking: 'never', budget: { tokens: 8000, reserve: 500 } } as const
  assert.match(
    policyWords(own),
    /Thinking is never sent back.*A request may have 8,000 tokens; 500 tokens are kept for the reply\.$/,
  )
  assert.match(
    policyWords({ ...presets.recent, recall: { tokens: 2000, from: 'session' } }),
    /Quotes up to 2,000 tokens of older messages\. /,
  )
  assert.match(
    policyWords({ ...presets.recent, recall: { tokens: 'auto', from: 'everywhere' } }),
    /hiding the past saves, also from all other chats\. /,
  )
  const folding = (fold: FoldSetting): string => policyWords({ ...presets.recent, fold })
  assert.match(folding({ by: 'model', tokens: 300 }), /is summarized by the model, in at most 300 tokens each\. /)
  assert.match(folding({ by: 'extract', tokens: 'auto' }), /is summarized by sentences taken word for word\. /)
  assert.equal(policyWords({ ...presets.recent, fold: null }), policyWords(presets.recent), 'no folds take no words')
  assert.equal(policyWords({ ...presets.recent, recall: null }), policyWords(presets.recent), 'no recall takes no words')
  assert.equal(windowWords({ kind: 'last', messages: 1 }), 'Sends the last message and the new one.')
  assert.equal(windowWords({ kind: 'last', messages: 0 }), 'Sends the new message alone.')
  assert.match(windowWords({ kind: 'tokens', low: 1000, high: 4000 }), /has 4,000 tokens;.*until 1,000 tokens remain/)
  assert.match(windowWords({ kind: 'head-tail', max: 9, head: 0, recent: 8, noteOver: 3 }), /conversation the last 8,/)
})

test('a long conversation is drawn message by message', () => {
  const drawn = (window: Window): string =>
    stripOf(window)
      .map(fate => fate.charAt(0))
      .join('')
  assert.equal(drawn({ kind: 'all' }), `${'k'.repeat(39)}n`)
  assert.equal(drawn({ kind: 'last', messages: 5 }), `${'o'.repeat(34)}kkkkkn`)
  assert.equal(drawn({ kind: 'last', messages: 500 }), `${'k'.repeat(39)}n`)
  assert.equal(drawn(presets['head-tail'].window), `kkn${'o'.repeat(19)}${'k'.repeat(17)}n`)
  assert.equal(drawn({ kind: 'head-tail', max: 60, head: 2, recent: 17, noteOver: 10 }), `${'k'.repeat(39)}n`)
  for (const { window } of Object.values(presets)) assert.equal(stripOf(window).length, 40)
})
