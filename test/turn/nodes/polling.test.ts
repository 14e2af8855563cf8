// Nodes to which no notification comes: they ask, all at once and a few times a second, and miss nothing.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type Log, weigh } from '../../../src/index.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import { calls, type ScriptedReply, says } from '../../../src/testing/scripted.ts'
import { type PlainTool, toolbox } from '../../../src/tool/toolbox.ts'
import { eventsOf, gate, isEvent, last, openSession, until } from '../../support/engine.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { countedLooks } from './counted-looks.ts'
import { ended, node, say } from './engines.ts'

/** Opens the same store for each node, as behind a pooler: nothing can listen there. */
async function pooledStore(t: TestContext): Promise<() => Promise<Log>> {
  const url = `${await postgresUrl(t)}&pgbouncer=true`
  return async () => {
    const log = await postgresLog({ url, clock: Date.now, weigh, connections: 4 })
    assert.ok(log.ok, log.ok ? '' : log.fault.message)
    assert.equal(log.value.nodes?.pokes.arrive(), false)
    return log.value
  }
}

/** Says its first words, and the rest when the gate opens. */
const inTwo = (first: string, rest: string, going: Promise<void>): ScriptedReply =>
  async function* () {
    yield { type: 'text', text: first }
    await going
    yield { type: 'text', text: rest }
    yield { type: 'done' }
  }

suite('nodes without notifications', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('a follower hears a reply of another node while it is said, and every event once', async t => {
    const open = await pooledStore(t)
    const going = gate()
    const owner = node(t, await open(), [inTwo('The sea ', 'is wide.', going.passed)])
    const other = node(t, await open(), [])
    const session = await openSession(owner)
    const hearing = until(other, session, signal => {
      // Only when the beginning was heard there, the reply goes on.
      if (signal.type === 'delta') going.open()
      return isEvent(signal, 'turn.ended')
    })
    await say(owner, session, 'a')
    const heard = await hearing
    const deltas = heard.flatMap(signal => (signal.type === 'delta' ? [signal.delta] : []))
    assert.equal(deltas[0]?.text, 'The sea ')
    assert.equal(deltas.map(({ text }) => text).join(''), 'The sea is wide.')
    assert.deepEqual(
      heard.flatMap(signal => (signal.type === 'event' ? [signal.event] : [])),
      await eventsOf(owner, session),
    )
  })

  test('a message on another node is answered by the node that runs the session, and heard on a third one', async t => {
    const open = await pooledStore(t)
    const going = gate()
    const owner = node(t, await open(), [inTwo('One', '.', going.passed), says('Two.')])
    const [other, third] = [node(t, await open(), []), node(t, await open(), [])]
    const session = await openSession(owner)
    await say(owner, session, 'a')
    await until(third, session, ({ type }) => type === 'delta')
    await say(other, session, 'b')
    going.open()
    await ended(third, session, 2)
    const events = await eventsOf(third, session)
    assert.equal(events.filter(({ type }) => type === 'turn.ended').length, 2)
    assert.match(JSON.stringify(last(events, 'reply.finished').parts), /Two/)
  })

  test('an approval that another node gives lets the turn go on', async t => {
    const open = await pooledStore(t)
    const ran: string[] = []
    const write: PlainTool = {
      spec: { name: 'write', description: 'Writes', parameters: { type: 'object' } },
      approval: 'ask',
      run: async args => {
        ran.push(JSON.stringify(args))
        return { ok: true, outcome: 'written' }
      },
    }
    const owner = node(t, await open(), [calls('write', { x: 1 }), says('Written.')], { toolbox: toolbox([write]) })
    const other = node(t, await open(), [])
    const session = await openSession(owner)
    await say(owner, session, 'write it')
    await until(other, session, signal => isEvent(signal, 'approval.asked'))
    const listed = await other.allApprovals()
    assert.ok(listed.ok && listed.value[0] !== undefined)
    assert.ok((await other.answer(listed.value[0].approval, 'once')).ok)
    await ended(other, session)
    assert.deepEqual(ran, ['{"x":1}'])
  })

  test('all sessions that are followed on a node are asked for with one question in each round', async t => {
    const open = await pooledStore(t)
    const { log, asked, until: untilAsked } = countedLooks(await open())
    const owner = node(t, await open(), [])
    const other = node(t, log, [])
    const ids = (await Promise.all(Array.from({ length: 40 }, () => openSession(owner)))).toSorted()
    const reading = new AbortController()
    const readers = ids.flatMap(id =>
      ['one', 'two'].map(async () => {
        for await (const _ of other.follow(id, 0, reading.signal));
      }),
    )
    await untilAsked(() => asked.at(-1)?.length === ids.length)
    const first = asked.length
    const began = performance.now()
    await untilAsked(() => asked.length === first + 4)
    assert.deepEqual(asked.slice(first), [ids, ids, ids, ids])
    assert.ok(performance.now() - began >= 3 * 200, 'a few times a second')
    reading.abort()
    await Promise.all(readers)
  })
})
