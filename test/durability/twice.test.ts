import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createEngine } from '../../src/engine.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import { faultOf, gapless, must } from '../log/facts.ts'
import { openSqlite, temporaryFolder } from '../log/files.ts'
import { isEvent, listenTo } from './hearing.ts'

test('a message sent many times at once, and again after a restart, is one message with one answer', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const provider = scriptedProvider([says('Once.'), says('Twice.')])
  const first = createEngine({ log: await openSqlite(t, file), provider })
  const { id } = must(await first.open({}))
  const listener = listenTo(t, first, id)
  const message = { session: id, text: 'Just once.', from: 'person', key: 'click' }
  const sent = (await Promise.all(Array.from({ length: 5 }, () => first.say(message))))
    .map(must)
    .map(({ seq, turns }) => ({ seq, turns }))
  assert.deepEqual(new Set(sent.map(said => said.seq)), new Set([1]))
  assert.deepEqual(new Set(sent.flatMap(said => said.turns)).size, 1, 'every answer names the same turn')
  await listener.until(isEvent('turn.ended'))
  const { seq, turns } = must(await first.say(message))
  assert.deepEqual({ seq, turns }, sent[0], 'nor does it matter that the turn is over')
  await first.close()

  const second = createEngine({ log: await openSqlite(t, file), provider })
  must(await second.recover())
  assert.deepEqual(must(await second.say(message)).turns, turns)
  faultOf(await second.say({ ...message, text: 'Something else.' }), 'conflict')
  const again = must(await second.say({ ...message, key: 'another click' }))
  await listenTo(t, second, id).until(isEvent('turn.ended', again.seq))
  assert.equal(provider.requests.length, 2)
  const events = must(await second.read(id))
  gapless(events)
  assert.equal(events.filter(event => event.type === 'message.received').length, 2)
  await second.close()
})
