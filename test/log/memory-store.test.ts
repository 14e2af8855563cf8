// What is remembered beyond one session: on every store, pins and folds that count now, pins that reach others, and sessions to quote from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { KeptFold, KeptPin, Log } from '../../src/log/ports.ts'
import { type Fact, isExcluding, type Mark, type Reach, type Recorded } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Session } from '../../src/model/session.ts'
import { tries } from '../support/tries.ts'
import { onEveryStore } from './contract/stores.ts'
import { eventsOf, faultOf, heard, must, pieceOf, session, sessionOf, turn } from './facts.ts'

const RAIN = session('rain')
const SUN = session('sun')
const SNOW = session('snow')

const marked = (target: number, mark: Mark | null, reach?: Exclude<Reach, 'session'>): Fact => ({
  type: 'message.marked',
  target,
  mark,
  ...(reach === undefined ? {} : { reach }),
})
const folded = (from: number, to: number, given: Partial<Extract<Fact, { type: 'history.folded' }>> = {}): Fact => ({
  type: 'history.folded',
  from,
  to,
  text: 'They met.',
  by: 'extract',
  ...given,
})
const changed = (changes: Extract<Fact, { type: 'session.changed' }>['changes']): Fact => ({ type: 'session.changed', changes })
const forkOf = (log: Log, from: SessionId, at: number, id: SessionId, given: Partial<Session> = {}) =>
  log.fork(from, at, sessionOf(id, { parent: { session: from, at }, family: RAIN, ...given }), () => [])

const places = (items: readonly (KeptPin | KeptFold)[]): readonly string[] =>
  items.map(item => `${item.kind} ${item.session.slice(4)} ${item.seq}${item.kind === 'pin' ? ` of ${item.target}` : ''}`)
const listed = async (log: Log): Promise<readonly string[]> => places(must(await log.memory.list({ limit: 99 })).items)
const pinsFor = async (log: Log, id: SessionId): Promise<readonly string[]> => places(must(await log.memory.pinsFor(id, 99)))
const sourcesOf = async (log: Log, id: SessionId, from: 'project' | 'everywhere'): Promise<readonly string[]> =>
  must(await log.memory.sources(id, from, 99)).map(source => source.id.slice(4))

