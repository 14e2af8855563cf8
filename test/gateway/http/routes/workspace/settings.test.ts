// Settings over HTTP: shown without secrets, changed by a merge patch, written with comments kept, effective at once.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startFake } from '../../../../../src/testing/index.ts'
import { startWorkspace, type TestWorkspace } from '../../../../support/workspace.ts'
import { listen, newerDoor } from '../../../../tool/mcp-http.ts'
import { temporary } from '../../child.ts'
import { type Client, clientOf, type Json } from '../../client.ts'

type Started = TestWorkspace & {
  readonly client: Client
  readonly text: () => string
  readonly patch: (body: Json) => Promise<Json>
  /** The detail of a refusal, after which the file is as it was. */
  readonly refused: (body: Json) => Promise<string>
}

async function start(
  t: TestContext,
  files: Readonly<Record<string, unknown>> = { 'turnwise.json': {} },
  variables: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const workspace = await startWorkspace(t, files, variables)
  const client = clientOf(workspace.url)
  const text = () => readFileSync(join(workspace.home, 'turnwise.json'), 'utf8')
  return {
    ...workspace,
    client,
    text,
    patch: body => client.json(200, 'PATCH', '/api/settings', { body }),
    refused: async body => {
      const before = text()
      const { detail } = await client.problem(422, 'invalid', 'PATCH', '/api/settings', { body })
      assert.equal(text(), before)
      return detail
    },
  }
}

const FILE = `// mine
{
  "model": "demo", // the cheap one
  /* policies */ "policies": { "short": { "window": { "kind": "last", "messages": 5 } }, },
}
`

test('a patch is a merge patch: it writes the file with every comment kept, and gives the new tree', async t => {
  const { client, patch, text } = await start(t, { 'turnwise.json': FILE })
  const tree = await patch({ policy: 'short', policies: { short: { window: { messages: 7 } } }, titles: { auto: false } })
  assert.deepEqual(
    [tree.policy.value, tree.policy.source, tree.titles.auto.value, tree.policies.value.short.window],
    ['short', 'file', false, { kind: 'last', messages: 7 }],
  )
  assert.deepEqual(await client.json(200, 'GET', '/api/settings'), tree)
  assert.equal(
    text(),
    FILE.replace('5 }', '7 }').replace('} }, },\n', '} }, },\n  "policy": "short",\n  "titles": {\n    "auto": false\n  },\n'),
  )
  const removed = await patch({ policy: null, titles: null, policies: { short: { window: { messages: 5 } } } })
  assert.deepEqual([removed.policy.value, removed.policy.source], ['steady', 'default'])
  assert.equal(text(), FILE)
})

test('a merge patch may have its own content type; another one is refused', async t => {
  const { client } = await start(t)
  const headers = { 'content-type': 'application/merge-patch+json; charset=utf-8' }
  await client.json(200, 'PATCH', '/api/settings', { body: { policy: 'recent' }, headers })
  await client.problem(415, 'invalid', 'PATCH', '/api/settings', { body: '{}', headers: { 'content-type': 'text/plain' } })
  await client.problem(415, 'invalid', 'PUT', '/api/providers/openai', { body: '{}', headers })
})

test('bad values and unknown keys are 422 with the path of the key, and nothing is written', async t => {
  const { refused, client } = await start(t, { 'turnwise.json': FILE })
  const rows: readonly (readonly [Json, RegExp])[] = [
    [{ modle: 'demo' }, /^modle: there is no such setting; did you mean "model"\?/],
    [{ limits: { stepps: 3 } }, /^limits\.stepps: there is no such setting; did you mean "steps"\?/],
    [{ limits: { steps: 0 } }, /^limits\.steps: 0 /],
    [{ model: 'nosuch/model' }, /^model: /],
    [{ policy: 'nosuch' }, /^policy: there is no "nosuch"; known: /],
    [{ policies: { steady: {} } }, /^policies\.steady: a preset has this name/],
    [{ policies: { mine: { window: { kind: 'frob' } } } }, /^policies\.mine\.window/],
    [{ skills: { contextMode: 'never' } }, /^skills\.contextMode: /],
    [{ skills: { disabled: 'clock' } }, /^skills\.disabled: /],
    [{ tools: { approve: { x: 'always' } } }, /^tools\.approve\.x: /],
    [{ memory: { from: 'nowhere' } }, /^memory\.from: /],
    [{ titles: { auto: 'yes' } }, /^titles\.auto: /],
    [{ mcp: { s: { command: 'x', url: 'http://127.0.0.1:9' } } }, /^mcp\.s/],
    [{ limits: { budgetUsdPerDay: -1 } }, /^limits\.budgetUsdPerDay: /],
    [{ limits: 'none' }, /^limits: /],
    [{ constructor: { prototype: { polluted: true } } }, /^constructor: there is no such setting/],
  ]
  for (const [body, why] of rows) assert.match(await refused(body), why)
  assert.match(await refused('{"__proto__": {"polluted": true}}'), /__proto__: there is no such setting/)
  assert.match(await refused('{"mcp": {"__proto__": {"command": "x"}}}'), /__proto__: there is no such setting/)
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  for (const body of ['[]', '7', 'null', '"x"', '{']) await client.problem(400, 'invalid', 'PATCH', '/api/settings', { body })
})

