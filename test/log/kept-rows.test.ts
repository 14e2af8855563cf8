// The rows in which a file keeps pins and folds: made for old files, true to the events, found by index, and gone with their session.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { KeptFold, KeptPin, Log } from '../../src/log/ports.ts'
import type { Fact, Mark } from '../../src/model/event.ts'
import { exchange, heard, must, seqsOf, session, sessionOf, started, turn } from './facts.ts'
import { integrityOf, openSqlite, raw, temporaryFolder, withoutKept } from './files.ts'

const RAIN = session('rain')
const SUN = session('sun')
const SNOW = session('snow')

const fileIn = (t: TestContext): string => join(temporaryFolder(t), 'turnwise.db')
const marked = (target: number, mark: Mark | null): Fact => ({ type: 'message.marked', target, mark })
const folded = (from: number, to: number, given: Partial<Extract<Fact, { type: 'history.folded' }>> = {}): Fact => ({
  ...{ type: 'history.folded', from, to, text: 'They met.', by: 'extract' },
  ...given,
})
const listed = async (log: Log): Promise<readonly string[]> =>
  must(await log.memory.list({ limit: 99 })).items.map(
    (item: KeptPin | KeptFold) => `${item.kind} ${item.session.slice(4)} ${item.seq}`,
  )

/** All rows, to compare what a migration makes of events with what the triggers made of them one by one. */
const keptRows = (db: DatabaseSync): unknown => {
  const all = (table: string): unknown => db.prepare(`select * from ${table} order by session, seq`).all()
  return [all('kept_pins'), all('kept_folds'), db.prepare('select id, is_source from sessions order by id').all()].map(rows =>
    JSON.parse(JSON.stringify(rows)),
  )
}

test('a file of the form before pins and folds were kept becomes one of today, with those of its events', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(await first.open(sessionOf(SUN, { private: true })))
  must(await first.open(sessionOf(SNOW, { council: 'board', agent: null })))
  must(await first.append(RAIN, [...exchange(1, turn('1'), 'a', 'b'), marked(1, 'pin'), marked(4, 'pin'), marked(4, null)]))
  must(await first.append(RAIN, [folded(1, 3), folded(4, 5), folded(1, 5, { voice: 'ada' }), folded(1, 5)]))
  must(await first.append(RAIN, [folded(1, 5, { replaces: 12, text: ' ' }), folded(4, 5, { by: 'person' })]))
  must(await first.append(SUN, [heard('a'), marked(1, 'exclude'), marked(1, 'pin'), folded(1, 1)]))
  await first.close()
  const before = raw(file, keptRows)
  raw(file, withoutKept)
  const log = await openSqlite(t, file)
  assert.deepEqual(raw(file, keptRows), before)
  assert.deepEqual((await listed(log)).toSorted(), ['fold rain 11', 'fold rain 14', 'fold sun 4', 'pin rain 6', 'pin sun 3'])
  assert.deepEqual(
    must(await log.memory.sources(SUN, 'everywhere', 9)).map(({ id }) => id),
    [RAIN],
  )
  must(await log.append(RAIN, [marked(1, null), folded(4, 5, { replaces: 14, text: '' })]))
  assert.deepEqual((await listed(log)).toSorted(), ['fold rain 11', 'fold sun 4', 'pin sun 3'])
  await log.close()
  assert.equal(integrityOf(file), 'ok')
})

test('folds of the older form stand for everything through a seq, and rows that cannot be read for nothing', async t => {
  const file = fileIn(t)
  const first = await openSqlite(t, file)
  must(await first.open(sessionOf(RAIN)))
  must(
    await first.append(RAIN, [...exchange(1, turn('1'), 'a', 'b'), folded(3, 4), folded(1, 5), folded(1, 1), marked(1, 'pin')]),
  )
  must(await first.append(RAIN, [folded(2, 2), folded(2, 3), folded(2, 4), marked(4, 'pin'), marked(4, 'pin')]))
  await first.close()
  raw(file, db => {
    withoutKept(db)
    const bodies = [
      '{"through":5,"text":"All."}',
      '{"through":3,"text":"Some."}',
      '{',
      '{"target":1}',
      '{"from":1}',
      '[]',
      '{"through":"5","text":""}',
      '{"target":"4","mark":null}',
    ]
    db.exec('drop trigger events_update')
    const edit = db.prepare('update events set body = ? where seq = ?')
    for (const [index, seq] of [6, 7, 8, 9, 10, 11, 12, 14].entries()) edit.run(bodies[index] ?? '', seq)
  })
  const log = await openSqlite(t, file)
  assert.deepEqual((await listed(log)).toSorted(), ['fold rain 6', 'fold rain 7', 'pin rain 13'])
  const { folds, gaps } = must(await log.past(RAIN, { from: { seq: 6 }, folds: true }))
  assert.deepEqual(
    folds.map(({ from, to, by, text }) => [from, to, by, text]),
    [
      [1, 5, 'person', 'All.'],
      [1, 3, 'person', 'Some.'],
    ],
  )
  assert.deepEqual(
    gaps.map(({ from, to }) => [from, to]),
    [
      [1, 3],
      [4, 5],
    ],
  )
  assert.deepEqual(seqsOf(must(await log.read(RAIN, { only: 'history.folded' }))), [6, 7, 8, 10, 11, 12])
  must(await log.remove(RAIN))
  assert.deepEqual(await listed(log), [])
})

