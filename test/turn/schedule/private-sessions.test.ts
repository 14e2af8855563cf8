// Private sessions, pins that reach other sessions, and messages that were removed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mark, Reach } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { faultOf, must } from '../../log/facts.ts'
import { advisor, councilOf } from '../../support/council.ts'
import { ask, engineWith, eventsOf, last } from '../../support/engine.ts'

const COUNCIL = councilOf([advisor('ada'), advisor('ben')])

test('a session is opened private, made private and not, and its forks inherit it', async t => {
  const engine = engineWith({})
  t.after(() => engine.close(0))
  const open = must(await engine.open({}))
  assert.ok(!('private' in open))
  assert.ok(!('private' in must(await engine.open({ private: false }))))
  const hidden = must(await engine.open({ private: true }))
  assert.equal(hidden.private, true)
  assert.equal(must(await engine.fork(hidden.id, 0)).private, true)
  assert.equal(must(await engine.change(open.id, { private: true })).private, true)
  assert.deepEqual(last(await eventsOf(engine, open.id), 'session.changed').changes, { private: true })
  const copy = must(await engine.fork(open.id, 1))
  assert.equal(copy.private, true)
  assert.equal(must(await engine.change(open.id, { private: false })).private, false)
  assert.equal(must(await engine.fork(open.id, 1)).private, false)
  assert.equal(must(await engine.session(copy.id)).private, true, 'a fork keeps what it was given')
})

test('only a pin reaches other sessions, and none of private sessions or of councils does', async t => {
  const engine = engineWith({ councils: () => [COUNCIL] })
  t.after(() => engine.close(0))
  const { id } = must(await engine.open({}))
  await ask(engine, id, 'Rain?')
  const marks = async () =>
    (await eventsOf(engine, id)).flatMap(event => (event.type === 'message.marked' ? [[event.mark, event.reach]] : []))
  for (const reach of [undefined, 'session', 'project', 'everywhere'] as const) must(await engine.mark(id, 1, 'pin', reach))
  const kept: readonly (readonly [Mark, Reach | undefined])[] = [
    ['pin', undefined],
    ['pin', undefined],
    ['pin', 'project'],
    ['pin', 'everywhere'],
  ]
  assert.deepEqual(await marks(), kept)
  for (const mark of ['exclude', 'removed', null] as const)
    for (const reach of ['session', 'everywhere'] as const)
      assert.match(faultOf(await engine.mark(id, 1, mark, reach), 'invalid').message, /^reach: only a pin/)
  faultOf(await engine.mark(id, 2, 'pin', 'everywhere'), 'invalid')
  faultOf(await engine.mark('ses_none' as SessionId, 1, 'pin', 'everywhere'), 'not-found')
  must(await engine.change(id, { private: true }))
  for (const reach of ['project', 'everywhere'] as const)
    assert.match(faultOf(await engine.mark(id, 1, 'pin', reach), 'conflict').message, /^reach: this chat is private/)
  assert.deepEqual(await marks(), kept, 'what was refused is not written')
  must(await engine.mark(id, 1, 'pin', 'session'))
  must(await engine.change(id, { private: false }))
  must(await engine.change(id, { council: COUNCIL.key }))
  assert.match(faultOf(await engine.mark(id, 1, 'pin', 'everywhere'), 'conflict').message, /^reach: this is a council's chat/)
  must(await engine.mark(id, 1, 'pin'))
})

test('what was removed is in no request, unless the mark is taken away', async t => {
  const engine = engineWith({})
  t.after(() => engine.close(0))
  const { id } = must(await engine.open({}))
  await ask(engine, id, 'The word is heron.')
  const sees = async (): Promise<boolean> =>
    JSON.stringify(must(await engine.wouldSend(id, { text: 'Which word?' })).request).includes('word is heron')
  assert.equal(await sees(), true)
  must(await engine.mark(id, 1, 'removed'))
  const replies = (await eventsOf(engine, id)).filter(({ type }) => type === 'reply.finished')
  for (const { seq } of replies) must(await engine.mark(id, seq, 'removed'))
  assert.equal(await sees(), false)
  must(await engine.mark(id, 1, null))
  assert.equal(await sees(), true)
  must(await engine.mark(id, 1, 'removed'))
  const { receipt } = last(await ask(engine, id, 'Which word?'), 'context.planned')
  assert.ok(receipt.out.some(({ reason }) => reason === 'out.excluded'))
  for await (const { verdict, detail } of engine.verify(id)) assert.equal(verdict, 'identical', detail ?? '')
})
