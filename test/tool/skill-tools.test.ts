import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type SkillFile, skillTools } from '../../src/tool/descriptor/skill-tools.ts'
import { isReady } from '../../src/tool/toolbox.ts'
import { call, folderFor, oneTool, operatorIn, putProbe, putProgram } from './ground.ts'

const positional = (over: object = {}) => ({ param: 'a', kind: 'positional', ...over })
const file = (skill: string, text: string, folder = '/nowhere'): SkillFile => ({ skill, folder, text })

test('a call is checked, shown and run as its slots say', async t => {
  const folder = folderFor(t)
  putProbe(folder)
  const text = JSON.stringify({
    tools: [
      {
        name: 'search',
        description: 'Finds notes.',
        parameters: {
          type: 'object',
          properties: { query: { type: 'string' }, limit: { type: 'integer' }, deep: { type: 'boolean' } },
          required: ['query'],
        },
        parallel: true,
      },
    ],
    allowlist: { probe: ['search'] },
    execution: [
      {
        tool: 'search',
        binary: 'probe',
        subcommand: 'search',
        args: [
          { param: 'query', kind: 'positional' },
          { param: 'limit', kind: 'flag', flag: 'limit' },
          { param: 'deep', kind: 'flagifboolean', flagIfTrue: '--deep' },
        ],
      },
    ],
  })
  const { tools, troubles } = await skillTools([file('notes', text)], operatorIn(folder))
  assert.deepEqual(troubles, [])
  const [tool] = tools
  assert.ok(tool)
  assert.equal(tool.spec.description, 'Finds notes.')
  assert.deepEqual([tool.approval, tool.parallel, tool.idempotent], ['ask', true, false])
  const ready = await tool.prepare({ query: '$(id); "x"', limit: 5, deep: true })
  assert.ok(isReady(ready))
  assert.deepEqual(ready.argv, ['probe', 'search', '$(id); "x"', '--limit', '5', '--deep'])
  assert.deepEqual(await ready.run(new AbortController().signal), {
    ok: true,
    outcome: 'done',
    content: JSON.stringify(['search', '$(id); "x"', '--limit', '5', '--deep']),
  })
  assert.deepEqual(await call(tool, { limit: '5' }), {
    ok: false,
    outcome: 'the arguments do not fit; nothing was run',
    content: 'query: is missing\nlimit: must be integer',
  })
  assert.deepEqual(await call(tool, { query: '--upload-pack=x' }), {
    ok: false,
    outcome: 'the arguments cannot be used; nothing was run',
    content: 'query: must not begin with "-"',
  })
})

const WORDS = [undefined, 'ask', 'never'] as const
const approvals = {
  // readOnly, what the skill says, what the operator says
  'false,undefined,undefined': 'ask',
  'true,undefined,undefined': 'auto',
  'false,ask,undefined': 'ask',
  'true,ask,undefined': 'ask',
  'false,undefined,auto': 'auto',
  'false,ask,auto': 'auto',
  'true,undefined,ask': 'ask',
  'true,undefined,never': 'never',
  'false,undefined,ask': 'ask',
  'true,ask,auto': 'auto',
  'true,ask,never': 'never',
  'false,ask,ask': 'ask',
  'false,ask,never': 'never',
  'true,undefined,auto': 'auto',
  'true,ask,ask': 'ask',
  'false,undefined,never': 'never',
} as const

test('a skill can only tighten what runs without asking', async t => {
  const folder = folderFor(t)
  const approvalOf = async (readOnly: boolean, skill: string | undefined, operator: 'auto' | 'ask' | 'never' | undefined) => {
    const text = oneTool({ binary: 'true' }, { readOnly, ...(skill === undefined ? {} : { approval: skill }) })
    const approve = operator === undefined ? {} : { it: operator }
    return (await skillTools([file('a', text)], operatorIn(folder, { approve }))).tools[0]?.approval
  }
  for (const [key, expected] of Object.entries(approvals)) {
    const [readOnly, skill, operator] = key.split(',').map(word => (word === 'undefined' ? undefined : word))
    assert.equal(await approvalOf(readOnly === 'true', skill, operator as (typeof WORDS)[number]), expected, key)
  }
  for (const readOnly of [true, false])
    for (const operator of [undefined, 'auto', 'ask', 'never'] as const)
      assert.equal(await approvalOf(readOnly, 'never', operator), 'never')
})

