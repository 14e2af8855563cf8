// The contract's §2: what stands in the workspace, in the requests it shapes, and when it changes.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openWorkspace } from '../../../src/gateway/workspace/workspace.ts'
import { startFake } from '../../../src/testing/index.ts'
import { startWorkspace } from '../../support/workspace.ts'
import { command } from '../cli/in-process.ts'
import { temporary } from '../http/child.ts'
import { type Client, clientOf, type Json } from '../http/client.ts'
import { isEvent } from '../http/frames.ts'

const prompts = (...said: readonly string[]): object => ({
  agents: Object.fromEntries(said.map((prompt, index) => [`agent-${index + 1}`, { name: `Agent ${index + 1}`, prompt }])),
})

const turnsOf = async (client: Client, session: string): Promise<string[]> =>
  (await client.events(session)).flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))

/** What was sent for each of a session's turns. */
const sentIn = async (client: Client, session: string): Promise<Json[]> =>
  Promise.all((await turnsOf(client, session)).map(turn => client.json(200, 'GET', `${session}/turns/${turn}/context`)))

const wouldSend = (client: Client, session: string, more: object = {}): Promise<Json> =>
  client.json(200, 'POST', `${session}/context`, { body: { text: 'Now?', ...more } })

const systemLines = ({ receipt }: Json): Json[] => receipt.in.filter((line: Json) => line.kind === 'system')

test('an edited agent is another from its next turn on, and what was sent before still proves itself', async t => {
  const { url, write, troubles } = await startWorkspace(t, { 'agents.json': prompts('You are the old one.') })
  const client = clientOf(url)
  const session = await client.open()
  await client.talk(session, 'Hello')
  write('agents.json', prompts('You are the new one.'))
  await client.talk(session, 'Hello again')
  const [before, after] = await sentIn(client, session)
  assert.equal(before.request.body.system, 'You are the old one.')
  assert.equal(after.request.body.system, 'You are the new one.')
  assert.deepEqual([before.verified, after.verified], [true, true])
  assert.notEqual(systemLines(before)[0].hash, systemLines(after)[0].hash)
  assert.equal(systemLines(after)[0].source, 'agent agent-1')
  assert.match(after.receipt.cache.brokenBy.reason, /system\.agent/)
  assert.deepEqual(troubles, [])
})

