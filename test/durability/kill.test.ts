import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { heard, must, randomFrom, session, sessionOf } from '../log/facts.ts'
import { integrityOf, openSqlite, raw, temporaryFolder } from '../log/files.ts'
import { SEED } from '../support/tries.ts'

const KILLS = 210
const VERIFY_EVERY = 15
const LONGEST_LIFE_MS = 40
const APPENDER = fileURLToPath(new URL('./appender.ts', import.meta.url))

test(`after each of ${KILLS} kills everything acknowledged is there exactly once`, { timeout: 280_000 }, async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'turnwise.db')
  // Only a process that ends by itself leaves its compiled code for the next; it saves each of them two thirds of its start.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const seed = SEED
  const next = randomFrom(seed)
  const acknowledged = new Set<string>()
  let unanswered: readonly string[] = []
  let retried = 0
  const first = appender(env)
  first.begin({ file, round: 0, seed, again: [] })
  await first.ended
  // One is always warming up while another lives; only the one that was told the file touches it.
  let waiting = appender(env)
  t.after(() => waiting.process.kill('SIGKILL'))

  try {
    for (let round = 1; round <= KILLS; round += 1) {
      const current = waiting
      current.begin({ file, round, seed: Math.floor(next() * 2 ** 31), again: unanswered })
      waiting = appender(env)
      await current.spoke
      await pause(next() * LONGEST_LIFE_MS)
      const said = await current.kill()
      const tried = said.filter(line => line.startsWith('? ')).map(line => line.slice(2))
      for (const line of said) if (line.startsWith('! ')) acknowledged.add(line.slice(2))
      retried += unanswered.length
      unanswered = [...new Set([...unanswered, ...tried])].filter(key => !acknowledged.has(key))
      if (round % VERIFY_EVERY === 0) verify(file, acknowledged, unanswered)
    }
    verify(file, acknowledged, unanswered)

    const log = await openSqlite(t, file)
    for (const key of unanswered) must(await log.append(session(key.split('.')[0] ?? ''), factsOf(key), { key }))
    for (const key of unanswered) acknowledged.add(key)
    verify(file, acknowledged, [])
    must(await log.open(sessionOf(session('e'))))
  } catch (cause) {
    throw new Error(`with TURNWISE_TEST_SEED=${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  t.diagnostic(`seed ${seed}: ${acknowledged.size} appends acknowledged, ${retried} sent again after a kill`)
  assert.ok(acknowledged.size > KILLS, 'they lived long enough to write')
  assert.ok(retried > 0, 'and were killed in the middle of it')
})

type Row = { readonly session: string; readonly seq: number; readonly body: string }

/** Whole appends only, each once, in an unbroken count; every acknowledged one among them. */
function verify(file: string, acknowledged: ReadonlySet<string>, unanswered: readonly string[]): void {
  assert.equal(integrityOf(file), 'ok')
  const rows = raw(
    file,
    db => db.prepare('select session, seq, body from events order by session, seq').all() as unknown as Row[],
  )
  const stored = new Map<string, string[]>()
  for (const [id, events] of Map.groupBy(rows, row => row.session)) {
    for (const [index, event] of events.entries()) {
      assert.equal(event.seq, index + 1, `${id} has a gap`)
      const { text } = JSON.parse(event.body) as { text: string }
      const [key = ''] = text.split(' ')
      stored.set(key, [...(stored.get(key) ?? []), text])
    }
  }
  for (const key of acknowledged) assert.ok(stored.has(key), `${key} was acknowledged and is lost`)
  const known = new Set([...acknowledged, ...unanswered])
  for (const [key, texts] of stored) {
    assert.ok(known.has(key), `${key} came from nowhere`)
    assert.deepEqual(texts, textsOf(key), `${key} is not there exactly once, whole and in order`)
  }
}

function textsOf(key: string): readonly string[] {
  const [, , facts, length] = key.split('.')
  return Array.from({ length: Number(facts) }, (_, index) => `${key} ${index} ${'x'.repeat(Number(length))}`)
}

const factsOf = (key: string) => textsOf(key).map(heard)

function appender(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [APPENDER], { stdio: ['pipe', 'pipe', 'inherit'], env })
  const ended = once(child, 'close')
  let heardSoFar = ''
  const spoke = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      heardSoFar += chunk
      resolve()
    })
    child.once('exit', code => reject(new Error(`an appender ended by itself, with ${code}`)))
  })
  spoke.catch(() => undefined)
  return {
    process: child,
    spoke,
    ended,
    begin: (orders: object): void => void child.stdin.write(`${JSON.stringify(orders)}\n`),
    kill: async (): Promise<string[]> => {
      child.kill('SIGKILL')
      await ended
      // A pipe keeps what was written before the end; a line without its end was never said.
      return heardSoFar.split('\n').slice(0, -1)
    },
  }
}
