/** A turn goes on at another node within 20 seconds of its owner's death, with leases as long as they are by themselves. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '../../src/model/event.ts'
import { isReply } from '../../src/model/message/spoken.ts'
import { spokenText } from '../../src/model/turn-view/join-cuts.ts'
import { CLERK } from '../chaos/conversation.ts'
import { WISHES } from '../chaos/house.ts'
import { type Cluster, startCluster } from '../chaos/nodes/cluster.ts'
import { type NodesProvider, startNodesProvider } from '../chaos/nodes/provider.ts'
import { NODES_SCRIPT, STOPPED } from '../chaos/nodes/script.ts'
import { clientOf } from '../gateway/http/client.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../support/postgres.ts'

const skip = (await whyNoPostgres()) ?? false

/** What `docs/scale.md` promises. */
const MOST_MS = 20_000
/** The reply has 76 frames: it takes longer than two renewals of a lease. */
const FRAME_MS = 200

type Lease = { readonly node: string; readonly until: string }

test('when the node that runs a turn dies, another one goes on with it within 20 seconds', { skip }, async t => {
  const store = await postgresUrl(t)
  const { provider, nodes } = await threeNodes(t, store)
  const [owner, other] = nodes
  assert.ok(owner !== undefined && other !== undefined)
  const whole = NODES_SCRIPT.replies[CLERK]?.[STOPPED]?.[0]?.text ?? ''
  const { text } = NODES_SCRIPT.messages.find(({ key }) => key === STOPPED) ?? { text: '' }

  // A session that nobody has is run by the node that takes its message in.
  const path = await clientOf(owner.url).open(WISHES.agent)
  const id = path.slice(path.lastIndexOf('/') + 1)
  const stream = await clientOf(other.url).follow(path)
  await clientOf(owner.url).json(202, 'POST', `${path}/messages`, { body: { text } })
  const planned = await stream.until(({ event }) => event === 'context.planned')
  assert.equal(provider.requests(), 1)

  // The moment when others have to wait longest: the lease was just made longer.
  const lease = await leaseOf(store, id)
  while ((await leaseOf(store, id)).until === lease.until) await pause(20)
  const died = performance.now()
  await owner.end()
  const heard = await stream.until(({ id: seq }) => seq !== undefined)
  const took = performance.now() - died
  t.diagnostic(`it went on ${(took / 1000).toFixed(1)} s after the death`)
  assert.ok(took < MOST_MS, `it went on ${took} ms after the death`)
  assert.notEqual((await leaseOf(store, id)).node, lease.node)

  const rest = await stream.until(({ event }) => event === 'turn.ended')
  const events = [...planned, ...heard, ...rest].filter(({ id: seq }) => seq !== undefined)
  assert.deepEqual(
    events.map(({ event }) => event),
    [
      ...['message.received', 'turn.started', 'context.planned'],
      ...['reply.broken', 'context.planned', 'reply.finished', 'turn.ended'],
    ],
  )
  const replies = events.map(({ event, data }) => ({ type: event, ...data }) as Event).filter(isReply)
  assert.equal(spokenText(replies), whole)
  assert.equal(events.at(-1)?.data.reason, 'done')
  // What was said until the last checkpoint was not asked for again.
  const [cut] = replies
  assert.ok(cut?.type === 'reply.broken' && spokenText([cut]).length > whole.length / 5)
  await stream.hangUp()
})

async function threeNodes(t: TestContext, store: string): Promise<{ provider: NodesProvider; nodes: Cluster['nodes'] }> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-takeover-'))
  const provider = await startNodesProvider(FRAME_MS)
  const cluster = await startCluster({
    ...{ nodes: 3, folder, provider: provider.url, database: { url: store, port: Number(new URL(store).port) } },
    compiled: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compiled'),
  })
  t.after(async () => {
    await cluster.close()
    await provider.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    assert.deepEqual([...cluster.faults, ...provider.faults], [])
  })
  await cluster.untilUp()
  return { provider, nodes: cluster.nodes }
}

async function leaseOf(store: string, session: string): Promise<Lease> {
  const url = new URL(store)
  const schema = url.searchParams.get('schema')
  url.search = ''
  const found = await onServer(url.href, `select node, until::text as until from ${schema}.leases where key = '${session}'`)
  const [lease] = found as readonly Lease[]
  assert.ok(lease !== undefined, 'nobody has the session')
  return lease
}
