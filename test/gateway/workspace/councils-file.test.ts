// The contract's §2: the shape of councils.json, the exact line for what is refused, and how the file is written.
import assert from 'node:assert/strict'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SPECTRUM } from '../../../src/gateway/workspace/colors.ts'
import { imported } from '../../../src/gateway/workspace/council-edits.ts'
import { type Councils, openCouncils } from '../../../src/gateway/workspace/councils.ts'
import { parseCouncil, parseCouncils } from '../../../src/gateway/workspace/councils-file.ts'
import { presets } from '../../../src/index.ts'
import type { Fault } from '../../../src/model/fault.ts'
import { ok, type Result } from '../../../src/model/result.ts'
import type { Council } from '../../../src/model/settings/council.ts'
import type { Scope } from '../../support/gateway.ts'
import { temporary } from '../http/child.ts'

const POLICIES = Object.values(presets)
const SETTING = { model: 'demo', policies: POLICIES, catalog: { models: {}, servers: [] }, isBudgeted: false }

const textOf = (given: object | string): string => (typeof given === 'string' ? given : JSON.stringify(given))

function soundly<Value>(result: Result<Value, Fault>): Value {
  assert.ok(result.ok, result.ok ? '' : result.fault.message)
  return result.value
}

function faultOf(result: Result<unknown, Fault>): Fault {
  assert.ok(!result.ok, 'it was taken')
  return result.fault
}

const councils = (given: object | string): readonly Council[] => soundly(parseCouncils(textOf(given), SETTING))

const ANN = { id: 'ann', name: 'Ann', description: 'You ask.' }
const BEN = { id: 'ben', name: 'Ben', description: 'You doubt.' }
const of = (...advisors: readonly object[]): object => ({ councils: { board: { name: 'Board', advisors } } })
const ann = (more: object): object => of({ ...ANN, ...more })
const board = (more: object): object => ({ councils: { board: { name: 'Board', advisors: [ANN], ...more } } })

test('what a council does not say has its default, and its advisors get colours that nobody there has', () => {
  const text = `// by hand\n{ "councils": { "board": { "name": "Board", "advisors": [
    { "id": "ann", "name": "Ann", "description": "You ask." }, // the first
    { "id": "ben", "name": "Ann", "description": "You doubt.", "color": "${SPECTRUM[0]}", "active": false },
  ] } } }`
  assert.deepEqual(councils(text), [
    {
      key: 'board',
      name: 'Board',
      advisors: [
        { ...ANN, color: SPECTRUM[1], active: true },
        { ...BEN, name: 'Ann', color: SPECTRUM[0], active: false },
      ],
      references: 'last-round',
      early: { turns: 3 },
    },
  ])
})

test('everything that a council and an advisor may say is kept', () => {
  const advisor = {
    ...ANN,
    color: 'teal',
    model: 'demo',
    policy: 'recent',
    active: true,
    group: 'Minds',
    house: true,
    thinking: false,
  }
  const council = { name: 'Board', advisors: [advisor], references: 'none', early: { turns: 0 }, synthesis: 'memo' }
  assert.deepEqual(councils({ councils: { board: council, other: council } }), [
    { key: 'board', ...council },
    { key: 'other', ...council },
  ])
  assert.deepEqual(councils({ councils: {} }), [])
  assert.equal(councils(of(...Array.from({ length: 24 }, (_, index) => ({ ...ANN, id: `a${index}` }))))[0]?.advisors.length, 24)
})

