// The contract's §4: agents over HTTP, written to the file of the workspace.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openWorkspace } from '../../../../../src/gateway/workspace/workspace.ts'
import type { Scope } from '../../../../support/gateway.ts'
import { startWorkspace, type TestWorkspace } from '../../../../support/workspace.ts'
import { type Client, clientOf, type Json } from '../../client.ts'

const ANN = { name: 'Ann', prompt: 'You ask.', personality: 'Calm.', example: { a: 1 }, color: '#0a7', thinking: true }
const BEN = { name: 'Ben', prompt: 'You doubt.', model: 'demo', policy: 'recent', protocol: 'native', no_implementation: true }
const PATH = '/api/agents/ann'

async function start(t: Scope, file: object | undefined): Promise<TestWorkspace & { readonly client: Client }> {
  const workspace = await startWorkspace(t, file === undefined ? {} : { 'agents.json': file })
  return { ...workspace, client: clientOf(workspace.url) }
}

const textIn = ({ home }: { readonly home: string }): string => readFileSync(join(home, 'agents.json'), 'utf8')

const keptIn = (workspace: { readonly home: string }): Json => JSON.parse(textIn(workspace).replace(/^\/\/.*\n/gm, ''))

const keysOf = async (client: Client): Promise<string[]> =>
  (await client.json(200, 'GET', '/api/agents')).items.map(({ key }: Json) => key)

test('an agent is shown as it is written, and written as it is sent, with or without its key', async t => {
  const started = await start(t, { base_guidance: 'Be brief.', agents: { ann: ANN, ben: BEN } })
  const { client } = started
  assert.deepEqual(await client.json(200, 'GET', PATH), { key: 'ann', ...ANN })
  const edited = { ...ANN, prompt: 'You ask again.', description: 'Asks', suffix: 'Ever.' }
  assert.deepEqual(await client.json(200, 'PUT', PATH, { body: edited }), { key: 'ann', ...edited })
  assert.deepEqual(await client.json(200, 'PUT', '/api/agents/cy', { body: { key: 'cy', name: 'Cy', prompt: 'x' } }), {
    ...{ key: 'cy', name: 'Cy', prompt: 'x' },
  })
  assert.deepEqual(await client.json(200, 'GET', PATH), { key: 'ann', ...edited })
  assert.deepEqual(await keysOf(client), ['ann', 'ben', 'cy'], 'each keeps its place, new ones come last')
  assert.deepEqual(keptIn(started), {
    base_guidance: 'Be brief.',
    agents: { ann: edited, ben: BEN, cy: { name: 'Cy', prompt: 'x' } },
  })
})

test('the next turn speaks with the new text, and so does the gateway when it starts again', async t => {
  const { client, home } = await start(t, { base_guidance: 'Be brief.', agents: { ann: ANN } })
  const session = await client.open()
  await client.talk(session, 'Hello')
  await client.json(200, 'PUT', PATH, { body: { name: 'Anna', prompt: 'You are new.' } })
  await client.talk(session, 'Hello again')
  const turns = (await client.events(session)).flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))
  const [before, after] = await Promise.all(
    turns.map(turn => client.json(200, 'GET', `${session}/turns/${turn}/context`) as Promise<Json>),
  )
  assert.match(before.request.body.system, /^You ask\.\n\nCalm\.\n\nBe brief\./)
  assert.equal(after.request.body.system, 'You are new.\n\nBe brief.')
  assert.deepEqual([before.verified, after.verified], [true, true])
  const again = openWorkspace({ TURNWISE_HOME: home }, { create: false })
  assert.ok(again.ok)
  assert.deepEqual(again.value.agents.now().written, [{ key: 'ann', name: 'Anna', prompt: 'You are new.' }])
})

test('what the rest of the file says stays, and comments of people’s own are in agents.json.bak', async t => {
  const rest = {
    base_guidance: { implementation: 'Do it.' },
    model_config: { default: 'demo' },
    response_config: { max_tokens: 500, context_window: {} },
  }
  const started = await start(t, { ...rest, agents: { ann: ANN } })
  const { client, home, write } = started
  const text = `// mine\n${JSON.stringify({ ...rest, agents: { ann: ANN, ben: BEN } })}`
  write('agents.json', text)
  chmodSync(join(home, 'agents.json'), 0o640)
  await client.json(200, 'PUT', PATH, { body: { name: 'Ann', prompt: 'x' } })
  assert.deepEqual(keptIn(started), { ...rest, agents: { ann: { name: 'Ann', prompt: 'x' }, ben: BEN } })
  assert.equal(readFileSync(join(home, 'agents.json.bak'), 'utf8'), text)
  const modes = ['agents.json', 'agents.json.bak'].map(file => statSync(join(home, file)).mode & 0o777)
  assert.deepEqual(modes, [0o640, 0o600], 'a file keeps its mode, and a new one is its owner’s alone')
  assert.deepEqual(
    readdirSync(home).filter(name => name.endsWith('.new')),
    [],
  )
})

