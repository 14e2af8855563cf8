/** What the doctor finds out about a real PostgreSQL: empty, in use, without rights, without an answer. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../src/log/postgres/database.ts'
import { type ExaminedDatabase, examineDatabase } from '../../../src/log/postgres/examine.ts'
import { migrate, SCHEMA_VERSION } from '../../../src/log/postgres/migrations/migrate.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'

const skip = (await whyNoPostgres()) ?? false

async function examined(url: string): Promise<ExaminedDatabase> {
  const found = await examineDatabase(url)
  assert.ok(found.ok, found.ok ? '' : found.fault.message)
  return found.value
}

async function migrated(t: TestContext, url: string): Promise<ReturnType<typeof openDatabase>> {
  const db = openDatabase({ url })
  t.after(db.close)
  assert.ok((await migrate(db)).ok)
  return db
}

test('a fresh database has a version, a clock and room, and nothing in it', { skip }, async () => {
  const found = await examined(await postgresUrl())
  assert.ok(found.versionNumber >= 150_000)
  assert.match(found.version, /^\d+/)
  assert.ok(found.roundTripMs > 0 && Math.abs(found.clockAheadMs) < 1000)
  assert.ok(found.connections.allowed > 0)
  assert.deepEqual(
    [found.schemaVersion, found.leases, found.counts, found.missingRights, found.hearsNotifications],
    [null, null, null, [], true],
  )
})

test('a database in use says its tables and which nodes work; through a pooler no notification is tried', { skip }, async t => {
  const url = await postgresUrl(t)
  const db = await migrated(t, url)
  await db.query(`insert into leases values
    ('channel:telegram', 'n1', 1, clock_timestamp() + interval '1 minute'),
    ('ses_1', 'n2', 2, clock_timestamp() + interval '1 minute'),
    ('ses_2', 'n3', 3, clock_timestamp() - interval '1 minute')`)
  const found = await examined(url)
  assert.deepEqual(found.leases, { sessions: 1, jobs: ['telegram'], nodes: 2 })
  assert.deepEqual(
    [found.schemaVersion, found.knownVersion, found.counts],
    [SCHEMA_VERSION, SCHEMA_VERSION, { sessions: 0, events: 0 }],
  )
  assert.equal((await examined(`${url}&pgbouncer=true`)).hearsNotifications, null)
  assert.equal(found.isHalfCopied, false)
  await db.query('insert into schema_versions (version) values (1000000)')
  const half = await examined(url)
  assert.deepEqual([half.isHalfCopied, half.schemaVersion], [true, SCHEMA_VERSION])
})

test('tables of a newer version are too new only where that version does not work with this one', { skip }, async t => {
  const url = await postgresUrl(t)
  const db = await migrated(t, url)
  const newer = async (version: number, compatibleFrom: number | null): Promise<boolean> => {
    await db.query('insert into schema_versions (version, compatible_from) values ($1, $2)', [version, compatibleFrom])
    return (await examined(url)).isTooNew
  }
  assert.equal(await newer(SCHEMA_VERSION + 1, SCHEMA_VERSION), false)
  assert.equal(await newer(SCHEMA_VERSION + 2, SCHEMA_VERSION + 1), true)
})

test('rights that are missing are named', { skip }, async t => {
  const url = await postgresUrl(t)
  await migrated(t, url)
  const schema = new URL(url).searchParams.get('schema') ?? ''
  const role = `poor_${schema}`
  await onServer(url.replace(/\?.*/, ''), `create role ${role} login`)
  t.after(() => onServer(url.replace(/\?.*/, ''), `drop owned by ${role}; drop role ${role}`))
  const poor = new URL(url)
  poor.username = role
  const missing = async (): Promise<readonly string[]> => (await examined(poor.href)).missingRights
  const [use, create] = [`may not use the schema ${schema}`, `may not create tables in the schema ${schema}`]
  assert.ok((await missing()).includes(use))
  await onServer(url.replace(/\?.*/, ''), `grant usage on schema ${schema} to ${role}`)
  assert.deepEqual(await missing(), [create, 'may not read and write the tables'])
})

test('no answer, no database and a wrong user are said without the address', { skip }, async t => {
  const address = new URL(await postgresUrl(t))
  address.pathname = '/no-such-database'
  address.password = 's3cr3t'
  for (const [url, why] of [
    ['postgres://me:s3cr3t@127.0.0.1:9/x', /nothing answers at its address$/],
    [address.href, /there is no database of that name$/],
  ] as const) {
    const found = await examineDatabase(url)
    assert.ok(!found.ok)
    assert.match(found.fault.message, why)
    assert.doesNotMatch(found.fault.message, /s3cr3t/)
  }
})
