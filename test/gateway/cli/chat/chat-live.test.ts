// `turnwise chat` in a real pseudo-terminal, typed into and looked at as by a person.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startFake } from '../../../../src/testing/index.ts'
import { NEEDS_PTY, type Pty, startInPty, turnwiseInPty } from '../../../support/terminal/pty.ts'
import { cleanEnvironment, newestSession, PROGRAM, serve, sessionsOf, start, tempHome } from '../turnwise.ts'

type Settings = { readonly env?: Readonly<Record<string, string>>; readonly columns?: number }

const chat = (t: TestContext, home: string, argv: readonly string[] = [], { env = {}, columns = 90 }: Settings = {}): Pty =>
  turnwiseInPty(t, ['chat', ...argv], { env: cleanEnvironment(home, env), columns, rows: 40 })

/** The line that is being typed. */
const typing = (text: string) => (screen: string) => screen.split('\n').some(row => row.trimEnd() === `> ${text}`.trimEnd())

/** What we write ourselves: colours, moves, erasing, a hidden cursor, brackets around pastes, whole frames, keys with modifiers. */
const OURS = /^(\d+(;\d+)*)?m$|^\d*[ABC]$|^[JK]$|^\?(25|2004|2026)[hl]$|^>1u$|^<u$/

function assertHarmless(pty: Pty): void {
  const foreign = pty.escapes().filter(({ kind, body }) => kind !== 'CSI' || !OURS.test(body))
  assert.deepEqual(foreign, [])
  assert.deepEqual(pty.titles(), [])
  assert.doesNotMatch(pty.raw(), /[\u0080-\u009f]/)
}

