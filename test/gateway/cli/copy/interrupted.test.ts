// A copy that is killed goes on where it was, and until it is whole nothing else opens what it wrote. What cannot be copied is refused in one line.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { weigh } from '../../../../src/context/text/tokens.ts'
import { openStore } from '../../../../src/log/open-store.ts'
import type { Log } from '../../../../src/log/ports.ts'
import { openDatabase } from '../../../../src/log/postgres/database.ts'
import type { SessionId } from '../../../../src/model/ids.ts'
import { buildHouse } from '../../../log/copy/a-house.ts'
import { heard, must, sessionOf, ticking } from '../../../log/facts.ts'
import { openSqlite, raw } from '../../../log/files.ts'
import { postgresUrl, whyNoPostgres } from '../../../support/postgres.ts'
import { piped } from '../in-process.ts'
import { cleanEnvironment, start, tempHome } from '../turnwise.ts'

const skip = (await whyNoPostgres()) ?? false

const MAIN = join(import.meta.dirname, '../../../../src/main.ts')

/** Sessions of 1,100 events: a copy writes each with a commit of its own. */
const SESSIONS = 4
const EVENTS = 1100

async function bigHouse(log: Log): Promise<void> {
  await buildHouse(log)
  for (let n = 0; n < SESSIONS; n += 1) {
    const id = `ses_big${n}` as SessionId
    must(await log.open(sessionOf(id)))
    for (let at = 0; at < EVENTS; at += 500)
      must(
        await log.append(
          id,
          Array.from({ length: 500 }, (_, line) => heard(`${n}: line ${at + line}`)),
        ),
      )
  }
}

/** A workspace that was started once, with a house in its own file. */
async function homeWith(t: TestContext, build: (log: Log) => Promise<void>): Promise<string> {
  const home = tempHome(t)
  assert.equal((await piped(['agents'], { home })).code, 1)
  assert.equal((await piped(['ask', 'hello'], { home })).code, 0)
  const log = must(await openStore(join(home, 'turnwise.db'), { clock: ticking(), weigh }))
  await build(log)
  await log.close()
  return home
}

type Look = () => Promise<{ readonly isHalf: boolean; readonly sessions: number; readonly keys: number }>
const NOTHING = { isHalf: false, sessions: 0, keys: 0 }

/** When a copy is killed: when it has begun, in the middle, when everything but the comparison is done. */
const MOMENTS: Readonly<Record<string, (seen: Awaited<ReturnType<Look>>) => boolean>> = {
  'when it has begun': ({ isHalf }) => isHalf,
  'in the middle': ({ sessions }) => sessions >= 3,
  'before it compares': ({ keys }) => keys > 0,
}

async function killedThrice(home: string, args: readonly string[], env: Record<string, string>, look: Look): Promise<void> {
  for (const [name, isNow] of Object.entries(MOMENTS)) {
    // Without the launcher, which would leave the process behind it alive.
    const child = spawn(process.execPath, [MAIN, ...args], { env: cleanEnvironment(home, env), stdio: 'ignore' })
    const ended = once(child, 'exit')
    while (child.exitCode === null && !isNow(await look())) await turn()
    child.kill('SIGKILL')
    const [, signal] = await ended
    assert.equal(signal, 'SIGKILL', `${name}: it ended first`)
    assert.equal((await look()).isHalf, true, name)
  }
}

test('a copy to PostgreSQL that is killed three times goes on, and nothing opens half of it', { skip }, async t => {
  const home = await homeWith(t, bigHouse)
  const [url, calm] = [await postgresUrl(t), await postgresUrl(t)]
  const undisturbed = JSON.parse((await piped(['copy', '--to', calm, '--json'], { home })).stdout)
  const db = openDatabase({ url })
  t.after(db.close)
  const look: Look = async () => {
    try {
      const [seen] = await db.query<{ half: number; sessions: number; keys: number }>(
        `select (select count(*) from schema_versions where version >= 1000000) as half, (select count(*) from sessions) as sessions,
           (select count(*) from channel_state) as keys`,
      )
      return seen === undefined ? NOTHING : { ...seen, isHalf: seen.half > 0 }
    } catch {
      return NOTHING
    }
  }
  await killedThrice(home, ['copy', '--to', url], {}, look)
  const served = await start(['serve'], { home, env: { TURNWISE_STORE: url, TURNWISE_PORT: '0' } }).ended
  assert.deepEqual([served.code, served.stdout], [1, ''])
  assert.match(served.stderr, /only a part of a house: a copy into it was not finished/)
  const again = await piped(['copy', '--to', url, '--json'], { home })
  // Nothing gives the requests that this house only says were sent: that was so before, and the copy is whole.
  assert.match(again.stderr, /^turnwise: everything is copied, but \d+ requests verify in neither store: ses_/)
  assert.equal(again.code, 1)
  const { copied, compared, receipts } = JSON.parse(again.stdout)
  assert.deepEqual([compared, receipts], [undisturbed.compared, undisturbed.receipts])
  assert.equal(copied.sessions + copied.there, compared.sessions)
  assert.ok(copied.there > 0)
  assert.equal((await piped(['sessions'], { home, env: { TURNWISE_STORE: url } })).code, 0)
})

