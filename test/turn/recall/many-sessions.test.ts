// One question to many sessions: the weights are those of one large session, forks count once, and neighbours stay in their session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RecallStore } from '../../../src/log/ports.ts'
import type { Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Candidate } from '../../../src/model/recall.ts'
import { layeredIndex } from '../../../src/turn/inspect/layered-index.ts'
import { fillIndex } from '../../../src/turn/recall/fill/fill-index.ts'
import type { AskedSource } from '../../../src/turn/recall/look-up/asked-parts.ts'
import { lookUp } from '../../../src/turn/recall/look-up/look-up.ts'
import { createSharedWords } from '../../../src/turn/recall/look-up/shared-words.ts'
import { sharedWithEarlier } from '../../../src/turn/recall/sources.ts'
import { must } from '../../log/facts.ts'
import { tries } from '../../support/tries.ts'
import { questionOf, sourceOf } from './support/index-of.ts'
import { QUESTIONS, randomLog, SESSION } from './support/random-log.ts'

const idOf = (index: number): SessionId => `ses_${index}` as SessionId

async function fill(rows: RecallStore, id: SessionId, events: readonly Recorded[], limit = 1_000_000): Promise<void> {
  const source = sourceOf(events)
  while (!must(await fillIndex(rows, source, id, { vectors: undefined, limit, through: events.length })).isDone);
}

const renumbered = (events: readonly Recorded[], from: number): readonly Recorded[] =>
  events.map(event => {
    const moved = { ...event, seq: event.seq + from }
    if (moved.type === 'turn.started') return { ...moved, cause: moved.cause + from }
    return moved.type === 'message.marked' ? { ...moved, target: moved.target + from } : moved
  })

/** Turns of one log are not those of another. */
const named = (events: readonly Recorded[], by: string): readonly Recorded[] =>
  events.map(event => {
    const own = 'turn' in event ? { ...event, turn: `${event.turn}${by}` } : event
    return (
      own.type === 'turn.started' && own.resumes !== undefined ? { ...own, resumes: `${own.resumes}${by}` } : own
    ) as Recorded
  })

const plain = ({ seqs, match, author, tokens }: Candidate, from: number): string =>
  `${seqs.map(seq => seq + from).join(',')} ${author} ${tokens} ${match.toFixed(9)}`

test('two sessions asked together have the weights of one with all of their messages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.nat(),
      fc.constantFrom(7, 60, 1_000_000),
      fc.constantFrom(...QUESTIONS),
      async (one, other, limit, text) => {
        const [a, b] = [one, other].map((seed, index) => named(randomLog(seed, { messages: 14, voices: ['ada'] }), `_${index}`))
        if (a === undefined || b === undefined) return assert.fail()
        const rows = layeredIndex()
        await fill(rows, idOf(1), a, limit)
        await fill(rows, idOf(2), b, limit)
        await fill(rows, idOf(3), [...a, ...renumbered(b, a.length)])
        const sources: readonly AskedSource[] = [{ id: idOf(2), title: 'two', after: 0 }]
        const query = questionOf(text, { voice: 'ada' })
        const together = must(await lookUp(rows, idOf(1), { ...query, sources }, undefined)).candidates
        const whole = must(await lookUp(rows, idOf(3), query, undefined)).candidates
        assert.deepEqual(
          together.map(each => plain(each, each.chat === undefined ? 0 : a.length)).sort(),
          whole.map(each => plain(each, 0)).sort(),
        )
        for (const { chat, seqs } of together) {
          const own: readonly Recorded[] = chat === undefined ? a : b
          assert.ok(seqs.every(seq => seq <= own.length))
          if (chat !== undefined) assert.deepEqual(chat, { session: idOf(2), title: 'two' })
        }
      },
    ),
    tries(25),
  )
})

test('what is kept in memory is what a new thread would read, however sessions grow between questions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 5 }), async (seed, steps) => {
      const logs = [0, 1, 2].map(index => named(randomLog(seed + index, { messages: 20, voices: ['ada', 'bo'] }), `_${index}`))
      const rows = layeredIndex()
      // So little room that sessions are forgotten and read again.
      const shared = createSharedWords(seed % 2 === 0 ? 4000 : undefined)
      let through = 0
      for (const step of steps) {
        through += step
        for (const [index, log] of logs.entries()) {
          const part = log.slice(0, Math.min(log.length, through * (index + 1)))
          must(await fillIndex(rows, sourceOf(part), idOf(index), { vectors: undefined, limit: 1_000_000, through: part.length }))
        }
        const sources = [1, 2].map(index => ({ id: idOf(index), title: `${index}`, after: index === 2 ? 9 : 0 }))
        for (const text of QUESTIONS.slice(0, 3)) {
          const query = { ...questionOf(text, { voice: 'ada', view: 'own' }), sources }
          const fresh = must(await lookUp(rows, idOf(0), query, undefined))
          const kept = must(await lookUp(rows, idOf(0), query, undefined, undefined, undefined, { shared }))
          if (seed % 2 === 1) assert.deepEqual(kept, fresh)
          const isOwn = ({ chat, seqs }: Candidate): boolean => chat?.title !== '2' || (seqs[0] ?? 0) > 9
          assert.ok([...kept.candidates, ...fresh.candidates].every(isOwn), 'what is shared is asked once')
        }
      }
    }),
    tries(15),
  )
})

