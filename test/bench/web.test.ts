import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../browser/support/browser.ts'

const BENCH = fileURLToPath(new URL('../../bench/web.ts', import.meta.url))
/** What the first load must not weigh more than, gzipped. */
const HEAVIEST = 350_000

const opened = await openBrowser()
const skip = 'why' in opened ? opened.why : false
if (!('why' in opened)) await opened.close()

test('the benchmark of the page weighs its first load and measures paint, frames and a long conversation', { skip }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BENCH, '--quick'], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const [weight, report] = stdout
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
  const first = weight.weight.find(({ kind }: { kind: string }) => kind === 'all').gzipped
  assert.ok(first > 10_000 && first <= HEAVIEST, `${first} bytes`)
  assert.deepEqual(
    report.rows.map(({ what }: { what: string }) => what),
    [
      'first paint',
      'frames: an empty page at rest',
      'frames: five advisors stream',
      'a long conversation is shown',
      'frames: scrolling',
    ],
  )
  for (const { what, p50 } of report.rows) assert.ok(p50 > 0, what)
})