test('a copy into a file that is killed three times goes on, and nothing opens half of it', { skip }, async t => {
  const home = await homeWith(t, bigHouse)
  const file = join(home, 'new.db')
  const look: Look = async () => {
    try {
      return raw(file, db => {
        const { user_version: version } = db.prepare('pragma user_version').get() as { user_version: number }
        const counts = db
          .prepare('select (select count(*) from sessions) as sessions, (select count(*) from doors) as keys')
          .get()
        return { ...NOTHING, ...counts, isHalf: version >= 1_000_000 }
      })
    } catch {
      return NOTHING
    }
  }
  await killedThrice(home, ['copy', '--to', 'sqlite:new.db'], {}, look)
  for (const command of [['sessions'], ['ask', 'hello']]) {
    const refused = await piped(command, {
      home,
      env: { TURNWISE_STORE: 'sqlite:new.db' },
    })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /only a part of a house: a copy into it was not finished/)
  }
  const again = JSON.parse((await piped(['copy', '--to', 'sqlite:new.db', '--json'], { home })).stdout)
  const calm = JSON.parse((await piped(['copy', '--to', 'sqlite:calm.db', '--json'], { home })).stdout)
  assert.deepEqual([again.compared, again.receipts], [calm.compared, calm.receipts])
  assert.ok(again.copied.there > 0)
})

test('what cannot be copied is refused in one line, without a password', { skip }, async t => {
  const home = await homeWith(t, buildHouse)
  const url = await postgresUrl(t)
  const refused = async (
    args: readonly string[],
    expected: RegExp,
    code = 1,
    env: Record<string, string> = {},
  ): Promise<void> => {
    const { stderr, stdout, ...ran } = await piped(['copy', ...args], { home, env })
    assert.match(stderr, expected)
    assert.deepEqual([ran.code, stdout, stderr.trim().split('\n').length, stderr.includes('hush')], [code, '', 1, false], stderr)
  }
  await refused([], /required option '--to <store>' not specified/, 2)
  await refused(['--to', 'mysql://a:hush@b/c'], /--to: "mysql:…" is not a store/, 2)
  await refused(['--to', 'postgres://a:hu/sh@b/c'], /--to: the address cannot be read/, 2)
  await refused(['--to', '$NOT_SET'], /--to: the environment has no NOT_SET; set it/, 2)
  await refused(['--to', 'sqlite:turnwise.db'], /the target: both are the same store/)
  await refused(
    ['--to', 'postgres://a:hush@127.0.0.1:9/b'],
    /the target: 127\.0\.0\.1:9\/b: the database cannot be used: nothing answers/,
  )
  await refused(['--to', 'sqlite:missing/there.db'], /the target: .*there\.db.* cannot be opened/)
  await refused(['--from', 'sqlite:none.db', '--to', url], /the source: there is no database at .*none\.db yet/)
  await refused(['--from', `${url}_not`, '--to', 'sqlite:b.db'], /the source: .*there is no house in it yet/)
  const log = await openSqlite(t, join(home, 'turnwise.db'))
  await refused(['--to', url], /the source: .*turnwise\.db is in use by another Turnwise process; stop that one first/)
  await log.close()
  await piped(['copy', '--to', url], { home })
  const db = openDatabase({ url })
  t.after(db.close)
  await db.query(`insert into leases values ('ses_rain', 'n1', 9, clock_timestamp() + interval '1 minute')`)
  await refused(
    ['--from', url, '--to', 'sqlite:b.db'],
    /the source: .*gateways work on it; stop every gateway that uses it, wait 15 seconds/,
  )
  await refused(['--to', url], /the target: .*gateways work on it/)
  await db.query('delete from leases')
  // It changed after it was copied: neither side is overwritten.
  raw(join(home, 'turnwise.db'), file => file.exec(`update factors set factor = 2`))
  await refused(['--to', url], /the token factor of demo is there and differs; copy into an empty store/)
})