const NAME = 'a name has lowercase letters, digits, "-" and "_", begins with a letter or a digit, and is not longer than 64'
const KNOWN = 'known: steady, recent, head-tail, full, transcript, council'
const WRONG: readonly (readonly [file: object | string, lines: string])[] = [
  ['', 'councils: is missing; expected record'],
  ['{ "councils": ', 'line 1: ValueExpected; the file is JSON with // comments'],
  [{ councils: [] }, 'councils: [] expected record, received array'],
  [{ councils: {}, agents: {} }, 'agents: there is no such setting; known here: councils'],
  [{ councils: { 'house:synthesis': { name: 'B', advisors: [ANN] } } }, `councils.house:synthesis: ${NAME}`],
  [{ councils: { Board: { name: 'B', advisors: [ANN] } } }, `councils.Board: ${NAME}`],
  [{ councils: { '../x': { name: 'B', advisors: [ANN] } } }, `councils.../x: ${NAME}`],
  [{ councils: { constructor: { name: 'B', advisors: [ANN] } } }, 'councils.constructor: this name is reserved; choose another'],
  [
    '{ "councils": { "__proto__": { "name": "B", "advisors": [] } } }',
    'councils.__proto__: there is no such setting; take it out',
  ],
  [{ councils: { board: { advisors: [ANN] } } }, 'councils.board.name: is missing; expected string'],
  [{ councils: { board: { name: 'B' } } }, 'councils.board.advisors: is missing; expected array'],
  [of(), 'councils.board.advisors: [] is empty; name at least one advisor'],
  [board({ reference: 'none' }), 'councils.board.reference: there is no such setting; did you mean "references"?'],
  [board({ references: 'all' }), 'councils.board.references: "all" expected one of "last-round"|"none"'],
  [board({ early: { turns: 51 } }), 'councils.board.early.turns: 51 expected number to be <=50'],
  [board({ early: { turns: -1 } }), 'councils.board.early.turns: -1 expected number to be >=0'],
  [board({ early: 3 }), 'councils.board.early: 3 expected object, received number'],
  [board({ synthesis: 'poem' }), 'councils.board.synthesis: "poem" expected one of "brief"|"positions"|"memo"'],
  [of({ name: 'Ann', description: 'x' }), 'councils.board.advisors.0.id: is missing; expected string'],
  [ann({ id: 'ann lee' }), `councils.board.advisors.0.id: ${NAME}`],
  [ann({ id: 'house:ann' }), `councils.board.advisors.0.id: ${NAME}`],
  [
    of(ANN, BEN, { ...BEN, name: 'Benno' }),
    'councils.board.advisors.2.id: "ben" is the id of councils.board.advisors.1 too; ids tell advisors apart, names need not',
  ],
  [ann({ name: ' ' }), 'councils.board.advisors.0.name: " " must not be empty'],
  [ann({ name: 'Ann\nLee' }), 'councils.board.advisors.0.name: "Ann\\nLee" must be one line; take the line break out'],
  [ann({ name: 'x'.repeat(81) }), `councils.board.advisors.0.name: "${'x'.repeat(79)}… is too long; at most 80 characters`],
  [ann({ group: 'a\u2028b' }), 'councils.board.advisors.0.group: "a\u2028b" must be one line; take the line break out'],
  [ann({ description: '\n' }), 'councils.board.advisors.0.description: "\\n" must not be empty'],
  [
    ann({ description: 'x'.repeat(4001) }),
    `councils.board.advisors.0.description: "${'x'.repeat(79)}… is too long; at most 4000 characters`,
  ],
  [ann({ color: 'red;x' }), 'councils.board.advisors.0.color: "red;x" is not a color; write it as in "#0a7" or "teal"'],
  [ann({ colour: 'red' }), 'councils.board.advisors.0.colour: there is no such setting; did you mean "color"?'],
  [ann({ active: 'no' }), 'councils.board.advisors.0.active: "no" expected boolean, received string'],
  [
    ann({ model: 'opus-4' }),
    'councils.board.advisors.0.model: "opus-4" is not a model; write "demo" or provider/model: anthropic/<model>, openai/<model>, openrouter/<model>, ollama/<model>',
  ],
  [ann({ policy: 'counsel' }), `councils.board.advisors.0.policy: there is no "counsel"; ${KNOWN}`],
  [
    of({ ...ANN, policy: 'x' }, { ...ANN, id: 'Ben' }),
    `councils.board.advisors.0.policy: there is no "x"; ${KNOWN}\ncouncils.board.advisors.1.id: ${NAME}`,
  ],
]

test('whatever is wrong is refused by its place, with what to do', () => {
  for (const [file, lines] of WRONG) {
    const fault = faultOf(parseCouncils(textOf(file), SETTING))
    assert.deepEqual([fault.kind, fault.message], ['invalid', lines])
  }
  const crowd = faultOf(
    parseCouncils(textOf(of(...Array.from({ length: 25 }, (_, index) => ({ ...ANN, id: `a${index}` })))), SETTING),
  )
  assert.match(crowd.message, /^councils\.board\.advisors: .* has too many; at most 24 advisors$/)
})

test('under a budget an advisor needs a model with a price', () => {
  const text = textOf(ann({ model: 'openai/gpt-5.6' }))
  assert.ok(parseCouncils(text, SETTING).ok)
  const { message } = faultOf(parseCouncils(text, { ...SETTING, isBudgeted: true }))
  assert.match(message, /^councils\.board\.advisors\.0\.model: "openai\/gpt-5\.6" has no price, so it cannot run under a budget/)
})

