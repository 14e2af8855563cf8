// Notes and the clock: what the tools of a new workspace's skills run.
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { runCommandLine } from '../../../../src/gateway/cli/command-line.ts'
import { clockCommand } from '../../../../src/gateway/cli/commands/clock.ts'
import type { Terminal } from '../../../../src/gateway/cli/output/terminal.ts'
import { noteName } from '../../../../src/gateway/notes/name.ts'
import { openNotes } from '../../../../src/gateway/notes/notes.ts'
import { openWorkspace } from '../../../../src/gateway/workspace/workspace.ts'
import { toolArgv } from '../../../../src/tool/descriptor/argv.ts'
import { type Described, parseToolsFile } from '../../../../src/tool/descriptor/tools-file.ts'
import { tries } from '../../../support/tries.ts'
import { tempHome, turnwise } from '../turnwise.ts'

function workspaceFor(t: TestContext): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'turnwise-notes-')))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return home
}

type Printed = { code: number; stdout: string; stderr: string }

/** A command in this very process, with streams that remember. */
async function command(argv: readonly string[], home: string, isTTY = false): Promise<Printed> {
  const printed = { code: 0, stdout: '', stderr: '' }
  const into = (name: 'stdout' | 'stderr'): Writable =>
    Object.assign(
      new Writable({
        write: (chunk, _, done) => {
          printed[name] += String(chunk)
          done()
        },
      }),
      { isTTY },
    )
  const terminal: Terminal = {
    argv,
    environment: { TURNWISE_HOME: home },
    stdin: Readable.from([]),
    stdout: into('stdout'),
    stderr: into('stderr'),
  }
  printed.code = await runCommandLine(terminal)
  return printed
}

const fileOf = (home: string, name: string): string => readFileSync(join(home, 'notes', `${name}.md`), 'utf8')
const listed = (home: string): string[] =>
  readdirSync(join(home, 'notes'))
    .filter(name => name !== '.lock')
    .sort()

test('a note is created once, read, appended to, changed and found', async t => {
  const home = workspaceFor(t)
  const run = (...argv: string[]): Promise<Printed> => command(['notes', ...argv], home)
  assert.deepEqual(await run('list'), { code: 0, stdout: 'there are no notes yet\n', stderr: '' })
  assert.ok(!existsSync(join(home, 'notes')), 'looking makes nothing')
  assert.equal((await run('create', 'Daily: 30 May', '- [ ] milk')).code, 2, 'a text like an option needs its own')
  assert.equal((await run('create', 'Daily: 30 May', '--text', '- [ ] milk')).stdout, 'created Daily-30-May (11 bytes)\n')
  assert.equal(fileOf(home, 'Daily-30-May'), '- [ ] milk\n')
  assert.equal(statSync(join(home, 'notes')).mode & 0o777, 0o700)
  assert.equal(statSync(join(home, 'notes/Daily-30-May.md')).mode & 0o777, 0o600)
  assert.deepEqual(await run('create', 'daily 30 may', 'other'), {
    code: 1,
    stdout: '',
    stderr: 'turnwise: there is already a note "Daily-30-May", left as it is; append to it, or choose another name\n',
  })
  assert.equal((await run('append', 'daily 30 may', '--text', '- [ ] eggs')).stdout, 'added to Daily-30-May (22 bytes)\n')
  assert.deepEqual(await run('replace', 'Daily-30-May.md', '--old', '- [ ]', '--new', '- [x]'), {
    code: 1,
    stdout: '',
    stderr: 'turnwise: "- [ ]" is 2 times in "Daily-30-May"; give more of the text around it, so that it fits once\n',
  })
  assert.equal((await run('replace', 'daily 30 may', '--old', '- [ ] milk', '--new', '- [x] milk')).code, 0)
  assert.equal((await run('read', 'DAILY 30 MAY')).stdout, '- [x] milk\n- [ ] eggs\n')
  assert.match((await run('replace', 'daily 30 may', '--old', 'bread', '--new', '')).stderr, /"bread" is not in "Daily-30-May"/)
  assert.match((await run('replace', 'daily 30 may', '--old', '', '--new', 'x')).stderr, /the old text is empty/)
  assert.deepEqual(listed(home), ['Daily-30-May.md'], 'nothing is left behind')
})

