// The bytes of a message's files: for the session that names them, in a form that no browser takes for a page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PDF, PNG } from '../../../support/files.ts'
import { startGateway } from '../../../support/gateway.ts'
import { type Client, clientOf } from '../client.ts'
import { isEvent } from '../frames.ts'

const photo = { type: 'image', name: 'photo.png', mediaType: 'image/png', data: PNG }
const paper = { type: 'file', name: 'paper.pdf', mediaType: 'application/pdf', data: PDF }

/** Says something with files, and gives their hashes. */
async function sent(client: Client, session: string, ...parts: readonly object[]): Promise<string[]> {
  const { seq } = await client.json(202, 'POST', `${session}/messages`, { body: { text: '', parts } })
  await (await client.follow(session, { 'last-event-id': String(seq) })).until(isEvent('turn.ended'))
  return (await client.events(session)).find(event => event.seq === seq).parts.map((part: { hash: string }) => part.hash)
}

test('a picture is shown, any other file is saved, and each is what came', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const [picture, pdf] = await sent(client, session, photo, paper)
  const shown = await client.ask('GET', `${session}/files/${picture}`)
  assert.equal(shown.status, 200)
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), Buffer.from(PNG, 'base64'))
  const header = (name: string, { headers }: Response = shown): string | null => headers.get(name)
  assert.deepEqual(
    ['content-type', 'content-disposition', 'content-security-policy', 'x-content-type-options'].map(name => header(name)),
    ['image/png', 'inline', "default-src 'none'; sandbox", 'nosniff'],
  )
  assert.match(header('cache-control') ?? '', /^private, .*immutable$/)
  const saved = await client.ask('GET', `${session}/files/${encodeURIComponent(pdf ?? '')}`)
  assert.deepEqual(Buffer.from(await saved.arrayBuffer()), Buffer.from(PDF, 'base64'))
  assert.equal(header('content-type', saved), 'application/pdf')
  assert.equal(header('content-disposition', saved), `attachment; filename="paper.pdf"; filename*=UTF-8''paper.pdf`)
})

test('a name in a header is only a name', async t => {
  const client = clientOf((await startGateway(t)).url)
  const nameOf = async (name: string): Promise<string | null> => {
    const session = await client.open()
    const [hash] = await sent(client, session, { ...paper, name })
    return (await client.ask('GET', `${session}/files/${hash}`)).headers.get('content-disposition')
  }
  assert.equal(await nameOf('../a"; x=y/b.pdf'), `attachment; filename="__a___x_y_b.pdf"; filename*=UTF-8''__a_%3B_x%3Dy_b.pdf`)
  assert.equal(
    await nameOf("Größe (1)'s.exe"),
    `attachment; filename="Gr__e__1__s.exe.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe_%281%29%27s.exe.pdf`,
  )
})

test('a session gives the files that it names, and no others', async t => {
  const client = clientOf((await startGateway(t)).url)
  const [one, other] = [await client.open(), await client.open()]
  const [picture] = await sent(client, one, photo)
  await client.problem(404, 'not-found', 'GET', `${other}/files/${picture}`)
  const [again] = await sent(client, other, photo)
  assert.equal(again, picture, 'it is kept once')
  assert.equal((await client.ask('GET', `${other}/files/${picture}`)).status, 200)
  for (const hash of ['x', 'sha256:', '%2e%2e', `sha256:${'0'.repeat(64)}`])
    await client.problem(404, 'not-found', 'GET', `${one}/files/${hash}`)
  // What a receipt keeps by its hash is no file of a message.
  const planned = (await client.events(one)).find(event => event.type === 'context.planned')
  await client.problem(404, 'not-found', 'GET', `${one}/files/${planned.receipt.inputs.policy}`)
  assert.equal((await client.ask('DELETE', one)).status, 204)
  await client.problem(404, 'not-found', 'GET', `${one}/files/${picture}`)
  assert.equal((await client.ask('GET', `${other}/files/${picture}`)).status, 200)
})

test('files are found however long ago they came', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const [picture] = await sent(client, session, photo)
  for (let number = 0; number < 110; number += 1) await client.talk(session, 'More')
  assert.ok((await client.events(session)).length > 500)
  const [pdf] = await sent(client, session, paper)
  for (const hash of [pdf, picture]) assert.equal((await client.ask('GET', `${session}/files/${hash}`)).status, 200)
})
