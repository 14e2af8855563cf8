// The recall index on every store, and what the one in a file leaves behind when its session goes.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { Log } from '../../src/log/ports.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { companion } from './child.ts'
import { onEveryStore } from './contract/stores.ts'
import { faultOf, heard, must, pieceOf, seqsOf, session, sessionOf } from './facts.ts'
import { integrityOf, occurrences, openSqlite, raw, temporaryFolder, withoutRecall } from './files.ts'
import { block, posting, recallContract, recallState } from './recall-contract.ts'

onEveryStore('RecallStore', recallContract)

const RAIN = session('rain')
const SUN = session('sun')
const CANARY = 'quetzalcoatlus'
const KEPT = 'keptelsewhere'
const TABLES = ['recall_sessions', 'recall_postings', 'recall_blocks']

const fileIn = (t: TestContext): string => join(temporaryFolder(t), 'turnwise.db')
const countIn = (file: string, table: string): number =>
  raw(file, db => (db.prepare(`select count(*) as count from ${table}`).get() as { count: number }).count)
const timesIn = (file: string, word: string): number =>
  Object.values(occurrences(file, word)).reduce((sum, each) => sum + each, 0)

async function comesTrue(what: string, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    assert.ok(tries < 1000, `not true after a long while: ${what}`)
    await pause(20)
  }
}

/** Writes an index with a word in every term and body. */
async function fill(log: Log, id: SessionId, word: string, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += 1000) {
    const numbers = Array.from({ length: Math.min(1000, rows - from) }, (_, index) => from + index)
    const postings = numbers.map(number => posting(`${word}${number}`, number % 7, word.repeat(number % 50 === 0 ? 200 : 1)))
    const blocks = numbers.filter(number => number % 50 === 0).map(number => block(number, word.repeat(300)))
    must(await log.recall.write(id, { state: recallState(1), postings, blocks }))
  }
}

async function filled(t: TestContext, file: string, rows: number): Promise<Log> {
  const log = await openSqlite(t, file)
  for (const id of [RAIN, SUN]) {
    must(await log.open(sessionOf(id)))
    must(await log.append(id, [heard('a')]))
  }
  // In turns, so that rows of both make room for each other.
  for (const part of [rows / 4, rows / 2, rows]) {
    await fill(log, RAIN, CANARY, part)
    await fill(log, SUN, KEPT, part)
  }
  return log
}

test('the index of a removed session leaves no row and no word in any file, and the others stay', async t => {
  const file = fileIn(t)
  const log = await filled(t, file, 8000)
  assert.ok(timesIn(file, CANARY) > 8000, 'there is something to be found')
  const kept = [KEPT, ...[1, 50, 4999].map(number => `${KEPT}${number}`)]
  const before = must(await log.recall.postings(SUN, kept))
  must(await log.remove(RAIN))
  assert.deepEqual(
    TABLES.map(table => countIn(file, table)),
    [1, 8000, 160],
    'gone when the answer comes',
  )
  await comesTrue('its bytes are gone', () => timesIn(file, CANARY) === 0)
  assert.deepEqual(must(await log.recall.postings(SUN, kept)), before)
  assert.equal(must(await log.recall.blocks(SUN, 'messages', [0, 50, 7950])).length, 3)
  await log.close()
  assert.equal(timesIn(file, CANARY), 0)
  assert.equal(integrityOf(file), 'ok')
})

test('a removal that was killed while the index went is finished by the next start', async t => {
  const file = fileIn(t)
  const rows = 40_000
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.append(RAIN, [heard('a')]))
  await fill(first, RAIN, CANARY, rows)
  await first.close()
  const other = await companion(t, file)
  const answered = other.ask('remove', RAIN).then(
    () => 'answered',
    () => 'killed',
  )
  await comesTrue('some of it is gone', () => countIn(file, 'recall_postings') < rows)
  await other.kill()
  assert.equal(await answered, 'killed', 'the removal was still under way')
  assert.ok(countIn(file, 'recall_postings') > 0)

  const reader = await openSqlite(t, file, { readOnly: true })
  faultOf(await reader.recall.postings(RAIN, [`${CANARY}39999`]), 'not-found')
  assert.deepEqual(must(await reader.recall.size()), { sessions: 0, messages: 0, bytes: 0 })
  assert.deepEqual(must(await reader.recall.behind({ version: 2, vectors: null }, 9)), [])
  await reader.close()
  const log = await openSqlite(t, file)
  await comesTrue('the rest is gone', () => [...TABLES, 'deleting', 'events'].every(table => countIn(file, table) === 0))
  await comesTrue('its bytes are gone', () => timesIn(file, CANARY) === 0)
  must(await log.open(sessionOf(RAIN)))
  assert.equal(must(await log.recall.state(RAIN)), undefined)
})

