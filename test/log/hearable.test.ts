// What a gap says could be heard is what assembly would keep of it, had it read everything: on every store, for any session.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { messageOf } from '../../src/context/stages/draft.ts'
import { project } from '../../src/context/stages/project.ts'
import { sanitize } from '../../src/context/stages/sanitize.ts'
import { count, weigh } from '../../src/context/text/tokens.ts'
import { memoryLog } from '../../src/log/memory/memory-log.ts'
import type { Log, PastQuery } from '../../src/log/ports.ts'
import type { EndReason, Fact, Mark, Part, Recorded } from '../../src/model/event.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'
import type { Material } from '../../src/model/plan.ts'
import { firstTurns } from '../../src/model/turn-view/turn-view.ts'
import { tries } from '../support/tries.ts'
import { broken, eventsOf, finished, must, pieceOf, session, sessionOf, text, ticking } from './facts.ts'
import { integrityOf, openSqlite, raw, temporaryFolder, withoutNumbers } from './files.ts'

const VOICES = ['ada', 'bob', 'house:synthesis']

/** Everything that decides what one turn adds to a session. */
type Round = {
  readonly heard: { readonly text: string; readonly to?: readonly string[] }
  readonly turns: readonly {
    readonly voice: string
    readonly replies: readonly { readonly type: 'finished' | 'broken'; readonly parts: readonly Part[]; readonly stop: boolean }[]
    readonly again: boolean
    readonly end: EndReason | null
    /** Goes on with an earlier turn, or begins it again. */
    readonly goesOn: 'continues' | 'resumes' | null
  }[]
  readonly mark: { readonly target: number; readonly mark: Mark | null } | null
  readonly fold: { readonly from: number; readonly length: number } | null
}

