// `turnwise chat` through a pipe: every line is a message or a command, in one process with the test.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { runCommandLine } from '../../../../src/gateway/cli/command-line.ts'
import { command, type Printed } from '../in-process.ts'
import { cleanEnvironment, newestSession, sessionsOf, start, tempHome, turnwise } from '../turnwise.ts'

/** A chat that is given these lines and then nothing more. */
async function chat(home: string, argv: readonly string[], ...lines: readonly string[]): Promise<Printed> {
  const stdin = new PassThrough()
  stdin.end(lines.map(line => `${line}\n`).join(''))
  const [stdout, stderr] = [written(), written()]
  const environment = cleanEnvironment(home)
  const code = await runCommandLine({
    argv: ['chat', ...argv],
    ...{ environment, stdin, stdout: stdout.stream, stderr: stderr.stream },
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function written(): { readonly stream: Writable; readonly text: () => string } {
  let seen = ''
  const write = (chunk: unknown, _: unknown, done: () => void): void => {
    seen += String(chunk)
    done()
  }
  return { stream: new Writable({ write }), text: () => seen }
}

/** A workspace with two agents, and a council of two. */
function peopled(t: TestContext): string {
  const home = tempHome(t)
  mkdirSync(home)
  const advisor = (id: string): object => ({ id, name: `The ${id}`, description: `You are ${id}.` })
  writeFileSync(
    join(home, 'agents.json'),
    JSON.stringify({
      agents: { plain: { name: 'Plain', prompt: 'You are plain.' }, poet: { name: 'Poet', prompt: 'You are a poet.' } },
    }),
  )
  writeFileSync(
    join(home, 'councils.json'),
    JSON.stringify({
      councils: {
        pair: { name: 'Pair', advisors: ['anna', 'berta', 'carla'].map(advisor), references: 'none', early: { turns: 0 } },
      },
    }),
  )
  return home
}

test('each line is a message in one session, which can be gone on with', async t => {
  const home = tempHome(t)
  const first = await chat(home, [], 'hello', '', '//help me', '/etc/hosts is a file')
  assert.deepEqual([first.code, first.stderr], [0, ''])
  assert.match(
    first.stdout,
    /turn 1; I saw 1 message.*“hello”\n\n.*\n.*turn 2; I saw 3 .*“\/help me”\n\n.*\n.*turn 3; .*“\/etc\/hosts is a file”\n\n.*\n$/,
  )
  assert.equal(sessionsOf({ home }).length, 1)
  const more = await chat(home, ['-c'], 'what was my first message?')
  assert.match(more.stdout, /“hello”\n$/)
  const asked = await command(home, ['ask', '-c', '-q', 'how many messages do you see?'])
  assert.deepEqual([asked.code, asked.stdout], [0, 'I see 9 messages, yours just now included.\n'])
  assert.equal(sessionsOf({ home }).length, 1)
  const picked = await chat(home, ['-r'], '1', 'how many messages do you see?')
  assert.match(picked.stdout, /^ +1 +just now +hello\n.*I see 11 messages/s)
})

test('sessions are listed, found by words, named, forked and shown as a tree', async t => {
  const home = tempHome(t)
  const { code, stdout, stderr } = await chat(
    home,
    [],
    ...['the first one', '/name Rivers', '/new', 'the second one', '/sessions', '/sessions 2', 'what was my first message?'],
    ...['/undo', 'how many messages do you see?', '/retry', '/fork', '/tree', '/sessions second'],
  )
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /\n\* {2}1 {2}just now {5}the second one\n {3}2 {2}just now {5}Rivers\n/)
  assert.match(stdout, /“the first one”\nI see 3 messages, yours just now included\.\nI see 3 messages/)
  assert.match(
    stdout,
    /\n {3}\d {2}Rivers .*\n {3}\d {2}└─ Rivers .*from seq \d.*\n {3}\d {5}└─ Rivers.*\n\* {2}\d {8}└─ Rivers.*\n/,
  )
  assert.match(stdout, /\n {3}1 {2}just now {5}.*the second.*\n$/)
  // The first, the second, and the forks that undo, retry and fork made.
  assert.equal(sessionsOf({ home }).length, 5)
})

test('who answers, with what and what it sees can be chosen, before the first message and after', async t => {
  const home = peopled(t)
  const { code, stdout, stderr } = await chat(
    home,
    [],
    ...[
      '/agent poet',
      '/policy recent',
      'one',
      '/agent',
      '@plain two',
      '/exclude 1',
      '/council pair',
      '@berta three',
      '/council nobody',
    ],
    ...[
      '/unpin',
      '/pin',
      '/context why',
      '/agnet',
      '/model',
      '/cost',
      '/tools',
      '/file nowhere.txt',
      '/copy',
      '/edit',
      '/think on',
      '/think',
      '/think perhaps',
      '/context list 1',
      '/context why 99',
      '/context sideways',
      '/budget',
      '/reload',
      '/agent pair',
    ],
  )
  assert.equal(code, 1, stderr)
  assert.match(stdout, /This is poet, turn 1; .*“one”\n.*This is plain, turn \d; .*“two”\n/s)
  assert.match(stdout, /\n## The berta\n\n.*This is berta.*“@berta three”/s)
  assert.doesNotMatch(stdout, /## The anna/)
  assert.match(stdout, /out +1 message +out\.excluded +seq 1\n/)
  assert.match(stdout, /day \(UTC\)/)
  assert.match(stdout, /^there is no budget for a day; .*\ntoday, in all sessions: \$0\.00\nread again: 2 agents, .*\n$/m)
  assert.match(stdout, /^.*think.*; \/think on \| off \| default changes it$/m)
  const complaints = stderr.trimEnd().split('\n')
  assert.deepEqual(
    complaints.map(line => /^turnwise: (.{14})/.exec(line)?.[1]),
    [
      'council: there',
      'there is no /a',
      'nowhere.txt ca',
      '/copy needs a ',
      '/edit needs a ',
      '/think takes o',
      'there is no tu',
      '/context takes',
      'pair is a coun',
    ],
    stderr,
  )
  assert.match(stderr, /there is no \/agnet; did you mean \/agent\?/)
  assert.match(stdout, /What the model was sent in turn 1 of 3[\s\S]*\/context why gives each line its reason/)
  const begun = await chat(home, [], '/think on', '/new pair', '@anna hello')
  assert.deepEqual([begun.code, begun.stderr], [0, ''])
  assert.match(begun.stdout, /^## The anna/)
})

test('a session is gone on with by whoever is named, and stays with them', async t => {
  const home = peopled(t)
  assert.match((await command(home, ['ask', '-a', 'poet', 'one'])).stdout, /This is poet, turn 1/)
  const id = newestSession({ home })
  const dry = await command(home, ['ask', '-s', id, '-a', 'plain', '--dry-run', '--json', 'two'])
  assert.equal(JSON.parse(dry.stdout).receipt.voice, 'plain')
  assert.match((await command(home, ['ask', '-s', id, '-a', 'plain', 'two'])).stdout, /This is plain, turn \d; I saw 3 messages/)
  assert.match((await chat(home, ['-c'], 'three')).stdout, /This is plain/)
  assert.match((await chat(home, ['-c', '-a', 'poet'], 'four')).stdout, /This is poet/)
  assert.match((await chat(home, ['-s', id, '--council', 'pair'], '@anna five')).stdout, /^## The anna/)
  assert.match((await command(home, ['ask', '-s', id, '-a', 'nobody', 'six'])).stderr, /nobody.*plain, poet/)
  assert.equal(sessionsOf({ home }).length, 1)
})

test('of a council only some are asked, and a name that nobody has is said before anything is', async t => {
  const home = peopled(t)
  const some = await chat(home, ['--council', 'pair', '--only', 'anna,carla'], 'hello')
  assert.equal(some.code, 0, some.stderr)
  assert.deepEqual([...some.stdout.matchAll(/^## (.*)$/gm)].map(([, name]) => name).sort(), ['The anna', 'The carla'])
  const strange = await chat(home, ['--council', 'pair', '--only', 'dora'], 'hello', '@anna hello')
  assert.equal(strange.code, 1)
  assert.match(strange.stderr, /there is no advisor "dora"; known: anna, berta, carla/)
  assert.match(strange.stdout, /^## The anna/)
  for (const argv of [
    ['--only', 'anna'],
    ['--approve', 'perhaps'],
    ['-c', '-s', 'ses_1'],
  ])
    assert.equal((await chat(home, argv)).code, 2, argv.join(' '))
  assert.match((await chat(home, ['-a', 'nobody'], 'hello')).stderr, /nobody.*plain, poet/)
})

test('--json is signals alone, one on each line, and files go with the next message', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  const note = join(home, 'note.txt')
  writeFileSync(note, 'remember the milk')
  const { code, stdout, stderr } = await chat(home, ['--json'], `/file ${note}`, 'say 3 words', '/help', 'say 2 words')
  assert.equal(code, 0)
  assert.match(stderr, /\/quit/)
  const signals = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { type: string; session: string; parts?: readonly { text?: string }[] })
  const messages = signals.filter(({ type }) => type === 'message.received')
  assert.deepEqual(
    messages.map(({ parts }) => parts?.[0]?.text),
    ['remember the milk', undefined],
  )
  assert.equal(signals.filter(({ type }) => type === 'turn.ended').length, 2)
  assert.equal(new Set(signals.map(({ session }) => session)).size, 1)
  assert.ok(signals.some(({ type }) => type === 'delta'))
})

test('calls that ask are refused where nobody may allow them, and the model reads why', async t => {
  const home = tempHome(t)
  const create = `use notes_create ${JSON.stringify({ name: 'Today', text: 'milk' })}`
  for (const how of ['never', 'allow-list']) {
    const { code, stdout } = await chat(home, [`--approve=${how}`], create, '/approvals')
    assert.equal(code, 0)
    assert.ok(stdout.includes(`denied: nothing that asks is allowed here (--approve=${how})`), stdout)
  }
})

test('what was said is found again, with where it stands', async t => {
  const home = tempHome(t)
  await chat(home, [], 'the heron stands in the reeds', '/new', 'nothing of that kind')
  const found = await command(home, ['search', 'heron', 'reeds'])
  assert.equal(found.code, 0)
  assert.match(found.stdout, /^ses_\w+ seq \d+ {2}just now\n {2}.*heron.*reeds.*\n$/)
  const { items } = JSON.parse((await command(home, ['search', 'heron', '--json'])).stdout)
  assert.equal(items.length, 1)
  assert.match(items[0].snippet, /heron/)
  assert.equal((await command(home, ['search', 'ostrich'])).stdout, 'Nothing was found.\n')
  assert.equal((await command(home, ['search', ' '])).code, 2)
})

test('a real pipe in and out has no escape and no colour, and a failed answer is an exit code', async t => {
  const home = tempHome(t)
  const piped = await turnwise(['chat'], { home, input: 'hello\n/sessions\n' })
  assert.equal(piped.code, 0)
  assert.match(piped.stdout, /“hello”\n\n.*\n\* {2}1 {2}just now {5}hello\n$/)
  assert.doesNotMatch(piped.stdout + piped.stderr, /(?!\n)\p{Cc}/u)
  const waiting = start(['chat'], { home, idleInput: true })
  waiting.child.stdin?.write('say 2 words\n')
  await waiting.says('calm river')
  waiting.child.kill('SIGTERM')
  assert.equal((await waiting.ended).code, 143)
  const failing = await turnwise(['chat'], { home, input: 'hello\n', env: { TURNWISE_MODEL: 'openai/none' } })
  assert.equal(failing.code, 1)
  assert.match(failing.stderr, /^turnwise: /)
})
