// What a node must not do, and must not leave undone, when it loses a session in an awkward moment.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Log, memoryLog, type Observation, weigh } from '../../../src/index.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { calls, type ScriptedReply, says } from '../../../src/testing/scripted.ts'
import { type Tool, toolbox } from '../../../src/tool/toolbox.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { eventsOf, gate, isEvent, last, openSession, until } from '../../support/engine.ts'
import { cuttable, ended, LEASE_MS, node, say, untilFree } from './engines.ts'

/** A store in memory whose leases can be made to run out. */
function sharedStore(): { readonly store: Log; readonly runOut: () => void } {
  let ahead = 0
  const store = memoryLog({ clock: () => Date.now() + ahead, weigh, isShared: true })
  return {
    store,
    runOut: () => {
      ahead += LEASE_MS
    },
  }
}

/** Says something, and then nothing until it is stopped. */
const stuckAfter = (text: string, onStopped: () => void = () => {}): ScriptedReply =>
  async function* (_, signal) {
    yield { type: 'text', text }
    await new Promise(resolve => signal.addEventListener('abort', resolve))
    onStopped()
  }

const tool = (name: string, approval: Tool['approval'], prepare: Tool['prepare']): Tool => ({
  spec: { name, description: name, parameters: { type: 'object' } },
  ...{ approval, parallel: false, idempotent: false, startsProcess: true, prepare },
})

const typesOf = async (store: Log, session: SessionId): Promise<readonly string[]> => {
  const events = await store.read(session)
  assert.ok(events.ok)
  return events.value.map(({ type }) => type)
}

/** When an event of a type is in the log, whichever node wrote it. */
async function untilKept(store: Log, session: SessionId, type: string): Promise<void> {
  while (!(await typesOf(store, session)).includes(type)) await new Promise(resolve => setTimeout(resolve, 5))
}

/** When a node that was cut off knows that a session is not its own: it has asked for it and was told so. */
async function untilKnown(t: TestContext, asked: () => number): Promise<void> {
  const before = asked()
  await t.waitFor(() => assert.ok(asked() > before), { timeout: 5000 })
}

/** Counts the renewals that a node has got an answer to. */
function counted(log: Log): { readonly log: Log; readonly renewals: () => number } {
  const { nodes } = log
  assert.ok(nodes)
  let renewals = 0
  const renew: typeof nodes.leases.renew = async (...given) => {
    const renewed = await nodes.leases.renew(...given)
    // After what the node does with the answer.
    if (renewed.ok)
      setImmediate(() => {
        renewals += 1
      })
    return renewed
  }
  return { log: { ...log, nodes: { ...nodes, leases: { ...nodes.leases, renew } } }, renewals: () => renewals }
}

test('a message that waits is answered although reading its session takes longer than a session stays idle', {
  timeout: 20_000,
}, async t => {
  const { store } = sharedStore()
  const opener = node(t, store, [])
  const session = await openSession(opener)
  await opener.close(100)
  assert.ok((await store.append(session, [{ type: 'message.received', text: 'hi', from: 'person' }])).ok)
  let isTaken = false
  const slow: Log = {
    ...store,
    openTurns: async id => {
      isTaken = true
      return store.openTurns(id)
    },
    session: async id => {
      // Longer than twice the time after which an idle session is given back.
      if (isTaken) await new Promise(resolve => setTimeout(resolve, 600))
      return store.session(id)
    },
  }
  const engine = node(t, slow, [says('Hello.')])
  await ended(engine, session)
})

