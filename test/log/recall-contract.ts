// What every store of recall indexes promises: rows come back as they were written, all or none, and go with their session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log, PostingRow, ReadRange, RecallBlock, RecallState } from '../../src/log/ports.ts'
import { type PostingInColumns, rowsInColumns } from '../../src/log/recall-rules.ts'
import type { Fact } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Open, Opened } from './contract/stores.ts'
import { ended, exchange, faultOf, heard, must, pieceOf, seqsOf, session, sessionOf, started, ticking, turn } from './facts.ts'

const RAIN = session('rain')
const SUN = session('sun')
const COPY = session('copy')
const T1 = turn('1')
const MADE = { version: 1, vectors: null }

export const bytes = (words: string): Uint8Array => new TextEncoder().encode(words)

export const recallState = (indexedThrough: number, given: Partial<RecallState> = {}): RecallState => ({
  ...{ indexedThrough, messages: indexedThrough, passages: 2 * indexedThrough, flushed: 0, encoder: null },
  ...MADE,
  ...given,
})

export const posting = (term: string, segment: number, body: string): PostingRow => ({
  ...{ term, segment, count: body.length, last: 7 },
  body: bytes(body),
})

export const block = (number: number, body: string, kind: RecallBlock['kind'] = 'messages'): RecallBlock => ({
  ...{ kind, number },
  body: bytes(body),
})

/** Rows whose bytes can be compared, however a store hands them over. */
const plain = <Row extends { readonly body: Uint8Array }>(rows: readonly Row[]): unknown =>
  rows.map(row => ({ ...row, body: Buffer.from(row.body).toString() }))

