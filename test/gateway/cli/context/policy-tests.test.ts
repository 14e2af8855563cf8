import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { command, type Printed } from '../in-process.ts'
import { newestSession, serve, tempHome } from '../turnwise.ts'

const FIRST = 'The code word is kingfisher.'

type Bench = {
  readonly home: string
  readonly id: string
  readonly policies: (tests: unknown, ...more: readonly string[]) => Promise<Printed>
}

/** A workspace with a session of five turns; what a test file says is written and run. */
async function bench(t: TestContext): Promise<Bench> {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'AGENTS.md'), 'Be brief.\n')
  await command(home, ['ask', FIRST])
  const id = newestSession({ home })
  for (const text of ['What do birds eat?', 'say 120 words', 'And where?', 'bye']) await command(home, ['ask', '-s', id, text])
  return { home, id, policies: (tests, ...more) => tried(home, tests, more) }
}

function tried(home: string, tests: unknown, more: readonly string[] = [], columns?: number): Promise<Printed> {
  const file = join(home, 'tests.json')
  writeFileSync(file, typeof tests === 'string' ? tests : JSON.stringify(tests))
  return command(home, ['policies', 'test', file, ...more], columns)
}

test('cases over an own session are tried under several policies, and the exit code says whether all pass', async t => {
  const { home, id, policies } = await bench(t)
  const known = { session: FIRST, contains: 'kingfisher' }
  const digest = databaseOf(home)
  const passed = await policies({ policies: ['steady', 'full'], cases: [known, { session: id, turn: 3, cachedAtLeast: 0.5 }] })
  assert.deepEqual([passed.code, passed.stderr], [0, ''])
  assert.match(passed.stdout, /^ {2}tokens under +steady +full\n {2}turn 5: contains "kingfisher" +✓ [\d,]+ +✓ [\d,]+\n/)
  assert.match(passed.stdout, /\n\n2 cases under 2 policies: all pass\n$/)

  const two = { name: 'two', window: { kind: 'last', messages: 2 }, stamps: true }
  const failed = await policies({
    policies: ['recent', two, 'steady'],
    cases: [{ ...known, name: 'it is known', atMostTokens: 5 }],
  })
  assert.equal(failed.code, 1)
  assert.match(failed.stdout, /^ {2}it is known +✗ [\d,]+ +✗ [\d,]+ +✗ [\d,]+$/m)
  assert.match(failed.stdout, /^ {6}two does not contain "kingfisher" \(and 1 more\)$/m)
  assert.match(failed.stdout, /^ {6}steady has [\d,]+ tokens, [\d,]+ too many$/m)
  assert.match(failed.stdout, /\n1 case under 3 policies: 3 of 3 fail\n$/)
  assert.equal(databaseOf(home), digest, 'nothing was written')
})

test('the plan is that of the turn: what came later is not in it, and each policy cuts it in its own way', async t => {
  const { id, policies } = await bench(t)
  const cases = [
    { session: id, turn: 2, contains: ['kingfisher', 'What do birds eat?'], omits: ['120 words', 'bye'] },
    { session: id, contains: 'bye', omits: 'kingfisher' },
    { session: id, turn: 1, cachedAtLeast: 0.1 },
  ]
  const { code, stdout } = await policies({ policies: ['recent', 'steady'], cases }, '--json')
  const found = JSON.parse(stdout)
  assert.equal(code, 1)
  assert.deepEqual([found.policies, found.passed, found.failed], [['recent', 'steady'], 1, 2])
  const reasons = found.cases.map(({ results }: { results: { reasons: string[] }[] }) => results.map(each => each.reasons))
  const first = ['is the first request of its voice, so nothing of it is cached']
  assert.deepEqual(reasons, [
    [[], []],
    [[], ['contains "kingfisher"']],
    [first, first],
  ])
  assert.deepEqual([found.cases[0].session, found.cases[0].voice, found.cases[0].turn], [id, 'assistant', 2])
})

test('a turn whose request would not fit fails its case with the reason', async t => {
  const { id, policies } = await bench(t)
  const tiny = { name: 'tiny', extends: 'full', budget: { tokens: 3, reserve: 1 } }
  const { code, stdout } = await policies({ policies: [tiny], cases: [{ session: id, omits: 'x' }] })
  assert.equal(code, 1)
  assert.match(stdout, /✗ –\n {6}tiny \d+ tokens do not fit into 3; the largest part is /)
})

test('an advisor may be forbidden to see another; what each hears of the others is found', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  const advisors = ['ada', 'bob'].map(id => ({ id, name: id === 'ada' ? 'Ada' : 'Bob', description: 'Answers.' }))
  const early = { turns: 0 }
  const council = (references: string): void =>
    writeFileSync(
      join(home, 'councils.json'),
      JSON.stringify({ councils: { board: { name: 'Board', references, early, advisors } } }),
    )
  council('last-round')
  await command(home, ['ask', '--council', 'board', 'Shall we?'])
  const session = newestSession({ home })
  await command(home, ['ask', '-s', session, 'Why?'])
  const cases = [
    { session, voice: 'Ada', turn: 1, doesNotSee: 'bob' },
    { session, voice: 'ada', turn: 2, doesNotSee: 'bob' },
    { session, voice: 'bob', turn: 2, doesNotSee: ['Ada', 'bob'] },
  ]
  const heard = JSON.parse((await tried(home, { policies: ['council'], cases }, ['--json'])).stdout)
  const reasons = heard.cases.map(({ results }: { results: { reasons: string[] }[] }) => results[0]?.reasons)
  assert.deepEqual(reasons[0], [])
  assert.match(reasons[1].join(), /^sees what bob said \(seq \d+\)$/)
  assert.match(reasons[2].join('; '), /^sees what Ada said \(seq \d+\); sees what bob said \(seq \d+\)$/)
  council('none')
  const alone = await tried(home, { policies: ['council'], cases: cases.slice(0, 2) })
  assert.deepEqual([alone.code, alone.stderr], [0, ''])

  const unnamed = await tried(home, { policies: ['council'], cases: [{ session, omits: 'x' }] })
  assert.equal(unnamed.code, 2)
  assert.match(unnamed.stderr, /cases\.0\.voice: several have answered in this session; name one of ada, bob\n$/)
})

