// What a node has just appended is given from memory only where the database would give the same.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import type { ReadRange } from '../../../src/log/ports.ts'
import { createJustWritten } from '../../../src/log/postgres/events/just-written.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { Recorded } from '../../../src/model/event.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { ended, faultOf, finished, heard, must, session, sessionOf, started, text, turn } from '../facts.ts'

const ID = session('one')

const rowsFrom = (first: number, count: number, words = 'hi') =>
  Array.from({ length: count }, (_, index) => ({
    ...{ seq: first + index, at: '2026-01-01T00:00:00.000Z', type: 'message.received', tokens: 1, begins: 1 },
    body: JSON.stringify({ text: `${words} ${first + index}`, from: 'person' }),
  }))

test('only ranges that are there whole, and whose end is known, are given', () => {
  const kept = createJustWritten(() => 0)
  kept.keep(ID, rowsFrom(4, 2))
  kept.keep(ID, rowsFrom(6, 1))
  const seqs = (range: ReadRange): readonly number[] | undefined => kept.read(ID, range)?.map(({ seq }) => seq)
  assert.deepEqual(seqs({ after: 3, through: 6 }), [4, 5, 6])
  assert.deepEqual(seqs({ after: 4, through: 5, limit: 500, size: 1000 }), [5])
  const others: readonly ReadRange[] = [
    { after: 3 },
    { after: 2, through: 6 },
    { through: 6 },
    { after: 3, through: 7 },
    { after: 6, through: 6 },
    { after: 3, through: 6, limit: 2 },
    { after: 3, through: 6, size: 10 },
    { after: 3, through: 6, newest: true },
    { after: 3, through: 6, only: 'turn.started' },
    { after: 3, through: 6, seqs: [4] },
    { after: 3, through: 6, turn: turn('a') },
  ]
  for (const range of others) assert.equal(kept.read(ID, range), undefined, JSON.stringify(range))
  assert.equal(kept.read(session('two'), { after: 3, through: 6 }), undefined)
})

test('what another node wrote in between, a removal, and a second end it', () => {
  let now = 0
  const kept = createJustWritten(() => now)
  kept.keep(ID, rowsFrom(1, 2))
  kept.keep(ID, rowsFrom(5, 1))
  assert.equal(kept.read(ID, { after: 0, through: 2 }), undefined)
  assert.equal(kept.read(ID, { after: 4, through: 5 })?.length, 1)
  now = 999
  assert.equal(kept.read(ID, { after: 4, through: 5 })?.length, 1)
  now = 1000
  assert.equal(kept.read(ID, { after: 4, through: 5 }), undefined)
  kept.keep(ID, rowsFrom(6, 1))
  kept.forget(ID)
  assert.equal(kept.read(ID, { after: 5, through: 6 }), undefined)
})

test('a session that is written to without end, and many at once, are not all kept', () => {
  const kept = createJustWritten(() => 0)
  for (let seq = 1; seq <= 40; seq += 1) kept.keep(ID, rowsFrom(seq, 1, 'x'.repeat(10_000)))
  assert.equal(kept.read(ID, { after: 0, through: 40 }), undefined)
  assert.equal(kept.read(ID, { after: 39, through: 40 })?.length, 1)
  kept.keep(ID, rowsFrom(41, 1, 'x'.repeat(300_000)))
  assert.equal(kept.read(ID, { after: 40, through: 41 }), undefined)
  const many = Array.from({ length: 50 }, (_, index) => session(`many${index}`))
  for (const id of many) kept.keep(id, rowsFrom(1, 1, 'x'.repeat(200_000)))
  const areThere = many.map(id => kept.read(id, { after: 0, through: 1 }) !== undefined)
  assert.deepEqual([areThere.at(0), areThere.at(-1)], [false, true])
  assert.ok(areThere.filter(Boolean).length * 200_000 <= 4 << 20)
})

suite('what was just written on PostgreSQL', { skip: (await whyNoPostgres()) ?? false }, () => {
  test('two nodes read every range alike, whichever of them wrote it, also after a removal', async t => {
    const url = await postgresUrl(t)
    const [a, b] = await Promise.all(
      [1, 2].map(async () => {
        const log = must(await postgresLog({ url, clock: Date.now, weigh, connections: 2 }))
        t.after(() => log.close())
        return log
      }),
    )
    assert.ok(a !== undefined && b !== undefined)
    must(await a.open(sessionOf(ID)))
    const odd = [heard('\u0000 \ud800 é\n'), started(turn('\u0000'), 1), finished(turn('\u0000'), 1, text('\udc00'), text(''))]
    let through = 0
    for (const log of [a, b, a, a, b, b]) {
      const { standing } = must(await log.append(ID, through === 0 ? odd : [heard(`message ${through}`), ended(turn('\u0000'))]))
      through = standing.head
      for (let after = 0; after < through; after += 1) {
        const here: readonly Recorded[] = must(await a.read(ID, { after, through }))
        assert.deepEqual(must(await b.read(ID, { after, through })), here, `${after} to ${through}`)
        assert.deepEqual(
          here.map(({ seq }) => seq),
          Array.from({ length: through - after }, (_, index) => after + 1 + index),
        )
      }
    }
    must(await b.append(ID, [heard('the last word')]))
    must(await b.remove(ID))
    faultOf(await b.read(ID, { after: through, through: through + 1 }), 'not-found')
  })
})