test('an unknown name is answered with near ones, an unknown workspace with what to do', async t => {
  const home = workspaceFor(t)
  const run = (...argv: string[]): Promise<Printed> => command(['notes', ...argv], home)
  assert.equal((await run('append', 'Shoping', 'x')).stderr, 'turnwise: there is no note "Shoping"; there are none yet\n')
  for (const name of ['Shopping', 'Shop ideas', 'Zebra']) await run('create', name, 'x')
  assert.equal(
    (await run('append', 'Shoping', 'x')).stderr,
    'turnwise: there is no note "Shoping"; near it: "Shopping", "Shop-ideas"\n',
  )
  assert.match((await run('read', 'quiz')).stderr, /; the newest: "/)
  const nowhere = join(home, 'none')
  assert.match((await command(['notes', 'create', 'a', 'b'], nowhere)).stderr, /^turnwise: there is no workspace at .*\n$/)
  assert.ok(!existsSync(nowhere))
  for (const wrong of [
    ['create', 'a'],
    ['read'],
    ['search'],
    ['read', 'a', 'b'],
    ['create', 'a', 'b', '--name', 'c'],
    ['frob'],
  ]) {
    const { code, stdout, stderr } = await run(...wrong)
    assert.deepEqual([code, stdout], [2, ''], stderr)
    assert.match(stderr, /^turnwise: [^\n]+\n$/)
  }
})

test('search wants all words in a note and shows its lines; the newest note comes first', async t => {
  const home = workspaceFor(t)
  const run = (...argv: string[]): Promise<Printed> => command(['notes', ...argv], home)
  await run('create', 'Dentist', '--text', 'Tuesday at three\nÄrztehaus, second floor\n- [ ] bring the card')
  await run('create', 'Work', 'Tuesday: plan\nsecond thoughts')
  utimesSync(join(home, 'notes/Dentist.md'), 1, 1)
  assert.equal((await run('search', 'TUESDAY')).stdout, 'Work:1: Tuesday: plan\nDentist:1: Tuesday at three\n')
  assert.equal((await run('search', 'dentist', 'second')).stdout, 'Dentist:2: Ärztehaus, second floor\n')
  assert.equal((await run('search', 'A\u0308RZTEHAUS')).stdout, 'Dentist:2: Ärztehaus, second floor\n')
  assert.equal((await run('search', 'dentist')).stdout, 'Dentist:1: Tuesday at three\n', 'found by its name alone')
  assert.equal((await run('search', '--words', '- [ ]')).stdout, 'Dentist:3: - [ ] bring the card\n')
  assert.equal((await run('search', 'nowhere')).stdout, 'nothing was found\n')
  assert.match((await run('search', 'tuesday', '--limit', '1')).stdout, /^Work:1: Tuesday: plan\n… and more; /)
  assert.equal((await run('search', ' ')).code, 1)
  assert.deepEqual(JSON.parse((await run('search', 'plan', '--json')).stdout), {
    items: [{ name: 'Work', line: 1, text: 'Tuesday: plan' }],
    isAll: true,
  })
  assert.match((await run('list')).stdout, /^Work {6}\d{4}-\d\d-\d\d \d\d:\d\d {3}30 bytes\nDentist {3}19(70|69)-/)
  const { items } = JSON.parse((await run('list', '--json', '--limit', '1')).stdout)
  assert.deepEqual([items.length, items[0].name, items[0].bytes], [1, 'Work', 30])
})

test('names are titles in any script, the same when said again, and never paths', async t => {
  for (const [title, name] of [
    ['Shopping', 'Shopping'],
    ['  To do:  June ', 'To-do-June'],
    ['Mom’s birthday!', 'Moms-birthday'],
    ['日本 旅行', '日本-旅行'],
    ['हिन्दी', 'हिन्दी'],
    ['Cafe\u0301', 'Café'],
    ['v1.2.md', 'v1.2'],
    ['--help', 'help'],
    ['🎉 party', 'party'],
  ] as const)
    assert.deepEqual(noteName(title), { ok: true, value: name })
  const home = workspaceFor(t)
  for (const title of [
    '',
    ' ',
    '..',
    '../x',
    'a/b',
    '/etc/passwd',
    'a\\b',
    '.hidden',
    'a..b',
    '!!!',
    'x'.repeat(81),
    '𐐀'.repeat(70),
  ]) {
    const { code, stderr } = await command(['notes', 'create', '--name', title, '--text', 'x'], home)
    assert.equal(code, 1, title)
    assert.match(stderr, /^turnwise: [^\n]+\n$/)
  }
  assert.ok(!existsSync(join(home, 'notes')))
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 120 }), title => {
      const name = noteName(title)
      if (!name.ok) return
      assert.deepEqual(noteName(name.value), name)
      assert.match(name.value, /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*$/u)
      assert.ok(!name.value.includes('..') && [...name.value].length <= 80)
    }),
    tries(5000),
  )
})

