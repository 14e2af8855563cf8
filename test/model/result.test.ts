/** The ways to join results: a fault stops everything after it, and stays as it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, andThen, err, mapResult, ok, type Result } from '../../src/model/result.ts'

const odd = (value: number): Result<number, string> => (value % 2 === 1 ? ok(value) : err(`${value} is even`))

test('a value is changed, and a fault is not', () => {
  assert.deepEqual(
    mapResult(odd(3), value => value * 2),
    ok(6),
  )
  assert.deepEqual(
    mapResult(odd(4), value => value * 2),
    err('4 is even'),
  )
})

test('the next step is taken after a success only', () => {
  const taken: number[] = []
  const next = (value: number): Result<string, string> => {
    taken.push(value)
    return value > 2 ? ok('large') : err('small')
  }
  assert.deepEqual(andThen(odd(3), next), ok('large'))
  assert.deepEqual(andThen(odd(1), next), err('small'))
  assert.deepEqual(andThen(odd(4), next), err('4 is even'))
  assert.deepEqual(taken, [3, 1])
})

test('all values come in their order, or the first fault', () => {
  assert.deepEqual(all([odd(5), ok('text'), odd(1)]), ok([5, 'text', 1]))
  assert.deepEqual(all([odd(5), odd(2), odd(4)]), err('2 is even'))
  assert.deepEqual(all([]), ok([]))
})
