import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Environment, parseSettings } from '../../../src/gateway/workspace/settings.ts'
import {
  openWorkspace,
  readGatewayAddress,
  removeGatewayAddress,
  writeGatewayAddress,
} from '../../../src/gateway/workspace/workspace.ts'
import type { Settings } from '../../../src/model/settings/config.ts'
import { temporary } from '../http/child.ts'

const LONG = 'a-token-of-many-characters'

function settings(text: string, environment: Environment = {}): Settings {
  const parsed = parseSettings(text, environment)
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.fault.message)
  return parsed.value
}

function complaint(text: string, environment: Environment = {}): string {
  const parsed = parseSettings(text, environment)
  assert.ok(!parsed.ok, `${text} was taken`)
  assert.equal(parsed.fault.kind, 'invalid')
  return parsed.fault.message
}

test('every key is optional, and comments are fine', () => {
  const defaults = settings('')
  assert.equal(defaults.gateway.host, '127.0.0.1')
  assert.equal(defaults.gateway.port, 4242)
  assert.equal(defaults.gateway.token, null)
  assert.deepEqual(settings('{}'), defaults)
  assert.deepEqual(settings('// nothing yet\n{ /* none */ "gateway": { "port": 4242, }, // the usual\n}'), defaults)
})

test('a key that does not exist is named with its path and the key that was meant', () => {
  assert.equal(complaint('{ "gatway": {} }'), 'gatway: there is no such setting; did you mean "gateway"?')
  assert.equal(complaint('{ "gateway": { "Port": 1 } }'), 'gateway.Port: there is no such setting; did you mean "port"?')
  assert.match(
    complaint('{ "gateway": { "colour": 1 } }'),
    /^gateway\.colour: there is no such setting; known here: host, port, /,
  )
  assert.deepEqual(complaint('{ "storr": "x", "gateway": { "prot": 1 } }').split('\n').length, 2)
})

test('a wrong value is named with its key, itself, and what would be right', () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['{ "gateway": { "port": "x" } }', /^gateway\.port: "x" .*number/],
    ['{ "gateway": { "port": 70000 } }', /^gateway\.port: 70000 .*65535/],
    ['{ "gateway": { "port": 1.5 } }', /^gateway\.port: 1\.5 .*int/],
    ['{ "gateway": 5 }', /^gateway: 5 .*object/],
    ['{ "gateway": { "origins": ["https://a.test", "nonsense"] } }', /^gateway\.origins\.1: "nonsense" .*URL/],
    ['{ "gateway": { "origins": ["https://a.test/"] } }', /^gateway\.origins: "https:\/\/a\.test\/" .*"https:\/\/name:port"/],
    ['{ "gateway": { "origins": ["https://A.test"] } }', /^gateway\.origins: /],
    ['{ "gateway": { "hosts": ["a.test:80"] } }', /^gateway\.hosts: "a\.test:80" .*leave out its scheme and port/],
    ['{ "gateway": { "hosts": ["http://a.test"] } }', /^gateway\.hosts: /],
    ['{ "limits": { "steps": 0 } }', /^limits\.steps: 0 .*>=1/],
    ['{ "model": "gpt" }', /^model: "gpt" is not a model; write "demo" or provider\/model: /],
    ['[]', /one JSON object/],
    ['{ "gateway": }', /^line 1: /],
    ['{\n\n"gateway" 5 }', /^line 3: /],
  ]
  for (const [text, expected] of wrong) assert.match(complaint(text), expected)
})

test('a token is never repeated, and one that nobody could send is refused', () => {
  assert.equal(complaint('{ "gateway": { "token": "short" } }'), 'gateway.token: must have at least 16 characters')
  assert.ok(!complaint('{ "gateway": { "token": 1234567890123456 } }').includes('1234567890123456'))
  for (const token of ['with spaces in between', 'mit-Umlauten-wie-ä-und-ö']) {
    assert.match(complaint(JSON.stringify({ gateway: { token } })), /^gateway\.token: a header cannot carry it/)
    assert.ok(!complaint(JSON.stringify({ gateway: { token } })).includes(token))
  }
  assert.equal(settings(JSON.stringify({ gateway: { token: LONG } })).gateway.token, LONG)
})

