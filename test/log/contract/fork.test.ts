// A fork shares a session's past and goes its own way from there.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { CloseTurn, KeepEvents, Log } from '../../../src/log/ports.ts'
import type { Event, Fact, Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { type Session, sharedThrough } from '../../../src/model/session.ts'
import { tries } from '../../support/tries.ts'
import {
  ended,
  eventsOf,
  exchange,
  factOfKind,
  factsOf,
  faultOf,
  finished,
  gapless,
  heard,
  must,
  planned,
  seqsOf,
  session,
  sessionOf,
  started,
  text,
  ticking,
  turn,
} from '../facts.ts'
import { type OpenStore, onEveryStore } from './stores.ts'

const RAIN = session('rain')
const COPY = session('copy')
const T1 = turn('1')
const T2 = turn('2')

const interrupted: CloseTurn = ({ turn: id, voice }) => [{ type: 'turn.ended', turn: id, voice, reason: 'interrupted' }]
const copyOf = (id: SessionId, at: number, given: Partial<Session> = {}): Session =>
  sessionOf(id, { parent: { session: RAIN, at }, family: RAIN, preview: 'Rain?', ...given })

onEveryStore('fork of SessionStore', open => {
  const opened = async (t: TestContext): Promise<OpenStore> => {
    const store = await open(t, ticking())
    must(await store.log.open(sessionOf(RAIN)))
    return store
  }
  const nameless = async (log: Log, id: SessionId, through: number) =>
    must(await log.read(id, { through })).map(({ session: _, ...rest }) => rest)

  test('a fork has the same events with the same times, and goes its own way from there', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [...exchange(1, T1, 'Rain?', 'Yes.'), ...exchange(6, T2, 'Still?', 'No.')]))
    const fork = must(await log.fork(RAIN, 5, copyOf(COPY, 5), interrupted))
    assert.deepEqual(fork, { ...copyOf(COPY, 5), messages: 2, updatedAt: fork.updatedAt })
    assert.deepEqual(must(await log.session(COPY)), fork)
    assert.deepEqual(await nameless(log, COPY, 99), await nameless(log, RAIN, 5))
    assert.ok((await eventsOf(log, COPY)).every(event => event.session === COPY))
    must(await log.append(COPY, [heard('Elsewhere?')]))
    assert.equal((await eventsOf(log, COPY)).at(-1)?.seq, 6)
    assert.equal((await eventsOf(log, RAIN)).length, 10, 'the parent is as it was')
    const { events } = must(await log.past(COPY, { from: { messages: 1, before: 6 } }))
    assert.equal(events.find(event => event.type === 'reply.finished')?.seq, 4)
  })

  test('at any seq, what is known of a fork is what was known of its parent then', async t => {
    const { log } = await opened(t)
    const step = fc.constantFrom('heard', 'named', 'start', 'plan', 'reply', 'end', 'change')
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), fc.nat(20), async (steps, place) => {
        count += 1
        const [id, twin, copy] = ['parent', 'twin', 'copy'].map(each => session(`${each}${count}`)) as [
          SessionId,
          SessionId,
          SessionId,
        ]
        for (const each of [id, twin]) must(await log.open(sessionOf(each)))
        const facts = steps.map((kind, index) => factOfKind(kind, index))
        for (const fact of facts) must(await log.append(id, [fact]))
        const at = place % (facts.length + 1)
        for (const fact of facts.slice(0, at)) must(await log.append(twin, [fact]))
        // Left open, so that both can be compared as they are.
        const asked = { agent: null, council: 'board' }
        must(await log.fork(id, at, sessionOf(copy, { parent: { session: id, at }, family: id, ...asked }), () => []))
        assert.deepEqual(must(await log.standing(copy)), must(await log.standing(twin)))
        assert.equal(must(await log.session(copy)).messages, must(await log.session(twin)).messages)
        assert.deepEqual(await nameless(log, copy, 99), await nameless(log, id, at))
      }),
      tries(40),
    )
  })

  test('where one agent answers now, a message that was for a council waits for it alone, and one that was for some for nobody', async t => {
    const { log } = await opened(t)
    const asked = ['ada', 'bo', 'house:synthesis']
    must(
      await log.append(RAIN, [
        { ...heard('Rain?'), voices: asked },
        { ...heard('Ada?'), to: ['ada'], voices: ['ada'] },
      ] as Fact[]),
    )
    must(await log.fork(RAIN, 2, copyOf(COPY, 2), interrupted))
    assert.deepEqual(must(await log.standing(COPY)).due, [{ voice: '', seq: 1 }])
    const board = session('board')
    must(await log.fork(RAIN, 2, copyOf(board, 2, { agent: null, council: 'board' }), interrupted))
    assert.deepEqual(must(await log.standing(board)).due, must(await log.standing(RAIN)).due)
  })

  test('turns that have no end there are given one, and nothing of the copy is open', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [...exchange(1, T1, 'Rain?', 'Yes.'), heard('Still?'), started(T2, 6), ended(T2)]))
    const seen: unknown[] = []
    const closing: CloseTurn = (turnOpen, events) => {
      seen.push(
        turnOpen,
        events.map(event => event.seq),
      )
      return interrupted(turnOpen, events)
    }
    must(await log.fork(RAIN, 7, copyOf(COPY, 7), closing))
    assert.deepEqual(seen, [{ session: COPY, turn: T2, voice: 'assistant', started: 7 }, [7]])
    assert.deepEqual(factsOf(await eventsOf(log, COPY)).slice(7), [ended(T2, 'interrupted')])
    assert.deepEqual(must(await log.openTurns()), [])
    assert.deepEqual(must(await log.standing(COPY)).voices, { assistant: { turns: 2, answers: 1 } })
  })

  test('what is kept of turns that were running follows what is shared, with its times, texts and totals, and is used once', async t => {
    const { log } = await opened(t)
    const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }
    const replied = { ...finished(T1, 1, text('Yes.')), model: 'a', usage } as Fact
    must(await log.append(RAIN, [heard('Rain?'), started(T1, 1), started(T2, 1)], { texts: [{ hash: 'h1', text: 'shared' }] }))
    must(await log.append(RAIN, [heard('Snow?')], { texts: [{ hash: 'h2', text: 'of the message' }] }))
    must(await log.append(RAIN, [planned(T1, 3)], { texts: [{ hash: 'h3', text: 'of the request' }] }))
    must(await log.append(RAIN, [finished(T2, 1, text('No.')), replied, ended(T1)]))
    must(await log.append(RAIN, [planned(T2, 9), finished(T2, 2, text('Snow.')), ended(T2)]))
    const events = await eventsOf(log, RAIN)
    const asked: unknown[] = []
    const keeping: KeepEvents = ({ turn: id, session: whose }, own) => {
      asked.push([id, whose, seqsOf(own)])
      return own.filter((event): event is Event => event.type !== 'damaged' && event.seq > 4 && event.seq < 9)
    }
    const fork = must(await log.fork(RAIN, 3, copyOf(COPY, 3), interrupted, keeping))
    assert.deepEqual(asked, [
      [T1, COPY, [2, 5, 7, 8]],
      [T2, COPY, [3, 6, 9, 10, 11]],
    ])
    assert.deepEqual(fork.parent, { session: RAIN, at: 3, kept: 4 })
    assert.equal(sharedThrough(fork), 7)
    const copied = await eventsOf(log, COPY)
    gapless(copied)
    const still = [1, 2, 3, 5, 6, 7, 8].map(seq => events[seq - 1])
    assert.deepEqual(
      factsOf(copied),
      [...factsOf(still as Recorded[]), ended(T2, 'interrupted')],
      'in the order in which it happened',
    )
    assert.deepEqual(
      copied.slice(0, 7).map(({ at, tokens }) => ({ at, tokens })),
      still.map(event => ({ at: event?.at, tokens: event?.tokens })),
    )
    assert.deepEqual(must(await log.openTurns()), [])
    // As if it had been said like this.
    const twin = session('twin')
    must(await log.open(sessionOf(twin)))
    must(await log.append(twin, factsOf(copied)))
    assert.deepEqual(must(await log.standing(COPY)), must(await log.standing(twin)))
    for (const messages of [1, 2, 3]) {
      const want = { from: { messages, before: 8 } } as const
      assert.deepEqual(seqsOf(must(await log.past(COPY, want)).events), seqsOf(must(await log.past(twin, want)).events))
    }
    assert.deepEqual(
      must(await log.textsOf(COPY, '', 9)).map(({ hash }) => hash),
      ['h1', 'h3'],
    )
    assert.equal(must(await log.usage({ session: RAIN })).length, 1)
    assert.deepEqual(must(await log.usage({ session: COPY })), [], 'what it used is its parent’s')
    const again = session('again')
    must(await log.fork(COPY, 4, sessionOf(again, { family: RAIN, parent: { session: COPY, at: 4 } }), interrupted))
    assert.deepEqual(
      must(await log.textsOf(again, '', 9)).map(({ hash }) => hash),
      ['h1', 'h3'],
      'a fork of the fork has what it can need',
    )
  })

  test('of nothing said at all, only the session is left', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, exchange(1, T1, 'Rain?', 'Yes.')))
    const fork = must(await log.fork(RAIN, 0, copyOf(COPY, 0), interrupted))
    assert.deepEqual([fork.messages, fork.preview], [0, null])
    assert.deepEqual(await eventsOf(log, COPY), [])
    assert.deepEqual(must(await log.standing(COPY)), { head: 0, messages: 0, tokens: 0, due: [], voices: {} })
    must(await log.append(COPY, [heard('Snow?')]))
    assert.equal(must(await log.session(COPY)).preview, 'Snow?')
  })

  test('what cannot be forked leaves nothing behind', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('drizzle')]))
    const { message } = faultOf(await log.fork(RAIN, 2, copyOf(COPY, 2), interrupted), 'invalid')
    assert.match(message, /^at: there is nothing at 2; this session ends at 1/)
    faultOf(await log.fork(session('never'), 0, copyOf(COPY, 0), interrupted), 'not-found')
    faultOf(await log.fork(RAIN, 1, sessionOf(RAIN), interrupted), 'conflict')
    faultOf(await log.session(COPY), 'not-found')
    assert.deepEqual(
      must(await log.sessions({ query: 'drizzle', limit: 9 })).items.map(({ id }) => id),
      [RAIN],
    )
    assert.equal((await eventsOf(log, RAIN)).length, 1)
  })

  test('keys, checkpoints and usage stay with the parent', async t => {
    const { log } = await opened(t)
    const reply = { ...finished(T1, 1, text('Yes.')), model: 'a', usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } }
    must(await log.append(RAIN, [heard('Rain?'), started(T1, 1), reply as Fact, started(T2, 1)], { key: 'k' }))
    must(await log.checkpoint(RAIN, { turn: T2, step: 1, parts: [text('half')] }))
    must(await log.fork(RAIN, 4, copyOf(COPY, 4), interrupted))
    assert.deepEqual(must(await log.checkpoints(COPY)), [])
    assert.deepEqual(must(await log.usage({ session: COPY })), [])
    assert.equal(must(await log.usage({}))[0]?.requests, 1)
    assert.equal(must(await log.append(COPY, [heard('again')], { key: 'k' })).again, false)
  })

  test('texts stay as long as one of both needs them, and a fork needs none that came later', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('a')], { texts: [{ hash: 'early', text: 'early' }] }))
    must(
      await log.append(RAIN, [heard('b')], {
        texts: [
          { hash: 'late', text: 'late' },
          { hash: 'early', text: 'early' },
        ],
      }),
    )
    must(await log.fork(RAIN, 1, copyOf(COPY, 1), interrupted))
    const grandchild = session('grandchild')
    must(await log.fork(COPY, 1, copyOf(grandchild, 1), interrupted))
    must(await log.append(COPY, [heard('c')], { texts: [{ hash: 'own', text: 'own' }] }))
    const kept = async () => [...must(await log.texts(['early', 'late', 'own'])).keys()]
    must(await log.remove(RAIN))
    assert.deepEqual(await kept(), ['early', 'own'])
    assert.equal((await eventsOf(log, COPY)).length, 2, 'a fork does not need its parent')
    must(await log.remove(COPY))
    assert.deepEqual(await kept(), ['early'])
    must(await log.remove(grandchild))
    assert.deepEqual(await kept(), [])
  })

  test('a search finds the words of a fork where they stand in it', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('drizzle'), heard('snow')]))
    must(await log.fork(RAIN, 1, copyOf(COPY, 1), interrupted))
    const found = async (query: string) =>
      must(await log.sessions({ query, limit: 9 }))
        .items.map(item => [item.id, item.seq])
        .sort()
    assert.deepEqual(await found('drizzle'), [
      [COPY, 1],
      [RAIN, 1],
    ])
    assert.deepEqual(await found('snow'), [[RAIN, 2]])
    must(await log.remove(RAIN))
    assert.deepEqual(await found('drizzle'), [[COPY, 1]])
  })

  test('forks are listed by their parent and by their family, page by page, also when the first is gone', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('drizzle')]))
    must(await log.open(sessionOf(session('stranger'))))
    const ids = ['one', 'two', 'three'].map(session)
    for (const id of ids) {
      must(await log.fork(RAIN, 1, copyOf(id, 1), interrupted))
      must(await log.append(id, [heard('used')]))
    }
    const young = session('young')
    const [, two] = ids as [SessionId, SessionId]
    must(await log.fork(two, 1, copyOf(young, 1, { parent: { session: two, at: 1 } }), interrupted))
    must(await log.append(young, [heard('newest')]))
    const listed = async (query: { parent?: string; family?: string }, limit = 2): Promise<SessionId[]> => {
      const seen: SessionId[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = must(await log.sessions({ limit, ...query, ...(cursor === undefined ? {} : { cursor }) }))
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.next
      }
      return seen
    }
    assert.deepEqual(await listed({ parent: RAIN }), ids.toReversed())
    assert.deepEqual(await listed({ parent: two }), [young])
    assert.deepEqual(await listed({ parent: 'ses_never' }), [])
    assert.deepEqual(await listed({ family: RAIN }), [young, ...ids.toReversed(), RAIN])
    assert.deepEqual(await listed({ family: young }), [], 'a family is known by its first')
    assert.deepEqual(await listed({ family: session('stranger') }), [session('stranger')])
    must(await log.remove(RAIN))
    assert.deepEqual(await listed({ family: RAIN }), [young, ...ids.toReversed()])
    assert.deepEqual(await listed({ parent: RAIN }), ids.toReversed())
    const hits = must(await log.sessions({ query: 'newest', family: RAIN, limit: 9 })).items
    assert.deepEqual(
      hits.map(({ id }) => id),
      [young],
    )
  })

  test('those that are put away are listed alone, or left out, also in a search', async t => {
    const { log } = await opened(t)
    must(await log.open(sessionOf(COPY, { archived: true, title: 'drizzle' })))
    must(await log.append(RAIN, [heard('drizzle')]))
    const ids = async (query: { archived?: boolean; query?: string }) =>
      must(await log.sessions({ limit: 9, ...query })).items.map(({ id }) => id)
    for (const query of [{}, { query: 'drizzle' }]) {
      assert.deepEqual(await ids({ ...query, archived: true }), [COPY])
      assert.deepEqual(await ids({ ...query, archived: false }), [RAIN])
      assert.deepEqual(await ids(query), [RAIN, COPY])
    }
    must(await log.append(RAIN, [{ type: 'session.changed', changes: { archived: true } }]))
    must(await log.append(COPY, [{ type: 'session.changed', changes: { archived: false } }]))
    assert.deepEqual(await ids({ archived: true }), [RAIN])
    assert.deepEqual(await ids({ archived: false, query: 'drizzle' }), [COPY])
  })

  test('a fork is there after a restart', async t => {
    const { log, restarted } = await opened(t)
    if ('never' in restarted) return t.skip(restarted.never)
    must(await log.append(RAIN, [heard('a'), started(T1, 1)]))
    const fork = must(await log.fork(RAIN, 2, copyOf(COPY, 2), interrupted))
    const after = await restarted()
    assert.deepEqual(must(await after.session(COPY)), fork)
    assert.equal((await eventsOf(after, COPY)).length, 3)
  })

  test('a long session is forked in pieces, while others write', async t => {
    const { log } = await opened(t)
    const length = 4321
    must(
      await log.append(
        RAIN,
        Array.from({ length }, (_, index) => heard(`message ${index}`)),
      ),
    )
    const [forked, ...written] = await Promise.all([
      log.fork(RAIN, length - 1, copyOf(COPY, length - 1), interrupted),
      ...Array.from({ length: 20 }, () => log.append(RAIN, [heard('meanwhile')])),
    ])
    assert.equal(must(forked).messages, length - 1)
    assert.deepEqual(await nameless(log, COPY, length), await nameless(log, RAIN, length - 1))
    assert.equal(must(await log.standing(COPY)).due.length, length - 1)
    assert.ok(written.every(each => each.ok))
  })
})
