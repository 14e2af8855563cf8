// A poke of one node is heard on the others: a session and how far it is, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOOK } from '../../../../src/log/node-ports.ts'
import { session } from '../../facts.ts'
import { openEars } from './ears.ts'
import { onSharedStores } from './shared-stores.ts'

const RAIN = session('rain')
const SUN = session('sun')

onSharedStores('Pokes', (open, store) => {
  test('a poke of one node is heard on another, with the session and its head alone', async t => {
    const { a, b } = await open(t)
    const ears = await openEars(b.nodes)
    a.nodes.pokes.send(RAIN, 7)
    a.nodes.pokes.send(SUN, LOOK)
    await ears.until(() => ears.heard.length >= 2)
    assert.deepEqual(
      ears.heard.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
      [
        [RAIN, 7],
        [SUN, LOOK],
      ],
    )
  })

  test('pokes of one session that are sent together say its highest head', async t => {
    const { a, b } = await open(t)
    const ears = await openEars(b.nodes)
    for (const head of [3, 9, 5]) a.nodes.pokes.send(RAIN, head)
    a.nodes.pokes.send(SUN, 1)
    await ears.until(() => ears.heard.some(([id]) => id === SUN))
    const heads = ears.heard.flatMap(([id, head]) => (id === RAIN ? [Number(head)] : []))
    assert.equal(Math.max(...heads), 9)
    if (store === 'postgres') assert.deepEqual(heads, [9], 'as one')
  })

  test('a listener that has stopped hears no more, the others do, and it may begin again', async t => {
    const { a, b } = await open(t)
    const [stopped, other, far] = [await openEars(b.nodes), await openEars(b.nodes), await openEars(a.nodes)]
    await stopped.stop()
    a.nodes.pokes.send(RAIN, 1)
    await Promise.all([other, far].map(ears => ears.until(() => ears.heard.length > 0)))
    assert.deepEqual([stopped.heard, other.heard, far.heard], [[], [[RAIN, 1]], [[RAIN, 1]]])
    await other.stop()
    const again = await openEars(b.nodes)
    a.nodes.pokes.send(RAIN, 2)
    await again.until(() => again.heard.length > 0)
    assert.deepEqual([stopped.heard, other.heard, again.heard], [[], [[RAIN, 1]], [[RAIN, 2]]])
  })
})
