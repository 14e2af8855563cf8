// A real PgBouncer in transaction mode between two nodes and PostgreSQL: every transaction may get another connection.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, type TestContext, test } from 'node:test'
import pg from 'pg'
import { weigh } from '../../../src/context/text/tokens.ts'
import type { Log } from '../../../src/log/ports.ts'
import { readAddress } from '../../../src/log/postgres/connection.ts'
import { openDatabase } from '../../../src/log/postgres/database.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import { ok } from '../../../src/model/result.ts'
import { freePort } from '../../support/free-port.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { ended, eventsOf, exchange, faultOf, gapless, heard, must, pieceOf, session, sessionOf, turn } from '../facts.ts'

const PROGRAM = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'].map(folder => join(folder, 'pgbouncer')).find(existsSync)
const skip = (await whyNoPostgres()) ?? (PROGRAM === undefined ? 'this machine has no pgbouncer' : false)
/** It refuses to run as root. */
const OWNER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Two connections to the server for everything, so that they are mixed all the time. */
async function startPgBouncer(server: URL): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-pgbouncer-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const password = server.password === '' ? '' : ` password=${decodeURIComponent(server.password)}`
  writeFileSync(
    file,
    `[databases]\n* = host=${server.hostname} port=${server.port} user=${server.username}${password}\n[pgbouncer]\nlisten_addr = 127.0.0.1
listen_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 100\n`,
  )
  chmodSync(folder, 0o755)
  const child: ChildProcess = spawn(PROGRAM ?? '', [file], { ...OWNER, cwd: folder, stdio: 'ignore' })
  const address = new URL(server)
  address.port = String(port)
  for (;;) {
    assert.equal(child.exitCode, null, 'PgBouncer runs')
    if (await onServer(address.href, 'select 1').catch(() => undefined)) break
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  return { port, stop }
}

suite('through PgBouncer in transaction mode', { concurrency: 1, skip }, () => {
  let bouncer: ReturnType<typeof startPgBouncer> | undefined
  after(async () => (await bouncer)?.stop())

  /** An address through it, and the same without `pgbouncer=true`. */
  const addresses = async (t: TestContext): Promise<{ readonly pooled: string; readonly plain: string }> => {
    const address = new URL(await postgresUrl(t))
    bouncer ??= startPgBouncer(new URL(readAddress(address.href).url))
    address.port = String((await bouncer).port)
    address.searchParams.delete('pgbouncer')
    const plain = address.href
    address.searchParams.set('pgbouncer', 'true')
    return { pooled: address.href, plain }
  }
  const nodes = async (t: TestContext): Promise<readonly [Log, Log]> => {
    const { pooled } = await addresses(t)
    const open = async (): Promise<Log> => {
      const log = must(await postgresLog({ url: pooled, clock: Date.now, weigh, connections: 6 }))
      t.after(() => log.close())
      return log
    }
    return [await open(), await open()]
  }

  test('two nodes write to the same sessions at once, without a gap, under leases and fences', async t => {
    const [a, b] = await nodes(t)
    const ids = ['one', 'two', 'three'].map(session)
    for (const id of ids) must(await a.open(sessionOf(id)))
    const writes = Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? a : b).append(ids[index % 3] ?? session('one'), [heard(`message ${index}`)], { key: `key ${index}` }),
    )
    for (const written of await Promise.all(writes)) must(written)
    for (const id of ids) {
      const events = await eventsOf(b, id)
      gapless(events)
      assert.equal(events.length, 20)
    }
    const [id = session('one')] = ids
    assert.ok(a.nodes && b.nodes)
    const { fence } = must(await a.nodes.leases.take(id, 'a', 60_000))
    assert.equal(must(await b.nodes.leases.take(id, 'b', 60_000)).node, 'a')
    must(await a.nodes.leases.giveBack('a', [id]))
    must(await b.nodes.leases.take(id, 'b', 60_000))
    faultOf(await a.append(id, [heard('too late')], { fence }), 'conflict')
    assert.equal(must(await a.append(id, [heard('again')], { key: 'key 0' })).again, true)
    assert.equal(b.nodes.pokes.arrive(), false)
  })

  test('sessions are forked, imported, searched and removed', async t => {
    const [a, b] = await nodes(t)
    const [one, fork, other] = ['one', 'fork', 'other'].map(session) as [never, never, never]
    must(await a.open(sessionOf(one)))
    must(await a.append(one, exchange(1, turn('1'), 'where is the ferry', 'at pier 12')))
    must(await b.fork(one, 4, sessionOf(fork), ({ turn: of }) => [ended(of, 'interrupted')]))
    const importing = must(await b.startImport())
    must(await importing.add(pieceOf(other, exchange(1, turn('2'), 'and the mill', 'by the river'))))
    must(await importing.publish(() => []))
    const found = async (query: string) => must(await a.sessions({ query, limit: 9 })).items.map(({ id }) => id)
    assert.deepEqual((await found('ferry')).sort(), [fork, one])
    assert.deepEqual(await found('river'), [other])
    must(await a.remove(one))
    assert.deepEqual(await found('ferry'), [fork])
    assert.equal((await eventsOf(b, fork)).length, 5)
  })

  test('nothing of a node stays on a connection, and what takes too long is ended by the server', async t => {
    const { pooled, plain } = await addresses(t)
    const db = openDatabase({ url: pooled, connections: 4, patienceMs: 400 })
    t.after(db.close)
    const schema = readAddress(pooled).schema
    const names = await Promise.all(
      Array.from({ length: 8 }, () => db.query<{ name: string }>('select current_schema() as name, pg_sleep(0.02)')),
    )
    assert.deepEqual(new Set(names.map(([row]) => row?.name)), new Set([schema]))
    const slow = await db.transaction(async query => ok(await query('select pg_sleep(5)')))
    assert.match(faultOf(slow, 'store').message, /took too long|does not answer/)
    const stranger = new pg.Client({ connectionString: readAddress(plain).url })
    await stranger.connect()
    t.after(() => stranger.end())
    const { rows } = await stranger.query<{ path: string; statements: string; timeout: string }>(
      `select current_setting('search_path') as path, (select count(*) from pg_prepared_statements) as statements,
         current_setting('statement_timeout') as timeout`,
    )
    assert.deepEqual(rows, [{ path: '"$user", public', statements: '0', timeout: '0' }])
  })

  test('an address that does not say so is refused with the word that is missing', async t => {
    const { plain } = await addresses(t)
    const refused = faultOf(await postgresLog({ url: plain, clock: Date.now, weigh }), 'store')
    assert.match(refused.message, /add pgbouncer=true/)
  })
})
