// The keeper of leases and the orders to owners, each alone with a store of a test's own making.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STALE_FENCE } from '../../../src/log/append-rules.ts'
import type { Leases, Orders, SessionOrder } from '../../../src/log/node-ports.ts'
import { fault } from '../../../src/model/fault.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { err, ok, type Result } from '../../../src/model/result.ts'
import { createOwnersVerbs } from '../../../src/turn/nodes/orders.ts'
import { createLeaseKeeper, type Ownership, SOLE_OWNER } from '../../../src/turn/nodes/ownership.ts'
import { gate } from '../../support/engine.ts'

const SESSION = 'ses_1' as SessionId
const onBug = (cause: unknown): never => assert.fail(String(cause))
const AWAY = err(fault('store', 'it is away'))

const leasesOf = (over: Partial<Leases>): Leases => ({
  take: async (_, node) => ok({ node, fence: 1 }),
  renew: async (_, keys) => ok(keys.map(({ key }) => key)),
  giveBack: async () => ok(null),
  orphans: async () => ok([]),
  ...over,
})

test('a renewal that failed is tried again several times before the lease ends', async () => {
  const rests: number[] = []
  const isOver = gate()
  const leases = leasesOf({ renew: async (_, keys) => (rests.length <= 3 ? AWAY : ok(keys.map(({ key }) => key))) })
  const lost: string[] = []
  const rest = async (ms: number): Promise<void> => {
    // The other rests are for giving back what is idle.
    if (ms < 1000) return isOver.passed
    rests.push(ms)
    if (rests.length === 6) await isOver.passed
  }
  const keeper = createLeaseKeeper({ leases, node: 'here', leaseMs: 15_000, onBug, rest })
  await keeper.own(SESSION)
  keeper.begin({ taken: async () => ok(null), lost: id => void lost.push(id), isBusy: () => true })
  while (rests.length < 6) await new Promise(setImmediate)
  assert.deepEqual(rests, [5000, 1000, 1000, 1000, 5000, 5000])
  assert.deepEqual(lost, [])
  const stopped = keeper.stop()
  isOver.open()
  await stopped
})

test('what was read in one tenure does not count in the next', async () => {
  let fence = 0
  const leases = leasesOf({
    take: async (_, node) => {
      fence += 1
      return ok({ node, fence })
    },
  })
  const keeper = createLeaseKeeper({ leases, node: 'here', leaseMs: 15_000, onBug })
  const first = await keeper.own(SESSION)
  assert.ok(first.ok && first.value !== undefined)
  assert.ok(keeper.isStill(SESSION, first.value))
  keeper.refused(SESSION, 1)
  assert.equal(keeper.tenureOf(SESSION), undefined)
  assert.ok(!keeper.isStill(SESSION, first.value))
  await keeper.own(SESSION)
  assert.ok(keeper.tenureOf(SESSION) !== undefined && !keeper.isStill(SESSION, first.value))
  // A refusal of the older fence comes late.
  keeper.refused(SESSION, 1)
  assert.ok(keeper.isOurs(SESSION))
  await keeper.stop()
})

test('a session that was lost while it was taken up is another node’s, and no fault', async () => {
  const keeper = createLeaseKeeper({ leases: leasesOf({}), node: 'here', leaseMs: 15_000, onBug })
  keeper.begin({ taken: async () => err(STALE_FENCE), lost: () => {}, isBusy: () => false })
  assert.deepEqual(await keeper.own(SESSION), ok(undefined))
  assert.equal(keeper.tenureOf(SESSION), undefined)
  await keeper.stop()
})

test('a session is ours at once, and its tenure is given when what was left in it is taken up', async () => {
  const known = gate()
  const keeper = createLeaseKeeper({ leases: leasesOf({}), node: 'here', leaseMs: 15_000, onBug })
  keeper.begin({ taken: async () => known.passed.then(() => ok(null)), lost: () => {}, isBusy: () => false })
  const owning = keeper.own(SESSION)
  while (!keeper.isOurs(SESSION)) await new Promise(setImmediate)
  let isTold = false
  const told = keeper.whenTaken(SESSION).then(tenure => {
    isTold = true
    return tenure
  })
  await new Promise(setImmediate)
  assert.ok(!isTold)
  known.open()
  assert.deepEqual(await told, { fence: 1 })
  assert.deepEqual(await owning, ok({ fence: 1 }))
  await keeper.stop()
})