test('without a file there is one agent with no text; writing it makes the file, and the last one may go again', async t => {
  const started = await start(t, undefined)
  const { client, home } = started
  const plain = { key: 'assistant', name: 'Assistant', prompt: '' }
  assert.deepEqual(await client.json(200, 'GET', '/api/agents/assistant'), plain)
  assert.equal((await client.problem(404, 'not-found', 'DELETE', '/api/agents/assistant')).status, 404)
  assert.ok(!existsSync(join(home, 'agents.json')))
  const session = await client.open()
  await client.json(200, 'PUT', '/api/agents/assistant', { body: { ...plain, prompt: 'You help.' } })
  assert.deepEqual(keptIn(started), { agents: { assistant: { name: 'Assistant', prompt: 'You help.' } } })
  const wouldSend = async (): Promise<string> =>
    (await client.json(200, 'POST', `${session}/context`, { body: { text: 'Hello' } })).request.body.system
  assert.equal(await wouldSend(), 'You help.')
  const gone = await client.ask('DELETE', '/api/agents/assistant')
  assert.deepEqual([gone.status, await gone.text()], [204, ''])
  assert.deepEqual(await client.json(200, 'GET', '/api/agents/assistant'), plain)
  assert.equal(await wouldSend(), '')
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'ready', reasons: [] })
})

test('an agent that is gone answers in no new session, and its old ones go on with the plain one', async t => {
  const { client } = await start(t, { agents: { ann: ANN, ben: BEN } })
  const session = await client.open({ agent: 'ben' })
  assert.equal((await client.ask('DELETE', '/api/agents/ben')).status, 204)
  assert.equal((await client.problem(404, 'not-found', 'GET', '/api/agents/ben')).detail, 'there is no agent "ben"; known: ann')
  assert.equal(
    (await client.problem(404, 'not-found', 'DELETE', '/api/agents/ben')).detail,
    'there is no agent "ben"; known: ann',
  )
  const { detail } = await client.problem(400, 'invalid', 'POST', '/api/sessions', { body: { agent: 'ben' } })
  assert.equal(detail, 'agent: there is no "ben"; known: ann')
  await client.talk(session, 'Still there?')
  assert.equal((await client.events(session)).at(-1).reason, 'done')
})

test('what is wrong with an agent is said by its place, all of it, and nothing is written', async t => {
  const started = await start(t, { agents: { ann: ANN } })
  const { client } = started
  const before = textIn(started)
  const invalid = async (path: string, body: unknown): Promise<string> =>
    (await client.problem(400, 'invalid', 'PUT', path, { body })).detail
  assert.equal(
    await invalid(PATH, { name: 'Ann', prompt: ' ', colour: 'red', thinking: 1 }),
    'prompt: " " must not be empty; thinking: 1 expected boolean, received number; colour: there is no such setting; did you mean "color"?',
  )
  assert.match(await invalid(PATH, { ...ANN, model: 'opus-4' }), /^model: "opus-4" is not a model; /)
  assert.match(await invalid(PATH, { ...ANN, policy: 'x' }), /^policy: there is no "x"; known: /)
  assert.match(await invalid(PATH, { ...ANN, key: 'other' }), /^key: this address is for "ann"; /)
  for (const key of ['Ann', '__proto__', 'a%2fb', 'a%00', '..%2fann', 'x'.repeat(65)])
    assert.match(await invalid(`/api/agents/${key}`, { name: 'A', prompt: 'x' }), /^key: a name has lowercase letters/, key)
  assert.match(await invalid('/api/agents/constructor', { name: 'A', prompt: 'x' }), /^key: this name is reserved/)
  for (const body of ['[]', '"x"', '5']) assert.equal(await invalid(PATH, body), 'body: expected an object')
  assert.equal(textIn(started), before)
})

test('a file that is wrong is left as it is, byte for byte, until it is mended', async t => {
  const started = await start(t, { agents: { ann: ANN } })
  const { client, home, write } = started
  write('agents.json', '{ "agents": ')
  const reason = `${join(home, 'agents.json')}: line 1: ValueExpected; the file is JSON with // comments`
  for (const [method, body] of [
    ['PUT', { name: 'Ann', prompt: 'x' }],
    ['DELETE', undefined],
  ] as const) {
    const { detail } = await client.problem(409, 'conflict', method, PATH, body === undefined ? {} : { body })
    assert.equal(detail, `${reason}; until that is fixed nothing is written`)
  }
  assert.equal(textIn(started), '{ "agents": ')
  assert.deepEqual(await client.json(200, 'GET', PATH), { key: 'ann', ...ANN })
})

test('edits that come at once are all kept, and so is what is written by hand before them', async t => {
  const { client, write } = await start(t, { agents: { ann: ANN } })
  write('agents.json', { agents: { ann: ANN, hand: BEN } })
  const keys = Array.from({ length: 10 }, (_, index) => `new-${index}`)
  await Promise.all(keys.map(key => client.json(200, 'PUT', `/api/agents/${key}`, { body: { name: key, prompt: 'x' } })))
  assert.deepEqual((await keysOf(client)).sort(), ['ann', 'hand', ...keys])
})
