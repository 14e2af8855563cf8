import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSettings } from '../../../web/src/store/settings.ts'
import { mapLocalStore } from '../world.ts'

test('what was chosen is kept, what is usual is not, and nonsense counts as nothing', () => {
  const localStore = mapLocalStore()
  localStore.write('size', 'gigantic')
  const settings = createSettings(localStore)
  assert.equal(settings.get().size, 'medium')
  settings.choose('size', 'large')
  assert.equal(localStore.read('size'), 'large')
  assert.equal(createSettings(localStore).get().size, 'large')
  settings.choose('size', 'medium')
  assert.equal(localStore.read('size'), null)
})

test('another tab’s choice is heard, and the same again wakes nobody', () => {
  const localStore = mapLocalStore()
  const settings = createSettings(localStore)
  let heard = 0
  const stop = settings.watch(() => {
    heard += 1
  })
  settings.refresh()
  assert.equal(heard, 0)
  createSettings(localStore).choose('theme', 'dark')
  settings.refresh()
  assert.equal(heard, 1)
  assert.equal(settings.get().theme, 'dark')
  stop()
  settings.choose('theme', 'light')
  assert.equal(heard, 1)
})
