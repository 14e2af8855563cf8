import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { weigh } from '../../src/context/text/tokens.ts'
import type { Log } from '../../src/log/ports.ts'
import { MIGRATIONS, NEWEST } from '../../src/log/sqlite/migrations.ts'
import { sqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import type { Fact } from '../../src/model/event.ts'
import type { ApprovalId, EventId, SessionId } from '../../src/model/ids.ts'
import { companion } from './child.ts'
import {
  ended,
  exchange,
  factsOf,
  faultOf,
  finished,
  gapless,
  heard,
  must,
  planned,
  randomFrom,
  seqsOf,
  session,
  sessionOf,
  started,
  text,
  turn,
} from './facts.ts'
import { contentOf, integrityOf, occurrences, openSqlite, raw, temporaryFolder, withoutCounts, withoutNumbers } from './files.ts'
import { block, posting, recallState } from './recall-contract.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')

const fileIn = (t: TestContext): string => join(temporaryFolder(t), 'turnwise.db')
const tryToOpen = (file: string, more: object = {}) => sqliteLog({ file, clock: Date.now, weigh, ...more })
const digestOf = (file: string): string => createHash('sha256').update(contentOf(file)).digest('hex')
const isOneLine = (message: string): void => assert.doesNotMatch(message, /\n/)

test('the file itself refuses to edit or delete an event', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN)))
  must(await log.append(RAIN, [heard('as it was said')]))
  raw(file, db => {
    assert.throws(() => db.exec(`update events set body = '{}'`), /events are never edited/)
    assert.throws(() => db.exec('update events set seq = 7'), /events are never edited/)
    assert.throws(() => db.exec('delete from events'), /events are never deleted one by one/)
  })
  assert.equal(must(await log.read(RAIN)).length, 1)
})

/** One word that the index keeps whole, so that one scan finds it in bodies, in texts and in the index alike. */
const CANARY = 'xylocanary'
const KEPT = 'keptelsewhere'

test('a session that is deleted leaves none of its text in any file', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN, { title: `title ${CANARY}` })))
  must(await log.open(sessionOf(SUN)))
  const own = { hash: 'own', text: `only here: ${CANARY}` }
  const shared = { hash: 'shared', text: `in both: ${KEPT}` }
  const renamed: Fact = { type: 'session.changed', changes: { title: `renamed ${CANARY}` } }
  must(await log.append(RAIN, [...told(1, CANARY), renamed], { key: `key ${CANARY}`, texts: [own, shared] }))
  must(await log.append(RAIN, [heard(CANARY), started(T1, 7)]))
  const folded = (words: string): Fact => ({
    ...{ type: 'history.folded', from: 1, to: 5, text: `fold ${words}`, by: 'model', voice: words, left: [`left ${words}`] },
  })
  const pinned: Fact = { type: 'message.marked', target: 1, mark: 'pin', reach: 'everywhere' }
  must(await log.append(RAIN, [folded(CANARY), folded(`${CANARY} again`), pinned]))
  must(await log.append(SUN, told(1, KEPT), { texts: [shared] }))
  must(await log.checkpoint(RAIN, { turn: T1, step: 1, parts: [text(`half of ${CANARY}`)] }))
  for (const [id, word] of [
    [RAIN, CANARY],
    [SUN, KEPT],
  ] as const) {
    const rows = { postings: [posting(word, 0, `posting ${word}`)], blocks: [block(0, `block ${word}`)] }
    must(await log.recall.write(id, { state: recallState(1, { vectors: word }), ...rows }))
  }
  assert.deepEqual(idsOf(await log.sessions({ query: CANARY, limit: 5 })), [RAIN], 'it is in the index')
  assert.ok(total(occurrences(file, CANARY)) > 10, 'there is something to be found')

  must(await log.remove(RAIN))
  assert.equal(total(occurrences(file, CANARY)), 0, 'gone when the answer comes, and not only when the file is closed')
  assert.equal(total(occurrences(file, 'ses_rain')), 0, 'also its name')
  const remembered = raw(file, db => [count(db, 'kept_pins'), count(db, 'kept_folds')])
  assert.deepEqual([remembered, must(await log.memory.list({ limit: 5 })).items], [[0, 0], []], 'its pins and folds, too')
  assert.equal(must(await log.recall.postings(SUN, [CANARY, KEPT])).length, 1)
  assert.equal(must(await log.recall.blocks(SUN, 'messages', [0])).length, 1)
  assert.deepEqual(idsOf(await log.sessions({ query: KEPT, limit: 5 })), [SUN])
  assert.deepEqual([...must(await log.texts(['own', 'shared']))], [['shared', shared.text]])
  assert.deepEqual(factsOf(must(await log.read(SUN))), told(1, KEPT))
  await log.close()
  assert.equal(total(occurrences(file, CANARY)), 0)
  assert.ok(total(occurrences(file, KEPT)) > 5)
})