test('an advisor that is sent without an id gets one from its name, in whatever script, that nobody else has', () => {
  const names = [
    'Pema Chödrön',
    'Søren O’Neill',
    '孔子',
    '老子',
    'محمد',
    '42',
    'constructor',
    '🦉',
    'ann',
    'x'.repeat(80),
    'Ångström ﬁ',
  ]
  const advisors = [...names.map(name => ({ name, description: 'x' })), ANN, { name: 'Ann', description: 'x' }]
  const council = soundly(parseCouncil('board', { name: 'Board', advisors }, SETTING))
  assert.deepEqual(
    council.advisors.map(({ id }) => id),
    [
      'pema-chodron',
      'soren-oneill',
      'advisor',
      'advisor-2',
      'advisor-3',
      'advisor-42',
      'advisor-constructor',
      'advisor-4',
      'ann-2',
      'x'.repeat(48),
      'angstrom-fi',
      'ann',
      'ann-3',
    ],
  )
  const { key, ...kept } = council
  assert.deepEqual(councils({ councils: { [key]: kept } }), [council], 'the file takes all of them')
})

type Opened = { readonly file: string; readonly open: Councils; readonly write: (text: object | string) => void }

function opened(t: Scope, given?: object | string): Opened {
  const file = join(temporary(t), 'councils.json')
  const write = (text: object | string): void => writeFileSync(file, textOf(text))
  if (given !== undefined) write(given)
  return { file, write, open: soundly(openCouncils(file, SETTING)) }
}

const contentOf = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8').replace(/^\/\/.*\n/gm, ''))

const [BOARD = assert.fail()] = councils(of(ANN, BEN))

test('a council is written whole, for its owner alone, and is there again when the file is opened anew', async t => {
  const { file, open } = opened(t)
  assert.deepEqual([open.now(), existsSync(file)], [[], false])
  assert.deepEqual(await open.put('board', BOARD), ok(BOARD))
  assert.deepEqual(open.now(), [BOARD])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(file, '..')), ['councils.json'])
  assert.deepEqual(soundly(openCouncils(file, SETTING)).now(), [BOARD])
  assert.deepEqual(await open.remove('board'), ok(null))
  assert.deepEqual([open.now(), contentOf(file)], [[], { councils: {} }])
  const again = faultOf(await open.remove('board'))
  assert.deepEqual([again.kind, again.message], ['not-found', 'there is no council "board"; there are none'])
})

test('an edit leaves the other councils as people wrote them, and in their order', async t => {
  const a = { name: 'A', advisors: [ANN] }
  const { file, open } = opened(t, { councils: { a, board: { name: 'Old', advisors: [ANN] }, c: a } })
  soundly(await open.put('board', BOARD))
  const { key: _, ...written } = BOARD
  assert.equal(JSON.stringify(contentOf(file)), JSON.stringify({ councils: { a, board: written, c: a } }))
  soundly(await open.put('z', { ...BOARD, key: 'z' }))
  assert.deepEqual(
    open.now().map(({ key }) => key),
    ['a', 'board', 'c', 'z'],
  )
})

