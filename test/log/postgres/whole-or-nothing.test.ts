// Forks, imports and removals that lose an answer, meet each other, or are swept: each is there whole, or not at all.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import type { Log } from '../../../src/log/ports.ts'
import { type Database, openDatabase } from '../../../src/log/postgres/database.ts'
import { type PostgresSettings, postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import { sweepSessions } from '../../../src/log/postgres/sessions/sessions.ts'
import type { Fact } from '../../../src/model/event.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import {
  ended,
  eventsOf,
  exchange,
  factsOf,
  faultOf,
  finished,
  heard,
  must,
  pieceOf,
  session,
  sessionOf,
  started,
  text,
  turn,
} from '../facts.ts'
import { proxyTo } from './proxy.ts'

const ONE = session('one')
const TWO = session('two')
const TALK = exchange(1, turn('1'), 'hello', 'good day')

const open = async (t: TestContext, given: Pick<PostgresSettings, 'url'> & Partial<PostgresSettings>): Promise<Log> => {
  const log = must(await postgresLog({ clock: Date.now, weigh, connections: 4, ...given }))
  t.after(() => log.close())
  return log
}

const database = (t: TestContext, url: string): Database => {
  const db = openDatabase({ url, connections: 2 })
  t.after(db.close)
  return db
}

/** Everything of a session that is kept, wherever it is. */
const left = async (db: Database, id: string): Promise<readonly unknown[]> =>
  db.query(
    `select 'sessions' as place from sessions where id = $1 union all select 'events' from events where session = $1
     union all select 'deleting' from deleting where session = $1 union all select 'text_uses' from text_uses where session = $1`,
    [id],
  )

suite('whole or not at all on PostgreSQL', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('a fork that loses any one of its answers is there whole, or not at all', async t => {
    const url = await postgresUrl(t)
    const near = await open(t, { url })
    const proxy = await proxyTo(t, url)
    const far = await open(t, { url: proxy.url, connections: 1 })
    must(await near.open(sessionOf(ONE)))
    must(await near.append(ONE, TALK))
    for (let request = 1; ; request += 1) {
      const id = session(`fork${request}`)
      proxy.loseAnswer(request)
      const forked = await far.fork(ONE, 3, sessionOf(id), ({ turn: of }) => [ended(of, 'interrupted')])
      const isOver = !proxy.hasLost()
      proxy.loseAnswer(Number.POSITIVE_INFINITY)
      if (forked.ok) assert.deepEqual(factsOf(await eventsOf(near, id)), [...TALK.slice(0, 3), ended(turn('1'), 'interrupted')])
      else faultOf(await near.session(id), 'not-found')
      if (isOver) break
      assert.ok(request < 100)
    }
  })

  test('a fork has its speakers in the order in which they first spoke, however the database groups them', async t => {
    const url = await postgresUrl(t)
    const log = await open(t, { url })
    must(await log.open(sessionOf(ONE)))
    const [asked, answered] = [turn('1'), turn('2')]
    must(
      await log.append(ONE, [
        { ...heard('Ada?'), to: ['ada'] } as Fact,
        { ...started(asked, 1), voice: 'ada' } as Fact,
        finished(asked, 1, text('Yes.')),
        ended(asked),
        heard('And all of you?'),
        started(answered, 5),
        finished(answered, 1, text('Yes.')),
        ended(answered),
      ]),
    )
    must(await log.fork(ONE, 8, sessionOf(TWO, { parent: { session: ONE, at: 8 }, family: ONE }), () => []))
    const [parent, fork] = await database(t, url).query<{ speakers: string }>('select speakers from sessions order by id')
    assert.equal(Object.keys(JSON.parse(parent?.speakers ?? '{}')).length, 4)
    assert.equal(fork?.speakers, parent?.speakers)
  })

  test('an import that loses any one of its last answers is there whole, or can be made again', async t => {
    const url = await postgresUrl(t)
    const near = await open(t, { url })
    const proxy = await proxyTo(t, url)
    const far = await open(t, { url: proxy.url, connections: 1 })
    for (let request = 1; ; request += 1) {
      const ids = [session(`a${request}`), session(`b${request}`)]
      const importing = must(await far.startImport())
      for (const id of ids) must(await importing.add(pieceOf(id, TALK)))
      proxy.loseAnswer(request)
      const published = await importing.publish(() => [])
      const isOver = !proxy.hasLost()
      proxy.loseAnswer(Number.POSITIVE_INFINITY)
      for (const id of ids)
        if (published.ok) assert.deepEqual(factsOf(await eventsOf(near, id)), TALK)
        else faultOf(await near.session(id), 'not-found')
      const again = must(await near.startImport())
      const added = await again.add(pieceOf(ids[0] ?? ONE, TALK))
      assert.equal(added.ok, !published.ok)
      await again.abandon()
      if (isOver) break
      assert.ok(request < 100)
    }
  })

  test('an import that was swept has lost its sessions, and does no harm to those that have their ids now', async t => {
    const url = await postgresUrl(t)
    const [log, db] = [await open(t, { url }), database(t, url)]
    const old = must(await log.startImport())
    must(await old.add(pieceOf(ONE, TALK)))
    await sweepSessions(db)
    must(await old.add(pieceOf(ONE, [heard('still here')])))
    await db.query(`update imports set until = clock_timestamp() - interval '1 second'`)
    await sweepSessions(db)
    assert.deepEqual([await left(db, ONE), await db.query('select 1 from imports')], [[], []])
    const next = must(await log.startImport())
    must(await next.add(pieceOf(ONE, TALK)))
    faultOf(await old.add(pieceOf(ONE, [heard('too late')])), 'invalid')
    await old.abandon()
    must(await next.publish(() => []))
    assert.deepEqual(factsOf(await eventsOf(log, ONE)), TALK)
  })

  test('a fork that was claimed by a node that is gone is swept', async t => {
    const url = await postgresUrl(t)
    const [log, db] = [await open(t, { url }), database(t, url)]
    const lost = must(await log.startImport())
    must(await lost.add(pieceOf(TWO, TALK)))
    await db.query('delete from imports')
    await sweepSessions(db)
    assert.deepEqual(await left(db, TWO), [])
  })

  test('sessions are forked, written to and removed by two nodes at once, and every fork has its texts', async t => {
    const url = await postgresUrl(t)
    const [a, b] = [await open(t, { url }), await open(t, { url })]
    const db = database(t, url)
    for (let round = 0; round < 6; round += 1) {
      const [id, fork] = [session(`r${round}`), session(`rf${round}`)]
      must(await a.open(sessionOf(id)))
      const texts = Array.from({ length: 5 }, (_, index) => ({ hash: `h${(index * 7 + round) % 5}`, text: `text ${index}` }))
      must(await a.append(id, TALK, { texts }))
      const [forked] = await Promise.all([
        a.fork(id, 5, sessionOf(fork), () => []),
        b.remove(id),
        b.append(id, [heard('and more')], { texts: texts.toReversed() }),
        a.open(sessionOf(session(`other${round}`))).then(() => a.append(session(`other${round}`), TALK, { texts })),
      ])
      assert.deepEqual(await left(db, id), [])
      if (!forked.ok) {
        faultOf(forked, 'not-found')
        assert.deepEqual(
          (await left(db, fork)).filter(each => (each as { place: string }).place === 'sessions'),
          [],
        )
        continue
      }
      assert.equal((await eventsOf(b, fork)).length, 5)
      assert.equal(must(await b.textsOf(fork, '', 99)).length, 5)
    }
  })
})
