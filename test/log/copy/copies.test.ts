// A house is the same in every store it is copied to: what its ports say, what is derived, and what is refused.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { weigh } from '../../../src/context/text/tokens.ts'
import { compareHouses, copyHouse, type HouseAddress, openHouse, openTarget } from '../../../src/log/copy/open-houses.ts'
import { openStore } from '../../../src/log/open-store.ts'
import type { Log } from '../../../src/log/ports.ts'
import { readAddress } from '../../../src/log/postgres/connection.ts'
import type { Result } from '../../../src/model/result.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { heard, must, sessionOf, ticking } from '../facts.ts'
import { integrityOf, raw, temporaryFolder } from '../files.ts'
import { buildHouse, RAIN, SECOND_FORK, seenOf, sentAgain } from './a-house.ts'

type Kind = 'sqlite' | 'postgres'
const noPostgres = await whyNoPostgres()
const PAIRS: readonly (readonly [Kind, Kind])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['postgres', 'postgres'],
  ['sqlite', 'sqlite'],
]
const skipped = (...kinds: readonly Kind[]): string | false => (kinds.includes('postgres') ? (noPostgres ?? false) : false)

const placeOf = async (t: TestContext, kind: Kind): Promise<HouseAddress> =>
  kind === 'sqlite'
    ? { kind, file: join(temporaryFolder(t), 'turnwise.db') }
    : { kind, url: await postgresUrl(t), title: 'a database' }

async function opened(place: HouseAddress): Promise<Log> {
  return must(await openStore(place.kind === 'sqlite' ? place.file : place.url, { clock: ticking(), weigh }))
}

async function inLog<Value>(place: HouseAddress, use: (log: Log) => Promise<Value>): Promise<Value> {
  const log = await opened(place)
  try {
    return await use(log)
  } finally {
    await log.close()
  }
}

type Given = { readonly finishes?: boolean; readonly abort?: AbortSignal }

async function copied(
  from: HouseAddress,
  to: HouseAddress,
  { finishes = true, abort }: Given = {},
): Promise<Result<unknown, { message: string }>> {
  const source = must(await openHouse(from))
  const target = await openTarget(source, to)
  if (!target.ok) {
    await source.close()
    return target
  }
  const watch = { abort: abort ?? new AbortController().signal, onProgress: () => {} }
  try {
    const done = await copyHouse(source, target.value, watch)
    if (!done.ok) return done
    const compared = await compareHouses(source, target.value, watch)
    if (!compared.ok) return compared
    if (finishes) must(await target.value.finish())
    return { ok: true, value: { ...done.value, ...compared.value } }
  } finally {
    await target.value.close()
    await source.close()
  }
}

const DERIVED = {
  postgres: ['message_numbers', 'late_turns', 'voice_counts', 'kept_pins', 'kept_folds', 'checkpoints', 'keys', 'text_uses'],
  sqlite: [
    'message_numbers',
    'late_turns',
    'voice_counts',
    'kept_pins',
    'kept_folds',
    'inflight',
    'keys',
    'text_uses',
    'open_turns',
  ],
}

