// A council whose rounds are begun on different nodes has one transcript everywhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { says } from '../../../src/testing/scripted.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { whyNoPostgres } from '../../support/postgres.ts'
import type { Json } from '../http/client.ts'
import { isEvent } from '../http/frames.ts'
import { idOf, startThree } from './house.ts'

const skip = (await whyNoPostgres()) ?? false

const board = councilOf([advisor('ann'), advisor('ben'), advisor('cem')], { synthesis: 'brief' })

test('rounds, a synthesis and answers to each other begin on three nodes, and are read alike on all', { skip }, async t => {
  const provider = stand(({ voice, turn }) => says(`${voice} says `, `${turn}.`))
  const nodes = await startThree(t, { provider, councils: () => [board] })
  const [one, other, third] = nodes
  const session = await one.client.open({ council: 'board' })
  const readers = await Promise.all(nodes.map(({ client }) => client.follow(session)))
  /** Until so many more turns have ended for every reader. */
  const ended = async (count: number): Promise<void> => {
    for (const reader of readers) for (let turn = 0; turn < count; turn += 1) await reader.until(isEvent('turn.ended'))
  }
  const { turns } = await one.client.json(202, 'POST', `${session}/messages`, { body: { text: 'Shall we?' } })
  assert.equal(turns.length, 3)
  await ended(4)
  // While the round is being answered the session has an owner; whoever asks next may be any node.
  await other.client.json(202, 'POST', `${session}/messages`, {
    body: { text: 'Are you sure?', to: ['ben', 'cem'], synthesis: 'positions' },
  })
  await ended(3)
  await third.client.json(202, 'POST', `${session}/rounds`, { body: { rounds: 1 } })
  await ended(3)
  const { turns: memo } = await other.client.json(202, 'POST', `${session}/synthesis`, { body: { mode: 'memo' } })
  await ended(1)
  for (const reader of readers) await reader.hangUp()
  const events: Json[] = await one.client.events(session)
  for (const { client } of nodes) {
    assert.deepEqual(await client.events(session), events)
    assert.ok((await client.json(200, 'GET', `${session}/turns/${memo[0]}/sources`)).sentences.length > 0)
  }
  const ends = events.filter(({ type }) => type === 'turn.ended').map(({ voice, reason }) => `${voice} ${reason}`)
  assert.deepEqual(ends.slice(0, 3).sort(), ['ann done', 'ben done', 'cem done'])
  assert.deepEqual(ends.slice(3, 4), ['house:synthesis done'])
  assert.deepEqual(ends.slice(4, 6).sort(), ['ben done', 'cem done'])
  assert.deepEqual(ends.slice(6, 7), ['house:synthesis done'])
  assert.deepEqual(ends.slice(7, 10).sort(), ['ann done', 'ben done', 'cem done'])
  assert.deepEqual(ends.slice(10), ['house:synthesis done'])
  assert.equal(provider.requests.length, ends.length, 'every request is sent once')
  // The second message's readers were told what the others had said, wherever that was said.
  const told = provider.requests.find(
    ({ voice, messages }) => voice === 'ben' && JSON.stringify(messages).includes('Are you sure?'),
  )
  assert.match(JSON.stringify(told), /ann says 1\./)
  let verified = 0
  for await (const { verdict, detail } of third.engine.verify(idOf(session))) {
    assert.equal(verdict, 'identical', detail ?? '')
    verified += 1
  }
  assert.equal(verified, ends.length)
})
