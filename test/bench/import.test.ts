import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../bench/measure.ts'

test('the benchmark import brings in every message of each kind of file, and says what that took', () => {
  const file = fileURLToPath(new URL('../../bench/import.ts', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, '--quick'], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  for (const kind of ['turnwise', 'chatgpt', 'openai'])
    assert.equal(lines.filter(line => line.startsWith(`| ${kind} `)).length, 1)
  const { bench, command, rows, ratios } = JSON.parse(lines.at(-1) ?? '') as Report
  assert.deepEqual([bench, command], ['import', 'node bench/import.ts --quick'])
  assert.equal(rows.length, 12)
  assert.deepEqual(ratios, [], 'one length has nothing to be compared with')
  for (const { what, perSecond = 0 } of rows) if (what.endsWith(': import')) assert.ok(perSecond > 0, what)
})