test('a long session among others, whose rows have moved about in the file, leaves none of its text either', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  const next = randomFrom(7)
  for (const id of [RAIN, SUN]) must(await log.open(sessionOf(id)))
  for (let batch = 0; batch < 10; batch += 1) {
    const appended = Array.from({ length: 40 }, (_, index) => {
      const [id, word] = next() < 0.5 ? ([RAIN, CANARY] as const) : ([SUN, KEPT] as const)
      const words = Array.from({ length: Math.exp(next() * 7) }, () => `${word}${Math.floor(next() * 1000)}`).join(' ')
      const name = `${batch * 40 + index}`
      return log.append(id, told(batch * 40 + index, words), { key: `${word} ${name}`, texts: [{ hash: name, text: words }] })
    })
    for (const each of await Promise.all(appended)) must(each)
  }
  const kept = must(await log.read(SUN))
  must(await log.sessions({ query: CANARY, limit: 1 }))
  must(await log.remove(RAIN))
  await until(() => total(occurrences(file, CANARY)) === 0)
  assert.deepEqual(must(await log.read(SUN)), kept)
  assert.deepEqual(idsOf(await log.sessions({ query: KEPT, limit: 5 })), [SUN])
  await log.close()
  assert.equal(integrityOf(file), 'ok')
  raw(file, db => db.exec(`insert into words (words) values ('integrity-check')`))
})

const total = (found: Readonly<Record<string, number>>): number => Object.values(found).reduce((sum, count) => sum + count, 0)

const told = (index: number, words: string): readonly Fact[] => {
  const id = turn(`told${index}`)
  const call = { type: 'call', call: 'c1', tool: 'look', args: { words } } as const
  return [
    heard(words),
    started(id, 1),
    planned(id, 2, { model: words.slice(0, 50) }),
    finished(id, 1, text(words), { type: 'think', text: words }, call),
    ended(id),
  ]
}

const idsOf = (found: Awaited<ReturnType<Awaited<ReturnType<typeof openSqlite>>['sessions']>>): SessionId[] =>
  must(found).items.map(item => item.id)

test('a session is deleted without a trace even where one of its rows was damaged', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  for (const id of [RAIN, SUN]) must(await first.open(sessionOf(id)))
  must(await first.append(RAIN, [heard(`${CANARY} one`), heard(`${CANARY} two`)]))
  must(await first.append(SUN, [heard(KEPT)]))
  assert.equal(idsOf(await first.sessions({ query: CANARY, limit: 5 })).length, 1)
  await first.close()
  raw(file, db => db.exec(`drop trigger events_update; update events set body = '{' where session = 'ses_rain' and seq = 1`))
  const log = await openSqlite(t, file)
  must(await log.remove(RAIN))
  assert.equal(total(occurrences(file, CANARY)), 0)
  assert.deepEqual(idsOf(await log.sessions({ query: KEPT, limit: 5 })), [SUN])
})

