import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sessionGroups } from '../../../web/src/sidebar/groups.ts'
import { createCell } from '../../../web/src/store/cell.ts'
import type { Store } from '../../../web/src/store/store.ts'
import { createUndo, TELL_MS, type Toast, UNDO_MS } from '../../../web/src/store/undo.ts'
import { chat, DOWN, mapLocalStore, session, world } from '../world.ts'

/** A clock that is moved by hand, and what has happened. */
function undoing() {
  const cell = createCell<{ readonly toasts: readonly Toast[] }>({ toasts: [] })
  let now = 0
  let waiting: { readonly at: number; readonly call: () => void }[] = []
  const undo = createUndo(cell, (ms, call) => {
    const timer = { at: now + ms, call }
    waiting.push(timer)
    return () => {
      waiting = waiting.filter(other => other !== timer)
    }
  })
  const pass = (ms: number): void => {
    now += ms
    for (const { at, call } of [...waiting]) if (at <= now) call()
    waiting = waiting.filter(({ at }) => at > now)
  }
  const happened: string[] = []
  const offer = (text: string): void =>
    undo.offer({ text, undo: () => happened.push(`undone ${text}`), settle: () => happened.push(`settled ${text}`) })
  const texts = (): string[] => cell.get().toasts.map(({ text }) => text)
  return { undo, offer, pass, happened, texts, first: () => cell.get().toasts[0]?.id ?? 0 }
}

test('what nobody takes back is settled once, when its time is over', () => {
  const { offer, pass, happened, texts } = undoing()
  offer('a')
  pass(UNDO_MS - 1)
  assert.deepEqual(happened, [])
  pass(1)
  pass(UNDO_MS)
  assert.deepEqual(happened, ['settled a'])
  assert.deepEqual(texts(), [])
})

test('what is taken back is never settled; the last comes first, or the one that is meant', () => {
  const { undo, offer, pass, happened, first } = undoing()
  for (const text of ['a', 'b', 'c']) offer(text)
  undo.undo()
  undo.undo(first())
  pass(UNDO_MS)
  undo.undo()
  assert.deepEqual(happened, ['undone c', 'undone a', 'settled b'])
})

test('something only told has no way back, and goes sooner', () => {
  const { undo, offer, pass, happened, texts } = undoing()
  offer('a')
  undo.offer({ text: 'Link copied' })
  undo.undo()
  assert.deepEqual(happened, ['undone a'])
  pass(TELL_MS)
  assert.deepEqual(texts(), [])
})

test('nothing goes while somebody looks at it; afterwards there is the whole time again', () => {
  const { undo, offer, pass, happened } = undoing()
  offer('a')
  undo.hold(true)
  offer('b')
  pass(UNDO_MS * 3)
  assert.deepEqual(happened, [])
  undo.hold(false)
  pass(UNDO_MS - 1)
  assert.deepEqual(happened, [])
  pass(1)
  assert.deepEqual(happened, ['settled a', 'settled b'])
  undo.hold(true)
  offer('c')
  undo.undo()
  offer('d')
  pass(UNDO_MS)
  assert.deepEqual(happened.slice(2), ['undone c', 'settled d'])
})

test('whoever leaves the page settles everything, and dismissing settles too', () => {
  const { undo, offer, happened, first } = undoing()
  for (const text of ['a', 'b', 'c']) offer(text)
  undo.dismiss(first())
  undo.flush()
  undo.flush()
  assert.deepEqual(happened, ['settled a', 'settled b', 'settled c'])
})

const FIRST = session('ses_1', { title: 'Birds' })
const FORK = session('ses_2', { title: 'Birds', family: FIRST.id })
const OTHER = session('ses_3', { title: 'Bees' })
const FAMILY = { ok: true, value: { items: [FORK, FIRST], next: null } } as const

const stores: Store[] = []
// What still waits would keep the process waiting.
afterEach(() => {
  for (const store of stores.splice(0)) store.undo.flush()
})

