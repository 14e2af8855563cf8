// Nodes start together, one at a time changes the tables, one that dies leaves them as they were, and versions can be side by side.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { readAddress } from '../../../src/log/postgres/connection.ts'
import { type Database, openDatabase, type Query } from '../../../src/log/postgres/database.ts'
import { migrate, prepareSchema, SCHEMA_VERSION } from '../../../src/log/postgres/migrations/migrate.ts'
import { ok } from '../../../src/model/result.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { faultOf, must } from '../facts.ts'

/** An address whose schema is not there yet. */
async function newAddress(t: TestContext): Promise<{ readonly url: string; readonly bare: string; readonly schema: string }> {
  const address = new URL(await postgresUrl(t))
  const schema = `${address.searchParams.get('schema')}_new`
  address.searchParams.set('schema', schema)
  const { url: bare } = readAddress(address.href)
  t.after(() => onServer(bare, `drop schema if exists ${schema} cascade`))
  return { url: address.href, bare, schema }
}

const opened = (t: TestContext, url: string): Database => {
  const db = openDatabase({ url, connections: 2 })
  t.after(db.close)
  return db
}

const versions = (db: Database): Promise<readonly unknown[]> => db.query('select version from schema_versions order by version')
const EVERY_VERSION = Array.from({ length: SCHEMA_VERSION }, (_, index) => ({ version: index + 1 }))

/** A server that says this of itself, and on which everything else is a mistake. */
const serverThatSays = (version: string, encoding: string): Database => {
  const query = (async (text: string) => {
    assert.match(text, /server_version_num/)
    return [{ version, encoding }]
  }) as Query
  const attempt: Database['attempt'] = work => work(query)
  return { schema: undefined, query, attempt, transaction: attempt, close: async () => {} }
}

test('an old server, and a database that keeps other texts, are refused in words', async () => {
  assert.equal(
    faultOf(await migrate(serverThatSays('140011', 'UTF8')), 'invalid').message,
    'this PostgreSQL is version 14; Turnwise needs 15 or newer',
  )
  assert.match(faultOf(await migrate(serverThatSays('150000', 'LATIN1')), 'invalid').message, /keeps texts as LATIN1; .*'UTF8'/)
})

suite('the tables of a PostgreSQL', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('nodes that start at once on an empty database all come up, and each step was run once', async t => {
    const { url } = await newAddress(t)
    const nodes = Array.from({ length: 6 }, () => opened(t, url))
    for (const started of await Promise.all(nodes.map(db => migrate(db)))) must(started)
    const [db] = nodes
    assert.ok(db)
    assert.deepEqual(await versions(db), EVERY_VERSION)
    assert.deepEqual(await db.query('select name from counters order by name'), [{ name: 'documents' }, { name: 'words' }])
  })

  test('a node that is killed in the middle of a step leaves nothing of it, and the next one goes on', async t => {
    const { url, bare, schema } = await newAddress(t)
    const db = opened(t, url)
    must(await prepareSchema(db))
    // The step waits for this lock in the middle of its transaction.
    const holder = new pg.Client({ connectionString: bare })
    holder.on('error', () => {})
    await holder.connect()
    t.after(() => holder.end())
    await holder.query(`begin; create table ${schema}.events (id integer)`)
    const node = spawn(process.execPath, ['--input-type=module', '-e', STARTING, url], { stdio: ['ignore', 'ignore', 'inherit'] })
    const waiting = `select count(*) as waiting from pg_stat_activity where wait_event_type = 'Lock'
      and pid in (select pid from pg_locks where not granted) and query like '%create table sessions%' and query not like '%pg_locks%'`
    // Asked outside of the transaction, which sees one moment of all others for as long as it lasts.
    while ((await db.query<{ waiting: number }>(waiting))[0]?.waiting === 0) await db.query('select pg_sleep(0.01)')
    node.kill('SIGKILL')
    await once(node, 'exit')
    await holder.query('rollback')
    await db.query(`update migration_lock set until = clock_timestamp() - interval '1 second'`)
    must(await migrate(db))
    assert.deepEqual(await versions(db), EVERY_VERSION)
    must(await db.attempt(async query => ok(await query('select count(*) from events'))))
  })

  test('a lock that another node holds is waited for, and is not needed when that node is done', async t => {
    const { url } = await newAddress(t)
    const [first, second] = [opened(t, url), opened(t, url)]
    must(await prepareSchema(first))
    const hold = (until: string) => first.query(`update migration_lock set holder = 'other', until = ${until}`)
    await hold(`clock_timestamp() + interval '1 hour'`)
    const starting = migrate(second)
    const early = await Promise.race([starting, first.query('select pg_sleep(0.3)').then(() => 'still waiting')])
    assert.equal(early, 'still waiting')
    await hold('null')
    await first.query('update migration_lock set holder = null')
    must(await starting)
    await hold(`clock_timestamp() + interval '1 hour'`)
    must(await migrate(first))
  })

  test('the database itself refuses to change or delete an event', async t => {
    const { url } = await newAddress(t)
    const db = opened(t, url)
    must(await migrate(db))
    await db.query(`insert into events (session, seq, at, type, body, tokens, total_tokens, total_messages, begins)
      values ('ses_1', 1, 'now', 'message.received', '{}', 1, 1, 1, 1), ('ses_2', 1, 'now', 'message.received', '{}', 1, 1, 1, 1)`)
    for (const edit of [`update events set body = ''`, 'delete from events', 'truncate events'])
      await assert.rejects(db.query(edit), /events are never (edited|deleted)/, edit)
    // Only those of a session that is being removed can go.
    await db.query(`insert into deleting values ('ses_1')`)
    await assert.rejects(db.query('delete from events'), /never deleted/)
    await db.query(`delete from events where session = 'ses_1'`)
    assert.deepEqual(await db.query('select session from events'), [{ session: 'ses_2' }])
  })

  test('a newer form is refused, unless it says that this version can go on beside it', async t => {
    const { url } = await newAddress(t)
    const db = opened(t, url)
    must(await migrate(db))
    const add = (version: number, from: number | null) =>
      db.query('insert into schema_versions (version, compatible_from) values ($1, $2)', [version, from])
    await add(SCHEMA_VERSION + 1, SCHEMA_VERSION)
    must(await migrate(db))
    await add(SCHEMA_VERSION + 2, SCHEMA_VERSION + 1)
    const { message } = faultOf(await migrate(db), 'invalid')
    assert.match(
      message,
      new RegExp(`newer Turnwise \\(schema ${SCHEMA_VERSION + 2}, this one knows ${SCHEMA_VERSION}\\); update`),
    )
    await db.query('update schema_versions set compatible_from = null where version = $1', [SCHEMA_VERSION + 1])
    await db.query('delete from schema_versions where version = $1', [SCHEMA_VERSION + 2])
    faultOf(await migrate(db), 'invalid')
  })
})

const here = (path: string): string => pathToFileURL(resolve(import.meta.dirname, '../../../src/log/postgres', path)).href
/** What a node does first, in a process of its own. */
const STARTING = `
  const { openDatabase } = await import('${here('database.ts')}')
  const { migrate } = await import('${here('migrations/migrate.ts')}')
  await migrate(openDatabase({ url: process.argv[1] }))`