test('a session that could not be given back can be taken again', async () => {
  let isBroken = true
  const bugs: unknown[] = []
  const leases = leasesOf({
    giveBack: async () => {
      if (isBroken) throw new Error('a mistake')
      return ok(null)
    },
  })
  const keeper = createLeaseKeeper({
    leases,
    node: 'here',
    leaseMs: 15_000,
    onBug: cause => bugs.push(cause),
    rest: async () => {
      await new Promise(setImmediate)
    },
  })
  assert.ok((await keeper.own(SESSION)).ok)
  keeper.begin({ taken: async () => ok(null), lost: () => {}, isBusy: () => false })
  while (bugs.length === 0) await new Promise(setImmediate)
  isBroken = false
  assert.deepEqual(await keeper.own(SESSION), ok({ fence: 1 }))
  await keeper.stop()
})

/** Orders that an owner elsewhere never sees, or sees as the test says. */
function ordersOf(over: Partial<Orders> = {}): Orders & { readonly kept: Map<string, SessionOrder> } {
  const kept = new Map<string, SessionOrder>()
  return {
    kept,
    add: async order => {
      kept.set(order.id, order)
      return ok(null)
    },
    take: async () => ok([]),
    reply: async () => ok(null),
    takeReply: async () => ok(undefined),
    withdraw: async id => ok(kept.delete(id)),
    ...over,
  }
}

const elsewhere: Ownership = {
  ...SOLE_OWNER,
  own: async () => ok(undefined),
  tenureOf: () => undefined,
  whenTaken: async () => undefined,
  isStill: () => false,
}
const silent = { send: () => {}, listen: () => ({ stop: async () => {} }), arrive: () => true }

function orderedVerb(orders: Orders, owners: Ownership = elsewhere): () => Promise<Result<string, { message: string }>> {
  const ports = { orders, pokes: silent }
  const verbs = createOwnersVerbs({ ports, owners, mintOrder: () => 'ord_1', onBug, answerMs: 200 })
  const verb = verbs.onOwner('do', async () => ok('done here'))
  return () => verb(SESSION)
}

test('an order that its owner has not taken in time is withdrawn, and nothing was done', async () => {
  const orders = ordersOf()
  const answer = await orderedVerb(orders)()
  assert.ok(!answer.ok)
  assert.equal(answer.fault.message, 'the node that runs this session did not answer; nothing was done, try again')
  assert.equal(orders.kept.size, 0)
})

test('an order that was taken and not answered may still be carried out, and that is said', async () => {
  const answer = await orderedVerb(ordersOf({ withdraw: async () => ok(false) }))()
  assert.ok(!answer.ok)
  assert.equal(answer.fault.message, 'the node that runs this session did not answer; look at the session, then try again')
})

test('an order that only a newer version knows is answered by an older one', async () => {
  const replies: string[] = []
  const orders = ordersOf({
    take: async () => ok([{ id: 'ord_9', session: SESSION, body: JSON.stringify({ verb: 'of tomorrow', given: [[1]] }) }]),
    reply: async (_, body) => {
      replies.push(body)
      return ok(null)
    },
  })
  const verbs = createOwnersVerbs({
    ...{ ports: { orders, pokes: silent }, owners: SOLE_OWNER, mintOrder: () => 'ord_1', onBug },
  })
  await verbs.obey(SESSION)
  const [reply] = replies.map(body => JSON.parse(body))
  assert.deepEqual(
    [reply.ok, reply.fault.kind, reply.fault.message],
    [false, 'overloaded', 'the node that runs this session is of an older version; try again later'],
  )
})

test('what was done under a lease that was lost meanwhile is done again by the new owner', async () => {
  let isOurs = true
  const owners: Ownership = {
    ...SOLE_OWNER,
    own: async () => ok(isOurs ? { fence: 1 } : undefined),
  }
  const orders = ordersOf({ takeReply: async () => ok(JSON.stringify(ok('done there'))) })
  const verbs = createOwnersVerbs({ ports: { orders, pokes: silent }, owners, mintOrder: () => 'ord_1', onBug })
  const verb = verbs.onOwner('do', async () => {
    isOurs = false
    return err(fault('conflict', 'this fence is stale: another node has taken the session over'))
  })
  assert.deepEqual(await verb(SESSION), ok('done there'))
})
