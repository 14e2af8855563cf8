// Open turns and unanswered messages are found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ended, exchange, heard, must, planned, session, started, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')
const T2 = turn('2')

onEveryStore('OpenWork', (_, opened) => {
  test('turns without an end are known, in any session', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [...exchange(1, T1, 'a', 'b'), heard('c'), started(T2, 6)]))
    must(await log.append(SUN, [heard('d'), started(turn('3'), 1)]))
    const open = [...must(await log.openTurns())].sort((a, b) => (a.session < b.session ? -1 : 1))
    assert.deepEqual(open, [
      { session: RAIN, turn: T2, voice: 'assistant', started: 7 },
      { session: SUN, turn: turn('3'), voice: 'assistant', started: 2 },
    ])
    must(await log.append(RAIN, [ended(T2, 'failed')]))
    must(await log.remove(SUN))
    assert.deepEqual(must(await log.openTurns()), [])
  })

  test('a session waits while nobody has heard its last message', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [heard('a')]))
    assert.deepEqual(must(await log.waiting()), [RAIN])
    must(await log.append(RAIN, [started(T1, 1)]))
    assert.deepEqual(must(await log.waiting()), [])
    must(await log.append(RAIN, [heard('b')]))
    assert.deepEqual(must(await log.waiting()), [RAIN])
    must(await log.append(RAIN, [planned(T1, 3)]))
    assert.deepEqual(must(await log.waiting()), [])
  })
})
