import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PostingRow, RecallBlock, RecallState, RecallStore } from '../../../src/log/ports.ts'
import { postingsInColumns, rowsInColumns } from '../../../src/log/recall-rules.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { ok, type Result } from '../../../src/model/result.ts'
import { layeredIndex } from '../../../src/turn/inspect/layered-index.ts'

const id = 'ses_a' as SessionId
const at = (indexedThrough: number): RecallState => ({
  ...{ indexedThrough, messages: 1, passages: 1, flushed: 0, version: 1, vectors: null, encoder: null },
})
const posting = (term: string, segment: number, sign: number): PostingRow =>
  ({ term, segment, count: 1, body: Uint8Array.of(sign) }) as unknown as PostingRow
const block = (number: number, sign: number): RecallBlock => ({ kind: 'messages', number, body: Uint8Array.of(sign) })

function given<Value>(result: Result<Value, unknown>): Value {
  assert.ok(result.ok)
  return result.value
}

/** A store that has something, and refuses every write. */
function kept(): { store: RecallStore; goOn: (through: number) => void } {
  let state = at(10)
  const refuse = async (): Promise<never> => assert.fail('nothing is written below')
  const store: RecallStore = {
    state: async () => ok(state),
    postings: async (_, terms) => ok(['boat', 'sea'].filter(term => terms.includes(term)).map(term => posting(term, 0, 1))),
    blocks: async (_, _kind, numbers) => ok(numbers.filter(number => number < 2).map(number => block(number, 1))),
    states: async ids => ok(new Map(ids.filter(each => each === id).map(each => [each, state]))),
    allPostings: async ids =>
      ok(
        postingsInColumns(
          ids.flatMap((each, session) => (each === id ? ['boat', 'sea'].map(term => ({ session, ...posting(term, 0, 1) })) : [])),
        ),
      ),
    blocksOf: async (_, wanted) => ok(wanted.map(() => [])),
    excluded: async () => ok(new Map([[id, [7]]])),
    ...{ write: refuse, clear: refuse },
    behind: async () => ok([id]),
    size: async () => ok({ sessions: 1, messages: 1, bytes: 9 }),
  }
  return {
    store,
    goOn: through => {
      state = at(through)
    },
  }
}

test('what is written covers what is below, and the rest shows through', async () => {
  const layered = layeredIndex(kept().store)
  assert.deepEqual(given(await layered.state(id)), at(10))
  const change = { state: at(20), postings: [posting('boat', 0, 2), posting('ark', 1, 2)], blocks: [block(1, 2), block(2, 2)] }
  given(await layered.write(id, change))
  given(await layered.write(id, { state: at(20), blocks: [{ kind: 'messages', number: 0, body: null }] }))
  assert.deepEqual(given(await layered.state(id)), at(20))
  const rows = given(await layered.postings(id, ['sea', 'boat', 'ark']))
  assert.deepEqual(
    rows.map(({ term, body }) => `${term} ${body[0]}`),
    ['ark 2', 'boat 2', 'sea 1'],
  )
  assert.deepEqual(
    given(await layered.postings(id, ['boat', 'ark'], 1))
      .map(({ term }) => term)
      .includes('ark'),
    true,
  )
  const blocks = given(await layered.blocks(id, 'messages', [2, 1, 0]))
  assert.deepEqual(
    blocks.map(({ number, body }) => [number, body[0]]),
    [
      [2, 2],
      [1, 2],
    ],
  )
})

test('what was cleared is gone here, and nothing of it shows through any more', async () => {
  const layered = layeredIndex(kept().store)
  given(await layered.clear(id))
  assert.equal(given(await layered.state(id)), undefined)
  assert.deepEqual([given(await layered.postings(id, ['boat'])), given(await layered.blocks(id, 'messages', [0]))], [[], []])
  given(await layered.write(id, { state: at(5), blocks: [block(0, 3)] }))
  assert.deepEqual(given(await layered.state(id)), at(5))
  assert.equal(given(await layered.blocks(id, 'messages', [0, 1])).length, 1)
})

test('once the index below has come as far, it is believed again', async () => {
  const { store, goOn } = kept()
  const layered = layeredIndex(store)
  given(await layered.write(id, { state: at(20), blocks: [block(0, 2)] }))
  goOn(19)
  assert.deepEqual(given(await layered.state(id)), at(20))
  goOn(25)
  assert.deepEqual(given(await layered.state(id)), at(25))
  assert.equal(given(await layered.blocks(id, 'messages', [0]))[0]?.body[0], 1)
})

test('over nothing it is an index of its own', async () => {
  const layered = layeredIndex()
  assert.equal(given(await layered.state(id)), undefined)
  given(await layered.write(id, { state: at(3), postings: [posting('boat', 0, 1)] }))
  assert.deepEqual(
    given(await layered.postings(id, ['boat', 'sea'])).map(({ term }) => term),
    ['boat'],
  )
  assert.deepEqual(
    [given(await layered.behind(at(3), 5)), given(await layered.size())],
    [[], { sessions: 0, messages: 0, bytes: 0 }],
  )
})

test('what is asked of many sessions has what was written here, and the rest from below', async () => {
  const layered = layeredIndex(kept().store)
  const other = 'ses_b' as SessionId
  given(await layered.write(id, { state: at(20), postings: [posting('boat', 0, 2)], blocks: [block(1, 2)] }))
  given(await layered.write(other, { state: at(30), postings: [posting('ark', 1, 3)], blocks: [block(0, 3)] }))
  const states = given(await layered.states([other, id, 'ses_c' as SessionId]))
  assert.deepEqual(
    [...states],
    [
      [other, at(30)],
      [id, at(20)],
      ['ses_c', at(10)],
    ],
  )
  const rows = rowsInColumns(given(await layered.allPostings([other, id])))
  assert.deepEqual(rows.map(({ session, term, segment, body }) => `${session} ${term} ${segment} ${body[0]}`).sort(), [
    '0 ark 1 3',
    '1 boat 0 2',
    '1 sea 0 1',
  ])
  const blocks = given(
    await layered.blocksOf('messages', [
      { id, numbers: [1, 0] },
      { id: other, numbers: [5, 0] },
    ]),
  )
  assert.deepEqual(
    blocks.map(own => own.map(({ number, body }) => `${number} ${body[0]}`)),
    [['1 2', '0 1'], ['0 3']],
  )
  assert.deepEqual(given(await layered.excluded([id])), new Map([[id, [7]]]))
  given(await layered.clear(id))
  assert.equal(given(await layered.allPostings([id])).numbers.length, 0)
})