test('10,000 hostile names and texts touch nothing outside the folder', t => {
  const outside = workspaceFor(t)
  const home = join(outside, 'a/b/home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(outside, 'victim.md'), 'untouched')
  const bits = [
    '..',
    '/',
    '\\',
    '.',
    '~',
    '-',
    '--',
    ' ',
    '\n',
    '\0',
    '%2e%2e',
    'victim',
    '.md',
    'é',
    '\u202e',
    'C:',
    'nul',
    '$HOME',
    '\ud800',
  ]
  const hostile = fc.array(fc.oneof(fc.constantFrom(...bits), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 8 })
  const notes = openNotes(home)
  let created = 0
  for (const parts of fc.sample(hostile, tries(10_000))) {
    const given = parts.join('')
    const note = notes.create(given, given)
    notes.read(given)
    if (!note.ok) continue
    created += 1
    // A folder that stays small stays quick.
    if (created % 40 > 0) continue
    assert.ok(listed(home).every(name => /^[^./][^/]*\.md$/u.test(name)))
    rmSync(join(home, 'notes'), { recursive: true })
  }
  assert.ok(created > 1000, `${created} were names`)
  const others = readdirSync(outside, { recursive: true, encoding: 'utf8' }).filter(path => !path.startsWith('a/b/home/notes'))
  assert.deepEqual(others.sort(), ['a', 'a/b', 'a/b/home', 'victim.md'])
  assert.equal(readFileSync(join(outside, 'victim.md'), 'utf8'), 'untouched')
})

test('links are not followed, and what is not ours stays as it is', async t => {
  const home = workspaceFor(t)
  const secret = join(workspaceFor(t), 'secret.md')
  writeFileSync(secret, 'a secret')
  await command(['notes', 'create', 'mine', 'x'], home)
  symlinkSync(secret, join(home, 'notes/linked.md'))
  for (const argv of [
    ['read', 'linked'],
    ['append', 'linked', 'y'],
    ['replace', 'linked', 'secret', 'y'],
    ['create', 'linked', 'y'],
  ]) {
    const { code, stdout, stderr } = await command(['notes', ...argv], home)
    assert.deepEqual([code, stdout], [1, ''], stderr)
  }
  assert.equal((await command(['notes', 'search', 'secret'], home)).stdout, 'nothing was found\n')
  assert.equal(readFileSync(secret, 'utf8'), 'a secret')

  writeFileSync(join(home, 'notes/My Own File.md'), 'by hand')
  assert.equal((await command(['notes', 'read', 'my own file'], home)).stdout, 'by hand\n')
  assert.match((await command(['notes', 'create', 'My own file', 'z'], home)).stderr, /already a note "My Own File"/)
  writeFileSync(join(home, 'notes/my-own-file.md'), 'twin')
  assert.match((await command(['notes', 'read', 'My-own-file'], home)).stderr, /may be any of "/)
  assert.equal((await command(['notes', 'read', 'My Own File'], home)).stdout, 'by hand\n', 'the exact name decides')

  const other = workspaceFor(t)
  symlinkSync(join(home, 'notes'), join(other, 'notes'))
  for (const argv of [['list'], ['create', 'a', 'b'], ['read', 'mine']])
    assert.match((await command(['notes', ...argv], other)).stderr, /notes is a link, which is not followed; move it away\n$/)
})

test('a long note says how long it is, and is read in parts', async t => {
  const home = workspaceFor(t)
  const notes = openNotes(home)
  const lines = Array.from({ length: 600 }, (_, index) => `${index + 1}. A line of the diary, with words in it.\n`)
  assert.ok(notes.create('Diary', lines.join('')).ok)
  assert.ok(notes.create('Short', 'one\ntwo\nthree').ok)
  const read = async (...argv: string[]): Promise<string> => (await command(['notes', 'read', ...argv], home)).stdout

  assert.equal(await read('Diary'), `${lines.join('')}… the whole note: 600 lines, 26 KB; "from" and "lines" give a part of it\n`)
  assert.equal(
    await read('Diary', '--from', '41', '--lines', '2'),
    `${lines[40]}${lines[41]}… lines 41 to 42 of 600 lines, 26 KB; read on from line 43\n`,
  )
  assert.equal(await read('Diary', '--from', '600'), `${lines[599]}… line 600 of 600 lines, 26 KB\n`)
  assert.equal(await read('Short'), 'one\ntwo\nthree\n', 'a short note is printed as it is')
  assert.equal(await read('Short', '--lines', '1'), 'one\n… line 1 of 3 lines, 14 bytes; read on from line 2\n')
  assert.equal(await read('Short', '--from', '1', '--lines', '9'), 'one\ntwo\nthree\n')
  assert.match((await command(['notes', 'read', 'Short', '--from', '4'], home)).stderr, /"Short" ends with line 3\n$/)
  for (const wrong of ['0', '-1', 'x'])
    assert.equal((await command(['notes', 'read', 'Short', '--from', wrong], home)).code, 2, wrong)

  // Joined, the parts are the note, also where it has more bytes than one answer shows.
  const long = Array.from({ length: 9000 }, (_, index) => `${index + 1} ${'é'.repeat(40)}\n`).join('')
  assert.ok(notes.create('Long', long).ok)
  let joined = ''
  for (let from = 1; from <= 9000; ) {
    const page = notes.read('Long', { from })
    assert.ok(page.ok)
    assert.ok(!page.value.isWhole && page.value.lines === 9000 && Buffer.byteLength(page.value.text) <= 256 * 1024)
    joined += page.value.text
    from = page.value.through + 1
  }
  assert.equal(joined, long)
})

test('sizes are bounded, bytes that are no text survive, and a terminal is not commanded', async t => {
  const home = workspaceFor(t)
  const notes = openNotes(home)
  const big = 'é'.repeat(200 * 1024)
  assert.ok(notes.create('big', big).ok)
  const { stdout } = await command(['notes', 'read', 'big'], home)
  assert.match(stdout.slice(-60), /é\n… the first 262,144 bytes of line 1 of 1 line, 410 KB\n$/)
  assert.ok(!stdout.includes('\ufffd'))
  for (const refused of [
    notes.create('huge', 'x'.repeat(1024 * 1024 + 1)),
    notes.append('big', 'x'.repeat(700 * 1024)),
    notes.replace('big', '\n', 'x'.repeat(700 * 1024)),
  ])
    assert.match(refused.ok ? '' : refused.fault.message, /would have 1,\d{3},\d{3} bytes; a note has at most 1 MiB/)
  assert.equal(fileOf(home, 'big'), `${big}\n`)

  writeFileSync(join(home, 'notes/raw.md'), Buffer.from([0xff, 0x0d, 0x0a, 0x61]))
  assert.ok(notes.append('raw', 'b').ok && notes.replace('raw', 'a', 'c').ok)
  assert.equal(readFileSync(join(home, 'notes/raw.md')).toString('hex'), 'ff0d0a630a620a')

  notes.create('evil', '\x1b]0;x\x07 \u202e')
  assert.equal((await command(['notes', 'read', 'evil'], home)).stdout, '\x1b]0;x\x07 \u202e\n', 'a program reads what it is')
  assert.equal((await command(['notes', 'read', 'evil'], home, true)).stdout, '␛]0;x␇ U+202E\n')
  assert.ok(!(await command(['notes', 'read', 'evil', '--json'], home)).stdout.includes('\x1b'))
})

test('appends at the same time, of many processes, lose nothing', async t => {
  const home = workspaceFor(t)
  openNotes(home).create('log', '')
  const numbers = Array.from({ length: 16 }, (_, index) => index)
  const ran = await Promise.all(
    numbers.map(number =>
      number % 4 === 3
        ? turnwise(['notes', 'create', 'only one', String(number)], { home })
        : turnwise(['notes', 'append', 'log', `line ${number}`], { home }),
    ),
  )
  const creators = ran.filter((_, index) => index % 4 === 3).map(({ code }) => code)
  assert.deepEqual(creators.sort(), [0, 1, 1, 1])
  const lines = fileOf(home, 'log').trimEnd().split('\n').sort()
  assert.deepEqual(lines, numbers.flatMap(number => (number % 4 === 3 ? [] : [`line ${number}`])).sort())
  assert.deepEqual(listed(home), ['log.md', 'only-one.md'])
})

function shipped(skill: string): readonly Described[] {
  const parsed = parseToolsFile(readFileSync(resolve('skills', skill, 'tools.json'), 'utf8'))
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.fault.join('\n'))
  return parsed.value
}

function argvFor(tool: string, values: Readonly<Record<string, unknown>>): readonly string[] {
  const described = shipped(tool.startsWith('clock') ? 'clock' : 'notes').find(({ entry }) => entry.name === tool)
  assert.ok(described)
  assert.equal(described.check(values), undefined)
  const argv = toolArgv(described.execution, values, new Map())
  assert.ok(argv.ok, argv.ok ? '' : argv.fault)
  return argv.value
}

test('the tools run exactly these commands; those that only read run without asking', () => {
  const sample = { name: 'N', text: '- T', words: 'W', limit: 3, old: 'O', new: '' }
  const argvs = shipped('notes').map(({ entry }) => {
    const params = Object.keys(entry.parameters.properties as object) as (keyof typeof sample)[]
    return argvFor(entry.name, Object.fromEntries(params.map(param => [param, sample[param]])))
  })
  assert.deepEqual(argvs, [
    ['notes-list'],
    ['notes-read', '--name', 'N'],
    ['notes-search', '--words', 'W', '--limit', '3'],
    ['notes-create', '--name', 'N', '--text', '- T'],
    ['notes-append', '--name', 'N', '--text', '- T'],
    ['notes-replace', '--name', 'N', '--old', 'O', '--new', ''],
  ])
  assert.deepEqual(argvFor('clock_now', {}), ['clock'])
  assert.deepEqual(argvFor('clock_now', { zone: '--help' }), ['clock', '--zone', '--help'])
  const free = [...shipped('notes'), ...shipped('clock')].filter(({ entry }) => entry.readOnly && entry.parallel)
  assert.deepEqual(
    free.map(({ entry }) => entry.name),
    ['notes_list', 'notes_read', 'notes_search', 'clock_now'],
  )
})

test('every text works as a value of a tool: created, found, appended, replaced, letter for letter', async t => {
  const home = workspaceFor(t)
  const odd = [
    '--help',
    '-h',
    '-',
    '--',
    '---',
    '- [ ] milk',
    '',
    '--version',
    '--json',
    '--text',
    '--name=x',
    '-x',
    'help',
    '\\n',
    '@file',
    '$HOME',
    '"',
    '\r\n',
  ]
  const text = fc
    .oneof(fc.constantFrom(...odd), fc.string({ unit: 'grapheme', maxLength: 40 }))
    .filter(each => !each.includes('\0'))
  const call = (tool: string, values: Readonly<Record<string, unknown>>): Promise<Printed> => command(argvFor(tool, values), home)
  let count = 0
  const check = async (first: string, second: string): Promise<void> => {
    count += 1
    const name = `note ${count}`
    const file = `note-${count}`
    assert.equal((await call('notes_create', { name, text: first })).stdout.slice(0, 8), 'created ')
    const created = first === '' || first.endsWith('\n') ? first : `${first}\n`
    assert.equal(fileOf(home, file), created)
    assert.equal((await call('notes_append', { name, text: `§${second}` })).code, 0)
    const appended = `${created}§${second}${second.endsWith('\n') ? '' : '\n'}`
    assert.equal(fileOf(home, file), appended)
    assert.equal((await call('notes_read', { name })).stdout, appended)
    const { code, stderr } = await call('notes_replace', { name, old: second, new: first })
    const times = second === '' ? 0 : appended.split(second).length - 1
    if (code === 0)
      assert.equal(
        fileOf(home, file),
        appended.replace(second, () => first),
      )
    else assert.ok(times !== 1 || stderr.includes('times'), stderr)
    for (const tool of ['notes_read', 'notes_search']) {
      const { code, stdout, stderr } = await call(tool, tool === 'notes_read' ? { name: second } : { words: second, limit: 1 })
      assert.ok(code === 0 || (code === 1 && stdout === '' && /^turnwise: [^\n]+\n$/.test(stderr)), stderr)
      assert.doesNotMatch(stdout, /^Usage: /)
    }
    rmSync(join(home, 'notes', `${file}.md`))
  }
  for (const each of odd) await check(each, each)
  await fc.assert(fc.asyncProperty(text, text, check), tries(100))
})

test('the clock tells a zone and UTC, and an unknown zone is answered with an example', async t => {
  const home = workspaceFor(t)
  const lines = (zone: string, now: string): string[] => {
    const pieces: string[] = []
    const writable = new Writable({
      write: (chunk, _, done) => {
        pieces.push(String(chunk))
        done()
      },
    })
    const terminal = { argv: [], environment: {}, stdin: Readable.from([]), stdout: writable, stderr: writable }
    assert.equal(clockCommand(terminal, { zone }, new Date(now)), 0)
    return pieces
      .join('')
      .trimEnd()
      .split('\n')
      .map(line => line.replaceAll(/ {2,}/g, ' '))
  }
  assert.deepEqual(lines('Asia/Tokyo', '2026-12-31T15:00:09.5Z'), [
    'Asia/Tokyo Friday 2027-01-01 00:00:09 2027-01-01T00:00:09+09:00',
    'UTC Thursday 2026-12-31 15:00:09 2026-12-31T15:00:09Z',
  ])
  assert.deepEqual(lines('America/St_Johns', '2026-01-01T00:00:00Z')[0]?.split(' ').at(-1), '2025-12-31T20:30:00-03:30')
  assert.deepEqual(lines('UTC', '2026-01-01T00:00:00Z'), ['UTC Thursday 2026-01-01 00:00:00 2026-01-01T00:00:00Z'])
  const { now, utc } = JSON.parse((await command(['clock', '--zone', 'europe/oslo', '--json'], home)).stdout)
  assert.equal(now.zone, 'Europe/Oslo')
  assert.equal(Date.parse(now.iso), Date.parse(utc.iso))
  assert.ok(Math.abs(Date.parse(now.iso) - Date.now()) < 60_000)
  for (const [zone, hint] of [
    ['Mars', /; zones are named as in "Europe\/Oslo" or "UTC"\n$/],
    ['new york', /; did you mean "America\/New_York"\?\n$/],
    ['--help', /no time zone "--help"; /],
    ['', /no time zone ""; /],
  ] as const) {
    const { code, stderr } = await command(['clock', '--zone', zone], home)
    assert.equal(code, 1)
    assert.match(stderr, hint)
  }
})

test('a new workspace has both skills, for its owner alone, and their tools load; one that existed gets nothing', async t => {
  const home = tempHome(t)
  assert.ok(openWorkspace({ TURNWISE_HOME: home }, { create: true }).ok)
  for (const skill of ['clock', 'notes']) {
    assert.equal(statSync(join(home, 'skills', skill)).mode & 0o777, 0o700)
    for (const file of ['SKILL.md', 'tools.json']) {
      assert.equal(statSync(join(home, 'skills', skill, file)).mode & 0o777, 0o600)
      assert.equal(readFileSync(join(home, 'skills', skill, file), 'utf8'), readFileSync(join('skills', skill, file), 'utf8'))
    }
  }
  const { items, troubles } = JSON.parse((await turnwise(['skills', '--json'], { home })).stdout)
  assert.deepEqual(troubles, [])
  assert.deepEqual(
    items.map(({ name, tools }: { name: string; tools: string[] }) => [name, tools.length]),
    [
      ['clock', 1],
      ['notes', 6],
    ],
  )
  const old = workspaceFor(t)
  assert.ok(openWorkspace({ TURNWISE_HOME: old }, { create: true }).ok)
  assert.deepEqual(readdirSync(old), [])
})
