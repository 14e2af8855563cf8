// Summaries on the command line: listed, made, changed and removed, alone and through a running gateway.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command, piped } from '../in-process.ts'
import { newestSession, serve, tempHome, turnwise } from '../turnwise.ts'

/** A workspace with a conversation of three exchanges; gives its session. */
async function talked(home: string): Promise<string> {
  assert.equal((await piped(['ask', 'The boat is blue, and its ticket is T-1042.'], { home })).code, 0)
  const session = newestSession({ home })
  for (const text of ['Its berth is number 17.', 'And now?'])
    assert.equal((await piped(['ask', '-s', session, text], { home })).code, 0)
  return session
}

test('what was said so far is summarized, read, edited, made anew and removed', async t => {
  const home = tempHome(t)
  const session = await talked(home)
  const none = await command(home, ['folds', session])
  assert.deepEqual(
    [none.code, none.stdout],
    [0, 'Nothing is summarized in this session. "turnwise folds <id> add" summarizes now.\n'],
  )

  const added = await command(home, ['folds', session.slice(0, 14), 'add'])
  assert.equal(added.code, 0, added.stderr)
  assert.match(added.stdout, /^Messages 1–\d+ summarized · \d+ → \d+ tokens\n\n[\s\S]*T-1042/)
  const { items } = JSON.parse((await command(home, ['folds', session, '--json'])).stdout)
  const [{ seq, from, to, text }] = items
  assert.deepEqual([items.length, from, items[0].by], [1, 1, 'extract'])
  const list = await command(home, ['folds', session])
  assert.match(
    list.stdout,
    new RegExp(`^1 {2}seq ${seq} {2}Messages 1–${to} summarized · \\d+ → \\d+ tokens · literal sentences\n$`),
  )
  assert.ok((await command(home, ['folds', session, '--text'])).stdout.includes(text))

  const edited = await command(home, ['folds', session, 'edit', String(seq), '--text', 'A blue boat.', '--json'])
  assert.deepEqual([edited.code, JSON.parse(edited.stdout).text, JSON.parse(edited.stdout).replaces], [0, 'A blue boat.', seq])
  const next = JSON.parse(edited.stdout).seq
  const again = await piped(['folds', session, 'edit', String(next)], { home, input: 'A boat, from a pipe.\n' })
  assert.equal(again.code, 0, again.stderr)
  assert.match((await command(home, ['folds', session, '--text'])).stdout, /· edited\nA boat, from a pipe\.\n/)
  const newest = JSON.parse((await command(home, ['folds', session, '--json'])).stdout).items.at(-1).seq
  const redone = await command(home, ['folds', session, 'redo', String(newest), '--extract', '--json'])
  assert.equal(JSON.parse(redone.stdout).by, 'extract')
  const removed = await command(home, ['folds', session, 'remove', String(JSON.parse(redone.stdout).seq)])
  assert.equal(removed.stdout, 'Removed. The messages it stood for are kept.\n')
  assert.match((await command(home, ['folds', session])).stdout, /^Nothing is summarized/)
  const twice = await command(home, ['folds', session, 'remove', String(JSON.parse(redone.stdout).seq)])
  assert.deepEqual([twice.code, /already/.test(twice.stderr)], [1, true])

  // A range of whole turns; the context says what was sent instead of them.
  assert.equal((await command(home, ['folds', session, 'add', '--from', '1', '--to', '6', '--extract'])).code, 0)
  assert.equal((await piped(['ask', '-s', session, 'And then?'], { home })).code, 0)
  const context = await command(home, ['context', session])
  assert.match(context.stdout, /, and \d+ in summary\n/)
  assert.match(context.stdout, /Summarized: messages 1–\d+ \(\d+ tokens\)/)
  assert.match((await command(home, ['show', session])).stdout, /— Messages 1–\d+ summarized · \d+ → \d+ tokens —/)
  assert.equal((await command(home, ['verify', session])).code, 0)
})

test('what is asked for wrongly is said, with what to do', async t => {
  const home = tempHome(t)
  const session = await talked(home)
  for (const [argv, words] of [
    [['compact'], /"compact" is nothing to do with a summary; known: add, edit, redo, remove/],
    [['edit'], /say which summary by its seq/],
    [['add', '3'], /"add" takes no seq/],
    [['redo', '3', '--from', '1'], /--from, --to and --voice belong to "add"/],
    [['remove', '3', '--extract'], /--extract and --model belong to "add" and "redo"/],
    [['--text', 'words'], /--text takes no words in a list/],
    [['add', '--text'], /--text belongs to the list and to "edit"/],
    [['edit', 'x'], /It must be a whole number from 1/],
    [['add', '--extract', '--model', 'demo'], /cannot be used with option/],
  ] as const) {
    const wrong = await command(home, ['folds', session, ...argv])
    assert.equal(wrong.code, 2, argv.join(' '))
    assert.match(wrong.stderr, words)
  }
  for (const argv of [
    ['edit', '1', '--text', 'x'],
    ['add', '--from', '900'],
    ['add', '--from', '5', '--to', '2'],
    ['add', '--model', 'nobody/knows'],
  ]) {
    const wrong = await command(home, ['folds', session, ...argv])
    assert.equal(wrong.code, 1, argv.join(' '))
    assert.match(wrong.stderr, /^turnwise: [^\n]+\n$/)
  }
  assert.equal((await piped(['folds', session, 'edit', '3'], { home, input: '  \n' })).code, 2)
  assert.equal((await command(home, ['folds', 'ses_none'])).code, 1)
})

test('a running gateway makes and changes summaries for the command line, as a process of its own', async t => {
  const home = tempHome(t)
  const session = await talked(home)
  await serve(t, { home })
  const added = await turnwise(['folds', session, 'add', '--json'], { home })
  assert.equal(added.code, 0, added.stderr)
  const { seq } = JSON.parse(added.stdout)
  assert.equal((await turnwise(['folds', session, 'edit', String(seq)], { home, input: 'By hand.' })).code, 0)
  assert.match((await turnwise(['folds', session, '--text'], { home })).stdout, /By hand\./)
  const chat = await turnwise(['chat', '-s', session], { home, input: '/compact\n/folds\n/folds 1\n/folds 1 remove\n/folds\n' })
  assert.match(chat.stdout, /^Messages 1–\d+ summarized · [^\n]+\n {2}1 {2}seq \d+ {2}Messages 1–/m)
})
