// The contract's §4: sessions as a program sees them, and what it gets for what is not there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../../support/gateway.ts'
import { type Client, clientOf, type Json } from '../client.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('a session is opened, shown, renamed, archived and deleted for good', async t => {
  const client = clientOf((await startGateway(t)).url)
  const opened = await client.json(201, 'POST', '/api/sessions', { body: { title: '  Plans ', policy: 'recent' } })
  assert.match(opened.id, /^ses_[a-z0-9]{26}$/)
  const { title, agent, council, project, policy, messages } = opened
  assert.deepEqual(
    { title, agent, council, project, policy, messages },
    { title: 'Plans', agent: 'assistant', council: null, project: null, policy: 'recent', messages: 0 },
  )
  assert.match(opened.createdAt, ISO)
  assert.equal(opened.updatedAt, opened.createdAt)

  const path = `/api/sessions/${opened.id}`
  assert.deepEqual(await client.json(200, 'GET', path), opened)
  const renamed = await client.json(200, 'PATCH', path, { body: { title: 'Other plans', archived: true, policy: 'full' } })
  assert.deepEqual(renamed, { ...opened, title: 'Other plans', archived: true, policy: 'full' })
  assert.deepEqual(await client.json(200, 'GET', path), renamed)
  assert.equal((await client.json(200, 'PATCH', path, { body: { title: null } })).title, null)

  await client.talk(path, 'Hello')
  const talked = await client.json(200, 'GET', path)
  assert.equal(talked.messages, 2)
  assert.equal(talked.preview, 'Hello')
  assert.ok(talked.updatedAt >= opened.updatedAt)

  const removed = await client.ask('DELETE', path)
  assert.equal(removed.status, 204)
  assert.equal(await removed.text(), '')
  await client.problem(404, 'not-found', 'GET', path)
  await client.problem(404, 'not-found', 'DELETE', path)
  assert.deepEqual((await client.json(200, 'GET', '/api/sessions')).items, [])
  assert.deepEqual((await client.json(200, 'GET', '/api/sessions?query=hello')).items, [])
})

test('a session says whether whoever answers in it thinks first', async t => {
  const client = clientOf((await startGateway(t)).url)
  const wish = { thinking: true, model: 'anthropic/claude-sonnet-4-5' }
  const opened = await client.json(201, 'POST', '/api/sessions', { body: wish })
  assert.equal(opened.thinking, true)
  const path = `/api/sessions/${opened.id}`
  const isSent = async (): Promise<boolean> =>
    'thinking' in (await client.json(200, 'POST', `${path}/context`, { body: { text: 'Why?' } })).request.body
  assert.ok(await isSent())
  assert.equal((await client.json(200, 'PATCH', path, { body: { thinking: false } })).thinking, false)
  assert.ok(!(await isSent()))
  await client.json(200, 'PATCH', path, { body: { thinking: true } })
  const forked = await client.json(201, 'POST', `${path}/fork`, { body: { at: 1 } })
  assert.equal(forked.thinking, true)
  await client.json(200, 'PATCH', path, { body: { thinking: null } })
  assert.ok(!(await isSent()), 'it follows the agent again')
  await client.problem(400, 'invalid', 'POST', '/api/sessions', { body: { thinking: 'yes' } })
})

test('without a body a session is opened all the same', async t => {
  const client = clientOf((await startGateway(t)).url)
  assert.equal((await client.json(201, 'POST', '/api/sessions')).title, null)
})

test('every change is an event, and a change that is refused is none', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.json(200, 'PATCH', session, { body: { title: 'One' } })
  await client.problem(400, 'invalid', 'PATCH', session, { body: { title: 'Two', policy: 'none' } })
  const events = await client.events(session)
  assert.deepEqual(
    events.map(({ type, changes }) => ({ type, changes })),
    [{ type: 'session.changed', changes: { title: 'One' } }],
  )
})

const UNKNOWN = 'ses_00000000000000000000000000'

/** Every route that takes a session's id, with a request that would succeed if the session were there. */
const ROUTES: readonly (readonly [method: string, rest: string, body?: object | undefined, accept?: string])[] = [
  ['GET', ''],
  ['PATCH', '', { title: 'New' }],
  ['DELETE', ''],
  ['POST', '/messages', { text: 'Hello' }],
  ['POST', '/messages', { text: 'Hello' }, 'text/event-stream'],
  ['GET', '/events'],
  ['GET', '/events?after=1'],
  ['GET', '/events', undefined, 'text/event-stream'],
  ['POST', '/cancel', {}],
  ['POST', '/marks', { seq: 1, mark: 'pin' }],
  ['GET', '/turns/trn_00000000000000000000000000/context'],
  ['POST', '/context', { text: 'Hello' }],
]

