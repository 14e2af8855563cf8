// Summaries are made, edited and removed from any node, also while another one runs the session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delta } from '../../../src/model/message/delta.ts'
import type { DemoRequest } from '../../../src/provider/demo/wire.ts'
import { stand } from '../../support/council.ts'
import { answer, folder, folding, numberIn, question } from '../../support/folding.ts'
import { whyNoPostgres } from '../../support/postgres.ts'
import type { Client, Json } from '../http/client.ts'
import { isEvent } from '../http/frames.ts'
import { startThree } from './house.ts'

const skip = (await whyNoPostgres()) ?? false

const counting = async (client: Client, session: string): Promise<readonly Json[]> =>
  (await client.json(200, 'GET', `${session}/folds`)).items.filter(({ counts }: Json) => counts)

/** Makes a summary on one node, edits it on another one, has it made anew, removes it, and brings it back. */
async function throughAllHands(nodes: readonly [Client, Client, Client], session: string): Promise<void> {
  const [one, other, third] = nodes
  const fold = await other.json(201, 'POST', `${session}/folds`, { body: { by: 'extract' } })
  const edited = await third.json(200, 'PATCH', `${session}/folds/${fold.seq}`, { body: { text: 'Two tickets.' } })
  assert.deepEqual([edited.text, edited.by, edited.replaces], ['Two tickets.', 'person', fold.seq])
  const literal = { redo: true, by: 'extract' }
  const anew = await one.json(200, 'PATCH', `${session}/folds/${edited.seq}`, { body: literal })
  assert.deepEqual([anew.by, anew.replaces], ['extract', edited.seq])
  assert.equal((await other.ask('DELETE', `${session}/folds/${anew.seq}`)).status, 204)
  for (const client of nodes) assert.deepEqual(await counting(client, session), [])
  await third.problem(409, 'conflict', 'DELETE', `${session}/folds/${anew.seq}`)
  const back = await third.json(200, 'PATCH', `${session}/folds/${anew.seq}`, { body: { text: 'Two tickets.' } })
  for (const client of nodes) assert.deepEqual(await counting(client, session), [back])
}

test('a session that no node runs', { skip }, async t => {
  const [one, other, third] = await startThree(t, { provider: folder(), policies: [folding()], policy: 'folding' })
  const session = await one.client.open()
  await one.client.talk(session, ...[1, 2, 3].map(question))
  await throughAllHands([one.client, other.client, third.client], session)
})

test('a session that one of them is answering in', { skip }, async t => {
  async function* answers(request: DemoRequest, signal: AbortSignal): AsyncGenerator<Delta> {
    const number = numberIn(request)
    yield { type: 'text', text: answer(number) }
    if (number === 4) await new Promise(resolve => signal.addEventListener('abort', resolve))
    yield { type: 'done' }
  }
  const [one, other, third] = await startThree(t, { provider: stand(answers), policies: [folding()], policy: 'folding' })
  const session = await one.client.open()
  await one.client.talk(session, ...[1, 2, 3].map(question))
  const reader = await third.client.follow(session)
  await one.client.json(202, 'POST', `${session}/messages`, { body: { text: question(4) } })
  await reader.until(isEvent('delta'))
  await throughAllHands([one.client, other.client, third.client], session)
  await other.client.json(200, 'POST', `${session}/cancel`, { body: {} })
  assert.equal((await reader.until(isEvent('turn.ended'))).at(-1)?.data.reason, 'cancelled')
  await reader.hangUp()
})
