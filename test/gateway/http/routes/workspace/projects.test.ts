// Projects over HTTP: their text is a file of the workspace, and a session may move from one to another.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { count } from '../../../../../src/context/text/tokens.ts'
import { startWorkspace } from '../../../../support/workspace.ts'
import { askWith } from '../../ask.ts'
import { clientOf, type Json } from '../../client.ts'

const BOAT = '# Boat\n\nWe build a boat.\n'

test('a project is made, shown, listed with its price, and written anew', async t => {
  const { url, home } = await startWorkspace(t, {})
  const client = clientOf(url)
  assert.deepEqual(await client.json(200, 'GET', '/api/projects'), { items: [] })
  await client.problem(404, 'not-found', 'GET', '/api/projects/boat')
  assert.deepEqual(await client.json(200, 'PUT', '/api/projects/boat', { body: { context: 'x' } }), {
    name: 'boat',
    context: 'x',
    recall: false,
  })
  assert.deepEqual(await client.json(200, 'PUT', '/api/projects/boat', { body: { context: BOAT } }), {
    ...{ name: 'boat', context: BOAT, recall: false },
  })
  assert.equal(readFileSync(join(home, 'projects/boat/CONTEXT.md'), 'utf8'), BOAT)
  assert.deepEqual(readdirSync(join(home, 'projects/boat')), ['CONTEXT.md'])
  assert.deepEqual(await client.json(200, 'GET', '/api/projects/boat'), { name: 'boat', context: BOAT, recall: false })
  await client.json(200, 'PUT', `/api/projects/${encodeURIComponent('Größe 2.0')}`, { body: { context: '' } })
  assert.deepEqual(await client.json(200, 'GET', '/api/projects'), {
    items: [
      { name: 'Größe 2.0', tokens: 0, recall: false },
      { name: 'boat', tokens: count(BOAT.trim()), recall: false },
    ],
  })
})

test('a name is never a way out of its place', async t => {
  const { url, home, write } = await startWorkspace(t, { 'secret/CONTEXT.md': 'secret' })
  mkdirSync(join(home, 'projects'))
  const client = clientOf(url)
  const strange = ['..%2fsecret', '.hidden', 'a%2fb', 'a%5cb', 'a%00', 'a%0ab', '%20a', 'a:b', 'x'.repeat(65), '%ff', 'a%']
  const reserved = ['CON', 'nul.txt', 'lpt1', 'end.', 'end%20', encodeURIComponent('𠀀'.repeat(64))]
  // As they are, without the tidying that a client does.
  const ask = (method: string, name: string): Promise<{ status: number; body: string }> =>
    askWith(Number(new URL(url).port), method, `/api/projects/${name}`, {
      headers: { host: new URL(url).host, 'content-type': 'application/json' },
      ...(method === 'PUT' ? { body: '{"context":"x"}' } : {}),
    })
  for (const name of [...strange, ...reserved]) {
    const refused = await ask('PUT', name)
    assert.equal(refused.status, 400, `${name}: ${refused.body}`)
    assert.match(JSON.parse(refused.body).detail, /^name: /)
    assert.equal((await ask('GET', name)).status, 404, name)
  }
  for (const name of ['..', '%2e%2e', '../secret']) assert.equal((await ask('PUT', name)).status, 404, name)
  assert.deepEqual(readdirSync(join(home, 'projects')), [])
  write('projects/by-hand/CONTEXT.md', 'By hand.')
  assert.deepEqual(await client.json(200, 'GET', '/api/projects/by-hand'), {
    name: 'by-hand',
    context: 'By hand.',
    recall: false,
  })
  // Vowels of many scripts are marks, and some systems take an accent for one.
  for (const name of ['हिन्दी', 'นาวา', 'Cafe\u0301'])
    assert.equal(
      (await client.json(200, 'PUT', `/api/projects/${encodeURIComponent(name)}`, { body: { context: 'x' } })).name,
      name,
    )
})

