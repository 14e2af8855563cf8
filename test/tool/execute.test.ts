import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { decoded } from '../../src/tool/process/bound-output.ts'
import type { ProcessCommand } from '../../src/tool/process/execute.ts'
import { settlementOfRun } from '../../src/tool/process/outcome.ts'
import type { Settlement } from '../../src/tool/toolbox.ts'
import { folderFor, leftovers, putProgram, runMarked } from './ground.ts'

let mark = ''
beforeEach(() => {
  mark = randomUUID()
})
afterEach(() => assert.deepEqual(leftovers(mark), [], 'nothing is left of it'))

type Over = Partial<ProcessCommand> & { signal?: AbortSignal }
const run = async (argv: readonly string[], over: Over = {}): Promise<Settlement> =>
  settlementOfRun(await runMarked(mark, argv, over))
const shell = (script: string, over: Over = {}): Promise<Settlement> => run(['/bin/sh', '-c', script], over)

/** Soon is within a second; a busy machine gets more, and who waits for a program that is not ended waits for 30. */
const SOON_MS = 5000

async function timed<Value>(work: Promise<Value>): Promise<{ readonly value: Value; readonly ms: number }> {
  const started = performance.now()
  return { value: await work, ms: performance.now() - started }
}

const TABLE: readonly (readonly [string, readonly string[], Settlement])[] = [
  ['prints', ['/usr/bin/printf', 'a\\nb'], { ok: true, outcome: 'done', content: 'a\nb' }],
  ['says nothing', ['/usr/bin/true'], { ok: true, outcome: 'done' }],
  ['complains', ['/bin/sh', '-c', 'echo a; echo b >&2'], { ok: true, outcome: 'done', content: 'a\nstderr:\nb\n' }],
  ['fails', ['/bin/sh', '-c', 'echo a; exit 3'], { ok: false, outcome: 'exit code 3', content: 'a\n' }],
  ['crashes', ['/bin/sh', '-c', 'kill -SEGV $$'], { ok: false, outcome: 'killed by SIGSEGV' }],
  [
    'is not to be executed',
    ['/bin/sh', '-c', 'exit 126'],
    { ok: false, outcome: 'exit code 126: something could not be executed' },
  ],
  ['is not found', ['/bin/sh', '-c', 'exit 127'], { ok: false, outcome: 'exit code 127: something was not found' }],
  ['writes no text', ['/usr/bin/printf', 'a\\377\\000b'], { ok: true, outcome: 'done', content: 'a\ufffd\u2400b' }],
  ['reads what nobody writes', ['/usr/bin/cat'], { ok: true, outcome: 'done' }],
  ['does not exist', ['/usr/bin/no such program'], { ok: false, outcome: 'could not be started: no such file or directory' }],
  ['is a folder', ['/usr/bin'], { ok: false, outcome: 'could not be started: permission denied' }],
]

for (const [name, argv, settlement] of TABLE)
  test(`a program that ${name} is settled in words`, async () => {
    assert.deepEqual(await run(argv), settlement)
    assert.deepEqual(await run(argv, { wrapper: [] }), settlement, 'with nothing around it, too')
  })

test('what cannot be executed is settled in words', async t => {
  const folder = folderFor(t)
  const plain = join(folder, 'plain')
  writeFileSync(plain, '#!/bin/cat\n')
  const lost = putProgram(join(folder, 'lost'), '#!/no/such/interpreter\n')
  assert.deepEqual(await run([plain]), { ok: false, outcome: 'could not be started: permission denied' })
  assert.deepEqual(await run([lost]), { ok: false, outcome: 'could not be started: no such file or directory' })
  const home = { cwd: join(folder, 'gone') }
  assert.deepEqual(await run(['/usr/bin/true'], home), { ok: false, outcome: 'could not be started: no such file or directory' })
  const long = await run(['/usr/bin/true', 'x'.repeat(140_000)])
  assert.deepEqual(long, { ok: false, outcome: 'could not be started: the arguments are too long' })
})

test('a program that hangs is stopped, and what it said is kept', async () => {
  const { value, ms } = await timed(shell('echo begun; sleep 30', { timeoutMs: 300 }))
  assert.deepEqual(value, { ok: false, outcome: 'timed out after 300 ms; it was stopped', content: 'begun\n' })
  assert.ok(ms < SOON_MS, `${ms} ms`)
})

test('a program that will not be stopped is killed, with all its children', async () => {
  const { value, ms } = await timed(shell('trap "" TERM; echo a; sleep 30 & sleep 30; sleep 30', { timeoutMs: 1000 }))
  assert.deepEqual(value, { ok: false, outcome: 'timed out after 1 s; it was stopped', content: 'a\n' })
  assert.ok(ms < SOON_MS, `${ms} ms`)
})

