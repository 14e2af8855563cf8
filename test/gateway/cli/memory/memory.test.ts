// What is remembered between chats, on the command line: listed with prices, switched, forgotten, kept private.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { command, piped } from '../in-process.ts'
import { newestSession, tempHome } from '../turnwise.ts'

test('pins and summaries are listed with their price, and forgotten', async t => {
  const home = tempHome(t)
  assert.equal((await piped(['ask', 'The boat is blue.'], { home })).code, 0)
  const session = newestSession({ home })
  const empty = await command(home, ['memory'])
  assert.equal(empty.code, 0, empty.stderr)
  assert.match(
    empty.stdout,
    /^memory\.from is session: each chat looks only into itself\n\n {2}nothing is pinned or summarized\n$/,
  )
  const chat = await piped(['chat', '-s', session], { home, input: '/pin 1 everywhere\nAnd now?\n/compact\n' })
  assert.equal(chat.code, 0, chat.stderr)
  const page = await command(home, ['memory'])
  assert.match(page.stdout, /pinned in every chat, seq 1, \d+ tokens\n {2}The boat is blue\.\n/)
  assert.match(page.stdout, /summary of messages 1–\d+, seq \d+, \d+ tokens\n/)
  const listed = JSON.parse((await command(home, ['memory', '--json'])).stdout)
  assert.deepEqual(
    listed.items.map(({ kind, seq }: { kind: string; seq: number }) => [kind, kind === 'pin' ? seq : 0]),
    [
      ['fold', 0],
      ['pin', 1],
    ],
  )
  assert.equal(listed.tokens, listed.items[0].tokens + listed.items[1].tokens)

  const fold = String(listed.items[0].seq)
  const forgotten = await command(home, ['memory', 'forget', session, fold])
  assert.deepEqual([forgotten.code, forgotten.stdout], [0, 'The summary is removed; its messages are kept.\n'])
  const pin = await command(home, ['memory', 'forget', session.slice(0, 14), '1', '--json'])
  assert.deepEqual(JSON.parse(pin.stdout), { forgotten: { session, seq: 1, kind: 'pin' } })
  assert.deepEqual(JSON.parse((await command(home, ['memory', '--json'])).stdout).items, [])
  for (const seq of ['1', fold, '2', '900']) {
    const nothing = await command(home, ['memory', 'forget', session, seq])
    assert.equal(nothing.code, 1)
    assert.match(nothing.stderr, /nothing is remembered at seq/)
  }
})

test('where chats look is switched in the files, whose comments stay', async t => {
  const home = tempHome(t)
  mkdirSync(join(home, 'projects/boat'), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'projects/boat/CONTEXT.md'), 'A boat.')
  writeFileSync(join(home, 'turnwise.json'), '// Mine.\n{}\n')
  assert.equal((await piped(['ask', 'Hello.'], { home })).code, 0)
  const set = await command(home, ['memory', 'from', 'everywhere'])
  assert.equal(set.stdout, 'memory.from is everywhere: chats also look into all other chats, from the next turn on.\n')
  assert.match(readFileSync(join(home, 'turnwise.json'), 'utf8'), /^\/\/ Mine\.\n\{[\s\S]*"from": "everywhere"/)
  const project = await command(home, ['memory', 'project', 'boat', 'on'])
  assert.equal(project.stdout, 'The chats of boat quote each other from the next turn on.\n')
  const page = await command(home, ['memory', '--json'])
  const { from, projects } = JSON.parse(page.stdout)
  assert.deepEqual([from, projects], ['everywhere', [{ name: 'boat', recall: true }]])
  assert.match((await command(home, ['memory'])).stdout, /Projects whose chats quote each other: boat\n/)
  const { checks } = JSON.parse((await command(home, ['doctor', '--json'])).stdout)
  assert.deepEqual(
    checks.filter(({ name }: { name: string }) => name === 'memory').map(({ found }: { found: string }) => found),
    ['memory.from is everywhere: chats also look into all other chats; quoting each other: boat'],
  )
  for (const [argv, code] of [
    [['from', 'nowhere'], 2],
    [['project', 'boat', 'maybe'], 2],
    [['project', 'car', 'on'], 1],
    [['forget', 'ses_none', '1'], 1],
    [['forget', 'ses_none', 'x'], 2],
  ] as const)
    assert.equal((await command(home, ['memory', ...argv])).code, code, argv.join(' '))
})

test('a session is made private, and public again', async t => {
  const home = tempHome(t)
  assert.equal((await piped(['ask', 'A secret.'], { home })).code, 0)
  const session = newestSession({ home })
  assert.equal((await command(home, ['private', session])).stdout, 'Private: no other chat quotes what is said here.\n')
  const listed = async (): Promise<boolean | undefined> =>
    JSON.parse((await command(home, ['sessions', '--json'])).stdout).items[0].private
  assert.equal(await listed(), true)
  assert.equal(JSON.parse((await command(home, ['private', session, 'off', '--json'])).stdout).id, session)
  assert.notEqual(await listed(), true)
  assert.equal((await command(home, ['private', session, 'maybe'])).code, 2)
  assert.equal((await command(home, ['private', 'ses_none'])).code, 1)
})