onEveryStore('MemoryStore', (_, opened) => {
  test('a pin is listed until its mark is taken away, becomes another, or its session is gone', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [heard('a'), heard('b'), marked(1, 'pin'), marked(2, 'pin', 'project')]))
    must(await log.append(SUN, [heard('c'), marked(1, 'pin', 'everywhere')]))
    assert.deepEqual(await listed(log), ['pin sun 2 of 1', 'pin rain 4 of 2', 'pin rain 3 of 1'])
    const { items } = must(await log.memory.list({ limit: 2 }))
    const { at = '' } = (await eventsOf(log, SUN))[1] ?? {}
    assert.deepEqual(items[0], { kind: 'pin', session: SUN, seq: 2, target: 1, reach: 'everywhere', at })
    assert.equal(items[1]?.kind === 'pin' && items[1].reach, 'project')
    must(await log.append(RAIN, [marked(1, 'pin', 'everywhere')]))
    assert.deepEqual(await listed(log), ['pin rain 5 of 1', 'pin sun 2 of 1', 'pin rain 4 of 2'], 'the last mark counts')
    must(await log.append(RAIN, [marked(1, 'exclude'), marked(2, null)]))
    assert.deepEqual(await listed(log), ['pin sun 2 of 1'])
    must(await log.append(RAIN, [marked(1, 'pin')]))
    must(await log.append(RAIN, [marked(1, 'removed')]))
    must(await log.remove(SUN))
    assert.deepEqual(await listed(log), [])
  })

  test('a fold is listed until it is removed, or a later one takes its place', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [...'abcdefgh'].map(heard)))
    must(await log.append(RAIN, [folded(1, 2), folded(3, 4), folded(5, 6), folded(1, 2, { voice: 'ada' })]))
    assert.deepEqual(await listed(log), ['fold rain 12', 'fold rain 11', 'fold rain 10', 'fold rain 9'])
    must(await log.append(RAIN, [folded(3, 4, { replaces: 10, text: 'They met twice.', by: 'person' })]))
    assert.deepEqual(await listed(log), ['fold rain 13', 'fold rain 12', 'fold rain 11', 'fold rain 9'], 'edited')
    must(await log.append(RAIN, [folded(1, 4)]))
    assert.deepEqual(await listed(log), ['fold rain 14', 'fold rain 12', 'fold rain 11'], 'made coarser, for its own view only')
    must(await log.append(RAIN, [folded(5, 6, { replaces: 11, text: ' \n' })]))
    assert.deepEqual(await listed(log), ['fold rain 14', 'fold rain 12'], 'removed')
    must(await log.append(RAIN, [folded(1, 4, { replaces: 14, text: '' })]))
    assert.deepEqual(await listed(log), ['fold rain 12'], 'what a removed one stood for does not come back')
    must(await log.append(RAIN, [folded(7, 8, { replaces: 12, voice: 'ada' })]))
    assert.deepEqual(await listed(log), ['fold rain 17'], 'named, wherever it stands')
  })

  test('pages follow each other, also where marks change in between, and a strange cursor is refused', async t => {
    const { log } = await opened(t, RAIN, SUN)
    for (const id of [RAIN, SUN])
      must(await log.append(id, [heard('a'), heard('b'), marked(1, 'pin'), marked(2, 'pin'), folded(1, 1)]))
    const first = must(await log.memory.list({ limit: 2 }))
    assert.deepEqual(places(first.items), ['fold sun 5', 'pin sun 4 of 2'])
    must(await log.append(SUN, [marked(2, null), marked(1, 'pin', 'project')]))
    const second = must(await log.memory.list({ cursor: first.next ?? '', limit: 2 }))
    assert.deepEqual(places(second.items), ['fold rain 5', 'pin rain 4 of 2'])
    const third = must(await log.memory.list({ cursor: second.next ?? '', limit: 1 }))
    assert.deepEqual([places(third.items), third.next], [['pin rain 3 of 1'], null])
    for (const cursor of ['', 'x', '2026-01-01T12:00:00.000Z_ses_rain', `${second.next}x`])
      assert.match(faultOf(await log.memory.list({ cursor, limit: 2 }), 'invalid').message, /cursor/)
  })

  test('a pin counts in other sessions as far as it reaches, and follows its session to another project', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.open(sessionOf(SUN, { project: 'garden' })))
    must(await log.open(sessionOf(SNOW, { project: 'garden' })))
    must(await log.append(SUN, [heard('a'), heard('b'), heard('c')]))
    must(await log.append(SUN, [marked(1, 'pin'), marked(2, 'pin', 'project'), marked(3, 'pin', 'everywhere')]))
    const [everywhere, garden] = ['pin sun 6 of 3', 'pin sun 5 of 2']
    assert.deepEqual(await pinsFor(log, RAIN), [everywhere])
    assert.deepEqual(await pinsFor(log, SNOW), [garden, everywhere])
    assert.deepEqual(await pinsFor(log, SUN), [], 'its own pins count by themselves')
    must(await log.append(SNOW, [changed({ project: null })]))
    must(await log.append(SUN, [changed({ project: null })]))
    assert.deepEqual(await pinsFor(log, SNOW), [everywhere], 'sessions without a project have none together')
    must(await log.append(SUN, [changed({ project: 'house' })]))
    must(await log.append(RAIN, [changed({ project: 'house' })]))
    assert.deepEqual(await pinsFor(log, RAIN), [garden, everywhere])
    assert.deepEqual(places(must(await log.memory.pinsFor(RAIN, 1))), [everywhere], 'the newest, where they are too many')
    must(await log.append(SUN, [changed({ archived: true })]))
    assert.deepEqual(await pinsFor(log, RAIN), [garden, everywhere], 'those of a session that is put away still count')
    must(await log.append(SUN, [marked(3, null)]))
    assert.deepEqual(await pinsFor(log, SNOW), [])
    must(await log.remove(SUN))
    assert.deepEqual(await pinsFor(log, RAIN), [])
    faultOf(await log.memory.pinsFor(SUN, 9), 'not-found')
  })

  test('private sessions and those of councils give nothing, but may be given', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [heard('a'), marked(1, 'pin', 'everywhere')]))
    const seen = async () => [await pinsFor(log, SUN), await sourcesOf(log, SUN, 'everywhere')]
    const all = [['pin rain 2 of 1'], ['rain']]
    assert.deepEqual(await seen(), all)
    for (const changes of [{ private: true }, { private: false, council: 'board', agent: null }]) {
      must(await log.append(RAIN, [changed(changes)]))
      assert.deepEqual(await seen(), [[], []], JSON.stringify(changes))
      assert.deepEqual(await sourcesOf(log, RAIN, 'everywhere'), ['sun'])
      assert.deepEqual(await listed(log), ['pin rain 2 of 1'], 'it is still remembered')
    }
    must(await log.append(RAIN, [changed({ council: null, agent: 'assistant' })]))
    assert.deepEqual(await seen(), all)
    must(await log.open(sessionOf(SNOW, { private: true })))
    assert.equal(must(await log.session(SNOW)).private, true)
    assert.deepEqual(await sourcesOf(log, SUN, 'everywhere'), ['rain'])
    const copy = session('copy')
    must(await forkOf(log, SNOW, 0, copy, { private: true }))
    assert.deepEqual([must(await log.session(copy)).private, await sourcesOf(log, SUN, 'everywhere')], [true, ['rain']])
  })

  test('what advisors said stays in their chat when one agent answers there from then on, also once imported', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [heard('a'), marked(1, 'pin', 'everywhere'), changed({ council: 'board', agent: null })]))
    const advised = turn('advised')
    must(await log.append(RAIN, [heard('b'), { type: 'turn.started', turn: advised, voice: 'judge', cause: 4 }]))
    must(await log.append(RAIN, [{ type: 'turn.ended', turn: advised, voice: 'judge', reason: 'done' }]))
    must(await log.append(RAIN, [changed({ council: null, agent: 'assistant' })]))
    assert.equal(must(await log.session(RAIN)).hadCouncil, true)
    assert.deepEqual([await pinsFor(log, SUN), await sourcesOf(log, SUN, 'everywhere')], [[], []])
    const importing = must(await log.startImport())
    const facts: readonly Fact[] = [heard('a'), { type: 'turn.started', turn: advised, voice: 'judge', cause: 1 }]
    must(await importing.add(pieceOf(SNOW, facts, { council: 'board' })))
    must(await importing.add(pieceOf(SNOW, [heard('b')], { council: 'board' })))
    must(await importing.publish(() => []))
    must(await log.append(SNOW, [changed({ council: null, agent: 'assistant' })]))
    assert.deepEqual(await sourcesOf(log, SUN, 'everywhere'), [])
  })

  test('sources are the other sessions, last used first, of the project or all of them', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.open(sessionOf(SUN, { project: 'garden' })))
    must(await log.open(sessionOf(SNOW, { project: 'garden', title: 'Snow' })))
    for (const id of [SUN, RAIN, SNOW]) must(await log.append(id, [heard(`hello from ${id}`)]))
    assert.deepEqual(await sourcesOf(log, SUN, 'everywhere'), ['snow', 'rain'])
    assert.deepEqual(await sourcesOf(log, SUN, 'project'), ['snow'])
    assert.deepEqual(await sourcesOf(log, RAIN, 'project'), [], 'no project is none')
    assert.deepEqual(must(await log.memory.sources(SUN, 'everywhere', 1)), [
      { id: SNOW, title: 'Snow', preview: 'hello from ses_snow', family: SNOW },
    ])
    must(await log.append(SNOW, [changed({ archived: true })]))
    must(await forkOf(log, SNOW, 1, session('copy'), { project: 'garden' }))
    const copy = must(await log.memory.sources(SUN, 'project', 9)).find(({ id }) => id === session('copy'))
    assert.deepEqual(copy?.parent, { session: SNOW, at: 1 })
    assert.ok((await sourcesOf(log, SUN, 'project')).includes('snow'), 'also what is put away')
    must(await log.append(SNOW, [changed({ project: 'house' })]))
    assert.deepEqual(await sourcesOf(log, SUN, 'project'), ['copy'])
    faultOf(await log.memory.sources(session('none'), 'everywhere', 9), 'not-found')
  })

  test('of a message that forks share the oldest session gives the pin, and a mark of its own counts more', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [heard('a'), heard('b'), marked(1, 'pin', 'everywhere')]))
    const [one, two] = [session('one'), session('two')]
    must(await forkOf(log, RAIN, 3, one, { createdAt: '2026-01-02T12:00:00.000Z' }))
    must(await forkOf(log, one, 3, two, { createdAt: '2026-01-03T12:00:00.000Z' }))
    assert.deepEqual(await pinsFor(log, SUN), ['pin rain 3 of 1'])
    assert.deepEqual((await listed(log)).toSorted(), ['pin one 3 of 1', 'pin rain 3 of 1', 'pin two 3 of 1'])
    must(await log.append(RAIN, [marked(1, null)]))
    assert.deepEqual(await pinsFor(log, SUN), ['pin one 3 of 1'])
    assert.deepEqual(await pinsFor(log, RAIN), ['pin one 3 of 1'], 'it has the message, but no mark on it')
    must(await log.append(RAIN, [marked(1, 'removed')]))
    assert.deepEqual(await pinsFor(log, RAIN), [])
    assert.deepEqual(await pinsFor(log, two), [], 'it has a pin of its own')
    const last = session('last')
    must(await log.append(SUN, [heard('x')]))
    must(await forkOf(log, SUN, 1, last, { createdAt: '2026-01-02T12:00:00.000Z', family: SUN }))
    for (const id of [SUN, last]) must(await log.append(id, [marked(1, 'pin', 'everywhere')]))
    assert.deepEqual(await pinsFor(log, RAIN), ['pin sun 2 of 1'], 'also the last message that they share')
    for (const id of [SUN, last]) must(await log.append(id, [marked(1, null)]))
    // What a fork says behind its parent's words is another message, though it has the same seq.
    must(await log.append(one, [heard('c'), marked(4, 'pin', 'everywhere')]))
    must(await log.append(two, [heard('d'), marked(4, 'pin', 'everywhere')]))
    assert.deepEqual(await pinsFor(log, SUN), ['pin one 3 of 1', 'pin one 5 of 4', 'pin two 5 of 4'])
    must(await log.remove(one))
    assert.deepEqual(await pinsFor(log, SUN), ['pin two 3 of 1', 'pin two 5 of 4'])
  })

  test('imported sessions bring their pins and folds, and those of an abandoned import are never found', async t => {
    const { log } = await opened(t, RAIN)
    const facts = [heard('a'), heard('b'), marked(1, 'pin', 'everywhere'), marked(2, 'pin'), marked(2, null), folded(1, 2)]
    const importing = must(await log.startImport())
    must(await importing.add(pieceOf(SUN, facts)))
    // So much that some of it is written before the import is whole.
    const long = Array.from({ length: 1200 }, () => heard('hello'))
    for (const some of [long, long]) must(await importing.add(pieceOf(SUN, some)))
    assert.deepEqual([await listed(log), await pinsFor(log, RAIN), await sourcesOf(log, RAIN, 'everywhere')], [[], [], []])
    must(await importing.publish(() => []))
    assert.deepEqual(await listed(log), ['fold sun 6', 'pin sun 3 of 1'])
    assert.deepEqual([await pinsFor(log, RAIN), await sourcesOf(log, RAIN, 'everywhere')], [['pin sun 3 of 1'], ['sun']])
    const other = must(await log.startImport())
    must(await other.add(pieceOf(SNOW, facts)))
    await other.abandon()
    assert.deepEqual(await listed(log), ['fold sun 6', 'pin sun 3 of 1'])
    // Under the same id comes something else, which has nothing of what was there before.
    must(await log.remove(SUN))
    const again = must(await log.startImport())
    must(await again.add(pieceOf(SUN, [heard('c'), heard('d'), folded(2, 2)])))
    must(await again.publish(() => []))
    assert.deepEqual(await listed(log), ['fold sun 3'])
  })

  test('for any sessions, what is found is what their events say', async t => {
    const { log } = await opened(t)
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (deeds, limit) => {
        run += 1
        const name = (number: number): SessionId => session(`r${run}n${number}`)
        const open = new Set([0, 1, 2].map(name))
        for (const id of open) must(await log.open(sessionOf(id, { project: 'garden' })))
        for (const each of deeds) {
          const id = name(each.id)
          if (!open.has(id)) continue
          if (each.kind === 'append') must(await log.append(id, [each.fact]))
          if (each.kind === 'remove' && open.delete(id)) must(await log.remove(id))
          if (each.kind !== 'fork' || open.has(name(each.to))) continue
          const at = Math.min(each.at, must(await log.standing(id)).head)
          const before = must(await log.session(id))
          const createdAt = new Date(Date.parse(before.createdAt) + 1000).toISOString()
          must(await log.fork(id, at, { ...before, createdAt, id: name(each.to), parent: { session: id, at } }, () => []))
          open.add(name(each.to))
        }
        await assertFound(log, [...open], limit)
        for (const id of open) must(await log.remove(id))
        assert.deepEqual(await listed(log), [])
      }),
      tries(60),
    )
  })
})

