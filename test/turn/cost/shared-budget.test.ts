// What a reply has cost stays within the limit of the day for all nodes, also where nobody could count it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../../src/index.ts'
import { createSharedBudget } from '../../../src/turn/cost/shared-budget.ts'
import type { Model } from '../../../src/turn/services.ts'

const NOON = Date.parse('2026-11-19T12:00:00Z')
const HOUR_MS = 3_600_000
/** A request of this test costs at most $0.024 for what it sends, and $0.10 for its reply. */
const MODEL = { name: 'compatible/one/model', facts: { price: { input: 2, output: 100 } } } as Model
const TOKENS = { estimated: 10_000, reserved: 1000 }
const LIMIT_USD = 1

function budgetAt(time: { now: number }) {
  const { nodes } = memoryLog({ clock: () => time.now, weigh, isShared: true })
  assert.ok(nodes)
  let ids = 0
  const mintId = (): string => {
    ids += 1
    return `bud_${ids}`
  }
  const node = () =>
    createSharedBudget(
      { reservations: nodes.reservations, mintId },
      () => time.now,
      () => LIMIT_USD,
    )
  return { one: node(), other: node() }
}

const cents = (usd: number | null): number => Math.round((usd ?? assert.fail('there is a limit')) * 1000) / 10

test('a reply that broke off without a count counts for all nodes until the day is over', async () => {
  const time = { now: NOON }
  const { one, other } = budgetAt(time)
  const reserved = await one.reserve(MODEL, TOKENS)
  assert.ok(reserved.ok)
  assert.ok(cents(await other.left()) <= 88, 'the most that it can cost is set aside')
  reserved.value.settle(undefined)
  await new Promise(setImmediate)
  assert.equal(cents(await other.left()), 98, 'what it was sent is paid for')
  time.now += 11 * HOUR_MS
  assert.equal(cents(await other.left()), 98)
  time.now += HOUR_MS
  assert.equal(cents(await other.left()), 100, 'the next day')
})

test('a reply that was counted is set aside until its count is in the store', async () => {
  const time = { now: NOON }
  const { one, other } = budgetAt(time)
  const reserved = await one.reserve(MODEL, TOKENS)
  assert.ok(reserved.ok)
  reserved.value.settle({ input: 5000, output: 500, cacheRead: 0, cacheWrite: 0 })
  await new Promise(setImmediate)
  assert.equal(cents(await other.left()), 94)
  time.now += 3000
  assert.equal(cents(await other.left()), 100)
})

test('beside money that is set aside, a shorter reply is paid for, and none where there is too little', async () => {
  const { one, other } = budgetAt({ now: NOON })
  for (let count = 0; count < 7; count += 1) assert.ok((await (count % 2 === 0 ? one : other).reserve(MODEL, TOKENS)).ok)
  const shorter = await other.reserve(MODEL, { ...TOKENS, reserved: 2000 }, 10)
  assert.ok(shorter.ok)
  assert.ok(shorter.value.output > 1000 && shorter.value.output < 1100, String(shorter.value.output))
  const refused = await one.reserve(MODEL, TOKENS)
  assert.ok(!refused.ok && refused.fault.kind === 'budget')
})
