/** What the database itself can do: pgbench on the same server, with its own transaction and with one that is much like an append. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { onServer } from '../../test/support/postgres.ts'

export type Pgbench = { readonly what: string; readonly perSecond: number; readonly ms: number }

const DATABASE = 'pgbench'
const SESSIONS = 512
const CLIENTS = 8

/** One transaction as an append makes it: the session's row is locked, an event is written, the row is updated. */
const APPEND = `\\set session random(1, ${SESSIONS})
begin;
select head + 1 as seq from sessions where id = :session for no key update \\gset
insert into events (session, seq, at, type, body) values (:session, :seq, now()::text, 'message.received', repeat('word ', 80));
update sessions set head = :seq, updated_at = now()::text where id = :session;
commit;
`

const TABLES = [
  'create table sessions (id bigint primary key, head bigint not null, updated_at text, body text)',
  `insert into sessions select id, 0, '', repeat('word ', 60) from generate_series(1, ${SESSIONS}) as id`,
  `create table events (id bigint generated always as identity primary key, session bigint not null, seq bigint not null, at text, type text,
     body text, unique (session, seq))`,
]

/** Where pgbench is; undefined where there is none. */
export const findPgbench = (): string | undefined =>
  [
    ...(process.env.PATH ?? '').split(delimiter).map(folder => join(folder, 'pgbench')),
    ...globSync('/usr/lib/postgresql/*/bin/pgbench').sort().reverse(),
  ].find(file => existsSync(file) && isWhole(file))

/** Debian's clients bring a name for it that leads nowhere where the server is not installed. */
function isWhole(file: string): boolean {
  try {
    execFileSync(file, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs both for some seconds each; `simple-update` is pgbench's own. */
export async function runPgbench(pgbench: string, url: string, folder: string, seconds: number): Promise<readonly Pgbench[]> {
  await onServer(url, `create database ${DATABASE}`)
  const address = new URL(url)
  address.pathname = `/${DATABASE}`
  for (const each of TABLES) await onServer(address.href, each)
  const place = ['-h', address.hostname, '-p', address.port, '-U', address.username]
  execFileSync(pgbench, ['-i', '-q', '-s', '5', ...place, DATABASE], { stdio: 'ignore' })
  const file = join(folder, 'append.sql')
  writeFileSync(file, APPEND)
  const run = async (what: string, ...args: readonly string[]): Promise<Pgbench> => {
    const given = [...args, '-M', 'prepared', '-n', '-c', `${CLIENTS}`, '-j', '1', '-T', `${seconds}`, ...place, DATABASE]
    const { stdout } = await promisify(execFile)(pgbench, given)
    const [, tps = ''] = /^tps = ([\d.]+)/m.exec(stdout) ?? []
    const [, latency = ''] = /^latency average = ([\d.]+) ms/m.exec(stdout) ?? []
    return { what: `pgbench, ${what}, ${CLIENTS} clients`, perSecond: Number(tps), ms: Number(latency) }
  }
  return [await run('simple-update', '-N'), await run('an append much like ours', '-f', file)]
}
