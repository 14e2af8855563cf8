// Several engines on one store, in memory and in PostgreSQL: any of them admits, one runs a session, and each hears what the others write.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type Log, memoryLog, weigh } from '../../../src/index.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { calls, type ScriptedReply, says } from '../../../src/testing/scripted.ts'
import { type Tool, toolbox } from '../../../src/tool/toolbox.ts'
import { eventsOf, gate, isEvent, last, openSession, until } from '../../support/engine.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { cuttable, ended, LEASE_MS, node, say, untilFree } from './engines.ts'

/** Opens the same store again for each node, as each would on a machine of its own. */
type OpenShared = (t: TestContext) => Promise<() => Promise<Log>>

const inMemory: OpenShared = async () => {
  const log = memoryLog({ clock: Date.now, weigh, isShared: true })
  return async () => log
}

const inPostgres: OpenShared = async t => {
  const url = await postgresUrl(t)
  return async () => {
    const log = await postgresLog({ url, clock: Date.now, weigh, connections: 4 })
    assert.ok(log.ok, log.ok ? '' : log.fault.message)
    return log.value
  }
}

const noPostgres = (await whyNoPostgres()) ?? false

const textIn = (signals: Awaited<ReturnType<typeof until>>): string => {
  let text = ''
  for (const signal of signals) {
    if (signal.type !== 'delta') continue
    const { offset, text: more } = signal.delta
    assert.ok(offset <= text.length, `a delta at ${offset} after ${text.length}`)
    text = text.slice(0, offset) + more
  }
  return text
}

const counting = (ran: string[]): Tool => ({
  spec: { name: 'write', description: 'write', parameters: { type: 'object' } },
  approval: 'ask',
  parallel: false,
  idempotent: false,
  prepare: async args => ({
    argv: ['write', JSON.stringify(args)],
    run: async () => {
      ran.push(JSON.stringify(args))
      return { ok: true, outcome: 'done' }
    },
  }),
})

