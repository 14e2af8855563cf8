import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PastQuery } from '../../src/log/ports.ts'
import { type CachedRange, createReadCache, NO_CELLS, type PastCells } from '../../src/log/read-cache.ts'
import type { Fact } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { ok } from '../../src/model/result.ts'
import { tries } from '../support/tries.ts'
import { exchange, factsOf, faultOf, heard, must, planned, seqsOf, session, sessionOf, turn } from './facts.ts'
import { openSqlite, temporaryFolder } from './files.ts'

const RAIN = session('rain')
const SUN = session('sun')
const ALL: PastQuery = { from: 'start' }

test('whatever is held, a past is the same as one read from the file alone', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const log = await openSqlite(t, file)
  const plain = await openSqlite(t, file, { readOnly: true, recentBytes: 0 })
  const small = await openSqlite(t, file, { readOnly: true, recentBytes: 12_000 })
  const place = fc.nat(40)
  const want: fc.Arbitrary<PastQuery> = fc.record(
    {
      from: fc.oneof(
        fc.constant('start' as const),
        place.map(seq => ({ seq })),
        fc.record({ messages: fc.nat(6), before: place }),
        place.map(tokens => ({ tokens })),
        place.map(before => ({ voice: 'assistant', policy: 'steady@1', before, orTokens: 5 })),
      ),
      head: fc.oneof(
        fc.nat(3).map(messages => ({ messages })),
        fc.nat(6).map(through => ({ through })),
      ),
      through: place,
      least: fc.nat(4),
      voice: fc.constant('assistant'),
      request: place.map(before => ({ voice: 'assistant', policy: 'steady@1', before })),
      folds: fc.constant(true as const),
    },
    { requiredKeys: ['from'] },
  )
  const fact: fc.Arbitrary<readonly Fact[]> = fc.oneof(
    fc.constantFrom('Rain?', 'Sun?').map(question => exchange(1, turn('1'), question, 'Yes.')),
    fc
      .record({ target: fc.integer({ min: 1, max: 20 }), mark: fc.constantFrom('pin' as const, null) })
      .map(mark => [{ type: 'message.marked' as const, ...mark }]),
    place.map(begins => [planned(turn('1'), 1, { policy: 'steady@1', window: { begins, folds: [begins] } })]),
    place.map(from => [{ type: 'history.folded' as const, from, to: from + 5, text: 'It rained.', by: 'extract' as const }]),
  )
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(want, fact), { minLength: 2, maxLength: 20 }), async steps => {
      count += 1
      const id = session(`any${count}`)
      must(await log.open(sessionOf(id)))
      for (const step of steps) {
        if (Array.isArray(step)) must(await log.append(id, step as readonly Fact[]))
        else {
          const read = must(await plain.past(id, step as PastQuery))
          assert.deepEqual(must(await log.past(id, step as PastQuery)), read)
          assert.deepEqual(must(await small.past(id, step as PastQuery)), read, 'with room for little')
        }
      }
    }),
    tries(40),
  )
})

test('what another process has said since shows at once, and what it has removed is gone', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const log = await openSqlite(t, file)
  const beside = await openSqlite(t, file, { readOnly: true })
  must(await log.open(sessionOf(RAIN)))
  must(await log.append(RAIN, [heard('one'), heard('two')]))
  assert.deepEqual(seqsOf(must(await beside.past(RAIN, ALL)).events), [1, 2])
  must(await log.append(RAIN, [heard('three')]))
  const { events, through } = must(await beside.past(RAIN, ALL))
  assert.deepEqual([seqsOf(events), through], [[1, 2, 3], 3])
  must(await log.remove(RAIN))
  faultOf(await log.past(RAIN, ALL), 'not-found')
  must(await log.open(sessionOf(RAIN)))
  must(await log.append(RAIN, [heard('another'), heard('talk'), heard('altogether'), heard('here')]))
  for (const each of [log, beside]) {
    const said = factsOf(must(await each.past(RAIN, ALL)).events)
    assert.deepEqual(said, [heard('another'), heard('talk'), heard('altogether'), heard('here')])
  }
})

test('only what is new is asked for', async () => {
  const recent = createReadCache(1 << 20)
  const asked: (CachedRange | undefined)[] = []
  for (const head of [3, 5, 5]) {
    await recent.past(
      RAIN,
      async held => {
        asked.push(held)
        return ok(cellsOf({ head, held }))
      },
      noMore,
    )
  }
  assert.deepEqual(asked, [undefined, { from: 1, to: 3, row: 103 }, { from: 1, to: 5, row: 105 }])
  const { events } = must(await recent.past(RAIN, async held => ok(cellsOf({ head: 6, held })), noMore))
  assert.deepEqual(seqsOf(events), [1, 2, 3, 4, 5, 6])
})

test('a session that is removed leaves nothing behind, not even by an answer that was under way', async () => {
  const recent = createReadCache(1 << 20)
  const read = async (id: SessionId) => recent.past(id, async held => ok(cellsOf({ head: 3, held })), noMore)
  await read(RAIN)
  await read(SUN)
  const both = recent.bytes()
  const late = Promise.withResolvers<void>()
  const under = recent.past(
    RAIN,
    async held => {
      await late.promise
      return ok(cellsOf({ head: 4, held }))
    },
    noMore,
  )
  recent.forget(RAIN)
  assert.equal(recent.bytes(), both / 2)
  late.resolve()
  assert.deepEqual(seqsOf(must(await under).events), [1, 2, 3, 4], 'who had asked is still answered')
  assert.equal(recent.bytes(), both / 2)
})

test('never more is held than there is room for, and what was used longest ago goes first', async () => {
  const ids = Array.from({ length: 12 }, (_, index) => session(`s${index}`))
  const room = 40_000
  const recent = createReadCache(room)
  const isHeld = async (id: SessionId): Promise<boolean> => {
    let was = false
    await recent.past(
      id,
      async held => {
        was = held !== undefined
        return ok(cellsOf({ head: 3, held, body: 1000 }))
      },
      noMore,
    )
    return was
  }
  for (const id of ids) {
    assert.equal(await isHeld(id), false)
    assert.equal(await isHeld(ids[0] as SessionId), true, 'the first is used again and again')
    assert.ok(recent.bytes() <= room, `${recent.bytes()} bytes`)
  }
  assert.equal(await isHeld(ids[1] as SessionId), false)
  const before = recent.bytes()
  await recent.past(session('long'), async held => ok(cellsOf({ head: 8, held, body: 1000 })), noMore)
  assert.equal(recent.bytes(), before, 'one session alone may not have it all')
})

const noMore = (): never => assert.fail('there was nothing left to ask for')

/** What a store says of a session with so many messages. */
function cellsOf({ head, held, body = 20 }: { head: number; held: CachedRange | undefined; body?: number }): PastCells {
  const after = held?.to ?? 0
  const text = JSON.stringify({ text: 'x'.repeat(body), from: 'person' })
  return {
    earlier: [],
    first: 1,
    gaps: [],
    begins: null,
    last: null,
    lastBalance: null,
    lastMarksThrough: null,
    folds: [],
    through: head,
    landed: [],
    row: 100 + head,
    isHeld: held !== undefined,
    older: NO_CELLS,
    newer: {
      cells: Array.from({ length: head - after }, (_, index) => [
        after + index + 1,
        '2026-01-01T12:00:00.000Z',
        'message.received',
        text,
        1,
        1,
      ]),
      rest: null,
    },
  }
}