test('a session that is removed, a fork that was given up and an import that was abandoned leave no rows', async t => {
  const file = fileIn(t)
  const log = await openSqlite(t, file)
  for (const id of [RAIN, SUN]) must(await log.open(sessionOf(id)))
  const facts = [...exchange(1, turn('1'), 'a', 'b'), marked(1, 'pin'), folded(1, 5), started(turn('2'), 1)]
  must(await log.append(RAIN, facts))
  must(await log.append(SUN, facts))
  const rowsOf = (name: string): number =>
    raw(file, db =>
      ['kept_pins', 'kept_folds'].reduce(
        (sum, table) => sum + db.prepare(`select seq from ${table} where session = ?`).all(name).length,
        0,
      ),
    )
  assert.deepEqual([rowsOf(RAIN), rowsOf(SUN)], [2, 2])
  const copy = sessionOf(SNOW, { parent: { session: RAIN, at: 8 }, family: RAIN })
  // A turn that cannot be closed: the fork is given up after everything was copied.
  await assert.rejects(
    log.fork(RAIN, 8, copy, () => {
      throw new Error('no')
    }),
  )
  must(await log.fork(SUN, 8, { ...copy, id: session('copy') }, () => []))
  assert.equal(rowsOf('ses_copy'), 2)
  must(await log.remove(RAIN))
  assert.deepEqual([rowsOf(RAIN), rowsOf(SUN)], [0, 2])
  const importing = must(await log.startImport())
  must(await importing.add({ session: sessionOf(RAIN), facts: [], texts: [] }))
  await importing.abandon()
  await log.close()
  // What a crash or a fault left half copied goes at the next start.
  const again = await openSqlite(t, file)
  assert.deepEqual((await listed(again)).toSorted(), ['fold copy 7', 'fold sun 7', 'pin copy 6', 'pin sun 6'])
})

test('pins, folds and sources are found by index', async t => {
  const file = fileIn(t)
  await openSqlite(t, file)
  const planOf = (text: string): string => raw(file, db => JSON.stringify(db.prepare(`explain query plan ${text}`).all()))
  const page = `at <= '9' and (at < '9' or session > 'a' or session = 'a' and seq < 3)
    and exists (select 1 from findable where findable.id = kept.session) order by at desc, session, seq desc limit 9`
  for (const [text, index] of [
    [`select seq from kept_pins as kept where ${page}`, 'kept_pins_by_time'],
    [`select seq from kept_folds as kept where replaced is null and has_text = 1 and ${page}`, 'kept_folds_by_time'],
    [`select seq from kept_folds where session = 'a' and seq <= 9 and replaced is null`, 'kept_folds_by_replacement'],
    [`select seq from kept_folds where session = 'a' and seq <= 9 and replaced > 9`, 'kept_folds_by_replacement'],
    [
      `select id from findable where is_source = 1 and id <> 'a' and project = 'b' order by updated_at desc, id limit 9`,
      'sessions_by_source',
    ],
    [`select id from findable where is_source = 1 and id <> 'a' order by updated_at desc, id limit 9`, 'sessions_by_use'],
    [
      `select body from events where session = 'a' and seq > 0 and seq <= 9 and type = 'history.folded' order by seq limit 9`,
      'events_by_fold',
    ],
  ] as const) {
    assert.match(planOf(text), new RegExp(index))
    assert.doesNotMatch(planOf(text), /TEMP B-TREE/, text)
  }
})