for (const [name, shared] of Object.entries({ memory: inMemory, postgres: inPostgres })) {
  suite(`nodes on ${name}`, { skip: name === 'postgres' && noPostgres }, () => {
    test('a message on one node is answered by the node that runs the session', async t => {
      const open = await shared(t)
      const going = gate()
      const slow: ScriptedReply = async function* () {
        yield { type: 'text', text: 'One' }
        await going.passed
        yield { type: 'done' }
      }
      const first = node(t, await open(), [slow, says('Two.')])
      const second = node(t, await open(), [])
      const session = await openSession(first)
      await say(first, session, 'a')
      await until(first, session, ({ type }) => type === 'delta')
      await say(second, session, 'b')
      going.open()
      await ended(second, session, 2)
      const events = await eventsOf(second, session)
      assert.deepEqual(
        events.map(({ seq: at }) => at),
        events.map((_, index) => index + 1),
      )
      assert.equal(events.filter(({ type }) => type === 'turn.ended').length, 2)
      assert.match(JSON.stringify(last(events, 'reply.finished').parts), /Two/)
    })

    test('a reader on another node hears a running reply from its beginning, and its end', async t => {
      const open = await shared(t)
      const going = gate()
      const slow: ScriptedReply = async function* () {
        yield { type: 'text', text: 'The sea ' }
        await going.passed
        yield { type: 'text', text: 'is wide.' }
        yield { type: 'done' }
      }
      const owner = node(t, await open(), [slow])
      const other = node(t, await open(), [])
      const session = await openSession(owner)
      await say(owner, session, 'a')
      const heard = await until(other, session, ({ type }) => type === 'delta')
      assert.equal(textIn(heard), 'The sea ')
      going.open()
      await ended(other, session)
      assert.match(JSON.stringify(last(await eventsOf(other, session), 'reply.finished').parts), /The sea is wide\./)
    })

    test('a question that one node asks is listed and answered on another, once', async t => {
      const open = await shared(t)
      const ran: string[] = []
      const owner = node(t, await open(), [calls('write', { x: 1 }), says('Written.')], { toolbox: toolbox([counting(ran)]) })
      const other = node(t, await open(), [])
      const session = await openSession(owner)
      await say(owner, session, 'write it')
      await until(other, session, signal => isEvent(signal, 'approval.asked'))
      const listed = await other.allApprovals()
      assert.ok(listed.ok)
      const [pending] = listed.value
      assert.ok(pending)
      const answers = await Promise.all([other.answer(pending.approval, 'once'), owner.answer(pending.approval, 'once')])
      assert.deepEqual(answers.map(({ ok }) => ok).sort(), [false, true])
      assert.ok(answers.some(answer => !answer.ok && answer.fault.kind === 'conflict'))
      await ended(other, session)
      assert.deepEqual(ran, ['{"x":1}'])
      assert.deepEqual(await other.allApprovals(), { ok: true, value: [] })
    })

    test('an answer on another node alone lets the turn go on', async t => {
      const open = await shared(t)
      const ran: string[] = []
      const owner = node(t, await open(), [calls('write', { x: 2 }), says('Written.')], { toolbox: toolbox([counting(ran)]) })
      const other = node(t, await open(), [])
      const session = await openSession(owner)
      await say(owner, session, 'write it')
      await until(other, session, signal => isEvent(signal, 'approval.asked'))
      const listed = await other.allApprovals()
      assert.ok(listed.ok && listed.value[0] !== undefined)
      assert.ok((await other.answer(listed.value[0].approval, 'once')).ok)
      await ended(other, session)
      assert.deepEqual(ran, ['{"x":2}'])
      assert.deepEqual(owner.approvals(), [])
    })

    test('a turn is stopped from another node, and resumed from a third', async t => {
      const open = await shared(t)
      const endless: ScriptedReply = async function* (_, signal) {
        yield { type: 'text', text: 'Once' }
        await new Promise(resolve => signal.addEventListener('abort', resolve))
      }
      const owner = node(t, await open(), [endless])
      const other = node(t, await open(), [])
      const session = await openSession(owner)
      await say(owner, session, 'a')
      await until(other, session, ({ type }) => type === 'delta')
      const stopped = await other.cancel(session)
      assert.ok(stopped.ok)
      assert.equal(stopped.value.length, 1)
      assert.equal(last(await eventsOf(other, session), 'turn.ended').reason, 'cancelled')
      const third = node(t, await open(), [says(' more.')])
      const [turn] = stopped.value
      assert.ok(turn)
      const resumed = await third.resume(session, turn)
      assert.ok(resumed.ok, resumed.ok ? '' : resumed.fault.message)
    })

    test('a session whose node is cut off goes on at another one, and nothing the first says later is believed', async t => {
      const open = await shared(t)
      const { log, cut, join } = cuttable(await open())
      const going = gate()
      const slow: ScriptedReply = async function* () {
        yield { type: 'text', text: 'Half a ' }
        await going.passed
        yield { type: 'text', text: 'wrong end.' }
        yield { type: 'done' }
      }
      const lost = node(t, log, [slow])
      const other = node(t, await open(), [says('sentence.')], { resume: { mode: 'auto', withinMinutes: 10, continuations: 1 } })
      const session = await openSession(lost)
      await say(lost, session, 'a')
      // The checkpoint has the words before the cut.
      await until(other, session, ({ type }) => type === 'delta')
      cut()
      await ended(other, session)
      const before = await eventsOf(other, session)
      join()
      going.open()
      await new Promise(resolve => setTimeout(resolve, LEASE_MS))
      assert.deepEqual(await eventsOf(other, session), before)
      const replies = before.filter(event => event.type === 'reply.broken' || event.type === 'reply.finished')
      assert.match(JSON.stringify(replies), /Half a .*sentence\./)
      assert.doesNotMatch(JSON.stringify(before), /wrong end/)
      for await (const { verdict, detail } of other.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
    })

    test('a session is not given back while a verb is on its way in it', async t => {
      const open = await shared(t)
      const [store, log] = [await open(), await open()]
      const read = gate()
      let slow: SessionId | undefined
      const owner = node(
        t,
        {
          ...log,
          read: async (id, range) => {
            if (id === slow) await read.passed
            return log.read(id, range)
          },
        },
        [says('One.'), says('Two.')],
      )
      const [session, beside] = [await openSession(owner), await openSession(owner)]
      await say(owner, session, 'a')
      await ended(owner, session)
      // What follows the turn is over by then.
      await untilFree(store, session)
      slow = session
      const resumed = owner.resume(session)
      await say(owner, beside, 'b')
      await ended(owner, beside)
      // That one is idle for as long as it takes to give it back.
      await untilFree(store, beside)
      const taken = await store.nodes?.leases.take(session, 'probe', 1)
      assert.ok(taken?.ok && taken.value.node !== 'probe')
      read.open()
      await resumed
    })

    test('a request is compared with the last one of its voice, whichever node sent that', async t => {
      const open = await shared(t)
      const store = await open()
      const replies = Array.from({ length: 3 }, (_, index) => says(`Answer ${index}.`))
      const nodes = [node(t, await open(), replies), node(t, await open(), replies)] as const
      const session = await openSession(nodes[0])
      for (const each of [nodes[0], nodes[1], nodes[0]]) {
        await say(each, session, 'and now?')
        await ended(each, session, [...(await eventsOf(each, session))].filter(({ type }) => type === 'turn.started').length)
        await untilFree(store, session)
      }
      const plans = (await eventsOf(nodes[0], session)).flatMap(event =>
        event.type === 'context.planned' ? [event.receipt] : [],
      )
      const alone = node(t, memoryLog({ clock: Date.now, weigh }), replies)
      const same = await openSession(alone)
      for (let turns = 1; turns <= 3; turns += 1) {
        await say(alone, same, 'and now?')
        await ended(alone, same, turns)
      }
      const expected = (await eventsOf(alone, same)).flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))
      assert.deepEqual(
        plans.map(({ cache }) => cache),
        expected.map(({ cache }) => cache),
      )
    })

    test('a message that was left for a node that is gone is answered all the same', async t => {
      const open = await shared(t)
      const store = await open()
      const { log, cut } = cuttable(await open())
      const waiting: ScriptedReply = async function* (_, signal) {
        yield { type: 'text', text: 'Once' }
        await new Promise(resolve => signal.addEventListener('abort', resolve))
      }
      const gone = node(t, log, [waiting])
      const other = node(t, await open(), [says(' upon a time.'), says('Two.')])
      const session = await openSession(gone)
      await say(gone, session, 'a')
      await until(other, session, ({ type }) => type === 'delta')
      cut()
      await say(other, session, 'b')
      let turns = 0
      await until(other, session, signal => {
        if (isEvent(signal, 'turn.ended')) turns += 1
        return turns === 1
      })
      const standing = await store.standing(session)
      assert.ok(standing.ok)
      assert.deepEqual(standing.value.due, [])
    })
  })
}
