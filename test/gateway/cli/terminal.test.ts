import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { stripVTControlCharacters as plainly } from 'node:util'
import { runCommandLine } from '../../../src/gateway/cli/command-line.ts'
import { ago, counted, fitted, stretch } from '../../../src/gateway/cli/output/phrase.ts'
import { tempHome } from './turnwise.ts'

type Screen = Writable & { readonly isTTY: boolean; readonly columns: number; readonly text: () => string }

function screen(): Screen {
  let seen = ''
  const stream = new Writable({
    write: (chunk, _, done) => {
      seen += String(chunk)
      done()
    },
  })
  return Object.assign(stream, { isTTY: true, columns: 60, text: () => seen })
}

/** Runs a command as if on a terminal of sixty columns. */
async function onTerminal(
  home: string,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [screen(), screen()]
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const environment = { TURNWISE_HOME: home, TURNWISE_DEMO_DELAY_MS: '0', TERM: 'xterm', ...env }
  const code = await runCommandLine({ argv, environment, stdin, stdout, stderr })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

test('on a terminal there is a little colour, and none with NO_COLOR', async t => {
  const home = tempHome(t)
  const asked = await onTerminal(home, ['ask', 'think about a title that is much too long for the width of this terminal.'])
  assert.equal(asked.code, 0)
  assert.match(asked.stdout, /^I thought about/)
  assert.match(plainly(asked.stderr), /They want me to/)
  const [id] = /ses_[a-z0-9]{26}/.exec(asked.stderr) ?? []
  assert.ok(id !== undefined)
  const pages = [['sessions'], ['show', id], ['context', id], ['context', id, '--why'], ['verify'], ['doctor']]
  for (const argv of pages) {
    const { stdout } = await onTerminal(home, argv)
    assert.notEqual(plainly(stdout), stdout, argv.join(' '))
    const plain = await onTerminal(home, argv, { NO_COLOR: '1' })
    assert.equal(plainly(plain.stdout), plain.stdout, argv.join(' '))
  }
  const { stdout } = await onTerminal(home, ['sessions'], { NO_COLOR: '1' })
  assert.match(stdout, /^ses_[a-z0-9]{8} {2}just now {2}2 {2}think about a title .*…\n$/)
  assert.equal(stdout.trimEnd().length, 60)
  const quiet = await onTerminal(home, ['ask', '-q', 'think about nothing.'])
  assert.equal(quiet.stderr, '')
  const raw = await onTerminal(home, ['context', id, '--raw'])
  assert.ok(raw.stdout.endsWith('}\n'))
  assert.equal((await onTerminal(home, ['ask'])).code, 2)
})

test('numbers and times read as people write them', () => {
  const now = Date.parse('2026-03-03T12:00:00Z')
  assert.deepEqual(
    ['2026-03-03T11:59:30Z', '2026-03-03T11:48:00Z', '2026-03-03T07:00:00Z', '2026-03-02T11:00:00Z', '2026-01-20T12:00:00Z'].map(
      at => ago(at, now),
    ),
    ['just now', '12 min ago', '5 h ago', '1 day ago', '20 Jan 2026'],
  )
  assert.equal(counted(1284, 'message'), '1,284 messages')
  assert.deepEqual([stretch({}), stretch({ from: 3, to: 3 }), stretch({ from: 3, to: 8 })], ['', 'seq 3', 'seq 3–8'])
  assert.deepEqual(
    [fitted('short', 5), fitted('longer', 5), fitted('日本語です', 6), fitted('👩‍👧👩‍👧', 4)],
    ['short', 'long…', '日本…', '👩‍👧👩‍👧'],
  )
})