test('a turn that waits for a person and is taken over does not wait here for ever', { timeout: 20_000 }, async t => {
  const { store, runOut } = sharedStore()
  const { log, cut, join } = cuttable(store)
  const { log: asking, renewals } = counted(log)
  const prepared = gate()
  const ran: string[] = []
  const box = (who: string, slow: Promise<unknown>) =>
    toolbox([
      tool('write', 'ask', async () => ({
        argv: ['write'],
        run: async () => ({ ok: true, outcome: ran.push(`${who} writes`) > 0 ? 'done' : '' }),
      })),
      tool('look', 'auto', async () => {
        await slow
        return { argv: ['look'], run: async () => ({ ok: true, outcome: ran.push(`${who} looks`) > 0 ? 'done' : '' }) }
      }),
    ])
  const both: ScriptedReply = [
    { type: 'call', call: 'c1', tool: 'write', text: '{}' },
    { type: 'call', call: 'c2', tool: 'look', text: '{}' },
    { type: 'done' },
  ]
  const first = node(t, asking, [both, says('Two.')], { toolbox: box('first', prepared.passed) })
  const other = node(t, store, [says('Done.'), says('Two.')], { toolbox: box('other', Promise.resolve()) })
  const session = await openSession(first)
  await say(first, session, 'go')
  await untilKept(store, session, 'approval.asked')
  cut()
  runOut()
  await until(other, session, signal => isEvent(signal, 'tool.settled'))
  join()
  await untilKnown(t, renewals)
  prepared.open()
  const pending = await other.allApprovals()
  assert.ok(pending.ok && pending.value[0] !== undefined)
  assert.ok((await other.answer(pending.value[0].approval, 'once')).ok)
  await ended(other, session)
  await untilFree(store, session)
  await say(first, session, 'again')
  await ended(first, session, 2)
  assert.deepEqual(ran, ['other looks', 'other writes'])
  assert.deepEqual(first.approvals(), [])
})

test('a turn whose start was written under a lease that was lost since is not run again', { timeout: 20_000 }, async t => {
  const { store, runOut } = sharedStore()
  const ran: string[] = []
  const pays = (who: string) =>
    toolbox([tool('pay', 'auto', async () => ({ argv: ['pay'], run: async () => ({ ok: true, outcome: `${ran.push(who)}` }) }))])
  const answered = gate()
  const { nodes } = store
  assert.ok(nodes)
  let isFirst = true
  let isAway = false
  // The answer to the first append comes late, and no renewal arrives meanwhile.
  const late: Log = {
    ...store,
    append: async (...given) => {
      const appended = await store.append(...given)
      if (isFirst && given[1].some(({ type }) => type === 'turn.started')) {
        isFirst = false
        isAway = true
        runOut()
        await answered.passed
      }
      return appended
    },
    nodes: {
      ...nodes,
      leases: {
        ...nodes.leases,
        renew: async (who, keys, ms) =>
          isAway ? { ok: true, value: keys.map(({ key }) => key) } : nodes.leases.renew(who, keys, ms),
      },
    },
  }
  const { log, renewals } = counted(late)
  const first = node(t, log, [says('First.'), says('First.')], { toolbox: pays('first') })
  const other = node(t, store, [calls('pay', {}), says('Paid.')], { toolbox: pays('other') })
  const session = await openSession(first)
  const saying = say(first, session, 'pay once')
  await ended(other, session)
  await untilFree(store, session)
  isAway = false
  await untilKnown(t, renewals)
  // It takes the session again for another message, and only then hears that the first one was written.
  await say(first, session, 'thanks')
  answered.open()
  await saying
  await ended(first, session, 2)
  const events = await eventsOf(first, session)
  const ends = events.flatMap(event => (event.type === 'turn.ended' ? [event.turn] : []))
  assert.equal(new Set(ends).size, ends.length, 'each turn has one end')
  assert.deepEqual(ran, ['other'])
})