/** The rows that follow from events, as the store has them. */
async function derivedIn(place: HouseAddress): Promise<unknown> {
  const query = (table: string): string => `select * from ${table} order by session, 2, 3`
  if (place.kind === 'sqlite')
    return raw(place.file, db => DERIVED.sqlite.map(table => JSON.parse(JSON.stringify(db.prepare(query(table)).all()))))
  const { url, schema } = readAddress(place.url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set search_path = ${schema}`)
    const tables: unknown[] = []
    for (const table of DERIVED.postgres) tables.push((await client.query(query(table))).rows)
    tables.push((await client.query('select receipt, session, seq from receipt_places order by number')).rows)
    tables.push((await client.query('select id, turns, speakers, is_source from sessions order by id')).rows)
    tables.push((await client.query('select session, seq, voice, resumes, step, is_odd from events order by session, seq')).rows)
    return tables
  } finally {
    await client.end()
  }
}

for (const [from, to] of PAIRS)
  test(`from ${from} to ${to} and back: every port says the same, and every derived row is the same`, {
    skip: skipped(from, to),
  }, async t => {
    // A long session comes in several pages.
    const long = from === to ? 0 : 2100
    const [source, target, back] = [await placeOf(t, from), await placeOf(t, to), await placeOf(t, from)]
    await inLog(source, log => buildHouse(log, long))
    const before = await inLog(source, seenOf)
    const derived = await derivedIn(source)
    const report = must((await copied(source, target)) as Result<Record<string, unknown>, never>)
    assert.deepEqual([report.sessions, report.there, report.usage, report.receipts], [long === 0 ? 6 : 7, 0, 4, 1])
    assert.deepEqual(await inLog(target, seenOf), before)
    assert.deepEqual(await inLog(target, sentAgain), [true, 5, true, 5, 'conflict'])
    must((await copied(target, back)) as Result<unknown, never>)
    assert.deepEqual(await derivedIn(back), derived)
    assert.deepEqual(await inLog(back, seenOf), before)
    const again = must((await copied(source, target)) as Result<Record<string, unknown>, never>)
    assert.equal(again.digest, report.digest)
    assert.equal(again.there, report.sessions)
    for (const place of [source, target, back]) if (place.kind === 'sqlite') assert.equal(integrityOf(place.file), 'ok')
    // The copy goes on as the house would have.
    await inLog(target, async log => {
      must(await log.append(RAIN, [heard('On it goes')]))
      must(await log.grants.add({ tool: 'new', binding: 'b2', session: null, facts: {} }))
      assert.equal(new Set(must(await log.grants.list()).map(({ id }) => id)).size, 2)
    })
  })

const refusal = (result: Result<unknown, { message: string }>): string => (result.ok ? 'copied' : result.fault.message)

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = skipped(kind)
  test(`half a house on ${kind} opens for nothing but the copy, which goes on with it`, { skip }, async t => {
    const [source, target] = [await placeOf(t, 'sqlite'), await placeOf(t, kind)]
    await inLog(source, buildHouse)
    must((await copied(source, target, { finishes: false })) as Result<unknown, never>)
    const address = target.kind === 'sqlite' ? target.file : target.url
    for (const readOnly of [false, true]) {
      const half = await openStore(address, { clock: Date.now, weigh, readOnly })
      assert.match(refusal(half), /only a part of a house: a copy into it was not finished/)
    }
    assert.match(refusal(await openHouse(target)), /only a part of a house/)
    const looked = must(await openStore(address, { clock: Date.now, weigh, isForCopy: true }))
    assert.equal(looked.nodes, undefined)
    await looked.close()
    must((await copied(source, target)) as Result<unknown, never>)
    assert.deepEqual(await inLog(target, seenOf), await inLog(source, seenOf))
  })

  test(`a ${kind} store with anything else in it is refused, and stays as it is`, { skip }, async t => {
    const [source, target] = [await placeOf(t, 'sqlite'), await placeOf(t, kind)]
    await inLog(source, buildHouse)
    const refused = async (change: (log: Log) => Promise<unknown>, expected: RegExp): Promise<void> => {
      await inLog(target, change)
      assert.match(refusal(await copied(source, target)), expected)
      // It still opens: nothing was begun.
      await inLog(target, async log => must(await log.usage({})))
    }
    await refused(async log => must(await log.learn('demo/other', 2)), /the token factor of demo\/other is there and differs/)
    const other = await placeOf(t, kind)
    must((await copied(source, other)) as Result<unknown, never>)
    await inLog(other, async log => must(await log.append(SECOND_FORK, [heard('Here only')])))
    assert.match(refusal(await copied(source, other)), /ses_a0fork is there already and differs \(13 events there, 12 in/)
    await inLog(other, log => log.remove(SECOND_FORK))
    await inLog(other, async log => must(await log.open(sessionOf('ses_zz' as typeof RAIN))))
    assert.match(refusal(await copied(source, other)), /ses_zz is there, and not in/)
  })

  test(`one byte that differs on ${kind} is found and named`, { skip }, async t => {
    const [source, target] = [await placeOf(t, 'sqlite'), await placeOf(t, kind)]
    await inLog(source, buildHouse)
    must((await copied(source, target)) as Result<unknown, never>)
    const edit = `update events set body = replace(body, 'Upon', 'upon') where session = 'ses_old' and seq = 4`
    if (target.kind === 'sqlite') raw(target.file, db => db.exec(`drop trigger events_update; ${edit}`))
    else {
      const { url, schema } = readAddress(target.url)
      const trigger = (word: string): string => `alter table ${schema}.events ${word} trigger events_are_facts`
      await onServer(url, `${trigger('disable')}; ${edit.replace('events', `${schema}.events`)}; ${trigger('enable')}`)
    }
    assert.match(refusal(await copied(source, target)), /the two stores differ: event 4 of ses_old is not the same/)
  })
}

test('a store is never copied into itself, and a newer or damaged one is told from an empty one', {
  skip: skipped('postgres'),
}, async t => {
  const [file, database] = [await placeOf(t, 'sqlite'), await placeOf(t, 'postgres')]
  assert.match(refusal(await openHouse(file)), /there is no database at/)
  await inLog(file, buildHouse)
  assert.match(refusal(await copied(file, file)), /both are the same store/)
  await inLog(database, async log => must(await log.learn('m', 1)))
  const renamed = {
    ...database,
    url: `${(database as { url: string }).url}&application_name=other`,
    title: 'by another name',
  } as HouseAddress
  assert.match(refusal(await copied(database, renamed)), /both are the same store/)
  const { url, schema } = readAddress((database as { url: string }).url)
  await onServer(url, `insert into ${schema}.schema_versions (version) values (99)`)
  assert.match(refusal(await openHouse(database)), /newer Turnwise \(schema 99/)
  assert.match(refusal(await copied(file, database)), /newer Turnwise \(schema 99/)
  await onServer(url, `delete from ${schema}.schema_versions where version = 99`)
  if (file.kind === 'sqlite') raw(file.file, db => db.exec('pragma user_version = 99'))
  assert.match(refusal(await openHouse(file)), /newer Turnwise \(form 99/)
})

test('a damaged event stays as damaged as it was, and one that PostgreSQL cannot keep is named', {
  skip: skipped('postgres'),
}, async t => {
  const [file, database, back] = [await placeOf(t, 'sqlite'), await placeOf(t, 'postgres'), await placeOf(t, 'sqlite')]
  await inLog(file, log => buildHouse(log))
  const damage = (body: string): void => {
    if (file.kind === 'sqlite')
      raw(file.file, db =>
        db.exec(
          `drop trigger if exists events_update; update events set body = ${body} where session = 'ses_old' and seq in (1, 4)`,
        ),
      )
  }
  damage(`'{"half'`)
  must((await copied(file, database)) as Result<unknown, never>)
  must((await copied(database, back)) as Result<unknown, never>)
  const seen = await inLog(file, seenOf)
  assert.deepEqual(await inLog(database, seenOf), seen)
  assert.deepEqual(await inLog(back, seenOf), seen)
  damage(`'{"' || char(0) || '"}'`)
  const refusing = await placeOf(t, 'postgres')
  assert.match(
    refusal(await copied(file, refusing)),
    /ses_old: event 1 is damaged and has characters that PostgreSQL cannot keep/,
  )
})
