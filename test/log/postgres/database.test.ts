// Whatever the database or the way to it does is a fault in words, or is done again; only our own mistakes are thrown.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { readAddress } from '../../../src/log/postgres/connection.ts'
import { type Database, type DatabaseSettings, openDatabase, type Query } from '../../../src/log/postgres/database.ts'
import { DatabaseTrouble, faultOf as faultFor } from '../../../src/log/postgres/trouble.ts'
import { ok } from '../../../src/model/result.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { faultOf, must } from '../facts.ts'

const opened = (t: TestContext, settings: DatabaseSettings): Database => {
  const db = openDatabase(settings)
  t.after(db.close)
  return db
}

const given = (code: string, message = 'connect to db.example at 10.0.0.1:5432'): DatabaseTrouble =>
  new DatabaseTrouble(Object.assign(new Error(message), code === '' ? {} : { code }))

test('every trouble has words, and none of them is an address', () => {
  const words: Readonly<Record<string, RegExp>> = {
    ECONNREFUSED: /nothing answers/,
    ENOTFOUND: /host name is not known/,
    EAI_AGAIN: /host name/,
    ECONNRESET: /was cut/,
    EHOSTUNREACH: /no way/,
    EPROTO: /the way to it is broken \(EPROTO\)/,
    SELF_SIGNED_CERT_IN_CHAIN: /certificate .* sslrootcert=/,
    ERR_TLS_CERT_ALTNAME_INVALID: /certificate/,
    '57P01': /shutting down/,
    '57P03': /starting up or shutting down/,
    '25006': /read-only.*primary/,
    '42501': /grant it usage and create on the schema/,
    '3F000': /grant it usage and create on the schema/,
    '42P01': /tables are gone/,
    '42P05': /pgbouncer=true/,
    '26000': /pgbouncer=true/,
    '53300': /no connection left/,
    '40P01': /the database cannot be used/,
  }
  for (const [code, expected] of Object.entries(words)) {
    const { kind, message, retryable } = faultFor(given(code, code.length === 5 ? 'the words of the server' : undefined))
    assert.deepEqual([kind, retryable], ['store', true], code)
    assert.match(message, expected)
    assert.doesNotMatch(message, /example|10\.0/)
  }
  assert.match(faultFor(given('', 'Connection terminated unexpectedly')).message, /was cut/)
  assert.match(faultFor(given('', 'Query read timeout')).message, /does not answer in time/)
  for (const ours of ['42601', '42703', '22021', '23505', '54000', 'P0001'])
    assert.throws(() => faultFor(given(ours)), DatabaseTrouble, ours)
  assert.throws(() => faultFor(new DatabaseTrouble(new TypeError('not a function'))), /not a function/)
})

test('a mode of encryption that the driver takes for another is said by its real name', () => {
  const mode = (query: string) => new URL(readAddress(`postgres://h/d?${query}`).url).searchParams.get('sslmode')
  assert.deepEqual(['sslmode=require', 'sslmode=verify-ca', 'sslmode=prefer'].map(mode), Array(3).fill('verify-full'))
  assert.deepEqual(['sslmode=disable', 'sslmode=no-verify', 'uselibpqcompat=true&sslmode=require', 'schema=x'].map(mode), [
    'disable',
    'no-verify',
    'require',
    null,
  ])
})

