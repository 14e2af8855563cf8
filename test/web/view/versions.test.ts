import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SessionId } from '../../../src/model/ids.ts'
import { type Member, versionsOf } from '../../../web/src/transcript/versions.ts'
import { tries } from '../../support/tries.ts'

let clock = 0
/** Made one after the other; `updated` says how lately it was spoken in. */
const member = (id: string, parent: readonly [string, number] | null = null, updated = 0): Member => {
  clock += 1
  const stamp = (minutes: number): string => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString()
  return {
    id: id as SessionId,
    createdAt: stamp(clock),
    updatedAt: stamp(updated),
    ...(parent === null ? {} : { parent: { session: parent[0] as SessionId, at: parent[1] } }),
  }
}

/** Rows begin at every odd seq: a message, its answer, and so on. */
const ROWS = [1, 3, 5, 7, 9, 11]
const at = (family: readonly Member[], current: string): Readonly<Record<number, string>> =>
  Object.fromEntries(
    [...versionsOf(family, current, ROWS)].map(([row, { index, sessions }]) => [
      row,
      sessions.map((id, each) => (each === index ? `[${id}]` : id)).join(' '),
    ]),
  )

test('a session without forks has no versions, and one that is not of the family neither', () => {
  assert.deepEqual(at([member('r')], 'r'), {})
  assert.deepEqual(at([member('r'), member('f', ['r', 4])], 'x'), {})
})

test('an edited message has two versions, seen from both', () => {
  const family = [member('r'), member('f', ['r', 4])]
  assert.deepEqual(at(family, 'r'), { 5: '[r] f' })
  assert.deepEqual(at(family, 'f'), { 5: 'r [f]' })
})

test('the first message can have versions, too', () => {
  assert.deepEqual(at([member('r'), member('f', ['r', 0])], 'f'), { 1: 'r [f]' })
})

test('editing what was edited makes a third version of the same, not one within the second', () => {
  const family = [member('r'), member('f', ['r', 4]), member('g', ['f', 4])]
  for (const [current, shown] of [
    ['r', '[r] f g'],
    ['f', 'r [f] g'],
    ['g', 'r f [g]'],
  ] as const)
    assert.deepEqual(at(family, current), { 5: shown })
})

test('a fork of a fork at an earlier point belongs to that point', () => {
  const family = [member('r'), member('f', ['r', 8]), member('g', ['f', 2])]
  assert.deepEqual(at(family, 'g'), { 3: 'r [g]' })
  assert.deepEqual(at(family, 'f'), { 3: '[f] g', 9: 'r [f]' })
})

test('a version leads to whatever of it was spoken in last, and one’s own to where one is', () => {
  const family = [member('r', null, 1), member('f', ['r', 2], 5), member('g', ['f', 6], 9), member('h', ['f', 6], 7)]
  assert.deepEqual(at(family, 'r'), { 3: '[r] g' })
  assert.deepEqual(at(family, 'f'), { 3: 'r [f]', 7: '[f] g h' })
})

test('points with no row between them are one, with all the versions', () => {
  const family = [member('r'), member('f', ['r', 3]), member('g', ['r', 4])]
  assert.deepEqual(at(family, 'r'), { 5: '[r] f g' })
})

test('what was deleted is no version, and its children still know each other', () => {
  const family = [member('r'), member('f', ['gone', 4]), member('g', ['gone', 6])]
  assert.deepEqual(at(family, 'f'), { 5: '[f] g' })
  assert.deepEqual(at(family, 'r'), {}, 'what came of it cannot be known')
})

test('where nothing follows the point there is nothing to show', () => {
  assert.deepEqual(at([member('r'), member('f', ['r', 11])], 'f'), {})
})

/** A family as it comes about: sessions are forked anywhere, and some are deleted. Every event has a name of its own. */
type World = { readonly family: readonly Member[]; readonly logs: ReadonlyMap<string, readonly string[]> }

const world: fc.Arbitrary<World> = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(20), fc.nat(12), fc.integer({ min: 1, max: 6 }), fc.nat(99)), { maxLength: 8 }),
    fc.array(fc.nat(20), { maxLength: 2 }),
  )
  .map(([forks, deleted]) => {
    const events = (id: string, from: number, many: number): readonly string[] =>
      Array.from({ length: many }, (_, index) => `${id}.${from + index}`)
    const family = [member('s0', null, 50)]
    const logs = new Map<string, readonly string[]>([['s0', events('s0', 0, 8)]])
    for (const [whose, where, more, updated] of forks) {
      const parent = `s${whose % family.length}`
      const log = logs.get(parent) ?? []
      const cut = where % (log.length + 1)
      const id = `s${family.length}`
      family.push(member(id, [parent, cut], updated))
      logs.set(id, [...log.slice(0, cut), ...events(id, cut, more)])
    }
    const gone = new Set(deleted.map(each => `s${each % family.length}`))
    return { family: family.filter(({ id }) => !gone.has(id)), logs }
  })

test('whatever was forked and deleted: versions differ where they should, agree before, and each is there from its own side', () => {
  fc.assert(
    fc.property(world, ({ family, logs }) => {
      const rowsOf = (id: string): readonly number[] => (logs.get(id) ?? []).map((_, index) => index + 1)
      for (const { id: current } of family) {
        const own = logs.get(current) ?? []
        for (const [row, { index, sessions }] of versionsOf(family, current, rowsOf(current))) {
          assert.ok(sessions.length > 1)
          assert.equal(sessions[index], current)
          assert.equal(new Set(sessions).size, sessions.length)
          sessions.forEach((other, each) => {
            const log = logs.get(other) ?? []
            assert.ok(
              family.some(({ id }) => id === other),
              'nobody is led to what is gone',
            )
            assert.deepEqual(log.slice(0, row - 1), own.slice(0, row - 1), 'the same up to the point')
            if (each !== index) assert.notEqual(log[row - 1], own[row - 1], 'and another from there on')
          })
          const [there] = sessions.filter((_, each) => each !== index)
          const back = there === undefined || (logs.get(there)?.length ?? 0) < row ? undefined : there
          if (back !== undefined) {
            const seen = versionsOf(family, back, rowsOf(back)).get(row)
            assert.equal(seen?.sessions.length, sessions.length, 'as many, seen from the other side')
            assert.equal(seen?.index, sessions.indexOf(back), 'in the same order')
          }
        }
      }
    }),
    tries(500),
  )
})

test('whoever shares a beginning with the session, as far as that can be known, is among its versions', () => {
  fc.assert(
    fc.property(world, ({ family, logs }) => {
      const isWhole = family.length === logs.size
      fc.pre(isWhole)
      for (const { id: current } of family) {
        const own = logs.get(current) ?? []
        const found = versionsOf(
          family,
          current,
          own.map((_, index) => index + 1),
        )
        for (const { id: other } of family) {
          const log = logs.get(other) ?? []
          const differs = own.findIndex((event, index) => event !== log[index])
          if (other !== current && differs !== -1) assert.ok(found.has(differs + 1), `${other} from ${current}`)
        }
      }
    }),
    tries(300),
  )
})
