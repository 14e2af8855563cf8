import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageEntry } from '../../../web/src/view/view.ts'
import { NOON, said } from '../signals.ts'
import { chat, DOWN, session, settled, type World, world } from '../world.ts'

const MESSAGE: MessageEntry = { kind: 'message', seq: 7, at: NOON, text: 'hello', from: 'person', mark: null }

/** In a session, with a fork that is always the same. */
function reading(): World {
  const made = world()
  made.answers.set('fork', () => ({ ok: true, value: session('ses_fork') }))
  made.store.visit(chat('ses_1'))
  return made
}
const verbs = ({ calls }: World): readonly unknown[] =>
  calls.filter(([name]) => ['fork', 'say', 'resume', 'remove', 'mark', 'file'].includes(name))

test('a reworded message is said in a fork that begins before it, and there one goes', async () => {
  const made = reading()
  assert.equal(await made.store.reword({ ...MESSAGE, to: ['ada'] }, 'hello you'), true)
  assert.deepEqual(verbs(made), [
    ['fork', 'ses_1', 6, 7],
    ['say', 'ses_fork', { text: 'hello you', key: 'key-1', to: ['ada'] }],
  ])
  assert.deepEqual(made.addresses, ['ses_fork'])
})

test('its files go with it again', async () => {
  const made = reading()
  made.answers.set('file', () => ({ ok: true, value: new Blob([new Uint8Array([1, 2, 3])]) }))
  const files = [
    { kind: 'image', name: 'a.png', mediaType: 'image/png', hash: 'h' },
    { kind: 'file', name: 'b.md', mediaType: 'text/markdown', text: 'hi' },
  ] as const
  await made.store.reword({ ...MESSAGE, files }, 'look')
  const parts = [
    { type: 'image', name: 'a.png', mediaType: 'image/png', data: 'AQID' },
    { type: 'file', name: 'b.md', mediaType: 'text/markdown', data: 'aGk=' },
  ]
  assert.deepEqual(verbs(made), [
    ['file', 'ses_1', 'h'],
    ['fork', 'ses_1', 6, 7],
    ['say', 'ses_fork', { text: 'look', key: 'key-1', parts }],
  ])
})

test('a fork in which nothing could be said is taken away again, and one stays where one is', async () => {
  const made = reading()
  made.answers.set('say', () => ({ ok: false, problem: DOWN }))
  assert.equal(await made.store.reword(MESSAGE, 'hello you'), false)
  assert.deepEqual(verbs(made).slice(-1), [['remove', 'ses_fork']])
  assert.deepEqual(made.addresses, [])
  assert.equal(made.store.get().problem, DOWN)
})

test('who goes elsewhere meanwhile stays there, and the version is made of what was reworded', async () => {
  const made = reading()
  made.answers.set('file', () => {
    made.store.visit(chat('ses_2'))
    return { ok: true, value: new Blob(['hi']) }
  })
  const files = [{ kind: 'image', name: 'a.png', mediaType: 'image/png', hash: 'h' }] as const
  assert.equal(await made.store.reword({ ...MESSAGE, files }, 'look'), true)
  assert.deepEqual(
    verbs(made).find(call => Array.isArray(call) && call[0] === 'fork'),
    ['fork', 'ses_1', 6, 7],
  )
  assert.deepEqual(made.addresses, [])
  assert.equal(made.store.get().session, 'ses_2')
})

test('asking again answers the same message in a fork that ends with it', async () => {
  const made = reading()
  await made.store.askAgain(7)
  assert.deepEqual(verbs(made), [
    ['fork', 'ses_1', 7, 7],
    ['resume', 'ses_fork'],
  ])
  assert.deepEqual(made.addresses, ['ses_fork'])
})

test('a mark goes on every reply it is meant for', async () => {
  const made = reading()
  await made.store.mark([4, 6], 'pin')
  assert.deepEqual(verbs(made), [
    ['mark', 'ses_1', 4, 'pin'],
    ['mark', 'ses_1', 6, 'pin'],
  ])
})

test('a pin may reach further, and one of any chat is taken away and comes back', async () => {
  const made = reading()
  await made.store.mark([4], 'pin', 'project')
  let back = 0
  assert.equal(await made.store.unpin({ session: 'ses_7', seq: 9, reach: 'everywhere' }, () => back++), true)
  made.store.undo.undo()
  await settled()
  assert.deepEqual(verbs(made), [
    ['mark', 'ses_1', 4, 'pin', 'project'],
    ['mark', 'ses_7', 9, null],
    ['mark', 'ses_7', 9, 'pin', 'everywhere'],
  ])
  assert.equal(back, 1)
})

test('the last message is opened to be reworded, unless somebody speaks; another session closes it', async () => {
  const made = reading()
  made.followed[0]?.onSignals([said(1, 'one'), said(2, 'two')])
  await new Promise(setImmediate)
  made.store.editLast()
  assert.equal(made.store.get().editing, 2)
  made.store.visit(chat('ses_2'))
  assert.equal(made.store.get().editing, null)
})

test('who belongs to the tree of forks is read when a session of it is opened', async () => {
  const made = world()
  const family = [session('ses_1'), session('ses_2')]
  made.answers.set('show', () => ({ ok: true, value: session('ses_1', { family: session('ses_0').id }) }))
  made.answers.set('family', () => ({ ok: true, value: { items: family, next: null } }))
  made.store.visit(chat('ses_1'))
  await new Promise(setImmediate)
  assert.deepEqual(
    made.calls.filter(([name]) => name === 'family'),
    [['family', 'ses_0']],
  )
  assert.equal(made.store.get().family, family)
})