const part: fc.Arbitrary<Part> = fc.oneof(
  { arbitrary: fc.constantFrom('Yes.', 'No.').map(text), weight: 4 },
  fc.constantFrom('', ' \n', '\u3000\ufeff').map(text),
  fc.constant<Part>({ type: 'think', text: 'hm' }),
  fc.constant<Part>({ type: 'call', call: 'c1' as never, tool: 'look', args: {} }),
)
const round: fc.Arbitrary<Round> = fc.record({
  heard: fc.record(
    {
      text: fc.oneof({ arbitrary: fc.constant('hello'), weight: 5 }, fc.constant('\t')),
      to: fc.subarray(['ada', 'bob'], { minLength: 1 }),
    },
    { requiredKeys: ['text'] },
  ),
  turns: fc.array(
    fc.record({
      voice: fc.constantFrom(...VOICES),
      replies: fc.array(
        fc.record({
          type: fc.oneof({ arbitrary: fc.constant('finished' as const), weight: 3 }, fc.constant('broken' as const)),
          parts: fc.oneof(
            { arbitrary: fc.array(part, { maxLength: 2 }), weight: 5 },
            fc.array(part, { minLength: 3, maxLength: 5 }),
          ),
          stop: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
      again: fc.boolean(),
      end: fc.constantFrom<EndReason | null>('done', 'failed', 'cancelled', 'cancelled', null),
      goesOn: fc.constantFrom('continues' as const, 'resumes' as const, null),
    }),
    { maxLength: 3 },
  ),
  mark: fc.oneof(
    fc.constant(null),
    fc.record({ target: fc.integer({ min: 1, max: 60 }), mark: fc.constantFrom<Mark | null>('pin', 'exclude', 'removed', null) }),
  ),
  fold: fc.option(fc.record({ from: fc.integer({ min: 1, max: 60 }), length: fc.nat(20) })),
})

/** The facts of these rounds; steps of a turn that continues another are counted on from there. */
function factsOf(rounds: readonly Round[]): readonly Fact[] {
  const facts: Fact[] = []
  const before: { readonly id: TurnId; readonly steps: number; readonly voice: string }[] = []
  for (const { heard, turns, mark, fold } of rounds) {
    facts.push({ type: 'message.received', from: 'person', ...heard })
    const cause = facts.length
    for (const { voice, replies, again, end, goesOn } of turns) {
      const id = `trn_${before.length}` as TurnId
      const earlier = goesOn === null ? undefined : before.findLast(each => each.voice === voice)
      const resumes = earlier === undefined ? {} : { resumes: earlier.id, ...(goesOn === 'continues' ? { continues: true } : {}) }
      facts.push({ type: 'turn.started', turn: id, voice, cause, ...resumes } as Fact)
      let step = goesOn === 'continues' ? (earlier?.steps ?? 0) : 0
      for (const [index, reply] of replies.entries()) {
        // Another try of the same step, or the next one.
        if (index === 0 || !again || replies[index - 1]?.type === 'finished') step += 1
        if (reply.type === 'broken') facts.push(broken(id, step, ...reply.parts))
        else facts.push({ ...finished(id, step, ...reply.parts), ...(reply.stop ? { stop: 'length' } : {}) } as Fact)
      }
      before.push({ id, steps: step, voice })
      if (end !== null) facts.push({ type: 'turn.ended', turn: id, voice, reason: end })
    }
    if (mark !== null) facts.push({ type: 'message.marked', ...mark })
    if (fold !== null)
      facts.push({ type: 'history.folded', from: fold.from, to: fold.from + fold.length, text: 'So it was.', by: 'extract' })
  }
  return facts
}

/** The seqs at which the messages begin that assembly keeps where everything was read. */
function keptOf(
  events: readonly Recorded[],
  given: { readonly voice: string; readonly isOwn: boolean; readonly stamps: boolean },
) {
  const through = events.at(-1)?.seq ?? 0
  const material = {
    events,
    gaps: [],
    voice: given.voice,
    marksThrough: through,
    turn: { id: 'trn_new' as TurnId, cause: through + 1, step: 1, ordinal: 1 },
    model: { name: 'demo', window: 32_000, factor: 1, abilities: { images: true, files: true, cacheMinimum: 0 } },
  } as unknown as Material
  const policy = { view: given.isOwn ? ('own' as const) : ('all' as const), thinking: 'never' as never, stamps: given.stamps }
  const draft = sanitize(project(material, policy, { count, hash: String }))
  const firsts = firstTurns(events)
  const beginOf = (key: string): number => {
    const [kind, name] = key.split(' ')
    if (kind === 'heard') return Number(name)
    const replies = events.flatMap(event =>
      (event.type === 'reply.finished' || event.type === 'reply.broken') && (firsts.get(event.turn) ?? event.turn) === name
        ? [event]
        : [],
    )
    return (replies.findLast(({ step }) => step === 1) ?? replies[0])?.seq ?? 0
  }
  return [...new Set(draft.beats.filter(({ kind }) => kind !== 'summary').map(messageOf))].map(beginOf)
}

async function check(log: Log, id: SessionId, query: PastQuery & { readonly voice: string }): Promise<void> {
  const past = must(await log.past(id, query))
  const events = (await eventsOf(log, id)).filter(({ seq }) => seq <= past.through)
  const read = new Set(past.events.map(({ seq }) => seq))
  const begins = keptOf(events, { voice: query.voice, isOwn: query.own !== undefined, stamps: query.stamps === true })
  for (const { from, to, hearable } of past.gaps) {
    const expected = begins.filter(seq => seq >= from && seq <= to && !read.has(seq))
    assert.equal(hearable, expected.length, `${from}–${to}, of which ${expected}`)
  }
}

const query = fc
  .record(
    {
      voice: fc.constantFrom('ada', 'bob', 'eve', 'house:title'),
      isOwn: fc.boolean(),
      stamps: fc.boolean(),
      seq: fc.integer({ min: 2, max: 60 }),
      headThrough: fc.nat(8),
      through: fc.integer({ min: 1, max: 70 }),
      folds: fc.constant(true as const),
    },
    { requiredKeys: ['voice', 'isOwn', 'seq'] },
  )
  .map(({ voice, isOwn, seq, headThrough, ...rest }) => ({
    from: { seq },
    voice,
    ...(isOwn ? { own: { voice, whole: 0 } } : {}),
    ...(headThrough === undefined ? {} : { head: { through: headThrough } }),
    ...rest,
  }))
const sessions = fc.tuple(fc.array(round, { minLength: 1, maxLength: 8 }), fc.array(query, { minLength: 1, maxLength: 6 }))

test('in memory, a gap says how many messages assembly would keep', async () => {
  const log = memoryLog({ clock: ticking(), weigh })
  let number = 0
  await fc.assert(
    fc.asyncProperty(sessions, async ([rounds, queries]) => {
      const id = session(`m${++number}`)
      must(await log.open(sessionOf(id)))
      must(await log.append(id, factsOf(rounds)))
      for (const each of queries) await check(log, id, each)
    }),
    tries(300),
  )
})

test('so it does in a file, as sessions grow, in forks and imports, with rows that were damaged, and from an older form', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const first = await openSqlite(t, file)
  const made: { readonly id: SessionId; readonly queries: readonly (PastQuery & { readonly voice: string })[] }[] = []
  let number = 0
  const runs = fc.tuple(sessions, fc.nat(60))
  const all = fc.sample(runs, tries(40))
  for (const [[rounds, queries], place] of all) {
    const id = session(`s${++number}`)
    const facts = factsOf(rounds)
    must(await first.open(sessionOf(id)))
    const half = place % (facts.length + 1)
    // Asked again and again, as turns do: what was found out once must not outlast what comes later.
    for (let done = 0; done < facts.length; done += 5) {
      must(await first.append(id, facts.slice(done, done + 5)))
      for (const each of queries) await check(first, id, each)
    }
    const fork = session(`f${number}`)
    must(
      await first.fork(
        id,
        half,
        sessionOf(fork),
        () => [],
        (_, events) => events.filter(({ seq }) => seq > half) as never,
      ),
    )
    const brought = session(`i${number}`)
    const importing = must(await first.startImport())
    must(await importing.add(pieceOf(brought, facts)))
    must(await importing.publish(() => []))
    for (const each of [id, fork, brought]) {
      made.push({ id: each, queries })
      for (const asked of queries) await check(first, each, asked)
    }
  }
  await first.close()
  raw(file, db => {
    db.exec('drop trigger events_update')
    const damage = db.prepare(`update events set body = ? where (id * 7919) % 101 = ?`)
    for (const [index, body] of ['{', '{}', '{"text":5,"from":"person"}', '{"turn":"x","step":1,"parts":5}'].entries())
      damage.run(body, index)
  })
  const damaged = await openSqlite(t, file)
  for (const { id, queries } of made) for (const each of queries) await check(damaged, id, each)
  await damaged.close()
  raw(file, withoutNumbers)
  const migrated = await openSqlite(t, file)
  for (const { id, queries } of made) for (const each of queries) await check(migrated, id, each)
  for (const { id } of made.slice(0, 30)) must(await migrated.remove(id))
  await migrated.close()
  assert.equal(integrityOf(file), 'ok')
  const left = raw(file, db =>
    db.prepare('select count(*) as left from message_numbers where session not in (select id from sessions)').get(),
  )
  assert.deepEqual({ ...(left as object) }, { left: 0 })
})
