import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Report } from '../bench/measure.ts'

const run = (name: string, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [fileURLToPath(new URL(`../bench/${name}.ts`, import.meta.url)), ...args], { encoding: 'utf8' })

/** What each benchmark compares between a short and a long session. */
const BENCHMARKS: Readonly<Record<string, readonly string[]>> = {
  append: [
    'where it stands',
    'last 20 messages',
    'last 20 events after a cursor',
    'append, one writer',
    'append, 50 at once to one session',
  ],
  context: ['recent: read', 'recent: assembly', 'recent: both'],
  'first-delta': [
    'say: message is safe',
    'say: provider is asked',
    'say: first delta is heard',
    'say: turn has ended',
    'HTTP: first delta is heard',
  ],
  start: ['serve: listening'],
}

for (const [bench, compared] of Object.entries(BENCHMARKS)) {
  test(`the benchmark ${bench} prints a table and JSON that says what was measured, and on what`, () => {
    const { status, stdout, stderr } = run(bench, '--quick')
    assert.equal(status, 0, stderr)
    const lines = stdout.trimEnd().split('\n')
    for (const what of compared) assert.equal(lines.filter(line => line.startsWith(`| ${what} `)).length, 2)
    const report = JSON.parse(lines.at(-1) ?? '') as Report
    const { machine, scale, rows, ratios, commit, date } = report
    assert.deepEqual([report.bench, report.command], [bench, `node bench/${bench}.ts --quick`])
    assert.match(machine.fingerprint, /^[0-9a-f]{16}$/)
    assert.equal(machine.node, process.versions.node)
    assert.ok(machine.cores > 0 && machine.cpu !== '' && commit !== '' && Date.parse(date) > 0)
    assert.deepEqual([scale.small, scale.large], [1000, 20_000])
    assert.deepEqual(
      ratios.map(({ what }) => what),
      compared,
    )
    for (const { p50, p99 } of [...rows, ...ratios]) assert.ok(Number.isFinite(p50) && Number.isFinite(p99))
  })
}

test('runs of two machines, two benchmarks or two scales are not compared', t => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-compare-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const machine = { fingerprint: 'a', cpu: 'one', cores: 2, memoryGb: 8, node: '26.0.0' }
  const scale = { quick: false, small: 1000, large: 1_000_000, rounds: 1, goes: 1 }
  const rows = [{ what: 'append', messages: 1000, p50: 2, p99: 3, rounds: [[2, 3]] }]
  const made = { bench: 'append', command: '', date: '', commit: '', machine, others: 0, scale, rows, ratios: [] }
  const kept = (name: string, change: Partial<Report>): string => {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify({ ...made, ...change }))
    return file
  }
  const before = kept('before', {})
  const faster = kept('faster', { rows: rows.map(row => ({ ...row, p50: 1 })) })
  assert.match(run('compare', before, faster).stdout, /append +\| +1,000 +\| +2\.000 +\| +1\.000 +\| +0\.50/)
  for (const change of [
    { machine: { ...machine, fingerprint: 'b' } },
    { bench: 'start' },
    { scale: { ...scale, large: 20_000 } },
  ]) {
    const { status, stdout, stderr } = run('compare', before, kept('other', change))
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^compare: /)
  }
})
