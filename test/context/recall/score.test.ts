// How messages are compared: each feature by itself, on numbers that can be worked out by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type ComparedMessage,
  type Comparison,
  type Features,
  featuresOf,
  scoreOf,
  WEIGHTS,
} from '../../../src/context/recall/score.ts'
import { tries } from '../../support/tries.ts'

const PLAIN: Comparison = { hasNamedAuthors: false, namedAuthors: new Set(), spans: [], reach: Number.POSITIVE_INFINITY }
const NAMED: Comparison = { ...PLAIN, hasNamedAuthors: true }

const message = (number: number, given: Partial<ComparedMessage> = {}): ComparedMessage => ({
  ...{ number, sitting: 0, author: 'User', isPerson: true, day: 0, asks: false },
  ...{ statesRule: false, statesWish: false, speaksOfSelf: false, lexical: 0, soft: 0, similarity: null },
  ...given,
})
const of = (name: keyof Features, messages: readonly ComparedMessage[], comparison = PLAIN): readonly number[] =>
  featuresOf(messages, comparison).map(features => Math.round(features[name] * 1000) / 1000 + 0)

test('the weights are nine round numbers, and a score is their sum', () => {
  assert.deepEqual(WEIGHTS, {
    match: 0.5,
    context: 0.5,
    around: 0.5,
    answers: 0.5,
    author: 1,
    date: 1,
    rule: 1,
    wish: 1,
    self: 1,
  })
  const features = { match: 2, context: 4, around: 6, answers: 8, author: 1, date: 0.5, rule: 1, wish: 0, self: 1 }
  assert.equal(scoreOf(features), 10 + 3.5)
})

test('a match is compared with others of its kind: people with people, voices with voices, unless all have names', () => {
  const messages = [
    ...[0, 2].map((lexical, index) => message(index, { lexical })),
    ...[10, 30].map((lexical, index) => message(2 + index, { lexical, isPerson: false })),
  ]
  assert.deepEqual(of('match', messages), [-1, 1, -1, 1])
  const mean = 42 / 4
  const deviation = Math.sqrt([0, 2, 10, 30].reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4)
  assert.deepEqual(
    of('match', messages, NAMED),
    [0, 2, 10, 30].map(value => Math.round(((value - mean) / deviation) * 1000) / 1000),
  )
  assert.deepEqual(
    of('match', [message(0, { lexical: 3, soft: 1 }), message(1, { lexical: 3, soft: 1 })]),
    [0, 0],
    'no deviation',
  )
  assert.deepEqual(of('match', [message(0, { lexical: 1, soft: 1 }), message(1)]), [2, -2], 'words and their share add up')
})

test('similarity counts where there are vectors, in the same way', () => {
  assert.deepEqual(of('context', [message(0), message(1)]), [0, 0])
  assert.deepEqual(of('context', [message(0, { similarity: 0.9 }), message(1, { similarity: 0.1 })]), [1, -1])
})

test('what is around counts less with each message between, and never across a pause', () => {
  const peak = (sitting: (number: number) => number): readonly ComparedMessage[] =>
    Array.from({ length: 5 }, (_, number) => message(number, { lexical: number === 2 ? 5 : 0, sitting: sitting(number) }))
  const match =
    of(
      'match',
      peak(() => 0),
    )[2] ?? 0
  const near = (distance: number): number => Math.round(0.2 * 0.8 ** distance * match * 1000) / 1000
  assert.deepEqual(
    of(
      'around',
      peak(() => 0),
    ),
    [near(2), near(1), 0, near(1), near(2)],
  )
  assert.deepEqual(
    of(
      'around',
      peak(number => (number < 3 ? 0 : 1)),
    ),
    [near(2), near(1), 0, 0, 0],
  )
  // A message that is not compared still lies between.
  const apart = [message(0, { lexical: 5 }), message(3), message(4)]
  const whole = of('match', apart)[0] ?? 0
  assert.deepEqual(
    of('around', apart),
    [0, 3, 4].map((number, index) => (index === 0 ? 0 : Math.round(0.2 * 0.8 ** number * whole * 1000) / 1000)),
  )
})

