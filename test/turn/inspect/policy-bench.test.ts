import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BenchReport, BenchRow, Engine } from '../../../src/engine.ts'
import { createEngine, memoryLog, weigh } from '../../../src/index.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { type PlainTool, toolbox } from '../../../src/tool/toolbox.ts'
import { ask, eventsOf, openSession } from '../../support/engine.ts'
import { FACT, FORGETFUL, GENEROUS, QUESTION, recalling, SAVING, UNFOLDED } from './recalling.ts'

const LOOK: PlainTool = {
  spec: { name: 'look', description: 'Reads a file.', parameters: { type: 'object' } },
  run: async () => ({ ok: true, outcome: 'const berth = "pier-K42"' }),
}

const POLICIES = [GENEROUS.name, FORGETFUL.name, 'full']

async function benched(
  engine: Engine,
  wish: Partial<Parameters<Engine['bench']>[0]> & { sessions: readonly SessionId[] },
): Promise<BenchReport> {
  const report = await engine.bench({ policies: POLICIES, ...wish })
  assert.ok(report.ok, report.ok ? '' : report.fault.message)
  return report.value
}

const rowOf = ({ rows }: BenchReport, policy: string, budget: number | null = null): BenchRow => {
  const row = rows.find(each => each.policy === policy && each.budget === budget)
  assert.ok(row !== undefined)
  return row
}

test('policies are compared over a session by questions that it has itself', async () => {
  const { engine, id } = await recalling(SAVING)
  const report = await benched(engine, { sessions: [id] })
  assert.deepEqual([report.sessions, report.isMade, report.skipped], [1, true, []])
  assert.ok(report.questions >= 2, `${report.questions} questions`)
  const [generous, forgetful, full] = POLICIES.map(name => rowOf(report, name))
  assert.ok(generous !== undefined && forgetful !== undefined && full !== undefined)
  assert.equal(full.recall, 1, 'what shows everything has all evidence')
  assert.equal(forgetful.recall, 0)
  assert.ok((generous.recall ?? 0) > 0.5, `${generous.recall}`)
  assert.ok(full.tokens > generous.tokens)
  const turns = (await eventsOf(engine, id)).filter(event => event.type === 'turn.started').length
  for (const row of report.rows) assert.deepEqual([row.requests, row.tooLong], [turns, 0])
  assert.deepEqual(await benched(engine, { sessions: [id] }), report, 'the same again')
  await engine.close(0)
})

test('a policy with a memory is compared with itself without it', async () => {
  const { engine, id } = await recalling(SAVING)
  const policies = [GENEROUS.name, 'recent']
  const report = await benched(engine, { sessions: [id], policies, withoutMemory: true })
  assert.deepEqual(
    report.rows.map(({ policy, withoutMemory = false }) => [policy, withoutMemory]),
    [
      [GENEROUS.name, false],
      [GENEROUS.name, true],
      ['recent', false],
    ],
  )
  const [generous, without] = report.rows
  assert.ok((generous?.recall ?? 0) > (without?.recall ?? 1), `${generous?.recall} and ${without?.recall}`)
  assert.ok((generous?.tokens ?? 0) > (without?.tokens ?? 0))
  await engine.close(0)
})

test('under the policy that was used, the bench plans what was really sent', async () => {
  const { engine, id } = await recalling(UNFOLDED)
  const events = await eventsOf(engine, id)
  const sent = events.flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))
  const seen: number[] = []
  const report = await engine.bench({ sessions: [id], policies: [UNFOLDED.name] }, ({ requests }) => seen.push(requests))
  assert.ok(report.ok)
  const [row] = report.value.rows
  // Both count by the same tokenizer; a receipt counts some tokens for each message too, a bill as well.
  const mean = sent.reduce((sum, { tokens }) => sum + tokens.estimated, 0) / sent.length
  assert.ok(Math.abs((row?.tokens ?? 0) - mean) < mean * 0.02, `${row?.tokens} and ${mean}`)
  assert.deepEqual(
    seen,
    sent.map((_, index) => index + 1),
  )
  await engine.close(0)
})

test('folds are imagined as they would have been made, and what asking for them costs is part of the price', async () => {
  const { engine, id } = await recalling(UNFOLDED)
  const report = await benched(engine, { sessions: [id], policies: [SAVING.name, UNFOLDED.name], withoutMemory: true })
  const [folding, without, unfolded] = report.rows
  assert.ok(folding !== undefined && without !== undefined && unfolded !== undefined)
  assert.ok(folding.folds >= 3, `${folding.folds} folds`)
  assert.ok(folding.foldUnits > 0 && folding.foldTokens > 0 && folding.foldUnits < folding.units)
  for (const row of [without, unfolded]) assert.deepEqual([row.folds, row.foldUnits, row.foldTokens], [0, 0, 0])
  const events = await eventsOf(engine, id)
  assert.ok(!events.some(({ type }) => type === 'history.folded'), 'nothing is written')
  await engine.close(0)
})

test('given questions are asked at the end, and budgets multiply the rows', async () => {
  const { engine, id } = await recalling(SAVING)
  const pairs = [
    { session: id, question: QUESTION, evidence: [1] },
    { session: id, question: 'Which instrument does my sister play?', evidence: [1, 16] },
  ]
  const events = await eventsOf(engine, id)
  assert.equal(events.find(({ seq }) => seq === 1)?.type === 'message.received' && FACT, FACT)
  assert.match(JSON.stringify(events.find(({ seq }) => seq === 16)), /cello/)
  const report = await benched(engine, { sessions: [id], pairs, budgets: [500, 4000] })
  assert.deepEqual([report.questions, report.isMade, report.rows.length], [2, false, 6])
  assert.deepEqual(
    report.rows.map(({ policy, budget }) => `${policy} ${budget}`),
    POLICIES.flatMap(name => [`${name} 500`, `${name} 4000`]),
  )
  assert.equal(rowOf(report, 'forgetful', 500).recall, 0)
  assert.ok((rowOf(report, 'generous', 500).recall ?? 0) >= 0.75)
  assert.equal(rowOf(report, 'full', 500).evidence, 3)
  await engine.close(0)
})

test('a request that would not fit has no evidence, and unknown policies are refused', async () => {
  const { engine, id } = await recalling(SAVING)
  const pairs = [{ session: id, question: QUESTION, evidence: [1] }]
  const report = await benched(engine, { sessions: [id], pairs, budgets: [3] })
  for (const row of report.rows) assert.deepEqual([row.recall, row.requests, row.tooLong > 0], [0, 0, true])
  const unknown = await engine.bench({ sessions: [id], policies: ['stedy'] })
  assert.match(unknown.ok ? '' : unknown.fault.message, /^there is no policy "stedy"; known: steady, /)
  await engine.close(0)
})

test('every step of a turn is a request, and identifiers that a reply used are looked for in it', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const provider = scriptedProvider([
    calls('look', { file: 'src/boats.ts' }),
    says('The berth in src/boats.ts is pier-K42.'),
    says('As I said: pier-K42.'),
  ])
  const engine = createEngine({ log, provider, toolbox: toolbox([LOOK]), vectorsFile: null })
  const id = await openSession(engine)
  await ask(engine, id, 'Which berth is in src/boats.ts?')
  await ask(engine, id, 'Which one was it?')
  const short = { policies: ['full', 'recent'], sessions: [id] }
  const report = await benched(engine, short)
  for (const policy of short.policies) {
    const { requests, used, visible } = rowOf(report, policy)
    assert.deepEqual([requests, used, visible], [3, 4, 4], policy)
  }
  await engine.close(0)
})
