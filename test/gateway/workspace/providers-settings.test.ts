// The contract's §2 and §3: providers, models and the budget in settings and environment, and the exact line for what is refused.
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Environment, parseSettings } from '../../../src/gateway/workspace/settings.ts'
import { openWorkspace } from '../../../src/gateway/workspace/workspace.ts'
import { engineOptions } from '../../../src/gateway/workspace-engine.ts'
import type { Settings } from '../../../src/model/settings/config.ts'
import { hostVariable } from '../../../src/provider/ollama/host-variable.ts'
import { temporary } from '../http/child.ts'

/** A word that no line may ever repeat. */
const CANARY = 'sk-canary-0123456789'

function settings(given: object, environment: Environment = {}): Settings {
  const parsed = parseSettings(JSON.stringify(given), environment)
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.fault.message)
  return parsed.value
}

function complaint(given: object, environment: Environment = {}): string {
  const parsed = parseSettings(JSON.stringify(given), environment)
  assert.ok(!parsed.ok, `${JSON.stringify(given)} was taken`)
  assert.equal(parsed.fault.kind, 'invalid')
  assert.ok(!parsed.fault.message.includes(CANARY), parsed.fault.message)
  return parsed.fault.message
}

const providers = (given: object, environment: Environment = {}): Settings['providers'] =>
  settings({ providers: given }, environment).providers

test('nothing is said of providers, models and budget unless somebody does', () => {
  const { providers, models, limits } = settings({})
  assert.deepEqual({ providers, models, budget: limits.budgetUsdPerDay }, { providers: {}, models: {}, budget: null })
})

test('everything a provider may have is taken as it stands', () => {
  const whole = {
    apiKey: CANARY,
    baseURL: 'https://proxy.test/anthropic',
    concurrency: 3,
    timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3 },
    headers: { 'X-Team': 'blue', 'x-empty': '' },
  }
  assert.deepEqual(providers({ anthropic: whole, lan: { baseURL: 'http://192.0.2.7:8000/v1' }, openai: {} }), {
    anthropic: { ...whole, keyName: 'providers.anthropic.apiKey', keyFrom: 'file', addressFrom: 'file' },
    lan: { baseURL: 'http://192.0.2.7:8000/v1', addressFrom: 'file' },
    openai: { addressFrom: 'vendor' },
  })
  assert.deepEqual(providers({ ollama: { timeouts: { idleMs: 9 } } }), {
    ollama: { timeouts: { idleMs: 9 }, addressFrom: 'vendor' },
  })
})

test('a key is named by the variable it comes from, and one that is not set is no key yet', () => {
  const file = { anthropic: { apiKey: '$MY_KEY' }, lan: { baseURL: 'https://lan.test/v1', apiKey: '$LAN_KEY' } }
  assert.deepEqual(providers(file, { MY_KEY: CANARY, LAN_KEY: '' }), {
    anthropic: { apiKey: CANARY, keyName: 'MY_KEY', keyFrom: 'environment', addressFrom: 'vendor' },
    lan: { baseURL: 'https://lan.test/v1', keyName: 'LAN_KEY', addressFrom: 'file' },
  })
  assert.deepEqual(providers(file), {
    anthropic: { keyName: 'MY_KEY', addressFrom: 'vendor' },
    lan: { baseURL: 'https://lan.test/v1', keyName: 'LAN_KEY', addressFrom: 'file' },
  })
  const headers = { 'x-team': '$TEAM' }
  assert.deepEqual(providers({ openai: { headers } }, { TEAM: 'blue' }), {
    openai: { headers: { 'x-team': 'blue' }, addressFrom: 'vendor' },
  })
  for (const [given, line] of [
    [{ openai: { headers } }, 'providers.openai.headers.x-team: the environment has no TEAM; set it, or take the key out'],
    [{ lan: { baseURL: '$LAN' } }, 'providers.lan.baseURL: the environment has no LAN; set it, or take the key out'],
  ] as const)
    assert.equal(complaint({ providers: given }), line)
})

