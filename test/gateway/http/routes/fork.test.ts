// The contract's POST …/fork, the listings of forks, families and archived sessions, and POST …/title.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionId } from '../../../../src/model/ids.ts'
import { says, scriptedProvider } from '../../../../src/testing/scripted.ts'
import { gate, isEvent, until } from '../../../support/engine.ts'
import { PNG } from '../../../support/files.ts'
import { startGateway } from '../../../support/gateway.ts'
import { type Client, clientOf, type Json } from '../client.ts'

const forkOf = async (client: Client, session: string, at: number): Promise<Json> =>
  client.json(201, 'POST', `${session}/fork`, { body: { at } })
const pathOf = ({ id }: Json): string => `/api/sessions/${id}`
const idOf = (path: string): SessionId => path.split('/').at(-1) as SessionId
const listed = async (client: Client, query: string): Promise<string[]> =>
  (await client.json(200, 'GET', `/api/sessions?${query}`)).items.map((item: Json) => item.id)
const textsOf = (events: readonly Json[]): string[] => events.flatMap(event => event.text ?? event.parts?.[0]?.text ?? [])

test('a message is edited by a fork before it: everything else is as it was', async t => {
  const { url } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open({ title: 'Boats', policy: 'recent' })
  await client.talk(session, 'one', 'two')
  const events = await client.events(session)
  const two = events.find(event => event.text === 'two').seq
  const fork = await forkOf(client, session, two - 1)
  const { createdAt, updatedAt, id, ...rest } = fork
  assert.deepEqual(rest, {
    title: 'Boats',
    preview: 'one',
    agent: 'assistant',
    council: null,
    project: null,
    policy: 'recent',
    policyChosen: true,
    model: null,
    archived: false,
    messages: 2,
    parent: { session: idOf(session), at: two - 1 },
    family: idOf(session),
  })
  assert.notEqual(id, idOf(session))
  assert.ok(createdAt <= updatedAt)
  const copied = await client.events(pathOf(fork))
  assert.deepEqual(
    copied.map(({ session: _, ...event }) => event),
    events.slice(0, two - 1).map(({ session: _, ...event }) => event),
  )
  await client.talk(pathOf(fork), 'two, but better')
  const said = textsOf(await client.events(pathOf(fork)))
  assert.ok(said.includes('two, but better') && !said.includes('two'))
  assert.deepEqual(await client.json(200, 'GET', pathOf(fork)).then(({ family }) => family), idOf(session))

  const first = await forkOf(client, session, 0)
  assert.deepEqual([first.messages, first.preview, first.title], [0, null, 'Boats'])
  assert.deepEqual(await client.events(pathOf(first)), [])
  await client.talk(pathOf(first), 'another beginning')
  assert.equal(textsOf(await client.events(session)).length, 4, 'the first session is as it was')
})

test('a message is answered anew by a fork at it, and resume', async t => {
  const { url, engine } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  await client.talk(session, 'one')
  const fork = await forkOf(client, session, 1)
  const { turns } = await client.json(202, 'POST', `${pathOf(fork)}/resume`, { body: {} })
  assert.equal(turns.length, 1)
  await until(engine, fork.id, signal => isEvent(signal, 'turn.ended'))
  const sent = await client.json(200, 'GET', `${pathOf(fork)}/turns/${turns[0]}/context`)
  assert.equal(sent.verified, true)
  await client.problem(409, 'conflict', 'POST', `${pathOf(fork)}/resume`, { body: {} })
})

test('a message that was said while a reply ran is edited by naming it, and the reply is in the fork', async t => {
  const { speaking, released } = { speaking: gate(), released: gate() }
  const provider = scriptedProvider([
    async function* () {
      yield { type: 'text', text: 'One' } as const
      speaking.open()
      await released.passed
      yield* says(', two.')
    },
    says('Three.'),
  ])
  const { url, engine } = await startGateway(t, { provider })
  const client = clientOf(url)
  const session = await client.open()
  await client.json(202, 'POST', `${session}/messages`, { body: { text: 'Count' } })
  await speaking.passed
  const { seq } = await client.json(202, 'POST', `${session}/messages`, { body: { text: 'Go on' } })
  released.open()
  await until(engine, idOf(session), signal => isEvent(signal, 'turn.ended') && signal.event.seq > seq + 3)
  const body = { at: seq - 1, redo: seq }
  const fork = await client.json(201, 'POST', `${session}/fork`, { body })
  assert.deepEqual(fork.parent, { session: idOf(session), at: seq - 1, kept: 2 })
  assert.deepEqual(textsOf(await client.events(pathOf(fork))), ['Count', 'One, two.'])
})

