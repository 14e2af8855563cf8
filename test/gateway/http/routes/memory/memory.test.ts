// What is remembered between chats over HTTP: pins with a reach, private chats, the switches, and the list with prices.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startGateway } from '../../../../support/gateway.ts'
import { startWorkspace } from '../../../../support/workspace.ts'
import { type Client, clientOf, type Json } from '../../client.ts'

const idOf = (session: string): string => session.split('/').at(-1) ?? ''

const pin = (client: Client, session: string, seq: number, reach?: string): Promise<Json> =>
  client.json(200, 'POST', `${session}/marks`, { body: { seq, mark: 'pin', ...(reach === undefined ? {} : { reach }) } })

const saidIn = ({ request }: Json): string => JSON.stringify(request.body.messages)

const would = (client: Client, session: string, text = 'And now?'): Promise<Json> =>
  client.json(200, 'POST', `${session}/context`, { body: { text } })

test('pins and summaries of all chats are listed with their price, newest first, page by page', async t => {
  const client = clientOf((await startGateway(t)).url)
  const [one, two] = [await client.open({ title: 'Boats' }), await client.open({ title: 'Cars' })]
  await client.talk(one, 'The boat is blue.', 'It has two masts.', 'And a bell.')
  await client.talk(two, 'The car is red.')
  assert.deepEqual(await client.json(200, 'GET', '/api/memory'), {
    from: 'session',
    projects: [],
    items: [],
    next: null,
    tokens: 0,
  })
  await pin(client, one, 1)
  const fold = await client.json(201, 'POST', `${one}/folds`, { body: { by: 'extract' } })
  await pin(client, two, 1, 'everywhere')
  const { items, tokens, next } = await client.json(200, 'GET', '/api/memory')
  assert.deepEqual(
    items.map(({ kind, session, title, seq, text, reach }: Json) => [kind, session, title, seq, text, reach]),
    [
      ['pin', idOf(two), 'Cars', 1, 'The car is red.', 'everywhere'],
      ['fold', idOf(one), 'Boats', fold.seq, fold.text, undefined],
      ['pin', idOf(one), 'Boats', 1, 'The boat is blue.', 'session'],
    ],
  )
  assert.equal(next, null)
  assert.equal(
    tokens,
    items.reduce((sum: number, item: Json) => sum + item.tokens, 0),
  )
  const first = await client.json(200, 'GET', '/api/memory?limit=2')
  const second = await client.json(200, 'GET', `/api/memory?limit=2&cursor=${encodeURIComponent(first.next)}`)
  assert.deepEqual([...first.items, ...second.items], items)
  assert.equal(second.next, null)

  // Forgetting is the route of the thing itself.
  await client.json(200, 'POST', `${two}/marks`, { body: { seq: 1, mark: null } })
  await client.ask('DELETE', `${one}/folds/${fold.seq}`)
  assert.equal((await client.json(200, 'GET', '/api/memory')).items.length, 1)
  await client.ask('DELETE', one)
  assert.deepEqual((await client.json(200, 'GET', '/api/memory')).items, [])

  for (const query of ['limit=0', 'limit=201', 'limit=x']) await client.problem(400, 'invalid', 'GET', `/api/memory?${query}`)
  await client.problem(400, 'invalid', 'GET', '/api/memory?cursor=nonsense')
})

test('a message pinned for every chat is at the front of another one, and on its receipt', async t => {
  const client = clientOf((await startGateway(t)).url)
  const [one, two] = [await client.open({ title: 'Boats' }), await client.open()]
  await client.talk(one, 'The boat is blue.')
  await pin(client, one, 1, 'everywhere')
  const other = await would(client, two)
  assert.match(saidIn(other), /Pinned for this chat:.*Boats.*The boat is blue\./)
  assert.deepEqual(
    other.receipt.in.filter(({ reason }: Json) => reason === 'pin.person').map(({ session }: Json) => session),
    [idOf(one)],
  )
  assert.equal(other.receipt.window.pinned[0].chat.session, idOf(one))
  // In its own chat it is an ordinary pin.
  assert.doesNotMatch(saidIn(await would(client, one)), /Pinned for this chat/)
  await client.json(200, 'POST', `${one}/marks`, { body: { seq: 1, mark: 'removed' } })
  assert.doesNotMatch(saidIn(await would(client, two)), /boat/)
  assert.doesNotMatch(saidIn(await would(client, one)), /boat is blue/)
})

