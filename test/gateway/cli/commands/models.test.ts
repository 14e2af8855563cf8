// What the command line says of models, of providers and of what was used.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startFake } from '../../../../src/testing/index.ts'
import { piped } from '../in-process.ts'
import { newestSession, serve, tempHome } from '../turnwise.ts'

const CANARY = 'sk-canary-0123456789'

function homeWith(t: TestContext, settings: object, agents?: object): string {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settings))
  if (agents !== undefined) writeFileSync(join(home, 'agents.json'), JSON.stringify(agents))
  return home
}

const linesOf = (stdout: string): readonly string[] => stdout.split('\n').map(line => line.trim().replace(/ {3,}/g, ' | '))

test('models are listed ready ones first, the default is marked, and the others are a line', async t => {
  const home = homeWith(t, { model: 'anthropic/claude-haiku-4-5' })
  const { code, stdout, stderr } = await piped(['models'], { home })
  assert.deepEqual([code, stderr], [0, ''])
  const [demo, standard, more] = linesOf(stdout)
  assert.equal(demo, 'demo | 32,000 | $0 / $0 | ready')
  assert.equal(standard, '* | anthropic/claude-haiku-4-5 | 200,000 | $1 / $5 | set ANTHROPIC_API_KEY')
  assert.match(more ?? '', /^… \d\d more need ANTHROPIC_API_KEY or OPENAI_API_KEY; "turnwise models --all" shows them$/)
  const all = linesOf((await piped(['models', '--all'], { home })).stdout)
  assert.ok(all.includes('openai/gpt-5.6 | 1,050,000 | no price | set OPENAI_API_KEY'))
  assert.ok(all.includes('anthropic/claude-haiku-5-5 | 1,000,000 | $0.10 / $0.50 | set ANTHROPIC_API_KEY'))
  assert.ok(!all.some(line => line.startsWith('…')))
  const unready = all.filter(line => /\| set (ANTHROPIC|OPENAI)_API_KEY$/.test(line))
  assert.equal(unready.length - 1, Number(/\d+/.exec(more ?? '')), 'all but the default')

  const { items, default: name } = JSON.parse((await piped(['models', '--json'], { home })).stdout)
  assert.equal(name, 'anthropic/claude-haiku-4-5')
  assert.deepEqual(
    items
      .map(({ name, price }: { name: string; price: unknown }) => [name, price])
      .find(([name]: [string]) => name === 'openai/gpt-5.6'),
    ['openai/gpt-5.6', null],
    'as over HTTP',
  )
  assert.deepEqual(
    items.filter((item: { ready: boolean }) => item.ready).map((item: { name: string }) => item.name),
    ['demo'],
  )
})

test('with a key its models are ready, and the key is printed nowhere', async t => {
  await using anthropic = await startFake({ wire: 'anthropic', keys: [CANARY], models: [{ name: 'claude-decoy' }] })
  await using openai = await startFake({ wire: 'openai', keys: [`other-${CANARY}`] })
  const providers = { openai: { apiKey: CANARY, baseURL: openai.url } }
  const home = homeWith(t, { model: 'anthropic/claude-haiku-4-5', providers })
  chmodSync(join(home, 'turnwise.json'), 0o600)
  const env = {
    ...{ ANTHROPIC_API_KEY: CANARY, ANTHROPIC_BASE_URL: anthropic.url },
    ...{ TURNWISE_PORT: '0', TURNWISE_LOG_LEVEL: 'debug' },
  }
  const { stdout } = await piped(['models'], { home, env })
  assert.ok(linesOf(stdout).includes('* | anthropic/claude-haiku-4-5 | 200,000 | $1 / $5 | ready'))
  assert.ok(
    linesOf(stdout).some(line => /anthropic\/claude-decoy \|.*\| ready$/.test(line)),
    'a model of the provider’s own list',
  )
  assert.doesNotMatch(stdout, /openai\/.* ready/, 'a wrong key is not shown as ready')
  assert.match((await piped(['models', '--all'], { home, env })).stdout, /openai\/gpt-5 .*openai refused the key \(401\)/)
  for (const args of [
    ['models', '--json'],
    ['doctor'],
    ['doctor', '--json'],
    ['agents', '--json'],
    ['ask', '--dry-run', 'hello'],
    ['usage'],
  ]) {
    const ran = await piped(args, { home, env })
    assert.ok(!(ran.stdout + ran.stderr).includes(CANARY), args.join(' '))
  }
  writeFileSync(
    join(home, 'turnwise.json'),
    JSON.stringify({ providers: { openai: { apiKey: CANARY, baseUrl: CANARY } }, gateway: CANARY }),
  )
  for (const args of [['models'], ['doctor', '--json'], ['serve']]) {
    const ran = await piped(args, { home, env })
    assert.equal(ran.code, 1)
    assert.match(ran.stdout + ran.stderr, /providers\.openai\.baseUrl: there is no such setting; did you mean/)
    assert.ok(!(ran.stdout + ran.stderr).includes(CANARY), args.join(' '))
  }
})

