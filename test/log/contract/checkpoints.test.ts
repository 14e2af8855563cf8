// A checkpoint is kept while its reply runs, and not longer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STALE_FENCE } from '../../../src/log/append-rules.ts'
import type { Checkpoint } from '../../../src/log/ports.ts'
import { broken, ended, eventsOf, faultOf, finished, heard, must, session, started, text, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')
const T1 = turn('1')
const T2 = turn('2')

onEveryStore('Checkpoints', (_, opened) => {
  test('a checkpoint is what a running reply has said so far', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(await log.append(RAIN, [heard('a'), started(T1, 1)]))
    const said = (step: number, words: string): Checkpoint => ({ turn: T1, step, parts: [text(words)] })
    const now = async () => must(await log.checkpoints(RAIN))
    assert.deepEqual(await now(), [])
    must(await log.checkpoint(RAIN, said(1, 'Once')))
    must(await log.checkpoint(RAIN, said(1, 'Once upon')))
    assert.deepEqual(await now(), [said(1, 'Once upon')])
    const unheard = { ...said(1, 'Once upon a'), isUnheard: true } as const
    must(await log.checkpoint(RAIN, unheard))
    assert.deepEqual(await now(), [unheard])
    assert.deepEqual(must(await log.checkpoints(SUN)), [])
    assert.equal((await eventsOf(log, RAIN)).length, 2, 'it is not an event')
  })

  for (const [how, close] of [
    ['finished', finished(T1, 1, text('Once upon a time.'))],
    ['broken', broken(T1, 1, text('Once upon'))],
    ['of a turn that ended', ended(T1)],
  ] as const) {
    test(`the checkpoint of a reply that is ${how} is gone, and a late one does not bring it back`, async t => {
      const { log } = await opened(t, RAIN)
      must(await log.append(RAIN, [heard('a'), started(T1, 1)]))
      must(await log.checkpoint(RAIN, { turn: T1, step: 1, parts: [text('Once')] }))
      must(await log.append(RAIN, [close]))
      assert.deepEqual(must(await log.checkpoints(RAIN)), [])
      must(await log.checkpoint(RAIN, { turn: T1, step: 1, parts: [text('Once upon')] }))
      assert.deepEqual(must(await log.checkpoints(RAIN)), [])
    })
  }

  test('the checkpoint of a writer that has lost its lease is refused, and the one that is there stays', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('a'), started(T1, 1)], { fence: 2 }))
    const said = (words: string): Checkpoint => ({ turn: T1, step: 1, parts: [text(words)] })
    must(await log.checkpoint(RAIN, said('Once'), 2))
    must(await log.append(RAIN, [], { fence: 3 }))
    assert.deepEqual(faultOf(await log.checkpoint(RAIN, said('Once upon'), 2), 'conflict'), STALE_FENCE)
    assert.deepEqual(must(await log.checkpoints(RAIN)), [said('Once')])
    must(await log.checkpoint(RAIN, said('Once more'), 3))
    must(await log.checkpoint(RAIN, said('Once more, and'), 4))
    assert.deepEqual(must(await log.checkpoints(RAIN)), [said('Once more, and')])
  })

  test('the next step of a turn has checkpoints of its own, and another turn keeps its', async t => {
    const { log } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('a'), started(T1, 1), started(T2, 1)]))
    const other: Checkpoint = { turn: T2, step: 1, parts: [text('Elsewhere')] }
    must(await log.checkpoint(RAIN, other))
    must(await log.append(RAIN, [finished(T1, 1, text('First.'))]))
    const second: Checkpoint = { turn: T1, step: 2, parts: [text('Second')] }
    must(await log.checkpoint(RAIN, second))
    const kept = [...must(await log.checkpoints(RAIN))].sort((a, b) => (a.turn < b.turn ? -1 : 1))
    assert.deepEqual(kept, [second, other])
    must(await log.append(RAIN, [ended(T1), ended(T2)]))
    assert.deepEqual(must(await log.checkpoints(RAIN)), [])
  })
})
