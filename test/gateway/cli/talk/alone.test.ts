import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { piped } from '../in-process.ts'
import { newestSession, sessionsOf, start, tempHome, turnwise } from '../turnwise.ts'

const isOneLine = (text: string): boolean => /^turnwise: [^\n]+\n$/.test(text)

test('help and version are there, and a mistake is named in one line', async t => {
  const home = tempHome(t)
  const help = await piped(['--help'], { home })
  assert.equal(help.code, 0)
  assert.match(help.stdout, /Examples:\n {2}turnwise /)
  assert.match((await piped(['--version'], { home })).stdout, /^\d+\.\d+\.\d+\n$/)
  for (const wrong of [
    ['frob'],
    ['ask', '--frob', 'x'],
    ['show'],
    ['context', 'ses_1', '--turn', 'x'],
    ['context', 'ses_1', '--why', '--raw'],
  ]) {
    const { code, stdout, stderr } = await piped(wrong, { home })
    assert.deepEqual([code, stdout, isOneLine(stderr)], [2, '', true], stderr)
  }
  assert.ok(!existsSync(home), 'none of that makes a workspace')
})

test('reading commands say what to do when there is nothing to read', async t => {
  const home = tempHome(t)
  for (const args of [['sessions'], ['show', 'ses_1'], ['context', 'ses_1'], ['verify'], ['backup', join(home, '../copy.db')]]) {
    const { code, stderr } = await piped(args, { home })
    assert.equal(code, 1)
    assert.match(stderr, /^turnwise: there is no workspace at .*; run "turnwise serve" once\n$/)
  }
  mkdirSync(home)
  assert.match((await piped(['sessions'], { home })).stderr, /^turnwise: there is no database at .*; start the gateway once\n$/)
})

test('ask answers without a gateway, makes the workspace, and goes on with a session', async t => {
  const home = tempHome(t)
  const first = await turnwise(['ask', 'hello', 'you'], { home })
  assert.equal(first.code, 0)
  assert.equal(first.stderr, '')
  assert.match(first.stdout, /^I am the demo model.*You said: “hello you”\n\nConnect a real model .*"turnwise connect"\.\n$/)
  const id = newestSession({ home })
  const second = await turnwise(['ask', '-q', '-s', id.slice(0, 12), 'what was my first message?'], { home })
  assert.equal(second.stdout, 'The first message of yours that I can see is: “hello you”\n')
  assert.equal(sessionsOf({ home }).length, 1)
  const unknown = await turnwise(['ask', '-s', 'ses_none', 'hello'], { home })
  assert.equal(unknown.code, 1)
  assert.equal(unknown.stderr, 'turnwise: there is no session ses_none; "turnwise sessions" lists them\n')
})

test('what is piped in is said too, and silence is refused', async t => {
  const home = tempHome(t)
  const piped = await turnwise(['ask'], { home, input: 'from a pipe\n' })
  assert.match(piped.stdout, /You said: “from a pipe”/)
  await turnwise(['ask', 'Review this:'], { home, input: 'line one\nline two\n' })
  const shown = await turnwise(['show', newestSession({ home })], { home })
  assert.match(shown.stdout, /Review this:\n\nline one\nline two\n/)
  const nothing = await turnwise(['ask'], { home, input: ' \n' })
  assert.equal(nothing.code, 2)
  assert.match(nothing.stderr, /^turnwise: there is nothing to ask; try /)
  const idle = await turnwise(['ask', 'nobody writes'], { home, idleInput: true })
  assert.match(idle.stdout, /“nobody writes”/)
})

test('--json is one signal per line, in the order of the log', async t => {
  const home = tempHome(t)
  const { code, stdout } = await piped(['ask', '--json', 'say 3 words'], { home })
  assert.equal(code, 0)
  const signals = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { type: string; seq?: number; session: string; text?: string })
  const types = signals.map(signal => signal.type)
  assert.deepEqual(
    types.filter(type => type !== 'delta'),
    ['message.received', 'turn.started', 'context.planned', 'reply.finished', 'turn.ended'],
  )
  assert.equal(signals.flatMap(signal => (signal.type === 'delta' ? [signal.text] : [])).join(''), 'calm river under')
  const id = newestSession({ home })
  assert.ok(signals.every(signal => signal.session === id))
  const shown = JSON.parse((await piped(['show', id, '--json'], { home })).stdout)
  assert.equal(shown.session.id, id)
  assert.deepEqual(
    shown.events,
    signals.filter(signal => signal.seq !== undefined),
  )
})

