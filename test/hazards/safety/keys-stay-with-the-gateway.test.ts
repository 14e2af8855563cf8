// Skills that ask for the variables which the settings read, and operators who would give them by mistake.
import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { equipmentChecks } from '../../../src/gateway/cli/doctor/equipment-checks.ts'
import { parseSettings } from '../../../src/gateway/workspace/settings.ts'
import { openWorkspace } from '../../../src/gateway/workspace/workspace.ts'
import { engineOptions } from '../../../src/gateway/workspace-engine.ts'
import { PROVIDER_VARIABLES } from '../../../src/provider/providers.ts'
import { piped } from '../../gateway/cli/in-process.ts'
import { call, folderFor, PATH, putProgram } from '../../tool/ground.ts'

const CANARY = 'canary-0123456789abcdef'

/** Every variable here but the first few holds a canary. */
const SECRETS = {
  MY_LAN_KEY: `${CANARY}-lan`,
  MY_GATEWAY_TOKEN: `${CANARY}-gateway`,
  MY_BOT: `1:${CANARY}-bot`,
  MY_HEADER: `${CANARY}-header`,
  MY_MCP_SECRET: `${CANARY}-mcp`,
  ANTHROPIC_API_KEY: `${CANARY}-anthropic`,
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  OPENAI_BASE_URL: `https://example.com/${CANARY}`,
  OLLAMA_HOST: '127.0.0.1:9',
  TURNWISE_LOG_LEVEL: `${CANARY}-level`,
}
/** The same keys again, under names that no setting has. */
const COPIES = { LITERAL_COPY: `${CANARY}-literal`, LAN_COPY: `prefix ${CANARY}-lan suffix` }

const SETTINGS = {
  gateway: { token: '$MY_GATEWAY_TOKEN' },
  providers: {
    lan: { baseURL: 'http://127.0.0.1:9/v1', apiKey: '$MY_LAN_KEY', headers: { 'x-more': '$MY_HEADER' } },
    other: { baseURL: 'http://127.0.0.1:9/v1', apiKey: `${CANARY}-literal` },
  },
  channels: { telegram: { botToken: '$MY_BOT', chats: [1] } },
  mcp: { own: { command: 'sh', args: ['-c', 'env > mcp.seen; exec cat'], env: { GIVEN: '$MY_MCP_SECRET' } } },
  skills: { allowScripts: true, extraDirs: [] as string[] },
}

/** Writes all it sees of the environment into a file that its name and its first argument say. */
const PROGRAM = '#!/bin/sh\nenv > "$(basename "$0").seen"\necho seen\n'

type Greedy = { readonly home: string; readonly environment: Readonly<Record<string, string>> & { readonly PATH: string } }

/** A workspace with a skill whose tool, resolver and script ask for everything. */
function greedyWorkspace(t: TestContext, env: Readonly<Record<string, readonly string[]>>): Greedy {
  const [home, bin] = [folderFor(t), folderFor(t)]
  const environment = { ...SECRETS, ...COPIES, PATH: `${bin}:${PATH}`, HOME: home, NOTES_DIR: '/notes', TURNWISE_HOME: home }
  const skill = join(home, 'skills/greedy')
  mkdirSync(join(skill, 'scripts'), { recursive: true })
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: greedy\ndescription: Wants all\n---\n\nText\n')
  const asked = Object.keys({ ...SECRETS, ...COPIES, NOTES_DIR: '' }).filter(name => name !== 'ANTHROPIC_API_KEY')
  const args = [
    { param: 'a', resolveCommand: { binary: 'resolver', subcommand: '', args: ['$param'] } },
    { param: 'b', resolveCommand: { script: 'script', args: ['$param'] } },
  ]
  const tools = {
    tools: [{ name: 'greedy', parameters: { type: 'object', properties: { a: {}, b: {} } }, env: asked, readOnly: true }],
    allowlist: { tool: [''], resolver: [''] },
    execution: [{ tool: 'greedy', binary: 'tool', subcommand: '', args }],
  }
  writeFileSync(join(skill, 'tools.json'), JSON.stringify(tools))
  for (const file of [join(bin, 'tool'), join(bin, 'resolver'), join(skill, 'scripts/script')]) putProgram(file, PROGRAM)
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ ...SETTINGS, tools: { env } }), { mode: 0o600 })
  return { home, environment }
}

