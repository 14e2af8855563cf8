// Sessions are listed by last use and found by their words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SessionId } from '../../../src/model/ids.ts'
import { tries } from '../../support/tries.ts'
import { faultOf, finished, heard, must, session, sessionOf, started, text, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')

onEveryStore('SessionSearch', (_, opened) => {
  test('sessions are listed by last use, page by page, each exactly once', async t => {
    const { log } = await opened(t)
    const ids = Array.from({ length: 11 }, (_, index) => session(`list${String(index).padStart(2, '0')}`))
    const later = new Date(Date.UTC(2026, 0, 2)).toISOString()
    for (const [index, id] of ids.entries()) {
      // Three of one moment, so that a page may end between equals.
      must(
        await log.open(sessionOf(id, { project: index % 2 === 0 ? 'even' : null, ...(index > 7 ? { updatedAt: later } : {}) })),
      )
    }
    const used = ids[4] as SessionId
    for (const id of ids.slice(0, 8)) if (id !== used) must(await log.append(id, [heard('hello')]))
    must(await log.append(used, [heard('newest of the older ones')]))
    const expected = [
      ...ids.slice(8),
      used,
      ...ids
        .slice(0, 8)
        .reverse()
        .filter(id => id !== used),
    ]
    const paged = async (limit: number, project?: string): Promise<SessionId[]> => {
      const seen: SessionId[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { limit, ...(cursor === undefined ? {} : { cursor }), ...(project === undefined ? {} : { project }) }
        const page = must(await log.sessions(query))
        assert.ok(page.items.length <= limit)
        seen.push(...page.items.map(item => item.id))
        cursor = page.next
      }
      return seen
    }
    for (const limit of [1, 2, 3, 5, 10, 11, 50]) assert.deepEqual(await paged(limit), expected, `pages of ${limit}`)
    assert.deepEqual(
      await paged(2, 'even'),
      expected.filter(id => ids.indexOf(id) % 2 === 0),
    )
    assert.deepEqual(await paged(2, 'nobody’s'), [])
    for (const cursor of ['', 'x', '2026_ses_1', "9999-01-01T00:00:00.000Z_ses_'"])
      faultOf(await log.sessions({ limit: 1, cursor }), 'invalid')
  })

  test('a search finds words of titles and messages, the last word by its beginning', async t => {
    const { log } = await opened(t)
    const [title, message, answer, both] = ['title', 'message', 'answer', 'both'].map(session) as [
      SessionId,
      SessionId,
      SessionId,
      SessionId,
    ]
    must(await log.open(sessionOf(title, { title: 'Umbrellas of Bergen, Élan' })))
    for (const id of [message, answer, both]) must(await log.open(sessionOf(id, { project: id === both ? 'p' : null })))
    must(await log.append(title, [heard('nothing of interest')]))
    must(
      await log.append(message, [
        heard('Will it rain in Bergen tomorrow?'),
        started(T1, 1),
        finished(T1, 1, { type: 'think', text: 'secret musings' }),
      ]),
    )
    must(await log.append(answer, [heard('x'), started(T1, 1), finished(T1, 1, text('Raincoats are sold in Oslo.'))]))
    must(await log.append(both, [heard('rain'), heard('rain again'), heard('snow')]))
    const find = async (query: string, project?: string) => {
      const { items, next } = must(await log.sessions({ query, limit: 10, ...(project === undefined ? {} : { project }) }))
      assert.equal(next, null)
      return items
    }
    const ids = async (query: string, project?: string) => (await find(query, project)).map(item => item.id).sort()
    assert.deepEqual(await ids('rain'), [answer, both, message].sort())
    assert.deepEqual(await ids('rain', 'p'), [both])
    assert.deepEqual(await ids('RAIN bergen'), [message])
    assert.deepEqual(await ids('bergen rain'), [message], 'in any order')
    assert.deepEqual(await ids('umbr'), [title])
    assert.deepEqual(await ids('umbr bergen'), [], 'only the last word may be unfinished')
    assert.deepEqual(await ids('bergen umbr'), [title])
    assert.deepEqual(await ids('"Umbrellas", Bergen!'), [title])
    assert.deepEqual(await ids('élan'), [title], 'capitals beyond ASCII')
    assert.deepEqual(await ids('brellas'), [], 'words begin at their beginning')
    assert.deepEqual(await ids('bergen'), [message, title].sort())
    assert.deepEqual(await ids('musings'), [], 'thinking is nobody’s message')
    assert.deepEqual(await ids('oslo tomorrow'), [], 'not in one message')
    const [hit] = await find('rain', 'p')
    assert.equal(hit?.seq, 2, 'the newest place')
    assert.equal(hit?.snippet, 'rain again')
    assert.deepEqual(await ids(''), [])
  })

  test('nothing in a search is syntax', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [heard('either this or that, near the sea, and not 100% "quoted" text: column')]))
    must(await log.append(SUN, [heard('plain')]))
    const ids = async (query: string) => must(await log.sessions({ query, limit: 10 })).items.map(item => item.id)
    for (const query of ['"', '*', '%', '_', '^', '()', '{', '-', '\\', "'", ';', '\u0000', '\ud800', ' ', '::', '+']) {
      assert.deepEqual(await ids(query), [], query)
    }
    for (const query of [
      '"quoted',
      'this OR',
      'text: column',
      'NEAR(sea',
      'NOT',
      '{text}: column',
      '^either',
      '"this" OR "tha*',
      '-text',
    ]) {
      assert.deepEqual(await ids(query), [RAIN], query)
    }
    for (const query of [
      'plain OR this',
      'plain NOT this',
      'this AND plain',
      "' or 1=1 --",
      'words MATCH *',
      'NEAR(plain this, 5)',
    ]) {
      assert.deepEqual(await ids(query), [], query)
    }
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.mixedCase(fc.constantFrom('near(', 'or*', 'not "'))),
        async query => {
          must(await log.sessions({ query, limit: 10 }))
        },
      ),
      tries(60),
    )
  })

  test('a busy session does not hide the others from a search', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [heard('drizzle here')]))
    must(
      await log.append(
        SUN,
        Array.from({ length: 1200 }, () => heard('drizzle there')),
      ),
    )
    const { items } = must(await log.sessions({ query: 'drizzle', limit: 10 }))
    assert.deepEqual(
      items.map(item => [item.id, item.seq]),
      [
        [SUN, 1200],
        [RAIN, 1],
      ],
    )
  })

  test('every word of a message of a megabyte is found, also between characters that are none', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const words = Array.from({ length: 70_000 }, (_, index) => `w${index.toString(36).padStart(16, '0')}`)
    const middle = words.length / 2
    const odd = [' \u0000', ' \ud800 ', '\udc00', '\u0000\u0000 ', ' ']
    const long = words
      .map((word, index) => `${word}${odd[index % odd.length]}${index === middle ? '\u0000heron\ud83d' : ''} `)
      .join('')
    assert.ok(Buffer.byteLength(long) > 1 << 20)
    must(await log.append(RAIN, [heard(`kingfisher ${long} cormorant`)]))
    must(await log.append(SUN, [heard('a kingfisher and a heron')]))
    const ids = async (query: string) => must(await log.sessions({ query, limit: 10 })).items.map(({ id }) => id)
    const [first = '', between = '', last = ''] = [words[0], words[middle - 1], words.at(-1)]
    for (const query of [first, between, last, 'cormo', `${last} kingfisher heron cormorant ${first}`, 'cormorant kingfi'])
      assert.deepEqual(await ids(query), [RAIN], query)
    assert.deepEqual(await ids('kingfisher heron'), [SUN, RAIN])
    assert.deepEqual(await ids(`${first} egret ${last}`), [], 'one word is missing')
    const [hit] = must(await log.sessions({ query: `heron ${last}`, limit: 10 })).items
    assert.deepEqual([hit?.seq, hit?.snippet?.includes('heron')], [1, true])
  })
})
