// The OpenAPI document: it describes every route with an id and a typed answer, and real answers are as it says.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Engine } from '../../../src/engine.ts'
import { type AppOptions, createApp, routesOf } from '../../../src/gateway/http/app.ts'
import type { Route } from '../../../src/gateway/http/route.ts'
import { createStreams } from '../../../src/gateway/http/streams.ts'
import { NO_AGENTS, openAgents } from '../../../src/gateway/workspace/agents.ts'
import { NO_COUNCILS, openCouncils } from '../../../src/gateway/workspace/councils.ts'
import { openProjects } from '../../../src/gateway/workspace/projects.ts'
import { openWorkspace } from '../../../src/gateway/workspace/workspace.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { startFake } from '../../../src/testing/index.ts'
import { type PlainTool, toolbox } from '../../../src/tool/toolbox.ts'
import { must } from '../../log/facts.ts'
import { isEvent, until } from '../../support/engine.ts'
import { PNG } from '../../support/files.ts'
import { startGateway } from '../../support/gateway.ts'
import { temporary } from './child.ts'
import { clientOf, type Json } from './client.ts'

const ignore = (): void => undefined

const OPTIONS = (engine: Engine): AppOptions => ({
  engine,
  streams: createStreams({ most: 1, pace: undefined, onBug: ignore }),
  metrics: () => '',
  troubles: async () => [],
  onBug: ignore,
})

const pathOf = (path: string): string => path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')

type Operation = { readonly path: string; readonly method: string; readonly operation: Json }

const operationsIn = (document: Json): readonly Operation[] =>
  Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

test('the description lists exactly the routes there are', async t => {
  const { engine, url } = await startGateway(t)
  const app = createApp(OPTIONS(engine))
  const routes = app.routes.map(({ method, path }) => `${method} ${pathOf(path)}`)
  const document = await clientOf(url).json(200, 'GET', '/openapi.json')
  const described = operationsIn(document).map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  assert.deepEqual(described.sort(), routes.sort())
})

test('every operation has an id of its own, a summary, a typed answer and a typed problem', async t => {
  const document = await clientOf((await startGateway(t)).url).json(200, 'GET', '/openapi.json')
  const operations = operationsIn(document)
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, operations.length)
  for (const { path, method, operation } of operations) {
    const name = `${method} ${path}`
    assert.match(operation.operationId, /^[a-z][A-Za-z]+$/, name)
    assert.ok(operation.summary.length > 0, name)
    const answers = Object.entries(operation.responses as Record<string, Json>)
    assert.ok(
      answers.some(([status]) => status.startsWith('2')),
      name,
    )
    for (const [status, { content, description }] of answers) {
      assert.ok(description.length > 0, `${name} ${status}`)
      if (status === '204') assert.equal(content, undefined, name)
      else
        for (const [type, media] of Object.entries<Json>(content)) assert.ok(isTyped(media.schema), `${name} ${status} ${type}`)
      assert.ok(status === '204' || Object.keys(content).length > 0, `${name} ${status}`)
    }
  }
  const named = new Set(Object.keys(document.components.schemas).map(name => `#/components/schemas/${name}`))
  for (const [, ref] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) assert.ok(named.has(ref ?? ''), `${ref}`)
})

const isTyped = (schema: Json): boolean =>
  ['$ref', 'type', 'anyOf', 'oneOf'].some(key => schema !== undefined && Object.hasOwn(schema, key))

test('bodies are described as the gateway takes them', async t => {
  const document = await clientOf((await startGateway(t)).url).json(200, 'GET', '/openapi.json')
  const bodyOf = (path: string, method: string): Json =>
    document.paths[path][method].requestBody.content['application/json'].schema
  const messages = bodyOf('/v1/chat/completions', 'post').properties.messages.items
  const contentOf = (role: string): Json =>
    (messages.oneOf ?? messages.anyOf).find((each: Json) =>
      [each.properties.role.const, ...(each.properties.role.enum ?? [])].includes(role),
    ).properties.content
  for (const role of ['system', 'user', 'assistant', 'tool'])
    assert.ok(
      [contentOf(role)]
        .flatMap((each: Json) => [each, ...(each.anyOf ?? [])])
        .some((each: Json) => JSON.stringify(each).includes('"type":"string"')),
      role,
    )
  // What came from here may be sent back, with its key in it.
  for (const path of ['/api/agents/{key}', '/api/councils/{key}']) {
    const body = bodyOf(path, 'put')
    assert.equal(body.additionalProperties, false)
    assert.deepEqual(body.properties.key, { type: 'string' })
  }
  const limit = document.paths['/api/sessions'].get.parameters.find((each: Json) => each.name === 'limit')
  assert.deepEqual(limit, { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 200 } })
  assert.equal(document.paths['/api/sessions'].post.requestBody.required, false)
  assert.equal(document.paths['/api/sessions/{id}/messages'].post.requestBody.required, true)
})

