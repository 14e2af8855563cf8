// One node at a time has a lease, each holder has a higher fence than all before it, and an old holder cannot append any more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease, NodePorts } from '../../../../src/log/node-ports.ts'
import { ended, faultOf, heard, must, planned, session, started, turn } from '../../facts.ts'
import { onSharedStores } from './shared-stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const SNOW = session('snow')
const MS = 20_000

const take = async ({ leases }: NodePorts, node: string, key: string = RAIN): Promise<Lease> =>
  must(await leases.take(key, node, MS))

onSharedStores('Leases', open => {
  test('a lease belongs to the first that takes it, until it runs out or is given back', async t => {
    const { a, b, pass } = await open(t, RAIN)
    const first = await take(a.nodes, 'a')
    assert.equal(first.node, 'a')
    assert.deepEqual(await take(a.nodes, 'a'), first, 'who has it keeps its fence')
    assert.deepEqual(await take(b.nodes, 'b'), first, 'the other learns who has it')
    await pass(MS + 1)
    const second = await take(b.nodes, 'b')
    assert.equal(second.node, 'b')
    assert.ok(second.fence > first.fence)
    assert.deepEqual(await take(a.nodes, 'a'), second)
    must(await a.nodes.leases.giveBack('a', [RAIN]))
    assert.deepEqual(await take(a.nodes, 'a'), second, 'only its holder can give it back')
    must(await b.nodes.leases.giveBack('b', [RAIN, SUN]))
    const third = await take(a.nodes, 'a')
    assert.ok(third.node === 'a' && third.fence > second.fence)
    must(await a.nodes.leases.giveBack('a', [RAIN]))
    const again = await take(a.nodes, 'a')
    assert.ok(again.fence > third.fence, 'also for the same node')
  })

  test('taking a session raises its fence at once, also above fences that it was written under', async t => {
    const { a, b, pass } = await open(t, RAIN)
    const old = await take(a.nodes, 'a')
    must(await a.append(RAIN, [heard('a')], { fence: old.fence }))
    await pass(MS + 1)
    must(await a.append(RAIN, [heard('b')], { fence: old.fence }))
    const next = await take(b.nodes, 'b')
    faultOf(await a.append(RAIN, [heard('late')], { fence: old.fence }), 'conflict')
    must(await b.append(RAIN, [heard('c')], { fence: next.fence }))
    must(await a.append(RAIN, [heard('from a person')]))
    must(await b.append(RAIN, [heard('d')], { fence: next.fence + 100 }))
    must(await b.nodes.leases.giveBack('b', [RAIN]))
    const above = await take(a.nodes, 'a')
    assert.ok(above.fence > next.fence + 100)
    must(await a.append(RAIN, [heard('e')], { fence: above.fence }))
  })

  test('of many that take at once one gets it, and fences only rise', async t => {
    const { a, b } = await open(t, RAIN)
    let highest = 0
    for (let round = 0; round < 20; round += 1) {
      const names = Array.from({ length: 6 }, (_, index) => `n${index}`)
      const taken = await Promise.all(names.map((name, index) => take((index % 2 === 0 ? a : b).nodes, name)))
      const holders = new Set(taken.map(({ node, fence }) => `${node} ${fence}`))
      assert.equal(holders.size, 1, [...holders].join())
      const [{ node, fence } = { node: '', fence: 0 }] = taken
      assert.ok(fence > highest)
      highest = fence
      must(await b.nodes.leases.giveBack(node, [RAIN]))
    }
  })

  test('nobody gets a fence twice while leases are taken and given back by all at once', async t => {
    const { a, b } = await open(t, RAIN)
    const fences: number[] = []
    const work = async (nodes: NodePorts, name: string): Promise<void> => {
      for (let tries = 0; tries < 25; tries += 1) {
        const { node, fence } = await take(nodes, name)
        if (node !== name) continue
        fences.push(fence)
        must(await nodes.leases.giveBack(name, [RAIN]))
      }
    }
    await Promise.all([work(a.nodes, 'a'), work(a.nodes, 'c'), work(b.nodes, 'b'), work(b.nodes, 'd')])
    assert.ok(fences.length >= 25)
    assert.equal(new Set(fences).size, fences.length)
  })

  test('renewing keeps what is still its own with the same fence, and nothing else', async t => {
    const { a, b, pass } = await open(t, RAIN, SUN, SNOW)
    const rain = await take(a.nodes, 'a')
    const sun = await take(a.nodes, 'a', SUN)
    const snow = await take(b.nodes, 'b', SNOW)
    const renew = async (node: string, ...leases: readonly { key: string; fence: number }[]) =>
      [...must(await a.nodes.leases.renew(node, leases, MS))].sort()
    await pass(MS - 1000)
    const all = [
      { key: RAIN, fence: rain.fence },
      { key: SUN, fence: sun.fence + 1 },
      { key: SNOW, fence: snow.fence },
      { key: 'unknown', fence: 1 },
    ]
    assert.deepEqual(await renew('a', ...all), [RAIN])
    assert.deepEqual(await renew('a'), [])
    await pass(2000)
    assert.deepEqual(await take(b.nodes, 'b'), rain, 'it lasts longer now')
    assert.equal((await take(b.nodes, 'b', SUN)).node, 'b')
    await pass(MS)
    assert.deepEqual(await renew('a', ...all), [RAIN], 'one that ran out and that nobody took')
    must(await a.nodes.leases.giveBack('a', [RAIN]))
    assert.deepEqual(await renew('a', ...all), [], 'what was given back is not its own any more')
  })

  test('a job without a session has a lease, too', async t => {
    const { a, b } = await open(t)
    const held = await take(a.nodes, 'a', 'channel:telegram')
    assert.deepEqual(await take(b.nodes, 'b', 'channel:telegram'), held)
    assert.deepEqual(must(await a.nodes.leases.orphans('', 9)), [])
  })

  test('orphans are sessions with something to do that no node has', async t => {
    const { a, b, pass } = await open(t, RAIN, SUN, SNOW, session('idle'))
    const orphans = async (after = '', limit = 9) => must(await b.nodes.leases.orphans(after, limit))
    assert.deepEqual(await orphans(), [])
    must(await a.append(RAIN, [heard('a')]))
    const begun = turn('1')
    must(await a.append(SUN, [heard('a'), started(begun, 1), planned(begun, 2)]))
    must(await a.nodes.orders.add({ id: 'o1', session: SNOW, body: 'stop' }))
    assert.deepEqual(await orphans(), [RAIN, SNOW, SUN])
    assert.deepEqual(await orphans('', 2), [RAIN, SNOW])
    assert.deepEqual(await orphans(SNOW), [SUN])
    const { fence } = await take(a.nodes, 'a')
    await take(a.nodes, 'a', SUN)
    assert.deepEqual(await orphans(), [SNOW])
    await pass(MS + 1)
    assert.deepEqual(await orphans(), [RAIN, SNOW, SUN])
    must(await a.nodes.leases.renew('a', [{ key: RAIN, fence }], MS))
    must(await b.nodes.orders.take([SNOW]))
    must(await a.append(SUN, [ended(begun)]))
    assert.deepEqual(await orphans(), [])
    must(await a.nodes.leases.giveBack('a', [RAIN]))
    assert.deepEqual(await orphans(), [RAIN])
    must(await a.remove(RAIN))
    assert.deepEqual(await orphans(), [])
  })
})