test('a node that has lost a session begins no round of an exchange in it', { timeout: 20_000 }, async t => {
  const { store, runOut } = sharedStore()
  const { log, cut, join } = cuttable(store)
  const { log: asking, renewals } = counted(log)
  const councils = () => [councilOf([advisor('ann'), advisor('ben')])]
  let answersOfBen = 0
  const first = node(t, asking, [], {
    councils,
    provider: stand(({ voice, turn }, signal) => {
      if (voice === 'ben') answersOfBen += 1
      if (voice !== 'ben' || answersOfBen !== 2) return says(`${voice} says ${turn}.`)
      return (async function* () {
        yield { type: 'text', text: 'Ben begins ' }
        await new Promise(resolve => signal.addEventListener('abort', resolve))
      })()
    }),
  })
  const going = gate()
  const other = node(t, store, [], {
    councils,
    provider: stand(({ voice, turn }) =>
      voice !== 'ben'
        ? says(`${voice} says ${turn}.`)
        : (async function* () {
            yield { type: 'text', text: 'and goes on ' }
            await going.passed
            yield { type: 'text', text: 'to the end.' }
            yield { type: 'done' }
          })(),
    ),
  })
  const opened = await first.open({ council: 'board' })
  assert.ok(opened.ok)
  const { id } = opened.value
  await say(first, id, 'go')
  await ended(first, id, 2)
  assert.ok((await first.exchange(id, 2)).ok)
  await ended(first, id, 3)
  await until(other, id, signal => signal.type === 'delta' && signal.delta.text.startsWith('Ben'))
  cut()
  runOut()
  await untilKept(store, id, 'reply.broken')
  join()
  await untilKnown(t, renewals)
  going.open()
  await ended(other, id, 6)
  const events = await eventsOf(other, id)
  const second = events.findIndex(event => event.type === 'message.received' && event.exchange?.round === 2)
  const ends = events.slice(0, second).filter(({ type }) => type === 'turn.ended')
  assert.equal(ends.length, 4, 'the second round begins when both have ended the first')
})

test('a stop that comes to a node which has lost the session reaches the one that runs it', { timeout: 20_000 }, async t => {
  const { store, runOut } = sharedStore()
  const { log, cut, join } = cuttable(store)
  const first = node(t, log, [stuckAfter('Half ')])
  const other = node(t, store, [stuckAfter('and ')])
  const session = await openSession(first)
  await say(first, session, 'go')
  await until(other, session, ({ type }) => type === 'delta')
  cut()
  runOut()
  await until(other, session, signal => signal.type === 'delta' && signal.delta.text.startsWith('and'))
  join()
  const stopped = await first.cancel(session)
  assert.ok(stopped.ok, stopped.ok ? '' : stopped.fault.message)
  assert.equal(stopped.value.length, 1)
  const events = await eventsOf(other, session)
  assert.equal(last(events, 'turn.ended').reason, 'cancelled')
})

test('a reply that another node has ended is not shown as one that is still being written', { timeout: 20_000 }, async t => {
  const { store, runOut } = sharedStore()
  const { log, cut, join } = cuttable(store)
  const { log: asking, renewals } = counted(log)
  const stopped = gate()
  const first = node(t, asking, [stuckAfter('Half a ghost ', stopped.open)])
  const other = node(t, store, [says('and its end.')])
  const session = await openSession(first)
  await say(first, session, 'go')
  await until(other, session, ({ type }) => type === 'delta')
  cut()
  runOut()
  await ended(other, session)
  join()
  await untilKnown(t, renewals)
  // The provider hears that nobody wants its words any more.
  await stopped.passed
  await untilFree(store, session)
  const heard = await until(first, session, signal => isEvent(signal, 'turn.ended'))
  assert.deepEqual(
    heard.filter(({ type }) => type === 'delta'),
    [],
  )
  const later = new AbortController()
  const afterwards: string[] = []
  const following = (async () => {
    for await (const signal of first.follow(session, heard.length, later.signal)) afterwards.push(signal.type)
  })()
  await say(other, session, 'And?').catch(() => undefined)
  await t.waitFor(() => assert.ok(afterwards.length > 0), { timeout: 10_000 })
  later.abort()
  await following
  assert.equal(afterwards[0], 'event')
})