test('a dry run shows the very request that is sent next, and keeps nothing', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'AGENTS.md'), 'Be brief.\n')
  const dry = JSON.parse((await piped(['ask', '--dry-run', '--json', 'hello'], { home })).stdout)
  assert.equal(dry.receipt.id, null)
  assert.ok(!existsSync(join(home, 'turnwise.db')))
  await piped(['ask', 'hello'], { home })
  const id = newestSession({ home })
  const sent = JSON.parse((await piped(['context', id, '--json'], { home })).stdout)
  assert.equal(sent.receipt.digest, dry.receipt.digest)
  assert.deepEqual(sent.request, dry.request)
  assert.equal(sent.verified, true)

  const again = await piped(['ask', '--dry-run', '-s', id, 'and now?'], { home })
  assert.match(again.stdout, /current\.message/)
  assert.match(again.stdout, /"text": "and now\?"/)
  assert.equal(sessionsOf({ home })[0]?.messages, 2)
  await piped(['ask', '-s', id, 'and now?'], { home })
  const why = await piped(['context', id, '--why'], { home })
  const [digest] = /sha256:[0-9a-f]{64}/.exec(again.stdout) ?? []
  assert.ok(digest !== undefined && why.stdout.includes(digest))
})

test('context shows what was sent: calmly, with reasons, and to the byte', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'AGENTS.md'), 'Be brief.\n')
  await piped(['ask', 'think about rivers.'], { home })
  const id = newestSession({ home })
  await piped(['ask', '-s', id, 'use clock {}'], { home })

  const calm = (await piped(['context', id], { home })).stdout
  assert.match(calm, /^What the model was sent in turn 2 of 2, just now\ndemo · steady@1 · assistant\n/)
  assert.match(calm, /house text +AGENTS\.md +3\n/)
  assert.match(calm, /left out\n {2}thinking +1 message, seq \d+\n/)
  assert.match(calm, /verified: the log still gives exactly these bytes/)
  const why = (await piped(['context', id, '--why', '--turn', '2', '--step', '1'], { home })).stdout
  assert.match(why, / {2}in +\d+ tokens {3}system\.agents-md +AGENTS\.md\n/)
  assert.match(why, / {2}in +\d+ tokens {3}recent\.window +2 messages, seq 1–4\n/)
  assert.match(why, / {2}in +\d+ tokens {3}current\.message +seq 6\n/)
  assert.match(why, / {2}out +1 message {3}out\.thinking +seq 4\n/)
  const raw = (await piped(['context', id, '--raw'], { home })).stdout
  const { receipt } = JSON.parse((await piped(['context', id, '--json'], { home })).stdout)
  assert.equal(`sha256:${createHash('sha256').update(raw).digest('hex')}`, receipt.digest)

  const other = (await piped(['context', id, '--policy', 'recent', '--at', '5'], { home })).stdout
  assert.match(other, /^What would be sent as of seq 5; nothing was\ndemo · recent@1/)
  const replayed = (await piped(['context', id, '--policy', 'recent', '--turn', '1', '--why'], { home })).stdout
  assert.match(replayed, /^What would be sent in turn 1; nothing was\n/)
  assert.match(replayed, /current\.message +seq 1\n/)
  for (const [args, complaint] of [
    [['--turn', '9'], /there is no turn 9; this session has 2/],
    [['--policy', 'frob'], /policy: there is no "frob"; known: /],
  ] as const) {
    const { code, stderr } = await piped(['context', id, ...args], { home })
    assert.equal(code, 1)
    assert.match(stderr, complaint)
  }
})