test('a removal that was killed half-way is finished by the next start', async t => {
  const file = fileIn(t)
  const first = await companion(t, file)
  must(await first.ask('open', sessionOf(RAIN)))
  must(
    await first.ask(
      'append',
      RAIN,
      Array.from({ length: 3000 }, (_, index) => heard(`${CANARY} ${index}`)),
    ),
  )
  must(await first.ask('sessions', { query: CANARY, limit: 1 }))
  const answered = first.ask('remove', RAIN).then(
    () => 'answered',
    () => 'killed',
  )
  await until(() => raw(file, db => count(db, 'events') < 3000))
  await first.kill()
  assert.equal(await answered, 'killed', 'the removal was still under way')
  assert.ok(raw(file, db => count(db, 'events')) > 0)

  const log = await openSqlite(t, file)
  faultOf(await log.session(RAIN), 'not-found')
  faultOf(await log.read(RAIN), 'not-found')
  assert.deepEqual(idsOf(await log.sessions({ query: CANARY, limit: 1 })), [])
  await until(() => raw(file, db => count(db, 'events') + count(db, 'deleting') === 0))
  await until(() => total(occurrences(file, CANARY)) === 0)
})

const count = (db: DatabaseSync, table: string): number =>
  (db.prepare(`select count(*) as n from ${table}`).get() as { n: number }).n

/** Looks again and again until it is so; the test's own limit ends a wait in vain. */
async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!isSo()) {
    assert.ok(Date.now() < deadline, `still not: ${isSo}`)
    await pause(20)
  }
}

test('a second log on one file is refused at once, in one line that says what to do', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  const began = performance.now()
  const second = faultOf(await tryToOpen(file), 'store')
  // Whoever waits for a lock waits for five seconds.
  assert.ok(performance.now() - began < 4000, 'it does not wait for the first to end')
  assert.match(second.message, /in use by another Turnwise process/)
  isOneLine(second.message)
  const other = await companion(t, file)
  assert.equal(faultOf(other.opened, 'store').message, second.message, 'nor from another process')
  must(await log.open(sessionOf(RAIN)))
  await log.close()
  must(await (await openSqlite(t, file)).session(RAIN))
})

test('a killed process leaves no lock behind, and nothing that it was told is safe is lost', async t => {
  const file = fileIn(t)
  const first = await companion(t, file)
  must(await first.ask('open', sessionOf(RAIN)))
  must(await first.ask('append', RAIN, [heard('before the end')], { key: 'k' }))
  faultOf(await tryToOpen(file), 'store')
  await first.kill()
  const log = await openSqlite(t, file)
  assert.equal(must(await log.append(RAIN, [heard('again')], { key: 'k' })).again, true)
})

test('words that were not indexed when the process was killed are found after it', async t => {
  const file = fileIn(t)
  const first = await companion(t, file)
  must(await first.ask('open', sessionOf(RAIN)))
  const messages = Array.from({ length: 2500 }, (_, index) => heard(`needle${index}`))
  must(await first.ask('append', RAIN, messages))
  await first.kill()
  const { through, last } = raw(
    file,
    db =>
      db.prepare('select indexed as through, (select max(id) from events) as last from chores').get() as {
        through: number
        last: number
      },
  )
  assert.ok(through < last, 'the index was behind')
  const log = await openSqlite(t, file)
  for (const seq of [1, 1000, 2500]) {
    const { items } = must(await log.sessions({ query: `needle${seq - 1}`, limit: 1 }))
    assert.equal(items[0]?.seq, seq)
  }
})

test('a log is read beside the one that writes it, and refuses to write', async t => {
  const file = fileIn(t)
  const missing = faultOf(await tryToOpen(file, { readOnly: true }), 'store')
  assert.match(missing.message, /there is no database/)
  isOneLine(missing.message)
  assert.equal(existsSync(file), false, 'looking creates nothing')

  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN)))
  must(await log.append(RAIN, exchange(1, T1, 'Rain?', 'Yes.')))
  must(await log.sessions({ query: 'rain', limit: 1 }))
  const here = await openSqlite(t, file, { readOnly: true })
  const there = await companion(t, file, 'read-only')
  must(there.opened)
  assert.deepEqual(must(await here.read(RAIN)), must(await log.read(RAIN)))
  must(await log.append(RAIN, [heard('later')]))
  for (const beside of [here.read(RAIN), there.ask('read', RAIN)]) {
    assert.deepEqual(must(await beside), must(await log.read(RAIN)), 'what is new shows at once')
  }
  assert.deepEqual(idsOf(await here.sessions({ query: 'rain', limit: 1 })), [RAIN])
  for (const refused of [
    here.append(RAIN, [heard('x')]),
    here.open(sessionOf(SUN)),
    here.remove(RAIN),
    here.checkpoint(RAIN, { turn: T1, step: 1, parts: [] }),
    there.ask('append', RAIN, [heard('x')]),
  ]) {
    faultOf(await refused, 'store')
  }
  assert.equal(must(await log.standing(RAIN)).head, 6)
})