test('around is the sum over all others of the sitting', () => {
  const messages = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(9), fc.nat(2)), { minLength: 2, maxLength: 14 })
  fc.assert(
    fc.property(messages, given => {
      let [number, sitting] = [0, 0]
      const list = given.map(([step, lexical, pause]) => {
        number += step
        sitting += pause === 2 ? 1 : 0
        return message(number, { lexical, sitting })
      })
      const features = featuresOf(list, PLAIN)
      for (const [index, one] of list.entries()) {
        const sum = list.reduce(
          (all, other, at) =>
            at === index || other.sitting !== one.sitting
              ? all
              : all + 0.8 ** Math.abs(other.number - one.number) * Math.max(0, features[at]?.match ?? 0),
          0,
        )
        assert.ok(Math.abs((features[index]?.around ?? 0) - 0.2 * sum) < 1e-9)
      }
    }),
    tries(100),
  )
})

test('an answer gets the match of the question before it: by another author, in one sitting, where messages have names', () => {
  const pair = (question: Partial<ComparedMessage>, answer: Partial<ComparedMessage> = {}): readonly ComparedMessage[] => [
    message(0, { author: 'Ada', asks: true, lexical: 4, ...question }),
    message(1, { author: 'Bo', ...answer }),
  ]
  assert.deepEqual(of('answers', pair({}), NAMED), [0, 1])
  assert.deepEqual(of('answers', pair({}), PLAIN), [0, 0], 'no names')
  assert.deepEqual(of('answers', pair({ asks: false }), NAMED), [0, 0], 'it did not ask')
  assert.deepEqual(of('answers', pair({}, { author: 'Ada' }), NAMED), [0, 0], 'who asks does not answer')
  assert.deepEqual(of('answers', pair({}, { sitting: 1 }), NAMED), [0, 0], 'after a pause')
  assert.deepEqual(of('answers', pair({ lexical: 0 }, { lexical: 4 }), NAMED), [0, 0], 'never less than nothing')
  assert.deepEqual(of('answers', pair({}, { number: 9 }), { ...NAMED, reach: 2 }), [0, 0], 'too far away')
})

test('a named author counts for one, the others against it, and without a name nothing does', () => {
  const messages = [message(0, { author: 'Ada' }), message(1, { author: 'Bo' })]
  assert.deepEqual(of('author', messages, { ...PLAIN, namedAuthors: new Set(['Ada']) }), [1, -1])
  assert.deepEqual(of('author', messages), [0, 0])
})

test('a named day counts one, three days around it a half, others against it, and nothing if no message is of that day', () => {
  const days = [90, 96, 97, 100, 101, 102, 105, 106]
  const messages = days.map((day, number) => message(number, { day }))
  assert.deepEqual(of('date', messages, { ...PLAIN, spans: [{ from: 100, to: 102 }] }), [-1, -1, 0.5, 1, 1, 1, 0.5, -1])
  assert.deepEqual(
    of('date', messages, { ...PLAIN, spans: [{ from: 103, to: 103 }] }),
    days.map(() => 0),
  )
  assert.deepEqual(
    of('date', messages),
    days.map(() => 0),
  )
  assert.deepEqual(
    of('date', messages.slice(0, 2), {
      ...PLAIN,
      spans: [
        { from: 90, to: 90 },
        { from: 200, to: 200 },
      ],
    }),
    [1, -1],
  )
})

test('rules, wishes and words about oneself count for people, and for every author where messages have names', () => {
  const facts = { statesRule: true, statesWish: true, speaksOfSelf: true }
  const messages = [message(0, facts), message(1, { ...facts, isPerson: false }), message(2)]
  for (const name of ['rule', 'wish', 'self'] as const) {
    assert.deepEqual(of(name, messages), [1, 0, 0])
    assert.deepEqual(of(name, messages, NAMED), [1, 1, 0])
  }
})
