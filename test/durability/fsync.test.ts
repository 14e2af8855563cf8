import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gapless, must, session } from '../log/facts.ts'
import { integrityOf, openSqlite, temporaryFolder } from '../log/files.ts'

const ACKNOWLEDGER = fileURLToPath(new URL('./acknowledger.ts', import.meta.url))
const TRACED = ['-f', '-y', '-s', '8', '-e', 'trace=write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync']
const APPENDS = 60

const skip = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0 ? false : 'strace cannot be run here'

test('nothing is acknowledged while a write to the database is not on the disk', { skip }, t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const { acknowledged, tooEarly, syncs } = traced(file, 'FULL')
  assert.equal(acknowledged, APPENDS)
  assert.deepEqual(tooEarly.slice(0, 3), [])
  assert.ok(syncs >= APPENDS, `each waited for the disk: ${syncs}`)
})

test('the same look finds what a database that does not wait for the disk acknowledges too early', { skip }, t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const { acknowledged, tooEarly } = traced(file, 'NORMAL')
  assert.equal(acknowledged, APPENDS)
  assert.ok(tooEarly.length > APPENDS / 2, `${tooEarly.length} of ${APPENDS} were too early`)
})

test('once the disk has failed to sync, nothing is acknowledged any more until the file is opened again', { skip }, async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'turnwise.db')
  const failing = traced(join(folder, 'sound.db'), 'FULL').beforeFirst + 10
  const { stdout, status } = run(file, 'FULL', ['-o', '/dev/null', '-e', `inject=fsync,fdatasync:error=EIO:when=${failing}`])
  assert.equal(status, 0, 'the process lives on')
  const lines = stdout.trimEnd().split('\n')
  const failed = lines.findIndex(line => !line.startsWith('ACK'))
  assert.ok(failed > 0 && lines.length === APPENDS, 'one sync of many failed, after some that did not')
  for (const line of lines.slice(failed)) assert.match(line, /^store \d+: /)
  assert.match(lines.at(-1) ?? '', /the disk failed .* restart/)

  assert.equal(integrityOf(file), 'ok')
  const log = await openSqlite(t, file)
  const events = must(await log.read(session('traced')))
  gapless(events)
  // The one that failed may or may not have reached the disk; nobody was told that it had.
  assert.ok(events.length === failed * 2 || events.length === failed * 2 + 2, `${failed} acknowledged, ${events.length} events`)
})

function run(file: string, synchronous: string, options: readonly string[]) {
  const command = [process.execPath, ACKNOWLEDGER, file, synchronous, String(APPENDS)]
  const { stdout, stderr, status } = spawnSync('strace', [...options, ...TRACED, ...command], { encoding: 'utf8' })
  assert.notEqual(status, null, stderr)
  return { stdout, status }
}

/**
 * Reads what the kernel was asked to do, in order. A thread tells another one something by writing to an eventfd;
 * an acknowledgement is too early if the last thing a thread told before it was told with unsynced writes of its own.
 */
function traced(file: string, synchronous: 'FULL' | 'NORMAL') {
  const trace = `${file}.strace`
  const { stdout } = run(file, synchronous, ['-o', trace])
  const unsynced = new Map<string, Set<string>>()
  const toldTooEarly = new Map<string, boolean>()
  const syncing = new Map<string, string>()
  const tooEarly: string[] = []
  let acknowledged = 0
  let syncs = 0
  let beforeFirst = 0
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const open = unsynced.get(thread) ?? new Set<string>()
    unsynced.set(thread, open)
    const [, call, target = ''] = /^(\w+)\(\d+<([^>]*)>/.exec(rest) ?? []
    const synced = (path: string): void => {
      open.delete(path)
      syncs += 1
    }
    if (rest.startsWith('<... f') && rest.includes('sync resumed') && rest.endsWith('= 0')) synced(syncing.get(thread) ?? '')
    else if (call === 'fsync' || call === 'fdatasync') {
      if (rest.endsWith('= 0')) synced(target)
      else syncing.set(thread, target)
    } else if (target === file || target === `${file}-wal`) open.add(target)
    else if (target.includes('eventfd')) toldTooEarly.set(thread, open.size > 0)
    else if (rest.startsWith('write(1<') && rest.includes('"ACK')) {
      if (acknowledged === 0) beforeFirst = syncs
      acknowledged += 1
      if ([...toldTooEarly.values()].includes(true)) tooEarly.push(rest)
    }
  }
  assert.equal(stdout.match(/ACK/g)?.length, acknowledged, 'the trace saw every acknowledgement')
  return { acknowledged, tooEarly, syncs, beforeFirst }
}
