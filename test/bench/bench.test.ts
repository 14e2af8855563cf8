import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../bench/measure.ts'
import { PEERS } from '../../bench/peer-case.ts'

const run = (name: string, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [fileURLToPath(new URL(`../../bench/${name}.ts`, import.meta.url)), ...args], { encoding: 'utf8' })

const LENGTHS = [1000, 20_000]

/** The lengths that each benchmark compares, and what it compares between them. */
const BENCHMARKS: Readonly<Record<string, { readonly lengths: readonly number[]; readonly compared: readonly string[] }>> = {
  append: {
    lengths: LENGTHS,
    compared: [
      'where it stands',
      'last 20 messages',
      'last 20 events after a cursor',
      'append, one writer',
      'append, 50 at once to one session',
    ],
  },
  context: {
    lengths: [100, 10_000],
    compared: [
      'steady first',
      'steady next',
      'steady next, unread',
      'recent',
      'head-tail',
      'full',
      'transcript',
      'council first',
      'council next',
      'council next, unread',
    ].flatMap(name => [`${name}: read`, `${name}: assembly`, `${name}: both`]),
  },
  'first-delta': {
    lengths: LENGTHS,
    compared: [
      'say: message is safe',
      'say: provider is asked',
      'say: first delta is heard',
      'say: turn has ended',
      'HTTP: first delta is heard',
    ],
  },
  inspect: {
    lengths: LENGTHS,
    compared: [
      'verify, one request',
      'what-if, as it was',
      'what-if, another policy',
      'presence, first page',
      'timeline, first page',
    ],
  },
  'dry-run': {
    lengths: [200, 2000],
    compared: [
      'dry run, nothing asked yet',
      'the same, on its receipt',
      'dry run, as of the middle',
      'dry run, after a turn',
      'presence, first page',
      'timeline, first page',
      'neighbors of a request',
    ],
  },
  start: { lengths: LENGTHS, compared: ['serve: listening'] },
}

for (const [bench, { lengths, compared }] of Object.entries(BENCHMARKS)) {
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
    assert.deepEqual([scale.small, scale.large], lengths)
    assert.deepEqual(
      ratios.map(({ what }) => what).filter(what => PEERS.every(peer => peer !== what)),
      compared,
    )
    for (const { p50, p99 } of [...rows, ...ratios]) assert.ok(Number.isFinite(p50) && Number.isFinite(p99))
    if (bench === 'context') assertPeersAreBeside(stdout, report)
  })
}

/** Each is measured at every length, or what is missing is said. */
function assertPeersAreBeside(stdout: string, { rows }: Report): void {
  for (const peer of PEERS) {
    const isSaid = stdout.includes(`${peer} is not measured at `)
    assert.ok(isSaid || rows.filter(({ what }) => what === peer).length === 2, peer)
    for (const ours of ['recent', 'steady next']) assert.ok(stdout.includes(`\n| ${peer} ÷ ${ours} `), ours)
  }
}

test('the benchmark wire hears every delta, through each vendor’s client, through ours and through a turn', () => {
  const { status, stdout, stderr } = run('wire', '--quick')
  assert.equal(status, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  const { bench, command, rows, ratios } = JSON.parse(lines.at(-1) ?? '') as Report
  assert.deepEqual([bench, command], ['wire', 'node bench/wire.ts --quick'])
  const streams = ['16 frames', '1 frame'].flatMap(cut =>
    ['anthropic', 'openai', 'ollama'].map(name => `${name}, ${cut} a write`),
  )
  for (const stream of streams) assert.ok(lines.some(line => line.startsWith(`| ${stream} `)))
  const counted = rows.filter(({ what }) => !what.endsWith(': bytes alone'))
  assert.deepEqual(
    counted.map(({ what }) => what),
    streams.flatMap(stream => ['SDK', 'ours', 'through a turn'].map(contender => `${stream}: ${contender}`)),
  )
  for (const { deltas, perSecond = 0 } of counted) assert.ok(deltas === 500 && perSecond > 0)
  assert.deepEqual(
    ratios.map(({ what }) => what),
    streams.flatMap(stream =>
      ['ours ÷ SDK', 'through a turn ÷ SDK', 'through a turn ÷ ours'].map(compared => `${stream}: ${compared}`),
    ),
  )
  for (const { p50, p99 } of [...rows, ...ratios]) assert.ok(Number.isFinite(p50) && Number.isFinite(p99))
})

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