test('what decides about access, programs and secrets is changed in the file only', async t => {
  const file = {
    skills: { directory: 'skills', disabled: ['clock'] },
    tools: { accept: ['git'], approve: {} },
    memory: { encoder: null },
  }
  const { refused, patch } = await start(t, { 'turnwise.json': file })
  for (const [body, key] of [
    [{ gateway: { token: 'x'.repeat(20) } }, 'gateway.token'],
    [{ gateway: { host: '0.0.0.0' } }, 'gateway.host'],
    [{ gateway: null }, 'gateway'],
    [{ gateway: {} }, 'gateway'],
    [{ store: 'sqlite:other.db' }, 'store'],
    [{ providers: { openai: { apiKey: 'sk-decoy' } } }, 'providers.openai.apiKey'],
    [{ channels: { telegram: { chats: [1] } } }, 'channels.telegram.chats'],
    [{ skills: { directory: '/tmp' } }, 'skills.directory'],
    [{ skills: { extraDirs: ['/tmp'] } }, 'skills.extraDirs'],
    [{ skills: { allowScripts: true } }, 'skills.allowScripts'],
    [{ tools: { accept: ['sh'] } }, 'tools.accept'],
    [{ tools: { env: { x: ['HOME'] } } }, 'tools.env.x'],
    [{ memory: { encoder: 'minilm-l6-v2' } }, 'memory.encoder'],
    // To take out or replace what is above such a key is to change the key.
    [{ tools: null }, 'tools.accept'],
    [{ skills: null }, 'skills.directory'],
    [{ skills: [] }, 'skills.directory'],
    [{ memory: null }, 'memory.encoder'],
  ] as const)
    assert.ok((await refused(body)).startsWith(`${key}: `), `${JSON.stringify(body)}: ${await refused(body)}`)
  const { skills } = await patch({ skills: { disabled: null }, limits: null })
  assert.equal(skills.disabled.source, 'default')
})

test('a variable of the environment wins over a patch, which is refused', async t => {
  const { refused } = await start(t, { 'turnwise.json': {} }, { TURNWISE_MODEL: 'demo' })
  assert.match(await refused({ model: 'demo' }), /^model: set by TURNWISE_MODEL in the environment/)
})

test('no patch can read a variable or give a secret another address', async t => {
  const CANARY = 'canary-0123456789-secret'
  const docs = { url: 'http://127.0.0.1:9/mcp', headers: { authorization: `Bearer ${CANARY}`, 'x-user': '$OWN_SECRET' } }
  const { refused, client, patch } = await start(t, { 'turnwise.json': { mcp: { docs } } }, { OWN_SECRET: CANARY })
  for (const [body, path] of [
    [{ mcp: { evil: { command: 'x', env: { A: '$OWN_SECRET' } } } }, 'mcp.evil.env.A'],
    [{ mcp: { evil: { command: 'x', args: ['--key', '$OWN_SECRET'] } } }, 'mcp.evil.args.1'],
    [{ model: '$OWN_SECRET' }, 'model'],
    [{ policy: '$OWN_SECRET' }, 'policy'],
    [{ skills: { disabled: ['$OWN_SECRET'] } }, 'skills.disabled.0'],
    [{ mcp: { docs: { headers: { authorization: '(hidden)' } } } }, 'mcp.docs.headers.authorization'],
    [{ mcp: { docs: { url: 'http://127.0.0.1:8/mcp' } } }, 'mcp.docs.url'],
    [{ mcp: { docs: { url: 'http://127.0.0.1:8/mcp', headers: { authorization: 'mine' } } } }, 'mcp.docs.url'],
  ] as const) {
    const detail = await refused(body)
    assert.ok(detail.startsWith(`${path}: `) && !detail.includes(CANARY), detail)
  }
  const shown = JSON.stringify(await client.json(200, 'GET', '/api/settings'))
  assert.ok(!shown.includes(CANARY))
  const moved = await patch({ mcp: { docs: { url: 'http://127.0.0.1:8/mcp', headers: null } } })
  assert.deepEqual(moved.mcp.value, { docs: { url: 'http://127.0.0.1:8/mcp' } })
})