test('what cannot be forked is said with what to do', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'one')
  const { length } = await client.events(session)
  const { detail } = await client.problem(400, 'invalid', 'POST', `${session}/fork`, { body: { at: length + 1 } })
  assert.match(detail, new RegExp(`^at: .* give a seq from 0 to ${length}$`))
  for (const redo of [0, 3, -1, '1', null])
    await client.problem(400, 'invalid', 'POST', `${session}/fork`, { body: { at: 1, redo } })
  for (const body of [{}, { at: -1 }, { at: 1.5 }, { at: '1' }, { at: null }, { at: 1, more: true }, []])
    await client.problem(400, 'invalid', 'POST', `${session}/fork`, { body })
  await client.problem(404, 'not-found', 'POST', '/api/sessions/ses_none/fork', { body: { at: 0 } })
  assert.deepEqual(await listed(client, ''), [idOf(session)])
})

test('files of the parent are in the fork, and outlive the parent', async t => {
  const { url, engine } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  const parts = [{ type: 'image', name: 'boat.png', mediaType: 'image/png', data: PNG }]
  await client.json(202, 'POST', `${session}/messages`, { body: { text: 'look', parts } })
  await until(engine, idOf(session), signal => isEvent(signal, 'turn.ended'))
  const fork = await forkOf(client, session, 5)
  assert.equal((await client.ask('DELETE', session)).status, 204)
  for await (const { verdict, detail } of engine.verify(fork.id)) assert.equal(verdict, 'identical', detail ?? '')
  const [{ name, hash }] = (await client.events(pathOf(fork)))[0].parts
  assert.equal(name, 'boat.png')
  assert.equal((await client.ask('GET', `${pathOf(fork)}/files/${hash}`)).status, 200)
  const again = await client.json(200, 'GET', pathOf(fork))
  assert.deepEqual([again.parent, again.family], [{ session: idOf(session), at: 5 }, idOf(session)])
})

test('forks are listed by parent and by family, and archived ones alone or not at all', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'drizzle')
  const child = await forkOf(client, session, 5)
  const grandchild = await forkOf(client, pathOf(child), 1)
  const stranger = await client.open()
  assert.deepEqual(await listed(client, `parent=${idOf(session)}`), [child.id])
  assert.deepEqual(await listed(client, `parent=${child.id}`), [grandchild.id])
  assert.deepEqual(await listed(client, `parent=${idOf(stranger)}`), [])
  assert.deepEqual((await listed(client, `family=${idOf(session)}`)).sort(), [idOf(session), child.id, grandchild.id].sort())
  assert.deepEqual(await listed(client, `family=${idOf(stranger)}`), [idOf(stranger)])
  assert.deepEqual(await listed(client, 'family=ses_none'), [])
  const page = await client.json(200, 'GET', `/api/sessions?family=${idOf(session)}&limit=2`)
  const rest = await client.json(200, 'GET', `/api/sessions?family=${idOf(session)}&limit=2&cursor=${page.next}`)
  assert.deepEqual([page.items.length, rest.items.length, rest.next], [2, 1, null])

  await client.json(200, 'PATCH', pathOf(child), { body: { archived: true } })
  assert.deepEqual(await listed(client, 'archived=true'), [child.id])
  assert.ok(!(await listed(client, 'archived=false')).includes(child.id))
  assert.equal((await listed(client, '')).length, 4, 'as before, all of them')
  assert.deepEqual(await listed(client, 'query=drizzle&archived=true'), [child.id])
  assert.deepEqual((await listed(client, 'query=drizzle&archived=false')).sort(), [idOf(session), grandchild.id].sort())
  await client.problem(400, 'invalid', 'GET', '/api/sessions?archived=maybe')
  assert.equal((await forkOf(client, pathOf(child), 1)).archived, false, 'whoever forks it wants to work with it')
})

test('a session is named on demand, and never by itself', async t => {
  const { url, engine } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  await client.problem(409, 'conflict', 'POST', `${session}/title`, { body: {} })
  await client.talk(session, 'why do boats float on water at all?')
  assert.equal((await client.json(200, 'GET', session)).title, null)
  const { turns } = await client.json(202, 'POST', `${session}/title`, { body: {} })
  await until(engine, idOf(session), signal => isEvent(signal, 'session.changed'))
  const { title, messages } = await client.json(200, 'GET', session)
  assert.deepEqual([title, messages], ['Why do boats float on water', 2])
  const sent = await client.json(200, 'GET', `${session}/turns/${turns[0]}/context`)
  assert.deepEqual([sent.verified, sent.receipt.voice], [true, 'house:title'])
  assert.equal((await listed(client, 'query=scripted')).length, 0)
  await client.problem(409, 'conflict', 'POST', `${session}/title`, { body: {} })
  await client.problem(400, 'invalid', 'POST', `${session}/title`, { body: { title: 'mine' } })
  await client.problem(404, 'not-found', 'POST', '/api/sessions/ses_none/title', { body: {} })
})
