// An order waits for the owner of its session, is taken once, and its answer finds back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf, must, session, sessionOf } from '../../facts.ts'
import { onSharedStores } from './shared-stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const MINUTE = 60_000
const order = (id: string, of = RAIN, body = `body of ${id}`) => ({ id, session: of, body })

onSharedStores('Orders', open => {
  test('orders of some sessions are taken once, oldest first, as they were given', async t => {
    const { a, b } = await open(t, RAIN, SUN)
    const odd = order('o3', RAIN, 'half \ud800, nothing \u0000, "quoted" 雨')
    for (const each of [order('o1'), order('o2', SUN), odd, order('o4', SUN)]) must(await a.nodes.orders.add(each))
    must(await a.nodes.orders.add(order('o1', RAIN, 'the same again')))
    assert.deepEqual(must(await b.nodes.orders.take([])), [])
    assert.deepEqual(must(await b.nodes.orders.take([RAIN])), [order('o1'), odd])
    assert.deepEqual(must(await a.nodes.orders.take([RAIN, SUN])), [order('o2', SUN), order('o4', SUN)])
    assert.deepEqual(must(await b.nodes.orders.take([RAIN, SUN])), [])
  })

  test('of two that take at once each order goes to one', async t => {
    const { a, b } = await open(t, RAIN)
    const ids = Array.from({ length: 40 }, (_, index) => `o${index}`)
    await Promise.all(ids.map(async id => must(await a.nodes.orders.add(order(id)))))
    const taken = await Promise.all([a, b, a, b].map(log => log.nodes.orders.take([RAIN])))
    const got = taken.flatMap(each => must(each).map(({ id }) => id))
    assert.deepEqual(got.toSorted(), ids.toSorted())
  })

  test('an order can be taken back until it is taken', async t => {
    const { a, b } = await open(t, RAIN)
    for (const id of ['o1', 'o2']) must(await a.nodes.orders.add(order(id)))
    assert.equal(must(await a.nodes.orders.withdraw('o1')), true)
    assert.deepEqual(must(await b.nodes.orders.take([RAIN])), [order('o2')])
    for (const id of ['o1', 'o2', 'never']) assert.equal(must(await a.nodes.orders.withdraw(id)), false)
  })

  test('an order goes with its session, and after a minute', async t => {
    const { a, b, pass } = await open(t, RAIN)
    faultOf(await a.nodes.orders.add(order('o1', SUN)), 'not-found')
    must(await a.nodes.orders.add(order('o2')))
    must(await a.remove(RAIN))
    must(await a.open(sessionOf(RAIN)))
    assert.deepEqual(must(await b.nodes.orders.take([RAIN])), [])
    must(await a.nodes.orders.add(order('o3')))
    await pass(MINUTE - 20_000)
    must(await a.nodes.orders.add(order('o4')))
    await pass(20_001)
    assert.deepEqual(must(await b.nodes.watch.looks([RAIN])).get(RAIN)?.hasOrders, true)
    assert.deepEqual(must(await b.nodes.orders.take([RAIN])), [order('o4')])
    must(await a.nodes.orders.add(order('o5')))
    await pass(MINUTE + 1)
    assert.deepEqual(must(await b.nodes.watch.looks([RAIN])).get(RAIN)?.hasOrders, false)
    assert.deepEqual(must(await b.nodes.leases.orphans('', 9)), [])
  })

  test('an answer is taken once by the order’s id, within a minute', async t => {
    const { a, b, pass } = await open(t, RAIN)
    assert.equal(must(await a.nodes.orders.takeReply('o1')), undefined)
    must(await b.nodes.orders.reply('o1', 'first'))
    must(await b.nodes.orders.reply('o1', 'done \u0000'))
    assert.equal(must(await a.nodes.orders.takeReply('o1')), 'done \u0000')
    assert.equal(must(await a.nodes.orders.takeReply('o1')), undefined)
    must(await b.nodes.orders.reply('o2', 'late'))
    await pass(MINUTE + 1)
    assert.equal(must(await a.nodes.orders.takeReply('o2')), undefined)
  })
})
