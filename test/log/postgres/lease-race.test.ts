// A lease that is taken while an append is under way waits for it, and has a fence above what that append has left in the session.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { weigh } from '../../../src/context/text/tokens.ts'
import { connectionSettings } from '../../../src/log/postgres/connection.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { faultOf, heard, must, session, sessionOf } from '../facts.ts'

const ID = session('one')

suite('a lease beside appends', { skip: (await whyNoPostgres()) ?? false }, () => {
  test('it waits for the session, and its fence is above every fence that was written meanwhile', async t => {
    const url = await postgresUrl(t)
    const log = must(await postgresLog({ url, clock: Date.now, weigh }))
    t.after(() => log.close())
    const { leases } = log.nodes ?? assert.fail('PostgreSQL has nodes')
    must(await log.open(sessionOf(ID)))
    const other = new pg.Client(connectionSettings(url))
    await other.connect()
    await other.query('begin')
    const [{ pid }] = (await other.query('select pg_backend_pid() as pid')).rows
    await other.query('select 1 from sessions where id = $1 for no key update', [ID])
    const taking = leases.take(ID, 'node_a', 60_000)
    for (;;) {
      const { rows } = await other.query('select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid])
      if (rows.length > 0) break
      await pause(5)
    }
    await other.query('update sessions set fence = 41 where id = $1', [ID])
    await other.query('commit')
    await other.end()
    const lease = must(await taking)
    assert.deepEqual(lease, { node: 'node_a', fence: 42 })
    faultOf(await log.append(ID, [heard('too late')], { fence: 41 }), 'conflict')
    must(await log.append(ID, [heard('in time')], { fence: 42 }))
    assert.equal(must(await leases.take(ID, 'node_b', 60_000)).node, 'node_a')
  })

  test('of many nodes that take one lease at once, all hear of the same holder', async t => {
    const url = await postgresUrl(t)
    const log = must(await postgresLog({ url, clock: Date.now, weigh }))
    t.after(() => log.close())
    const { leases } = log.nodes ?? assert.fail('PostgreSQL has nodes')
    must(await log.open(sessionOf(ID)))
    for (let round = 1; round <= 5; round += 1) {
      const taken = await Promise.all(Array.from({ length: 8 }, (_, node) => leases.take(ID, `node_${node}`, 60_000)))
      const holders = new Set(taken.map(each => JSON.stringify(must(each))))
      assert.equal(holders.size, 1, [...holders].join())
      const { node, fence } = must(taken[0] ?? assert.fail('eight have asked'))
      assert.equal(fence, round)
      must(await leases.giveBack(node, [ID]))
    }
  })
})
