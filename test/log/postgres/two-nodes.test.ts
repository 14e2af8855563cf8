// Two nodes write to one store at the same time: the order has no gaps, and each rule of an append holds between them.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import type { Log } from '../../../src/log/ports.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import { advance, EMPTY_STANDING } from '../../../src/log/standing.ts'
import type { Event } from '../../../src/model/event.ts'
import type { EventId } from '../../../src/model/ids.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { ended, eventsOf, faultOf, finished, gapless, heard, must, session, sessionOf, started, text, turn } from '../facts.ts'

const nodes = async (t: TestContext): Promise<readonly [Log, Log]> => {
  const url = await postgresUrl(t)
  const open = async (): Promise<Log> => {
    const log = must(await postgresLog({ url, clock: Date.now, weigh }))
    t.after(() => log.close())
    return log
  }
  return [await open(), await open()]
}

const ID = session('one')
const eventId = (name: string): EventId => `evt_${name}` as EventId

suite('two nodes on one PostgreSQL', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('appends of both nodes are in one order without gaps, and the standing is that of all events', async t => {
    const [a, b] = await nodes(t)
    must(await a.open(sessionOf(ID)))
    const writes = Array.from({ length: 60 }, (_, index) => {
      const id = turn(String(index))
      const facts = [heard(`message ${index}`), started(id, 1), finished(id, 1, text('yes')), ended(id)]
      return (index % 2 === 0 ? a : b).append(ID, facts)
    })
    const answers = (await Promise.all(writes)).map(must)
    const events = await eventsOf(a, ID)
    gapless(events)
    assert.equal(events.length, 240)
    for (const { events: own } of answers) {
      const [first = 0] = own.map(({ seq }) => seq)
      assert.deepEqual(own, events.slice(first - 1, first + 3), 'each append is in one piece')
    }
    const standing = (events as Event[]).reduce((now, event) => advance(now, event, weigh(event)), EMPTY_STANDING)
    assert.deepEqual(must(await b.standing(ID)), standing)
    assert.deepEqual(must(await b.voiceAt(ID, 'assistant', 240)), { turns: 60, answers: 60 })
  })

  test('of two appends that expect the same end, one is written', async t => {
    const [a, b] = await nodes(t)
    must(await a.open(sessionOf(ID)))
    for (let head = 0; head < 10; head += 1) {
      const both = await Promise.all([a, b].map(log => log.append(ID, [heard('mine')], { expect: head })))
      assert.equal(both.filter(({ ok }) => ok).length, 1)
      for (const answer of both) if (!answer.ok) faultOf(answer, 'conflict')
    }
    assert.equal((await eventsOf(b, ID)).length, 10)
  })

  test('the same key, or the same ids, on both nodes are written once and give both the same events', async t => {
    const [a, b] = await nodes(t)
    must(await a.open(sessionOf(ID)))
    for (let round = 0; round < 10; round += 1) {
      for (const options of [{ key: `key ${round}` }, { ids: [eventId(`a${round}`), eventId(`b${round}`)] }]) {
        const [one, other] = (
          await Promise.all([a, b].map(log => log.append(ID, [heard('once'), heard('and for all')], options)))
        ).map(must)
        assert.deepEqual(one?.events, other?.events)
        assert.deepEqual([one?.again, other?.again].sort(), [false, true])
      }
    }
    assert.equal((await eventsOf(a, ID)).length, 40)
  })

  test('an append under an older fence is refused as soon as another node has written under a newer one', async t => {
    const [a, b] = await nodes(t)
    must(await a.open(sessionOf(ID)))
    must(await a.append(ID, [heard('first')], { fence: 1 }))
    must(await b.append(ID, [heard('second')], { fence: 2 }))
    faultOf(await a.append(ID, [heard('too late')], { fence: 1 }), 'conflict')
    must(await a.append(ID, [heard('without a fence')]))
    assert.equal((await eventsOf(b, ID)).length, 3)
  })

  test('a refused append does not hurt those that are written together with it', async t => {
    const [a] = await nodes(t)
    const ids = Array.from({ length: 8 }, (_, index) => session(`s${index}`))
    for (const id of ids) must(await a.open(sessionOf(id)))
    must(await a.append(session('s3'), [heard('known')], { ids: [eventId('known')] }))
    const answers = await Promise.all(
      ids.flatMap(id => [
        a.append(id, [heard('good')]),
        a.append(id, [heard('refused')], { expect: 99 }),
        // In one session this id is there already, and beside a new one that is a conflict.
        a.append(id, [heard('new'), heard('known')], { ids: [eventId(`new ${id}`), eventId('known')] }),
        a.append(session('nowhere'), [heard('lost')]),
        a.append(id, [heard('good too')]),
      ]),
    )
    for (const [index, id] of ids.entries()) {
      const [good, refused, twice, lost, last] = answers.slice(index * 5, index * 5 + 5)
      assert.ok(good !== undefined && refused !== undefined && twice !== undefined && lost !== undefined && last !== undefined)
      must(good)
      faultOf(refused, 'conflict')
      faultOf(lost, 'not-found')
      must(last)
      if (id === session('s3')) faultOf(twice, 'conflict')
      else must(twice)
      gapless(await eventsOf(a, id))
    }
  })

  test('a session that one node removes is gone on the other, also from what it has read', async t => {
    const [a, b] = await nodes(t)
    must(await a.open(sessionOf(ID)))
    must(await a.append(ID, [heard('the first life')]))
    must(await b.past(ID, { from: 'start' }))
    must(await a.remove(ID))
    faultOf(await b.past(ID, { from: 'start' }), 'not-found')
    faultOf(await b.append(ID, [heard('to no one')]), 'not-found')
    must(await a.open(sessionOf(ID)))
    must(await a.append(ID, [heard('the second life')]))
    const { events } = must(await b.past(ID, { from: 'start' }))
    assert.deepEqual(
      events.map(event => event.type === 'message.received' && event.text),
      ['the second life'],
    )
  })

  test('a text stays as long as any session uses it, even if one that used it is removed in the same moment', async t => {
    const [a, b] = await nodes(t)
    const shared = { hash: 'sha256:shared', text: 'shared words' }
    for (let round = 0; round < 15; round += 1) {
      const [old, fresh] = [session(`old${round}`), session(`new${round}`)]
      must(await a.open(sessionOf(old)))
      must(await a.open(sessionOf(fresh)))
      must(await a.append(old, [heard('hello')], { texts: [shared] }))
      const [removed, added] = await Promise.all([a.remove(old), b.append(fresh, [heard('hello')], { texts: [shared] })])
      must(removed)
      must(added)
      assert.equal(must(await a.texts([shared.hash])).get(shared.hash), shared.text)
      must(await b.remove(fresh))
      assert.equal(must(await a.texts([shared.hash])).size, 0)
    }
  })
})
