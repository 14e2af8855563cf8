import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presets } from '../../../src/context/presets.ts'
import type { Heard, SaidBeat } from '../../../src/context/stages/draft.ts'
import { type RecallBudget, recallBudget } from '../../../src/context/stages/recall-budget.ts'
import type { Windowed } from '../../../src/context/stages/window.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { Candidate, RecallFound } from '../../../src/model/recall.ts'
import { materialOf } from '../../support/material.ts'

const heard = (seq: number): Heard => ({
  ...{ kind: 'heard', message: `heard ${seq}`, seq, text: 'And then?', attachments: [], tokens: 96 },
})
const said = (seq: number): SaidBeat => ({
  ...{ kind: 'said', message: `turn ${seq}`, seq, to: seq, turn: `trn_${seq}` as TurnId, voice: 'assistant' },
  ...{ parts: [{ type: 'text', text: 'Then it rained.' }], answers: [], tokens: 96 },
})

/** A window of ten exchanges after much that is hidden. */
const near = (frontCost: number): Windowed => ({
  ...{ head: [], note: null, front: [], pins: [], current: [], others: [], left: [], limit: 8000, entries: 0, isCut: false },
  past: Array.from({ length: 10 }, (_, index) => [heard(1001 + 2 * index), said(1002 + 2 * index)]).flat(),
  fixed: { system: [], tools: [], isListed: false, cost: 2000 },
  ...{ state: { begins: 1001 }, omitted: 400, folded: 100, frontCost, noteFor: () => null },
})

const candidate = (seq: number, score: number): Candidate => ({
  ...{ seqs: [seq], author: 'User', score, match: 7, isRelated: true, tokens: 40 },
})

/** Messages that have nothing to do with the question, to compare the others with. */
const FAR: readonly Candidate[] = Array.from({ length: 97 }, (_, index) => ({ ...candidate(100 + index, -1), isRelated: false }))

const found = (asksAboutPast: boolean): RecallFound => ({
  ...{ indexedThrough: 1020, vectors: null, terms: ['boat'], asksAboutPast, tokens: 60_000, answers: 500 },
  candidates: [candidate(5, 4), candidate(9, 0.7), candidate(13, 0.5), ...FAR],
})

function budgetOf({ asks, frontCost = 0 }: { asks: boolean; frontCost?: number }): RecallBudget {
  const recall = { session: 'ses_1' as SessionId, found: found(asks), balance: 4000, events: [] }
  const material = materialOf([], { recall, last: { begins: 1001 } })
  return recallBudget(near(frontCost), material, { recall: presets.steady.recall ?? null }, 8000) ?? assert.fail()
}

test('messages that match only faintly beside the best are not worth their price', () => {
  for (const asks of [true, false])
    assert.deepEqual(
      budgetOf({ asks }).candidates.map(({ seqs }) => seqs[0]),
      [5, 9],
    )
})

test('of few messages a score says little, and all that are related may be quoted', () => {
  const few = { ...found(true), candidates: found(true).candidates.slice(0, -1) }
  const recall = { session: 'ses_1' as SessionId, found: few, balance: 4000, events: [] }
  const budget = recallBudget(
    near(0),
    materialOf([], { recall, last: { begins: 1001 } }),
    { recall: presets.steady.recall ?? null },
    8000,
  )
  assert.equal(budget?.candidates.length, 3)
})

test('a number of tokens is filled also with what matches faintly', () => {
  const recall = { session: 'ses_1' as SessionId, found: found(true), events: [] }
  const budget = recallBudget(near(0), materialOf([], { recall }), { recall: { tokens: 900, from: 'session' } }, 8000)
  assert.equal(budget?.candidates.length, 100)
})

test('what stands in the place of hidden messages saves nothing, and is paid for where the window is narrowed', () => {
  const [plain, summarized] = [budgetOf({ asks: false }), budgetOf({ asks: false, frontCost: 1000 })]
  assert.equal(plain.hidden - summarized.hidden, 1000)
  assert.equal(Math.round((plain.balance ?? 0) - (summarized.balance ?? 0)), 100)
  const [narrow, less] = [budgetOf({ asks: true }), budgetOf({ asks: true, frontCost: 1000 })]
  assert.ok(narrow.shows !== undefined && less.shows !== undefined)
  assert.equal(Math.round((narrow.balance ?? 0) - (less.balance ?? 0)), 1000)
})