test('the rows of a cleared index go in pieces, also after a restart, and those that came since stay', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.append(RAIN, [heard('a')]))
  await fill(first, RAIN, CANARY, 20_000)
  must(await first.recall.clear(RAIN))
  must(await first.recall.write(RAIN, { state: recallState(1), postings: [posting(KEPT, 0, KEPT)], blocks: [block(0, KEPT)] }))
  await first.close()
  assert.ok(countIn(file, 'recall_postings') > 1000, 'nobody waits for all of them')
  const log = await openSqlite(t, file)
  await comesTrue('only the new rows are left', () => TABLES.every(table => countIn(file, table) === 1))
  await comesTrue('its bytes are gone', () => timesIn(file, CANARY) === 0)
  assert.equal(must(await log.recall.postings(RAIN, [KEPT])).length, 1)
  assert.equal(must(await log.recall.blocks(RAIN, 'messages', [0])).length, 1)
  assert.equal(must(await log.read(RAIN)).length, 1)
})

test('rows of a session that an import gives up go with it', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  const bringing = must(await first.startImport())
  for (const id of [RAIN, SUN]) must(await bringing.add(pieceOf(id, [heard('a')])))
  must(await bringing.publish(() => []))
  assert.deepEqual(must(await first.recall.behind({ version: 1, vectors: null }, 9)), [RAIN, SUN])
  await fill(first, RAIN, CANARY, 100)
  await first.close()
  // One row more is all that it takes for it to be on its way in again.
  raw(file, db => db.exec('insert into bringings select distinct bringing from sessions where bringing > 0'))
  const reader = await openSqlite(t, file, { readOnly: true })
  faultOf(await reader.recall.state(RAIN), 'not-found')
  assert.deepEqual(must(await reader.recall.behind({ version: 2, vectors: null }, 9)), [])
  await reader.close()
  const log = await openSqlite(t, file)
  faultOf(await log.recall.state(RAIN), 'not-found')
  await comesTrue('its rows are gone', () => TABLES.every(table => countIn(file, table) === 0))
  await comesTrue('its bytes are gone', () => timesIn(file, CANARY) === 0)
})

test('a write that the database refuses half-way leaves nothing, and those beside it are written', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  for (const id of [RAIN, SUN]) must(await log.open(sessionOf(id)))
  must(await log.append(RAIN, [heard('a')]))
  raw(file, db =>
    db.exec(
      `create trigger refuse before insert on recall_postings when new.term = 'never' begin select raise(abort, 'refused'); end`,
    ),
  )
  const change = { state: recallState(1), blocks: [block(0, 'a')] }
  const [mine, theirs] = await Promise.all([
    log.recall.write(RAIN, { ...change, postings: [posting('a', 0, 'a'), posting('never', 0, 'b')] }),
    log.recall.write(SUN, { ...change, postings: [posting('a', 0, 'a')] }),
  ])
  faultOf(mine, 'store')
  must(theirs)
  assert.equal(must(await log.recall.state(RAIN)), undefined)
  assert.deepEqual(must(await log.recall.postings(RAIN, ['a'])), [])
  assert.deepEqual(must(await log.recall.behind({ version: 1, vectors: null }, 9)), [RAIN])
  assert.deepEqual(
    TABLES.map(table => countIn(file, table)),
    [1, 1, 1],
  )
})

