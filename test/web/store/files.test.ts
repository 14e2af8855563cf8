import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../world.ts'

const toasts = ({ store }: Pick<ReturnType<typeof world>, 'store'>): readonly string[] =>
  store.get().toasts.map(({ text }) => text)

test('what came in is told, listed, and shown where it is only one', async () => {
  const here = world()
  const report = { sessions: 1, messages: 4, remarks: ['one empty message was left out'], ids: ['ses_new'] }
  here.answers.set('bring', () => ({ ok: true, value: report }))
  await here.store.bring(new Blob(['{}']))
  assert.equal(toasts(here).at(-1), 'Imported 1 conversation with 4 messages. one empty message was left out')
  assert.deepEqual(here.addresses, ['ses_new'])
  assert.ok(here.calls.some(([name]) => name === 'list'))
})

test('what could not come in, or out, is told', async () => {
  const here = world()
  const problem = { status: 400, title: 'Not valid', detail: 'line 3: is not JSON' }
  for (const verb of ['bring', 'exported']) here.answers.set(verb, () => ({ ok: false, problem }))
  await here.store.bring(new Blob(['{']))
  assert.equal(await here.store.exported('ses_a', 'html'), null)
  assert.deepEqual(toasts(here).slice(-2), ['Not imported: line 3: is not JSON', 'Not exported: line 3: is not JSON'])
  assert.deepEqual(here.addresses, [])
})
