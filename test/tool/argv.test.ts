import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Slot, toolArgv } from '../../src/tool/descriptor/argv.ts'
import { decoded } from '../../src/tool/process/bound-output.ts'
import { tries } from '../support/tries.ts'
import { folderFor, PATH, putProbe, runMarked } from './ground.ts'

const NONE = new Map<Slot, string>()
const built = (args: readonly Slot[], values: object, subcommand = 'go') => {
  const argv = toolArgv({ subcommand, args }, values as Record<string, unknown>, NONE)
  return argv.ok ? argv.value : argv.fault
}
const slot = (over: object = {}): Slot => ({ param: 'a', kind: 'positional', ...over }) as Slot

const TABLE: readonly (readonly [string, Slot, object, readonly string[] | string])[] = [
  ['a text', slot(), { a: 'x y' }, ['go', 'x y']],
  ['an empty text', slot(), { a: '' }, ['go', '']],
  ['a number', slot(), { a: 1.5 }, ['go', '1.5']],
  ['a boolean', slot(), { a: false }, ['go', 'false']],
  ['no value', slot(), {}, 'a: is missing'],
  ['null', slot(), { a: null }, 'a: is missing'],
  ['a value every object has', slot({ param: 'constructor' }), {}, 'constructor: is missing'],
  ['a list', slot(), { a: ['x'] }, 'a: must be a text, a number or a boolean'],
  ['no number', slot(), { a: Number.NaN }, 'a: must be a text, a number or a boolean'],
  ['NUL', slot(), { a: 'x\0y' }, 'a: must not contain NUL'],
  ['half a character', slot(), { a: 'x\ud800' }, 'a: is not well-formed Unicode'],
  ['a dash', slot(), { a: '-' }, 'a: must not begin with "-"'],
  ['a negative number', slot(), { a: -1 }, 'a: must not begin with "-"'],
  ['a dash that is allowed', slot({ allowDash: true }), { a: '--x' }, ['go', '--x']],
  ['a flag', slot({ kind: 'flag', flag: 'limit' }), { a: 5 }, ['go', '--limit', '5']],
  ['a flag of the parameter’s name', slot({ kind: 'flag' }), { a: 5 }, ['go', '--a', '5']],
  ['a short flag', slot({ kind: 'flag', flag: '-n' }), { a: 5 }, ['go', '-n', '5']],
  ['a flag without a value', slot({ kind: 'flag', flag: 'limit' }), {}, ['go']],
  ['a flag with null', slot({ kind: 'flag', flag: 'limit' }), { a: null }, ['go']],
  ['a flag with a dash', slot({ kind: 'flag', flag: 'limit' }), { a: '-x' }, 'a: must not begin with "-"'],
  ['true', slot({ kind: 'flagifboolean', flagIfTrue: '--on', flagIfFalse: '--off' }), { a: true }, ['go', '--on']],
  ['false', slot({ kind: 'flagifboolean', flagIfTrue: '--on', flagIfFalse: '--off' }), { a: false }, ['go', '--off']],
  ['neither', slot({ kind: 'flagifboolean', flagIfTrue: '--on', flagIfFalse: '--off' }), {}, ['go', '--off']],
  ['false without a flag', slot({ kind: 'flagifboolean', flagIfTrue: '--on' }), { a: false }, ['go']],
  ['a text for a boolean', slot({ kind: 'flagifboolean', flagIfTrue: '--on' }), { a: '--x' }, 'a: must be true or false'],
  ['newlines', slot({ normalizeNewlines: true }), { a: 'a\\nb\r\nc\rd\\te\\\\nf' }, ['go', 'a\nb\nc\rd\\te\\\nf']],
  ['newlines that stay', slot(), { a: 'a\\nb\r\nc' }, ['go', 'a\\nb\r\nc']],
]

for (const [name, given, values, expected] of TABLE)
  test(`a slot makes of ${name} what it says`, () => assert.deepEqual(built([given], values), expected))

test('the subcommand is one element, whatever is in it, and none if it is empty', () => {
  assert.deepEqual(built([slot()], { a: 'x' }, 'file read'), ['file read', 'x'])
  assert.deepEqual(built([slot()], { a: 'x' }, ''), ['x'])
})

test('a value that was worked out takes the place of the given one, and is checked as one', () => {
  const given = slot()
  const argv = (text: string) => toolArgv({ subcommand: '', args: [given] }, { a: 'x' }, new Map([[given, text]]))
  assert.deepEqual(argv('y'), { ok: true, value: ['y'] })
  assert.deepEqual(argv('-rf'), { ok: false, fault: 'a: must not begin with "-"' })
})

test('a command line has an end', () => {
  const slots = [slot(), slot({ param: 'b' })]
  assert.equal(typeof built(slots, { a: 'x'.repeat(100_000), b: 'y'.repeat(31_067) }), 'object')
  assert.equal(
    built(slots, { a: 'x'.repeat(100_000), b: 'y'.repeat(31_068) }),
    'the arguments have 131073 bytes, more than 131072',
  )
})