/** An answer has the media type that was declared for its status, and nothing in it that the schema does not name. */
function checkAnswer(route: Route | undefined, response: Response, text: string): void {
  assert.ok(route)
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  const declared = route.answers.filter(({ status }) => status === response.status)
  if (response.status === 204) assert.equal(text, '')
  if (response.status === 204) return
  const media = declared.flatMap(({ content }) => Object.entries(content)).find(([each]) => each === type)
  assert.ok(media, `${route.operationId} answered with ${type}`)
  const [, schema] = media
  if (schema === undefined) return
  const answer = JSON.parse(text)
  const parsed = schema().safeParse(answer)
  assert.ok(parsed.success, `${route.operationId}: ${parsed.error?.message}`)
  assert.deepEqual(parsed.data, answer, route.operationId)
}

/**
 * What these answer when all is well takes a council, a file, something to continue, Telegram, or an MCP server: see the tests
 * below, and those of their routes.
 */
const ELSEWHERE: readonly string[] = [
  'finishMcpSignIn',
  'forgetTelegramChat',
  'getMcpPrompt',
  'getMcpServerLog',
  'getSources',
  'importSessions',
  'listMcpPrompts',
  'listMcpResources',
  'pairTelegram',
  'readMcpResource',
  'restartMcpServer',
  'resumeTurns',
  'signInToMcpServer',
  'signOutOfMcpServer',
  'startRounds',
  'synthesize',
]

const asking: PlainTool = {
  spec: { name: 'write', description: 'Writes', parameters: { type: 'object' } },
  approval: 'ask',
  run: async () => ({ ok: true, outcome: 'written' }),
}

