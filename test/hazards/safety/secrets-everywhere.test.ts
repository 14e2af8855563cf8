// Keys that people connect or keep in the environment, looked for in everything that the gateway writes and answers.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFake } from '../../../src/testing/index.ts'
import { piped } from '../../gateway/cli/in-process.ts'
import { serve, tempHome } from '../../gateway/cli/turnwise.ts'

/** Characters that look different in a URL, and a length that base64 has to fill up. */
const KEYS = {
  anthropic: 'sk-ant-decoy+one/0123456789==A',
  lan: 'sk-lan-decoy+two/0123456789==BB',
  environment: 'sk-env-decoy+three/0123456789==C',
  wrong: 'sk-ant-decoy+wrong/0123456789==DDD',
  misplaced: 'sk-bad-decoy+place/0123456789==E',
}

/** A key as it is, in a URL, and in base64 wherever its first byte falls. */
function formsOf(key: string): readonly string[] {
  const inBase64 = [0, 1, 2].flatMap(before => {
    const whole = Buffer.from(`${'x'.repeat(before)}${key}`)
      .toString('base64')
      .replace(/=+$/, '')
    // The signs at both ends also depend on the bytes beside the key.
    const core = whole.slice(before === 0 ? 0 : before + 1, -1)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [key, encodeURIComponent(key), encodeURI(key), JSON.stringify(key).slice(1, -1), ...inBase64]
}

const FORMS = Object.entries(KEYS).flatMap(([name, key]) => formsOf(key).map(form => ({ name, form })))

const foundIn = (bytes: Buffer | string): readonly string[] => {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1')
  return FORMS.filter(({ form }) => text.includes(form)).map(({ name, form }) => `${name} as ${form}`)
}

/** Every file below a folder, by its path in it. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => statSync(join(folder, path)).isFile())

test('the search finds a key in each form', () => {
  for (const key of Object.values(KEYS)) {
    for (const before of ['', 'a', 'ab', 'abc'])
      assert.notDeepEqual(foundIn(Buffer.from(`${before}${key} after`).toString('base64')), [], `${before}${key}`)
    assert.notDeepEqual(foundIn(`https://example.com/?key=${encodeURIComponent(key)}&more`), [])
    assert.notDeepEqual(foundIn(`{"apiKey":"${key}"}`), [])
  }
})

test('no key is in the database, logs, exports, backups, errors, the page or any answer', async t => {
  const home = tempHome(t)
  const models = [{ name: 'decoy' }]
  await using anthropic = await startFake({ wire: 'anthropic', keys: [KEYS.anthropic], models })
  await using openai = await startFake({ wire: 'openai', keys: [KEYS.environment], models })
  await using lan = await startFake({ wire: 'openai', keys: [KEYS.lan], models })
  await using elsewhere = await startFake({ wire: 'openai', models })
  const env = {
    ANTHROPIC_BASE_URL: anthropic.url,
    OPENAI_BASE_URL: openai.url,
    OPENAI_API_KEY: KEYS.environment,
    TURNWISE_LOG_LEVEL: 'debug',
  }
  const gateway = await serve(t, { home, env })
  const answers = new Map<string, string>()
  const ask = async (method: string, path: string, body?: unknown, accept = '*/*') => {
    const answer = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { accept, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    answers.set(`${answers.size} ${method} ${path} ${answer.status}`, `${JSON.stringify([...answer.headers])}${text}`)
    return { status: answer.status, text }
  }
  const connect = (name: string, body: unknown) => ask('PUT', `/api/providers/${name}`, body)
  const say = async (model: string, text: string): Promise<{ readonly id: string; readonly turn: string }> => {
    const { id } = JSON.parse((await ask('POST', '/api/sessions', { model })).text) as { id: string }
    const heard = await ask('POST', `/api/sessions/${id}/messages`, { text }, 'text/event-stream')
    return { id, turn: /"turn":"([^"]+)"/.exec(heard.text)?.[1] ?? '' }
  }

  assert.equal(JSON.parse((await connect('anthropic', { apiKey: KEYS.wrong })).text).state, 'bad-key')
  const refused = await say('anthropic/decoy', 'with a wrong key')
  assert.match([...answers.values()].at(-1) ?? '', /refused the key \(401\)/)
  assert.equal(JSON.parse((await connect('anthropic', { apiKey: KEYS.anthropic })).text).state, 'ready')
  assert.equal(JSON.parse((await connect('lan', { apiKey: KEYS.lan, baseURL: lan.url })).text).state, 'ready')
  assert.equal((await connect('Bad%20Name', { apiKey: KEYS.misplaced })).status, 400)
  assert.equal((await connect('anthropic', { apiKey: `${KEYS.misplaced}\n` })).status, 400)
  assert.equal((await connect('lan', { apiKey: KEYS.misplaced, baseURL: 'ftp://example.com' })).status, 400)
  assert.equal((await connect('lan', { apiKey: KEYS.misplaced, more: 1 })).status, 400)

  lan.say({ says: [{ type: 'text', text: 'Well.' }] }, { faults: [{ type: 'echoKey' }] })
  openai.say({ says: [{ type: 'text', text: 'Well.' }] }, { faults: [{ type: 'echoKey' }] })
  const talks = [refused]
  for (const model of ['anthropic/decoy', 'compatible/lan/decoy', 'openai/decoy', 'compatible/lan/decoy', 'openai/decoy'])
    talks.push(await say(model, `hello ${model}`))

  await t.test('a key of the environment goes only to its own address', async () => {
    assert.equal((await connect('openai', { baseURL: elsewhere.url })).status, 409)
    await connect('openai', { baseURL: elsewhere.url, apiKey: KEYS.wrong })
    await ask('POST', '/api/providers/openai/check')
    talks.push(await say('openai/decoy', 'where does the key go?'))
    assert.deepEqual(
      foundIn(JSON.stringify(elsewhere.requests)).filter(found => found.startsWith('environment')),
      [],
    )
    await ask('DELETE', '/api/providers/openai')
  })

  for (const { id, turn } of talks) {
    for (const format of ['json', 'markdown', 'port42', 'html']) await ask('GET', `/api/sessions/${id}/export?format=${format}`)
    await ask('GET', `/api/sessions/${id}/turns/${turn}/context`)
    await ask('GET', `/api/sessions/${id}/events?after=0`, undefined, 'application/json')
  }
  const [first] = talks
  const description = JSON.parse((await ask('GET', '/openapi.json')).text) as { paths: Record<string, Record<string, unknown>> }
  const filled = (path: string): string =>
    path
      .replace(/\{turn\}/, first?.turn ?? '')
      .replace(/\/sessions\/\{[^}]+\}/, `/sessions/${first?.id}`)
      .replace(/\/providers\/\{[^}]+\}/, '/providers/anthropic')
      .replace(/\{[^}]+\}/g, 'anthropic')
  const gets = Object.keys(description.paths).filter(path => description.paths[path]?.get !== undefined)
  assert.ok(gets.includes('/api/providers') && gets.includes('/api/settings'), gets.join(' '))
  for (const path of gets) await ask('GET', filled(path), undefined, 'application/json')
  const page = await ask('GET', '/', undefined, 'text/html')
  for (const [, asset] of page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) await ask('GET', asset ?? '/')

  const backup = join(home, '../backup.db')
  const commands = ['doctor', 'models', 'tools', 'usage'].map(name => [name, '--json'])
  for (const argv of [['backup', backup], ...commands, ['verify', '--all'], ['show', first?.id ?? '']]) {
    const { stdout, stderr } = await piped(argv, { home, env })
    answers.set(`turnwise ${argv.join(' ')}`, stdout + stderr)
  }
  const ended = await gateway.stop()
  assert.match(ended.stderr, /"level":"?(debug|20)/, 'the log is at its most talkative')
  answers.set('stdout', ended.stdout).set('stderr', ended.stderr)

  for (const [where, text] of answers) assert.deepEqual(foundIn(text), [], where)
  const files = filesIn(home)
  assert.ok(files.includes('turnwise.db') && files.includes('secrets.json'), files.join(' '))
  for (const path of files.filter(each => each !== 'secrets.json'))
    assert.deepEqual(foundIn(readFileSync(join(home, path))), [], path)
  assert.deepEqual(foundIn(readFileSync(backup)), [], 'the backup')

  const secrets = readFileSync(join(home, 'secrets.json'), 'utf8')
  assert.ok(secrets.includes(KEYS.anthropic) && secrets.includes(KEYS.lan), 'the keys are kept')
  assert.ok(!secrets.includes(KEYS.environment) && !secrets.includes(KEYS.wrong) && !secrets.includes(KEYS.misplaced))
  assert.equal(statSync(join(home, 'secrets.json')).mode & 0o777, 0o600)
})