test('patches are bounded in depth, number and size, and do not hold the gateway up', async t => {
  const { refused, client, patch } = await start(t, { 'turnwise.json': { tools: { approve: {} } } })
  const rules = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`tool_${index}`, 'ask']))
  assert.match(await refused({ tools: { approve: rules(20_000) } }), /at most 200 values/)
  await patch({ tools: { approve: rules(200) } })
  assert.match(await refused({ skills: { disabled: ['x'.repeat(300_000)] } }), /more than \d+ bytes/)
  const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`
  await client.problem(400, 'invalid', 'PATCH', '/api/settings', { body: deep })
  await client.problem(413, 'too-large', 'PATCH', '/api/settings', { body: { model: 'x'.repeat(1 << 20) } })
})

test('a policy that is in use cannot be removed', async t => {
  const agents = { agents: { one: { name: 'One', prompt: 'You are one.', policy: 'short' } } }
  const { refused, patch, write } = await start(t, { 'turnwise.json': FILE, 'agents.json': agents })
  assert.match(
    await refused({ policies: { short: null } }),
    /^policies\.short: the agent One uses it; choose another policy there first/,
  )
  assert.match(await refused({ policies: null }), /^policies\.short: /)
  write('agents.json', { agents: { one: { name: 'One', prompt: 'You are one.' } } })
  await patch({ policy: 'short' })
  assert.match(await refused({ policies: { short: null } }), /^policy: there is no "short"/)
  await patch({ policy: null, policies: { short: null } })
})

test('a chat whose policy was removed is answered under the default', async t => {
  const { client, patch } = await start(t, { 'turnwise.json': FILE })
  const session = await client.open({ policy: 'short' })
  await client.talk(session, 'Hello')
  await patch({ policies: { short: null } })
  await client.talk(session, 'And now?')
  const events = await client.events(session)
  assert.deepEqual(
    events.filter(({ type }) => type === 'context.planned').map(({ receipt }) => receipt.policy.split('@')[0]),
    ['short', 'steady'],
  )
  assert.deepEqual(
    events.filter(({ type }) => type === 'turn.ended').map(({ reason }) => reason),
    ['done', 'done'],
  )
})

test('a file that is broken by hand, a link, a folder or a pipe is 409, and nothing is written', async t => {
  const { client, text, write, home } = await start(t, { 'turnwise.json': FILE })
  const body = { policy: 'recent' }
  const conflict = async () => (await client.problem(409, 'conflict', 'PATCH', '/api/settings', { body })).detail
  write('turnwise.json', '{ "model": "demo"')
  assert.match(await conflict(), /turnwise\.json: line 1.*until that is fixed nothing is written/)
  assert.equal(text(), '{ "model": "demo"')
  const shown = await client.json(200, 'GET', '/api/settings')
  assert.deepEqual([shown.model.value, shown.model.source], ['demo', 'file'], 'what counts is shown')
  write('turnwise.json', '{ "modle": "demo" }')
  assert.match(await conflict(), /modle: there is no such setting/)

  const file = join(home, 'turnwise.json')
  const decoy = join(temporary(t), 'decoy.json')
  writeFileSync(decoy, '{}')
  for (const make of [
    () => symlinkSync(decoy, file),
    () => symlinkSync(join(home, 'nowhere.json'), file),
    () => mkdirSync(file),
    () => execFileSync('mkfifo', [file]),
  ]) {
    rmSync(file, { recursive: true, force: true })
    make()
    assert.match(await conflict(), /symbolic link|not a regular file/)
    await client.json(200, 'GET', '/api/settings')
    assert.deepEqual([readFileSync(decoy, 'utf8'), existsSync(join(home, 'nowhere.json'))], ['{}', false])
  }
})

test('patches at once are all kept, and a missing file is made', async t => {
  const { patch, text, client } = await start(t, {})
  await Promise.all([
    patch({ policy: 'recent' }),
    patch({ titles: { auto: false } }),
    patch({ limits: { steps: 7 } }),
    patch({ limits: { turnMs: 60_000 } }),
  ])
  assert.deepEqual(JSON.parse(text()), { policy: 'recent', titles: { auto: false }, limits: { steps: 7, turnMs: 60_000 } })
  const { limits } = await client.json(200, 'GET', '/api/settings')
  assert.deepEqual([limits.steps.value, limits.turnMs.value, limits.historyMs.source], [7, 60_000, 'default'])
})

test('model, policy, own policies and the budget count from the next turn on', async t => {
  await using fake = await startFake({ wire: 'openai', models: [{ name: 'qwen-decoy' }] })
  const { client, patch } = await start(t)
  await client.json(200, 'PUT', '/api/providers/lan', { body: { baseURL: fake.url } })
  const old = await client.open()
  await client.talk(old, 'zero')
  const model = 'compatible/lan/qwen-decoy'
  await patch({ model, policy: 'tiny', policies: { tiny: { window: { kind: 'last', messages: 1 } } } })
  await client.talk(old, 'again')
  const session = await client.open()
  await client.talk(session, 'one', 'two', 'three')
  const plansOf = async (id: string) =>
    (await client.events(id))
      .filter(({ type }: Json) => type === 'context.planned')
      .map(({ receipt }: Json) => [receipt.model, receipt.policy])
  assert.deepEqual((await plansOf(session)).at(-1), [model, 'tiny@1'])
  assert.deepEqual(
    await plansOf(old),
    [
      ['demo', 'steady@1'],
      [model, 'steady@1'],
    ],
    'a chat keeps the policy that it began with',
  )
  const sent = fake.requests.find(({ body }) => body.includes('"three"'))?.body ?? ''
  assert.ok(!sent.includes('"one"'))
  await patch({ policies: { tiny: { window: { messages: 3 } } } })
  await client.talk(session, 'four')
  assert.ok(fake.requests.find(({ body }) => body.includes('"four"'))?.body.includes('"three"'))

  await patch({ models: { [model]: { price: { input: 1000, output: 1000 } } }, limits: { budgetUsdPerDay: 0.000_001 } })
  await client.talk(session, 'five')
  const ends = (await client.events(session)).filter(({ type }: Json) => type === 'turn.ended')
  assert.equal(ends.at(-1).fault.kind, 'budget')
  await patch({ limits: { budgetUsdPerDay: null } })
  await client.talk(session, 'six')
  const after = (await client.events(session)).filter(({ type }: Json) => type === 'turn.ended')
  assert.equal(after.at(-1).reason, 'done')
})

test('skills, rules for tools, memory and servers change at once', async t => {
  const { url } = await listen(t, newerDoor)
  const skill = '---\nname: go\ndescription: Goes.\n---\nGo now.\n'
  const { client, patch } = await start(t, { 'turnwise.json': {}, 'skills/go/SKILL.md': skill })
  const skills = () => client.json(200, 'GET', '/api/skills')
  assert.deepEqual(
    (await skills()).items.map(({ name }: Json) => name),
    ['go'],
  )
  await patch({ skills: { contextMode: 'readOnDemand' } })
  assert.equal((await skills()).mode, 'readOnDemand')
  await patch({ skills: { disabled: ['go'] } })
  assert.deepEqual((await skills()).items, [])

  await patch({ mcp: { files: { url } }, tools: { approve: { 'files__*': 'auto', files__echo: 'never' } } })
  const tools = async () => {
    const { items } = await client.json(200, 'GET', '/api/tools')
    return Object.fromEntries(items.map(({ name, approval }: Json) => [name, approval]))
  }
  const ready = async () => assert.equal((await client.json(200, 'GET', '/api/mcp')).items[0].state, 'ready')
  await t.waitFor(ready, { timeout: 10_000 })
  assert.deepEqual([(await tools()).files__quiet, (await tools()).files__echo], ['auto', 'never'])
  await patch({ tools: { approve: { 'files__*': null } } })
  assert.equal((await tools()).files__quiet, 'ask')
  await patch({ mcp: { files: null } })
  assert.equal((await tools()).files__quiet, undefined)
  assert.deepEqual((await client.json(200, 'GET', '/api/mcp')).items, [])

  await patch({ memory: { from: 'everywhere' } })
  assert.equal((await client.json(200, 'GET', '/api/memory')).from, 'everywhere')
})
