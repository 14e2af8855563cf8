import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownOf, thoughtMs } from '../../../web/src/view/shown.ts'
import type { Step, View } from '../../../web/src/view/view.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import { numbersOf, thoughtWords } from '../../../web/src/words/numbers.ts'
import { argsLine } from '../../../web/src/words/words.ts'
import { delta, event, finished, planned, RECEIPT, said, show, started, TURN } from '../signals.ts'

const STEP: Step = {
  ...{ step: 1, seq: 4, mark: null, state: 'finished', parts: [], receipt: RECEIPT, fault: null },
  usage: { input: 900, output: 300, cacheRead: 600, cacheWrite: 100, costUsd: 0.02 },
  took: { firstMs: 400, ms: 3400 },
}
const values = (steps: readonly Step[]): Readonly<Record<string, string>> =>
  Object.fromEntries(numbersOf(steps).map(({ name, value }) => [name, value]))

test('what a reply took, all its requests together', () => {
  assert.deepEqual(values([STEP, { ...STEP, took: { firstMs: 600, ms: 1600 } }]), {
    Model: 'demo',
    'Tokens in': '3,200',
    'Of these cached': '1,200',
    'Tokens out': '600',
    Cost: '$0.04',
    'Until the first word': '400 ms',
    Altogether: '5.0 s',
    'Tokens per second': '150',
  })
})

test('a price that nobody knows is no zero, and what was not counted is not there', () => {
  const { usage, took: _, ...rest } = STEP
  const { costUsd: __, ...unpriced } = usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  assert.equal(values([STEP, { ...STEP, usage: unpriced }]).Cost, '–')
  assert.deepEqual(values([{ ...rest, usage: null }]), { Model: 'demo' })
})

const at = (heard: number, signal: PageSignal): PageSignal => (signal.type === 'delta' ? { ...signal, heard } : signal)
const stepIn = (view: View): Step | undefined => view.entries.flatMap(entry => (entry.kind === 'reply' ? entry.steps : []))[0]

test('thinking lasts as long as the gateway says, else as long as this page heard it', () => {
  const thinking = [
    ...[said(1, 'hi'), started(2), planned(3)],
    at(1000, delta('hm', 0, { kind: 'think' })),
    at(3000, delta(' so', 2, { kind: 'think' })),
    at(5200, delta('Yes', 0, { part: 1 })),
    at(9000, delta(' sir', 3, { part: 1 })),
  ]
  const live = stepIn(show(thinking))
  assert.equal(live === undefined ? null : thoughtMs(live), 4200)
  const parts = [
    { type: 'think', text: 'hm so' },
    { type: 'text', text: 'Yes sir' },
  ] as const
  const ended = show([finished(4, parts)], show(thinking))
  assert.deepEqual(
    shownOf([stepIn(ended)].flatMap(step => step ?? [])).map(each => 'ms' in each && each.ms),
    [4200, null],
    'measured here, where the gateway did not',
  )
  const took = { firstMs: 10, thinkMs: 3900, ms: 8000 }
  const told = stepIn(show([event(4, { type: 'reply.finished', turn: TURN, step: 1, parts, took })], show(thinking)))
  assert.equal(told === undefined ? null : thoughtMs(told), 3900)
  const reloaded = stepIn(show([said(1, 'hi'), started(2), planned(3), finished(4, parts)]))
  assert.equal(reloaded === undefined ? 0 : thoughtMs(reloaded), null)
  assert.deepEqual([null, 300, 3900, 60_000, 64_600].map(thoughtWords), [
    'Thoughts',
    'Thought for a moment',
    'Thought for 4 s',
    'Thought for 1 min',
    'Thought for 1 min 5 s',
  ])
})

test('arguments on one line are names and values, also of what is still being written', () => {
  assert.equal(argsLine('{\n  "zone": "utc",\n  "days": [1, 2]\n}'), 'zone: utc, days: [1,2]')
  assert.equal(argsLine('{"zone": "u'), '{"zone": "u')
  assert.equal(argsLine('{}'), '')
  assert.equal(argsLine(JSON.stringify({ text: 'x'.repeat(300) })).length, 122)
})

test('a provider that says when to come again is waited for from the moment it said so', () => {
  const fault = { kind: 'throttled', message: 'slow down', retryable: true, retryAfterMs: 12_000 } as const
  const view = show([
    said(1, 'hi'),
    started(2),
    event(3, { type: 'turn.ended', turn: TURN, voice: 'assistant', reason: 'failed', fault }),
  ])
  const [, reply] = view.entries
  assert.deepEqual(reply?.kind === 'reply' && reply.end, {
    reason: 'failed',
    fault,
    retryAt: Date.parse('2026-01-02T12:00:12.000Z'),
  })
})
