// What sessions from elsewhere leave in the file, whatever happens on their way in.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../src/log/ports.ts'
import { NEWEST } from '../../src/log/sqlite/migrations.ts'
import type { SessionId } from '../../src/model/ids.ts'
import {
  exchange,
  faultOf,
  finished,
  heard,
  must,
  pieceOf,
  planned,
  receiptId,
  session,
  sessionOf,
  started,
  text,
  turn,
} from './facts.ts'
import { integrityOf, occurrences, openSqlite, raw, temporaryFolder } from './files.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')
const CANARY = 'quetzalcoatlus'

const fileIn = (t: TestContext): string => join(temporaryFolder(t), 'turnwise.db')
const countIn = (file: string, table: string): number =>
  raw(file, db => (db.prepare(`select count(*) as count from ${table}`).get() as { count: number }).count)
const idsIn = async (log: Log, query?: string): Promise<readonly SessionId[]> =>
  must(await log.sessions({ limit: 99, ...(query === undefined ? {} : { query }) })).items.map(({ id }) => id)

/** The words of the index, and in how many events each is. */
const wordsIn = (file: string): ReadonlyMap<string, number> =>
  raw(file, db => {
    db.exec(
      `insert into words (words) values ('integrity-check'); create virtual table temp.seen using fts5vocab(main, words, row)`,
    )
    const seen = db.prepare('select term, doc from temp.seen').all() as { term: string; doc: number }[]
    return new Map(seen.map(({ term, doc }) => [term, doc]))
  })

/** The writer tidies up by itself, a little at a time. */
async function comesTrue(what: string, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    assert.ok(tries < 1000, `not true after a long while: ${what}`)
    await pause(20)
  }
}

/** Enough to be written down before anybody publishes it. */
const LONG = Array.from({ length: 1200 }, (_, index) => heard(`${CANARY} ${index}`))
const TEXTS = [{ hash: 'h', text: `a text of ${CANARY}` }]
const WAITING_ROOMS = ['events', 'arriving', 'bringings', 'unread', 'texts', 'text_uses', 'deleting', 'sessions']

test('what was on its way in when the process ended is found by nobody, and leaves no text behind', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  const bringing = must(await first.startImport())
  must(await bringing.add({ ...pieceOf(RAIN, LONG), texts: TEXTS }))
  must(await bringing.add(pieceOf(SUN, [heard(CANARY), started(T1, 1)])))
  await first.close()
  assert.ok(countIn(file, 'events') >= 500, 'some of it was written')
  assert.equal(countIn(file, 'texts'), 1)

  const log = await openSqlite(t, file)
  assert.deepEqual(await idsIn(log), [])
  assert.deepEqual(await idsIn(log, CANARY), [])
  assert.deepEqual(must(await log.openTurns()), [])
  await comesTrue('all of it is gone', () => WAITING_ROOMS.every(table => countIn(file, table) === 0))
  await comesTrue('its bytes are gone', () => Object.values(occurrences(file, CANARY)).every(count => count === 0))
  assert.equal(integrityOf(file), 'ok')
  const again = must(await log.startImport())
  must(await again.add(pieceOf(RAIN, [heard(CANARY)])))
  must(await again.publish(() => []))
  assert.deepEqual(await idsIn(log, CANARY), [RAIN])
})

test('sessions that were among the others already, but not published, go the same way', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(session('own'))))
  const bringing = must(await first.startImport())
  must(await bringing.add({ ...pieceOf(RAIN, [heard(CANARY)]), texts: TEXTS }))
  must(await bringing.publish(() => []))
  assert.deepEqual(await idsIn(first), [session('own'), RAIN])
  await first.close()
  // One row more is all that it takes for them to be on their way again.
  raw(file, db => db.exec('insert into bringings select bringing from sessions where bringing > 0'))
  const reader = await openSqlite(t, file, { readOnly: true })
  assert.deepEqual(await idsIn(reader), [session('own')])
  faultOf(await reader.session(RAIN), 'not-found')
  await reader.close()
  const log = await openSqlite(t, file)
  assert.deepEqual(await idsIn(log), [session('own')])
  await comesTrue('they are gone', () => ['events', 'texts', 'bringings', 'unread'].every(table => countIn(file, table) === 0))
})

test('an id that somebody takes meanwhile is a conflict that names it, and nothing comes in', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  const bringing = must(await log.startImport())
  must(await bringing.add(pieceOf(RAIN, [heard('theirs')])))
  must(await bringing.add(pieceOf(SUN, [heard('theirs')])))
  must(await log.open(sessionOf(SUN)))
  assert.match(faultOf(await bringing.publish(() => []), 'conflict').message, /ses_sun/)
  assert.deepEqual(await idsIn(log), [SUN])
  assert.equal(must(await log.standing(SUN)).head, 0)
  const late = must(await log.startImport())
  must(await late.add(pieceOf(RAIN, LONG)))
  await comesTrue('some of it was written', () => countIn(file, 'arriving') === 1)
  faultOf(await log.open(sessionOf(RAIN)), 'conflict')
  await late.abandon()
  assert.deepEqual(await idsIn(log, CANARY), [])
  assert.equal(wordsIn(file).size, 0, 'nothing is indexed only to be forgotten')
})