test('a file that is wrong says what, where and what to do, and nothing is tried', async t => {
  const { home, id, policies } = await bench(t)
  for (const [tests, ...expected] of [
    ['{ "policies": [', /tests\.json: line 1: .*; the file is JSON with \/\/ comments\n$/],
    [{ policies: [], cases: [] }, /policies: \[\] names none; give at least one\n/, /cases: \[\] has none; write at least one\n/],
    [{ policies: ['steady'], cases: [{ session: 'x' }] }, /cases\.0: .* expects nothing; give one of contains, omits, /],
    [
      { policies: ['steady'], cases: [{ sesion: id, omits: 'x' }] },
      /cases\.0\.sesion: there is no such setting; did you mean "session"\?/,
    ],
    [
      { policies: ['steady'], cases: [{ session: id, cachedAtLeast: 80 }] },
      /cachedAtLeast: 80 must be a share from 0 to 1, as 0\.8/,
    ],
    [
      { policies: ['steady'], cases: [{ session: id, turn: 'first', omits: 'x' }] },
      /cases\.0\.turn: .*must be a number from 1, or "last"/,
    ],
    [
      { policies: ['steddy', 'full', 'full'], cases: [{ session: id, omits: 'x' }] },
      /there is no "steddy"; known: steady, /,
      /"full" stands there twice/,
    ],
    [
      { policies: [{ name: 'full' }], cases: [{ session: id, omits: 'x' }] },
      /policies\.full: there is a policy of this name already/,
    ],
    [
      { policies: [{ name: 'a', windo: {} }], cases: [{ session: id, omits: 'x' }] },
      /policies\.a\.windo: there is no such setting; did you mean "window"\?/,
    ],
    [
      { policies: [{ name: 'a', extends: 'b' }], cases: [{ session: id, omits: 'x' }] },
      /policies\.a\.extends: there is no "b"; known: steady, /,
    ],
    [
      {
        policies: ['full'],
        cases: [
          { session: 'nowhere', omits: 'x' },
          { session: id, turn: 9, omits: 'x' },
        ],
      },
      /cases\.0\.session: there is no session nowhere/,
      /cases\.1\.turn: this voice has no turn 9 there; it has 5/,
    ],
    [
      { policies: ['full'], cases: [{ session: id, voice: 'eve', omits: 'x' }] },
      /cases\.0\.voice: there is no voice "eve" in this session; known here: assistant/,
    ],
    [{ policies: ['full'], cases: [{ session: id, doesNotSee: 'eve' }] }, /cases\.0\.doesNotSee: there is no voice "eve"/],
  ] as const) {
    const { code, stdout, stderr } = await policies(tests)
    assert.deepEqual([code, stdout], [2, ''], JSON.stringify(tests))
    for (const pattern of expected) assert.match(stderr, pattern)
    for (const line of stderr.trimEnd().split('\n')) assert.match(line, /^turnwise: .*tests\.json: /)
  }
  const missing = await command(home, ['policies', 'test', join(home, 'none.json')])
  assert.equal(missing.code, 2)
  assert.match(missing.stderr, /none\.json: there is no such file; write one as in docs\/policy\.md\n$/)
})

test('many policies and narrow terminals get one case below the other; no line of the table is wider than the terminal', async t => {
  const { home, id } = await bench(t)
  const names = ['steady', 'recent', 'head-tail', 'full', 'transcript', 'council']
  const tests = {
    policies: names,
    cases: [
      { session: id, contains: 'kingfisher' },
      { session: id, turn: 2, cachedAtLeast: 0.15 },
    ],
  }
  const wide = (await tried(home, tests)).stdout
  assert.match(
    wide,
    /^turn 5: contains "kingfisher"\n {2}✓ steady: [\d,]+ tokens\n {2}✗ recent: [\d,]+ tokens\n {6}does not contain "kingfisher"\n/,
  )
  assert.match(wide, /^ {2}✓ full: [\d,]+ tokens, \d\d % cached$/m)
  const narrow = (await tried(home, { ...tests, policies: ['steady', 'transcript', 'recent'] }, [], 40)).stdout
  assert.match(narrow, /^turn 5: contains "kingfisher"\n {2}✓ steady: /)
  assert.match(narrow, /^ {6}only [\d.]+ % cached; broken by\n {6}message 1 \(conversation\)$/m)
  for (const [text, columns] of [
    [wide, 80],
    [narrow, 40],
  ] as const)
    for (const line of text.split('\n')) assert.ok(line.length <= columns, `${columns}: ${line}`)
})

test('it runs beside a gateway that has the workspace open', async t => {
  const { home, id } = await bench(t)
  await serve(t, { home })
  const { code, stdout } = await tried(home, { policies: ['steady'], cases: [{ session: id, contains: 'kingfisher' }] })
  assert.equal(code, 0)
  assert.match(stdout, /1 case under 1 policy: all pass\n$/)
})

const databaseOf = (home: string): string =>
  createHash('sha256')
    .update(readFileSync(join(home, 'turnwise.db')))
    .digest('hex')