const seenBy = (home: string, program: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readFileSync(join(home, `${program}.seen`), 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** What a shell sets by itself. */
const SHELLS = new Set(['PWD', 'OLDPWD', 'SHLVL', '_', 'TURNWISE_CALL'])

test('no tool, resolver, script or MCP server gets a variable that the settings read, whatever its skill asks for', async t => {
  const { home, environment } = greedyWorkspace(t, { greedy: ['NOTES_DIR'] })
  const workspace = openWorkspace(environment, { create: false })
  assert.ok(workspace.ok, workspace.ok ? '' : workspace.fault.message)
  const { equipment } = engineOptions(workspace.value, environment, { withServers: true })
  assert.ok(equipment)
  equipment.open?.()
  t.after(() => equipment.close?.())
  await t.waitFor(() => assert.ok(existsSync(join(home, 'mcp.seen')) && 'PATH' in seenBy(home, 'mcp')), { timeout: 20_000 })
  const troubles = (await equipment.troubles?.()) ?? []
  // The server that only writes down what it sees never answers, so the kit is not asked to wait for it.
  const { equipment: tools } = engineOptions(workspace.value, environment)
  const settled = await call((await tools?.now())?.toolbox.get('greedy'), { a: 'x', b: 'y' })
  assert.deepEqual([settled.ok, settled.content], [true, 'seen\n'])

  const base = { HOME: home, PATH: environment.PATH }
  for (const program of ['tool', 'resolver', 'script']) {
    const seen = Object.entries(seenBy(home, program)).filter(([name]) => !SHELLS.has(name))
    assert.deepEqual(Object.fromEntries(seen), { ...base, NOTES_DIR: '/notes' }, program)
  }
  const server = Object.entries(seenBy(home, 'mcp')).filter(([name]) => !SHELLS.has(name))
  assert.deepEqual(Object.fromEntries(server), { ...base, GIVEN: SECRETS.MY_MCP_SECRET }, 'only what its own setting names')
  assert.ok(troubles.some(line => line.includes('the tool greedy asks for the variable MY_LAN_KEY and does not get it')))
  assert.ok(!troubles.some(line => line.includes('NOTES_DIR')))
})

test('our own binary is told which workspace it works in, without its skill asking', async t => {
  const home = folderFor(t)
  const environment = { PATH, HOME: home, TURNWISE_HOME: join(home, 'new'), TURNWISE_LOG_LEVEL: 'debug' }
  const workspace = openWorkspace(environment, { create: true })
  assert.ok(workspace.ok)
  mkdirSync(join(workspace.value.home, 'notes'))
  writeFileSync(join(workspace.value.home, 'notes/here.md'), 'in this workspace\n')
  const { equipment } = engineOptions(workspace.value, environment)
  const { content = '' } = await call((await equipment?.now())?.toolbox.get('notes_list'), {})
  assert.match(content, /here/)
})

const REFUSED: Readonly<Record<string, readonly [name: string, complaint: RegExp]>> = {
  'a key under the name that the settings read': [
    'MY_LAN_KEY',
    /MY_LAN_KEY is read for providers\.lan\.apiKey; what the settings read is given to no tool$/,
  ],
  'the token of the gateway': ['MY_GATEWAY_TOKEN', /is read for gateway\.token;/],
  'what only a server’s own setting may give': ['MY_MCP_SECRET', /is read for mcp\.own\.env\.GIVEN;/],
  'a key that stands in the settings itself': [
    'LITERAL_COPY',
    /holds the value of providers\.other\.apiKey, which is given to no tool$/,
  ],
  'a key within a longer value': ['LAN_COPY', /holds the value of providers\.lan\.apiKey/],
  'a variable of ours': ['TURNWISE_TOKEN', /TURNWISE_TOKEN is never given to a tool$/],
  'another variable of ours': ['TURNWISE_HOME', /TURNWISE_HOME is read by Turnwise itself, and given to no tool$/],
  'an order to load something': ['NODE_OPTIONS', /NODE_OPTIONS is never given to a tool$/],
  'an order to the linker': ['LD_PRELOAD', /LD_PRELOAD is never given to a tool$/],
  'no name at all': ['a=b', /"a=b" is not the name of a variable$/],
  'a value instead of a name': ['$MY_LAN_KEY', /is the name of a variable; write it without "\$"$/],
}

for (const [what, [name, complaint]] of Object.entries(REFUSED))
  test(`settings that give a tool ${what} are refused by their path`, () => {
    const text = JSON.stringify({ ...SETTINGS, tools: { env: { greedy: ['NOTES_DIR', name] } } })
    const parsed = parseSettings(text, { ...SECRETS, ...COPIES })
    assert.ok(!parsed.ok)
    assert.match(parsed.fault.message, /^tools\.env\.greedy\.1: /)
    assert.match(parsed.fault.message, complaint)
    assert.ok(!parsed.fault.message.includes(CANARY))
  })

test('every vendor’s variable for a key or an address is kept back', () => {
  for (const name of [...PROVIDER_VARIABLES, 'TELEGRAM_BOT_TOKEN']) {
    const parsed = parseSettings(JSON.stringify({ tools: { env: { it: [name] } } }), {})
    assert.ok(!parsed.ok && parsed.fault.message.startsWith('tools.env.it.0: '), name)
  }
})

test('doctor and tools say when a tool asks for a variable that it does not get', async t => {
  const { home, environment } = greedyWorkspace(t, { greedy: ['NOTES_DIR'] })
  const file = join(home, 'turnwise.json')
  // Its MCP server never answers, and both commands would wait for it.
  const { mcp: _, ...settings } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(settings))
  const complaint = /the tool greedy asks for the variable MY_LAN_KEY and does not get it; only tools\.env\.greedy/
  const { stdout: page } = await piped(['tools'], { home, env: environment })
  assert.match(page, complaint)
  assert.ok(!page.includes('NOTES_DIR') && !page.includes(CANARY))
  const { stdout: json } = await piped(['tools', '--json'], { home, env: environment })
  assert.ok(JSON.parse(json).troubles.some((line: string) => complaint.test(line)))
  const workspace = openWorkspace(environment, { create: false })
  assert.ok(workspace.ok)
  const checks = await equipmentChecks(workspace.value, environment)
  assert.ok(checks.some(({ name, state, found }) => name === 'tools' && state === 'warn' && complaint.test(found)))
})

test('every program that is started is given an environment of its own', () => {
  const files = globSync('src/**/*.ts').map(file => [file, readFileSync(file, 'utf8')] as const)
  const starts = files
    .filter(([, text]) => text.includes("from 'node:child_process'"))
    .flatMap(([file, text]) =>
      [...text.matchAll(/\b(?:spawn|run|execFile|fork)\([^)]*\{[^)]*\)/g)].map(([call]) => ({ file, call })),
    )
  assert.equal(starts.length, 4, 'tools, what confines them, MCP servers, and a person’s own editor')
  for (const { file, call } of starts) assert.match(call, /\benv\b/, file)
})