test('a file of a newer Turnwise is refused, left as it is, and can still be read', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.append(RAIN, [heard('from the future')]))
  await first.close()
  raw(file, db => db.exec('pragma user_version = 99'))
  const before = digestOf(file)
  const { message } = faultOf(await tryToOpen(file), 'store')
  assert.match(message, /newer Turnwise \(form 99, this one knows \d+\)/)
  isOneLine(message)
  assert.equal(digestOf(file), before)
  const reader = must(await tryToOpen(file, { readOnly: true }))
  assert.equal(must(await reader.read(RAIN)).length, 1)
  await reader.close()
  raw(file, db => db.exec(`pragma user_version = ${NEWEST}`))
  must(await (await openSqlite(t, file)).append(RAIN, [heard('and now')]))
})

test('a file of the form before usage was counted becomes one of today, and counts from then on', async t => {
  const file = fileIn(t)
  raw(file, db => {
    db.exec('pragma journal_mode = wal')
    for (const { version, sql } of MIGRATIONS.filter(step => step.version <= 2))
      db.exec(`begin; ${sql}; pragma user_version = ${version}; commit`)
    const { id, updatedAt } = sessionOf(RAIN)
    db.prepare('insert into sessions (id, updated_at, body, head) values (?, ?, ?, 1)').run(
      id,
      updatedAt,
      JSON.stringify(sessionOf(RAIN)),
    )
    db.prepare(
      `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins) values (?, 1, ?, ?, ?, ?, 0, 0, 0, 0)`,
    ).run(id, updatedAt, 'reply.finished', T1, JSON.stringify({ turn: T1, step: 1, parts: [], model: 'a', usage: USED }))
  })
  const { message } = faultOf(await tryToOpen(file, { readOnly: true }), 'store')
  assert.match(message, /written by an older Turnwise; start the gateway once/, 'whoever only reads cannot change it')
  const log = await openSqlite(t, file, { clock: () => Date.UTC(2026, 0, 1) })
  assert.equal(
    raw(file, db => (db.prepare('pragma user_version').get() as { user_version: number }).user_version),
    NEWEST,
  )
  assert.deepEqual(must(await log.usage({})), [], 'what was said before is not counted')
  must(await log.append(RAIN, [{ type: 'reply.finished', turn: T1, step: 2, parts: [], model: 'a', usage: USED }]))
  assert.deepEqual(must(await log.usage({ session: RAIN })), [
    { day: '2026-01-01', model: 'a', ...USED, costUsd: null, requests: 1 },
  ])
  assert.equal(must(await log.read(RAIN)).length, 2)
  must(await log.remove(RAIN))
  assert.equal(
    raw(file, db => (db.prepare('select session from usage').get() as { session: string }).session),
    '',
  )
  assert.equal(total(occurrences(file, 'ses_rain')), 0, 'not even its name is left')
  await log.close()
  must(await (await openSqlite(t, file)).usage({}))
  assert.equal(integrityOf(file), 'ok')
})

test('a file of the form before each voice was counted knows afterwards who has not heard what, and who spoke how often', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.open(sessionOf(SUN)))
  must(await first.append(RAIN, [...exchange(1, T1, 'a', 'b'), heard('unheard'), heard('and this')]))
  must(await first.append(SUN, exchange(1, turn('2'), 'c', 'd')))
  const standing = async (log: Log) => [must(await log.standing(RAIN)), must(await log.standing(SUN))]
  const before = await standing(first)
  await first.close()
  // Taken back to the form before: its columns are those of version 1, its totals what they were.
  raw(file, db => {
    withoutForks(db)
    db.exec('drop index sessions_waiting')
    for (const column of ['heard', 'said', 'turns'])
      db.exec(`alter table sessions add column ${column} integer not null default 0`)
    db.prepare('update sessions set heard = 2, said = 7, turns = 1 where id = ?').run(RAIN)
    db.prepare('update sessions set heard = 2, said = 1, turns = 1 where id = ?').run(SUN)
    for (const column of ['due', 'voices']) db.exec(`alter table sessions drop column ${column}`)
    db.exec('create index sessions_waiting on sessions (id) where said > heard; pragma user_version = 3')
  })
  const log = await openSqlite(t, file)
  assert.deepEqual(await standing(log), before)
  assert.deepEqual(must(await log.waiting()), [RAIN])
})

