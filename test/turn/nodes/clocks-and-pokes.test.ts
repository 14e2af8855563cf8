// Two engines on one PostgreSQL whose clocks are hours apart, and whose pokes get lost or come twice: neither changes who runs what, or its order.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createEngine, type Engine, type Log, weigh } from '../../../src/index.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { type ScriptedReply, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { eventsOf, gate, isEvent, openSession, until } from '../../support/engine.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'

const skip = (await whyNoPostgres()) ?? false
const LEASE_MS = 1500
const HOUR = 3_600_000

type Node = { readonly url: string; readonly clock?: () => number; readonly through?: (log: Log) => Log }

async function startNode(
  t: TestContext,
  replies: readonly ScriptedReply[],
  { url, clock = Date.now, through = log => log }: Node,
): Promise<Engine> {
  const log = await postgresLog({ url, clock, weigh, connections: 4 })
  assert.ok(log.ok)
  const provider = scriptedProvider(replies)
  const engine = createEngine({ log: through(log.value), provider, clock, leaseMs: LEASE_MS, vectorsFile: null })
  t.after(() => engine.close(100))
  return engine
}

const say = async (engine: Engine, session: SessionId, text: string): Promise<void> => {
  const said = await engine.say({ session, text, from: 'person' })
  assert.ok(said.ok, said.ok ? '' : said.fault.message)
}

/** Says one thing that is not answered before the gate opens. */
const slowly = (text: string, going: { readonly passed: Promise<unknown> }): ScriptedReply =>
  async function* () {
    yield { type: 'text', text }
    await going.passed
    yield { type: 'done' }
  }

/** Three times as long as a lease: one that is not renewed has run out by then. */
const longerThanLease = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 3 * LEASE_MS))

test('clocks that are two hours apart, and one that jumps back, take no session away and change no order', { skip }, async t => {
  const url = await postgresUrl(t)
  const going = gate()
  let offset = HOUR
  const jumping = (): number => Date.now() + offset
  const ahead = await startNode(t, [slowly('One.', going), says('Two.')], { url, clock: jumping })
  const behind = await startNode(t, [], { url, clock: () => Date.now() - HOUR })
  const session = await openSession(ahead)
  await say(ahead, session, 'a')
  await until(ahead, session, ({ type }) => type === 'delta')
  offset = -HOUR
  await say(behind, session, 'b')
  await longerThanLease()
  going.open()
  let ends = 0
  await until(behind, session, signal => {
    if (isEvent(signal, 'turn.ended')) ends += 1
    return ends === 2
  })
  const events = await eventsOf(behind, session)
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
  assert.deepEqual(
    events.flatMap(event =>
      event.type === 'message.received' ? [event.text] : event.type === 'turn.ended' ? [event.reason] : [],
    ),
    ['a', 'b', 'done', 'done'],
  )
})

/** Loses every other poke, and sends those that are left twice. */
function losing(log: Log): Log {
  const { nodes } = log
  assert.ok(nodes)
  let count = 0
  const send: typeof nodes.pokes.send = (session, head) => {
    count += 1
    if (count % 2 === 1) return
    nodes.pokes.send(session, head)
    nodes.pokes.send(session, head)
  }
  return { ...log, nodes: { ...nodes, pokes: { ...nodes.pokes, send } } }
}

test('a message and a reply are heard once on another node although pokes get lost and come twice', { skip }, async t => {
  const url = await postgresUrl(t)
  const going = gate()
  const words = Array.from({ length: 40 }, (_, index) => `word ${index} `)
  const long: ScriptedReply = async function* () {
    for (const text of words) yield { type: 'text', text }
    await going.passed
    yield { type: 'done' }
  }
  const owner = await startNode(t, [long, says('And you.')], { url, through: losing })
  const other = await startNode(t, [], { url, through: losing })
  const session = await openSession(owner)
  await say(owner, session, 'a')
  const heard = until(
    other,
    session,
    signal => isEvent(signal, 'turn.ended') && signal.event.reason === 'done' && signal.event.seq > 6,
  )
  await until(other, session, ({ type }) => type === 'delta')
  await say(other, session, 'b')
  going.open()
  const signals = await heard
  const seqs = signals.flatMap(signal => (signal.type === 'event' ? [signal.event.seq] : []))
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => index + 1),
    'every event once',
  )
  assert.deepEqual(seqs.length, (await eventsOf(other, session)).length)
})
