// However an index came to be, it answers the same: filled at once, in parts, event by event, or after crashes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RecallChange, RecallStore } from '../../../src/log/ports.ts'
import type { Recorded } from '../../../src/model/event.ts'
import { fault } from '../../../src/model/fault.ts'
import type { RecallFound } from '../../../src/model/recall.ts'
import { err } from '../../../src/model/result.ts'
import { layeredIndex } from '../../../src/turn/inspect/layered-index.ts'
import { emptyIndex, fillIndex } from '../../../src/turn/recall/fill/fill-index.ts'
import { must, randomFrom } from '../../log/facts.ts'
import { tries } from '../../support/tries.ts'
import { indexOf, look, questionOf, sourceOf } from './support/index-of.ts'
import { QUESTIONS, randomLog, SESSION, type Shape } from './support/random-log.ts'

const shape: fc.Arbitrary<Shape> = fc.record({
  messages: fc.integer({ min: 1, max: 25 }),
  voices: fc.constantFrom(['assistant'], ['ada', 'bo'], ['assistant', 'ada', 'bo']),
  isNamed: fc.boolean(),
})
const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 })
/** Mostly short; a long one has more passages than wait in blocks, so that postings are written, and then more of them. */
const log: fc.Arbitrary<readonly Recorded[]> = fc.tuple(seed, shape).map(([from, given]) => randomLog(from, given))
const longLog = (from: number): readonly Recorded[] => randomLog(from, { messages: 320, voices: ['assistant', 'ada'] })

/** What each question finds for two voices. */
async function answers(rows: RecallStore, through: number, excluded: readonly number[] = []): Promise<readonly RecallFound[]> {
  const found: RecallFound[] = []
  for (const [index, text] of QUESTIONS.entries()) {
    const voice = index % 2 === 0 ? 'assistant' : 'ada'
    found.push(await look(rows, questionOf(text, { through, voice, view: index % 3 === 0 ? 'all' : 'own', excluded })))
  }
  return found
}

const chance = (from: number, most: number): (() => number) => {
  const next = randomFrom(from)
  return () => 1 + Math.floor(next() * most)
}

type Break = 'before' | 'between' | 'behind' | undefined

/** A store that breaks at some writes: before it wrote anything, between rows and the state that counts them, or behind it all. */
function breaking(rows: RecallStore, breaks: () => Break): RecallStore {
  const write = async (id: typeof SESSION, change: RecallChange): ReturnType<RecallStore['write']> => {
    const how = breaks()
    if (how === 'between') {
      const before = must(await rows.state(id)) ?? emptyIndex(null)
      await rows.write(id, { ...change, state: before, blocks: (change.blocks ?? []).filter(({ body }) => body !== null) })
    } else if (how !== 'before') await rows.write(id, change)
    return how === undefined ? { ok: true, value: null } : err(fault('store', 'the disk is gone'))
  }
  return { ...rows, write }
}

/** Fills in parts of any size over a store that breaks now and then, as if the process had died each time. */
async function indexWithCrashes(events: readonly Recorded[], from: number, most: number): Promise<RecallStore> {
  const rows = layeredIndex()
  const next = randomFrom(from)
  const broken = breaking(rows, () => (['before', 'between', 'between', 'behind'] as const)[Math.floor(next() * 12)])
  const limit = chance(from + 1, most)
  for (;;) {
    const filled = await fillIndex(broken, sourceOf(events), SESSION, {
      vectors: undefined,
      limit: limit(),
      through: events.length,
    })
    if (filled.ok && filled.value.isDone) return rows
  }
}

test('an index gives the same answers however it was filled', async () => {
  await fc.assert(
    fc.asyncProperty(log, seed, async (events, from) => {
      const expected = await answers(await indexOf(events), events.length)
      for (const rows of [
        await indexOf(events, { limit: () => 1 }),
        await indexOf(events, { limit: chance(from, 30) }),
        await indexWithCrashes(events, from, 20),
      ])
        assert.deepEqual(await answers(rows, events.length), expected)
    }),
    tries(12),
  )
})

test('a look-up that is bounded finds what one in an index of that length finds', async () => {
  await fc.assert(
    fc.asyncProperty(log, fc.nat(), async (events, cut) => {
      const through = cut % (events.length + 1)
      const [grown, short] = [await indexOf(events), await indexOf(events, { through })]
      assert.deepEqual(await answers(grown, through, [2, 5]), await answers(short, through, [2, 5]))
      assert.deepEqual(await answers(short, events.length), await answers(short, through), 'nor does it know more than it has')
    }),
    tries(25),
  )
})

test('the same holds when words have moved from blocks to postings, also if that was cut short', async () => {
  const events = longLog(7)
  const whole = await indexOf(events)
  const expected = await answers(whole, events.length)
  assert.ok(
    expected.some(({ candidates }) => candidates.some(({ match }) => match > 2)),
    'something is found',
  )
  const postings = async (rows: RecallStore): Promise<number> => {
    const found = await rows.postings(SESSION, ['kettl', 'harbour', 'invoic', 'glacier'])
    return found.ok ? found.value.reduce((sum, { count }) => sum + count, 0) : 0
  }
  assert.ok((await postings(whole)) > 100, 'most words are in postings')
  for (const rows of [
    await indexOf(events, { limit: () => 17 }),
    await indexOf(events, { limit: chance(3, 500) }),
    await indexWithCrashes(events, 11, 900),
  ]) {
    assert.ok((await postings(rows)) > 100)
    assert.deepEqual(await answers(rows, events.length), expected)
  }
  for (const through of [300, events.length - 1])
    assert.deepEqual(await answers(whole, through), await answers(await indexOf(events, { through }), through))
})

test('beyond two thousand messages the best are compared, and that too is the same for every way to fill it', async () => {
  const events = randomLog(5, { messages: 1150, voices: ['assistant'] })
  const whole = await indexOf(events)
  const state = await whole.state(SESSION)
  assert.ok(state.ok && (state.value?.messages ?? 0) > 2000, `${state.ok ? state.value?.messages : ''} messages`)
  const expected = await answers(whole, events.length)
  for (const found of expected) assert.ok(found.candidates.length < 1600, 'not all of them')
  assert.deepEqual(await answers(await indexOf(events, { limit: chance(9, 700) }), events.length), expected)
})

test('rows of other rules or other vectors are made anew', async () => {
  const events = randomLog(3, { messages: 20, voices: ['assistant'] })
  const rows = await indexOf(events)
  const before = await rows.state(SESSION)
  assert.ok(before.ok && before.value !== undefined)
  await rows.write(SESSION, { state: { ...before.value, version: 0, messages: 77 } })
  await indexOf(events, { rows })
  assert.deepEqual(await rows.state(SESSION), before)
  assert.deepEqual(await answers(rows, events.length), await answers(await indexOf(events), events.length))
})