test('what cannot be a project’s text is refused', async t => {
  const { url, home } = await startWorkspace(t, { 'projects/boat/CONTEXT.md': BOAT })
  const client = clientOf(url)
  const put = (context: unknown): Promise<Json> =>
    client.problem(400, 'invalid', 'PUT', '/api/projects/boat', { body: { context } }).then(({ detail }) => detail)
  assert.equal(await put('x'.repeat(200_001)), 'context: is too long; at most 200000 characters')
  assert.equal(await put('a\0b'), 'context: has characters that no text file can keep')
  assert.match(await put(5), /^context: /)
  await client.problem(400, 'invalid', 'PUT', '/api/projects/boat', { body: { context: 'x', more: 1 } })
  assert.equal(readFileSync(join(home, 'projects/boat/CONTEXT.md'), 'utf8'), BOAT)

  mkdirSync(join(home, 'projects/folder/CONTEXT.md'), { recursive: true })
  await client.problem(404, 'not-found', 'GET', '/api/projects/folder')
  await client.problem(409, 'conflict', 'PUT', '/api/projects/folder', { body: { context: 'x' } })
})

test('a session moves to another project, and its next turn knows that one; what was sent before still proves itself', async t => {
  const { url } = await startWorkspace(t, { 'projects/boat/CONTEXT.md': BOAT })
  const client = clientOf(url)
  const session = await client.open()
  await client.talk(session, 'One')
  assert.equal((await client.json(200, 'PATCH', session, { body: { project: 'boat' } })).project, 'boat')
  assert.deepEqual((await client.events(session)).at(-1).changes, { project: 'boat' })
  assert.equal((await client.json(200, 'GET', '/api/sessions?project=boat')).items.length, 1)
  await client.talk(session, 'Two')
  await client.json(200, 'PUT', '/api/projects/boat', { body: { context: 'We sail.' } })
  await client.talk(session, 'Three')
  assert.equal((await client.json(200, 'PATCH', session, { body: { project: null } })).project, null)
  assert.equal((await client.json(200, 'GET', '/api/sessions?project=boat')).items.length, 0)
  await client.talk(session, 'Four')
  const { detail } = await client.problem(400, 'invalid', 'PATCH', session, { body: { project: 'shed' } })
  assert.equal(detail, 'project: there is no "shed"; known: boat')
  const turns = (await client.events(session)).flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))
  const sent: Json[] = await Promise.all(turns.map(turn => client.json(200, 'GET', `${session}/turns/${turn}/context`)))
  assert.deepEqual(
    sent.map(({ request, verified }) => [request.body.system, verified]),
    [
      ['', true],
      [BOAT.trim(), true],
      ['We sail.', true],
      ['', true],
    ],
  )
})

test('whether the chats of a project quote each other is a switch in a file beside its text', async t => {
  const { url, home, write } = await startWorkspace(t, { 'projects/boat/CONTEXT.md': BOAT })
  const client = clientOf(url)
  const file = join(home, 'projects/boat/project.json')
  const set = (recall: unknown): Promise<Json> => client.json(200, 'PATCH', '/api/projects/boat', { body: { recall } })
  const listed = async (): Promise<Json> =>
    (await client.json(200, 'GET', '/api/projects')).items.map(({ name, recall }: Json) => [name, recall])
  assert.deepEqual(await set(true), { name: 'boat', context: BOAT, recall: true })
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { recall: true })
  assert.deepEqual(await listed(), [['boat', true]])
  assert.equal((await client.json(200, 'PUT', '/api/projects/boat', { body: { context: 'new' } })).recall, true)
  write('projects/boat/project.json', '// Ours.\n{ "recall": false } // for now\n')
  assert.deepEqual(await listed(), [['boat', false]])
  assert.equal((await set(true)).recall, true)
  assert.equal(readFileSync(file, 'utf8'), '// Ours.\n{ "recall": true } // for now\n')

  await client.problem(404, 'not-found', 'PATCH', '/api/projects/car', { body: { recall: true } })
  for (const body of [{}, { recall: 'yes' }, { recall: true, more: 1 }])
    await client.problem(400, 'invalid', 'PATCH', '/api/projects/boat', { body })
  write('projects/boat/project.json', '{ "recal": true }')
  assert.deepEqual(await listed(), [['boat', false]], 'a file that is wrong switches nothing on')
  const { detail } = await client.problem(409, 'conflict', 'PATCH', '/api/projects/boat', { body: { recall: true } })
  assert.equal(detail, `${file}: recal: there is no such setting; did you mean "recall"?; until that is fixed nothing is written`)
})