test('the environment wins over the file, by the vendors’ own names', () => {
  const environment = {
    ANTHROPIC_API_KEY: 'a-key',
    ANTHROPIC_BASE_URL: 'https://a.test',
    OPENAI_API_KEY: 'o-key',
    OPENAI_BASE_URL: 'https://o.test/v1',
    OPENROUTER_API_KEY: 'r-key',
    OPENROUTER_BASE_URL: 'https://r.test/v1',
    OLLAMA_HOST: '192.0.2.7',
  }
  const from = { keyFrom: 'environment', addressFrom: 'environment' }
  const expected = {
    anthropic: { apiKey: 'a-key', baseURL: 'https://a.test', keyName: 'ANTHROPIC_API_KEY', ...from },
    openai: { apiKey: 'o-key', baseURL: 'https://o.test/v1', keyName: 'OPENAI_API_KEY', ...from },
    openrouter: { apiKey: 'r-key', baseURL: 'https://r.test/v1', keyName: 'OPENROUTER_API_KEY', ...from },
    ollama: { baseURL: 'http://192.0.2.7:11434', addressFrom: 'environment' },
  }
  assert.deepEqual(settings({}, environment).providers, expected)
  const file = {
    anthropic: { apiKey: '$NOT_SET', baseURL: 'https://file.test', concurrency: 2 },
    openai: { apiKey: CANARY },
    ollama: { baseURL: 'http://file.test:1' },
  }
  assert.deepEqual(providers(file, environment), { ...expected, anthropic: { ...expected.anthropic, concurrency: 2 } })
  const empty = Object.fromEntries(Object.keys(environment).map(name => [name, '']))
  assert.deepEqual(settings({}, empty).providers, {})
})

