import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseToolsFile, readToolsFile } from '../../src/tool/descriptor/tools-file.ts'
import { folderFor } from './ground.ts'

const tool = (over: object = {}) => ({
  name: 'notes_search',
  parameters: { type: 'object', properties: { query: { type: 'string' }, deep: { type: 'boolean' } } },
  ...over,
})
const run = (over: object = {}) => ({
  tool: 'notes_search',
  binary: 'notes',
  subcommand: 'search',
  args: [{ param: 'query', kind: 'positional' }],
  ...over,
})
const file = (over: object = {}) => ({ tools: [tool()], allowlist: { notes: ['search'] }, execution: [run()], ...over })
const args = (...slots: object[]) => file({ execution: [run({ args: slots })] })
const schema = (over: object) => file({ tools: [tool({ parameters: { ...tool().parameters, ...over } })] })

test('a whole file is read in its order, with its defaults', () => {
  const parsed = parseToolsFile(
    JSON.stringify({
      tools: [
        tool({
          description: 'Finds notes.',
          idempotent: true,
          readOnly: true,
          parallel: true,
          timeoutMs: 600_000,
          env: ['NOTES'],
          approval: 'ask',
        }),
        tool({ name: 'notes_add' }),
      ],
      allowlist: { notes: ['search', 'add'], other: [] },
      execution: [
        run({
          tool: 'notes_add',
          subcommand: 'add',
          args: [
            { param: 'query', kind: 'flag', flag: 'text', normalizeNewlines: true, allowDash: true },
            { param: 'deep', kind: 'flagifboolean', flagIfTrue: '--deep', flagIfFalse: '--flat' },
            { param: 'query', kind: 'positional', resolveCommand: { script: 'where.sh', args: ['$param'] } },
            { param: 'query', kind: 'positional', resolveCommand: { binary: 'notes', subcommand: 'search', args: ['$param'] } },
          ],
        }),
        run(),
      ],
    }),
  )
  assert.ok(parsed.ok)
  assert.deepEqual(
    parsed.value.map(({ entry, execution }) => [
      entry.name,
      entry.timeoutMs,
      entry.env,
      execution.subcommand,
      execution.args.length,
    ]),
    [
      ['notes_search', 600_000, ['NOTES'], 'search', 1],
      ['notes_add', 15_000, [], 'add', 4],
    ],
  )
})

const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ['an unknown key', { ...file(), version: 1 }, 'version: there is no such key'],
  ['an unknown key of a tool', file({ tools: [tool({ dangerous: true })] }), 'tools.0.dangerous: there is no such key'],
  [
    'auto, which only the operator may say',
    file({ tools: [tool({ approval: 'auto' })] }),
    'tools.0.approval: expected one of "ask"|"never"',
  ],
  [
    'a name with a space',
    file({ tools: [tool({ name: 'a b' })], execution: [run({ tool: 'a b' })] }),
    'tools.0.name: must be 1 to 64 letters, digits, "_" or "-"',
  ],
  [
    'a name of the house',
    file({ tools: [tool({ name: 'read_skill' })], execution: [run({ tool: 'read_skill' })] }),
    'tools.0.name: "read_skill" is a tool of the house',
  ],
  ['one name twice', file({ tools: [tool(), tool()] }), 'tools.1.name: there is already a tool "notes_search"'],
  ['a tool nobody runs', file({ execution: [] }), 'tools.0.name: nothing under "execution" says how "notes_search" is run'],
  ['a run of no tool', file({ execution: [run(), run({ tool: 'gone' })] }), 'execution.1.tool: there is no tool "gone"'],
  ['two runs of one tool', file({ execution: [run(), run()] }), 'execution.1.tool: how "notes_search" is run is said already'],
  ['a binary out of the allowlist', file({ allowlist: {} }), 'execution.0: the binary "notes" is not in the allowlist'],
  [
    'a name every object has',
    file({ execution: [run({ binary: 'constructor' })] }),
    'execution.0: the binary "constructor" is not in the allowlist',
  ],
  [
    'a subcommand out of the allowlist',
    file({ allowlist: { notes: ['add'] } }),
    'execution.0: the subcommand "search" is not in the allowlist of "notes": ["add"]',
  ],
  [
    'a path for a binary',
    file({ execution: [run({ binary: '/bin/notes' })] }),
    'execution.0.binary: is not a bare name: letters, digits, "_", "-", "." and "+", no slash',
  ],
  [
    'a path in the allowlist',
    file({ allowlist: { notes: ['search'], '../x': [] } }),
    'allowlist.../x: is not a bare name: letters, digits, "_", "-", "." and "+", no slash',
  ],
  [
    'an unknown parameter',
    args({ param: 'constructor', kind: 'positional' }),
    'execution.0.args.0.param: "constructor" is not a property of the parameters of "notes_search"',
  ],
  [
    'an unknown kind',
    args({ param: 'query', kind: 'stdin' }),
    'execution.0.args.0.kind: expected one of positional, flag, flagifboolean',
  ],
  [
    'a flag where there is none',
    args({ param: 'query', kind: 'positional', flag: 'q' }),
    'execution.0.args.0.flag: has no effect there',
  ],
  [
    'a boolean without flags',
    args({ param: 'deep', kind: 'flagifboolean' }),
    'execution.0.args.0: needs flagIfTrue or flagIfFalse',
  ],
  ['two dashes for a flag', args({ param: 'query', kind: 'flag', flag: '--' }), 'execution.0.args.0.flag: is not a flag'],
  [
    'a resolver that is both',
    args({ param: 'query', kind: 'positional', resolveCommand: { script: 'a', binary: 'b', args: [] } }),
    'execution.0.args.0.resolveCommand.binary: there is no such key',
  ],
  [
    'a resolver that is neither',
    args({ param: 'query', kind: 'positional', resolveCommand: {} }),
    'execution.0.args.0.resolveCommand: is either {"script", "args"} or {"binary", "subcommand", "args"}',
  ],
  [
    'a script by its path',
    args({ param: 'query', kind: 'positional', resolveCommand: { script: '../a', args: [] } }),
    'execution.0.args.0.resolveCommand.script: is not a bare name: letters, digits, "_", "-", "." and "+", no slash',
  ],
  [
    'a resolver out of the allowlist',
    args({ param: 'query', kind: 'positional', resolveCommand: { binary: 'sh', subcommand: '-c', args: [] } }),
    'execution.0.args.0: resolveCommand: the binary "sh" is not in the allowlist',
  ],
  ['no time', file({ tools: [tool({ timeoutMs: 0 })] }), 'tools.0.timeoutMs: expected number to be >=1'],
  ['too much time', file({ tools: [tool({ timeoutMs: 600_001 })] }), 'tools.0.timeoutMs: expected number to be <=600000'],
  ['parameters that are no object', schema({ type: 'string' }), 'tools.0.parameters.type: must be "object"'],
  [
    'a schema that is none',
    schema({ properties: { query: { type: 'texts' }, deep: {} } }),
    'tools.0.parameters: schema is invalid: data/properties/query/type must be equal to one of the allowed values, data/properties/query/type must be array, data/properties/query/type must match a schema in anyOf',
  ],
  [
    'a remote reference',
    schema({ $defs: { a: { $ref: 'https://evil.test/a.json' } } }),
    'tools.0.parameters.$defs.a.$ref: must point into the schema itself, with "#/…"',
  ],
  ['a validator that only promises', schema({ $async: true }), 'tools.0.parameters.$async: is not supported'],
  [
    'a long pattern',
    schema({ properties: { query: { pattern: 'a'.repeat(201) }, deep: {} } }),
    'tools.0.parameters.properties.query.pattern: a pattern has at most 200 characters',
  ],
  ['no JSON', '{', "not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
  ['a list', [], 'the file: expected object, received array'],
  ['too large a file', ' '.repeat(256 * 1024 + 1), 'the file is larger than 256 KiB'],
]