test('an edit that cannot be used leaves the agents as they were, and is said once, and on /readyz until it is mended', async t => {
  const { url, home, write, troubles } = await startWorkspace(t, { 'agents.json': prompts('You are sound.') })
  const client = clientOf(url)
  const session = await client.open()
  const ready = (): Promise<Json> => client.json(200, 'GET', '/readyz')
  assert.deepEqual(await ready(), { status: 'ready', reasons: [] })

  const file = join(home, 'agents.json')
  const broken: readonly (readonly [unknown, string])[] = [
    ['{ "agents": ', `${file}: line 1: ValueExpected; the file is JSON with // comments`],
    ['', `${file}: agents: is missing; expected record`],
    [{ agents: { one: { name: 'One' } } }, `${file}: agents.one.prompt: is missing; expected string`],
  ]
  for (const [content, reason] of broken) {
    write('agents.json', content)
    assert.deepEqual(await ready(), { status: 'degraded', reasons: [reason] })
    await client.talk(session, 'Hello', 'Hello')
    assert.equal((await wouldSend(client, session)).request.body.system, 'You are sound.')
  }
  assert.deepEqual(
    troubles,
    broken.map(([, reason]) => reason),
  )
  rmSync(file)
  assert.deepEqual((await ready()).reasons, [`${file}: it is gone; restart to do without it`])
  assert.equal((await wouldSend(client, session)).request.body.system, 'You are sound.')
  mkdirSync(file)
  assert.match((await ready()).reasons[0], /agents\.json: it cannot be read \(EISDIR/)
  rmSync(file, { recursive: true })

  write('agents.json', prompts('You are mended.'))
  assert.deepEqual(await ready(), { status: 'ready', reasons: [] })
  assert.equal((await wouldSend(client, session)).request.body.system, 'You are mended.')
  assert.equal(troubles.length, 5)
})

test('agents may come later, be renamed and go, and their sessions go on', async t => {
  const { url, write } = await startWorkspace(t, {})
  const client = clientOf(url)
  const early = await client.open()
  assert.equal((await client.json(200, 'GET', early)).agent, 'assistant')
  write('agents.json', prompts('You are the first.', 'You are the second.'))
  const { items } = await client.json(200, 'GET', '/api/agents')
  assert.deepEqual(items, [
    { key: 'agent-1', name: 'Agent 1' },
    { key: 'agent-2', name: 'Agent 2' },
  ])
  const second = await client.open({ agent: '@ai-agent-2' })
  assert.equal((await client.json(200, 'GET', second)).agent, 'agent-2')
  const problem = await client.problem(400, 'invalid', 'POST', '/api/sessions', { body: { agent: '@ai-nobody' } })
  assert.equal(problem.detail, 'agent: there is no "@ai-nobody"; known: agent-1, agent-2')
  await client.talk(second, 'Hello')
  write('agents.json', prompts('You are alone.'))
  await client.talk(second, 'Are you still there?')
  await client.talk(early, 'And you?')
  const [before, after] = await sentIn(client, second)
  assert.equal(before.request.body.system, 'You are the second.')
  assert.equal(after.request.body.system, '')
  assert.deepEqual([before.verified, after.verified], [true, true])
})

test('a file that is wrong from the start is refused with its place', t => {
  const home = temporary(t)
  const open = (content: string): string => {
    writeFileSync(join(home, 'agents.json'), content)
    const opened = openWorkspace({ TURNWISE_HOME: home }, { create: true })
    return opened.ok ? '' : opened.fault.message
  }
  const file = join(home, 'agents.json')
  assert.equal(open('{'), `${file}: line 1: CloseBraceExpected; the file is JSON with // comments`)
  assert.equal(
    open('{ "agents": { "a": { "name": "A", "prompt": "x", "policy": "short" } } }'),
    `${file}: agents.a.policy: there is no "short"; known: steady, recent, head-tail, full, transcript, council`,
  )
  writeFileSync(join(home, 'turnwise.json'), '{ "policies": { "short": { "window": { "kind": "last", "messages": 1 } } } }')
  assert.equal(open('{ "agents": { "a": { "name": "A", "prompt": "x", "policy": "short" } } }'), '')
  writeFileSync(join(home, 'turnwise.json'), '{ "policy": "stedy" }')
  assert.match(open('{}'), /turnwise\.json: policy: there is no "stedy"; known: steady, /)
})

test('a policy of the settings can be asked for everywhere', async t => {
  const policies = { short: { extends: 'steady', window: { kind: 'last', messages: 1 } } }
  const { url } = await startWorkspace(t, { 'turnwise.json': { policy: 'short', policies } })
  const client = clientOf(url)
  const session = await client.open()
  assert.equal((await client.json(200, 'GET', session)).policy, 'short')
  await client.talk(session, 'one', 'two')
  const dry = await wouldSend(client, session)
  assert.equal(dry.receipt.policy, 'short@1')
  assert.deepEqual(
    dry.receipt.in.map((line: Json) => line.reason),
    ['current.message'],
    'the last message is an answer, which may not lead',
  )
  const { items } = await client.json(200, 'GET', '/api/policies')
  assert.deepEqual(
    items.map(({ name }: Json) => name),
    ['steady', 'recent', 'head-tail', 'full', 'transcript', 'council', 'short'],
  )
  assert.deepEqual(items.at(-1).window, { kind: 'last', messages: 1 })
  assert.equal((await client.json(200, 'PATCH', session, { body: { policy: 'recent' } })).policy, 'recent')
})

const windowed = (max: number, recent: number, more: object = {}): object => ({
  ...prompts('You are windowed.'),
  response_config: { context_window: { max_messages: max, recent_messages: recent, system_messages: 1 }, ...more },
})

test('the window of agents.json is what its agents see, and a changed one counts from the next turn', async t => {
  const { url, write } = await startWorkspace(t, { 'agents.json': windowed(5, 3) })
  const client = clientOf(url)
  const session = await client.open()
  assert.equal((await client.json(200, 'GET', session)).policy, 'head-tail')
  await client.talk(session, 'one', 'two', 'three')
  const messages = async (): Promise<number> =>
    (await wouldSend(client, session)).receipt.in.reduce((sum: number, line: Json) => sum + (line.count ?? 0), 0)
  assert.equal(await messages(), 3)
  write('agents.json', windowed(7, 3))
  assert.equal(await messages(), 7, 'seven in all')
  write('agents.json', windowed(6, 5))
  assert.equal(await messages(), 5)
  write('agents.json', prompts('You are not windowed.'))
  assert.equal(await messages(), 7, 'head-tail is the preset again')
  assert.equal((await client.json(200, 'GET', await client.open())).policy, 'steady')
})

test('max_tokens is the limit of the reply under every policy, and the room it takes is on the receipt', async t => {
  const { url } = await startWorkspace(t, {
    'agents.json': { ...prompts('You are terse.'), response_config: { max_tokens: 123 } },
  })
  const client = clientOf(url)
  const session = await client.open()
  await client.talk(session, 'Hello')
  const [sent] = await sentIn(client, session)
  assert.deepEqual([sent.receipt.tokens.reserved, sent.receipt.tokens.limit, sent.verified], [123, 32_000 - 123, true])
  for (const policy of ['steady', 'recent', 'full'])
    assert.equal((await wouldSend(client, session, { policy })).receipt.tokens.reserved, 123, policy)
})

test('what an agent says of itself counts in its sessions', async t => {
  const agent = {
    name: 'One',
    prompt: 'You are one.',
    model: 'demo',
    policy: 'recent',
    thinking: true,
    description: 'First',
    color: 'teal',
  }
  const { url } = await startWorkspace(t, {
    'agents.json': { agents: { one: agent, two: { name: 'Two', prompt: 'You are two.' } } },
  })
  const client = clientOf(url)
  const { items } = await client.json(200, 'GET', '/api/agents')
  assert.deepEqual(items, [
    { key: 'one', name: 'One', description: 'First', color: 'teal', model: 'demo', policy: 'recent', thinking: true },
    { key: 'two', name: 'Two' },
  ])
  const [one, two] = [await client.open(), await client.open({ agent: 'two' })]
  const [ones, twos] = [await wouldSend(client, one), await wouldSend(client, two)]
  assert.deepEqual([ones.receipt.voice, ones.receipt.policy, ones.receipt.inputs.thinking], ['one', 'recent@1', true])
  assert.deepEqual([twos.receipt.voice, twos.receipt.policy, twos.receipt.inputs.thinking], ['two', 'steady@1', false])
})

test('with stream false an answer is heard whole, by whoever follows', async t => {
  const heard = (stream: boolean): object => ({ ...prompts('You are heard whole.'), response_config: { stream } })
  const { url, write } = await startWorkspace(t, { 'agents.json': heard(false) })
  const client = clientOf(url)
  const session = await client.open()
  const follower = await client.follow(session)
  const whole = await (await client.say(session, 'say 50 words')).rest()
  const followed = await follower.until(isEvent('turn.ended'))
  const names = ['message.received', 'turn.started', 'context.planned', 'reply.finished', 'turn.ended']
  for (const frames of [whole, followed])
    assert.deepEqual(
      frames.map(frame => frame.event),
      names,
    )
  assert.ok(whole.find(isEvent('reply.finished'))?.data.parts[0].text.length > 100)
  await follower.hangUp()
  write('agents.json', heard(true))
  const streamed = await (await client.say(session, 'say 50 words')).rest()
  assert.ok(streamed.filter(isEvent('delta')).length > 10)
})

test('house text and project context stand in the system text, each with its source, and are read again when they change', async t => {
  const { url, write } = await startWorkspace(t, {
    'agents.json': prompts('You are one.'),
    'AGENTS.md': 'The house is quiet.\n',
    'projects/tides/CONTEXT.md': '\nThe study is about tides.\n\n',
  })
  const client = clientOf(url)
  const session = await client.open({ project: 'tides' })
  const other = await client.open()
  assert.equal((await client.json(200, 'GET', session)).project, 'tides')
  await client.talk(session, 'Hello')
  write('AGENTS.md', 'The house is loud.')
  write('projects/tides/CONTEXT.md', 'The study is about the moon.')
  await client.talk(session, 'Hello')
  await client.talk(other, 'Hello')
  const [before, after] = await sentIn(client, session)
  assert.equal(before.request.body.system, 'You are one.\n\nThe house is quiet.\n\nThe study is about tides.')
  assert.equal(after.request.body.system, 'You are one.\n\nThe house is loud.\n\nThe study is about the moon.')
  assert.deepEqual([before.verified, after.verified], [true, true])
  assert.deepEqual(
    systemLines(after).map(({ source, reason }) => [source, reason]),
    [
      ['agent agent-1', 'system.agent'],
      ['AGENTS.md', 'system.agents-md'],
      ['projects/tides/CONTEXT.md', 'system.project'],
    ],
  )
  const [elsewhere] = await sentIn(client, other)
  assert.equal(elsewhere.request.body.system, 'You are one.\n\nThe house is loud.')
  const listed = await client.json(200, 'GET', '/api/sessions?project=tides')
  assert.deepEqual(
    listed.items.map(({ id }: Json) => id),
    [session.split('/').at(-1)],
  )
})

test('a project is a folder with a CONTEXT.md, and nothing else is one', async t => {
  const { url, home, write } = await startWorkspace(t, {
    'secret/CONTEXT.md': 'not yours',
    'CONTEXT.md': 'not a project',
    'projects/CONTEXT.md': 'nor this',
    'projects/empty/notes.md': 'no context',
    'projects/.hidden/CONTEXT.md': 'hidden',
    'projects/file': 'a file',
    'projects/Zürich 2/CONTEXT.md': 'one',
    'projects/b/CONTEXT.md': '',
    'projects/odd/CONTEXT.md/inside': 'a folder',
  })
  const client = clientOf(url)
  const names = async (): Promise<string[]> =>
    (await client.json(200, 'GET', '/api/projects')).items.map(({ name }: Json) => name)
  assert.deepEqual(await client.json(200, 'GET', '/api/projects'), {
    items: [
      { name: 'Zürich 2', tokens: 1, recall: false },
      { name: 'b', tokens: 0, recall: false },
    ],
  })
  write('projects/new/CONTEXT.md', 'later')
  symlinkSync(join(home, 'secret'), join(home, 'projects', 'linked'))
  assert.deepEqual(await names(), ['Zürich 2', 'b', 'linked', 'new'])
  for (const project of await names()) await client.open({ project })
  for (const project of [
    '',
    '.',
    '..',
    '../secret',
    'b/',
    './b',
    'b/../b',
    'empty',
    'file',
    'odd',
    '.hidden',
    'B',
    '/etc',
    'b\0',
    '__proto__',
    'x'.repeat(65),
  ]) {
    const problem = await client.problem(400, 'invalid', 'POST', '/api/sessions', { body: { project } })
    assert.equal(problem.detail, `project: there is no "${project}"; known: Zürich 2, b, linked, new`)
  }
})

test('without projects the refusal says what one is', async t => {
  const { url } = await startWorkspace(t, {})
  const client = clientOf(url)
  assert.deepEqual(await client.json(200, 'GET', '/api/projects'), { items: [] })
  const problem = await client.problem(400, 'invalid', 'POST', '/api/sessions', { body: { project: 'tides' } })
  assert.equal(
    problem.detail,
    'project: there is no "tides"; there are none; a project is a folder projects/<name> with a CONTEXT.md',
  )
})

test('a project that has gone leaves its sessions without its text, not without an answer', async t => {
  const { url, home } = await startWorkspace(t, { 'projects/tides/CONTEXT.md': 'The study is about tides.' })
  const client = clientOf(url)
  const session = await client.open({ project: 'tides' })
  await client.talk(session, 'Hello')
  rmSync(join(home, 'projects'), { recursive: true })
  await client.talk(session, 'Still there?')
  const [before, after] = await sentIn(client, session)
  assert.deepEqual([before.request.body.system, after.request.body.system], ['The study is about tides.', ''])
  assert.deepEqual([before.verified, after.verified], [true, true])
})

test('a gateway starts on a whole file of Port 42, tells of what it passes over once, and asks as the file says', async t => {
  await using fake = await startFake({ wire: 'anthropic', flavour: 'openai' })
  fake.say({ says: [{ type: 'text', text: 'A haiku.' }] })
  const file = readFileSync(new URL('./agents/port42-whole/agents.json', import.meta.url), 'utf8')
  const variables = { ANTHROPIC_API_KEY: 'sk-fake', ANTHROPIC_BASE_URL: fake.url }
  const { url, troubles, home } = await startWorkspace(t, { 'agents.json': file }, variables)
  const told = troubles.filter(line => line.startsWith('agents.json: '))
  assert.equal(told.length, 1)
  assert.match(told[0] ?? '', /^agents\.json: passed over, .*models\.\*\.rate_limit, base_guidance\.artifact_guidance/)
  const client = clientOf(url)
  const session = await client.open({ agent: '@ai-muse' })
  await client.talk(session, 'A command, please')
  const { model, temperature, max_tokens, system } = JSON.parse(
    fake.requests.find(({ method }) => method === 'POST')?.body ?? '{}',
  )
  assert.deepEqual([model, temperature, max_tokens], ['claude-opus-4-20250514', 0.9, 4096])
  assert.ok(!JSON.stringify(system).includes('generate_artifact'), 'it has no such tool')

  // Edited elsewhere, it is written in our own words, and the rest of the file stays.
  const muse = await client.json(200, 'GET', '/api/agents/muse')
  const { key: _, ...edited } = { ...muse, description: 'Edited' }
  await client.json(200, 'PUT', '/api/agents/muse', { body: edited })
  const written = JSON.parse(readFileSync(join(home, 'agents.json'), 'utf8').replace(/^\/\/.*$/gm, ''))
  assert.deepEqual(
    [written.agents.muse.sampling, written.agents.muse.model],
    [{ temperature: 0.9 }, 'anthropic/claude-opus-4-20250514'],
  )
  assert.deepEqual([written.default_model, Object.keys(written.models).length], ['sonnet-4', 3])
  const doctor = await command(home, ['doctor'])
  assert.match(doctor.stdout, /warn {2}agents +agents\.json: passed over, because it means nothing here: /)
})