test('an id that never was, one that is gone and one that cannot be give the same bytes', async t => {
  const client = clientOf((await startGateway(t)).url)
  const gone = await client.open()
  await client.talk(gone, 'Soon forgotten')
  assert.equal((await client.ask('DELETE', gone)).status, 204)
  const answer = async (id: string, [method, rest, body, accept]: (typeof ROUTES)[number]): Promise<object> => {
    const asked = { ...(body === undefined ? {} : { body }), headers: { accept: accept ?? '*/*' } }
    const response = await client.ask(method, `/api/sessions/${id}${rest}`, asked)
    const { date: _, ...headers } = Object.fromEntries(response.headers)
    return { status: response.status, headers, body: await response.text() }
  }
  const missing = ROUTES.map(route => answer(UNKNOWN, route))
  for (const [index, route] of ROUTES.entries()) {
    const expected = (await missing[index]) as { status: number; headers: Json; body: string }
    assert.equal(expected.status, 404, route.join(' '))
    assert.equal(expected.headers['content-type'], 'application/problem+json')
    assert.equal(JSON.parse(expected.body).detail, 'there is no session of that id')
    for (const id of [
      gone.split('/').at(-1) ?? '',
      'ses_x',
      'trn_1',
      'nonsense',
      `${UNKNOWN.toUpperCase()}`,
      '%00',
      "'; drop table",
    ])
      assert.deepEqual(await answer(encodeURIComponent(decodeURIComponent(id)), route), expected, `${id} ${route.join(' ')}`)
  }
  const there = (await client.open()).split('/').at(-1) ?? ''
  assert.equal(((await answer(there, ['GET', ''])) as { status: number }).status, 200)
})

test("another session's turn is as unknown as any", async t => {
  const client = clientOf((await startGateway(t)).url)
  const [mine, other] = [await client.open(), await client.open()]
  await client.talk(mine, 'Mine')
  await client.talk(other, 'Theirs')
  const turnOf = async (session: string): Promise<string> =>
    (await client.events(session)).find(event => event.type === 'turn.started').turn
  const foreign = await client.problem(404, 'not-found', 'GET', `${mine}/turns/${await turnOf(other)}/context`)
  const random = await client.problem(404, 'not-found', 'GET', `${mine}/turns/trn_00000000000000000000000000/context`)
  assert.deepEqual(foreign, random)
  await client.json(200, 'GET', `${mine}/turns/${await turnOf(mine)}/context`)
  await client.problem(404, 'not-found', 'GET', `${mine}/turns/${await turnOf(mine)}/context?step=2`)
  await client.problem(400, 'invalid', 'GET', `${mine}/turns/${await turnOf(mine)}/context?step=x`)
})

test('a place that does not exist is a problem that names it', async t => {
  const client = clientOf((await startGateway(t)).url)
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['GET', '/api'],
    ['GET', '/api/sessions/'],
    ['PUT', '/api/sessions'],
    ['DELETE', '/api/sessions'],
    ['POST', '/healthz'],
  ] as const)
    assert.equal((await client.problem(404, 'not-found', method, path)).detail, `there is nothing at ${method} ${path}`)
})

async function pages(client: Client, query: string): Promise<string[][]> {
  const found: string[][] = []
  let cursor = ''
  do {
    const page = await client.json(200, 'GET', `/api/sessions?${query}${cursor}`)
    found.push(page.items.map((item: Json) => item.title))
    cursor = page.next === null ? '' : `&cursor=${encodeURIComponent(page.next)}`
  } while (cursor !== '')
  return found
}

test('a listing is newest first and pages without losing or repeating anything, even at one instant', async t => {
  const frozen = Date.parse('2026-01-02T12:00:00.000Z')
  let now = frozen
  const client = clientOf((await startGateway(t, { clock: () => now })).url)
  for (let index = 0; index < 7; index += 1) {
    now = frozen + Math.floor(index / 3) * 1000
    await client.open({ title: `${index}` })
  }
  const all = (await pages(client, 'limit=200')).flat()
  assert.deepEqual(all[0], '6')
  assert.deepEqual([...all].sort(), ['0', '1', '2', '3', '4', '5', '6'])
  assert.deepEqual(new Set(all.slice(1, 4)), new Set(['3', '4', '5']))
  for (const limit of [1, 2, 3, 6, 7, 8]) {
    const paged = await pages(client, `limit=${limit}`)
    assert.deepEqual(paged.flat(), all)
    assert.ok(paged.slice(0, -1).every(page => page.length === limit))
  }
  for (const wrong of ['limit=0', 'limit=201', 'limit=x', 'limit=-1', 'limit=1.5', 'cursor=nonsense', `query=${'x'.repeat(501)}`])
    await client.problem(400, 'invalid', 'GET', `/api/sessions?${wrong}`)
  await client.json(200, 'GET', '/api/sessions?limit=200&nonsense=1')
})

test('a search finds titles and what was said, and shows where', async t => {
  const client = clientOf((await startGateway(t)).url)
  const about = await client.open({ title: 'Tides' })
  const words = 'We spoke at length about the moon and why it pulls the water towards itself twice a day, every day.'
  await client.talk(about, 'Hello', words, 'Thank you')
  await client.open({ title: 'Moonlight sonata' })
  await client.open({ title: 'Nothing of the kind' })

  const { items, next } = await client.json(200, 'GET', '/api/sessions?query=moon')
  assert.equal(next, null)
  assert.deepEqual(
    items.map((item: Json) => item.title),
    ['Tides', 'Moonlight sonata'],
  )
  const events = await client.events(about)
  const hit = events.find(event => event.seq === items[0].seq)
  assert.match(hit.type, /^(message\.received|reply\.finished)$/)
  assert.match(items[0].snippet, /moon/)
  assert.ok(items[0].snippet.length < 200)
  assert.equal(items[1].snippet, undefined)
  for (const query of ['', '"', '*', 'moon"', 'moon OR', 'NEAR(', '-', '%', "' or 1=1", '🌙'])
    await client.json(200, 'GET', `/api/sessions?query=${encodeURIComponent(query)}`)
  assert.deepEqual((await client.json(200, 'GET', '/api/sessions?query=unheardof')).items, [])
})
