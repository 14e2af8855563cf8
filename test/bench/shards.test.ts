/** Where sessions are among shards: every way spreads them, and only modulo moves more than it must when one is added. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PLACEMENTS } from '../../bench/shards/placements.ts'
import { inventSessions } from '../../bench/shards/sessions.ts'

const { hashes, turns } = inventSessions(100_000, 2, 2, 1)

test('sessions are the same for the same seed, and a few of them have most of the turns', () => {
  assert.deepEqual(inventSessions(100_000, 2, 2, 1).turns, turns)
  const sorted = turns.toSorted().toReversed()
  const sum = (of: Float32Array): number => of.reduce((all, each) => all + each, 0)
  const share = sum(sorted.slice(0, 1000)) / sum(sorted)
  assert.ok(share > 0.3 && share < 0.45, `${share}`)
})

for (const shards of [3, 7, 64])
  for (const { name, on } of PLACEMENTS)
    test(`${name}: ${shards} shards share the sessions, and one more takes its part`, () => {
      const [before, after] = on(shards)
      const counts = new Map<number, number>()
      let [moved, movedElsewhere] = [0, 0]
      for (const hash of hashes) {
        const [old, now] = [before(hash), after(hash)]
        counts.set(now, (counts.get(now) ?? 0) + 1)
        if (old === now) continue
        moved += 1
        if (now !== shards) movedElsewhere += 1
      }
      assert.deepEqual(
        [...counts.keys()].toSorted((a, b) => a - b),
        [...Array(shards + 1).keys()],
      )
      assert.ok(Math.max(...counts.values()) < (1.5 * hashes.length) / (shards + 1))
      if (name === 'modulo') return assert.ok(moved > 0.6 * hashes.length)
      // Nothing moves but to the new shard.
      assert.equal(movedElsewhere, 0)
      assert.ok(moved < (1.5 * hashes.length) / (shards + 1))
    })

test('the benchmark shards prints its tables and JSON', () => {
  const file = fileURLToPath(new URL('../../bench/shards.ts', import.meta.url))
  const lines = execFileSync(process.execPath, [file, '--quick'], { encoding: 'utf8' }).trimEnd().split('\n')
  const { bench, command, rows } = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> & {
    readonly rows: readonly unknown[]
  }
  assert.deepEqual([bench, command, rows.length], ['shards', 'node bench/shards.ts --quick', 3 * PLACEMENTS.length])
  assert.equal(lines.filter(line => /^\| \d+ shards/.test(line)).length, 3 + rows.length)
})