/** A world whose list has a family of two and somebody else. */
async function tended(localStore = mapLocalStore()) {
  const made = world(localStore)
  made.answers.set('list', () => ({ ok: true, value: { items: [FORK, FIRST, OTHER], next: null } }))
  made.answers.set('family', () => FAMILY)
  await made.store.begin()
  stores.push(made.store)
  return { ...made, asked: (name: string) => made.calls.filter(([called]) => called === name).map(([, ...args]) => args) }
}
const rows = (store: Store): string[] => sessionGroups(store.get(), new Date()).flatMap(({ items }) => items.map(({ id }) => id))
/** Until everything that was asked is answered. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('a deleted conversation vanishes at once, and is deleted with all its forks when that cannot be undone any more', async () => {
  const { store, asked, addresses } = await tended()
  store.visit(chat('ses_2'))
  store.write('a draft')
  store.remove(FORK)
  assert.deepEqual(rows(store), ['ses_3'])
  assert.deepEqual(addresses, [null])
  await settled()
  assert.deepEqual(asked('remove'), [])
  assert.deepEqual(
    store.get().toasts.map(({ text }) => text),
    ['Deleted “Birds”'],
  )
  store.undo.flush()
  await settled()
  assert.deepEqual(
    asked('remove').map(([id]) => id),
    ['ses_2', 'ses_1'],
  )
  assert.deepEqual(store.get().gone, [])
  assert.deepEqual(rows(store), ['ses_3'])
  store.visit(chat('ses_2'))
  assert.equal(store.get().draft, '')
})

test('undone, it stands where it was, and whoever was in it is in it again', async () => {
  const { store, asked, addresses } = await tended()
  store.visit(chat('ses_1'))
  await settled()
  store.remove(FORK)
  store.undo.undo()
  store.undo.flush()
  await settled()
  assert.deepEqual(asked('remove'), [])
  assert.deepEqual(rows(store), ['ses_2', 'ses_3'])
  assert.deepEqual(addresses, [null, 'ses_1'])
})

test('what could not be deleted comes back, and why is told', async () => {
  const { store, answers } = await tended()
  answers.set('remove', () => ({ ok: false, problem: DOWN }))
  store.remove(FORK)
  store.undo.flush()
  await settled()
  assert.deepEqual(rows(store), ['ses_2', 'ses_3'])
  assert.equal(store.get().problem, DOWN)
})

test('archiving, renaming and moving happen to the whole family, and archiving can be taken back', async () => {
  const { store, asked } = await tended()
  await store.archive(FORK, true)
  assert.deepEqual(rows(store), ['ses_3'])
  assert.deepEqual(asked('change'), [
    ['ses_2', { archived: true }],
    ['ses_1', { archived: true }],
  ])
  store.undo.undo()
  await settled()
  assert.deepEqual(asked('change').slice(2), [
    ['ses_2', { archived: false }],
    ['ses_1', { archived: false }],
  ])
  assert.deepEqual(rows(store), ['ses_2', 'ses_3'])
  await store.rename(FORK, '')
  await store.move(FORK, 'garden')
  assert.deepEqual(
    asked('change')
      .slice(4)
      .map(([id, changes]) => [id, changes]),
    [
      ['ses_2', { title: null }],
      ['ses_1', { title: null }],
      ['ses_2', { project: 'garden' }],
      ['ses_1', { project: 'garden' }],
    ],
  )
})

test('a refused change is told, and what was put away stays in the list', async () => {
  const { store, answers } = await tended()
  answers.set('change', () => ({ ok: false, problem: DOWN }))
  await store.archive(FORK, true)
  assert.deepEqual(rows(store), ['ses_2', 'ses_3'])
  assert.deepEqual(store.get().toasts, [])
  assert.equal(store.get().problem, DOWN)
})

test('pins outlive a reload, and one whose conversation is gone is forgotten', async () => {
  const localStore = mapLocalStore()
  const { store } = await tended(localStore)
  store.pin(OTHER.family, true)
  store.pin(FIRST.family, true)
  const again = world(localStore)
  again.answers.set('family', id => ({ ok: true, value: { items: id === 'ses_1' ? [FORK, FIRST] : [], next: null } }))
  await again.store.begin()
  assert.deepEqual(again.store.get().pins, ['ses_1'])
  assert.deepEqual(rows(again.store), ['ses_2'])
  localStore.write('pins', '{not json')
  assert.deepEqual(world(localStore).store.get().pins, [])
})

test('the list is that of a project or of the archive, and a kept project that is gone is left', async () => {
  const localStore = mapLocalStore()
  const { store, asked, answers } = await tended(localStore)
  answers.set('projects', () => ({ ok: true, value: { items: [{ name: 'garden' }] } }))
  store.enter('garden')
  await settled()
  assert.deepEqual(asked('list').at(-1), [{ query: '', cursor: null, archived: false, project: 'garden' }])
  store.showArchived(true)
  await settled()
  assert.deepEqual(asked('list').at(-1), [{ query: '', cursor: null, archived: true, project: 'garden' }])
  const again = world(localStore)
  assert.equal(again.store.get().project, 'garden')
  await again.store.begin()
  assert.equal(again.store.get().project, null)
})
