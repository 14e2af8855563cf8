// What one node has written is read on another as if it were its own: contexts, receipts, usage, files, searches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXPORT_FORMATS } from '../../../src/turn/transfer/export-formats.ts'
import { PNG } from '../../support/files.ts'
import { whyNoPostgres } from '../../support/postgres.ts'
import type { Client, Json } from '../http/client.ts'
import { readFrames } from '../http/frames.ts'
import { type HouseNode, idOf, startThree } from './house.ts'

const skip = (await whyNoPostgres()) ?? false

const textOf = async (client: Client, path: string): Promise<string> => {
  const response = await client.ask('GET', path)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
}

test('a session is inspected, exported and verified on any node with the same bytes', { skip }, async t => {
  const nodes = await startThree(t)
  const [one, other, third] = nodes
  const session = await one.client.open()
  await one.client.talk(session, 'My boat is called Seagull.')
  const part = { type: 'image', name: 'boat.png', mediaType: 'image/png', data: PNG }
  const said = await other.client.ask('POST', `${session}/messages`, {
    body: { text: 'This is it.', parts: [part] },
    headers: { accept: 'text/event-stream' },
  })
  await readFrames(said).rest()
  await third.client.talk(session, 'what was my first message?')
  const events: Json[] = await one.client.events(session)
  assert.equal(events.filter(({ type }) => type === 'turn.ended').length, 3)
  const turns = events.filter(({ type }) => type === 'turn.started').map(({ turn }) => turn)
  const { hash } = events.find(({ parts }) => parts?.[0]?.hash !== undefined).parts[0]
  const receipt = events.findLast(({ type }) => type === 'context.planned').receipt.id
  const paths = [
    ...turns.map(turn => `${session}/turns/${turn}/context`),
    ...EXPORT_FORMATS.map(format => `${session}/export?format=${format}`),
    ...[`${session}/timeline`, `${session}/events/1/presence`, `${session}/files/${hash}`, `/api/receipts/${receipt}`],
    ...['/api/usage', '/api/sessions?q=seagull', '/api/memory', session],
  ]
  for (const path of paths) {
    const texts = new Set(await Promise.all(nodes.map(async ({ client }) => timeless(await textOf(client, path)))))
    assert.equal(texts.size, 1, path)
    assert.ok(
      [...texts].every(text => text.length > 20),
      path,
    )
  }
  const dryRuns = nodes.map(({ client }) => client.json(200, 'POST', `${session}/context`, { body: { text: 'And next?' } }))
  const [first, ...rest] = (await Promise.all(dryRuns)).map(({ receipt }) => receipt.digest)
  for (const digest of rest) assert.equal(digest, first)
  for (const { engine } of nodes) {
    let verified = 0
    for await (const { verdict, detail } of engine.verify(idOf(session), { deep: true })) {
      assert.equal(verdict, 'identical', detail ?? '')
      verified += 1
    }
    assert.equal(verified, 3)
  }
  assert.equal(await turnsIn(nodes), 3)
})

/** An export says when it was made. */
const timeless = (text: string): string => text.replace(/"exportedAt":\s*"[^"]*"/g, '')

/** The turns that the nodes say they have ended, all together. */
async function turnsIn(nodes: readonly HouseNode[]): Promise<number> {
  const texts = await Promise.all(nodes.map(({ client }) => textOf(client, '/metrics')))
  const counts = texts.flatMap(text =>
    [...text.matchAll(/^turnwise_turns_total\{[^}]*\} (\d+)$/gm)].map(([, count]) => Number(count)),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

test('a file that one node imports is searched, read, and gone on with on others', { skip }, async t => {
  const [one, other, third] = await startThree(t)
  const session = await one.client.open({ title: 'Harbour' })
  await one.client.talk(session, 'The lighthouse keeper is called Morwenna.')
  const file = await textOf(one.client, `${session}/export?format=json`)
  assert.equal((await one.client.ask('DELETE', session)).status, 204)
  const { ids } = await other.client.json(200, 'POST', '/api/import', { body: file })
  const path = `/api/sessions/${ids[0]}`
  const { items } = await third.client.json(200, 'GET', '/api/sessions?q=morwenna')
  assert.deepEqual(
    items.map(({ id }: Json) => `/api/sessions/${id}`),
    [path],
  )
  assert.equal((await one.client.json(200, 'GET', path)).title, 'Harbour')
  await third.client.talk(path, 'what was my first message?')
  assert.match(JSON.stringify((await one.client.events(path)).at(-2).parts), /Morwenna/)
})
