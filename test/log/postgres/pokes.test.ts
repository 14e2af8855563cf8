// Pokes by NOTIFY: many at once, over connections that are cut, beside other schemas, and where none can arrive.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { weigh } from '../../../src/context/text/tokens.ts'
import { LOOK, type NodePorts } from '../../../src/log/node-ports.ts'
import { connectionSettings } from '../../../src/log/postgres/connection.ts'
import { openDatabase } from '../../../src/log/postgres/database.ts'
import { createListener } from '../../../src/log/postgres/nodes/listener.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { listenTo, openEars } from '../contract/nodes/ears.ts'
import { must, session } from '../facts.ts'
import { deafProxyTo } from './deaf-proxy.ts'

const RAIN = session('rain')
const SUN = session('sun')
const CHANNELS = `select 'turnwise_' || left(md5(current_schema()), 8) || '_' || number as name from generate_series(0, 15) as number`

const nodeOn = async (t: TestContext, url: string): Promise<NodePorts> => {
  const log = must(await postgresLog({ url, clock: Date.now, weigh, connections: 2 }))
  t.after(() => log.close())
  return log.nodes ?? assert.fail('PostgreSQL has nodes')
}

/** The notifications of a schema as the server sends them. */
async function payloadsOf(t: TestContext, url: string): Promise<readonly string[]> {
  const client = new pg.Client(connectionSettings(url))
  const payloads: string[] = []
  client.on('notification', ({ payload = '' }) => payloads.push(payload))
  await client.connect()
  t.after(() => client.end())
  for (const { name } of (await client.query<{ name: string }>(CHANNELS)).rows) await client.query(`listen ${name}`)
  return payloads
}

const named = (url: string, name: string): string => `${url}&application_name=${name}`
const unique = (): string => `turnwise_${randomBytes(6).toString('hex')}`