test('OLLAMA_HOST is an address in any of its forms', () => {
  for (const [given, url] of [
    ['host', 'http://host:11434'],
    ['host:1234', 'http://host:1234'],
    ['host:80', 'http://host'],
    [':1234', 'http://127.0.0.1:1234'],
    ['http://host:1234', 'http://host:1234'],
    ['http://host', 'http://host'],
    ['https://host', 'https://host'],
    ['https://host/ollama/', 'https://host/ollama'],
    ['host/ollama', 'http://host:11434/ollama'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:1234', 'http://127.0.0.1:1234'],
    ['http://0.0.0.0:1234', 'http://127.0.0.1:1234'],
    ['::', 'http://[::1]:11434'],
    ['[::]:1234', 'http://[::1]:1234'],
    ['::1', 'http://[::1]:11434'],
    ['[::1]', 'http://[::1]:11434'],
    [' 127.0.0.1:11434\n', 'http://127.0.0.1:11434'],
  ] as const) {
    assert.equal(hostVariable(given), url, given)
    assert.equal(settings({}, { OLLAMA_HOST: given }).providers.ollama?.baseURL, url)
  }
  for (const wrong of ['host:port', 'a b', 'http://', 'ftp://host'])
    assert.match(complaint({}, { OLLAMA_HOST: wrong }), /^OLLAMA_HOST: is not an address/, wrong)
  assert.match(complaint({}, { OLLAMA_HOST: `http://me:${CANARY}@host` }), /^OLLAMA_HOST: has a name or a password/)
})

const NAME = 'a name has lowercase letters, digits, "-" and "_", begins with a letter or a digit, and is not longer than 64'
const LAN = { baseURL: 'https://lan.test/v1' }
const NO_ADDRESS = 'is not an address; write it as in "https://name:port/v1"'
const NO_HEADER = 'a header cannot carry it; a key has visible ASCII characters, no spaces and no line end'

const WRONG: readonly (readonly [providers: unknown, line: string])[] = [
  [[], 'providers: expected record, received array'],
  [CANARY, 'providers: expected record, received string'],
  [{ anthropic: CANARY }, 'providers.anthropic: expected object, received string'],
  [{ anthropic: [CANARY] }, 'providers.anthropic: expected object, received array'],
  [{ anthropic: { apiKey: 1234567 } }, 'providers.anthropic.apiKey: expected string, received number'],
  [{ anthropic: { apiKey: [CANARY] } }, 'providers.anthropic.apiKey: expected string, received array'],
  [
    { anthropic: { key: CANARY } },
    'providers.anthropic.key: there is no such setting; known here: apiKey, baseURL, concurrency, timeouts, headers',
  ],
  [{ anthropic: { apikey: CANARY } }, 'providers.anthropic.apikey: there is no such setting; did you mean "apiKey"?'],
  [
    { anthropic: { keyName: 'X' } },
    'providers.anthropic.keyName: there is no such setting; known here: apiKey, baseURL, concurrency, timeouts, headers',
  ],
  [{ anthropic: { concurrency: 0 } }, 'providers.anthropic.concurrency: 0 expected number to be >=1'],
  [{ anthropic: { concurrency: 1001 } }, 'providers.anthropic.concurrency: 1001 expected number to be <=1000'],
  [{ anthropic: { timeouts: { connectMs: 0 } } }, 'providers.anthropic.timeouts.connectMs: 0 expected number to be >=1'],
  [
    { anthropic: { timeouts: { idleMs: 2 ** 31 } } },
    'providers.anthropic.timeouts.idleMs: 2147483648 expected number to be <=2147483647',
  ],
  [
    { anthropic: { timeouts: { idle: 5 } } },
    'providers.anthropic.timeouts.idle: there is no such setting; did you mean "idleMs"?',
  ],
  [{ anthropic: { headers: { 'x-a': 5 } } }, 'providers.anthropic.headers.x-a: 5 expected string, received number'],

  [
    { anthropic: { apiKey: '' } },
    'providers.anthropic.apiKey: is empty; take it out, or write "$NAME" to read it from the environment',
  ],
  [
    { anthropic: { apiKey: `\${${CANARY}}` } },
    'providers.anthropic.apiKey: a variable is written "$NAME", in capitals, and nothing beside it',
  ],
  [{ anthropic: { apiKey: `${CANARY}\n` } }, `providers.anthropic.apiKey: ${NO_HEADER}`],
  [{ anthropic: { apiKey: `Bearer ${CANARY}` } }, `providers.anthropic.apiKey: ${NO_HEADER}`],
  [{ anthropic: { apiKey: `${CANARY}é` } }, `providers.anthropic.apiKey: ${NO_HEADER}`],

  [
    { lan: {} },
    'providers.lan.baseURL: is missing; "lan" is taken for an OpenAI-compatible server, which needs one; known here: anthropic, openai, openrouter, ollama',
  ],
  [
    { antropic: { apiKey: CANARY } },
    'providers.antropic.baseURL: is missing; "antropic" is taken for an OpenAI-compatible server, which needs one; did you mean "anthropic"?',
  ],
  [{ lan: { baseURL: '' } }, `providers.lan.baseURL: ${NO_ADDRESS}`],
  [{ lan: { baseURL: 'lan.test/v1' } }, `providers.lan.baseURL: ${NO_ADDRESS}`],
  [{ lan: { baseURL: 'localhost:8000' } }, `providers.lan.baseURL: ${NO_ADDRESS}`],
  [{ lan: { baseURL: 'https:lan.test' } }, `providers.lan.baseURL: ${NO_ADDRESS}`],
  [{ lan: { baseURL: 'file:///etc/passwd' } }, `providers.lan.baseURL: ${NO_ADDRESS}`],
  [{ lan: { baseURL: 'javascript:alert(1)' } }, `providers.lan.baseURL: ${NO_ADDRESS}`],
  [
    { lan: { baseURL: `https://${CANARY}@lan.test/v1` } },
    'providers.lan.baseURL: has a name or a password in it, which would show in errors; use apiKey or headers',
  ],
  [
    { lan: { baseURL: `https://:${CANARY}@lan.test/v1` } },
    'providers.lan.baseURL: has a name or a password in it, which would show in errors; use apiKey or headers',
  ],
  [
    { lan: { baseURL: `https://lan.test/v1?key=${CANARY}` } },
    'providers.lan.baseURL: has a query or a fragment, which would be lost; take it out, or use headers',
  ],
  [
    { lan: { baseURL: 'https://lan.test/v1#x' } },
    'providers.lan.baseURL: has a query or a fragment, which would be lost; take it out, or use headers',
  ],
  [
    { lan: { baseURL: 'http://169.254.169.254/v1' } },
    "providers.lan.baseURL: the address 169.254.169.254 is of this machine's own network alone",
  ],
  [
    { lan: { baseURL: 'http://[::ffff:a9fe:a9fe]/v1' } },
    "providers.lan.baseURL: the address [::ffff:a9fe:a9fe] is of this machine's own network alone",
  ],

  [{ Lan: LAN }, `providers.Lan: ${NAME}`],
  [{ 'a/b': LAN }, `providers.a/b: ${NAME}`],
  [{ constructor: LAN }, 'providers.constructor: this name is reserved; choose another'],
  [{ 7: LAN }, 'providers.7: digits alone would lose their place in the file; add a letter'],
  [{ demo: LAN }, 'providers.demo: this name has a meaning of its own; choose another'],
  [{ compatible: LAN }, 'providers.compatible: this name has a meaning of its own; choose another'],

  [{ lan: { ...LAN, headers: { 'x a': CANARY } } }, 'providers.lan.headers.x a: is not the name of a header'],
  [{ lan: { ...LAN, headers: { 'x-a:': CANARY } } }, 'providers.lan.headers.x-a:: is not the name of a header'],
  [{ lan: { ...LAN, headers: { '': CANARY } } }, 'providers.lan.headers.: is not the name of a header'],
  [
    { lan: { ...LAN, headers: { 'x-a': `${CANARY}\r\nx-b: 1` } } },
    'providers.lan.headers.x-a: a header cannot carry its value; use printable ASCII characters',
  ],
  [
    { lan: { ...LAN, headers: { 'x-a': `${CANARY}\0` } } },
    'providers.lan.headers.x-a: a header cannot carry its value; use printable ASCII characters',
  ],
  [{ lan: { ...LAN, headers: { Authorization: CANARY } } }, 'providers.lan.headers.Authorization: carries a key; use apiKey'],
  [{ lan: { ...LAN, headers: { 'x-API-key': CANARY } } }, 'providers.lan.headers.x-API-key: carries a key; use apiKey'],
  [
    { lan: { ...LAN, headers: { 'Content-Length': '5' } } },
    'providers.lan.headers.Content-Length: is set with every request; take it out',
  ],
  [{ lan: { ...LAN, headers: { HOST: 'evil.test' } } }, 'providers.lan.headers.HOST: is set with every request; take it out'],
  [
    { lan: { ...LAN, headers: { 'transfer-encoding': 'chunked' } } },
    'providers.lan.headers.transfer-encoding: is set with every request; take it out',
  ],
  [{ lan: { ...LAN, headers: { 'x-a': '1', 'X-A': '2' } } }, 'providers.lan.headers.X-A: stands there twice; keep one'],
]

test('a provider that cannot work is refused by its path, with the reason, and no key is repeated', () => {
  for (const [given, line] of WRONG) assert.equal(complaint({ providers: given }), line)
})

test('what the environment gives is refused by the variable’s name', () => {
  assert.equal(complaint({}, { ANTHROPIC_API_KEY: `${CANARY}\n` }), `ANTHROPIC_API_KEY: ${NO_HEADER}`)
  assert.equal(complaint({}, { OPENAI_BASE_URL: 'api.openai.com' }), `OPENAI_BASE_URL: ${NO_ADDRESS}`)
  assert.equal(complaint({ providers: { openai: { apiKey: '$MY_KEY' } } }, { MY_KEY: `${CANARY} ` }), `MY_KEY: ${NO_HEADER}`)
})

test('a key travels unencrypted on this machine only', () => {
  const open = (baseURL: string, more: object = {}): object => ({ providers: { lan: { baseURL, ...more } } })
  const why = (secret: string, host: string): string =>
    `providers.lan.baseURL: ${secret} would travel unencrypted to ${host}; use https://, or a tunnel to 127.0.0.1, or take the key out`
  const apiKey = CANARY
  for (const host of ['192.0.2.7:8000', 'lan.test', '[2001:db8::1]', '127.evil.test', '10.0.0.1']) {
    settings(open(`http://${host}/v1`))
    settings(open(`https://${host}/v1`, { apiKey }))
    assert.equal(complaint(open(`http://${host}/v1`, { apiKey })), why('providers.lan.apiKey', host))
  }
  for (const host of ['127.0.0.1:8000', 'localhost', '[::1]:1', '127.1', '2130706433'])
    settings(open(`http://${host}/v1`, { apiKey }))
  const variable = open('http://lan.test/v1', { apiKey: '$LAN_KEY' })
  settings(variable)
  assert.equal(complaint(variable, { LAN_KEY: CANARY }), why('LAN_KEY', 'lan.test'))
  settings(open('http://lan.test/v1', { headers: { 'x-team': 'blue' } }))
  assert.equal(
    complaint(open('http://lan.test/v1', { headers: { 'x-pass': '$PASS' } }), { PASS: CANARY }),
    why('PASS', 'lan.test'),
  )
  assert.equal(
    complaint({}, { OPENAI_API_KEY: CANARY, OPENAI_BASE_URL: 'http://lan.test/v1' }),
    'OPENAI_BASE_URL: OPENAI_API_KEY would travel unencrypted to lan.test; use https://, or a tunnel to 127.0.0.1, or take the key out',
  )
})

test('the model of the settings is any that the catalog of this file has', () => {
  const lan = { providers: { lan: LAN } }
  for (const model of ['anthropic/claude-sonnet-5', 'openai/whatever', 'openrouter/a/b', 'ollama/llama3.2:1b'])
    assert.equal(settings({ model }).model, model)
  assert.equal(settings({ ...lan, model: 'compatible/lan/some/model' }).model, 'compatible/lan/some/model')
  assert.equal(settings({}, { TURNWISE_MODEL: 'openai/gpt-5' }).model, 'openai/gpt-5')
  assert.match(
    complaint({ model: 'compatible/lan/x' }),
    /^model: "compatible\/lan\/x" needs a server: there is none; add "providers": /,
  )
  assert.equal(complaint({ ...lan, model: 'lan/x' }), 'model: "lan/x" is written "compatible/lan/x"')
  assert.match(complaint({ model: 'anthropic/' }), /^model: "anthropic\/" is not a model; /)
})

test('what is said of a model is laid over what is known of it, and what could not be is refused', () => {
  const whole = {
    window: 8192,
    output: 2048,
    price: { input: 0, output: 0.5, cacheRead: 0, cacheWrite: 1 },
    images: false,
    files: false,
    thinking: true,
    tools: false,
    cacheMinimum: 0,
  }
  assert.deepEqual(settings({ models: { 'ollama/llama3.2': whole, demo: {} } }).models, { 'ollama/llama3.2': whole, demo: {} })
  const wrong: readonly (readonly [models: object, line: string | RegExp])[] = [
    [{ 'llama3.2': {} }, /^models\."llama3\.2": "llama3\.2" is not a model; write "demo" or provider\/model: /],
    [{ 'compatible/lan/x': {} }, /^models\."compatible\/lan\/x": "compatible\/lan\/x" needs a server: /],
    [{ 'ollama/x': { window: 0 } }, 'models."ollama/x".window: 0 expected number to be >=1'],
    [{ 'ollama/x': { window: 10.5 } }, /^models\."ollama\/x"\.window: 10\.5 .*int/],
    [{ 'ollama/x.y': { windw: 5 } }, 'models."ollama/x.y".windw: there is no such setting; did you mean "window"?'],
    [{ 'ollama/x': { price: { input: 1 } } }, 'models."ollama/x".price.output: is missing; expected number'],
    [{ 'ollama/x': { price: { input: -1, output: 0 } } }, 'models."ollama/x".price.input: -1 expected number to be >=0'],
    [{ 'ollama/x': { price: 3 } }, 'models."ollama/x".price: 3 expected object, received number'],
    [
      { 'ollama/x': { window: 100, output: 100 } },
      'models."ollama/x".output: 100 leaves no room for a request: the window is 100',
    ],
    [{ 'ollama/x': { output: 8192 } }, 'models."ollama/x".output: 8192 leaves no room for a request: the window is 8192'],
    [
      { 'openai/gpt-4o': { window: 16_384 } },
      'models."openai/gpt-4o".window: 16384 has no room for its replies, which may have 16384; set output to less',
    ],
  ]
  for (const [models, line] of wrong) {
    if (typeof line === 'string') assert.equal(complaint({ models }), line)
    else assert.match(complaint({ models }), line)
  }
  assert.equal(
    complaint({ model: 'ollama/x', models: { 'ollama/x': { window: 500 } }, policies: { wide: { budget: { reserve: 500 } } } }),
    'policies.wide.budget.reserve: 500 leaves no room for a request: the window of "ollama/x" is 500',
  )
})

test('a budget is more than nothing, and the model of the settings has a price under it', () => {
  const limits = { budgetUsdPerDay: 2.5 }
  assert.equal(settings({ limits }).limits.budgetUsdPerDay, 2.5)
  assert.equal(settings({ limits: { budgetUsdPerDay: null } }).limits.budgetUsdPerDay, null)
  for (const wrong of [0, -1])
    assert.match(complaint({ limits: { budgetUsdPerDay: wrong } }), /^limits\.budgetUsdPerDay: -?\d expected number to be >0/)
  assert.match(complaint({ limits: { budgetUsdPerDay: '5' } }), /^limits\.budgetUsdPerDay: "5" expected number/)
  settings({ limits, model: 'anthropic/claude-sonnet-5' })
  assert.equal(
    complaint({ limits, model: 'ollama/x' }),
    'limits.budgetUsdPerDay: "ollama/x" has no price, so it cannot run under a budget; set models."ollama/x".price, or take limits.budgetUsdPerDay out',
  )
  settings({ limits, model: 'ollama/x', models: { 'ollama/x': { price: { input: 0, output: 0 } } } })
  settings({ model: 'ollama/x' })
})

test('all that is wrong with providers and models is said at once', () => {
  const lines = complaint({
    providers: { lan: {}, openai: { apiKey: '' } },
    models: { x: {} },
    policies: { a: { extends: 'b' } },
  })
  assert.deepEqual(
    lines.split('\n').map(line => line.split(':')[0]),
    ['policies.a.extends', 'providers.lan.baseURL', 'providers.openai.apiKey', 'models."x"'],
  )
})

test('a file that holds a secret itself is refused where other users can read it', t => {
  const home = temporary(t)
  const file = join(home, 'turnwise.json')
  const open = (given: object, mode: number, environment: Environment = {}): string | undefined => {
    writeFileSync(file, JSON.stringify(given))
    chmodSync(file, mode)
    const opened = openWorkspace({ TURNWISE_HOME: home, ...environment }, { create: false })
    return opened.ok ? undefined : opened.fault.message
  }
  const refused = (secret: string): string =>
    `${file}: other users can read it, and ${secret} stands in it; run "chmod 600 ${file}", or write "$NAME" there and set the variable`
  const key = { providers: { anthropic: { apiKey: CANARY } } }
  const token = { gateway: { token: 'a-token-of-many-characters' } }
  for (const mode of [0o644, 0o640, 0o604, 0o660]) {
    assert.equal(open(key, mode), refused('providers.anthropic.apiKey'), mode.toString(8))
    assert.equal(open(token, mode), refused('gateway.token'))
  }
  assert.equal(
    open(key, 0o644, { ANTHROPIC_API_KEY: 'another' }),
    refused('providers.anthropic.apiKey'),
    'it stands there all the same',
  )
  for (const given of [key, token]) assert.equal(open(given, 0o600), undefined)
  const names = { providers: { anthropic: { apiKey: '$ANTHROPIC_API_KEY' } }, gateway: { token: '$TOKEN' } }
  assert.equal(open(names, 0o644, { TOKEN: 'a-token-of-many-characters' }), undefined)
  assert.equal(open({ gateway: { token: null }, model: 'demo' }, 0o644), undefined)
})

test('everything reaches the engine', t => {
  const home = temporary(t)
  const given = {
    providers: { lan: LAN, anthropic: { concurrency: 2 } },
    models: { 'compatible/lan/x': { window: 5000, price: { input: 1, output: 2 } } },
    model: 'compatible/lan/x',
    limits: { budgetUsdPerDay: 5 },
  }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(given))
  const environment = { TURNWISE_HOME: home, ANTHROPIC_API_KEY: CANARY }
  const workspace = openWorkspace(environment, { create: false })
  assert.ok(workspace.ok, workspace.ok ? '' : workspace.fault.message)
  const { changing } = engineOptions(workspace.value, environment)
  const { providers, models, model, limits } = changing?.() ?? {}
  assert.deepEqual(
    { providers, models, model, budget: limits?.budgetUsdPerDay },
    {
      providers: {
        lan: { ...LAN, addressFrom: 'file' },
        anthropic: {
          ...{ concurrency: 2, apiKey: CANARY, keyName: 'ANTHROPIC_API_KEY' },
          ...{ keyFrom: 'environment', addressFrom: 'vendor' },
        },
      },
      models: given.models,
      model: 'compatible/lan/x',
      budget: 5,
    },
  )
})