test('a settings file with a key that others can read is refused, with what to do', async t => {
  const home = homeWith(t, { providers: { openai: { apiKey: CANARY } } })
  const file = join(home, 'turnwise.json')
  chmodSync(file, 0o644)
  for (const args of [['serve'], ['ask', 'hello'], ['models']]) {
    const { code, stderr } = await piped(args, { home })
    assert.equal(code, 1)
    assert.ok(stderr.includes(`run "chmod 600 ${file}"`), stderr)
    assert.ok(!stderr.includes(CANARY))
  }
  chmodSync(file, 0o600)
  assert.equal((await piped(['ask', 'hello'], { home })).code, 0)
})

test('a running Ollama’s models are in the list, and are asked as it says', async t => {
  await using ollama = await startFake({
    wire: 'ollama',
    models: [{ name: 'llava:latest', capabilities: ['completion', 'vision'] }, { name: 'qwen3:8b' }],
  })
  const home = homeWith(t, { model: 'ollama/llava' })
  const env = { OLLAMA_HOST: ollama.url }
  const lines = linesOf((await piped(['models'], { home, env })).stdout)
  assert.ok(lines.includes('* | ollama/llava | 16,384 | no price | ready'), lines.join('\n'))
  assert.ok(lines.includes('ollama/qwen3:8b | 16,384 | no price | ready'))
  ollama.say({ says: [{ type: 'text', text: 'I see.' }] })
  const before = ollama.requests.length
  assert.equal((await piped(['ask', 'hello'], { home, env })).stdout, 'I see.\n')
  assert.deepEqual(
    ollama.requests.slice(before).map(({ path }) => path),
    ['/api/tags', '/api/show', '/api/show', '/api/chat'],
    'what it can do is asked first',
  )
  const away = linesOf((await piped(['models'], { home })).stdout)
  assert.ok(away.includes('* | ollama/llava | 8,192 | no price | needs a running Ollama'), away.join('\n'))
  const missing = homeWith(t, { model: 'ollama/mistral' })
  assert.match((await piped(['models'], { home: missing, env })).stdout, /ollama\/mistral .* needs "ollama pull mistral"/)
})

