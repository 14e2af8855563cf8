import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localStoreIn } from '../../../web/src/wire/local-storage.ts'
import { started } from '../signals.ts'
import { chat, world } from '../world.ts'

const refused = (): Storage => {
  throw new Error('the browser does not allow it')
}

/** A storage without room for more than it has. */
function full(kept: Map<string, string>): Storage {
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    removeItem: (name: string) => void kept.delete(name),
    setItem: () => {
      throw new Error('no room')
    },
  }
  return storage as unknown as Storage
}

test('what a browser does not keep is kept as long as the page', () => {
  const localStore = localStoreIn(refused)
  localStore.write('draft', 'hello')
  assert.equal(localStore.read('draft'), 'hello')
  localStore.write('draft', null)
  assert.equal(localStore.read('draft'), null)
})

test('where there is no room, what is new counts and not what is old', () => {
  const kept = new Map([['turnwise.draft', 'old']])
  const localStore = localStoreIn(() => full(kept))
  assert.equal(localStore.read('draft'), 'old')
  localStore.write('draft', 'new')
  assert.equal(localStore.read('draft'), 'new')
  localStore.write('draft', null)
  assert.equal(localStore.read('draft'), null)
})

test('a queued message is not lost where nothing can be kept', async () => {
  const { store, followed } = world(localStoreIn(refused))
  store.visit(chat('ses_1'))
  followed[0]?.onSignals([started(1)])
  await new Promise(setImmediate)
  store.write('and then?')
  await store.queueUp()
  assert.deepEqual(
    store.get().queue.map(({ text }) => text),
    ['and then?'],
  )
})