test('tools stand in the order of the skills, then of the file; of two with one name the later skill has none', async t => {
  const tool = (name: string) => ({ name, parameters: { type: 'object' } })
  const text = (...names: string[]) =>
    JSON.stringify({
      tools: names.map(tool),
      allowlist: { true: [''] },
      execution: names.toReversed().map(name => ({ tool: name, binary: 'true', subcommand: '', args: [] })),
    })
  const files = [file('z', text('b', 'a')), file('y', text('c', 'a')), file('x', '{'), file('w', text('d'))]
  const { tools, troubles } = await skillTools(files, operatorIn(folderFor(t)))
  assert.deepEqual(
    tools.map(({ spec }) => spec.name),
    ['b', 'a', 'd'],
  )
  assert.deepEqual(
    troubles.map(({ skill }) => skill),
    ['y', 'x'],
  )
  assert.equal(troubles[0]?.message, 'tools.json: the skill z already has a tool "a"')
  assert.match(troubles[1]?.message ?? '', /^tools\.json: not JSON/)
})

test('a tool whose binary cannot be had is left out, and the others stay', async t => {
  const folder = folderFor(t)
  const files = [
    file('a', oneTool({ binary: 'sh', subcommand: '-c', args: [positional()] })),
    file('b', oneTool({ binary: 'no-such-thing' }, {})),
  ]
  const renamed = files.map((each, index) => ({ ...each, text: each.text.replaceAll('"it"', `"it${index}"`) }))
  const refused = await skillTools(renamed, operatorIn(folder))
  assert.deepEqual(refused.tools, [])
  assert.match(refused.troubles[0]?.message ?? '', /^the tool it0 is left out: sh \(\/usr\/bin\/sh\) can run anything; /)
  assert.equal(refused.troubles[1]?.message, 'the tool it1 is left out: there is no no-such-thing on the PATH')
  const accepted = await skillTools(renamed, operatorIn(folder, { accept: ['sh'] }))
  assert.deepEqual(await call(accepted.tools[0], { a: 'echo $((1+1))' }), { ok: true, outcome: 'done', content: '2\n' })
})

test('a binary that was swapped after it was loaded is not run', async t => {
  const folder = folderFor(t)
  const program = putProgram(join(folder, 'it'), '#!/bin/sh\necho one\n')
  const { tools } = await skillTools([file('a', oneTool({ binary: 'it' }))], operatorIn(folder))
  assert.equal((await call(tools[0], {})).content, 'one\n')
  const ready = await tools[0]?.prepare({})
  assert.ok(ready !== undefined && isReady(ready))
  renameSync(putProgram(`${program}.new`, `#!/bin/sh\ntouch ${join(folder, 'canary')}\n`), program)
  assert.deepEqual(await ready.run(new AbortController().signal), {
    ok: false,
    outcome: `refused: ${program} changed since it was loaded`,
  })
  assert.ok(!existsSync(join(folder, 'canary')))
})

