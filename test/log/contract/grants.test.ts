// Grants are kept beside the log, and go with their session.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'

import type { Grant, Log } from '../../../src/log/ports.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { faultOf, heard, must, session, sessionOf, ticking } from '../facts.ts'
import { type OpenStore, onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const COPY = session('copy')

const grant = (of: SessionId | null, over: Partial<Grant> = {}): Grant => ({
  ...{ tool: 'write', binding: 'sha256:a', session: of },
  facts: { binary: { path: '/bin/write', sha256: 'aa' }, env: ['HOME'] },
  ...over,
})

/** What every store of grants promises. */
onEveryStore('Grants', open => {
  const opened = async (t: TestContext): Promise<OpenStore> => {
    const store = await open(t, ticking())
    for (const id of [RAIN, SUN]) must(await store.log.open(sessionOf(id)))
    return store
  }
  const has = async ({ grants }: Log, of: SessionId | null, binding = 'sha256:a', tool = 'write'): Promise<boolean> =>
    must(await grants.has(tool, binding, of))

  test('a grant of a session is for that session alone, one for good is for all, and each for one tool in one form', async t => {
    const { log } = await opened(t)
    assert.equal(await has(log, RAIN), false)
    must(await log.grants.add(grant(RAIN)))
    assert.deepEqual([await has(log, RAIN), await has(log, SUN), await has(log, null)], [true, false, false])
    assert.deepEqual([await has(log, RAIN, 'sha256:b'), await has(log, RAIN, 'sha256:a', 'read')], [false, false])
    must(await log.grants.add(grant(null, { binding: 'sha256:b' })))
    const everywhere = [RAIN, SUN, null].map(of => has(log, of, 'sha256:b'))
    assert.deepEqual(await Promise.all(everywhere), [true, true, true])
  })

  test('the same grant twice, also at once, is one; it is listed with what it is for, and can be taken back', async t => {
    const { log } = await opened(t)
    const added = await Promise.all([grant(RAIN), grant(RAIN)].map(log.grants.add))
    for (const each of [...added, await log.grants.add(grant(null))]) must(each)
    must(await log.grants.add(grant(RAIN)))
    const [first, second, ...rest] = must(await log.grants.list())
    assert.ok(first && second)
    assert.deepEqual(rest, [])
    assert.deepEqual(
      [first, second],
      [
        { ...grant(RAIN), id: first.id, at: first.at },
        { ...grant(null), id: second.id, at: second.at },
      ],
    )
    assert.match(first.at, /^2026-/)
    must(await log.grants.remove(second.id))
    assert.deepEqual([await has(log, RAIN), await has(log, SUN)], [true, false])
    faultOf(await log.grants.remove(second.id), 'not-found')
    faultOf(await log.grants.remove('nothing of ours'), 'not-found')
  })

  test('a session that is not there gets none, and those of one that is deleted go with it, also where its id comes again', async t => {
    const { log } = await opened(t)
    faultOf(await log.grants.add(grant(COPY)), 'not-found')
    must(await log.grants.add(grant(RAIN)))
    must(await log.grants.add(grant(SUN)))
    must(await log.remove(RAIN))
    assert.deepEqual(
      must(await log.grants.list()).map(({ session: of }) => of),
      [SUN],
    )
    must(await log.open(sessionOf(RAIN)))
    assert.equal(await has(log, RAIN), false)
  })

  test('a fork has none of its parent', async t => {
    const { log } = await opened(t)
    must(await log.append(RAIN, [heard('Rain?')]))
    must(await log.grants.add(grant(RAIN)))
    must(await log.fork(RAIN, 1, sessionOf(COPY, { parent: { session: RAIN, at: 1 }, family: RAIN }), () => []))
    assert.deepEqual([await has(log, RAIN), await has(log, COPY)], [true, false])
  })

  test('grants survive a restart', async t => {
    const store = await opened(t)
    if (typeof store.restarted !== 'function') return t.skip(store.restarted.never)
    must(await store.log.grants.add(grant(RAIN)))
    const before = must(await store.log.grants.list())
    const log = await store.restarted()
    assert.deepEqual(must(await log.grants.list()), before)
    assert.ok(await has(log, RAIN))
  })
})
