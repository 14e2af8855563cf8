// Texts are kept once under their hash, as long as a session uses them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heard, must, session } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const SUN = session('sun')

onEveryStore('Texts', (_, opened) => {
  test('texts are kept once under their hash', async t => {
    const { log } = await opened(t, RAIN, SUN)
    must(
      await log.append(RAIN, [heard('a')], {
        texts: [
          { hash: 'h1', text: 'Be brief.' },
          { hash: 'h2', text: '[]' },
        ],
      }),
    )
    must(await log.append(SUN, [heard('b')], { texts: [{ hash: 'h1', text: 'Be brief.' }] }))
    assert.deepEqual(
      must(await log.texts(['h1', 'h2', 'unknown'])),
      new Map([
        ['h1', 'Be brief.'],
        ['h2', '[]'],
      ]),
    )
    assert.deepEqual(must(await log.texts([])), new Map())
  })

  test('a text goes with the last session that used it', async t => {
    const { log } = await opened(t, RAIN, SUN)
    const [shared, own] = [
      { hash: 'h1', text: 'shared' },
      { hash: 'h2', text: 'own' },
    ]
    must(await log.append(RAIN, [heard('a')], { texts: [shared, own] }))
    must(await log.append(SUN, [heard('b')], { texts: [shared] }))
    must(await log.remove(RAIN))
    assert.deepEqual([...must(await log.texts(['h1', 'h2']))], [['h1', 'shared']])
    must(await log.remove(SUN))
    assert.deepEqual([...must(await log.texts(['h1', 'h2']))], [])
  })
})
