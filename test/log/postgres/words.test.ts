// The full-text index is filled behind the appends, and goes on being filled whatever went wrong once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../../src/log/postgres/database.ts'
import { postgresWords } from '../../../src/log/postgres/search/words.ts'
import { gate } from '../../support/engine.ts'

test('a bug while words are filled stops no later filling, and no closing', async () => {
  const tries = [gate(), gate()]
  let count = 0
  const transaction: Database['transaction'] = async () => {
    count += 1
    tries[count - 1]?.open()
    if (count === 1) throw new Error('a bug')
    return { ok: true, value: 'all' } as never
  }
  const words = postgresWords({ transaction } as Database)
  for (const tried of tries) {
    words.fillSoon()
    await tried.passed
  }
  await words.stop()
  assert.equal(count, 2)
})
