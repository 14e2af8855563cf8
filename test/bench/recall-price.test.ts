// The price of recall: the same every time, never above the full history with caching, and its benchmarks print what they say.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { generated, TALK } from '../../bench/conversations.ts'
import { lookingBack } from '../../bench/price/looking-back.ts'
import { type Priced, type PricedBy, priced, sumOf } from '../../bench/price/priced.ts'
import { madeConversations } from '../../bench/recall/conversations/made.ts'
import { type MemoryPart, withPart } from '../../bench/remembering.ts'
import { rememberingMeasure } from '../../bench/traces/run.ts'
import { presets } from '../../src/context/presets.ts'
import type { Policy } from '../../src/model/settings/policy.ts'

const measure = rememberingMeasure()
const made = madeConversations().filter(({ id }) => id === 'group' || id === 'german')
const asked = made.map(conversation => lookingBack(conversation))
const bounded = (name: 'steady' | 'full', tokens: number, part: MemoryPart): Policy => {
  const policy = withPart(presets[name], part)
  return { ...policy, budget: { ...policy.budget, tokens } }
}
const pricesBy = async (by: PricedBy): Promise<readonly Priced[]> => {
  const found: Priced[] = []
  for (const { conversation, evidence } of asked) found.push(await priced(conversation, by, measure, evidence))
  return found
}

test('with recall no chat is dearer than its full history with caching, and far more of what questions are about is shown', async () => {
  const whole = await pricesBy({ policy: withPart(presets.full, 'none') })
  for (const name of ['steady', 'full'] as const) {
    const without = await pricesBy({ policy: bounded(name, 4000, 'none') })
    const recalled = await pricesBy({ policy: bounded(name, 4000, 'recall') })
    for (const [index, { units }] of recalled.entries()) assert.ok(units <= (whole[index]?.units ?? 0), `${name} ${index}`)
    const [few, many] = [sumOf(without), sumOf(recalled)]
    assert.ok(many.evidenceShown > 1.3 * few.evidenceShown, name)
    assert.ok(many.lookedBack > 50 && many.narrowed > 30 && many.quoted > many.lookedBack, name)
    assert.deepEqual([few.quoted, few.narrowed, few.tooLong, many.tooLong], [0, 0, 0, 0])
  }
})

test('as long as nothing is hidden, recall changes nothing', async () => {
  const conversation = generated({ shape: TALK, seed: 1, until: { tokens: 3000 } })
  const without = await priced(conversation, { policy: bounded('full', 100_000, 'none') }, measure)
  for (const name of ['steady', 'full'] as const)
    assert.deepEqual(await priced(conversation, { policy: bounded(name, 100_000, 'all') }, measure), without)
})

test('a closer gate quotes less unasked', async () => {
  const policy = bounded('steady', 4000, 'recall')
  const unasked: number[] = []
  for (const leastMatch of [1, 6, 1000]) {
    const sums = sumOf(await pricesBy({ policy, leastMatch }))
    unasked.push(sums.unaskedTokens)
  }
  const [wide = 0, usual = 0, closed = 0] = unasked
  assert.ok(wide > usual && usual > closed && closed === 0, unasked.join(' '))
})

test('questions come after what they are about, and the chat is the same every time', () => {
  for (const [index, { conversation, evidence }] of asked.entries()) {
    const conversationMade = made[index]
    assert.ok(conversationMade)
    assert.deepEqual(lookingBack(conversationMade).conversation, conversation)
    assert.equal(evidence.size, conversationMade.questions.length)
    for (const [seq, wanted] of evidence) {
      const before = JSON.stringify(conversation.events.slice(0, seq - 1))
      for (const { whole } of wanted) assert.ok(before.includes(JSON.stringify(whole).slice(1, -1)), whole)
    }
  }
})

test('the benchmarks of recall print their tables and their JSON', () => {
  for (const bench of ['recall-price', 'recall-latency']) {
    const printed = execFileSync(process.execPath, [`bench/${bench}.ts`, '--quick'], { encoding: 'utf8' })
    const json = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>
    assert.deepEqual([json.bench, json.command], [bench, `node bench/${bench}.ts --quick`])
    assert.ok(Array.isArray(json.rows) && json.rows.length > 3)
  }
})