test('a session without an index, with one of other vectors, or without time to be read is left out', async () => {
  const rows = layeredIndex()
  const events = randomLog(5, { messages: 20, voices: ['ada'] })
  await fill(rows, idOf(1), events)
  const query = (ids: readonly SessionId[]) => ({
    ...questionOf('Where was the kettle?', { voice: 'ada' }),
    sources: ids.map(id => ({ id, title: '', after: 0 })),
  })
  const found = must(await lookUp(rows, SESSION, query([idOf(1), idOf(2)]), undefined))
  assert.equal(found.elsewhere?.chats, 1)
  assert.ok((found.elsewhere?.tokens ?? 0) > 0 && found.candidates.some(({ chat }) => chat?.session === idOf(1)))
  const late = must(await lookUp(rows, SESSION, query([idOf(1)]), undefined, undefined, undefined, { withinMs: 0 }))
  assert.deepEqual([late.elsewhere, late.candidates], [{ chats: 0, tokens: 0 }, []])
  const state = must(await rows.state(idOf(1))) ?? assert.fail()
  must(await rows.write(idOf(1), { state: { ...state, vectors: 'sha256:others' } }))
  assert.equal(must(await lookUp(rows, SESSION, query([idOf(1)]), undefined)).elsewhere?.chats, 0)
})

test('among thousands of messages neighbours are those of the same session, also where its blocks are full', async () => {
  const rows = layeredIndex()
  const log = (isFirst: boolean): readonly Recorded[] =>
    Array.from({ length: 64 }, (_, index): Recorded => {
      const text = isFirst && (index === 0 || index === 63) ? 'the kettle' : `hills ${index}`
      const fact = { type: 'message.received', text, from: 'person' } as const
      return { ...fact, session: SESSION, seq: index + 1, at: '2024-05-01T08:00:00.000Z', tokens: 3 } as Recorded
    })
  for (let index = 0; index < 40; index += 1) await fill(rows, idOf(index), log(index === 7))
  const sources = Array.from({ length: 39 }, (_, index) => ({ id: idOf(index + 1), title: '', after: 0 }))
  const { candidates } = must(await lookUp(rows, idOf(0), { ...questionOf('Where was the kettle?'), sources }, undefined))
  assert.deepEqual(
    candidates.map(({ chat, seqs }) => `${chat?.session} ${seqs[0]}`),
    [1, 2, 3, 62, 63, 64].map(seq => `${idOf(7)} ${seq}`),
  )
})

/** A tree of sessions: each is a fork of an earlier one, at a seq that this one has. */
const tree = fc
  .array(fc.record({ of: fc.nat(), at: fc.integer({ min: 1, max: 30 }), isFork: fc.boolean() }), { minLength: 2, maxLength: 9 })
  .map(list => {
    type Node = {
      readonly id: SessionId
      readonly family: SessionId
      readonly parent?: { readonly session: SessionId; readonly at: number }
    }
    const nodes: Node[] = []
    for (const [index, { of, at, isFork }] of list.entries()) {
      const parent = isFork ? nodes[of % Math.max(1, nodes.length)] : undefined
      const id = idOf(index)
      nodes.push(parent === undefined ? { id, family: id } : { id, family: parent.family, parent: { session: parent.id, at } })
    }
    return nodes
  })

test('each message of a tree of forks is asked exactly once, whichever chats are asked', () => {
  fc.assert(
    fc.property(tree, fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), fc.nat(), (nodes, isAsked, first) => {
      const known = new Map(nodes.map(node => [node.id, node]))
      const asking = nodes[first % nodes.length] ?? assert.fail()
      const asked = [asking, ...nodes.filter((node, index) => node !== asking && isAsked[index] === true)]
      const originOf = (id: SessionId, seq: number): string => {
        const { parent } = known.get(id) ?? {}
        return parent !== undefined && seq <= parent.at ? originOf(parent.session, seq) : `${id} ${seq}`
      }
      const after = sharedWithEarlier(asked, known)
      const seen = new Map<string, SessionId>()
      for (const { id } of asked)
        for (let seq = 1; seq <= 35; seq += 1) {
          const origin = originOf(id, seq)
          if (seq <= (after.get(id) ?? 0)) continue
          assert.equal(seen.get(origin), undefined, `${id} ${seq} is asked twice`)
          seen.set(origin, id)
        }
      const all = new Set(asked.flatMap(({ id }) => Array.from({ length: 35 }, (_, index) => originOf(id, index + 1))))
      assert.deepEqual([...seen.keys()].sort(), [...all].sort(), 'nothing is lost')
      assert.equal(after.get(asking.id), 0, 'the chat that asks has all of its own')
    }),
    tries(300),
  )
})

test('where a chat between two forks was deleted, nothing is asked twice', () => {
  const root = { id: idOf(0), family: idOf(0) }
  const leaf = { id: idOf(2), family: idOf(0), parent: { session: idOf(1), at: 20 } }
  const after = sharedWithEarlier(
    [{ id: idOf(9), family: idOf(9) }, leaf, root],
    new Map([root, leaf].map(node => [node.id, node])),
  )
  assert.deepEqual([after.get(root.id), after.get(leaf.id)], [0, 20])
})
