/** The settings as people see them: where each value comes from, what can be changed, and never a secret. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJsonc } from '../../../src/gateway/files/jsonc.ts'
import { notEditable } from '../../../src/gateway/settings/editable-keys.ts'
import {
  HIDDEN,
  type SettingLeaf,
  type SettingTree,
  settingTree,
  withoutSecrets,
} from '../../../src/gateway/settings/settings-tree.ts'
import { parseSettings } from '../../../src/gateway/workspace/settings.ts'
import { must } from '../../log/facts.ts'

type Variables = Readonly<Record<string, string>>

function treeOf(file: object, environment: Variables = {}): SettingTree {
  const text = JSON.stringify(file)
  return settingTree(must(parseSettings(text, environment)), must(parseJsonc(text)), environment)
}

const leafAt = (tree: SettingTree, path: string): SettingLeaf =>
  path.split('.').reduce<SettingTree | SettingLeaf>((inner, key) => (inner as SettingTree)[key] ?? {}, tree) as SettingLeaf

/** Every key of the contract's turnwise.json, with its default. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  'gateway.host': '127.0.0.1',
  'gateway.port': 4242,
  'gateway.token': null,
  'gateway.hosts': [],
  'gateway.origins': [],
  store: 'sqlite:turnwise.db',
  model: 'demo',
  policy: 'steady',
  policies: {},
  providers: {},
  models: {},
  'skills.directory': 'skills',
  'skills.extraDirs': [],
  'skills.disabled': [],
  'skills.contextMode': 'auto',
  'skills.allowScripts': false,
  'tools.accept': [],
  'tools.env': {},
  'tools.approve': {},
  mcp: {},
  'channels.telegram': null,
  'limits.steps': 50,
  'limits.turnMs': 3_600_000,
  'limits.tokensPerTurn': 2_000_000,
  'limits.historyMs': 250,
  'limits.budgetUsdPerDay': null,
  'resume.mode': 'auto',
  'resume.withinMinutes': 10,
  'resume.continuations': 1,
  'memory.from': 'session',
  'memory.encoder': null,
  'titles.auto': true,
}

/** What a person may change while the gateway runs. */
const EDITABLE = [
  ...['model', 'policy', 'policies', 'models', 'mcp', 'skills.disabled', 'skills.contextMode', 'tools.approve'],
  ...['limits.steps', 'limits.turnMs', 'limits.tokensPerTurn', 'limits.historyMs', 'limits.budgetUsdPerDay'],
  ...['resume.mode', 'resume.withinMinutes', 'resume.continuations', 'memory.from', 'titles.auto'],
]

test('every key of the contract has a value, a source, and whether it can be changed', () => {
  const tree = treeOf({})
  for (const [path, value] of Object.entries(DEFAULTS)) {
    const leaf = leafAt(tree, path)
    assert.deepEqual([leaf.value, leaf.source], [value, 'default'], path)
    assert.equal(leaf.editable, EDITABLE.includes(path), path)
    assert.equal(leaf.why === undefined, leaf.editable, path)
  }
})

test('what the file says is from the file, also where it says the default', () => {
  const tree = treeOf({ model: 'demo', limits: { steps: 3 }, mcp: { s: { command: 'x' } }, policies: { p: { extends: 'full' } } })
  const sources = ['model', 'limits.steps', 'limits.turnMs', 'mcp', 'policies', 'policy'].map(path => leafAt(tree, path).source)
  assert.deepEqual(sources, ['file', 'file', 'default', 'file', 'file', 'default'])
  assert.deepEqual(leafAt(tree, 'policies').value, { p: { extends: 'full' } }, 'as it was written')
})

test('a variable wins, is the source, and makes a key uneditable', () => {
  const environment = { TURNWISE_MODEL: 'demo', TURNWISE_PORT: '0', TURNWISE_TOKEN: 'canary-0123456789-token' }
  const tree = treeOf({ model: 'ollama/x', gateway: { port: 9 } }, environment)
  assert.deepEqual(leafAt(tree, 'model'), {
    value: 'demo',
    source: 'environment',
    editable: false,
    why: 'set by TURNWISE_MODEL in the environment; change it there and restart',
  })
  assert.deepEqual([leafAt(tree, 'gateway.port').value, leafAt(tree, 'gateway.port').source], [0, 'environment'])
  assert.equal(leafAt(tree, 'gateway.token').value, HIDDEN)
})

test('no secret is shown, whether it is written out or read from a variable; the names of variables are', () => {
  const CANARY = 'canary-0123456789-secret'
  const file = {
    gateway: { token: CANARY },
    providers: {
      lan: { baseURL: 'http://127.0.0.1:9/v1', apiKey: CANARY, headers: { 'x-key': CANARY } },
      openai: { apiKey: '$OWN' },
    },
    mcp: {
      docs: { url: 'http://127.0.0.1:9/mcp', headers: { authorization: CANARY, 'x-user': '$OWN' } },
      files: { command: 'files', args: ['--all'], env: { TOKEN: CANARY } },
    },
    channels: { telegram: { botToken: '$OWN' } },
    tools: { env: { notes_search: ['NOTES_DIR'] } },
  }
  const tree = treeOf(file, { OWN: `1:${CANARY}` })
  assert.ok(!JSON.stringify(tree).includes(CANARY))
  assert.deepEqual(leafAt(tree, 'mcp').value, {
    docs: { url: 'http://127.0.0.1:9/mcp', headers: { authorization: HIDDEN, 'x-user': '$OWN' } },
    files: { command: 'files', args: ['--all'], env: { TOKEN: HIDDEN } },
  })
  assert.deepEqual(leafAt(tree, 'tools.env').value, { notes_search: ['NOTES_DIR'] })
})

test('secrets in the address or the arguments of an MCP server are hidden, and the rest is shown', () => {
  const shown = (server: object): unknown => withoutSecrets('mcp', { docs: server })
  assert.deepEqual(shown({ url: 'https://me:decoy@h.test/mcp?api_key=decoy&v=2#x' }), {
    docs: { url: 'https://me:(hidden)@h.test/mcp?api_key=(hidden)&v=(hidden)#x' },
  })
  assert.deepEqual(shown({ url: 'https://h.test/mcp' }), { docs: { url: 'https://h.test/mcp' } })
  assert.deepEqual(shown({ command: 'x', args: ['--token=decoy', '--api-key', 'decoy', '--api-key', '$NAME', '--root', '.'] }), {
    docs: { command: 'x', args: ['--token=(hidden)', '--api-key', '(hidden)', '--api-key', '$NAME', '--root', '.'] },
  })
})

test('what is below a key that cannot be changed cannot be changed either', () => {
  for (const path of [
    ['gateway'],
    ['gateway', 'token'],
    ['providers', 'openai', 'apiKey'],
    ['tools', 'accept'],
    ['tools', 'env', 'x'],
  ])
    assert.ok(notEditable(path, undefined) !== undefined, path.join('.'))
  for (const path of [[], ['tools'], ['tools', 'approve', 'x'], ['constructor'], ['model']])
    assert.equal(notEditable(path, undefined), undefined, path.join('.'))
})

test('the address of a shared store is shown without its password, wherever that stands', () => {
  const shown = (store: string): unknown => leafAt(treeOf({}, { TURNWISE_STORE: store }), 'store').value
  assert.equal(
    shown('postgres://me:s3cr3t@db.test:6000/x?schema=a&password=s3cr3t&sslmode=require'),
    'postgres://me:(hidden)@db.test:6000/x?schema=a&password=(hidden)&sslmode=require',
  )
  assert.equal(shown('postgresql://db.test/x'), 'postgres://db.test/x')
})