test('$NAME reads the environment, and a name that is not set is refused instead of taken for the value', () => {
  const file = '{ "gateway": { "token": "$MY_GATEWAY_TOKEN", "hosts": ["$MY_HOST", "costs$5"] } }'
  const { gateway } = settings(file, { MY_GATEWAY_TOKEN: LONG, MY_HOST: 'turnwise.lan' })
  assert.equal(gateway.token, LONG)
  assert.deepEqual(gateway.hosts, ['turnwise.lan', 'costs$5'])
  assert.equal(
    complaint(file, { MY_HOST: 'turnwise.lan' }),
    'gateway.token: the environment has no MY_GATEWAY_TOKEN; set it, or take the key out',
  )
  assert.match(complaint(file, { MY_GATEWAY_TOKEN: LONG }), /^gateway\.hosts\.0: the environment has no MY_HOST/)
})

test('the environment wins over the file, and an empty variable is none', () => {
  const file = '{ "gateway": { "host": "127.0.0.5", "port": 1, "token": "$NOT_SET" }, "store": "sqlite:a.db", "model": "other" }'
  const environment = {
    TURNWISE_HOST: '0.0.0.0',
    TURNWISE_PORT: '0',
    TURNWISE_TOKEN: LONG,
    TURNWISE_STORE: 'sqlite:b.db',
    TURNWISE_MODEL: 'demo',
  }
  const { gateway, store, model } = settings(file, environment)
  assert.deepEqual(
    { host: gateway.host, port: gateway.port, token: gateway.token, store, model },
    { host: '0.0.0.0', port: 0, token: LONG, store: 'sqlite:b.db', model: 'demo' },
  )
  assert.equal(settings('{ "gateway": { "port": 7 } }', { TURNWISE_PORT: '' }).gateway.port, 7)
  assert.match(complaint('', { TURNWISE_PORT: 'many' }), /^gateway\.port: "many" /)
})

test('further hosts and origins are lists in one variable, and a bad entry is named by the variable', () => {
  const file = '{ "gateway": { "hosts": ["file.test"], "origins": ["https://file.test"] } }'
  const { gateway } = settings(file, {
    TURNWISE_HOSTS: 'a.test, b.test  [::2],',
    TURNWISE_ORIGINS: 'https://a.test:8443,http://b.test',
  })
  assert.deepEqual(gateway.hosts, ['a.test', 'b.test', '[::2]'])
  assert.deepEqual(gateway.origins, ['https://a.test:8443', 'http://b.test'])
  assert.deepEqual(settings(file, { TURNWISE_HOSTS: '', TURNWISE_ORIGINS: '' }).gateway.hosts, ['file.test'])
  assert.equal(
    complaint(file, { TURNWISE_HOSTS: 'a.test https://b.test' }),
    'TURNWISE_HOSTS: "https://b.test" is not a host name; leave out its scheme and port',
  )
  assert.match(complaint(file, { TURNWISE_ORIGINS: 'a.test' }), /^TURNWISE_ORIGINS: "a\.test" is not an origin; /)
  assert.match(complaint('{ "gateway": { "origins": ["a.test"] } }', { TURNWISE_HOSTS: 'b.test' }), /^gateway\.origins/)
})

test('an address that others can reach needs a token, however it is spelled', () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.7', 'turnwise.lan', '127.evil.com', '::ffff:127.0.0.1'])
    assert.match(complaint(JSON.stringify({ gateway: { host } })), /^gateway\.host: .* is reachable by others/)
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) settings(JSON.stringify({ gateway: { host } }))
  settings(JSON.stringify({ gateway: { host: '0.0.0.0', token: LONG } }))
})