test('a tool sees the harmless variables and those the operator gives it, and no key', async t => {
  const folder = folderFor(t)
  const environment = {
    HOME: '/h',
    LANG: 'C.UTF-8',
    LC_ALL: 'C',
    TZ: 'UTC',
    NOTES: 'n',
    WISHED: 'w',
    TURNWISE_HOME: '/w',
    MISSING: undefined,
    ANTHROPIC_API_KEY: 'sk-canary',
    NODE_OPTIONS: '--x',
  }
  const granted = ['NOTES', 'MISSING', 'constructor', 'NODE_OPTIONS', 'ANTHROPIC_API_KEY', 'TURNWISE_HOME']
  const { tools, troubles } = await skillTools(
    [file('a', oneTool({ binary: 'printenv' }, { env: ['NOTES', 'WISHED', 'HOME'] }))],
    operatorIn(folder, { environment, env: { it: granted, other: ['WISHED'] } }),
  )
  assert.deepEqual(
    troubles.map(({ message }) => message),
    ['the tool it asks for the variable WISHED and does not get it; only tools.env.it in the settings can give it'],
  )
  const { content = '' } = await call(tools[0], {})
  const lines = content.trimEnd().split('\n').sort()
  const expected = ['HOME=/h', 'LANG=C.UTF-8', 'LC_ALL=C', 'NOTES=n', `PATH=${operatorIn(folder).path}`, 'TZ=UTC']
  assert.deepEqual(
    lines.filter(line => !line.startsWith('TURNWISE_CALL=')),
    expected,
  )
  assert.equal(lines.length, expected.length + 1)
})

test('a time limit is the tool’s own', async t => {
  const { tools } = await skillTools(
    [file('a', oneTool({ binary: 'sleep', subcommand: '30' }, { timeoutMs: 200 }))],
    operatorIn(folderFor(t)),
  )
  assert.deepEqual(await call(tools[0], {}), { ok: false, outcome: 'timed out after 200 ms; it was stopped' })
})

test('tools run in the folder they are given', async t => {
  const folder = folderFor(t)
  const { tools } = await skillTools([file('a', oneTool({ binary: 'pwd', subcommand: '-P' }))], operatorIn(folder))
  assert.equal((await call(tools[0], {})).content, `${folder}\n`)
})

const resolver = (resolveCommand: object, over: object = {}) =>
  oneTool({ binary: 'probe', args: [positional({ resolveCommand, ...over })] })

test('a value may be worked out by an allowed binary, which gets it as an argument and never through a shell', async t => {
  const folder = folderFor(t)
  putProbe(folder)
  putProgram(join(folder, 'where'), '#!/bin/sh\nprintf " /notes/%s+%s\\n" "$1" "$2"\n')
  const text = resolver({ binary: 'where', subcommand: 'is', args: ['the:$param$param'] })
  const { tools, troubles } = await skillTools([file('a', text)], operatorIn(folder))
  assert.deepEqual(troubles, [])
  const ready = await tools[0]?.prepare({ a: '$(id) $&' })
  assert.ok(ready !== undefined && isReady(ready))
  assert.deepEqual(ready.argv, ['probe', '<a>'], 'nothing has run yet')
  const { content, argv } = await ready.run(new AbortController().signal)
  assert.equal(content, JSON.stringify(['/notes/is+the:$(id) $&$(id) $&']))
  assert.deepEqual(argv, ['probe', '/notes/is+the:$(id) $&$(id) $&'])
  assert.equal((await call(tools[0], {})).content, 'a: is missing')
})

const FAILING = {
  fails: ['exit 3', /^a: where could not work out the value: exit code 3$/],
  hangs: ['sleep 30', /^a: where could not work out the value: timed out after 5 s; it was stopped$/],
  'says nothing': ['echo', /: no answer$/],
  'says a dash': ['echo -- -rf', /^a: must not begin with "-"$/],
  'says NUL': ['printf "a\\0b"', /^a: must not contain NUL$/],
  'says too much': ['yes | head -c 70000', /: the answer is too long$/],
} as const

for (const [name, [script, complaint]] of Object.entries(FAILING))
  test(`a resolver that ${name} refuses the call`, async t => {
    const folder = folderFor(t)
    putProgram(join(folder, 'probe'), '#!/bin/sh\ntouch canary\n')
    putProgram(join(folder, 'where'), `#!/bin/sh\n${script}\n`)
    const { tools } = await skillTools(
      [file('a', resolver({ binary: 'where', subcommand: '', args: ['$param'] }))],
      operatorIn(folder),
    )
    const { ok, outcome, content = '' } = await call(tools[0], { a: 'x' })
    assert.deepEqual({ ok, outcome }, { ok: false, outcome: 'a value could not be worked out; the tool was not run' })
    assert.match(content, complaint)
    assert.ok(!existsSync(join(folder, 'canary')))
  })