for (const [name, given, complaint] of REFUSED)
  test(`refused, with its path: ${name}`, () => {
    const parsed = parseToolsFile(typeof given === 'string' ? given : JSON.stringify(given))
    assert.ok(!parsed.ok)
    assert.deepEqual(parsed.fault, [complaint])
  })

for (const name of [
  'NODE_OPTIONS',
  'node_options',
  'LD_PRELOAD',
  'DYLD_INSERT_LIBRARIES',
  'PATH',
  'PYTHONPATH',
  'GIT_SSH_COMMAND',
  'ANTHROPIC_API_KEY',
  'TURNWISE_CALL',
  'A=B',
  '',
  '1A',
])
  test(`a tool cannot ask for the variable ${JSON.stringify(name)}`, () => {
    const parsed = parseToolsFile(JSON.stringify(file({ tools: [tool({ env: ['NOTES_HOME', name] })] })))
    assert.ok(!parsed.ok && parsed.fault.length === 1 && parsed.fault[0]?.startsWith('tools.0.env.1: '), JSON.stringify(parsed))
  })

test('keys that are known to every object pollute nothing', () => {
  for (const text of [
    '{"__proto__":{"polluted":1},"tools":[],"allowlist":{},"execution":[]}',
    JSON.stringify(schema({})).replace('"query":', '"__proto__":{"polluted":1},"query":'),
  ]) {
    const parsed = parseToolsFile(text)
    assert.ok(!parsed.ok)
    assert.match(parsed.fault.join(), /__proto__: there is no such key/)
  }
  assert.equal(({} as { polluted?: number }).polluted, undefined)
})

test('a file nested a hundred thousand levels deep is only refused', () => {
  const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`
  const parsed = parseToolsFile(JSON.stringify(file()).replace('"query":{', `"query":{"default":${deep},`))
  assert.ok(!parsed.ok && parsed.fault[0]?.endsWith(': is nested too deeply'), JSON.stringify(parsed).slice(0, 200))
})

test('only a regular tools.json of a sensible size is read', async t => {
  const folder = folderFor(t)
  const place = (name: string): string => {
    mkdirSync(join(folder, name))
    return join(folder, name, 'tools.json')
  }
  writeFileSync(place('good'), '{}')
  writeFileSync(place('large'), ' '.repeat(256 * 1024 + 1))
  symlinkSync('/etc/passwd', place('link'))
  execFileSync('mkfifo', [place('fifo')])
  mkdirSync(place('folder'))
  mkdirSync(join(folder, 'none'))
  const read = async (name: string) => {
    const result = await readToolsFile(join(folder, name))
    return result.ok ? result.value : `refused: ${result.fault}`
  }
  assert.equal(await read('good'), '{}')
  assert.equal(await read('none'), undefined)
  assert.equal(await read('large'), 'refused: the file is larger than 256 KiB')
  for (const name of ['link', 'fifo', 'folder']) assert.equal(await read(name), 'refused: not a regular file', name)
})