test('show is a transcript people can read', async t => {
  const home = tempHome(t)
  await piped(['ask', 'think about rivers.'], { home })
  const id = newestSession({ home })
  await piped(['ask', '-s', id, 'use clock {"zone": 1}'], { home })
  const { stdout } = await piped(['show', id], { home })
  assert.match(stdout, new RegExp(`^think about rivers\\.\n${id} · assistant · steady · 4 messages\n`))
  assert.match(stdout, /\nyou \d\d:\d\d\nthink about rivers\.\n\nassistant \d\d:\d\d\n│ They want .*\nI thought about rivers/)
  assert.match(stdout, /I will use clock\.\n→ clock \{"zone": 1\}\n← failed: there is no tool named clock/)
})

test('what a person or a model says cannot command the terminal, on any page', async t => {
  const home = tempHome(t)
  const attack = '\x1b]52;c;ZXZpbA==\x07 \x9b2J \u202e evil \x1b[31m'
  const asked = await piped(['ask'], { home, input: attack })
  const id = newestSession({ home })
  const pages = [asked]
  for (const args of [
    ['sessions'],
    ['sessions', '--json'],
    ['show', id],
    ['show', id, '--json'],
    ['context', id, '--json'],
    ['ask', '--dry-run', attack],
  ]) {
    pages.push(await piped(args, { home }))
  }
  for (const { stdout, stderr } of pages) {
    for (const hidden of ['\x1b', '\x07', '\x9b', '\u202e']) assert.ok(!(stdout + stderr).includes(hidden))
  }
  assert.match(asked.stdout, /␛\]52;c;ZXZpbA==␇ U\+009B2J U\+202E evil ␛\[31m/)
})

test('a store that is not there and settings that are wrong are refused in one line', async t => {
  const home = tempHome(t)
  for (const args of [['ask', 'hello'], ['sessions'], ['serve']]) {
    mkdirSync(home, { recursive: true })
    const { code, stderr } = await piped(args, { home, env: { TURNWISE_STORE: 'postgres://me:secret@127.0.0.1:9/x' } })
    assert.equal(code, 1)
    assert.ok(isOneLine(stderr))
    assert.match(stderr, /^turnwise: 127\.0\.0\.1:9\/x: the database cannot be used/)
    assert.doesNotMatch(stderr, /secret/)
  }
  writeFileSync(join(home, 'turnwise.json'), '{ "modle": "demo", "gateway": { "prot": 1 } }')
  const { code, stderr } = await piped(['ask', 'hello'], { home })
  assert.equal(code, 1)
  assert.ok(isOneLine(stderr), stderr)
  assert.match(stderr, /modle: there is no such setting; did you mean "model"\?/)
  writeFileSync(join(home, 'turnwise.json'), '{ "policy": "frob" }')
  for (const args of [
    ['ask', 'hello'],
    ['ask', '--dry-run', 'hello'],
  ]) {
    assert.match((await piped(args, { home })).stderr, /^turnwise: [^\n]*policy: there is no "frob"; known: [^\n]+\n$/)
  }
  assert.match((await piped(['doctor'], { home })).stdout, / {2}bad {3}settings +.*policy: there is no "frob"/)
})

test('a file that is not a database is left as it is', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(
    join(home, 'turnwise.db'),
    'these are not the bytes of a database, but there are enough of them to look'.repeat(20),
  )
  for (const args of [['ask', 'hello'], ['sessions'], ['verify']]) {
    const { code, stderr } = await piped(args, { home })
    assert.equal(code, 1)
    assert.ok(isOneLine(stderr), stderr)
    assert.match(stderr, /cannot be opened .*Restore a backup/)
  }
  const doctor = await piped(['doctor'], { home })
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, / {2}bad {3}database .*not a database\n +→ restore a backup/)
})

test('doctor finds a healthy house healthy, and says so to programs too', async t => {
  const home = tempHome(t)
  await piped(['ask', 'hello'], { home })
  const free = { TURNWISE_PORT: '0' }
  const { code, stdout } = await piped(['doctor'], { home, env: free })
  assert.equal(code, 0, stdout)
  for (const name of [
    'Node',
    'SQLite',
    'workspace',
    'settings',
    'skills',
    'tools',
    'Telegram',
    'database',
    'integrity',
    'gateway',
  ]) {
    assert.match(stdout, new RegExp(`^ {2}ok {4}${name} `, 'm'))
  }
  assert.match(stdout, /turnwise\.db, 1 session, 5 events/)
  const { ok, checks } = JSON.parse((await piped(['doctor', '--json'], { home, env: free })).stdout)
  assert.equal(ok, true)
  assert.ok(checks.length >= 7)
  assert.equal((await piped(['doctor'], { home: join(home, 'none') })).code, 0)
})