suite('connections to a real PostgreSQL', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('transactions that wait for each other are both done in the end', async t => {
    const db = opened(t, { url: await postgresUrl(t) })
    await db.query('drop table if exists lights')
    await db.query('create table lights (id integer primary key, on_since integer)')
    await db.query('insert into lights values (1, 0), (2, 0)')
    let arrived = 0
    const both = Promise.withResolvers<void>()
    const add = (query: Query, id: number) => query('update lights set on_since = on_since + 1 where id = $1', [id])
    const [one, other] = await Promise.all(
      [[1, 2] as const, [2, 1] as const].map(([first, second]) =>
        db.transaction(async query => {
          await add(query, first)
          arrived += 1
          if (arrived === 2) both.resolve()
          await both.promise
          await add(query, second)
          return ok(null)
        }),
      ),
    )
    assert.ok(one?.ok && other?.ok)
    assert.ok(arrived > 2, 'one of them was undone')
    assert.deepEqual(await db.query('select on_since from lights'), [{ on_since: 2 }, { on_since: 2 }])
    await db.query('drop table lights')
  })

  test('what is undone again and again is a fault in the end', async t => {
    const db = opened(t, { url: await postgresUrl(t) })
    let tries = 0
    const undone = await db.transaction(async query => {
      tries += 1
      await query(`do $$ begin raise exception 'busy' using errcode = '40001'; end $$;`)
      return ok(null)
    })
    faultOf(undone, 'store')
    assert.ok(tries > 2)
  })

  test('a connection that is ended in the middle of a transaction undoes it, and the next one is well', async t => {
    const url = await postgresUrl(t)
    const db = opened(t, { url, connections: 1 })
    const ended = await db.transaction(async query => {
      const [{ pid } = { pid: 0 }] = await query<{ pid: number }>('select pg_backend_pid() as pid')
      await onServer(readAddress(url).url, `select pg_terminate_backend(${pid})`)
      return ok(await query('select 1'))
    })
    assert.match(faultOf(ended, 'store').message, /shutting down|was cut/)
    must(await db.transaction(async query => ok(await query('select 1'))))
  })

  test('too long, too many at once, read-only and forbidden are faults; a mistake in a statement is thrown', async t => {
    const url = await postgresUrl(t)
    const slow = opened(t, { url: `${url}&pgbouncer=true`, connections: 1, patienceMs: 100 })
    faultOf(await slow.attempt(async query => ok(await query('select pg_sleep(3)'))), 'store')
    faultOf(await slow.transaction(async query => ok(await query('select pg_sleep(3)'))), 'store')
    must(await slow.attempt(async query => ok(await query('select 1'))))
    const full = await slow.transaction(async () => ok(await slow.attempt(async query => ok(await query('select 1')))))
    faultOf(must(full), 'store')
    const db = opened(t, { url })
    const refused = await db.transaction(async query => {
      await query('set transaction read only')
      return ok(await query('create table nothing (id integer)'))
    })
    assert.match(faultOf(refused, 'store').message, /read-only/)
    const forbidden = await db.transaction(async query => {
      await query('set local role pg_monitor')
      return ok(await query('select * from pg_authid'))
    })
    assert.match(faultOf(forbidden, 'store').message, /grant/)
    await assert.rejects(
      db.attempt(async query => ok(await query('select nothing_of_that_name'))),
      DatabaseTrouble,
    )
    await assert.rejects(
      db.transaction(async query => ok(await query('select $1::text', ['\0']))),
      DatabaseTrouble,
    )
    must(await db.transaction(async query => ok(await query('select 1'))))
  })

  test('a statement has the same name on every node, so that no pooler runs another one for it', async t => {
    const url = await postgresUrl(t)
    const prepared = async (...statements: readonly string[]): Promise<readonly string[]> => {
      const db = opened(t, { url, connections: 1 })
      for (const each of statements) await db.query(each)
      const found = await db.query<{ name: string }>(
        `select name from pg_prepared_statements where statement = 'select 2 as two'`,
      )
      return found.map(({ name }) => name)
    }
    const [one, other] = [await prepared('select 1 as one', 'select 2 as two'), await prepared('select 2 as two')]
    assert.equal(one.length, 1)
    assert.deepEqual(one, other)
  })

  test('a schema of the address is where the tables are, also beside options and through a pooler', async t => {
    const url = await postgresUrl(t)
    const { schema } = readAddress(url)
    for (const more of ['', '&options=-c%20geqo%3Doff', '&pgbouncer=true']) {
      const db = opened(t, { url: `${url}${more}`, connections: 2 })
      const [found] = await db.query<{ name: string; geqo: string }>(
        `select current_schema() as name, current_setting('geqo') as geqo`,
      )
      assert.deepEqual(found, { name: schema, geqo: more.includes('geqo') ? 'off' : 'on' })
      must(
        await db.transaction(async query =>
          ok(assert.equal((await query<{ name: string }>('select current_schema() as name'))[0]?.name, schema)),
        ),
      )
    }
  })
})
