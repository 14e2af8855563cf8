// `turnwise connect` and `disconnect` in scripts, with a gateway and without one.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFake } from '../../../../src/testing/index.ts'
import { piped } from '../in-process.ts'
import { serve, tempHome } from '../turnwise.ts'

const GOOD = 'sk-decoy-0123456789-good'

const secretsIn = (home: string): string => readFileSync(join(home, 'secrets.json'), 'utf8')

test('a key from standard input is tried, saved, and its model answers', async t => {
  const home = tempHome(t)
  await using fake = await startFake({ wire: 'anthropic', keys: [GOOD], models: [{ name: 'claude-decoy-9' }] })
  const env = { ANTHROPIC_BASE_URL: fake.url }
  const wrong = await piped(['connect', 'anthropic', '--key-stdin'], { home, env, input: 'sk-decoy-0123456789-wrong\n' })
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /^turnwise: anthropic refused the key \(401\).*nothing was saved\n$/)
  assert.doesNotMatch(wrong.stderr, /sk-decoy/, 'the provider quoted the key, we do not')
  assert.equal(existsSync(join(home, 'secrets.json')), false)

  const absent = ['connect', 'anthropic', '--key-stdin', '--model', 'claude-decoy-1']
  const unknown = await piped(absent, { home, env, input: GOOD })
  assert.match(unknown.stderr, /anthropic has no model "claude-decoy-1"; it has anthropic\/claude-decoy-9; nothing was saved/)
  assert.equal(existsSync(join(home, 'secrets.json')), false)

  const good = await piped(['connect', 'anthropic', '--key-stdin', '-m', 'claude-decoy-9'], { home, env, input: `${GOOD}\n` })
  assert.deepEqual(
    [good.code, good.stderr, good.stdout],
    [0, '', 'Anthropic is connected, with 1 model.\nThe default model is anthropic/claude-decoy-9 from the next turn on.\n'],
  )
  assert.match(secretsIn(home), new RegExp(GOOD))
  const asked = await piped(['ask', 'hello'], { home, env })
  assert.equal(asked.stdout.trim(), 'You said: hello')

  const kept = await piped(['connect', 'anthropic', '--json'], { home, env })
  const { provider, model } = JSON.parse(kept.stdout)
  assert.deepEqual(
    [provider.state, provider.keyFrom, provider.last4, model],
    ['ready', 'secrets', 'good', 'anthropic/claude-decoy-9'],
  )
  assert.doesNotMatch(kept.stdout, /sk-decoy/)
})

test('a running gateway is asked, and its next turn uses the new model', async t => {
  const home = tempHome(t)
  await using fake = await startFake({ wire: 'openai', keys: [GOOD], models: [{ name: 'qwen-decoy' }] })
  await serve(t, { home })
  const argv = ['connect', 'lan', '--base-url', fake.url, '--key-stdin', '--model', 'qwen-decoy']
  const done = await piped(argv, { home, input: GOOD })
  assert.deepEqual([done.code, done.stderr], [0, ''])
  const asked = await piped(['ask', 'hello'], { home })
  assert.equal(asked.stdout.trim(), 'You said: hello')
  const used = await piped(['disconnect', 'lan'], { home })
  assert.equal(used.code, 1)
  assert.match(used.stderr, /"compatible\/lan\/qwen-decoy" is the model of .*choose another model there first/)
})

test('disconnecting deletes the key, and says where a key is that it cannot delete', async t => {
  const home = tempHome(t)
  await using fake = await startFake({ wire: 'anthropic', keys: [GOOD], models: [{ name: 'claude-decoy-9' }] })
  const env = { ANTHROPIC_BASE_URL: fake.url }
  await piped(['connect', 'anthropic', '--key-stdin'], { home, env, input: GOOD })
  const gone = await piped(['disconnect', 'anthropic'], { home, env })
  assert.deepEqual([gone.code, gone.stdout], [0, 'anthropic is disconnected; its key is deleted from secrets.json.\n'])
  assert.doesNotMatch(secretsIn(home), /sk-decoy/)
  const byVariable = await piped(['disconnect', 'anthropic'], { home, env: { ...env, ANTHROPIC_API_KEY: GOOD } })
  assert.equal(byVariable.code, 1)
  assert.match(byVariable.stderr, /ANTHROPIC_API_KEY/)
})

test('what is missing or cannot be is said in one line, and nothing is saved', async t => {
  const home = tempHome(t)
  const run = async (argv: readonly string[], input = '') => piped(['connect', ...argv], { home, input })
  assert.match((await run([])).stderr, /say which provider/)
  assert.match((await run(['anthropic', '--key-stdin'])).stderr, /no key came from standard input/)
  assert.match((await run(['Bad Name', '--base-url', 'http://127.0.0.1:9/v1'])).stderr, /Bad Name/)
  assert.match((await run(['lan', '--base-url', 'nowhere'])).stderr, /lan: /)
  assert.match((await run(['lan', '--base-url', 'http://127.0.0.1:9/v1'])).stderr, /could not be reached.*nothing was saved/)
  assert.equal(existsSync(join(home, 'secrets.json')), false)
  const later = await run(['lan', '--base-url', 'http://127.0.0.1:9/v1', '--no-check'])
  assert.equal(later.code, 0)
  assert.match(secretsIn(home), /127\.0\.0\.1:9/)
})

test('a key of the environment is not sent to an address that was typed', async t => {
  const home = tempHome(t)
  await using elsewhere = await startFake({ wire: 'anthropic' })
  const env = { ANTHROPIC_API_KEY: GOOD }
  const tried = await piped(['connect', 'anthropic', '--base-url', elsewhere.url], { home, env })
  assert.equal(tried.code, 1)
  assert.doesNotMatch(JSON.stringify(elsewhere.requests), /sk-decoy/)
})

test('headers of the file, and a key of the environment, stay with their address', async t => {
  const home = tempHome(t)
  await using own = await startFake({ wire: 'openai' })
  await using elsewhere = await startFake({ wire: 'openai', models: [{ name: 'decoy' }] })
  mkdirSync(home)
  const settings = { providers: { lan: { baseURL: own.url, headers: { 'x-decoy': '$LAN_TOKEN' } } } }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settings))
  const env = { LAN_TOKEN: GOOD, OPENAI_API_KEY: GOOD }
  await piped(['connect', 'lan', '--base-url', elsewhere.url, '--json'], { home, env })
  await piped(['connect', 'openai', '--base-url', elsewhere.url, '--json'], { home, env })
  assert.ok(elsewhere.requests.length > 0)
  assert.doesNotMatch(JSON.stringify(elsewhere.requests), /sk-decoy/)
})

test('a key is not sent, and not kept, where it would travel unencrypted', async t => {
  const home = tempHome(t)
  const env = { OPENAI_BASE_URL: 'http://10.0.0.5/v1' }
  const refused = await piped(['connect', 'openai', '--key-stdin', '--no-check'], { home, env, input: GOOD })
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /would travel unencrypted to 10\.0\.0\.5/)
  assert.equal(existsSync(join(home, 'secrets.json')), false)
  assert.equal((await piped(['models'], { home, env })).code, 0, 'the workspace still opens')
})