export function recallContract(open: Open, opened: Opened): void {
  const behind = async ({ recall }: Log, made: Pick<RecallState, 'version' | 'vectors'> = MADE, limit = 99) =>
    must(await recall.behind(made, limit))
  /** Everything that a session's index has under these names. */
  const indexOf = async ({ recall }: Log, id: SessionId): Promise<unknown> => [
    must(await recall.state(id)),
    plain(must(await recall.postings(id, ['cloud', 'drop']))),
    plain(must(await recall.blocks(id, 'messages', [0, 1, 2]))),
  ]
  const NOTHING = [undefined, [], []]

  test('the state comes back as it was written, also without vectors and encoder, and a later one takes its place', async t => {
    const { log } = await opened(t, RAIN, SUN)
    assert.equal(must(await log.recall.state(RAIN)), undefined)
    for (const state of [
      recallState(3),
      recallState(5, { flushed: 4, version: 2, vectors: 'sha256:v', encoder: { model: 'minilm', through: 2 } }),
      recallState(2),
    ]) {
      must(await log.recall.write(RAIN, { state }))
      assert.deepEqual(must(await log.recall.state(RAIN)), state)
    }
    assert.equal(must(await log.recall.state(SUN)), undefined)
  })

  test('postings come by term, then by segment; one of the same term and segment takes the place of the earlier', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const state = recallState(1)
    const long = 'x'.repeat(60_000)
    must(
      await log.recall.write(RAIN, {
        state,
        postings: [posting('drop', 10, 'c'), posting('drop', 2, 'b'), posting('cloud', 1, long), posting('ſturm雨', 0, '')],
      }),
    )
    must(await log.recall.write(SUN, { state, postings: [posting('drop', 2, 'of the sun')] }))
    const found = async (...terms: readonly string[]) => plain(must(await log.recall.postings(RAIN, terms)))
    assert.deepEqual(
      await found('ſturm雨', 'drop', 'nothing', 'cloud', 'drop'),
      plain([posting('cloud', 1, long), posting('drop', 2, 'b'), posting('drop', 10, 'c'), posting('ſturm雨', 0, '')]),
    )
    must(await log.recall.write(RAIN, { state, postings: [posting('drop', 2, 'anew'), posting('drop', 3, 'more')] }))
    const drops = [posting('drop', 2, 'anew'), posting('drop', 3, 'more'), posting('drop', 10, 'c')]
    assert.deepEqual(await found('drop'), plain(drops))
    assert.deepEqual(await found(), [])
    const many = Array.from({ length: 300 }, (_, index) => posting(`word${index}`, 0, `${index}`))
    must(await log.recall.write(RAIN, { state, postings: many }))
    assert.equal(must(await log.recall.postings(RAIN, [...many.map(({ term }) => term), 'drop'])).length, 303)
    const later = must(await log.recall.postings(RAIN, ['drop', 'cloud'], 3))
    const places = later.map(({ term, segment }) => `${term} ${segment}`)
    assert.deepEqual(places, ['drop 3', 'drop 10'], 'from a segment on')
  })

  test('terms come in the order of their bytes on every store', async t => {
    const { log } = await opened(t, RAIN)
    const terms = ['\u{1d51e}', '\uff5e', 'z', 'é', 'a', 'Z']
    must(await log.recall.write(RAIN, { state: recallState(1), postings: terms.map(term => posting(term, 0, term)) }))
    assert.deepEqual(
      must(await log.recall.postings(RAIN, terms)).map(({ term }) => term),
      ['Z', 'a', 'z', 'é', '\uff5e', '\u{1d51e}'],
    )
  })

  test('blocks come by their numbers in the order asked for, each kind by itself, and a body of null removes one', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const state = recallState(1)
    const long = 'y'.repeat(16_000)
    must(
      await log.recall.write(RAIN, { state, blocks: [block(0, 'a'), block(1, long), block(2, 'c'), block(1, 'v', 'vectors')] }),
    )
    must(await log.recall.write(SUN, { state, blocks: [block(5, 'of the sun')] }))
    const found = async (...numbers: readonly number[]) => plain(must(await log.recall.blocks(RAIN, 'messages', numbers)))
    assert.deepEqual(await found(2, 5, 0, 1), plain([block(2, 'c'), block(0, 'a'), block(1, long)]))
    must(
      await log.recall.write(RAIN, {
        state,
        blocks: [{ ...block(1, ''), body: null }, { ...block(9, ''), body: null }, block(2, 'C')],
      }),
    )
    assert.deepEqual(await found(0, 1, 2), plain([block(0, 'a'), block(2, 'C')]))
    assert.deepEqual(plain(must(await log.recall.blocks(RAIN, 'vectors', [1]))), plain([block(1, 'v', 'vectors')]))
    assert.deepEqual(must(await log.recall.blocks(RAIN, 'replaced', [1])), [])
  })

  test('the bytes that are kept are those of the moment of writing, also where they are part of a larger piece', async t => {
    const { log } = await opened(t, RAIN)
    const piece = bytes('before-inside-after')
    const body = piece.subarray(7, 13)
    const written = log.recall.write(RAIN, {
      state: recallState(1),
      postings: [{ ...posting('drop', 0, ''), body }],
      blocks: [{ ...block(0, ''), body }],
    })
    piece.fill(0)
    must(await written)
    const rows = async () => [
      ...must(await log.recall.postings(RAIN, ['drop'])),
      ...must(await log.recall.blocks(RAIN, 'messages', [0])),
    ]
    for (const row of await rows()) row.body.fill(1)
    assert.deepEqual(
      (await rows()).map(row => Buffer.from(row.body).toString()),
      ['inside', 'inside'],
    )
  })

  test('a write is all or nothing', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.recall.write(RAIN, { state: recallState(1), postings: [posting('drop', 0, 'a')], blocks: [block(0, 'a')] }))
    const before = await indexOf(log, RAIN)
    const postings = [posting('drop', 0, 'b'), posting('cloud', 0, 'b')]
    const blocks = [{ ...block(0, ''), body: null }, block(1, 'b')]
    const state = recallState(2)
    for (const bad of [
      { state, postings, blocks: [...blocks, { ...block(2, ''), body: 'no bytes' as never }] },
      { state, postings: [...postings, { ...posting('end', 0, ''), count: Number.NaN }], blocks },
      { state, postings: [...postings, { ...posting('end', 0, ''), segment: 1.5 }], blocks },
      { state: { ...state, indexedThrough: {} as number }, postings, blocks },
    ]) {
      await assert.rejects(log.recall.write(RAIN, bad))
      assert.deepEqual(await indexOf(log, RAIN), before)
    }
    assert.deepEqual(must(await log.recall.size()), { sessions: 1, messages: 1, bytes: 'drop'.length + 2 })
  })

  test('a session that is not there has no index, gets none, and one that comes under its id begins without', async t => {
    const { log } = await opened(t, RAIN)
    const change = { state: recallState(1), postings: [posting('drop', 0, 'a')], blocks: [block(0, 'a')] }
    must(await log.append(RAIN, [heard('a')]))
    must(await log.recall.write(RAIN, change))
    must(await log.remove(RAIN))
    for (const asked of [
      log.recall.state(RAIN),
      log.recall.postings(RAIN, ['drop']),
      log.recall.blocks(RAIN, 'messages', [0]),
      log.recall.write(RAIN, change),
      log.recall.clear(RAIN),
    ])
      faultOf(await asked, 'not-found')
    assert.deepEqual(await behind(log), [])
    assert.deepEqual(must(await log.recall.size()), { sessions: 0, messages: 0, bytes: 0 })
    must(await log.open(sessionOf(RAIN)))
    assert.deepEqual(await indexOf(log, RAIN), NOTHING)
    must(await log.append(RAIN, [heard('b')]))
    assert.deepEqual(await behind(log), [RAIN])
  })

  test('a session that is removed while it is indexed keeps nothing of it', async t => {
    const { log } = await opened(t, RAIN)
    const change = { state: recallState(1), postings: [posting('drop', 0, 'a')], blocks: [block(0, 'a')] }
    const [, , , removed] = await Promise.all([
      ...[1, 2, 3].map(() => log.recall.write(RAIN, change)),
      log.remove(RAIN),
      ...[1, 2, 3].map(() => log.recall.write(RAIN, change)),
    ])
    must(removed as never)
    faultOf(await log.recall.write(RAIN, change), 'not-found')
    assert.deepEqual(must(await log.recall.size()), { sessions: 0, messages: 0, bytes: 0 })
  })

  test('what is cleared is gone at once, can be indexed anew at once, and the others keep theirs', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const change = { state: recallState(1), postings: [posting('drop', 0, 'a')], blocks: [block(0, 'a')] }
    for (const id of [RAIN, SUN]) {
      must(await log.append(id, [heard('a')]))
      must(await log.recall.write(id, change))
    }
    const whole = await indexOf(log, SUN)
    assert.deepEqual(await behind(log), [])
    must(await log.recall.clear(RAIN))
    assert.deepEqual(await indexOf(log, RAIN), NOTHING)
    assert.deepEqual(await behind(log), [RAIN])
    assert.deepEqual(must(await log.recall.size()), { sessions: 1, messages: 1, bytes: 'drop'.length + 2 })
    must(await log.recall.write(RAIN, { state: recallState(1), blocks: [block(1, 'anew')] }))
    assert.deepEqual(await indexOf(log, RAIN), [recallState(1), [], plain([block(1, 'anew')])])
    must(await log.recall.clear(RAIN))
    must(await log.recall.clear(RAIN))
    assert.deepEqual(await indexOf(log, RAIN), NOTHING)
    assert.deepEqual(await indexOf(log, SUN), whole)
    must(await log.read(RAIN))
  })

  test('a session is behind while it has events that were not looked at, the last used first', async t => {
    const { log } = await opened(t, RAIN, SUN, COPY)
    assert.deepEqual(await behind(log), [], 'where nothing was said there is nothing to index')
    for (const id of [RAIN, SUN, COPY]) must(await log.append(id, [heard('a')]))
    assert.deepEqual(await behind(log), [COPY, SUN, RAIN])
    assert.deepEqual(await behind(log, MADE, 2), [COPY, SUN])
    must(await log.append(RAIN, [heard('b')]))
    assert.deepEqual(await behind(log), [RAIN, COPY, SUN])
    must(await log.recall.write(RAIN, { state: recallState(1) }))
    assert.deepEqual(await behind(log), [RAIN, COPY, SUN], 'one of two was looked at')
    must(await log.recall.write(RAIN, { state: recallState(2) }))
    assert.deepEqual(await behind(log), [COPY, SUN])
    must(await log.append(RAIN, [heard('c')]))
    assert.deepEqual(await behind(log), [RAIN, COPY, SUN])
    must(await log.remove(COPY))
    assert.deepEqual(await behind(log, MADE, 1), [RAIN])
    assert.deepEqual(await behind(log), [RAIN, SUN])
  })

  test('a session is behind if its rows are of another version or of other vectors, each once', async t => {
    const moon = session('moon')
    const { log } = await opened(t, RAIN, SUN, COPY, moon)
    const made = [MADE, { version: 1, vectors: 'sha256:v' }, { version: 2, vectors: null }]
    for (const [index, id] of [RAIN, SUN, COPY].entries()) {
      must(await log.append(id, [heard('a')]))
      must(await log.recall.write(id, { state: recallState(1, made[index]) }))
    }
    assert.deepEqual(await behind(log, MADE), [COPY, SUN])
    assert.deepEqual(await behind(log, { version: 1, vectors: 'sha256:v' }), [COPY, RAIN])
    assert.deepEqual(await behind(log, { version: 1, vectors: 'sha256:w' }), [COPY, SUN, RAIN])
    assert.deepEqual(await behind(log, { version: 2, vectors: null }), [SUN, RAIN])
    assert.deepEqual(await behind(log, { version: 3, vectors: null }), [COPY, SUN, RAIN])
    assert.deepEqual(await behind(log, { version: 3, vectors: null }, 2), [COPY, SUN])
    must(await log.append(RAIN, [heard('b')]))
    must(await log.append(moon, [heard('b')]))
    assert.deepEqual(await behind(log, { version: 3, vectors: null }), [moon, RAIN, COPY, SUN])
    assert.deepEqual(await behind(log, { version: 3, vectors: null }, 3), [moon, RAIN, COPY])
    must(await log.recall.write(RAIN, { state: recallState(2, { version: 3 }) }))
    assert.deepEqual(await behind(log, { version: 3, vectors: null }), [moon, COPY, SUN])
  })

  test('a fork has no index and is behind, and that of its parent stays', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('a'), heard('b')]))
    must(await log.recall.write(RAIN, { state: recallState(2), postings: [posting('drop', 0, 'a')], blocks: [block(0, 'a')] }))
    const whole = await indexOf(log, RAIN)
    must(await log.fork(RAIN, 1, sessionOf(COPY, { parent: { session: RAIN, at: 1 }, family: RAIN }), () => []))
    assert.deepEqual(await behind(log), [COPY])
    assert.deepEqual(await indexOf(log, COPY), NOTHING)
    must(await log.recall.write(COPY, { state: recallState(1), postings: [posting('drop', 0, 'of the fork')] }))
    must(await log.remove(COPY))
    assert.deepEqual(await indexOf(log, RAIN), whole)
    assert.deepEqual(await behind(log), [])
  })

  test('sessions of an import are behind once it is published, and those of an abandoned one never', async t => {
    const { log } = await open(t, ticking())
    const [first, second] = [must(await log.startImport()), must(await log.startImport())]
    must(await first.add(pieceOf(RAIN, exchange(1, T1, 'Rain?', 'Yes.'))))
    must(await second.add(pieceOf(SUN, [heard('a'), started(T1, 1), ended(T1)])))
    // Enough to be written down before it is published.
    must(
      await second.add(
        pieceOf(
          COPY,
          Array.from({ length: 600 }, (_, index) => heard(`drop ${index}`)),
        ),
      ),
    )
    assert.deepEqual(await behind(log), [])
    faultOf(await log.recall.write(RAIN, { state: recallState(1) }), 'not-found')
    must(await first.publish(() => []))
    assert.deepEqual(await behind(log), [RAIN])
    await second.abandon()
    assert.deepEqual(await behind(log), [RAIN])
    must(await log.recall.write(RAIN, { state: recallState(5) }))
    assert.deepEqual(await behind(log), [])
  })

  test('the size is that of all terms and bodies', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const size = async () => must(await log.recall.size())
    assert.deepEqual(await size(), { sessions: 0, messages: 0, bytes: 0 })
    const blocks = [block(0, '123'), block(0, '45', 'terms')]
    must(
      await log.recall.write(RAIN, { state: recallState(3), postings: [posting('雨', 0, 'ab'), posting('雨', 1, 'c')], blocks }),
    )
    must(await log.recall.write(SUN, { state: recallState(4), postings: [posting('sun', 0, 'ab')] }))
    assert.deepEqual(await size(), { sessions: 2, messages: 7, bytes: 6 + 3 + 5 + 5 })
    must(await log.recall.write(RAIN, { state: recallState(3), postings: [posting('雨', 0, '')] }))
    assert.deepEqual(await size(), { sessions: 2, messages: 7, bytes: 6 + 1 + 5 + 5 })
    must(await log.remove(RAIN))
    assert.deepEqual(await size(), { sessions: 1, messages: 4, bytes: 5 })
  })

  test('an index survives a restart', async t => {
    const store = await opened(t, RAIN, SUN)
    if (typeof store.restarted !== 'function') return t.skip(store.restarted.never)
    for (const id of [RAIN, SUN]) must(await store.log.append(id, [heard('a')]))
    const state = recallState(1, { vectors: 'sha256:v', encoder: { model: 'minilm', through: 1 } })
    must(await store.log.recall.write(RAIN, { state, postings: [posting('drop', 0, 'a')], blocks: [block(1, 'a')] }))
    const before = await indexOf(store.log, RAIN)
    const log = await store.restarted()
    assert.deepEqual(await indexOf(log, RAIN), before)
    assert.deepEqual(await behind(log, state), [SUN])
  })

  test('many sessions are asked at once: each has its own part, and one that is gone has none', async t => {
    const { log } = await opened(t, RAIN, SUN, COPY)
    const gone = session('gone')
    must(
      await log.recall.write(RAIN, {
        ...{ state: recallState(4), blocks: [block(0, 'rain 0'), block(1, 'rain 1'), block(0, 'v', 'vectors')] },
        postings: [posting('drop', 1, 'later'), posting('drop', 0, 'first'), posting('ſturm雨', 0, '')],
      }),
    )
    must(
      await log.recall.write(SUN, { state: recallState(2), postings: [posting('drop', 0, 'sun')], blocks: [block(1, 'sun 1')] }),
    )
    const states = must(await log.recall.states([SUN, gone, COPY, RAIN]))
    assert.deepEqual(
      new Map(states),
      new Map([
        [SUN, recallState(2)],
        [RAIN, recallState(4)],
      ]),
    )
    const rows = rowsInColumns(must(await log.recall.allPostings([gone, SUN, COPY, RAIN])))
    const written = ({ session: of, term, segment, count, body }: PostingInColumns): string =>
      `${of} ${term} ${segment} ${count} ${Buffer.from(body)}`
    assert.deepEqual(rows.filter(({ term }) => term === 'drop').map(written), [
      '1 drop 0 3 sun',
      '3 drop 0 5 first',
      '3 drop 1 5 later',
    ])
    assert.deepEqual(rows.filter(({ term }) => term !== 'drop').map(written), ['3 ſturm雨 0 0 '])
    const blocks = must(
      await log.recall.blocksOf('messages', [
        { id: RAIN, numbers: [1, 7] },
        { id: gone, numbers: [0] },
        { id: SUN, numbers: [0, 1] },
        { id: RAIN, numbers: [0] },
        { id: COPY, numbers: [0] },
      ]),
    )
    assert.deepEqual(blocks.map(plain), [[block(1, 'rain 1')], [], [block(1, 'sun 1')], [block(0, 'rain 0')], []].map(plain))
    assert.deepEqual(must(await log.recall.blocksOf('vectors', [])), [])
    must(await log.remove(RAIN))
    assert.deepEqual([...must(await log.recall.states([RAIN, SUN])).keys()], [SUN])
    assert.deepEqual(rowsInColumns(must(await log.recall.allPostings([RAIN, SUN]))).map(written), ['1 drop 0 3 sun'])
    assert.deepEqual(must(await log.recall.blocksOf('messages', [{ id: RAIN, numbers: [0] }])), [[]])
  })

  test('what people excluded is known of many sessions, by the last mark of each message', async t => {
    const { log } = await opened(t, RAIN, SUN, COPY)
    const marked = (target: number, mark: 'pin' | 'exclude' | 'removed' | null): Fact => ({
      type: 'message.marked',
      target,
      mark,
    })
    must(await log.append(RAIN, [heard('a'), heard('b'), heard('c'), heard('d')]))
    must(
      await log.append(RAIN, [
        marked(1, 'exclude'),
        marked(2, 'exclude'),
        marked(3, 'removed'),
        marked(2, null),
        marked(4, 'pin'),
      ]),
    )
    must(await log.append(SUN, [heard('a'), marked(1, 'exclude'), marked(1, 'pin')]))
    const excluded = must(await log.recall.excluded([SUN, session('gone'), COPY, RAIN]))
    assert.deepEqual([...excluded], [[RAIN, [1, 3]]])
    must(await log.append(SUN, [marked(1, 'exclude')]))
    assert.deepEqual(must(await log.recall.excluded([SUN])), new Map([[SUN, [1]]]))
  })

  test('events are read by their seqs, in order, together with every other bound', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [...exchange(1, T1, 'a', 'b'), ...exchange(6, turn('2'), 'c', 'd')]))
    must(await log.append(SUN, [heard('of the sun')]))
    const all = must(await log.read(RAIN))
    const seqs = async (range: ReadRange): Promise<readonly number[]> => seqsOf(must(await log.read(RAIN, range)))
    assert.deepEqual(
      must(await log.read(RAIN, { seqs: [9, 1, 6, 1] })),
      [1, 6, 9].map(seq => all[seq - 1]),
    )
    assert.deepEqual(await seqs({ seqs: [] }), [])
    assert.deepEqual(await seqs({ seqs: [0, -1, 3, 11, 2.5, Number.NaN] }), [3])
    assert.deepEqual(await seqs({ seqs: [1, 6, 9], through: 6 }), [1, 6])
    assert.deepEqual(await seqs({ seqs: [1, 6, 9], after: 1, through: 8 }), [6])
    assert.deepEqual(await seqs({ seqs: [9, 6, 1], limit: 2 }), [1, 6])
    assert.deepEqual(await seqs({ seqs: [1, 6, 9], limit: 2, newest: true }), [6, 9])
    assert.deepEqual(await seqs({ seqs: [1, 2, 7, 9], only: 'turn.started' }), [2, 7])
    assert.deepEqual(await seqs({ seqs: [1, 2, 7, 9], turn: T1 }), [2])
    assert.deepEqual(await seqs({ seqs: [1, 6, 9], size: 1 }), [1])
    faultOf(await log.read(session('nobody'), { seqs: [1] }), 'not-found')
  })

  test('long events are read by their seqs in pages, and none is left out', async t => {
    const { log } = await opened(t, RAIN)
    const long = 'z'.repeat(400_000)
    must(
      await log.append(
        RAIN,
        Array.from({ length: 12 }, () => heard(long)),
      ),
    )
    const odd = [1, 3, 5, 7, 9, 11]
    assert.deepEqual(seqsOf(must(await log.read(RAIN, { seqs: odd }))), odd)
    assert.deepEqual(seqsOf(must(await log.read(RAIN, { seqs: odd, newest: true, limit: 5 }))), odd.slice(1))
  })
}