test('a file of the form before forks knows afterwards which sessions are put away, and each is a family of its own', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN, { archived: true })))
  must(await first.open(sessionOf(SUN)))
  must(await first.append(RAIN, [heard('a'), heard('b')], { texts: [{ hash: 'h', text: 'kept' }] }))
  await first.close()
  raw(file, db => {
    withoutForks(db)
    db.exec(`update sessions set body = json_remove(body, '$.family'); pragma user_version = 4`)
  })
  const log = await openSqlite(t, file)
  assert.deepEqual(must(await log.session(RAIN)).family, RAIN)
  assert.deepEqual(
    must(await log.sessions({ archived: true, limit: 9 })).items.map(({ id }) => id),
    [RAIN],
  )
  const copy = sessionOf(session('copy'), { family: RAIN, parent: { session: RAIN, at: 1 } })
  must(await log.fork(RAIN, 1, copy, () => []))
  must(await log.remove(RAIN))
  assert.equal(must(await log.texts(['h'])).get('h'), 'kept', 'nobody knows when it was needed first')
  must(await log.remove(copy.id))
  assert.equal(must(await log.texts(['h'])).size, 0)
})

test('a file of the form before grants opens, and what its events say was allowed is not granted', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  const about = { approval: 'apr_1' as ApprovalId, turn: T1, call: 'c1', tool: 'write' }
  must(await first.append(RAIN, [{ type: 'approval.answered', ...about, answer: 'always' }]))
  await first.close()
  raw(file, db => {
    withoutIds(db)
    db.exec("drop table grants; create index events_by_answer on events (session, seq) where type = 'approval.answered'")
    db.exec('pragma user_version = 6')
  })
  const log = await openSqlite(t, file)
  assert.deepEqual(must(await log.grants.list()), [])
  assert.equal(must(await log.read(RAIN)).length, 1)
  must(await log.grants.add({ tool: 'write', binding: 'sha256:a', session: RAIN, facts: {} }))
  must(await log.remove(RAIN))
  assert.equal(total(occurrences(file, 'ses_rain')), 0, 'not even its name is left')
})

test('a file of the form before facts had ids becomes one of today: what is there stays, and new facts are recognized', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.append(RAIN, exchange(1, T1, 'a', 'b')))
  const before = must(await first.read(RAIN))
  await first.close()
  raw(file, db => {
    withoutIds(db)
    db.exec('pragma user_version = 7')
  })
  const log = await openSqlite(t, file)
  assert.deepEqual(must(await log.read(RAIN)), before)
  const ids = ['evt_1' as EventId]
  for (const again of [false, true]) assert.equal(must(await log.append(RAIN, [heard('c')], { ids })).again, again)
  assert.equal(must(await log.read(RAIN)).length, before.length + 1)
  const plan = raw(file, db =>
    db.prepare(`explain query plan select seq from events where session = ? and event_id = ? limit 1`).all('a', 'b'),
  )
  assert.match(JSON.stringify(plan), /events_by_id/, 'an id is found by index, however long the session is')
  await log.close()
  assert.equal(integrityOf(file), 'ok')
})

test('a file of the form before requests were found by voice knows afterwards who had spoken how often by when', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.append(RAIN, [...exchange(1, T1, 'a', 'b'), ...exchange(6, turn('2'), 'c', 'd'), started(turn('3'), 6)]))
  const counts = async (log: Log) =>
    Promise.all([0, 1, 2, 5, 9, 10, 11].map(async through => must(await log.voiceAt(RAIN, 'assistant', through))))
  const before = await counts(first)
  await first.close()
  raw(file, withoutCounts)
  const log = await openSqlite(t, file)
  assert.deepEqual(await counts(log), before)
  assert.deepEqual(before.at(-1), { turns: 3, answers: 2 })
  assert.deepEqual(
    must(await log.planned(RAIN, 5, { voice: 'assistant', before: 8 })).map(({ seq }) => seq),
    [3],
  )
  must(await log.append(RAIN, [ended(turn('3'))]))
  assert.deepEqual(must(await log.voiceAt(RAIN, 'assistant', 12)), { turns: 3, answers: 3 })
})