test('doctor says of skills, tools and Telegram what is not well, and what to do', async t => {
  const home = tempHome(t)
  await piped(['ask', 'hello'], { home })
  const tool = { name: 'go_now', description: 'Goes.', parameters: { type: 'object', properties: {}, required: [] } }
  const execution = [{ tool: 'go_now', binary: 'no-such-program', subcommand: 'go' }]
  mkdirSync(join(home, 'skills/go'))
  writeFileSync(join(home, 'skills/go/SKILL.md'), '---\nname: go\ndescription: Goes.\n---\nGo.\n')
  writeFileSync(
    join(home, 'skills/go/tools.json'),
    JSON.stringify({ tools: [tool], allowlist: { 'no-such-program': ['go'] }, execution }),
  )
  mkdirSync(join(home, 'skills/torn'))
  writeFileSync(join(home, 'skills/torn/SKILL.md'), '---\nname: Torn Up\ndescription: Torn.\n---\n')
  const { code, stdout } = await piped(['doctor'], { home, env: { TURNWISE_PORT: '0', TELEGRAM_BOT_TOKEN: '1:x' } })
  assert.equal(code, 0, stdout)
  const remedy = ' +→ see to that, or name the skill in skills\\.disabled$'
  assert.match(stdout, new RegExp(`^ {2}warn {2}tools .*there is no no-such-program on the PATH\\n${remedy}`, 'm'))
  assert.match(stdout, new RegExp(`^ {2}warn {2}skills .*torn/SKILL\\.md.*\\n${remedy}`, 'm'))
  assert.match(stdout, /^ {2}warn {2}Telegram +not set up, though TELEGRAM_BOT_TOKEN is set\n +→ name it in turnwise\.json/m)
})

test('two that ask at once are both answered, one after the other', async t => {
  const home = tempHome(t)
  const slow = start(['ask', 'say 40 words'], { home, env: { TURNWISE_DEMO_DELAY_MS: '25' } })
  await slow.says('calm')
  const second = await turnwise(['ask', 'me too'], { home })
  assert.equal(second.code, 0, second.stderr)
  assert.equal((await slow.ended).code, 0)
  assert.equal(sessionsOf({ home }).length, 2)
})

test('Ctrl-C stops the turn, keeps what was said, and ends with 130', async t => {
  const home = tempHome(t)
  const asking = start(['ask', 'say 5000 words'], { home, env: { TURNWISE_DEMO_DELAY_MS: '10' } })
  await asking.says('calm river')
  asking.child.kill('SIGINT')
  const { code, stdout, stderr } = await asking.ended
  assert.deepEqual([code, stderr], [130, ''])
  const { stdout: shown } = await piped(['show', newestSession({ home })], { home })
  assert.ok(shown.includes(stdout.trimEnd()))
  assert.match(shown, /■ stopped by a person\n$/)
})

test('`ask -a` asks that agent, in a session of its own', async t => {
  const home = tempHome(t)
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, 'agents.json'),
    JSON.stringify({ agents: { one: { name: 'One', prompt: 'You are one.' }, two: { name: 'Two', prompt: 'You are two.' } } }),
  )
  const { stdout, code } = await piped(['ask', '-a', 'two', 'who are you?'], { home })
  assert.equal(code, 0)
  assert.match(stdout, /This is two, turn 1/)
  const dry = await piped(['ask', '-a', 'two', '--dry-run', '--json', 'who?'], { home })
  assert.match(dry.stdout, /You are two\./)
  const strange = await piped(['ask', '-a', 'three', 'hello'], { home })
  assert.notEqual(strange.code, 0)
  assert.match(strange.stderr, /there is no "three"; known: one, two/)
})