suite('pokes by NOTIFY', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('pokes of thousands of sessions at once are split into notifications that the database allows', async t => {
    const url = await postgresUrl(t)
    const [a, b] = [await nodeOn(t, url), await nodeOn(t, url)]
    const payloads = await payloadsOf(t, url)
    const ears = await openEars(b)
    const ids = Array.from({ length: 6000 }, (_, index) => session(`${String(index).padStart(20, '0')}`))
    for (const [index, id] of ids.entries()) a.pokes.send(id, index % 3 === 0 ? LOOK : index)
    await ears.until(() => ears.heard.length >= ids.length)
    assert.deepEqual(
      new Map(ears.heard as [string, number][]),
      new Map(ids.map((id, index) => [id, index % 3 === 0 ? LOOK : index])),
    )
    assert.equal(ears.heard.length, ids.length, 'each once')
    const pokesOf = (): readonly string[] => payloads.filter(payload => payload.startsWith('ses_'))
    while (pokesOf().join(' ').split(' ').length < 2 * ids.length) await pause(5, undefined, { signal: t.signal })
    const pokes = pokesOf()
    assert.ok(pokes.length > 16, 'more than one for each channel')
    for (const payload of pokes) assert.match(payload, /^ses_\w+ \d+( ses_\w+ \d+)*$/, 'sessions and heads, nothing else')
  })

  test('a node whose connection is cut says that pokes may be lost, and hears again', async t => {
    const url = await postgresUrl(t)
    const name = unique()
    const [a, b] = [await nodeOn(t, url), await nodeOn(t, named(url, name))]
    const ears = await openEars(b)
    assert.equal(ears.gaps(), 1)
    const listens = `application_name = '${name}' and query like 'listen %'`
    const cut = await onServer(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${listens}`)
    assert.equal(cut.length, 1, 'one connection listens')
    await ears.until(() => ears.gaps() === 2)
    assert.equal(b.pokes.arrive(), true)
    a.pokes.send(RAIN, 4)
    await ears.until(() => ears.heard.length > 0)
    assert.deepEqual(ears.heard, [[RAIN, 4]])
  })

  test('stores in two schemas of one database do not hear each other', async t => {
    const [here, there] = [await postgresUrl(t), await postgresUrl(t)]
    const [a, b, stranger] = [await nodeOn(t, here), await nodeOn(t, here), await nodeOn(t, there)]
    const [ears, far] = [await openEars(b), await openEars(stranger)]
    a.pokes.send(RAIN, 1)
    await ears.until(() => ears.heard.length > 0)
    // The server delivers in order: had it been for the other schema, too, it would come there first.
    stranger.pokes.send(RAIN, 2)
    await far.until(() => far.heard.length > 0)
    a.pokes.send(SUN, 3)
    await ears.until(() => ears.heard.length > 1)
    assert.deepEqual(
      [far.heard, ears.heard],
      [
        [[RAIN, 2]],
        [
          [RAIN, 1],
          [SUN, 3],
        ],
      ],
    )
  })

  test('behind a pooler that the address names, nothing listens, and pokes are sent all the same', async t => {
    const url = await postgresUrl(t)
    const name = unique()
    const pooled = await nodeOn(t, `${named(url, name)}&pgbouncer=true`)
    const deaf = listenTo(pooled)
    const plain = await openEars(await nodeOn(t, url))
    pooled.pokes.send(RAIN, 1)
    await plain.until(() => plain.heard.length > 0)
    assert.deepEqual(plain.heard, [[RAIN, 1]])
    assert.deepEqual([deaf.heard, deaf.gaps(), pooled.pokes.arrive()], [[], 0, false])
    const [{ count } = { count: 'none' }] = (await onServer(
      url,
      `select count(*) filter (where query like 'listen %') from pg_stat_activity where application_name = '${name}'`,
    )) as { count: string }[]
    assert.equal(count, '0')
    await deaf.stop()
  })

  test('a node to which no notification comes, although it may listen, says that none arrive', async t => {
    const url = await postgresUrl(t)
    const proxy = await deafProxyTo(t, url)
    const near = await nodeOn(t, url)
    const plain = await openEars(near)
    const far = await nodeOn(t, proxy.url)
    const deaf = listenTo(far)
    await proxy.dropped(1)
    assert.deepEqual([far.pokes.arrive(), deaf.gaps()], [false, 0])
    far.pokes.send(RAIN, 1)
    await plain.until(() => plain.heard.length > 0)
    assert.deepEqual(plain.heard, [[RAIN, 1]], 'others hear what it sends, but not how it tried')
    near.pokes.send(SUN, 1)
    await proxy.dropped(3)
    assert.deepEqual([far.pokes.arrive(), deaf.heard], [false, []])
  })

  test('whether notifications arrive is found out again and again', async t => {
    const url = await postgresUrl(t)
    const proxy = await deafProxyTo(t, url)
    const db = openDatabase({ url, connections: 1 })
    t.after(db.close)
    const payloads = await payloadsOf(t, url)
    let gaps = 0
    const listener = createListener(proxy.url, {
      channels: CHANNELS,
      echo: word =>
        db.query(`select pg_notify(name, $1) from (${CHANNELS}) as channel limit 1`, [word]).then(
          () => true,
          () => false,
        ),
      onPayload: () => {},
      onGap: () => {
        gaps += 1
      },
      checkMs: 20,
      echoMs: 500,
    })
    t.after(listener.stop)
    const becomes = async (isHearing: boolean): Promise<void> => {
      while (listener.isHearing() !== isHearing) await pause(5, undefined, { signal: t.signal })
    }
    listener.start()
    await proxy.dropped(1)
    assert.deepEqual([listener.isHearing(), gaps], [false, 0])
    proxy.deafen(false)
    await becomes(true)
    const before = payloads.length
    while (payloads.length < before + 5) await pause(5, undefined, { signal: t.signal })
    assert.ok(gaps > 0 && gaps < 5, 'what arrives again and again has no gaps')
    proxy.deafen(true)
    await becomes(false)
    const known = gaps
    proxy.deafen(false)
    await becomes(true)
    assert.equal(gaps, known + 1)
  })
})
