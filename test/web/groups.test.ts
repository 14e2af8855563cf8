import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SessionListState, sessionGroups } from '../../web/src/sidebar/groups.ts'
import { FIRST_STATE } from '../../web/src/store/state.ts'
import { onePerFamily } from '../../web/src/view/families.ts'
import { session } from './world.ts'

const NOW = new Date(2026, 4, 20, 15)
const at = (day: number): string => new Date(2026, 4, day, 12).toISOString()

const chat = (id: string, day: number, more: object = {}) => session(id, { updatedAt: at(day), ...more })

/** Headings, each with the rows below it. */
const shown = (listed: Partial<SessionListState>): readonly (readonly string[])[] =>
  sessionGroups({ ...FIRST_STATE, ...listed }, NOW).map(({ heading, items }) => [heading, ...items.map(({ id }) => id)])

test('conversations stand under their days', () => {
  const sessions = [chat('a', 20), chat('b', 19), chat('c', 15), chat('d', 2)]
  assert.deepEqual(shown({ sessions }), [
    ['Today', 'a'],
    ['Yesterday', 'b'],
    ['Previous 7 days', 'c'],
    ['Previous 30 days', 'd'],
  ])
  assert.deepEqual(shown({ sessions: [] }), [])
})

test('a family of forks is one row: its newest member', () => {
  const sessions = [chat('fork', 20, { family: 'first' }), chat('b', 20), chat('first', 19)]
  assert.deepEqual(
    onePerFamily(sessions).map(({ id }) => id),
    ['fork', 'b'],
  )
  assert.deepEqual(shown({ sessions }), [['Today', 'fork', 'b']])
})

test('pinned ones stand above, the last pinned first, also those too old for the list; and once only', () => {
  const sessions = [chat('a', 20), chat('b', 20)]
  const pinned = [chat('old', 1), chat('b', 2)]
  assert.deepEqual(shown({ sessions, pinned, pins: ['old', 'b'] }), [
    ['Pinned', 'old', 'b'],
    ['Today', 'a'],
  ])
  assert.deepEqual(shown({ sessions, pinned, pins: ['old', 'b'], project: 'garden' })[0], ['Today', 'a'])
})

test('what is on its way out is not listed, pinned or not; what was found stands in the order of the search', () => {
  const sessions = [chat('a', 20), chat('b', 1), chat('c', 20)]
  assert.deepEqual(shown({ sessions, pins: ['c'], gone: ['c', 'a'] }), [['Previous 30 days', 'b']])
  assert.deepEqual(shown({ sessions, pins: ['c'], query: ' sea ' }), [['Found', 'a', 'b', 'c']])
  assert.deepEqual(shown({ sessions: [chat('a', 20)], query: 'sea', archived: true, project: 'garden' }), [
    ['Found in the archive in garden', 'a'],
  ])
  assert.deepEqual(shown({ sessions, archived: true }), [['Archived', 'a', 'b', 'c']])
})
