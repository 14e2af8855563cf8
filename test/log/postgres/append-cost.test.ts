// What an append costs the database: few statements, planned once, and none that reads a whole table.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import { openDatabase } from '../../../src/log/postgres/database.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import { type Write, writeTogether } from '../../../src/log/postgres/write-together.ts'
import type { EventId } from '../../../src/model/ids.ts'
import { ok } from '../../../src/model/result.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { ended, finished, heard, must, planned, receiptId, session, sessionOf, started, text, turn } from '../facts.ts'

const ID = session('one')

/** So many rows that looking one up costs less than reading them all, and looking up a long list costs more. */
const ROWS = { sessions: 1500, keys: 3000, text_uses: 3000, texts: 3000, checkpoints: 2000 }

const crowd = async (url: string): Promise<void> => {
  const schema = new URL(url).searchParams.get('schema')
  const add = (table: keyof typeof ROWS, columns: string, values: string): Promise<unknown> =>
    onServer(url, `insert into ${schema}.${table} (${columns}) select ${values} from generate_series(1, ${ROWS[table]}) as n`)
  await add('sessions', 'id, updated_at, family, archived, is_source, body', `'ses_x' || n, '', 'ses_x' || n, false, true, '{}'`)
  await add('keys', 'session, key, first, last', `'ses_x' || n, 'k', 1, 1`)
  await add('text_uses', 'session, hash, since', `'ses_x' || n, 'h', 1`)
  await add('texts', 'hash, text', `'h' || n, '"rules"'`)
  await add('checkpoints', 'session, turn, step, body', `'ses_x' || n, 't', 1, '{}'`)
  for (const table of Object.keys(ROWS)) await onServer(url, `analyze ${schema}.${table}`)
}

/** How often each table was read from end to end; a connection that ends has counted everything. */
const wholeReads = async (url: string): Promise<Readonly<Record<string, number>>> => {
  const found = (await onServer(
    url,
    `select relname as name, seq_scan::integer as scans from pg_stat_user_tables
     where schemaname = '${new URL(url).searchParams.get('schema')}' order by relname`,
  )) as readonly { readonly name: string; readonly scans: number }[]
  return Object.fromEntries(found.map(({ name, scans }) => [name, scans]))
}

const opened = async (t: TestContext) => {
  const url = await postgresUrl(t)
  const open = async () => must(await postgresLog({ url, clock: Date.now, weigh, connections: 1 }))
  const log = await open()
  must(await log.open(sessionOf(ID)))
  await log.close()
  return { url, open }
}

suite('the cost of an append on PostgreSQL', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('no table is read from end to end, whatever a plan expects', async t => {
    const { url, open } = await opened(t)
    await crowd(url)
    const log = await open()
    must(await log.standing(ID))
    const before = await wholeReads(url)
    for (let round = 0; round < 3; round += 1) {
      const id = turn(`t${round}`)
      const ids = [`m${round}`, `s${round}`].map(each => `evt_${each}` as EventId)
      const { standing } = must(await log.append(ID, [heard('hi'), started(id, 1)], { key: `k${round}`, ids }))
      const texts = [{ hash: `sha256:${round}`, text: 'rules' }]
      must(await log.append(ID, [planned(id, standing.head, { id: receiptId(`r${round}`) })], { texts }))
      must(await log.checkpoint(ID, { turn: id, step: 1, parts: [text('wo')] }))
      must(await log.append(ID, [finished(id, 1, text('words')), ended(id)]))
    }
    await log.close()
    const after = await wholeReads(url)
    for (const table of Object.keys(ROWS)) assert.equal(after[table], before[table], table)
  })

  test('statements of such a transaction are planned once for a connection, and others as the server likes', async t => {
    const db = openDatabase({ url: await postgresUrl(t), connections: 1 })
    t.after(db.close)
    const statement = 'select oid from pg_class where relname = any($1::text[])'
    const plans = async (isPlannedOnce: boolean): Promise<unknown> => {
      for (const names of [['a'], ['b', 'c']])
        must(await db.transaction(async query => ok(await query(statement, [names])), { isPlannedOnce }))
      return (
        await db.query(
          'select generic_plans::integer as once, custom_plans::integer as anew from pg_prepared_statements where statement = $1',
          [statement],
        )
      )[0]
    }
    assert.deepEqual(await plans(false), { once: 0, anew: 2 })
    assert.deepEqual(await plans(true), { once: 2, anew: 2 })
  })

  test('writes that go together have their own values, and all of them fail with one', async t => {
    const url = await postgresUrl(t)
    const db = openDatabase({ url, connections: 1 })
    t.after(db.close)
    for (const name of ['left', 'right']) await db.query(`create table "${name}_side" (id integer primary key, word text)`)
    const into = (name: string, ids: readonly number[], word: string): Write => ({
      text: `insert into "${name}_side" select id, $2 || $2 from unnest($1::integer[]) as id`,
      values: [ids, word],
    })
    const words = async (): Promise<unknown> =>
      (await db.query<{ word: string }>(`select word from left_side union all select word from right_side order by word`)).map(
        ({ word }) => word,
      )
    await writeTogether(db.query, [])
    // More values than nine: $1 must not be taken out of $10.
    await writeTogether(
      db.query,
      Array.from({ length: 6 }, (_, place) => into('left', [place], `${place}`)),
    )
    await writeTogether(db.query, [into('right', [1, 2], 'r')])
    assert.deepEqual(await words(), ['00', '11', '22', '33', '44', '55', 'rr', 'rr'])
    await assert.rejects(writeTogether(db.query, [into('left', [9], 'no'), into('right', [1], 'no')]), { code: '23505' })
    assert.deepEqual(await words(), ['00', '11', '22', '33', '44', '55', 'rr', 'rr'])
  })
})
