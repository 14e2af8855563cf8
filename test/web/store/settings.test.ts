import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSettings } from '../../../web/src/store/settings.ts'
import { mapKeep } from '../world.ts'

test('what was chosen is kept, what is usual is not, and nonsense counts as nothing', () => {
  const keep = mapKeep()
  keep.write('size', 'gigantic')
  const settings = createSettings(keep)
  assert.equal(settings.get().size, 'medium')
  settings.choose('size', 'large')
  assert.equal(keep.read('size'), 'large')
  assert.equal(createSettings(keep).get().size, 'large')
  settings.choose('size', 'medium')
  assert.equal(keep.read('size'), null)
})

test('another tab’s choice is heard, and the same again wakes nobody', () => {
  const keep = mapKeep()
  const settings = createSettings(keep)
  let heard = 0
  const stop = settings.watch(() => {
    heard += 1
  })
  settings.refresh()
  assert.equal(heard, 0)
  createSettings(keep).choose('theme', 'dark')
  settings.refresh()
  assert.equal(heard, 1)
  assert.equal(settings.get().theme, 'dark')
  stop()
  settings.choose('theme', 'light')
  assert.equal(heard, 1)
})
