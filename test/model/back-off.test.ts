// The wait before the next try.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubledWait } from '../../src/model/back-off.ts'

test('the wait doubles with each failure, up to the longest one, however many there were', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 2000].map(failures => doubledWait(100, 1000, failures)),
    [100, 200, 400, 800, 1000, 1000],
  )
})