test('a log that is only read gives the index, and refuses to change it', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN)))
  must(await log.append(RAIN, [heard('a')]))
  const reader = await openSqlite(t, file, { readOnly: true })
  assert.deepEqual(must(await reader.recall.behind({ version: 1, vectors: null }, 9)), [RAIN])
  await fill(log, RAIN, KEPT, 10)
  assert.equal(must(await reader.recall.postings(RAIN, [`${KEPT}3`])).length, 1)
  faultOf(await reader.recall.write(RAIN, { state: recallState(2) }), 'store')
  faultOf(await reader.recall.clear(RAIN), 'store')
  assert.deepEqual(must(await log.recall.state(RAIN)), recallState(1))
})

test('a copy of the file has the index', async t => {
  const folder = temporaryFolder(t)
  const log = await openSqlite(t, join(folder, 'turnwise.db'))
  must(await log.open(sessionOf(RAIN)))
  await fill(log, RAIN, KEPT, 10)
  must(await log.backup(join(folder, 'copy.db')))
  const copy = await openSqlite(t, join(folder, 'copy.db'))
  assert.deepEqual(must(await copy.recall.state(RAIN)), recallState(1))
  assert.equal(must(await copy.recall.postings(RAIN, [`${KEPT}3`])).length, 1)
})

test('a damaged event keeps its place among those that are read by their seqs', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN)))
  must(await log.append(RAIN, [heard('a'), heard('b'), heard('c')]))
  raw(file, db => db.exec(`drop trigger events_update; update events set body = '{' where seq = 2`))
  const events = must(await log.read(RAIN, { seqs: [3, 2] }))
  assert.deepEqual(seqsOf(events), [2, 3])
  assert.deepEqual(
    events.map(({ type }) => type),
    ['damaged', 'message.received'],
  )
})

for (const form of [6, 9])
  test(`every session of a database of form ${form} with something in it is behind`, async t => {
    const file = fileIn(t)
    writeFileSync(file, gunzipSync(readFileSync(`test/fixtures/database-form-${form}.db.gz`)))
    const log = await openSqlite(t, file)
    const { items } = must(await log.sessions({ limit: 999 }))
    const heads = await Promise.all(items.map(async ({ id }) => must(await log.standing(id)).head))
    const said = items.filter((_, index) => (heads[index] ?? 0) > 0).map(({ id }) => id)
    assert.ok(said.length > 3)
    assert.deepEqual(must(await log.recall.behind({ version: 1, vectors: null }, 999)), said)
    for (const id of said) assert.equal(must(await log.recall.state(id)), undefined)
    await log.close()
    assert.equal(integrityOf(file), 'ok')
  })

test('a file of the form before the recall index becomes one of today, and is found, indexed and removed', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  for (const id of [RAIN, SUN]) must(await first.open(sessionOf(id)))
  must(await first.append(RAIN, [heard('a')]))
  await first.close()
  raw(file, withoutRecall)
  const log = await openSqlite(t, file)
  assert.deepEqual(must(await log.recall.behind({ version: 1, vectors: null }, 9)), [RAIN])
  must(await log.recall.write(RAIN, { state: recallState(1), postings: [posting('a', 0, 'a')] }))
  assert.deepEqual(must(await log.recall.behind({ version: 1, vectors: null }, 9)), [])
  must(await log.remove(RAIN))
  await comesTrue('not even its name is left', () => timesIn(file, 'ses_rain') === 0)
})

test('what is behind, and events by their seqs, are found by index', async t => {
  const file = fileIn(t)
  await openSqlite(t, file)
  const planOf = (text: string, ...values: string[]): string =>
    raw(file, db => JSON.stringify(db.prepare(`explain query plan ${text}`).all(...values)))
  const order = 'order by updated_at desc, id limit 9'
  for (const [text, index] of [
    [`select id from findable where head > recalled ${order}`, 'sessions_unrecalled'],
    [`select id from findable where recalled_by = 'a' ${order}`, 'sessions_by_recall'],
    [`select min(recalled_by) from sessions where recalled_by > 'a'`, 'sessions_by_recall'],
  ] as const) {
    assert.match(planOf(text), new RegExp(index))
    assert.doesNotMatch(planOf(text), /TEMP B-TREE/)
  }
  const bySeqs = `select body from events where session = 'a' and seq > 0 and seq <= 9 and seq in (select value from json_each('[1]')) order by seq`
  assert.match(planOf(bySeqs), /events_by_seq \(session=\? AND seq=\?\)/)
})