test('tools of a session that was lost are stopped', { timeout: 20_000 }, async t => {
  const { store, runOut } = sharedStore()
  const { log, cut, join } = cuttable(store)
  const begun = gate()
  const killed = gate()
  const endless = tool('work', 'auto', async () => ({
    argv: ['work'],
    run: async signal => {
      begun.open()
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      killed.open()
      return { ok: false, outcome: 'stopped' }
    },
  }))
  const first = node(t, log, [calls('work', {})], { toolbox: toolbox([endless]) })
  const other = node(t, store, [says('It is not known what came of it.')], { toolbox: toolbox([endless]) })
  const session = await openSession(first)
  await say(first, session, 'go')
  await begun.passed
  cut()
  runOut()
  await ended(other, session)
  join()
  await killed.passed
  const settled = last(await eventsOf(other, session), 'tool.settled')
  assert.equal(settled.ok, false)
})

test('a node that stops gives its sessions to the others at once, in the middle of a reply', { timeout: 20_000 }, async t => {
  const { store } = sharedStore()
  // Nothing runs out in the time that this test has.
  const leaseMs = 3_000_000
  const first = node(t, store, [stuckAfter('Half a ')], { leaseMs })
  const other = node(t, store, [says('sentence.')], { leaseMs: LEASE_MS })
  const session = await openSession(first)
  await say(first, session, 'go')
  await until(other, session, ({ type }) => type === 'delta')
  await first.close(100)
  await ended(other, session)
  assert.match(JSON.stringify(await eventsOf(other, session)), /Half a .*sentence\./)
})

test('a node that is stopping takes no session any more', { timeout: 20_000 }, async t => {
  const { store } = sharedStore()
  const { nodes } = store
  assert.ok(nodes)
  const taken: string[] = []
  const take: typeof nodes.leases.take = async (key, ...given) => {
    taken.push(key)
    return nodes.leases.take(key, ...given)
  }
  const going = gate()
  const patient: ScriptedReply = async function* () {
    yield { type: 'text', text: 'Wait. ' }
    await going.passed
    yield { type: 'done' }
  }
  const engine = node(t, { ...store, nodes: { ...nodes, leases: { ...nodes.leases, take } } }, [patient])
  // Another node looks for sessions as often, and takes none.
  let looks = 0
  const orphans: typeof nodes.leases.orphans = async () => {
    looks += 1
    return { ok: true, value: [] }
  }
  node(t, { ...store, nodes: { ...nodes, leases: { ...nodes.leases, orphans } } }, [])
  const [session, left] = [await openSession(engine), await openSession(engine)]
  await say(engine, session, 'go')
  await until(engine, session, ({ type }) => type === 'delta')
  const closing = engine.close(20_000)
  assert.ok((await store.append(left, [{ type: 'message.received', text: 'hi', from: 'person' }])).ok)
  const before = looks
  await t.waitFor(() => assert.ok(looks > before + 3), { timeout: 10_000 })
  going.open()
  await closing
  assert.deepEqual(taken, [session])
})

test('a session that could not be taken up by mistake is free again, and answered when it can be', {
  timeout: 20_000,
}, async t => {
  const { store } = sharedStore()
  const opener = node(t, store, [])
  const session = await openSession(opener)
  await opener.close(100)
  assert.ok((await store.append(session, [{ type: 'message.received', text: 'hi', from: 'person' }])).ok)
  let isBroken = true
  const bugs: unknown[] = []
  const standing: Log['standing'] = async id => {
    if (isBroken) throw new Error('a row that cannot be read')
    return store.standing(id)
  }
  const observe = (seen: Observation): void => void (seen.type === 'bug' && bugs.push(seen.cause))
  const engine = node(t, { ...store, standing }, [says('Hello.')], { observe })
  await t.waitFor(() => assert.ok(bugs.length > 0), { timeout: 10_000 })
  await untilFree(store, session)
  isBroken = false
  await ended(engine, session)
})