test('a store is a file or a PostgreSQL database, and a refusal repeats no part of an address', () => {
  assert.equal(settings('{ "store": "sqlite:other.db" }').store, 'sqlite:other.db')
  const url = 'postgres://me:word@db.test:6000/x?schema=house&pgbouncer=true'
  assert.equal(settings('{}', { TURNWISE_STORE: url }).store, url)
  assert.equal(settings('{ "store": "sqlite:a.db" }', { TURNWISE_STORE: '$DATABASE_URL', DATABASE_URL: url }).store, url)
  assert.equal(settings('{ "store": "$DATABASE_URL" }', { DATABASE_URL: url }).store, url)
  const refused: readonly (readonly [string, RegExp])[] = [
    ['mysql://h?password=secret', /^store: "mysql:…" is not a store; use "sqlite:turnwise\.db" or "postgres:\/\/…"$/],
    ['postgres://me:se/secret@x@db.test', /^store: the address cannot be read; write /],
    ['postgres://me:1234/secret@db.test/x', /^store: the address cannot be read; write /],
    ['postgres://me:12?secret@db.test/x', /^store: the address cannot be read; write /],
    ['postgres://me:secret@db.test/x?pgbouncer=1', /^store: "pgbouncer" in the address is true or false$/],
    ['postgres://me:secret@db.test/x?schema=a-b', /^store: "schema" in the address is a name /],
  ]
  for (const [store, why] of refused) {
    const message = complaint('{}', { TURNWISE_STORE: store })
    assert.match(message, why)
    assert.ok(!/secret|db\.test|me:/.test(message), message)
  }
})

test('a workspace is made once, readable by its owner alone, with settings that say nothing yet', t => {
  const home = join(temporary(t), 'deep', 'home')
  const environment = { TURNWISE_HOME: home }
  assert.equal(openWorkspace(environment, { create: false }).ok, false)
  assert.ok(!existsSync(home))
  const made = openWorkspace(environment, { create: true })
  assert.ok(made.ok)
  const { agents, councils, memory, live, secrets } = made.value
  assert.deepEqual([made.value.home, made.value.database], [home, join(home, 'turnwise.db')])
  assert.deepEqual([made.value.settings, live.now()], [settings(''), settings('')])
  assert.deepEqual([live.trouble(), secrets.now()], [undefined, { providers: {}, mcp: {} }])
  assert.deepEqual([memory.now(), memory.trouble()], ['session', undefined])
  assert.deepEqual([agents.now(), agents.trouble()], [{ agents: [], policies: [], written: [] }, undefined])
  assert.deepEqual(readdirSync(home).sort(), ['councils.json', 'prompts', 'skills', 'turnwise.json'])
  assert.deepEqual(readdirSync(join(home, 'prompts')).sort(), ['council.md', 'early.md', 'ongoing.md'])
  assert.deepEqual([councils.now().map(({ key }) => key), councils.trouble()], [['board'], undefined])
  for (const folder of ['skills', 'prompts']) assert.equal(statSync(join(home, folder)).mode & 0o777, 0o700)
  assert.equal(statSync(join(home, 'councils.json')).mode & 0o777, 0o600)
  assert.equal(statSync(home).mode & 0o777, 0o700)
  assert.equal(statSync(join(home, 'turnwise.json')).mode & 0o777, 0o600)

  writeFileSync(join(home, 'turnwise.json'), '{ "store": "sqlite:other.db" }')
  const again = openWorkspace(environment, { create: true })
  assert.equal(again.ok && again.value.database, join(home, 'other.db'))
})

test('a folder that was there gets nothing added', t => {
  const home = temporary(t)
  assert.ok(openWorkspace({ TURNWISE_HOME: home }, { create: true }).ok)
  assert.deepEqual(readdirSync(home), [])
})

test('a workspace that cannot be one is said in one line', t => {
  const folder = temporary(t)
  writeFileSync(join(folder, 'file'), '')
  mkdirSync(join(folder, 'odd', 'turnwise.json'), { recursive: true })
  for (const home of [join(folder, 'file', 'home'), join(folder, 'odd')]) {
    const opened = openWorkspace({ TURNWISE_HOME: home }, { create: true })
    assert.ok(!opened.ok)
    assert.match(opened.fault.message, /^the workspace .* cannot be used \(.*\); choose another with TURNWISE_HOME$/)
  }
})

test('where a gateway runs is told only to its owner, and a file left by a crash is not believed', async t => {
  const home = temporary(t)
  const run = { url: 'http://127.0.0.1:1', pid: process.pid, token: LONG }
  await writeGatewayAddress(home, run)
  assert.equal(statSync(join(home, 'run.json')).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(home), ['run.json'])
  assert.deepEqual(readGatewayAddress(home), run)
  await writeGatewayAddress(home, { ...run, pid: 2 ** 30 })
  assert.equal(JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')).pid, 2 ** 30)
  assert.equal(readGatewayAddress(home), undefined)
  removeGatewayAddress(home)
  removeGatewayAddress(home)
  assert.deepEqual(readdirSync(home), [])
})