test('a program may tidy up when it is asked to end', async () => {
  const { content } = await shell('trap "echo tidy; exit 0" TERM; echo begun; sleep 30 & wait', { timeoutMs: 300 })
  assert.equal(content, 'begun\ntidy\n')
})

for (const manner of ['true', 'trap "" TERM'])
  test(`a cancelled call is over within a second: ${manner}`, async t => {
    const cancel = new AbortController()
    const begun = join(folderFor(t), 'begun')
    const work = shell(`echo begun; ${manner}; : > '${begun}'; sleep 30; sleep 30`, { signal: cancel.signal })
    while (!existsSync(begun)) await after(5)
    assert.notEqual(leftovers(mark).length, 0, 'it runs')
    cancel.abort()
    const { value, ms } = await timed(work)
    assert.deepEqual(value, { ok: false, outcome: 'cancelled; it was stopped', content: 'begun\n' })
    assert.ok(ms < SOON_MS, `${ms} ms`)
  })

test('a call that was cancelled before it began is not begun', async t => {
  const canary = join(folderFor(t), 'canary')
  assert.equal((await run(['/usr/bin/touch', canary], { signal: AbortSignal.abort() })).outcome, 'cancelled; it was stopped')
  assert.ok(!existsSync(canary))
})

const FLOODS = {
  'zeros without a newline': 'exec head -c 1G /dev/zero',
  'zeros among the complaints': 'exec head -c 1G /dev/zero >&2',
  'short lines': 'exec yes',
  'short lines among the complaints': 'exec yes >&2',
  'both at once': 'yes & exec head -c 1G /dev/zero >&2',
}

for (const [name, script] of Object.entries(FLOODS))
  test(`a flood is stopped and costs little memory: ${name}`, async () => {
    globalThis.gc?.()
    const before = process.memoryUsage.rss()
    let most = before
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 5)
    const { ok, outcome, content = '' } = await shell(script, { timeoutMs: 60_000 }).finally(() => clearInterval(timer))
    assert.deepEqual({ ok, outcome }, { ok: false, outcome: 'wrote more than 64 MiB; it was stopped' })
    assert.ok(Buffer.byteLength(content) < 257 * 1024)
    assert.match(content, /left out …/)
    assert.ok(most - before < 64 * 1024 * 1024, `${most - before} bytes more`)
  })

test('the beginning and the end of a long output are kept', async () => {
  const { stdout } = await runMarked(mark, ['/usr/bin/seq', '1', '1000000'])
  assert.equal(stdout.lines, 1_000_000)
  assert.ok(decoded(stdout.front).startsWith('1\n2\n'))
  assert.ok(decoded(stdout.back).endsWith('999999\n1000000\n'))
})

test('a grandchild that holds the pipe delays nothing, and is ended', async () => {
  const { value, ms } = await timed(shell('sleep 30 & echo hi'))
  assert.deepEqual(value, { ok: true, outcome: 'done', content: 'hi\n' })
  assert.ok(ms < SOON_MS, `${ms} ms`)
})

test('a grandchild that hides its mark is ended with its group', async () => {
  const { content } = await shell('env -i sleep 30 & echo $!')
  const pid = Number(content)
  assert.ok(pid > 0)
  for (const until = performance.now() + 10_000; isAlive(pid) && performance.now() < until; ) await after(5)
  assert.ok(!isAlive(pid))
})

function isAlive(pid: number): boolean {
  try {
    return /^State:\s+[^ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const ESCAPES = {
  'a new session': 'setsid sleep 30 & echo hi',
  'a new session without pipes': 'setsid sleep 30 >/dev/null 2>&1 & sleep 0.1; echo hi',
  'a double fork': '(setsid sh -c "setsid sleep 30 >/dev/null 2>&1 & sleep 30" >/dev/null 2>&1 &); sleep 0.1; echo hi',
  'one after the other': 'setsid sh -c "while :; do setsid sleep 0.05; done" >/dev/null 2>&1 & sleep 0.2; echo hi',
}

for (const [name, script] of Object.entries(ESCAPES))
  test(`a process that left its group is found and ended: ${name}`, {
    skip: process.platform !== 'linux' && 'needs /proc',
  }, async () => {
    assert.deepEqual(await shell(script), { ok: true, outcome: 'done', content: 'hi\n' })
  })

test('an escaped process is found after a time limit, too', async () => {
  assert.equal(
    (await shell('setsid sleep 30 >/dev/null 2>&1 & sleep 30', { timeoutMs: 300 })).outcome,
    'timed out after 300 ms; it was stopped',
  )
})

test('two runs at once end only what is their own', async () => {
  const long = shell('sleep 1; echo long')
  assert.equal((await shell('setsid sleep 30 & echo short')).content, 'short\n')
  assert.equal((await long).content, 'long\n')
})