test('words are not in the index before their session can be found, and then once', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(SUN)))
  const bringing = must(await log.startImport())
  const id = receiptId('staged')
  must(await bringing.add(pieceOf(RAIN, [planned(T1, 1, { id }), ...LONG])))
  await comesTrue('some of it was written', () => countIn(file, 'events') >= 500)
  faultOf(await log.receipt(id), 'not-found')
  faultOf(await log.read(RAIN), 'not-found')
  must(await log.append(SUN, [heard('brolly')]))
  // Whoever searches is waited for by the index.
  assert.deepEqual(await idsIn(log, 'brolly'), [SUN])
  assert.deepEqual([...wordsIn(file)], [['brolly', 1]])
  must(await bringing.publish(() => []))
  assert.deepEqual(await idsIn(log, CANARY), [RAIN])
  const words = wordsIn(file)
  assert.deepEqual([words.get(CANARY), words.get('1199'), words.get('brolly')], [LONG.length, 1, 1])
  assert.equal(countIn(file, 'unread'), 0)
  assert.equal(must(await log.receipt(id)).session, RAIN)
})

test('a session that is removed before its words were indexed leaves none, and spoils no others', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  const bringing = must(await log.startImport())
  must(await bringing.add(pieceOf(RAIN, exchange(1, T1, 'brolly one', 'brolly two'))))
  must(await bringing.add(pieceOf(SUN, exchange(1, T1, 'brolly three', 'brolly four'))))
  must(await bringing.publish(() => []))
  must(await log.remove(RAIN))
  assert.deepEqual(await idsIn(log, 'brolly'), [SUN])
  await comesTrue('all words are indexed', () => countIn(file, 'unread') === 0)
  must(await log.remove(SUN))
  await comesTrue('no word is left', () => wordsIn(file).size === 0)
})

test('a receipt leaves nothing when its session is removed', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN)))
  const id = receiptId('zanzibar')
  must(await log.append(RAIN, [heard('a'), started(T1, 1), planned(T1, 2, { id }), finished(T1, 1, text('b'))]))
  assert.equal(must(await log.receipt(id)).session, RAIN)
  must(await log.remove(RAIN))
  faultOf(await log.receipt(id), 'not-found')
  assert.equal(countIn(file, 'receipts'), 0)
  await comesTrue('its bytes are gone', () => Object.values(occurrences(file, id)).every(count => count === 0))
})

test('a receipt that is damaged is not found, and harms nobody', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  const [whole, broken] = [receiptId('whole'), receiptId('broken')]
  for (const id of [whole, broken]) {
    const fact = planned(T1, 1, { id })
    assert.ok(fact.type === 'context.planned')
    must(await log.account(fact.receipt))
  }
  raw(file, db => db.prepare(`update receipts set body = '{"id":' where id = ?`).run(broken))
  faultOf(await log.receipt(broken), 'not-found')
  assert.equal(must(await log.receipt(whole)).receipt.id, whole)
})

test('a file of the form before sessions came from elsewhere becomes one of today, and its receipts are found', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  const id = receiptId('old')
  must(await first.append(RAIN, [heard('umbrella'), started(T1, 1), planned(T1, 2, { id }), planned(T1, 2)]))
  const before = must(await first.session(RAIN))
  await first.close()
  raw(file, db => {
    db.exec('drop trigger events_update')
    db.exec(`update events set body = 'no longer JSON' where seq = 4`)
    db.exec(`create trigger events_update before update on events begin select raise(abort, 'events are never edited'); end`)
    db.exec(
      'drop trigger events_count_turn; drop trigger events_forget_turn; drop table voice_counts; drop index events_by_voice',
    )
    db.exec('alter table sessions drop column fence; drop index events_by_id; alter table events drop column event_id')
    db.exec('drop view findable; alter table sessions drop column bringing; drop index events_by_receipt')
    for (const table of ['bringings', 'arriving', 'unread', 'receipts', 'doors', 'grants']) db.exec(`drop table ${table}`)
    db.exec('pragma user_version = 5')
  })
  const log = await openSqlite(t, file)
  assert.equal(
    raw(file, db => (db.prepare('pragma user_version').get() as { user_version: number }).user_version),
    NEWEST,
  )
  assert.deepEqual(must(await log.session(RAIN)), before)
  assert.equal(must(await log.receipt(id)).session, RAIN)
  assert.deepEqual(await idsIn(log, 'umbrella'), [RAIN])
  const bringing = must(await log.startImport())
  must(await bringing.add(pieceOf(SUN, [heard('umbrella')])))
  must(await bringing.publish(() => []))
  assert.deepEqual(await idsIn(log, 'umbrella'), [SUN, RAIN])
  assert.equal(integrityOf(file), 'ok')
})