test('doctor has a line for each provider, and warns only of what somebody needs', async t => {
  const free = { TURNWISE_PORT: '0' }
  await using openai = await startFake({ wire: 'openai', keys: [CANARY] })
  const agents = { agents: { one: { name: 'One', prompt: 'You are one.', model: 'openrouter/a/b' } } }
  const settings = {
    model: 'ollama/x',
    providers: { lan: { baseURL: 'https://lan.test/v1', apiKey: '$LAN_KEY' }, near: { baseURL: 'http://127.0.0.1:9/v1' } },
  }
  const home = homeWith(t, settings, agents)
  const { code, stdout } = await piped(['doctor'], {
    home,
    env: { ...free, OPENAI_API_KEY: CANARY, OPENAI_BASE_URL: openai.url },
  })
  assert.equal(code, 0, stdout)
  for (const line of [
    /^ {2}warn {2}model +ollama\/x cannot be asked yet\n +→ needs a running Ollama$/m,
    /^ {2}ok {4}anthropic +https:\/\/api\.anthropic\.com, no key: ANTHROPIC_API_KEY is not set$/m,
    /^ {2}ok {4}openai +http:\/\/127\.0\.0\.1:\d+\/v1, ready, 2 models, key from OPENAI_API_KEY$/m,
    /^ {2}warn {2}openrouter +https:\/\/openrouter\.ai\/api\/v1, no key: OPENROUTER_API_KEY is not set\n +→ run "turnwise connect openrouter", or set OPENROUTER_API_KEY$/m,
    /^ {2}warn {2}ollama +ollama could not be reached at http:\/\/127\.0\.0\.1:9: .*\n +→ start it with "ollama serve", or say where it runs with OLLAMA_HOST$/m,
    /^ {2}ok {4}lan +https:\/\/lan\.test\/v1, no key: LAN_KEY is not set$/m,
    /^ {2}ok {4}near +http:\/\/127\.0\.0\.1:9\/v1, not running$/m,
  ])
    assert.match(stdout, line)
  await using ollama = await startFake({ wire: 'ollama', models: [{ name: 'x:latest' }] })
  await using router = await startFake({ wire: 'openai', flavour: 'openrouter', keys: [`other-${CANARY}`] })
  const routed = { OPENROUTER_API_KEY: CANARY, OPENROUTER_BASE_URL: router.url }
  const well = await piped(['doctor'], { home, env: { ...free, ...routed, OLLAMA_HOST: ollama.url } })
  assert.match(well.stdout, /^ {2}ok {4}model +ollama\/x is ready$/m)
  assert.match(well.stdout, new RegExp(`^ {2}ok {4}ollama +${ollama.url}, ready, 1 model$`, 'm'))
  assert.match(
    well.stdout,
    /^ {2}warn {2}openrouter +.*openrouter refused the key \(401\).*key from OPENROUTER_API_KEY\n +→ set OPENROUTER_API_KEY to a key that is valid$/m,
  )
  assert.doesNotMatch(well.stdout, new RegExp(CANARY))
  const plain = await piped(['doctor'], { home: homeWith(t, {}), env: free })
  assert.match(plain.stdout, /^ {2}ok {4}model +demo is ready$/m)
  assert.match(plain.stdout, /^ {2}ok {4}ollama +http:\/\/127\.0\.0\.1:9, not running$/m)
})

test('a missing key is one line for whoever asks, and the gateway starts all the same', async t => {
  const home = homeWith(t, { model: 'anthropic/claude-sonnet-5' })
  const { code, stderr } = await piped(['ask', 'hello'], { home })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^turnwise: not answered: anthropic needs a key; set ANTHROPIC_API_KEY, or run "turnwise connect anthropic"; [^\n]+\n$/,
  )
  const gateway = await serve(t, { home })
  const ready = (await (await fetch(`${gateway.url}/readyz`)).json()) as { status: string; reasons: string[] }
  assert.deepEqual(ready, {
    status: 'degraded',
    reasons: ['anthropic needs a key; set ANTHROPIC_API_KEY, or run "turnwise connect anthropic"'],
  })
  const { stderr: told } = await gateway.stop()
  assert.match(told, /"msg":"anthropic needs a key; set ANTHROPIC_API_KEY, or run/)
})

test('usage is a table by day and model, with its total', async t => {
  const home = tempHome(t)
  assert.equal((await piped(['usage'], { home })).code, 1)
  const nothing = homeWith(t, {})
  await piped(['ask', 'hello'], { home: nothing })
  await piped(['ask', '-s', newestSession({ home: nothing }), 'again'], { home: nothing })
  const { code, stdout } = await piped(['usage'], { home: nothing })
  assert.equal(code, 0)
  const [head, row, total] = linesOf(stdout)
  assert.equal(head, 'day (UTC) | model | input | output | cache read | cache write | cost | requests')
  assert.match(row ?? '', /^\d{4}-\d\d-\d\d \| demo \| \d+ \| \d+ \| 0 \| 0 \| \$0\.00 \| 2$/)
  assert.match(total ?? '', /^total \| \d+ \| \d+ \| 0 \| 0 \| \$0\.00 \| 2$/)
  const json = JSON.parse((await piped(['usage', '--json'], { home: nothing })).stdout)
  assert.deepEqual([json.items.length, json.items[0].requests, json.total.requests, json.total.costUsd], [1, 2, 2, 0])
  assert.equal((await piped(['usage', '--since', '2999-01-01'], { home: nothing })).stdout, 'Nothing was used since then.\n')
  const wrong = await piped(['usage', '--since', 'yesterday'], { home: nothing })
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /^turnwise: .*It must be a date as in 2026-01-31.*\n$/)
})