test('a person talks, stops an answer, goes on typing meanwhile, and leaves', NEEDS_PTY, async t => {
  const home = tempHome(t)
  const editor = join(home, '../editor')
  writeFileSync(editor, '#!/bin/sh\nprintf "a better thought" > "$1"\n', { mode: 0o700 })
  const pty = chat(t, home, [], { env: { TURNWISE_DEMO_DELAY_MS: '5', VISUAL: editor } })
  await pty.waitFor(/without a gateway; \/help/)
  pty.type('two')
  pty.press('Alt-Enter')
  pty.type('lines\r')
  await pty.waitFor(/You said: “two[\s\S]*lines”/)
  await pty.waitFor(/demo · ↑\S+ ↓\d+ R0 \$0\.00 · ctx \d\.\d%\/24k · assistant · steady/)

  pty.type('say 5000 words\r')
  await pty.waitFor('calm river')
  pty.type('a thought')
  await pty.waitFor(typing('a thought'))
  pty.press('Ctrl-C')
  await pty.waitFor('■ stopped; what was said so far is kept')
  await pty.waitFor(typing('a thought'))
  pty.press('Enter')
  await pty.waitFor('“a thought”')

  pty.type('/edit\r')
  await pty.waitFor(
    /said in other words, in a fork[\s\S]*turn 3; I saw 5\s+messages\. You said: “a better thought”[\s\S]*turnwise connect/,
  )
  pty.type('/copy\r')
  await pty.waitFor('sent to the clipboard')
  const [copied] = pty.escapes().filter(({ kind }) => kind === 'OSC')
  assert.match(
    Buffer.from(copied?.body.slice('52;c;'.length) ?? '', 'base64').toString(),
    /^I am the demo.*“a better thought”\n\nConnect a real model .*"turnwise connect"\.$/,
  )

  pty.type('/na')
  pty.press('Tab')
  await pty.waitFor(typing('/name'))
  pty.type('Rivers\r')
  await pty.waitFor(/· called Rivers/)
  await pty.waitFor(/· Rivers · assistant · steady/)
  pty.press('Ctrl-C')
  await pty.waitFor('Ctrl-C once more leaves')
  pty.press('Ctrl-C')
  assert.deepEqual(await pty.exit, { code: 0, signal: 0 })
  assert.match(pty.scrollback().join('\n'), /turnwise chat -s ses_\w+ goes on here/)
  assert.equal(sessionsOf({ home }).length, 2)

  const again = chat(t, home, ['-c'])
  await again.waitFor(/Rivers[\s\S]*turnwise show ses_\w+" has everything[\s\S]*“a better thought”/)
  await again.waitFor(/demo · ↑\S+ ↓\d+ R0 \$0\.00 · ctx \d\.\d%\/24k · Rivers/)
  again.press('Ctrl-D')
  assert.equal((await again.exit).code, 0)
})

test('a terminal that can do nothing is asked for lines, and written to in lines', NEEDS_PTY, async t => {
  const env = cleanEnvironment(tempHome(t), { TURNWISE_DEMO_DELAY_MS: '5' })
  const pty = startInPty(t, 'env', ['TERM=dumb', PROGRAM, 'chat'], { env, rows: 40 })
  await pty.waitFor(/^>/)
  pty.type('hello\r')
  await pty.waitFor('“hello”')
  pty.type('say 5000 words\r')
  await pty.waitFor('calm river')
  pty.press('Ctrl-C')
  await pty.waitFor(screen => screen.split('\n').at(-1)?.startsWith('>') === true)
  pty.type(`use notes_create ${JSON.stringify({ name: 'Today', text: 'milk' })}\r`)
  await pty.waitFor('[n] no:')
  pty.type('n\r')
  await pty.waitFor('The tool answered: denied')
  pty.press('Ctrl-D')
  assert.equal((await pty.exit).code, 0)
  assert.deepEqual(pty.escapes(), [])
})

test('a call that asks shows what would run, and one key decides', NEEDS_PTY, async t => {
  const home = tempHome(t)
  const pty = chat(t, home)
  const create = (name: string): string => `use notes_create ${JSON.stringify({ name, text: '- [ ] milk' })}\r`
  await pty.waitFor('/help')
  pty.type(create('Today'))
  await pty.waitFor(
    /May notes_create run this\?\n {2}turnwise notes-create --name Today --text "- \[ \] milk"\n +Program +\S+\/bin\/turnwise\n +SHA-256 +[\da-f]{64}\n +Variables .*PATH.*\n.*\[y\] once/,
  )
  pty.press('Ctrl-C')
  await pty.waitFor('■ stopped')
  assert.ok(!existsSync(join(home, 'notes')))
  pty.type(create('Today'))
  await pty.waitFor('[y] once')
  pty.type('y')
  await pty.waitFor('The tool answered: done')
  assert.ok(existsSync(join(home, 'notes/Today.md')))
  pty.type(create('Tomorrow'))
  await pty.waitFor(screen => screen.includes('--name Tomorrow') && screen.includes('[y] once'))
  pty.type('n')
  await pty.waitFor(/The tool answered: denied/)
  pty.type(create('Sunday'))
  await pty.waitFor(screen => screen.includes('--name Sunday') && screen.includes('[r] no, with a reason'))
  pty.type('r')
  await pty.waitFor('type the reason')
  pty.type('not on a Sunday\r')
  await pty.waitFor(/The tool answered: denied: not on a Sunday/)
  assert.ok(!existsSync(join(home, 'notes/Tomorrow.md')) && !existsSync(join(home, 'notes/Sunday.md')))
  pty.kill('SIGTERM')
  assert.equal((await pty.exit).code, 143)
})

test('whatever a model says, a terminal does nothing but show it; NO_COLOR has no colour either', NEEDS_PTY, async t => {
  const hostile = [
    'title \u001b]0;owned\u0007 clip \u001b]52;c;b3duZWQ=\u0007 link \u001b]8;;https://example.com\u001b\\words\u001b]8;;\u001b\\',
    'clear \u001b[2J\u001b[H up \u001b[9A red \u001b[31m c1 \u009b2J \u009d0;owned\u009c back \b\b\r over',
    '```js\nconst a = 1 // \u001b[2J\n```\n| a \u001b[31m | b |\n|---|---|\n| \u009b31m | c |\n',
  ].join('\n\n')
  const fake = await startFake({ wire: 'openai' })
  t.after(fake.close)
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(
    join(home, 'turnwise.json'),
    JSON.stringify({ model: 'compatible/odd/model', providers: { odd: { baseURL: fake.url } } }),
  )
  for (const NO_COLOR of ['', '1']) {
    // Cut into pieces of one and of seven signs, so that sequences are split at every place.
    fake.say({
      says: [
        { type: 'think', text: hostile },
        { type: 'text', text: `${hostile}\n\nthe end` },
      ],
      every: NO_COLOR === '' ? 1 : 7,
    })
    const pty = chat(t, home, [], { env: { NO_COLOR } })
    await pty.waitFor('/help')
    pty.type('hello\r')
    await pty.waitFor('the end')
    pty.press('Ctrl-D')
    assert.equal((await pty.exit).code, 0)
    assertHarmless(pty)
    assert.equal(
      pty.escapes().some(({ body }) => body.endsWith('m')),
      NO_COLOR === '',
    )
    assert.match(pty.scrollback().join('\n'), /title ␛\]0;owned␇ clip ␛\]52;c;b3duZWQ=␇/)
  }
})

test('a council speaks side by side where there is room, and one after the other where there is not', NEEDS_PTY, async t => {
  const home = tempHome(t)
  const names = ['The Builder', 'The Sceptic', 'The Steward', 'The Advocate', 'The Strategist']
  const wide = chat(t, home, ['--council', 'board', '--only', 'builder,sceptic,steward'], { columns: 140 })
  await wide.waitFor('/help')
  wide.type('hello\r')
  await wide.waitFor(/The Builder +│ The Sceptic +│ The Steward\n[\s\S]*✓ done +│ ✓ done +│ ✓ done/)
  await wide.waitFor(/council board · council$/)
  wide.type('@steward hello again\r')
  await wide.waitFor(/\nThe Steward\n\n.*This is steward[\s\S]*“@steward hello again”/)
  assert.doesNotMatch(wide.scrollback().join('\n'), /The Advocate/)
  wide.press('Ctrl-D')
  assert.equal((await wide.exit).code, 0)

  const councils = join(home, 'councils.json')
  writeFileSync(councils, readFileSync(councils, 'utf8').replace('"references"', '"synthesis": "brief",\n"references"'))
  const narrow = chat(t, home, ['--council', 'board'], { columns: 80 })
  await narrow.waitFor('/help')
  narrow.type('hello\r')
  await narrow.waitFor('Synthesis (brief)')
  const said = narrow.scrollback()
  assert.ok(names.every(name => said.includes(name)))
  assert.equal(said.join(' ').split(/You said:\s+“hello”/).length, 6)
  // Each name in its own colour.
  const shades = new Set(narrow.escapes().flatMap(({ body }) => /^1;38;5;(\d+)m$/.exec(body)?.[1] ?? []))
  assert.equal(shades.size, 5)
  narrow.press('Ctrl-D')
  assert.equal((await narrow.exit).code, 0)
})

