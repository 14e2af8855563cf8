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
import type { BenchRow } from '../../src/engine.ts'
import { pointsOf } from '../../src/gateway/cli/context/bench-chart.ts'
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

test('summaries keep identifiers in sight that the window alone hides, and what they cost is counted', async () => {
  const conversation = generated({ shape: TALK, seed: 1, until: { tokens: 12_000 } })
  const by = (policy: Policy): Promise<Priced> => priced(conversation, { policy }, measure)
  const [none, all] = [await by(bounded('steady', 4000, 'none')), await by(bounded('steady', 4000, 'all'))]
  const literal = await by({ ...bounded('steady', 4000, 'all'), fold: { by: 'extract', tokens: 'auto' } })
  assert.ok(all.folds > 3 && all.visible > none.visible, `${all.folds} folds, ${all.visible} and ${none.visible}`)
  assert.deepEqual([none.folds, none.foldUnits, literal.foldUnits, literal.foldTokens], [0, 0, 0, 0])
  assert.ok(all.foldUnits > 0 && all.foldTokens > 0)
  assert.ok(Math.abs(all.units - all.foldUnits - literal.units) < all.units * 0.02, 'only the price of asking differs')
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
  for (const bench of ['recall-price', 'recall-latency', 'policies']) {
    const printed = execFileSync(process.execPath, [`bench/${bench}.ts`, '--quick'], { encoding: 'utf8' })
    const json = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>
    assert.deepEqual([json.bench, json.command], [bench, `node bench/${bench}.ts --quick`])
    assert.ok(Array.isArray(json.rows) && json.rows.length > 3)
    if (bench !== 'policies') continue
    const points = pointsOf(json.rows as readonly BenchRow[])
    assert.equal(points.find(({ name }) => name === 'steady 2,000')?.isBest, true, 'the default is best for its price')
  }
})
