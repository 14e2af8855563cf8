// What the command line says of councils, and what it changes in their file.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { runCommandLine } from '../../../../src/gateway/cli/command-line.ts'
import { serve, tempHome, turnwise } from '../turnwise.ts'

const ANN = { id: 'ann', name: 'Ann', description: 'You ask.\nYou wait.', color: '#0a7', active: true, group: 'Minds' }
const BEN = { id: 'ben', name: 'Ben', description: 'You doubt.', color: '#a70', active: false }
const BOARD = { name: 'Board', advisors: [ANN, BEN], references: 'last-round', early: { turns: 3 } }

type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

type World = {
  readonly home: string
  readonly file: string
  readonly run: (...args: readonly string[]) => Promise<Ran>
  readonly kept: () => typeof BOARD
}

function world(t: TestContext, councils: object = { board: BOARD }): World {
  const home = tempHome(t)
  mkdirSync(home)
  const file = join(home, 'councils.json')
  writeFileSync(file, JSON.stringify({ councils }))
  return {
    home,
    file,
    run: (...args) => here(['councils', ...args], home),
    kept: () => JSON.parse(readFileSync(file, 'utf8').replace(/^\/\/.*\n/gm, '')).councils.board,
  }
}

/** In this process, which takes a hundredth of the time. */
async function here(argv: readonly string[], home: string): Promise<Ran> {
  const printed = { stdout: '', stderr: '' }
  const into = (name: keyof typeof printed): Writable =>
    new Writable({
      write: (chunk, _, done) => {
        printed[name] += chunk
        done()
      },
    })
  const terminal = { argv, environment: { TURNWISE_HOME: home }, stdin: Readable.from([]) }
  const code = await runCommandLine({ ...terminal, stdout: into('stdout'), stderr: into('stderr') })
  return { code, ...printed }
}

const said = ({ code, stdout, stderr }: Ran): readonly [number | null, string] => [code, stdout + stderr]

test('a new workspace has a board of five who differ, and the texts that councils are told', async t => {
  const home = tempHome(t)
  await turnwise(['ask', 'hello'], { home })
  const { stdout } = await turnwise(['councils'], { home })
  assert.equal(stdout, '  board   Board   The Builder, The Sceptic, The Steward, The Advocate, The Strategist\n')
  const { advisors } = JSON.parse((await turnwise(['councils', 'show', 'board', '--json'], { home })).stdout)
  assert.equal(new Set(advisors.map(({ color }: { color: string }) => color)).size, 5)
  for (const { description, group } of advisors) {
    assert.match(description, /^You .*\.$/)
    assert.ok(description.split(/\. /).length >= 3 && group.length > 0)
  }
  for (const name of ['council', 'early', 'ongoing'])
    assert.ok(readFileSync(join(home, 'prompts', `${name}.md`), 'utf8').length > 200)
})

test('a folder with files of its own gets no council', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  await turnwise(['ask', 'hello'], { home })
  assert.ok(!existsSync(join(home, 'councils.json')) && !existsSync(join(home, 'prompts')))
  const { code, stdout } = await turnwise(['councils'], { home })
  assert.deepEqual([code, stdout], [0, '  there are no councils; docs/councils.md shows how councils.json is written\n'])
})

test('councils are a line each, one is a page, and both are there for programs', async t => {
  const { run } = world(t)
  assert.deepEqual(said(await run()), [0, '  board   Board   Ann, Ben (hidden)\n'])
  assert.deepEqual(said(await run('show', 'board')), [
    0,
    `Board (board)
they hear of each other’s last answers · 3 early turns

Ann ann · #0a7 · Minds
  You ask.
  You wait.

Ben (hidden) ben · #a70
  You doubt.
`,
  ])
  const kept = { key: 'board', ...BOARD }
  assert.deepEqual(JSON.parse((await run('--json')).stdout), { items: [kept] })
  assert.deepEqual(JSON.parse((await run('show', 'board', '--json')).stdout), kept)
})

test('advisors are hidden, shown again and removed by id or name, and the file says so', async t => {
  const { run, kept } = world(t)
  assert.deepEqual(said(await run('hide', 'board', 'ann')), [0, 'Ann (ann) is hidden now, and answers only when it is named\n'])
  assert.equal(JSON.parse((await run('hide', 'board', 'ann', '--json')).stdout).advisors[0].active, false)
  assert.deepEqual(said(await run('unhide', 'board', 'BEN')), [0, 'Ben (ben) answers every message again\n'])
  assert.deepEqual(kept(), {
    ...BOARD,
    advisors: [
      { ...ANN, active: false },
      { ...BEN, active: true },
    ],
  })
  assert.deepEqual(said(await run('remove', 'board', 'ann')), [
    0,
    'Ann (ann) is no longer in the council; what it said stays in its sessions\n',
  ])
  assert.deepEqual(kept().advisors, [{ ...BEN, active: true }])
  assert.deepEqual(said(await run('remove', 'board', 'ben')), [
    1,
    'turnwise: "ben" is the last one in the council; add another first, or hide it\n',
  ])
})

