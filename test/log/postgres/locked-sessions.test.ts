// A session whose row somebody holds for long keeps its own appends waiting, and those of no other session.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import pg from 'pg'
import { weigh } from '../../../src/context/text/tokens.ts'
import type { Log } from '../../../src/log/ports.ts'
import { connectionSettings } from '../../../src/log/postgres/connection.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { EventId, SessionId } from '../../../src/model/ids.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { eventsOf, faultOf, heard, must, session, sessionOf } from '../facts.ts'

const FREE = Array.from({ length: 20 }, (_, index) => session(`free${index}`))
const HELD = Array.from({ length: 6 }, (_, index) => session(`held${index}`))

type Held = { readonly log: Log; readonly letGo: () => Promise<void> }

/** A store in which some sessions are locked by somebody else. */
async function withHeld(t: TestContext, patienceMs: number): Promise<Held> {
  const url = await postgresUrl(t)
  const log = must(await postgresLog({ url, clock: Date.now, weigh, patienceMs }))
  t.after(() => log.close())
  for (const id of [...FREE, ...HELD]) must(await log.open(sessionOf(id)))
  const other = new pg.Client({ ...connectionSettings(url), idle_in_transaction_session_timeout: 0 })
  await other.connect()
  t.after(() => other.end())
  await other.query('begin')
  await other.query('select 1 from sessions where id = any($1) for update', [HELD])
  return { log, letGo: async () => void (await other.query('commit')) }
}

const said = async (log: Log, id: SessionId): Promise<readonly string[]> =>
  (await eventsOf(log, id)).map(event => (event.type === 'message.received' ? event.text : event.type))

suite('sessions that are locked by somebody else', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('appends to other sessions go on, also those that were to be written together with it', async t => {
    const { log, letGo } = await withHeld(t, 20_000)
    const [known = session('')] = FREE
    must(await log.append(known, [heard('known')], { ids: ['evt_known' as EventId] }))
    let landed = 0
    const waiting = HELD.flatMap(id =>
      ['first', 'second', 'third'].map(async text => {
        must(await log.append(id, [heard(text)]))
        landed += 1
      }),
    )
    // An id that is there already makes a batch be written one by one.
    const again = log.append(known, [heard('known')], { ids: ['evt_known' as EventId] })
    for (const text of ['one', 'two'])
      for (const answer of await Promise.all(FREE.map(id => log.append(id, [heard(text)])))) must(answer)
    assert.equal(must(await again).again, true)
    assert.equal(landed, 0)
    await letGo()
    await Promise.all(waiting)
    for (const id of HELD) assert.deepEqual(await said(log, id), ['first', 'second', 'third'])
    for (const id of FREE) assert.deepEqual(await said(log, id), [...(id === known ? ['known'] : []), 'one', 'two'])
  })

  test('what waited for too long is a fault of its own, and can be written when the session is free', async t => {
    const { log, letGo } = await withHeld(t, 1500)
    const [held = session('')] = HELD
    const appends = [...FREE, held].map(id => log.append(id, [heard('hello')], { ids: [`evt_${id}` as EventId] }))
    const late = appends.pop() ?? assert.fail('there is one more')
    for (const answer of await Promise.all(appends)) must(answer)
    faultOf(await late, 'store')
    await letGo()
    assert.equal(must(await log.append(held, [heard('hello')], { ids: [`evt_${held}` as EventId] })).again, false)
    assert.deepEqual(await said(log, held), ['hello'])
  })

  test('an append to a session that is not there says so, and hurts no other one', async t => {
    const { log, letGo } = await withHeld(t, 20_000)
    const [free = session('')] = FREE
    const lost = Array.from({ length: 8 }, () => log.append(session('nowhere'), [heard('lost')]))
    must(await log.append(free, [heard('found')]))
    for (const answer of await Promise.all(lost)) faultOf(answer, 'not-found')
    await letGo()
  })
})
