// Weights are fitted to what questions needed: the features that tell evidence from other messages gain, and the same seed gives the same weights.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitWeights, type Judged, type JudgedQuestion, recallWithin } from '../../../scripts/recall-weights.ts'
import { FEATURES, type Features, WEIGHTS } from '../../../src/context/recall/score.ts'

const NONE = Object.fromEntries(FEATURES.map(name => [name, 0])) as Features
const judged = (features: Partial<Features>, cost: number, isEvidence = false): Judged => ({
  features: { ...NONE, ...features },
  cost,
  isEvidence,
})

/** The evidence has the day that the question names; another message has more of its words. */
const byDay = (words: number): JudgedQuestion => ({
  evidence: 1,
  candidates: [
    judged({ match: 4 + words }, 50),
    judged({ match: 1, date: 1 }, 50, true),
    ...Array.from({ length: 60 }, (_, index) => judged({ match: (index % 7) / 2 - 1, date: -1 }, 20 + index)),
  ],
})
const questions = [0, 1, 2, 3].map(byDay)

test('weights follow what tells evidence from other messages', () => {
  const fitted = fitWeights(questions, 1)
  assert.ok(fitted.date > WEIGHTS.date, `date ${fitted.date}`)
  assert.ok(fitted.match < WEIGHTS.match, `match ${fitted.match}`)
  assert.equal(fitted.rule, WEIGHTS.rule, 'no question says anything about rules')
  assert.ok(recallWithin(questions, fitted, 60) > recallWithin(questions, WEIGHTS, 60))
  assert.deepEqual(fitWeights(questions, 1), fitted)
})

test('without questions the weights stay as they are', () => {
  assert.deepEqual(fitWeights([], 1), WEIGHTS)
  assert.deepEqual(fitWeights([{ evidence: 1, candidates: [judged({ match: 1 }, 10)] }], 1), WEIGHTS)
})

test('evidence counts if it is quoted within the tokens, and what does not fit is passed over', () => {
  const question: JudgedQuestion = {
    evidence: 2,
    candidates: [judged({ match: 20 }, 90, true), judged({ match: 8 }, 30), judged({ match: 6 }, 10, true)],
  }
  assert.equal(recallWithin([question], WEIGHTS, 1000), 1)
  assert.equal(recallWithin([question], WEIGHTS, 100), 1, 'the second does not fit beside the first, the third does')
  assert.equal(recallWithin([question], WEIGHTS, 95), 0.5)
  assert.equal(recallWithin([question], WEIGHTS, 40), 0.5)
  assert.equal(recallWithin([question], WEIGHTS, 5), 0)
  assert.equal(recallWithin([{ evidence: 0, candidates: [] }], WEIGHTS, 5), 0)
})
