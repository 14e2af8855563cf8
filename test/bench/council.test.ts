import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Cost } from '../../bench/council-cost.ts'
import type { Report, Row } from '../../bench/measure.ts'

const COMPARED = [
  'at once: silent',
  'at once: talker',
  'at once: all five bad ones',
  'after 300 ms: silent',
  'two of five (slow)',
  'two of five (talker)',
]
const HEADS = ['| billed units ', '| first delta, p50 / p99 ms ']

test('the benchmark council prints what rounds are billed, and how soon advisors speak alone and beside bad ones', () => {
  const file = fileURLToPath(new URL('../../bench/council.ts', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, '--quick'], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  for (const head of HEADS) assert.equal(lines.filter(line => line.startsWith(head)).length, 1, head)
  for (const name of COMPARED) assert.equal(lines.filter(line => line.startsWith(`| ${name} `)).length, 1, name)
  const [cost, report, ...more] = lines.filter(line => line.startsWith('{'))
  assert.deepEqual([more, report], [[], lines.at(-1)])
  assertNoteIsCheaper(JSON.parse(cost ?? '') as { readonly costs: readonly Cost[] })
  assertAllAreMeasured(JSON.parse(report ?? '') as Report)
})

/** Five advisors and their sum: a number in the system text makes everything behind it new. */
function assertNoteIsCheaper({ costs }: { readonly costs: readonly Cost[] }): void {
  assert.equal(costs.length, 6)
  assert.equal(costs.at(-1)?.who, 'all')
  for (const { who, ratio, ratioUnmarked, note, system } of costs) {
    assert.ok(ratio < 1 && ratioUnmarked < 1, who)
    assert.ok(note.cachedShare > system.cachedShare, who)
    assert.ok(Math.abs(note.tokens / system.tokens - 1) < 0.01, `${who}: both say the same, but for where the number stands`)
  }
}

function assertAllAreMeasured({ bench, command, rows, ratios }: Report): void {
  assert.deepEqual([bench, command], ['council', 'node bench/council.ts --quick'])
  assert.deepEqual(
    ratios.map(({ what }) => what),
    COMPARED,
  )
  assert.deepEqual(rows.map(({ what }) => what).sort(), COMPARED.flatMap(name => [`${name}, with`, `${name}, without`]).sort())
  for (const { p50, p99 } of [...rows, ...ratios]) assert.ok(Number.isFinite(p50) && Number.isFinite(p99))
  for (const name of COMPARED) {
    const [without, beside] = ['without', 'with'].map(way => sentIn(rows, `${name}, ${way}`))
    assert.deepEqual(without, beside, `${name}: nobody is sent less of its own past`)
    assert.ok(
      without?.every(sent => sent === 2),
      `${name}: the third round has both answers before it`,
    )
  }
}

const sentIn = (rows: readonly Row[], name: string): readonly number[] | undefined =>
  (rows.find(({ what }) => what === name) as (Row & { readonly sent: readonly number[] }) | undefined)?.sent
