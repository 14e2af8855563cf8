// The connection to PostgreSQL is cut or falls silent: every operation ends in time, and nothing is written twice.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, type TestContext, test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import type { Log } from '../../../src/log/ports.ts'
import { type PostgresSettings, postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { EventId } from '../../../src/model/ids.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { eventsOf, faultOf, heard, must, seqsOf, session, sessionOf } from '../facts.ts'
import { proxyTo } from './proxy.ts'

const ID = session('one')

const open = async (t: TestContext, given: Pick<PostgresSettings, 'url'> & Partial<PostgresSettings>): Promise<Log> => {
  const log = must(await postgresLog({ clock: Date.now, weigh, ...given }))
  t.after(() => log.close())
  return log
}

suite('a PostgreSQL that cannot be reached', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('an append that loses any one of its answers is a fault, and is recognized when it is tried again', async t => {
    const url = await postgresUrl(t)
    const near = await open(t, { url })
    const proxy = await proxyTo(t, url)
    const far = await open(t, { url: proxy.url })
    must(await far.open(sessionOf(ID)))
    const facts = [heard('once'), heard('only')]
    const again: boolean[] = []
    for (let request = 1; ; request += 1) {
      const ids = [1, 2].map(each => `evt_${request}_${each}` as EventId)
      proxy.loseAnswer(request)
      const first = await far.append(ID, facts, { ids, key: `key ${request}` })
      proxy.loseAnswer(Number.POSITIVE_INFINITY)
      const next = must(await far.append(ID, facts, { ids, key: `key ${request}` }))
      assert.deepEqual(seqsOf(next.events), [request * 2 - 1, request * 2])
      assert.equal((await eventsOf(near, ID)).length, request * 2)
      if (first.ok) break
      faultOf(first, 'store')
      again.push(next.again)
    }
    assert.ok(again.length > 0, 'an answer was lost')
    assert.deepEqual(again, [...again.slice(0, -1).fill(false), true], 'only the last answer is that of what was written')
  })

  test('every operation on a silent server ends within its patience, and the next one finds the server again', async t => {
    const url = await postgresUrl(t)
    const proxy = await proxyTo(t, url)
    const log = await open(t, { url: proxy.url, patienceMs: 300 })
    must(await log.open(sessionOf(ID)))
    proxy.silence()
    const before = performance.now()
    const faults = await Promise.all([
      log.append(ID, [heard('hello')]),
      log.read(ID),
      log.standing(ID),
      log.past(ID, { from: 'start' }),
      log.sessions({ limit: 10 }),
      log.remove(ID),
      log.openTurns(),
      log.usage({}),
    ])
    for (const each of faults) faultOf(each, 'store')
    assert.ok(performance.now() - before < 8000, 'all end soon after their patience')
    proxy.speak()
    must(await log.standing(ID))
    must(await log.append(ID, [heard('hello')]))
  })

  test('a connection that was cut while it was idle is replaced', async t => {
    const url = await postgresUrl(t)
    const proxy = await proxyTo(t, url)
    const log = await open(t, { url: proxy.url })
    must(await log.open(sessionOf(ID)))
    proxy.cut()
    // The first question may still be put to a connection whose end has not been noticed.
    await log.standing(ID)
    must(await log.append(ID, [heard('hello')]))
  })

  test('a database that is read-only for a while says so; what could not be written is written once afterwards', async t => {
    const address = new URL(await postgresUrl(t))
    const log = await open(t, { url: address.href })
    must(await log.open(sessionOf(ID)))
    const admin = address.href
    const role = `reader_${randomBytes(6).toString('hex')}`
    await onServer(admin, `create role ${role} login superuser`)
    t.after(() => onServer(admin, `drop role ${role}`))
    await onServer(admin, `alter role ${role} set default_transaction_read_only = on`)
    address.username = role
    const other = await open(t, { url: address.href })
    const ids = ['evt_1' as EventId]
    const refused = faultOf(await other.append(ID, [heard('hello')], { ids }), 'store')
    assert.equal(refused.message, 'the database cannot be used: it is read-only, as a standby is; connect to the primary')
    assert.equal(must(await other.standing(ID)).head, 0, 'what is there can be read')
    await onServer(admin, `alter role ${role} set default_transaction_read_only = off`)
    const again = await open(t, { url: address.href })
    must(await again.append(ID, [heard('hello')], { ids }))
    assert.equal(must(await again.append(ID, [heard('hello')], { ids })).again, true)
    assert.equal((await eventsOf(log, ID)).length, 1)
  })

  test('faults never name the address or the password', async () => {
    const address = new URL(await postgresUrl())
    address.password = 'very-secret'
    address.port = '1'
    const refused = faultOf(await postgresLog({ url: address.href, clock: Date.now, weigh, patienceMs: 500 }), 'store')
    assert.doesNotMatch(refused.message, /very-secret|postgres:\/\/|127\.0\.0\.1/)
    address.hostname = 'no-such-host.invalid'
    const unknown = faultOf(await postgresLog({ url: address.href, clock: Date.now, weigh, patienceMs: 2000 }), 'store')
    assert.doesNotMatch(unknown.message, /very-secret|postgres:\/\/|no-such-host/)
  })
})
