// An import is found as a whole or not at all.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { weigh } from '../../../src/context/text/tokens.ts'
import type { CloseTurn, ImportedPiece, Log, SessionImport } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { tries } from '../../support/tries.ts'
import {
  ended,
  exchange,
  factOfKind,
  factsOf,
  faultOf,
  finished,
  gapless,
  heard,
  must,
  pieceOf,
  planned,
  receiptId,
  session,
  sessionOf,
  started,
  THEN,
  text,
  ticking,
  turn,
} from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')
const T2 = turn('2')

const interrupted: CloseTurn = ({ turn: id, voice }) => [{ type: 'turn.ended', turn: id, voice, reason: 'interrupted' }]
const nothing: CloseTurn = () => []
onEveryStore('Importer', open => {
  const opened = async (t: TestContext): Promise<Log> => (await open(t, ticking())).log
  const brought = async (log: Log, ...pieces: readonly ImportedPiece[]): Promise<SessionImport> => {
    const bringing = must(await log.startImport())
    for (const piece of pieces) must(await bringing.add(piece))
    return bringing
  }
  const idsIn = async (log: Log, query?: string): Promise<readonly SessionId[]> =>
    must(await log.sessions({ limit: 99, ...(query === undefined ? {} : { query }) })).items.map(({ id }) => id)

  test('they come with their own times, piece by piece, and are as they are to be in the end', async t => {
    const log = await opened(t)
    const said = [...exchange(1, T1, 'Rain?', 'Yes.'), ...exchange(6, T2, 'Still?', 'No.')]
    const whole = { title: 'Weather', archived: true, project: 'home' }
    const bringing = await brought(
      log,
      pieceOf(RAIN, said.slice(0, 3), { title: 'Not yet' }),
      pieceOf(RAIN, said.slice(3), whole),
      pieceOf(SUN, [heard('Sun?'), { type: 'session.changed', changes: { title: 'As it once was' } }]),
    )
    must(await bringing.publish(nothing))
    const events = must(await log.read(RAIN))
    gapless(events)
    assert.deepEqual(factsOf(events), said)
    assert.ok(events.every(({ at, session: id }) => at === THEN && id === RAIN))
    assert.deepEqual(
      events.map(({ tokens }) => tokens),
      said.map(fact => weigh(fact).tokens),
    )
    const rain = pieceOf(RAIN, [], whole).session
    assert.deepEqual(must(await log.session(RAIN)), { ...rain, preview: 'Rain?', messages: 4, importedThrough: 10 })
    const sun = pieceOf(SUN, []).session
    assert.deepEqual(must(await log.session(SUN)), { ...sun, preview: 'Sun?', messages: 1, importedThrough: 2 })
    assert.deepEqual(await idsIn(log, 'still'), [RAIN])
    const { events: recent } = must(await log.past(RAIN, { from: { messages: 2, before: 11 } }))
    assert.equal(recent[0]?.seq, 6)
    const { seq } = must(await log.append(RAIN, [heard('And now?')])).events[0] ?? { seq: 0 }
    assert.equal(seq, 11)
    assert.deepEqual(must(await log.standing(RAIN)).due, [{ voice: '', seq: 11 }])
  })

  test('until all are whole nobody finds any of them', async t => {
    const log = await opened(t)
    must(await log.open(sessionOf(SUN)))
    const id = receiptId('staged')
    const facts = [heard('umbrella'), started(T1, 1), planned(T1, 2, { id }), finished(T1, 1, text('take the umbrella'))]
    const bringing = await brought(log, { ...pieceOf(RAIN, facts), texts: [{ hash: 'h', text: 'kept' }] })
    const isHidden = async (): Promise<void> => {
      assert.deepEqual(await idsIn(log), [SUN])
      assert.deepEqual(await idsIn(log, 'umbrella'), [])
      for (const asked of [log.session(RAIN), log.read(RAIN), log.standing(RAIN), log.past(RAIN, { from: 'start' })])
        faultOf(await asked, 'not-found')
      faultOf(await log.append(RAIN, [heard('hello')]), 'not-found')
      faultOf(await log.textsOf(RAIN, '', 9), 'not-found')
      faultOf(await log.remove(RAIN), 'not-found')
      faultOf(await log.fork(RAIN, 1, sessionOf(session('copy')), interrupted), 'not-found')
      faultOf(await log.receipt(id), 'not-found')
      assert.deepEqual(must(await log.openTurns()), [])
      assert.deepEqual(must(await log.waiting()), [])
    }
    await isHidden()
    must(await bringing.publish(interrupted))
    assert.deepEqual(await idsIn(log), [SUN, RAIN])
    assert.deepEqual(await idsIn(log, 'umbrella'), [RAIN])
    assert.equal(must(await log.receipt(id)).session, RAIN)
    assert.deepEqual(must(await log.textsOf(RAIN, '', 9)), [{ hash: 'h', text: 'kept' }])
  })

  test('nobody waits there for an answer, and turns that have no end are given one', async t => {
    const log = await opened(t)
    const asked: unknown[] = []
    const bringing = await brought(
      log,
      pieceOf(RAIN, [...exchange(1, T1, 'Rain?', 'Yes.'), heard('Still?'), started(T2, 6)]),
      pieceOf(RAIN, [finished(T2, 1, text('Per'))]),
      pieceOf(SUN, [heard('Sun?')]),
    )
    must(
      await bringing.publish((turnOpen, events) => {
        asked.push(
          turnOpen,
          events.map(({ seq, session: id }) => [id, seq]),
        )
        return interrupted(turnOpen, events)
      }),
    )
    const left = [
      [RAIN, 7],
      [RAIN, 8],
    ]
    assert.deepEqual(asked, [{ session: RAIN, turn: T2, voice: 'assistant', started: 7 }, left])
    const end = must(await log.read(RAIN)).at(-1)
    assert.deepEqual(factsOf(end === undefined ? [] : [end]), [ended(T2, 'interrupted')])
    assert.ok((end?.at ?? '') > '2026', 'it ends now')
    const { importedThrough: through, updatedAt } = must(await log.session(RAIN))
    assert.deepEqual([through, updatedAt], [9, THEN])
    assert.deepEqual(must(await log.openTurns()), [])
    assert.deepEqual(must(await log.waiting()), [])
    for (const id of [RAIN, SUN]) assert.deepEqual(must(await log.standing(id)).due, [])
    assert.deepEqual(must(await log.standing(RAIN)).voices, { assistant: { turns: 2, answers: 1 } })
  })

  test('whatever was said, and however it comes, it stands as it would have, had it been said here', async t => {
    const log = await opened(t)
    const step = fc.constantFrom('heard', 'named', 'start', 'plan', 'reply', 'end')
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), fc.nat(20), async (steps, cut) => {
        count += 1
        const [id, twin] = [session(`brought${count}`), session(`twin${count}`)]
        const facts = steps.map((kind, index) => factOfKind(kind, index))
        must(await log.open(sessionOf(twin)))
        must(await log.append(twin, facts))
        const bringing = await brought(log, pieceOf(id, facts.slice(0, cut)), pieceOf(id, facts.slice(cut)))
        must(await bringing.publish(nothing))
        assert.deepEqual(must(await log.standing(id)), { ...must(await log.standing(twin)), due: [] })
        assert.equal(must(await log.session(id)).messages, must(await log.session(twin)).messages)
        assert.equal(must(await log.session(id)).preview, must(await log.session(twin)).preview)
        assert.deepEqual(factsOf(must(await log.read(id))), factsOf(must(await log.read(twin))))
        must(await log.remove(twin))
      }),
      tries(30),
    )
  })

  test('what they used was not used here', async t => {
    const log = await opened(t)
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
    const reply: Fact = { type: 'reply.finished', turn: T1, step: 1, parts: [], model: 'a', usage }
    const bringing = await brought(log, pieceOf(RAIN, [heard('Rain?'), started(T1, 1), reply, ended(T1)]))
    must(await bringing.publish(nothing))
    assert.deepEqual(must(await log.usage({})), [])
    assert.deepEqual(must(await log.usage({ session: RAIN })), [])
  })

  test('an id that is taken is refused by its name, and the others can still come', async t => {
    const log = await opened(t)
    must(await log.open(sessionOf(SUN)))
    must(await log.append(SUN, [heard('mine')]))
    const bringing = await brought(log, pieceOf(RAIN, [heard('a')]))
    assert.match(faultOf(await bringing.add(pieceOf(SUN, [heard('theirs')])), 'conflict').message, /ses_sun/)
    must(await bringing.add(pieceOf(session('moon'), [heard('b')])))
    assert.match(faultOf(await bringing.add(pieceOf(RAIN, [heard('again')])), 'conflict').message, /ses_rain/)
    const other = must(await log.startImport())
    must(await bringing.publish(nothing))
    assert.match(faultOf(await other.add(pieceOf(RAIN, [heard('again')])), 'conflict').message, /ses_rain/)
    await other.abandon()
    assert.equal(must(await log.read(RAIN)).length, 1)
    assert.deepEqual(factsOf(must(await log.read(SUN))), [heard('mine')])
    assert.equal((await idsIn(log)).length, 3)
  })

  test('what is given up leaves nothing, and can be brought once more', async t => {
    const log = await opened(t)
    const texts = [{ hash: 'h', text: 'kept' }]
    const bringing = await brought(log, { ...pieceOf(RAIN, [heard('umbrella')]), texts }, pieceOf(SUN, []))
    await bringing.abandon()
    faultOf(await bringing.add(pieceOf(session('late'), [heard('c')])), 'invalid')
    faultOf(await bringing.publish(nothing), 'invalid')
    await bringing.abandon()
    assert.deepEqual(await idsIn(log), [])
    // What is left of it goes in its own time, but is in nobody's way.
    const again = await brought(log, { ...pieceOf(RAIN, [heard('umbrella')]), texts })
    must(await again.publish(nothing))
    faultOf(await again.publish(nothing), 'invalid')
    assert.deepEqual(await idsIn(log, 'umbrella'), [RAIN])
    assert.equal(must(await log.texts(['h'])).get('h'), 'kept')
  })

  test('one id is brought by one only, and by the next as soon as that one gives up', async t => {
    const log = await opened(t)
    const long = Array.from({ length: 2000 }, (_, index) => heard(`drop${index}`))
    const [one, other] = [must(await log.startImport()), must(await log.startImport())]
    const added = await Promise.all([one.add(pieceOf(RAIN, long)), other.add(pieceOf(RAIN, [heard('a')]))])
    assert.equal(added.filter(({ ok }) => ok).length, 1)
    // On a server, either may be the first.
    const [first, second] = added[0]?.ok === true ? [one, other] : [other, one]
    const gone = first.abandon()
    must(await second.add(pieceOf(RAIN, [heard('b')])))
    await gone
    must(await second.publish(nothing))
    assert.deepEqual(factsOf(must(await log.read(RAIN))), [heard('b')])
    assert.deepEqual(await idsIn(log, 'drop1'), [])
  })

  test('many come at once, long ones in small pieces, while others go on talking and are found', async t => {
    const { log, isServer = false } = await open(t, ticking())
    must(await log.open(sessionOf(SUN)))
    // Each of them costs a server some round trips.
    const many = Array.from({ length: isServer ? 250 : 700 }, (_, index) => session(`m${index}`))
    const bringing = must(await log.startImport())
    for (const [index, id] of many.entries()) {
      must(await bringing.add(pieceOf(id, [heard(`hello number${index}`), started(T1, 1), finished(T1, 1, text('yes'))])))
      if (index % 100 !== 0) continue
      must(await log.append(SUN, [heard(`meanwhile${index}`)]))
      assert.deepEqual(await idsIn(log, `meanwhile${index}`), [SUN])
      assert.deepEqual(await idsIn(log, 'hello'), [])
    }
    must(
      await bringing.add(
        pieceOf(
          RAIN,
          Array.from({ length: 1234 }, (_, index) => heard(`drop${index}`)),
        ),
      ),
    )
    must(await bringing.publish(interrupted))
    assert.equal(must(await log.sessions({ limit: 999 })).items.length, many.length + 2)
    assert.deepEqual(await idsIn(log, `number${many.length - 1}`), [many.at(-1)])
    assert.deepEqual(await idsIn(log, 'drop1233'), [RAIN])
    assert.deepEqual(await idsIn(log, 'meanwhile200'), [SUN])
    assert.equal(must(await log.session(many[0] as SessionId)).importedThrough, 4)
    gapless(must(await log.read(RAIN)))
    must(await log.remove(RAIN))
    assert.deepEqual(await idsIn(log, 'drop1233'), [])
  })

  test('texts are shared, go with the last session that uses them, and are read by session and hash', async t => {
    const log = await opened(t)
    must(await log.open(sessionOf(SUN)))
    const [a, b, c] = ['a', 'b', 'c'].map(hash => ({ hash, text: `text ${hash}` })) as [never, never, never]
    must(await log.append(SUN, [heard('Sun?')], { texts: [c, a] }))
    const bringing = await brought(
      log,
      { ...pieceOf(RAIN, [heard('one')]), texts: [b] },
      { ...pieceOf(RAIN, [heard('two')]), texts: [a, b] },
      { ...pieceOf(RAIN, []), texts: [c] },
    )
    must(await bringing.publish(nothing))
    assert.deepEqual(must(await log.textsOf(RAIN, '', 2)), [a, b])
    assert.deepEqual(must(await log.textsOf(RAIN, 'b', 2)), [c])
    assert.deepEqual(must(await log.textsOf(RAIN, 'c', 2)), [])
    assert.deepEqual(must(await log.textsOf(SUN, '', 9)), [a, c])
    faultOf(await log.textsOf(session('nobody'), '', 9), 'not-found')
    const copy = sessionOf(session('copy'), { parent: { session: RAIN, at: 1 }, family: RAIN })
    must(await log.fork(RAIN, 1, copy, nothing))
    assert.deepEqual(must(await log.textsOf(copy.id, '', 9)), [b, c], 'those it can need')
    must(await log.remove(copy.id))
    must(await log.remove(SUN))
    assert.deepEqual(must(await log.textsOf(RAIN, '', 9)), [a, b, c])
    must(await log.remove(RAIN))
    assert.equal(must(await log.texts(['a', 'b', 'c'])).size, 0)
  })
})