test('a file with comments is kept as councils.json.bak before it is written anew; one of our own is not', async t => {
  const text = `// mine\n${textOf(of(ANN))}`
  const { file, open, write } = opened(t, text)
  soundly(await open.put('board', BOARD))
  assert.equal(readFileSync(`${file}.bak`, 'utf8'), text)
  assert.equal(statSync(`${file}.bak`).mode & 0o777, 0o600)
  assert.match(readFileSync(file, 'utf8'), /^\/\/ .*\n\/\/ .*comments are lost then; councils\.json\.bak has them\.\n\{/)
  rmSync(`${file}.bak`)
  soundly(await open.put('board', BOARD))
  assert.ok(!existsSync(`${file}.bak`), 'our own header is no comment of anybody')
  const later = readFileSync(file, 'utf8').replace('"Ann"', '"Ann" /* still */')
  write(later)
  soundly(await open.put('board', BOARD))
  assert.equal(readFileSync(`${file}.bak`, 'utf8'), later)
})

test('a file that is wrong is never overwritten', async t => {
  const { file, open, write } = opened(t, of(ANN))
  for (const wrong of ['{ "councils": ', textOf(ann({ name: '' })), '']) {
    write(wrong)
    for (const edit of [open.put('board', BOARD), open.remove('board'), open.edit('board', ok)]) {
      const fault = faultOf(await edit)
      assert.equal(fault.kind, 'conflict')
      assert.ok(fault.message.startsWith(`${open.trouble()}; until that is fixed`), fault.message)
    }
    assert.equal(readFileSync(file, 'utf8'), wrong)
    assert.deepEqual(
      open.now().map(({ key }) => key),
      ['board'],
      'the last good state counts',
    )
  }
  rmSync(file)
  assert.equal(faultOf(await open.put('board', BOARD)).kind, 'conflict')
  assert.ok(!existsSync(file), 'it would hold less than there was')
  write(of(ANN))
  assert.ok((await open.put('board', BOARD)).ok)
})

test('what could not be read again is not written', async t => {
  const { file, open } = opened(t, of(ANN))
  const before = readFileSync(file, 'utf8')
  const wrong = await Promise.all([
    open.put('Board', BOARD),
    open.put('__proto__', BOARD),
    open.put('board', { ...BOARD, advisors: [] }),
    open.edit('board', council => ok({ ...council, name: '' })),
    open.edit('other', ok),
  ])
  assert.deepEqual(
    wrong.map(result => faultOf(result).kind),
    ['invalid', 'invalid', 'invalid', 'invalid', 'not-found'],
  )
  assert.equal(readFileSync(file, 'utf8'), before)
})

test('an edit applies to what was written by hand meanwhile', async t => {
  const { open, write } = opened(t, of(ANN))
  write({ councils: { mine: { name: 'Mine', advisors: [BEN] }, board: { name: 'By hand', advisors: [ANN] } } })
  const edited = soundly(await open.edit('board', council => ok({ ...council, early: { turns: 1 } })))
  assert.deepEqual([edited.name, edited.early.turns], ['By hand', 1])
  assert.deepEqual(
    open.now().map(({ key }) => key),
    ['mine', 'board'],
  )
})

test('a write that comes in between an edit is not lost either', async t => {
  const { open, write } = opened(t, of(ANN))
  let times = 0
  const edited = await open.edit('board', council => {
    times += 1
    if (times === 1) write(of({ ...ANN, name: 'By hand' }, BEN))
    return ok({ ...council, early: { turns: times } })
  })
  assert.equal(times, 2)
  assert.deepEqual(
    soundly(edited).advisors.map(({ name }) => name),
    ['By hand', 'Ben'],
  )
})

test('many edits at once, by two who have the file open, are all there in the end', async t => {
  const { file, open } = opened(t, of(ANN))
  const other = soundly(openCouncils(file, SETTING))
  const ids = Array.from({ length: 20 }, (_, index) => `n${index}`)
  const done = await Promise.all(
    ids.map(async (id, index) => {
      const by = index % 2 === 0 ? open : other
      for (;;) {
        const edited = await by.edit('board', council => ok(imported(council, [{ ...BEN, id, active: true }])))
        if (edited.ok || edited.fault.kind !== 'conflict') return edited
      }
    }),
  )
  assert.ok(done.every(result => result.ok))
  assert.deepEqual(
    open
      .now()[0]
      ?.advisors.map(({ id }) => id)
      .sort(),
    ['ann', ...ids].sort(),
  )
  assert.deepEqual(readdirSync(join(file, '..')), ['councils.json'], 'no drafts are left')
})

test('a file that is a link is read, and nothing is written through it', async t => {
  const elsewhere = join(temporary(t), 'shared.json')
  writeFileSync(elsewhere, textOf(of(ANN)))
  const file = join(temporary(t), 'councils.json')
  symlinkSync(elsewhere, file)
  const open = soundly(openCouncils(file, SETTING))
  const before = readFileSync(elsewhere, 'utf8')
  const { kind, message } = faultOf(await open.put('board', BOARD))
  assert.deepEqual([kind, message.startsWith(`${file}: it is a symbolic link`)], ['conflict', true], message)
  assert.ok(lstatSync(file).isSymbolicLink())
  assert.equal(readFileSync(elsewhere, 'utf8'), before)
})

test('a file that is wrong from the start is refused with its place', t => {
  const file = join(temporary(t), 'councils.json')
  writeFileSync(file, textOf(board({ name: '' })))
  const { kind, message } = faultOf(openCouncils(file, SETTING))
  assert.deepEqual([kind, message], ['invalid', `${file}: councils.board.name: "" must not be empty`])
})

test('the example in the docs is a file of councils', () => {
  const page = readFileSync(new URL('../../../docs/councils.md', import.meta.url), 'utf8')
  const [, example = ''] = /```json\n(\{\n {2}"councils"[\s\S]*?)```/.exec(page) ?? []
  assert.ok(councils(example).length > 0)
})
