// The whole way from an empty workspace to the first real answer, typed in a real pseudo-terminal.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startFake } from '../../../../src/testing/index.ts'
import { NEEDS_PTY, type Pty, turnwiseInPty } from '../../../support/terminal/pty.ts'
import { piped } from '../in-process.ts'
import { cleanEnvironment, tempHome } from '../turnwise.ts'

const GOOD = 'sk-ant-decoy-0123456789-good'
const WRONG = 'sk-ant-decoy-0123456789-wrong'

const typed = (t: TestContext, home: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Pty =>
  turnwiseInPty(t, argv, { env: cleanEnvironment(home, env), columns: 100, rows: 40 })

const secretsOf = (home: string): unknown =>
  JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8').replace(/^\/\/.*\n/, '')).providers

test('from an empty workspace to the first real answers, without writing a file by hand', NEEDS_PTY, async t => {
  const home = tempHome(t)
  await using anthropic = await startFake({
    wire: 'anthropic',
    models: [{ name: 'claude-decoy-9', context: 200_000, output: 8000 }, { name: 'claude-decoy-8' }],
    keys: [GOOD],
    script: { says: [{ type: 'text', text: 'Anthropic answers.' }] },
  })
  await using ollama = await startFake({
    wire: 'ollama',
    models: [{ name: 'llama-decoy', context: 8192 }],
    script: { says: [{ type: 'text', text: 'Ollama answers.' }] },
  })
  await using lan = await startFake({
    wire: 'openai',
    models: [{ name: 'qwen-decoy', context: 32_000 }],
    script: { says: [{ type: 'text', text: 'The server answers.' }] },
  })
  const env = { ANTHROPIC_BASE_URL: anthropic.url, OLLAMA_HOST: ollama.url }

  await t.test('Anthropic, with a wrong key first', async t => {
    const pty = typed(t, home, ['connect'], env)
    await pty.waitFor(/Where do your models run\?[\s\S]*Anthropic[\s\S]*llama\.cpp[\s\S]*Other OpenAI-compatible server/)
    pty.press('Enter')
    await pty.waitFor(/Anthropic API key/)
    pty.type(`${WRONG}\r`)
    await pty.waitFor(/anthropic refused the key \(401\)[\s\S]*Try another Anthropic API key/)
    assert.equal(existsSync(join(home, 'secrets.json')), false, 'a refused key is not kept')
    pty.type(`${GOOD}\r`)
    await pty.waitFor(/Choose the default model[\s\S]*anthropic\/claude-decoy-8/)
    pty.type('decoy-9')
    await pty.waitFor(screen => screen.includes('claude-decoy-9') && !screen.includes('claude-decoy-8'))
    pty.press('Enter')
    await pty.waitFor(/Anthropic is connected\. The default model is anthropic\/claude-decoy-9/)
    assert.equal((await pty.exit).code, 0)
    assert.doesNotMatch(pty.raw(), /sk-ant-decoy/, 'the key is masked')
    assert.deepEqual(secretsOf(home), { anthropic: { apiKey: GOOD } })
    assert.equal(statSync(join(home, 'secrets.json')).mode & 0o777, 0o600)
    const asked = await piped(['ask', 'hello'], { home, env })
    assert.equal(asked.stdout.trim(), 'Anthropic answers.')
  })

  await t.test('Ollama, found by itself', async t => {
    const pty = typed(t, home, ['connect', 'ollama'], env)
    await pty.waitFor(/Choose the default model[\s\S]*ollama\/llama-decoy/)
    pty.press('Enter')
    await pty.waitFor(/The default model is ollama\/llama-decoy/)
    assert.equal((await pty.exit).code, 0)
    const asked = await piped(['ask', 'hello'], { home, env })
    assert.equal(asked.stdout.trim(), 'Ollama answers.')
  })

  await t.test('a compatible server, and a chat with it', async t => {
    const pty = typed(t, home, ['connect'], env)
    await pty.waitFor(/Other OpenAI-compatible server/)
    pty.press('Up', 'Enter')
    await pty.waitFor(/Name this server/)
    pty.type('lan\r')
    await pty.waitFor(/lan server address/)
    pty.type(`${lan.url}\r`)
    await pty.waitFor(/lan API key \(leave empty if not needed\)/)
    pty.press('Enter')
    await pty.waitFor(/compatible\/lan\/qwen-decoy/)
    pty.press('Enter')
    await pty.waitFor(/lan is connected\. The default model is compatible\/lan\/qwen-decoy/)
    assert.equal((await pty.exit).code, 0)
    const chat = typed(t, home, ['chat'], env)
    await chat.waitFor(/\/help/)
    chat.type('hello\r')
    await chat.waitFor(/The server answers\./)
    chat.press('Ctrl-D')
    await chat.exit
  })
})

test('leaving with Ctrl-C at any question saves nothing', NEEDS_PTY, async t => {
  const home = tempHome(t)
  await using anthropic = await startFake({ wire: 'anthropic', models: [{ name: 'claude-decoy-9' }] })
  const env = { ANTHROPIC_BASE_URL: anthropic.url }
  const before = typed(t, home, ['connect'], env)
  await before.waitFor(/Where do your models run/)
  before.press('Ctrl-C')
  await before.waitFor(/Nothing was saved\./)
  assert.equal((await before.exit).code, 130)
  const late = typed(t, home, ['connect', 'anthropic'], env)
  await late.waitFor(/Anthropic API key/)
  late.type(`${GOOD}\r`)
  await late.waitFor(/claude-decoy-9/)
  late.press('Ctrl-C')
  await late.waitFor(/Nothing was saved\./)
  assert.equal((await late.exit).code, 130)
  assert.equal(existsSync(join(home, 'secrets.json')), false)
  assert.doesNotMatch(readFileSync(join(home, 'turnwise.json'), 'utf8'), /claude-decoy/)
})