test('the description is whole, and every operation answers as it says', async t => {
  const councils = openCouncils(join(temporary(t), 'councils.json'), NO_COUNCILS.setting)
  assert.ok(councils.ok)
  const agents = openAgents(join(temporary(t), 'agents.json'), NO_AGENTS.setting)
  assert.ok(agents.ok)
  const home = join(temporary(t), 'home')
  const { windows, memory, connections, editable } = must(openWorkspace({ TURNWISE_HOME: home }, { create: true }))
  const kept = { agents: agents.value, projects: openProjects(temporary(t)), windows, memory, connections, editable }
  const server = await startFake({ wire: 'openai' })
  t.after(() => server.close())
  const { url, engine } = await startGateway(t, { toolbox: toolbox([asking]), councilsFile: councils.value, kept })
  const client = clientOf(url)
  const waiting = await client.open()
  await client.json(202, 'POST', `${waiting}/messages`, { body: { text: 'use write {}' } })
  await until(engine, waiting.split('/').at(-1) as SessionId, signal => isEvent(signal, 'approval.asked'))
  const { items } = await client.json(200, 'GET', '/api/approvals')
  assert.deepEqual(items[0].argv, ['write', '{}'])
  const document = await client.json(200, 'GET', '/openapi.json')
  assert.equal(document.openapi, '3.1.0')
  assert.ok(document.components.schemas.Problem)
  const session = await client.open()
  await client.talk(session, 'Hello')
  const planned = (await client.events(session)).find(event => event.type === 'context.planned')
  const { turn } = planned
  const parts = [{ type: 'image', name: 'photo.png', mediaType: 'image/png', data: PNG }]
  await (
    await client.ask('POST', `${session}/messages`, { body: { text: '', parts }, headers: { accept: 'text/event-stream' } })
  ).text()
  const { hash } = (await client.events(session)).find(event => event.parts?.[0]?.type === 'image').parts[0]
  const bodies: Readonly<Record<string, object>> = {
    'put /api/agents/{key}': { name: 'Ann', prompt: 'You ask.' },
    'put /api/projects/{name}': { context: 'We build a boat.' },
    'put /api/providers/{name}': { baseURL: server.url, apiKey: 'sk-decoy' },
    'patch /api/settings': { limits: { steps: 20 } },
    'post /api/mcp/{name}/prompts/get': { name: 'review' },
    'post /api/mcp/{name}/resources/read': { uri: 'notes://today' },
    'post /api/quote': { text: 'Hello' },
    'put /api/councils/{key}': { name: 'Board', advisors: [{ name: 'Ann', description: 'You ask.' }] },
    'post /api/councils/{key}/advisors': { advisors: [{ name: 'Ben', description: 'You doubt.' }] },
    'post /api/sessions': {},
    'post /api/approvals/{id}': { answer: 'always' },
    'patch /api/sessions/{id}': { title: 'New' },
    'patch /api/memory': { from: 'project' },
    'patch /api/projects/{name}': { recall: true },
    'post /api/policies/bench': { policies: ['steady'] },
    'post /api/sessions/{id}/folds': { by: 'extract', from: 2 },
    'patch /api/sessions/{id}/folds/{seq}': { text: 'They greeted each other.' },
    'patch /api/models': { name: 'ollama/small', window: 16_384 },
    'post /api/sessions/{id}/fork': { at: 1 },
    'post /api/sessions/{id}/title': {},
    'post /api/sessions/{id}/messages': { text: 'Hello' },
    'post /api/councils/{key}/suggestions': { question: 'Should we open a second shop?' },
    'post /api/sessions/{id}/cancel': {},
    'post /api/sessions/{id}/resume': {},
    'post /api/sessions/{id}/rounds': { rounds: 1 },
    'post /api/sessions/{id}/synthesis': { mode: 'brief' },
    'post /api/sessions/{id}/quote': { text: 'Hello' },
    'post /api/telegram/pairings': {},
    'post /api/sessions/{id}/marks': { seq: 1, mark: 'pin' },
    'post /api/sessions/{id}/context': { text: 'Hello' },
    'post /v1/chat/completions': { model: 'demo', messages: [{ role: 'user', content: 'Hello' }] },
    'post /api/chat': {
      id: session.split('/').at(-1),
      message: { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
    },
  }
  const order = ['put', 'post', 'patch', 'get', 'delete']
  // What belongs to a session is deleted before the session.
  const depth = ({ method, path }: Operation): number => (method === 'delete' ? -path.length : 0)
  const operations = operationsIn(document).toSorted(
    (a, b) => order.indexOf(a.method) - order.indexOf(b.method) || depth(a) - depth(b),
  )
  const routes = new Map(routesOf(OPTIONS(engine)).map(each => [`${each.method} ${pathOf(each.path)}`, each]))
  const unread: string[] = []
  for (const { path, method, operation } of operations) {
    const parameters = (operation.parameters ?? []).filter((each: Json) => each.in === 'path').map((each: Json) => each.name)
    assert.deepEqual(
      parameters,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    )
    assert.ok(operation.summary.length > 0)
    const trouble = path.startsWith('/v1/') ? 'application/json' : 'application/problem+json'
    assert.ok(operation.responses.default.content[trouble])
    const schema = operation.requestBody?.content['application/json']?.schema
    assert.equal(schema?.type, bodies[`${method} ${path}`] === undefined ? undefined : 'object', `${method} ${path}`)
    const ids: Readonly<Record<string, string>> = {
      '/api/approvals/{id}': items[0].approval,
      '/api/receipts/{id}': planned.receipt.id,
      '/v1/models/{id}': 'demo',
      '/api/grants/{id}': '1',
    }
    const id = ids[path] ?? session.split('/').at(-1) ?? ''
    const folds = path.includes('/folds/') ? (await client.json(200, 'GET', `${session}/folds`)).items : []
    const fold = folds.findLast((each: Json) => each.counts)?.seq ?? 1
    const real = path
      .replace('{id}', id)
      .replace('/folds/{seq}', `/folds/${fold}`)
      .replace('{turn}', turn)
      .replace('{key}', 'board')
      .replace('{name}', 'boat')
      .replace('{hash}', hash)
      .replace('{seq}', '1')
    const body = bodies[`${method} ${path}`]
    const response = await client.ask(method.toUpperCase(), real, body === undefined ? {} : { body })
    const text = await response.text()
    assert.ok(operation.responses[response.status], `${method} ${path} gave ${response.status}`)
    if (!response.ok) unread.push(operation.operationId)
    else checkAnswer(routes.get(`${method} ${path}`), response, text)
  }
  assert.deepEqual(
    unread.filter(id => !ELSEWHERE.includes(id)),
    [],
  )
})

test('what a council and an imported file answer is as it says, too', async t => {
  const council = { name: 'Board', advisors: [{ name: 'Ann', description: 'You ask.' }] }
  const councils = openCouncils(join(temporary(t), 'councils.json'), NO_COUNCILS.setting)
  assert.ok(councils.ok)
  const { url, engine } = await startGateway(t, { councilsFile: councils.value })
  const client = clientOf(url)
  const routes = new Map(routesOf(OPTIONS(engine)).map(each => [each.operationId, each]))
  const checked = async (id: string, path: string, body?: object | string): Promise<Json> => {
    const route = routes.get(id)
    const response = await client.ask(route?.method.toUpperCase() ?? '', path, body === undefined ? {} : { body })
    const text = await response.text()
    assert.ok(response.ok, text)
    checkAnswer(route, response, text)
    return JSON.parse(text)
  }
  await checked('putCouncil', '/api/councils/board', council)
  const session = `/api/sessions/${(await checked('openSession', '/api/sessions', { council: 'board' })).id}`
  await client.talk(session, 'Shall we?')
  const follower = await client.follow(session)
  const ended = (): Promise<unknown> => follower.until(frame => frame.event === 'turn.ended')
  await ended()
  await checked('startRounds', `${session}/rounds`, { rounds: 1 })
  await ended()
  const made = await checked('synthesize', `${session}/synthesis`, { mode: 'positions' })
  await ended()
  await follower.hangUp()
  await checked('getSources', `${session}/turns/${made.turns[0]}/sources`)
  await checked('listEvents', `${session}/events`)
  await checked('quoteMessage', `${session}/quote`, { text: 'And now?' })
  await checked('listPresence', `${session}/events/1/presence`)
  const archive = await (await client.ask('GET', `${session}/export`)).text()
  await client.ask('DELETE', session)
  const { sessions } = await checked('importSessions', '/api/import', archive)
  assert.equal(sessions, 1)
  const page = await checked('listSessions', '/api/sessions?query=shall')
  assert.equal(typeof page.items[0].snippet, 'string')
})
