// An approval is for what was shown: the program with its hash, the variables by name, the descriptor. Real skills, real processes.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openWorkspace } from '../../../src/gateway/workspace/workspace.ts'
import { engineOptions } from '../../../src/gateway/workspace-engine.ts'
import { type Engine, type EngineOptions, memoryLog, openEngine, weigh } from '../../../src/index.ts'
import type { ApprovalAnswer, Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { workspaceEquipment } from '../../../src/turn/equipment/workspace-equipment.ts'
import { engineWith, eventsOf, isEvent, last, openSession, until } from '../../support/engine.ts'
import { folderFor, oneTool, operatorIn, putProgram } from '../../tool/ground.ts'

type Replies = Parameters<typeof scriptedProvider>[0]
type Asked = Extract<Recorded, { type: 'approval.asked' }>

/** A workspace with one skill, whose tool `it` runs a program that writes down its argument. */
type Ground = {
  readonly folder: string
  readonly program: string
  /** What ran, a line each. */
  readonly ran: () => readonly string[]
  /** Writes `tools.json`. */
  readonly describe: (execution?: object, over?: object) => void
  readonly options: (replies: Replies, variables?: Readonly<Record<string, string>>) => Omit<EngineOptions, 'log'>
}

const program = (word: string): string => `#!/bin/sh\necho "${word} $*" >> ran\n`
const sha = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

function ground(t: TestContext): Ground {
  const folder = folderFor(t)
  const skill = join(folder, 'skills', 'it')
  mkdirSync(skill, { recursive: true })
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: it\ndescription: Does it.\n---\nUse it.\n')
  const describe: Ground['describe'] = (execution = {}, over = {}) => {
    const args = [{ param: 'a', kind: 'positional' }]
    // Another name than the one that is watched, so that the file changes at once as a whole.
    writeFileSync(join(skill, 'tools.new'), oneTool({ binary: 'it', args, ...execution }, over))
    renameSync(join(skill, 'tools.new'), join(skill, 'tools.json'))
  }
  describe()
  const equipment = (variables: Readonly<Record<string, string>>) =>
    workspaceEquipment({
      skills: { directory: join(folder, 'skills'), extraDirs: [], disabled: [], contextMode: 'full', path: '' },
      operator: operatorIn(folder, { environment: { HOME: folder, ...variables }, env: { it: ['NOTES', 'MISSING'] } }),
    })
  return {
    folder,
    program: putProgram(join(folder, 'it'), program('one')),
    ran: () => (existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8').trimEnd().split('\n') : []),
    describe,
    options: (replies, variables = { NOTES: 'n', OTHER: 'o' }) => ({
      provider: scriptedProvider(replies),
      equipment: equipment(variables),
    }),
  }
}

const swap = (file: string, word: string): void => renameSync(putProgram(`${file}.new`, program(word)), file)

/** Says something, and waits for a question or the end of the turn after that. */
async function next(engine: Engine, session: SessionId, after: number): Promise<Asked | undefined> {
  const heard = await until(
    engine,
    session,
    signal => (isEvent(signal, 'approval.asked') || isEvent(signal, 'turn.ended')) && signal.event.seq > after,
  )
  const signal = heard.at(-1)
  return signal !== undefined && isEvent(signal, 'approval.asked') ? signal.event : undefined
}

async function say(engine: Engine, session: SessionId): Promise<Asked | undefined> {
  const said = await engine.say({ session, text: 'do it', from: 'person' })
  assert.ok(said.ok)
  return next(engine, session, said.value.seq)
}

async function answer(engine: Engine, asked: Asked | undefined, word: ApprovalAnswer): Promise<Asked | undefined> {
  assert.ok(asked, 'a person is asked')
  assert.ok((await engine.answer(asked.approval, word)).ok)
  return next(engine, asked.session, asked.seq)
}

test('the question shows the program behind every link with its hash, and the names of the variables it gets', async t => {
  const { folder, program: file, describe, options } = ground(t)
  renameSync(file, join(folder, 'real'))
  symlinkSync(join(folder, 'real'), file)
  describe({}, { env: ['NOTES', 'MISSING'] })
  const engine = engineWith(options([calls('it', { a: 'x' })]))
  const asked = await say(engine, await openSession(engine))
  const shown = { argv: ['it', 'x'], binary: { path: join(folder, 'real'), sha256: sha(file) }, env: ['HOME', 'NOTES', 'PATH'] }
  assert.deepEqual({ argv: asked?.argv, binary: asked?.binary, env: asked?.env }, shown)
  const [pending] = engine.approvals()
  assert.deepEqual({ argv: pending?.argv, binary: pending?.binary, env: pending?.env }, shown)
})

/** What may happen between a question and its answer; each gives what the second question must show. */
const CHANGES: Readonly<Record<string, (ground: Ground) => (asked: Asked) => void>> = {
  'the program was replaced': ({ program: file }) => {
    swap(file, 'other')
    return ({ binary }) => assert.deepEqual(binary, { path: file, sha256: sha(file) })
  },
  // Within one tick of the file system's clock, and of the same length, nothing but its bytes tells them apart.
  'the program was written over in place, in the same moment and at the same length': ({ program: file }) => {
    writeFileSync(file, program('two'))
    return ({ binary }) => assert.equal(binary?.sha256, sha(file))
  },
  'the program became a link to the same bytes elsewhere': ({ program: file, folder }) => {
    mkdirSync(join(folder, 'elsewhere'))
    const moved = putProgram(join(folder, 'elsewhere', 'it'), program('one'))
    unlinkSync(file)
    symlinkSync(moved, file)
    return ({ binary }) => assert.equal(binary?.path, moved)
  },
  'the skill asks for one more variable': ({ describe }) => {
    describe({}, { env: ['OTHER'] })
    return ({ env }) => assert.deepEqual(env, ['HOME', 'NOTES', 'PATH'])
  },
  'the skill runs another subcommand': ({ describe }) => {
    describe({ subcommand: 'delete' })
    return ({ argv }) => assert.deepEqual(argv, ['it', 'delete', 'x'])
  },
  'the skill describes the tool differently': ({ describe }) => {
    describe({}, { description: 'Reads a note.' })
    return () => {}
  },
}

for (const [what, change] of Object.entries(CHANGES))
  test(`once, and before the answer ${what}: nothing runs, and the question comes again with the new facts`, async t => {
    const place = ground(t)
    const engine = engineWith(place.options([calls('it', { a: 'x' }), says('ok')]))
    const asked = await say(engine, await openSession(engine))
    assert.ok(asked)
    const check = change(place)
    const again = await answer(engine, asked, 'once')
    assert.deepEqual(place.ran(), [])
    assert.ok(again)
    assert.notEqual(again.approval, asked.approval)
    assert.notDeepEqual({ ...again, approval: 0, seq: 0, at: 0 }, { ...asked, approval: 0, seq: 0, at: 0 })
    check(again)
    assert.equal(await answer(engine, again, 'once'), undefined)
    assert.equal(place.ran().length, 1)
  })

for (const word of ['session', 'always'] as const)
  test(`${word}: other arguments run unasked, a changed program, variable or descriptor asks again, and the old one is still allowed`, async t => {
    const { program: file, ran, describe, options } = ground(t)
    const replies = 'abcdefg'.split('').flatMap(a => [calls('it', { a }), says('ok')])
    const engine = engineWith(options(replies))
    const session = await openSession(engine)
    assert.equal(await answer(engine, await say(engine, session), word), undefined)
    assert.equal(await say(engine, session), undefined)
    assert.deepEqual(ran(), ['one a', 'one b'])
    swap(file, 'evil')
    await answer(engine, await say(engine, session), 'deny')
    swap(file, 'one')
    describe({}, { env: ['NOTES'] })
    await answer(engine, await say(engine, session), 'deny')
    describe({ subcommand: 'all' })
    await answer(engine, await say(engine, session), 'deny')
    assert.deepEqual(ran(), ['one a', 'one b'])
    describe()
    assert.equal(await say(engine, session), undefined)
    assert.deepEqual(ran(), ['one a', 'one b', 'one f'])
    const elsewhere = await openSession(engine)
    assert.equal((await say(engine, elsewhere)) === undefined, word === 'always')
  })

test('a gateway that is started with one more of the variables a tool may have asks again, though nothing else is different', async t => {
  const { ran, describe, options } = ground(t)
  describe({}, { env: ['NOTES'] })
  const log = memoryLog({ clock: Date.now, weigh })
  const turn = [calls('it', { a: 'x' }), says('ok')]
  const first = engineWith({ log, ...options(turn, {}) })
  assert.equal(await answer(first, await say(first, await openSession(first)), 'always'), undefined)
  const same = engineWith({ log, ...options(turn, { OTHER: 'not declared' }) })
  assert.equal(await say(same, await openSession(same)), undefined)
  const second = engineWith({ log, ...options(turn, { NOTES: 'n' }) })
  const again = await say(second, await openSession(second))
  assert.deepEqual(again?.env, ['HOME', 'NOTES', 'PATH'])
  assert.equal(ran().length, 2)
})

test('a call that ran first replaced the program of the next call in the same reply: that one asks again', async t => {
  const { folder, program: file, ran, options } = ground(t)
  putProgram(file, `#!/bin/sh\necho "one $*" >> ran\n[ "$1" = swap ] && mv '${join(folder, 'next')}' '${file}'\n`)
  putProgram(join(folder, 'next'), program('evil'))
  const both = [...calls('it', { a: 'swap' }, 'c1').slice(0, -1), ...calls('it', { a: 'b' }, 'c2')]
  const engine = engineWith(options([calls('it', { a: 'a' }), says('ok'), both, says('ok')]))
  const session = await openSession(engine)
  assert.equal(await answer(engine, await say(engine, session), 'session'), undefined)
  const again = await say(engine, session)
  assert.deepEqual([again?.call, again?.binary?.sha256], ['c2', sha(file)])
  await answer(engine, again, 'deny')
  assert.deepEqual(ran(), ['one a', 'one swap'])
})

test('a program that vanished is not run and raises no question; one that comes back is asked about', async t => {
  const { program: file, ran, options } = ground(t)
  const engine = engineWith(options([calls('it', { a: 'a' }), says('ok'), calls('it', { a: 'b' }), says('ok')]))
  const session = await openSession(engine)
  const asked = await say(engine, session)
  rmSync(file)
  assert.equal(await answer(engine, asked, 'always'), undefined)
  assert.match(last(await eventsOf(engine, session), 'tool.settled').outcome, /^refused: there is no it on the PATH/)
  putProgram(file, program('back'))
  const again = await say(engine, session)
  assert.equal(again?.binary?.sha256, sha(file))
  assert.deepEqual(ran(), [])
})

test('a restart between question and answer does not hide a swap', async t => {
  const { folder, program: file, ran, options } = ground(t)
  const open = async (replies: Replies): Promise<Engine> => {
    const engine = await openEngine(join(folder, 'test.db'), options(replies))
    assert.ok(engine.ok)
    t.after(() => engine.value.close(0))
    assert.ok((await engine.value.recover()).ok)
    return engine.value
  }
  const first = await open([calls('it', { a: 'x' })])
  const asked = await say(first, await openSession(first))
  await first.close(0)
  swap(file, 'evil')
  const second = await open([says('ok')])
  const [pending] = second.approvals()
  assert.deepEqual([pending?.approval, pending?.binary, pending?.env], [asked?.approval, asked?.binary, asked?.env])
  const again = await answer(second, asked, 'once')
  assert.equal(again?.binary?.sha256, sha(file))
  assert.deepEqual(ran(), [])
})

/** A tool whose argument another program works out; both write down that they ran. */
function resolved(t: TestContext): Ground {
  const place = ground(t)
  putProgram(join(place.folder, 'where'), '#!/bin/sh\necho "where $*" >> ran\necho "/notes/$1.md"\n')
  const resolveCommand = { binary: 'where', subcommand: '', args: ['$param'] }
  place.describe({ args: [{ param: 'a', kind: 'flag', flag: 'file', resolveCommand }] })
  return place
}

test('a resolver does not run before the answer: the question shows what it would run, and the card what came of it', async t => {
  const { folder, ran, options } = resolved(t)
  const engine = engineWith(options([calls('it', { a: 'x' }), says('ok')]))
  const session = await openSession(engine)
  const asked = await say(engine, session)
  assert.deepEqual(ran(), [])
  assert.deepEqual(asked?.argv, ['it', '--file', '<a>'])
  const where = join(folder, 'where')
  assert.deepEqual(asked?.resolver, [{ param: 'a', at: 2, argv: ['where', 'x'], binary: { path: where, sha256: sha(where) } }])
  await answer(engine, asked, 'once')
  assert.deepEqual(ran(), ['where x', 'one --file /notes/x.md'])
  const settled = last(await eventsOf(engine, session), 'tool.settled')
  assert.deepEqual([settled.ok, settled.argv], [true, ['it', '--file', '/notes/x.md']])
})

test('a resolver of a call that is denied, or made where no person can be asked, never runs', async t => {
  const { ran, options } = resolved(t)
  const engine = engineWith(options([calls('it', { a: 'x' }), says('ok'), calls('it', { a: 'x' }), says('ok')]))
  await answer(engine, await say(engine, await openSession(engine)), 'deny')
  const talk = await engine.answerOnce(
    { model: 'assistant', messages: [{ role: 'user', text: 'do it' }] },
    new AbortController().signal,
  )
  assert.ok(talk.ok)
  for await (const signal of talk.value.signals) if (isEvent(signal, 'turn.ended')) break
  assert.deepEqual(ran(), [])
})

test('a resolver that was replaced between question and answer asks again, and has not run', async t => {
  const { folder, ran, options } = resolved(t)
  const engine = engineWith(options([calls('it', { a: 'x' }), says('ok')]))
  const asked = await say(engine, await openSession(engine))
  swap(join(folder, 'where'), 'evil')
  const again = await answer(engine, asked, 'once')
  assert.equal(again?.resolver?.[0]?.binary.sha256, sha(join(folder, 'where')))
  assert.deepEqual(ran(), [])
})

test('a secret that the settings hand to an MCP server is in no question: it is shown by the name of its variable', async t => {
  const home = join(folderFor(t), 'home')
  mkdirSync(home)
  const child = join(import.meta.dirname, '../../tool/mcp-child.ts')
  const mcp = { s: { command: process.execPath, args: [child, 'changing', '$MY_SECRET'] } }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ mcp }), { mode: 0o600 })
  const environment = { TURNWISE_HOME: home, PATH: process.env.PATH, MY_SECRET: 'canary-0123456789' }
  const workspace = openWorkspace(environment, { create: true })
  assert.ok(workspace.ok)
  const options = engineOptions(workspace.value, environment, { withServers: true })
  const engine = engineWith({ ...options, provider: scriptedProvider([calls('s__act', {})]) })
  t.after(() => engine.close(0))
  const session = await openSession(engine)
  const asked = await say(engine, session)
  assert.deepEqual(asked?.server?.command, [process.execPath, child, 'changing', '$MY_SECRET'])
  assert.doesNotMatch(JSON.stringify(await eventsOf(engine, session)), /canary/)
})