const seq = fc.integer({ min: 1, max: 9 })
const fact: fc.Arbitrary<Fact> = fc.oneof(
  fc.constant(heard('hello')),
  fc
    .tuple(
      seq,
      fc.constantFrom<Mark | null>('pin', 'pin', 'exclude', 'removed', null),
      fc.constantFrom('project', 'everywhere', undefined),
    )
    .map(([target, mark, reach]) => marked(target, mark, mark === 'pin' ? reach : undefined)),
  fc
    .tuple(
      seq,
      fc.nat(5),
      fc.record(
        { text: fc.constantFrom('So it was.', ''), replaces: seq, voice: fc.constant('ada') },
        { requiredKeys: ['text'] },
      ),
    )
    .map(([from, length, given]) => folded(from, from + length, given)),
  fc
    .constantFrom(
      { private: true },
      { private: false },
      { council: 'board' },
      { council: null },
      { project: 'house' },
      { project: null },
    )
    .map(changed),
)
const deed = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('append' as const), id: fc.nat(4), fact }), weight: 8 },
  { arbitrary: fc.record({ kind: fc.constant('fork' as const), id: fc.nat(4), to: fc.nat(4), at: fc.nat(12) }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('remove' as const), id: fc.nat(4) }), weight: 1 },
)

/** Compares with what follows from all events, read one by one. */
async function assertFound(log: Log, ids: readonly SessionId[], limit: number): Promise<void> {
  const all = await Promise.all(ids.map(async id => ({ session: must(await log.session(id)), events: await eventsOf(log, id) })))
  const kept = all.flatMap(({ events }) => [...pinsIn(events), ...foldsIn(events)])
  const newest = kept.sort((a, b) =>
    a.at === b.at ? (a.session === b.session ? b.seq - a.seq : a.session < b.session ? -1 : 1) : a.at < b.at ? 1 : -1,
  )
  const found: (KeptPin | KeptFold)[] = []
  for (let next: string | null | undefined; next !== null; ) {
    const page = must(await log.memory.list({ limit, ...(next === undefined ? {} : { cursor: next }) }))
    assert.ok(page.items.length <= limit)
    found.push(...page.items)
    next = page.next
  }
  assert.deepEqual(found, newest)
  const givers = all.filter(({ session }) => session.council === null && session.private !== true)
  const parents = new Map(all.map(({ session }) => [session.id, session.parent]))
  const origin = (id: SessionId, seq: number): SessionId => {
    const parent = parents.get(id)
    return parent !== undefined && seq <= parent.at ? origin(parent.session, seq) : id
  }
  for (const { session: asking, events } of all) {
    const others = givers.filter(({ session }) => session.id !== asking.id)
    const isNear = ({ project }: Session): boolean => project !== null && project === asking.project
    const byUse = (a: Session, b: Session): number =>
      a.updatedAt === b.updatedAt ? (a.id < b.id ? -1 : 1) : a.updatedAt < b.updatedAt ? 1 : -1
    for (const from of ['project', 'everywhere'] as const) {
      const wanted = others.map(({ session }) => session).filter(each => from === 'everywhere' || isNear(each))
      assert.deepEqual(
        must(await log.memory.sources(asking.id, from, 99)).map(({ id }) => id),
        wanted.toSorted(byUse).map(({ id }) => id),
      )
    }
    const own = new Map(events.flatMap(event => (event.type === 'message.marked' ? [[event.target, event.mark]] : [])))
    const reaching = others
      .toSorted((a, b) =>
        a.session.createdAt === b.session.createdAt
          ? a.session.id < b.session.id
            ? -1
            : 1
          : a.session.createdAt < b.session.createdAt
            ? -1
            : 1,
      )
      .flatMap(({ session, events: theirs }) =>
        pinsIn(theirs).filter(({ reach }) => reach === 'everywhere' || (reach === 'project' && isNear(session))),
      )
      .filter(pin => {
        const mark = own.get(pin.target) as Mark | null | undefined
        return origin(asking.id, pin.target) !== origin(pin.session, pin.target) || !(mark === 'pin' || isExcluding(mark))
      })
    const once = [
      ...new Map(reaching.toReversed().map(pin => [`${origin(pin.session, pin.target)} ${pin.target}`, pin])).values(),
    ]
    assert.deepEqual(
      must(await log.memory.pinsFor(asking.id, 99)),
      newest.filter(item => once.some(pin => pin.session === item.session && pin.seq === item.seq)).toReversed(),
    )
  }
}

function pinsIn(events: readonly Recorded[]): readonly KeptPin[] {
  const last = new Map(events.flatMap(event => (event.type === 'message.marked' ? [[event.target, event] as const] : [])))
  return [...last.values()].flatMap(({ session, seq, target, mark, at, reach }): readonly KeptPin[] =>
    mark === 'pin' ? [{ kind: 'pin', session, seq, target, reach: reach ?? 'session', at }] : [],
  )
}

function foldsIn(events: readonly Recorded[]): readonly KeptFold[] {
  const folds = events.flatMap(event => (event.type === 'history.folded' ? [event] : []))
  const isReplaced = (fold: (typeof folds)[number]): boolean =>
    folds.some(
      later =>
        later.seq > fold.seq &&
        later.voice === fold.voice &&
        (later.replaces === fold.seq || (later.from <= fold.from && later.to >= fold.to)),
    )
  return folds.flatMap(fold =>
    isReplaced(fold) || fold.text === '' ? [] : [{ kind: 'fold' as const, session: fold.session, seq: fold.seq, at: fold.at }],
  )
}