test('a file of the form before fences becomes one of today, and a writer without a lease is refused from then on', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.append(RAIN, [heard('a')]))
  await first.close()
  raw(file, db => {
    withoutFences(db)
    db.exec('pragma user_version = 8')
  })
  const log = await openSqlite(t, file)
  must(await log.append(RAIN, [heard('b')], { fence: 2 }))
  faultOf(await log.append(RAIN, [heard('late')], { fence: 1 }), 'conflict')
  assert.deepEqual(seqsOf(must(await log.read(RAIN))), [1, 2])
  await log.close()
  assert.equal(integrityOf(file), 'ok')
})

function withoutFences(db: DatabaseSync): void {
  withoutNumbers(db)
  db.exec('alter table sessions drop column fence')
}

/** Takes the ids of facts away, and what came after them. */
function withoutIds(db: DatabaseSync): void {
  withoutFences(db)
  db.exec('drop index events_by_id; alter table events drop column event_id')
}

/** Takes away what came with sessions from elsewhere. */
function withoutBringing(db: DatabaseSync): void {
  withoutIds(db)
  db.exec('drop view findable; alter table sessions drop column bringing; drop index events_by_receipt')
  for (const table of ['bringings', 'arriving', 'unread', 'receipts', 'doors', 'grants']) db.exec(`drop table ${table}`)
}

/** Takes the columns and tables of forks away. */
function withoutForks(db: DatabaseSync): void {
  withoutBringing(db)
  db.exec('drop index sessions_by_parent; drop index sessions_by_family; drop table copying')
  for (const column of ['parent', 'family', 'archived']) db.exec(`alter table sessions drop column ${column}`)
  db.exec('alter table text_uses drop column since')
}

test('a fork that was half copied when the process died is found by nobody, and leaves no text behind', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.append(RAIN, [heard(CANARY), heard('b')]))
  await first.close()
  const copy = session('half')
  raw(file, db => {
    db.prepare('insert into copying values (?)').run(copy)
    db.prepare(
      `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins)
       select ?, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins from events where seq = 1`,
    ).run(copy)
  })
  const log = await openSqlite(t, file)
  faultOf(await log.session(copy), 'not-found')
  must(await log.remove(RAIN))
  const left = (): number => raw(file, db => (db.prepare('select count(*) as left from events').get() as { left: number }).left)
  // The writer tidies up by itself, a moment later.
  for (let tries = 0; left() > 0 && tries < 200; tries += 1) await pause(20)
  assert.equal(left(), 0)
  assert.deepEqual(must(await log.sessions({ query: CANARY, limit: 9 })).items, [])
})

test('a fork whose parent is removed meanwhile does not come to be', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN)))
  must(await log.append(RAIN, [heard('a'), started(T1, 1)]))
  const copy = session('late')
  let removed: Promise<unknown> | undefined
  const forking = log.fork(RAIN, 2, sessionOf(copy, { family: RAIN }), () => {
    // Asked for before the fork is published, and so done before it.
    removed = log.remove(RAIN)
    return [ended(T1, 'interrupted')]
  })
  faultOf(await forking, 'not-found')
  await removed
  faultOf(await log.session(copy), 'not-found')
  assert.equal(
    raw(file, db => (db.prepare('select count(*) as left from copying').get() as { left: number }).left),
    0,
  )
})

const USED = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }

const SPOILT: Readonly<Record<string, (file: string) => void>> = {
  'a text': file => writeFileSync(file, 'Dear diary,\n'.repeat(1000)),
  'a file of zeros': file => writeFileSync(file, Buffer.alloc(8192)),
  'a database whose head is gone': file => {
    raw(file, db => db.exec('create table mine (x); insert into mine values (1)'))
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0, 0, 100))
  },
  'half a database': file => {
    raw(file, db =>
      db.exec(
        `create table mine (x); with recursive n(i) as (select 1 union all select i + 1 from n where i < 900) insert into mine select hex(zeroblob(200)) from n`,
      ),
    )
    truncateSync(file, 6000)
  },
}
for (const [what, spoil] of Object.entries(SPOILT)) {
  test(`${what} is refused in one line and left as it is`, async t => {
    const file = fileIn(t)
    spoil(file)
    const before = digestOf(file)
    for (const readOnly of [false, true]) {
      const { message } = faultOf(await tryToOpen(file, { readOnly }), 'store')
      isOneLine(message)
      assert.match(message, /cannot be opened .* it was left as it is/)
    }
    assert.equal(digestOf(file), before)
  })
}

test('a place where no file can be is refused in one line', async t => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'a-folder'))
  for (const file of [join(folder, 'not', 'there.db'), join(folder, 'a-folder')]) {
    const { message } = faultOf(await tryToOpen(file), 'store')
    isOneLine(message)
    assert.match(message, /cannot be opened/)
  }
})

test('a copy made while others write is a whole database', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'turnwise.db')
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN)))
  const filler = 'something to copy '.repeat(100)
  for (let batch = 0; batch < 10; batch += 1)
    must(
      await log.append(
        RAIN,
        Array.from({ length: 500 }, () => heard(filler)),
      ),
    )
  const before = must(await log.standing(RAIN)).head
  let copying = true
  const writing = (async () => {
    let written = 0
    for (; copying; written += 1) must(await log.append(RAIN, [heard(`meanwhile ${written}`), heard('in the same breath')]))
    return written
  })()
  const target = join(folder, 'copy.db')
  must(await log.backup(target))
  copying = false
  assert.ok((await writing) > 0, 'others wrote meanwhile')
  assert.equal(statSync(target).mode & 0o777, 0o600)
  assert.equal(integrityOf(target), 'ok')
  const copy = await openSqlite(t, target)
  const events = must(await copy.read(RAIN))
  gapless(events)
  assert.ok(events.length >= before && events.length % 2 === 0, 'whole appends only')
  assert.deepEqual(events, must(await log.read(RAIN, { through: events.length })))
  assert.equal(must(await copy.standing(RAIN)).head, events.length)
})

test('a copy that cannot be made is a fault, and leaves nothing', async t => {
  const folder = temporaryFolder(t)
  const log = await openSqlite(t, join(folder, 'turnwise.db'))
  const { message } = faultOf(await log.backup(join(folder, 'not', 'there.db')), 'store')
  isOneLine(message)
  mkdirSync(join(folder, 'a-folder'))
  faultOf(await log.backup(join(folder, 'a-folder')), 'store')
})

test('only its owner can read the database and the files beside it', async t => {
  const umask = process.umask(0)
  t.after(() => process.umask(umask))
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(RAIN)))
  for (const suffix of ['', '-wal', '-shm', '.lock']) {
    assert.equal((statSync(file + suffix).mode & 0o777).toString(8), '600', `db${suffix}`)
  }
})

test('a bug in what one asks for is thrown at them, and nobody else notices', async t => {
  const log = await openSqlite(t, fileIn(t))
  for (const id of [RAIN, SUN]) must(await log.open(sessionOf(id)))
  await assert.rejects(log.read(RAIN, { through: {} as number }), /in the database thread/)
  const unwritable: Fact = { type: 'tool.started', turn: T1, call: 'c1', tool: 'count', args: 1n }
  const [mine, theirs] = await Promise.allSettled([log.append(RAIN, [heard('one'), unwritable]), log.append(SUN, [heard('two')])])
  assert.equal(mine.status, 'rejected')
  assert.ok(theirs.status === 'fulfilled' && theirs.value.ok)
  assert.deepEqual(must(await log.read(RAIN)), [])
  assert.equal(must(await log.read(SUN)).length, 1)
})

test('a log that is closed says so', async t => {
  const log = await openSqlite(t, fileIn(t))
  await log.close()
  await log.close()
  faultOf(await log.read(RAIN), 'store')
  faultOf(await log.append(RAIN, [heard('too late')]), 'store')
})
