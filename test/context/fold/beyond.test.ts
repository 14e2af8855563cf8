import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beyondWindow } from '../../../src/context/receipt/beyond.ts'
import type { Part } from '../../../src/model/event.ts'
import type { CallId } from '../../../src/model/ids.ts'
import type { PlanItem } from '../../../src/model/plan.ts'

const item = (given: Pick<PlanItem, 'kind' | 'reason'> & Partial<PlanItem>): PlanItem => ({
  tokens: 1,
  hash: 'h',
  keys: [],
  messages: [],
  ...given,
})
const shown = (text: string): PlanItem =>
  item({ kind: 'message', reason: 'recent.window', messages: [{ role: 'user', blocks: [{ type: 'text', text }] }] })
const quote = (text: string): PlanItem => item({ kind: 'recall', reason: 'recall.match', text })
const fold = (text: string): PlanItem => item({ kind: 'summary', reason: 'summary.folded', text })
const system = (text: string): PlanItem => item({ kind: 'system', reason: 'system.agent', text })
const said = (text: string): readonly Part[] => [{ type: 'text', text }]

const beyond = (reply: string, ...items: readonly PlanItem[]): number => beyondWindow({ items }, said(reply))

const QUOTE = '2024-01-14 User: The harbor master is called Ferdinand, his boat is green.'

test('words of a quote that are nowhere else in the request and occur in the reply are counted, each once', () => {
  assert.equal(beyond('Ferdinand, as I said: Ferdinand.', shown('Who was it?'), quote(QUOTE)), 1)
  assert.equal(beyond('Ferdinand, the master of the harbor.', shown('Who was it?'), quote(QUOTE)), 3)
  assert.equal(beyond('I do not know.', shown('Who was it?'), quote(QUOTE)), 0)
})

test('words that the window, the system text, a tool or a fold has as well are not counted', () => {
  assert.equal(beyond('Ferdinand.', shown('Is it Ferdinand?'), quote(QUOTE)), 0)
  assert.equal(beyond('Ferdinand.', system('You know Ferdinand.'), quote(QUOTE)), 0)
  assert.equal(
    beyond('Ferdinand.', item({ kind: 'tools', reason: 'tools.schema', text: '[{"name":"ferdinand"}]' }), quote(QUOTE)),
    0,
  )
  assert.equal(beyond('Ferdinand.', fold('Ferdinand has a boat.'), quote(QUOTE)), 0)
})

test('the day and the speaker of a quote, stop words and short numbers are not counted', () => {
  assert.equal(beyond('The user said on 14 January 2024 that his is so.', shown('When?'), quote(QUOTE)), 0)
  assert.equal(beyond('Take 12 of them.', shown('How many?'), quote('2024-01-14 User: Buy 12 apples')), 0)
})

test('other forms of a word are the same word', () => {
  assert.equal(beyond('There are two boats.', shown('How many boats?'), quote(QUOTE)), 0)
  assert.equal(beyond('There are two boats.', shown('How many?'), quote(QUOTE)), 1)
})

test('identifiers of the reply that only folds still name are counted', () => {
  assert.equal(beyond('See src/listen.ts.', shown('Where?'), fold('The port is in src/listen.ts.')), 1)
  assert.equal(beyond('See src/listen.ts.', shown('What of src/listen.ts?'), fold('The port is in src/listen.ts.')), 0)
  assert.equal(beyond('See src/listen.ts.', system('Read src/listen.ts first.'), fold('The port is in src/listen.ts.')), 0)
  // A word that is no identifier may come from anywhere.
  assert.equal(beyond('It is the port.', shown('What?'), fold('The port is in src/listen.ts.')), 0)
  // One that the request does not have was made up, or comes from a tool.
  assert.equal(beyond('See src/other.ts.', shown('Where?'), fold('The port is in src/listen.ts.')), 0)
})

test('an identifier of a quote does not count twice', () => {
  assert.equal(beyond('It is W-47110.', shown('Which?'), quote('2024-01-14 User: The order is W-47110')), 1)
})

test('arguments of calls are part of a reply, thinking is not', () => {
  const items = [shown('Where?'), fold('The port is in src/listen.ts.')]
  const call: Part = { type: 'call', call: 'cal_1' as CallId, tool: 'read', args: { path: 'src/listen.ts' } }
  assert.equal(beyondWindow({ items }, [call]), 1)
  assert.equal(beyondWindow({ items }, [{ type: 'think', text: 'src/listen.ts' }]), 0)
})

test('without quotes and folds nothing is beyond the window', () => {
  assert.equal(beyond('src/listen.ts', shown('Where?')), 0)
})
