// What leaves as an archive comes back the same, byte for byte, receipts and all; and nothing comes in by halves.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Engine } from '../../src/engine.ts'
import { ask, eventsOf, isEvent, last, until } from '../support/engine.ts'
import { bytesOf, exportedFrom, houseOf, must, type Talks, talkIn, verdictsOf } from './house.ts'

describe('an archive', () => {
  let home: Engine
  let talks: Talks
  let file: string
  let closeHome = async (): Promise<void> => {}
  after(() => closeHome())

  before(async () => {
    home = await houseOf(close => {
      closeHome = close
    })
    talks = await talkIn(home)
    file = await exportedFrom(home, 'all')
  })

  test('leaves nothing where it is bad or given up; whole, it gives the same bytes from another workspace', async t => {
    const away = await houseOf(close => t.after(close))
    const lines = file.split('\n')
    const forged = [...lines.slice(0, -3), '{"hash":"sha256:00","text":"x"}', ']}', ']}', ''].join('\n')
    const bad = await away.import(bytesOf(forged))
    assert.ok(!bad.ok)
    assert.equal(bad.fault.kind, 'invalid')
    assert.match(bad.fault.message, /line \d+/)
    const controller = new AbortController()
    async function* half(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(file.slice(0, file.length / 2))
      controller.abort()
      await new Promise(() => {})
    }
    const left = await away.import(half(), { abort: controller.signal })
    assert.ok(!left.ok && left.fault.kind === 'cancelled')
    assert.deepEqual(must(await away.sessions({ limit: 10 })).items, [])

    const progress: number[] = []
    const brought = must(await away.import(bytesOf(file), { onProgress: ({ bytes }) => progress.push(bytes) }))
    const counts = await Promise.all(Object.values(talks).map(async id => must(await home.session(id)).messages))
    assert.deepEqual(brought, {
      sessions: 4,
      messages: counts.reduce((sum, each) => sum + each, 0),
      format: 'turnwise',
      skipped: 0,
      remarks: [],
      ids: [talks.tools, talks.fork, talks.council, talks.named],
    })
    assert.equal(progress.at(-1), Buffer.byteLength(file))
    assert.equal(await exportedFrom(away, 'all'), file)
    for (const id of Object.values(talks)) {
      assert.equal(await exportedFrom(away, id), await exportedFrom(home, id))
      const verdicts = await verdictsOf(away, id)
      assert.ok(verdicts.length > 0)
      assert.deepEqual([...new Set(verdicts)], ['identical'])
    }
  })

  test('has one thing on each line, and says nothing of the machine it was on', async () => {
    const lines = (await exportedFrom(home, talks.tools)).split('\n')
    assert.equal(lines[0], '{"turnwise":"archive","version":1,"sessions":[')
    assert.ok(lines[1]?.startsWith('{"session":{"id":"ses_') && lines[1].endsWith('},"events":['))
    assert.ok(lines[2]?.startsWith('{"seq":1,"at":"') && lines[2].includes('","type":"message.received","text":"please stamp"'))
    assert.deepEqual(lines.slice(-3), [']}', ']}', ''])
    const [only] = JSON.parse(lines.join('\n')).sessions
    assert.deepEqual(Object.keys(only), ['session', 'events', 'texts'])
    const hashes: string[] = only.texts.map(({ hash }: { hash: string }) => hash)
    assert.deepEqual(hashes, [...hashes].sort())
    assert.ok(only.events.every((event: object) => !('session' in event) && !('tokens' in event)))
    assert.ok(!('importedThrough' in only.session))
  })

  test('goes on where it came in; what is here with other contents is kept beside it, and what went on is not there twice', async t => {
    const away = await houseOf(close => t.after(close))
    must(await away.import(bytesOf(await exportedFrom(home, talks.tools))))
    const before = (await eventsOf(away, talks.tools)).length
    assert.ok((await ask(away, talks.tools, 'Still there?')).length > before)
    assert.deepEqual([...new Set(await verdictsOf(away, talks.tools))], ['identical'])

    const other = (text: string): string => text.replace('"reason":"it is fine"', '"reason":"it is good"')
    const third = must(await away.import(bytesOf(other(file))))
    assert.deepEqual([third.sessions, third.skipped], [4, 0])
    assert.match(third.remarks.join(), /same id is here with other contents/)
    const [copy, fork] = third.ids
    assert.ok(copy !== undefined && copy !== talks.tools && fork === talks.fork)
    const { title, family } = must(await away.session(copy))
    assert.deepEqual([title, family], ['Stamps, <b>papers</b> & co.', talks.tools])
    assert.deepEqual(must(await away.session(fork)).parent, { session: copy, at: 6 })
    assert.deepEqual([...new Set(await verdictsOf(away, copy))], ['identical'])
    const renamed = other(await exportedFrom(home, talks.tools)).replace(`"id":"${talks.tools}"`, `"id":"${copy}"`)
    assert.equal(await exportedFrom(away, copy), renamed)

    const fourth = must(await away.import(bytesOf(file)))
    assert.deepEqual(
      { ...fourth, remarks: [] },
      { format: 'turnwise', sessions: 0, messages: 0, skipped: 4, remarks: [], ids: [] },
    )
    assert.match(fourth.remarks.join(), /4 sessions are already here/)
  })

  test('brings no question along: a call that waited is not run, and its turn is over', async t => {
    const away = await houseOf(close => t.after(close))
    const waiting = must(await home.open({ title: 'Waiting' })).id
    must(await home.say({ session: waiting, text: 'please stamp', from: 'person' }))
    await until(home, waiting, signal => isEvent(signal, 'approval.asked'))
    const left = await exportedFrom(home, waiting)
    must(await away.import(bytesOf(left)))
    must(await away.recover())
    assert.deepEqual(away.approvals(), [])
    const events = await eventsOf(away, waiting)
    const denied = last(events, 'approval.answered')
    assert.deepEqual([denied.answer, denied.reason], ['deny', 'the session was imported before this was answered'])
    assert.equal(last(events, 'tool.settled').outcome, 'not run: the session was imported before it began')
    assert.equal(last(events, 'turn.ended').reason, 'interrupted')
    assert.equal(must(await away.import(bytesOf(left))).skipped, 1, 'its end was added here, and nothing else')
    must(await home.remove(waiting))
  })

  test('comes in twice at once, beside a conversation that goes on', async t => {
    const away = await houseOf(close => t.after(close))
    const talking = talkIn(away)
    const [one, other] = await Promise.all([away.import(bytesOf(file)), away.import(bytesOf(file, 50_000))])
    await talking
    const [came, again] = [must(one), must(other)]
    assert.equal(came.sessions + came.skipped, 4)
    assert.equal(again.sessions + again.skipped, 4)
    assert.equal(must(await away.sessions({ limit: 20 })).items.length, 4 + came.sessions + again.sessions)
  })
})
