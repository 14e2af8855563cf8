// A model's token factor is kept, and the last one learned counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../facts.ts'
import { onEveryStore } from './stores.ts'

onEveryStore('TokenFactors', (_, opened) => {
  test('each model has its own factor, the last one counts, and a restart keeps it', async t => {
    const { log, restarted } = await opened(t)
    assert.deepEqual(must(await log.factors()), new Map())
    must(await log.learn('a', 1.25))
    must(await log.learn('b/c', 0.5))
    must(await log.learn('a', 1.5))
    const learned = new Map([
      ['a', 1.5],
      ['b/c', 0.5],
    ])
    assert.deepEqual(must(await log.factors()), learned)
    if (typeof restarted === 'function') assert.deepEqual(must(await (await restarted()).factors()), learned)
  })
})