test('a resolver gets no value that could be an option, and does not run for a call that is bad anyway', async t => {
  const folder = folderFor(t)
  putProbe(folder)
  putProgram(join(folder, 'where'), '#!/bin/sh\necho ran >> ran; echo x\n')
  const resolveCommand = { binary: 'where', subcommand: '', args: ['$param'] }
  const text = oneTool({ binary: 'probe', args: [positional({ resolveCommand }), { param: 'b', kind: 'positional' }] })
  const { tools } = await skillTools([file('a', text)], operatorIn(folder))
  assert.equal((await call(tools[0], { a: '-x', b: 'b' })).content, 'a: must not begin with "-"')
  assert.equal((await call(tools[0], { a: 'x' })).content, 'b: is missing')
  assert.ok(!existsSync(join(folder, 'ran')))
  assert.equal((await call(tools[0], { a: 'x', b: 'b' })).ok, true)
  assert.equal(readFileSync(join(folder, 'ran'), 'utf8'), 'ran\n')
})

test('a script of the skill works out values only where the operator allows scripts', async t => {
  const folder = folderFor(t)
  putProbe(folder)
  mkdirSync(join(folder, 'scripts'))
  const script = putProgram(join(folder, 'scripts', 'today'), '#!/bin/sh\necho "notes/$1.md"\n')
  const skill = file('a', resolver({ script: 'today', args: ['$param'] }), folder)
  const without = await skillTools([skill], operatorIn(folder))
  assert.deepEqual(without.tools, [])
  assert.match(without.troubles[0]?.message ?? '', /the script today may not run; skills\.allowScripts/)
  const { tools } = await skillTools([skill], operatorIn(folder, { allowScripts: true }))
  assert.equal((await call(tools[0], { a: 'monday' })).content, '["notes/monday.md"]')
  const ready = await tools[0]?.prepare({ a: 'monday' })
  assert.ok(ready !== undefined && isReady(ready))
  writeFileSync(script, '#!/bin/sh\necho other\n')
  assert.match((await ready.run(new AbortController().signal)).outcome, /^refused: .*today changed since it was loaded$/)
})

const SCRIPTS: Readonly<Record<string, readonly [(scripts: string) => void, RegExp]>> = {
  'is not there': [() => {}, /there is no script it in scripts\/$/],
  'is a link': [scripts => symlinkSync('/bin/cat', join(scripts, 'it')), /is not a regular file in scripts\/$/],
  'is a folder': [scripts => mkdirSync(join(scripts, 'it')), /is not a regular file in scripts\/$/],
  'must not be executed': [scripts => writeFileSync(join(scripts, 'it'), '#!/bin/sh\n'), /is not executable$/],
  'names no interpreter': [
    scripts => putProgram(join(scripts, 'it'), 'echo x\n'),
    /neither a program nor a script that begins with "#!"$/,
  ],
}

for (const [name, [put, complaint]] of Object.entries(SCRIPTS))
  test(`a script that ${name} is no script`, async t => {
    const folder = folderFor(t)
    putProbe(folder)
    mkdirSync(join(folder, 'scripts'))
    put(join(folder, 'scripts'))
    const { tools, troubles } = await skillTools(
      [file('a', resolver({ script: 'it', args: [] }), folder)],
      operatorIn(folder, { allowScripts: true }),
    )
    assert.deepEqual(tools, [])
    assert.match(troubles[0]?.message ?? '', complaint)
  })

test('a scripts folder that is a link is not followed', async t => {
  const folder = folderFor(t)
  putProbe(folder)
  symlinkSync('/bin', join(folder, 'scripts'))
  const { troubles } = await skillTools(
    [file('a', resolver({ script: 'cat', args: [] }), folder)],
    operatorIn(folder, { allowScripts: true }),
  )
  assert.match(troubles[0]?.message ?? '', /is not a regular file in scripts\/$/)
})