const CANARY = 'canary'
const HOSTILE = [
  ...[
    `$(touch ${CANARY})`,
    `\`touch ${CANARY}\``,
    `; touch ${CANARY}`,
    `| touch ${CANARY}`,
    `&& touch ${CANARY}`,
    `\ntouch ${CANARY}\n`,
  ],
  ...[
    `x' ; touch ${CANARY} ; '`,
    `x" ; touch ${CANARY} ; "`,
    `> ${CANARY}`,
    `%0atouch ${CANARY}`,
    `$\{IFS}touch\${IFS}${CANARY}`,
  ],
  ...[
    '-',
    '--',
    '-exec',
    '--upload-pack=touch canary',
    '-oProxyCommand=touch canary',
    '-c',
    '--output=/etc/passwd',
    '-\n',
    '-\0',
  ],
  ...['–x', '—x', '−x', '－x', '‐x', '\u200b-x', ' -x', '\t-x', '\n-x', '\\-x', '"-x"', "'-x'"],
  ...[
    '*',
    '?',
    '[a-z]*',
    '~',
    '~root',
    '!!',
    '$HOME',
    `$\{HOME}`,
    '%PATH%',
    '../../etc/passwd',
    '/dev/null',
    'a=b',
    '@file',
    '#',
    '\\',
    '',
  ],
  ...[
    '\0',
    'a\0b',
    '\ud83d',
    'x\udc00',
    '\u202e',
    '\ufeff',
    '😀',
    'é'.repeat(300),
    '\x1b[2J',
    '\r\n',
    '\\n-x',
    '__proto__',
    'x'.repeat(100_000),
  ],
]
const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...HOSTILE), fc.constantFrom(...HOSTILE)).map(([a, b]) => a + b) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)
const isBad = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

test('of ten thousand hostile calls, each is refused for its reason or becomes exactly its elements', () => {
  const slots = [
    slot({ param: 'a' }),
    slot({ param: 'b', kind: 'flag', flag: 'limit' }),
    slot({ param: 'c', kind: 'flag', flag: '-c' }),
    slot({ param: 'd', kind: 'flagifboolean', flagIfTrue: '--on' }),
    slot({ param: 'e', allowDash: true }),
  ]
  const seen = { refused: 0, built: 0 }
  fc.assert(
    fc.property(hostile, hostile, hostile, fc.boolean(), hostile, (a, b, c, d, e) => {
      const argv = built(slots, { a, b, c, d, e })
      const isRefused =
        [a, b, c, e].some(isBad) ||
        [a, b, c].some(text => text.startsWith('-')) ||
        [a, b, c, e].reduce((sum, text) => sum + Buffer.byteLength(text), 0) > 131_000
      seen[isRefused ? 'refused' : 'built'] += 1
      if (isRefused) assert.equal(typeof argv, 'string')
      else assert.deepEqual(argv, ['go', a, '--limit', b, '-c', c, ...(d ? ['--on'] : []), e])
    }),
    tries(10_000),
  )
  assert.ok(seen.refused > 1000 && seen.built > 1000, JSON.stringify(seen))
})

test('hostile values reach a real program byte for byte, and no shell', async t => {
  const folder = folderFor(t)
  const probe = putProbe(folder)
  const canary = join(folder, CANARY)
  execFileSync('/bin/sh', ['-c', `echo $(touch ${CANARY})`], { cwd: folder })
  assert.ok(existsSync(canary), 'a shell would have fallen for it')
  rmSync(canary)

  // What is too long for any program is refused before one is started, and tried above.
  const values = [...HOSTILE, ...fc.sample(hostile, tries(1200))].filter(
    text => !isBad(text) && !text.startsWith('-') && Buffer.byteLength(text) < 100_000,
  )
  const batches = batched(values)
  assert.ok(values.length > 400 && batches.length < 60, `${values.length} values in ${batches.length} processes`)
  for (const batch of batches) {
    const slots = batch.map((_, index) => slot({ param: `p${index}` }))
    const argv = built(slots, Object.fromEntries(batch.map((text, index) => [`p${index}`, text])), '')
    assert.ok(typeof argv !== 'string', String(argv))
    const { end, stdout } = await runMarked('argv', [probe, ...argv], { cwd: folder, env: { PATH } })
    assert.deepEqual(end, { kind: 'exit', code: 0 })
    assert.deepEqual(JSON.parse(decoded(stdout.front)), batch)
  }
  assert.ok(!existsSync(canary))
})

/** As many as fit on one command line. */
function batched(values: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [[]]
  let bytes = 0
  for (const value of values) {
    bytes += Buffer.byteLength(value) + 1
    if (bytes > 120_000 || (batches.at(-1)?.length ?? 0) >= 200) {
      batches.push([])
      bytes = Buffer.byteLength(value) + 1
    }
    batches.at(-1)?.push(value)
  }
  return batches
}
