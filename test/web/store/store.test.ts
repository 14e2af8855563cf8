import assert from 'node:assert/strict'
import { test } from 'node:test'
import { colorOf } from '../../../web/src/view/called.ts'
import type { ApiProblem } from '../../../web/src/wire/problem.ts'
import { delta, ended, event, finished, planned, said, started } from '../signals.ts'
import { chat, DOWN, mapLocalStore, session, world } from '../world.ts'

const named = (calls: readonly (readonly [string, ...unknown[]])[], name: string): unknown[][] =>
  calls.filter(([called]) => called === name).map(([, ...args]) => args)

test('a session is made with its first message, not before', async () => {
  const { store, calls, addresses } = world()
  store.visit(chat(null))
  store.write('hello  ')
  assert.deepEqual(calls, [])
  await store.send()
  assert.deepEqual(named(calls, 'say'), [['ses_new', { text: 'hello', key: 'key-1' }]])
  assert.deepEqual(addresses, ['ses_new'])
  const { session: current, draft, sending, view } = store.get()
  assert.deepEqual({ current, draft, sending }, { current: 'ses_new', draft: '', sending: [] })
  assert.deepEqual(view.entries, [], 'nothing is shown as said before the log has it')
})

test('a refused message stays written, and keeps its key even over a reload', async () => {
  const localStore = mapLocalStore()
  const first = world(localStore)
  first.answers.set('say', () => ({ ok: false, problem: DOWN }))
  first.store.visit(chat('ses_1'))
  first.store.write('hello')
  await first.store.send()
  assert.equal(first.store.get().draft, 'hello')
  assert.equal(first.store.get().problem, DOWN)

  const second = world(localStore)
  second.store.visit(chat('ses_1'))
  assert.equal(second.store.get().draft, 'hello')
  await second.store.send()
  assert.deepEqual(named(second.calls, 'say'), [['ses_1', { text: 'hello', key: 'key-1' }]])
})

test('another text is another message', async () => {
  const { store, calls, answers } = world()
  answers.set('say', () => ({ ok: false, problem: DOWN }))
  store.visit(chat('ses_1'))
  store.write('hello')
  await store.send()
  store.write('hello!')
  await store.send()
  assert.deepEqual(named(calls, 'say'), [
    ['ses_1', { text: 'hello', key: 'key-1' }],
    ['ses_1', { text: 'hello!', key: 'key-2' }],
  ])
})

test('a message whose answer was lost is known to have arrived when it is heard', async () => {
  const { store, answers, followed } = world()
  answers.set('say', () => ({ ok: false, problem: DOWN }))
  store.visit(chat('ses_1'))
  store.write('hello')
  await store.send()
  followed[0]?.onSignals([event(1, { type: 'message.received', text: 'hello', from: 'person', key: 'key-1' })])
  await new Promise(setImmediate)
  assert.equal(store.get().draft, '')
  assert.equal(store.get().problem, null)
  assert.equal(store.get().view.entries.length, 1)
})

test('pressing twice sends once', async () => {
  const { store, calls } = world()
  store.visit(chat('ses_1'))
  store.write('hello')
  await Promise.all([store.send(), store.send()])
  assert.equal(named(calls, 'say').length, 1)
})

test('every session has its own draft', () => {
  const { store } = world()
  store.visit(chat('ses_1'))
  store.write('one')
  store.visit(chat('ses_2'))
  assert.equal(store.get().draft, '')
  store.write('two')
  store.visit(chat('ses_1'))
  assert.equal(store.get().draft, 'one')
})

test('only the answer to the newest question is listed', async () => {
  const { store, answers } = world()
  const waiting: ((id: string) => void)[] = []
  answers.set(
    'list',
    () => new Promise(resolve => waiting.push(id => resolve({ ok: true, value: { items: [session(id)], next: null } }))),
  )
  const first = store.begin()
  const second = store.begin()
  waiting[1]?.('ses_newer')
  waiting[0]?.('ses_older')
  await Promise.all([first, second])
  assert.deepEqual(
    store.get().sessions.map(({ id }) => id),
    ['ses_newer'],
  )
})

