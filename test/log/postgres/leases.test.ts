// What leases leave in the database: a row for each session and job that was ever run, and none for what is not there.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import { readAddress } from '../../../src/log/postgres/connection.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { faultOf, must, pieceOf, session, sessionOf } from '../facts.ts'

const ONE = session('one')
const MS = 60_000

suite('rows of leases', { skip: (await whyNoPostgres()) ?? false }, () => {
  test('a session that is not there gets no lease', async t => {
    const url = await postgresUrl(t)
    const { url: server, schema } = readAddress(url)
    const log = must(await postgresLog({ url, clock: Date.now, weigh, connections: 3 }))
    t.after(() => log.close())
    const { leases } = log.nodes ?? assert.fail('PostgreSQL has nodes')
    const kept = async () => (await onServer(server, `select key, fence from ${schema}.leases order by key`)) as { key: string }[]
    faultOf(await leases.take(ONE, 'a', MS), 'not-found')
    const importing = must(await log.startImport())
    must(await importing.add(pieceOf(ONE, [])))
    faultOf(await leases.take(ONE, 'a', MS), 'not-found')
    await importing.abandon()
    assert.deepEqual(await kept(), [])
    must(await leases.take('channel:telegram', 'a', MS))
    must(await log.open(sessionOf(ONE)))
    assert.deepEqual(must(await leases.take(ONE, 'a', MS)), { node: 'a', fence: 1 })
    must(await log.remove(ONE))
    assert.deepEqual(must(await leases.take(ONE, 'b', MS)), { node: 'a', fence: 1 }, 'it lasts as long as it was taken for')
    must(await leases.giveBack('a', [ONE]))
    faultOf(await leases.take(ONE, 'b', MS), 'not-found')
    assert.deepEqual(
      (await kept()).map(({ key }) => key),
      ['channel:telegram', ONE],
    )
    must(await log.open(sessionOf(ONE)))
    assert.deepEqual(must(await leases.take(ONE, 'b', MS)), { node: 'b', fence: 2 }, 'its next life has a higher fence')
  })
})