test('beside a gateway: what is said elsewhere is heard here, and a gateway may come and go', NEEDS_PTY, async t => {
  const home = tempHome(t)
  const gateway = await serve(t, { home, env: { TURNWISE_DEMO_DELAY_MS: '5' } })
  const pty = chat(t, home)
  await pty.waitFor('beside the gateway')
  pty.type('from the terminal\r')
  await pty.waitFor('“from the terminal”')
  const id = newestSession({ home })
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${gateway.url}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const shown = start(['show', id, '--follow'], { home })
  await shown.says('“from the terminal”')
  pty.type('half a')
  await pty.waitFor(typing('half a'))
  await post(`/sessions/${id}/messages`, { text: 'from the page \u001b]0;owned\u0007\u009b2J' })
  await pty.waitFor(/you, elsewhere[\s\S]*from the page[\s\S]*“from the page ␛\]0;owned/)
  await pty.waitFor(typing('half a'))
  await shown.says('“from the page ␛]0;owned')
  shown.child.kill('SIGINT')
  assert.equal((await shown.ended).code, 0)
  pty.press('Ctrl-U')

  pty.type(`use notes_create ${JSON.stringify({ name: 'Today', text: 'milk' })}\r`)
  await pty.waitFor('[y] once')
  const { items } = (await (await fetch(`${gateway.url}/api/approvals`)).json()) as { items: readonly { approval: string }[] }
  await post(`/approvals/${items[0]?.approval}`, { answer: 'deny', reason: 'said on the page' })
  await pty.waitFor(screen => /denied: said on the page/.test(screen) && !screen.includes('[y] once'))

  assert.equal((await gateway.stop()).code, 0)
  await pty.waitFor('the gateway went away')
  pty.type('is anybody there?\r')
  await pty.waitFor('this terminal answers by itself now')
  await pty.waitFor('“is anybody there?”')
  pty.type('/quit\r')
  assert.equal((await pty.exit).code, 0)
  assertHarmless(pty)

  const next = chat(t, home, ['-s', id])
  await next.waitFor('“is anybody there?”')
  next.press('Ctrl-D')
  await next.exit
  assert.deepEqual(readFileSync(join(home, 'chat-history'), 'utf8').trimEnd().split('\n').at(-1), JSON.stringify('/quit'))
})

test('a summary is made while a person goes on, is said where it happened, and can be edited', NEEDS_PTY, async t => {
  const home = tempHome(t)
  const editor = join(home, '../editor')
  writeFileSync(editor, '#!/bin/sh\nprintf "In my own words." > "$1"\n', { mode: 0o700 })
  const pty = chat(t, home, [], { env: { VISUAL: editor } })
  await pty.waitFor(/without a gateway; \/help/)
  for (const [text, answer] of [
    ['The boat is blue.', '“The boat is blue.”'],
    ['Its berth is 17.', '“Its berth is 17.”'],
  ] as const) {
    pty.type(`${text}\r`)
    // The last words of the demo, and below them the line that comes when the reply is over.
    await pty.waitFor(new RegExp(`${answer}[\\s\\S]*turnwise\\s+connect"\\.[\\s\\S]*ctx \\d`))
  }
  pty.type('/compact\r')
  await pty.waitFor(/— Messages 1–\d+ summarized · \d+ → \d+ tokens —/)
  pty.type('/folds\r')
  await pty.waitFor(/1 {2}seq \d+ {2}Messages 1–\d+ summarized[\s\S]*\/folds <number> reads one/)
  pty.type('/folds 1 edit\r')
  // What is typed while the editor has the terminal is the editor's.
  await pty.waitFor(/summarized · \d+ → 5 tokens —\n>/)
  pty.type('/folds 1\r')
  await pty.waitFor('In my own words.')
  pty.type('And now?\r')
  await pty.waitFor(/saw 3 of 5, 2 summarized · /)
  pty.type('/pin 1 everywhere\r')
  await pty.waitFor(/seq 1 goes with every request[\s\S]*in\s+every\s+chat/)
  pty.type('/private on\r')
  await pty.waitFor('Private: no other chat quotes what is said here.')
  assertHarmless(pty)
})