test('advisors go out into a file and come back in', async t => {
  const { home, run, kept } = world(t, { board: BOARD, other: { ...BOARD, advisors: [BEN] } })
  const file = join(home, 'mine.json')
  assert.deepEqual(said(await run('export', 'board', file)), [0, `${file} has the 2 advisors of "board"\n`])
  assert.equal((await run('export', 'board')).stdout, readFileSync(file, 'utf8'))
  assert.deepEqual(said(await run('export', 'board', file)), [
    1,
    `turnwise: ${file} exists already and is left as it is; choose another name\n`,
  ])
  assert.deepEqual(said(await run('import', 'other', file)), [0, '"other" has 2 advisors: 1 new, 1 replaced\n'])
  writeFileSync(file, '{ "advisors": [{ "name": "Cy", "description": "You count." }] } // by hand')
  assert.deepEqual(said(await run('import', 'board', file)), [0, '"board" has 3 advisors: 1 new, 0 replaced\n'])
  assert.equal(kept().advisors[2]?.id, 'cy')
})

test('what cannot be done is one line with what to do', async t => {
  const { home, file, run } = world(t, { board: { ...BOARD, advisors: [ANN, { ...BEN, name: 'Ann' }] } })
  const before = readFileSync(file, 'utf8')
  const wrong = join(home, 'wrong.json')
  writeFileSync(wrong, '{ "advisors": [{ "id": "cy", "nam": "Cy" }] }')
  const cases: readonly (readonly [readonly string[], string | RegExp])[] = [
    [['show', 'bored'], 'there is no council "bored"; known: board'],
    [['hide', 'board', 'cy'], 'there is no advisor "cy" in "board"; known: ann, ben'],
    [['hide', 'board', 'Ann '], 'more than one in "board" is called "Ann "; say which by its id: ann, ben'],
    [['import', 'board', join(home, 'none.json')], `${join(home, 'none.json')}: it cannot be read (ENOENT)`],
    [['import', 'board', wrong], /^.*wrong\.json: .*advisors\.0\.nam: there is no such setting; did you mean "name"\?/],
    [
      ['export', 'board', join(home, 'no', 'x.json')],
      `${join(home, 'no', 'x.json')} cannot be written (ENOENT); choose another place`,
    ],
  ]
  for (const [args, line] of cases) {
    const { code, stdout, stderr } = await run(...args)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^turnwise: [^\n]+\n$/)
    if (typeof line === 'string') assert.equal(stderr, `turnwise: ${line}\n`)
    else assert.match(stderr.replace('turnwise: ', ''), line)
  }
  assert.equal((await run('shwo')).code, 2)
  assert.equal((await run('hide', 'board')).code, 2)
  assert.equal(readFileSync(file, 'utf8'), before)
  writeFileSync(file, '{ "councils": ')
  const { code, stderr } = await run('hide', 'board', 'ann')
  assert.deepEqual([code, readFileSync(file, 'utf8')], [1, '{ "councils": '])
  assert.match(stderr, /^turnwise: .*councils\.json: line 1: ValueExpected; the file is JSON with \/\/ comments\n$/)
})

test('what people wrote cannot steer the terminal', async t => {
  const evil = { ...ANN, name: 'Ann\u202e\u200b', description: 'You \u001b[31mask\u001b]0;x\u0007\nand wait.', group: 'a\u200bb' }
  const { run } = world(t, { board: { ...BOARD, name: 'Bo\u202eard', advisors: [evil] } })
  for (const args of [
    [],
    ['--json'],
    ['show', 'board'],
    ['show', 'board', '--json'],
    ['export', 'board'],
    ['hide', 'board', 'ann'],
  ]) {
    const { code, stdout } = await run(...args)
    assert.equal(code, 0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
    assert.doesNotMatch(stdout, /[\u001b\u0007\u202e\u200b]/, args.join(' '))
  }
})

test('a running gateway has an edit of the command line at once', async t => {
  const { home, run } = world(t)
  const gateway = await serve(t, { home })
  assert.equal((await run('hide', 'board', 'ann')).code, 0)
  const { items } = (await (await fetch(`${gateway.url}/api/councils`)).json()) as { items: (typeof BOARD)[] }
  assert.deepEqual(
    items[0]?.advisors.map(({ active }) => active),
    [false, false],
  )
})
