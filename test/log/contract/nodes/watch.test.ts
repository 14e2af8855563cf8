// A node sees how far sessions of other nodes have come, and which approvals are open.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Checkpoint } from '../../../../src/log/ports.ts'
import type { ApprovalId } from '../../../../src/model/ids.ts'
import { ended, heard, must, session, started, text, turn } from '../../facts.ts'
import { onSharedStores } from './shared-stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')
const T2 = turn('2')

onSharedStores('Watch', open => {
  test('a look has the head, the orders and the checkpoints of each session that is there', async t => {
    const { a, b } = await open(t, RAIN, SUN)
    must(await a.append(RAIN, [heard('a'), started(T1, 1), started(T2, 1)]))
    const said = (of: typeof T1): Checkpoint => ({ turn: of, step: 1, parts: [text(`so far ${of} \u0000`)] })
    for (const each of [T1, T2]) must(await a.checkpoint(RAIN, said(each)))
    must(await a.nodes.orders.add({ id: 'o1', session: SUN, body: '' }))
    const looks = must(await b.nodes.watch.looks([SUN, session('gone'), RAIN]))
    assert.deepEqual(
      new Map([...looks].toSorted()),
      new Map([
        [RAIN, { head: 3, hasOrders: false, checkpoints: [said(T1), said(T2)] }],
        [SUN, { head: 0, hasOrders: true, checkpoints: [] }],
      ]),
    )
    assert.equal(must(await b.nodes.watch.looks([])).size, 0)
  })

  test('approvals are those of turns without an end, in all sessions', async t => {
    const { a, b } = await open(t, SUN, RAIN)
    assert.deepEqual(must(await b.nodes.watch.approvals()), [])
    const about = { turn: T1, call: 'c1', approval: 'apr_1' as ApprovalId, tool: 'x' }
    const asked = { type: 'approval.asked', ...about, argv: ['x'] } as const
    const answered = { type: 'approval.answered', ...about, answer: 'once' } as const
    for (const id of [SUN, RAIN]) {
      must(await a.append(id, [heard('a'), started(T2, 1), { ...asked, turn: T2 }, ended(T2)]))
      must(await a.append(id, [started(T1, 1), asked, heard('b'), answered]))
    }
    const listed = must(await b.nodes.watch.approvals()).map(({ session: of, seq, type }) => `${of} ${seq} ${type}`)
    const each = (id: string) => [`${id} 6 approval.asked`, `${id} 8 approval.answered`]
    assert.deepEqual(listed, [...each(RAIN), ...each(SUN)])
    must(await a.append(RAIN, [ended(T1)]))
    assert.equal(must(await b.nodes.watch.approvals()).length, 2)
  })
})