test('reading the list again keeps what was opened of the rest', async () => {
  const { store, answers } = world()
  answers.set('list', want => {
    const { cursor } = want as { cursor: string | null }
    return {
      ok: true,
      value: cursor === null ? { items: [session('a'), session('b')], next: 'b' } : { items: [session('c')], next: 'c' },
    }
  })
  await store.begin()
  await store.more()
  await store.begin()
  assert.deepEqual(
    store.get().sessions.map(({ id }) => id),
    ['a', 'b', 'c'],
  )
  assert.equal(store.get().next, 'c')
})

test('without the token the page is locked, and asks everything again when it is given', async () => {
  const { store, calls, answers, followed } = world()
  const problem: ApiProblem = { status: 401, title: 'no', detail: '' }
  answers.set('list', () => ({ ok: false, problem }))
  store.visit(chat('ses_1'))
  await store.begin()
  assert.equal(store.get().locked, true)
  answers.delete('list')
  await store.unlock()
  assert.equal(store.get().locked, false)
  assert.equal(followed.length, 2)
  assert.equal(named(calls, 'list').length, 2)
})

test('the end of a reply is announced only if it was heard being said', async () => {
  const { store, followed } = world()
  store.visit(chat('ses_1'))
  const turn = [said(1, 'hi'), started(2), planned(3)]
  followed[0]?.onSignals([...turn, finished(4, [{ type: 'text', text: 'Hello.' }]), ended(5)])
  await Promise.resolve()
  assert.equal(store.get().announcement, '')

  store.visit(chat('ses_2'))
  followed[1]?.onSignals([...turn, delta('Hel', 0)])
  followed[1]?.onSignals([finished(4, [{ type: 'text', text: 'Hello.' }]), ended(5)])
  await Promise.resolve()
  assert.equal(store.get().announcement, 'Assistant replied: Hello.')
})

test('what another session still says is not shown here', async () => {
  const { store, followed } = world()
  store.visit(chat('ses_1'))
  store.visit(chat('ses_2'))
  followed[0]?.onSignals([said(1, 'late')])
  await Promise.resolve()
  assert.deepEqual(store.get().view.entries, [])
})

test('an agent is known by its name and its own colour, an advisor by the colour it has in its council', async () => {
  const { store, answers } = world()
  const items = [
    { key: 'ada', name: 'Ada', color: '#1a71b6' },
    { key: 'plain', name: 'Plain' },
  ]
  answers.set('agents', () => ({ ok: true, value: { items } }))
  await store.learnNames()
  assert.deepEqual(store.get().names, { ada: 'Ada', plain: 'Plain' })
  assert.equal(colorOf(store.get(), 'ada'), '#1a71b6')
  assert.equal(colorOf(store.get(), 'plain'), undefined)
  assert.equal(colorOf(store.get(), 'constructor'), undefined)
  const advisors = [{ id: 'ada', name: 'Ada', description: '', color: '#d67a0e', active: true }]
  const councils = [{ key: 'board', name: 'Board', advisors, references: 'none', early: { turns: 0 } }] as const
  assert.equal(colorOf({ ...store.get(), councils, about: session('ses_1', { council: 'board' }) }, 'ada'), '#d67a0e')
})

test('a file that took its time goes where it was brought to, not where one is by then', () => {
  const { store } = world()
  const file = { kind: 'text', name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array([97]) } as const
  store.visit(chat('ses_1'))
  store.visit(chat('ses_2'))
  assert.equal(store.attach(file, 'ses_1'), null)
  assert.deepEqual(store.get().files, [])
  store.visit(chat('ses_1'))
  assert.deepEqual(
    store.get().files.map(({ name }) => name),
    ['a.txt'],
  )
})