test('what cannot reach other chats is refused', async t => {
  const { url } = await startWorkspace(t, 'as Turnwise makes it')
  const client = clientOf(url)
  const session = await client.open()
  await client.talk(session, 'One.')
  const mark = (body: object, status: number, fault: string, where = session): Promise<Json> =>
    client.problem(status, fault, 'POST', `${where}/marks`, { body: { seq: 1, ...body } })
  await mark({ mark: 'exclude', reach: 'everywhere' }, 400, 'invalid')
  await mark({ mark: null, reach: 'project' }, 400, 'invalid')
  await mark({ mark: 'pin', reach: 'all' }, 400, 'invalid')
  await mark({ mark: 'gone' }, 400, 'invalid')
  await client.json(200, 'PATCH', session, { body: { private: true } })
  await mark({ mark: 'pin', reach: 'everywhere' }, 409, 'conflict')
  const council = await client.open({ council: 'board' })
  await client.talk(council, 'Shall we?')
  await mark({ mark: 'pin', reach: 'project' }, 409, 'conflict', council)
})

test('a chat is private from the start or later, and a fork of it too', async t => {
  const client = clientOf((await startGateway(t)).url)
  const opened = await client.json(201, 'POST', '/api/sessions', { body: { private: true } })
  assert.equal(opened.private, true)
  const session = `/api/sessions/${opened.id}`
  await client.talk(session, 'A secret.')
  const fork = await client.json(201, 'POST', `${session}/fork`, { body: { at: 1 } })
  assert.equal(fork.private, true)
  assert.notEqual((await client.json(200, 'PATCH', session, { body: { private: false } })).private, true)
  assert.equal((await client.json(200, 'PATCH', session, { body: { private: true } })).private, true)
  await client.problem(400, 'invalid', 'PATCH', session, { body: { private: 'yes' } })
  const changes = (await client.events(session)).filter(event => event.type === 'session.changed').map(event => event.changes)
  assert.deepEqual(
    changes.filter(change => 'private' in change),
    [{ private: false }, { private: true }],
  )
})

test('where chats may look is written into turnwise.json, with its comments, and read from there again', async t => {
  const settings = '// Mine.\n{\n  "policy": "steady", // calm\n  "memory": { "encoder": null }\n}\n'
  const { url, home } = await startWorkspace(t, { 'turnwise.json': settings, 'projects/boat/CONTEXT.md': 'A boat.' })
  const client = clientOf(url)
  const file = join(home, 'turnwise.json')
  const from = async (): Promise<string> => (await client.json(200, 'GET', '/api/memory')).from
  assert.deepEqual(await client.json(200, 'PATCH', '/api/memory', { body: { from: 'everywhere' } }), { from: 'everywhere' })
  assert.match(
    readFileSync(file, 'utf8'),
    /^\/\/ Mine\.\n\{\n {2}"policy": "steady", \/\/ calm\n {2}"memory": \{[^}]*"everywhere"/,
  )
  assert.equal(await from(), 'everywhere')
  writeFileSync(file, settings.replace('null', 'null, "from": "project"'))
  assert.equal(await from(), 'project')
  assert.deepEqual((await client.json(200, 'GET', '/api/memory')).projects, [{ name: 'boat', recall: false }])
  await client.json(200, 'PATCH', '/api/projects/boat', { body: { recall: true } })
  assert.deepEqual((await client.json(200, 'GET', '/api/memory')).projects, [{ name: 'boat', recall: true }])

  for (const body of [{}, { from: 'nowhere' }, { from: 'project', more: 1 }])
    await client.problem(400, 'invalid', 'PATCH', '/api/memory', { body })
  writeFileSync(file, '{ "memory": { "from": "here" } }')
  assert.equal(await from(), 'project', 'a wrong edit leaves the last good value')
  const { reasons } = await client.json(200, 'GET', '/readyz')
  assert.match(reasons.join(), /memory\.from: "here" expected one of/)
  const { detail } = await client.problem(409, 'conflict', 'PATCH', '/api/memory', { body: { from: 'session' } })
  assert.match(detail, /until that is fixed nothing is written/)
})

test('without a workspace there is nothing to write the switch into', async t => {
  const client = clientOf((await startGateway(t)).url)
  await client.problem(409, 'conflict', 'PATCH', '/api/memory', { body: { from: 'project' } })
  await client.problem(409, 'conflict', 'PATCH', '/api/projects/boat', { body: { recall: true } })
})
