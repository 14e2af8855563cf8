import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heardIn, type LookedAtRequest, remarksAbout, textsIn, unmet } from '../../../../src/gateway/cli/context/expectations.ts'
import type { Expectation } from '../../../../src/gateway/workspace/policy-tests-file.ts'

const NOTHING: Expectation = { contains: [], omits: [], doesNotSee: [] }
const LOOKED: LookedAtRequest = { texts: ['You are brief.', 'The code word is kingfisher.'], tokens: 120, cache: null, heard: [] }

test('a request that is as expected has no reasons', () => {
  const expected = { ...NOTHING, contains: ['kingfisher', 'brief'], omits: ['heron'], atMostTokens: 120, doesNotSee: ['ada'] }
  assert.deepEqual(unmet(expected, LOOKED), [])
  const cache = { stableThrough: 4, stableShare: 0.8, brokenBy: null }
  assert.deepEqual(unmet({ ...NOTHING, cachedAtLeast: 0.8 }, { ...LOOKED, cache }), [])
})

test('every expectation that is not met has a reason of its own, in the order of the file', () => {
  const expected = {
    contains: ['heron', `a text that is ${'very '.repeat(20)}long`],
    omits: ['kingfisher'],
    doesNotSee: ['ada', 'bob'],
    atMostTokens: 100,
    cachedAtLeast: 0.9,
  }
  const cache = { stableThrough: null, stableShare: 0.899, brokenBy: { item: 'AGENTS.md', reason: 'system.agents-md' } }
  assert.deepEqual(unmet(expected, { ...LOOKED, cache, heard: [{ voice: 'bob', seq: 14, text: 'Hm.' }] }), [
    'does not contain "heron"',
    'does not contain "a text that is very very very very very…"',
    'contains "kingfisher"',
    'has 120 tokens, 20 too many',
    'only 89.9 % cached; broken by AGENTS.md (house text)',
    'sees what bob said (seq 14)',
  ])
  assert.deepEqual(unmet({ ...NOTHING, cachedAtLeast: 0 }, LOOKED), [
    'is the first request of its voice, so nothing of it is cached',
  ])
})

test('a message that was to be recalled and is not says how far it was from that', () => {
  const recalls = { question: 'Which word?', evidence: [3, 5, 7, 9, 11, 13] }
  const evidence = [
    { seq: 3, in: true, reason: 'recall.match', part: true },
    { seq: 5, in: true, reason: 'recent.window' },
    { seq: 7, in: false, reason: 'out.window', recall: { isFound: true, rank: 12, of: 40, isRelated: true, needs: 35 } },
    { seq: 9, in: false, reason: 'out.window', recall: { isFound: false } },
    { seq: 11, in: false, reason: 'out.window', recall: { isFound: false } },
    { seq: 13, in: false, reason: 'out.excluded' },
  ] as const
  assert.deepEqual(unmet({ ...NOTHING, recalls }, { ...LOOKED, evidence }), [
    'does not have seq 7: before the window (out.window); not quoted by recall: rank 12 of 40, needs 35 more tokens',
    'does not have seq 9, 11: before the window (out.window); not found by recall',
    'does not have seq 13: kept out by a person (out.excluded)',
  ])
  assert.deepEqual(remarksAbout(evidence), ['has seq 3 in part'])
  assert.deepEqual(remarksAbout([]), [])
})

test('every text of a body is looked at, however deep it stands', () => {
  const body = {
    model: 'm',
    system: [{ type: 'text', text: 'a' }],
    messages: [{ content: 'b' }, { content: [{ text: 'c' }] }],
    n: 1,
  }
  assert.deepEqual(textsIn(body), ['m', 'text', 'a', 'b', 'c'])
  assert.deepEqual(textsIn(null), [])
})

test('a voice is heard where its reply is an item, or stands behind its name among others', () => {
  const reply = (seq: number, text: string) => ({ voice: 'ada', seq, text })
  const context = {
    outline: [{ from: 1 }, { from: 4 }, { from: 9 }, {}],
    receipt: { in: [{ kind: 'message', from: 1, to: 4 }, { kind: 'reference', from: 9, to: 12 }, { kind: 'system' }] },
    request: { url: '', body: ['[For reference: Bob: Build it.\n\nAda: Test it first.]', 'Not now.'] },
  } as unknown as Parameters<typeof heardIn>[0]
  assert.deepEqual(heardIn(context, [reply(4, 'its own item')]).length, 1)
  assert.deepEqual(heardIn(context, [reply(11, 'Test it first.')]).length, 1)
  // The same words by somebody else, outside of what is quoted, or words that nobody quoted.
  assert.deepEqual(heardIn(context, [reply(15, 'Test it first.'), reply(11, 'Not now.'), reply(10, 'Wait.'), reply(12, '')]), [])
})
