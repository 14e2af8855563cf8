// What a voice is equipped with: skills in the system text, tools in their order, reloads at the next turn.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Engine, type EquipmentSource, memoryLog, weigh } from '../../src/index.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { SkillMode } from '../../src/model/settings/config.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import type { Operator } from '../../src/tool/descriptor/skill-tools.ts'
import { type ChangingEquipment, workspaceEquipment } from '../../src/turn/equipment/workspace-equipment.ts'
import { ask, engineWith, eventsOf, isEvent, last, openSession, until } from '../support/engine.ts'

type Files = Readonly<Record<string, string>>

const CLOCK: Files = {
  'clock/SKILL.md': '---\nname: clock\ndescription: Tells the time\n---\nUse clock_now.\n',
  'clock/tools.json': JSON.stringify({
    tools: [{ name: 'clock_now', description: 'Now', parameters: { type: 'object', properties: {} }, readOnly: true }],
    allowlist: { date: ['-u'] },
    execution: [{ tool: 'clock_now', binary: 'date', subcommand: '-u', args: [] }],
  }),
}

function folderWith(t: TestContext, files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-kit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  write(folder, files)
  return folder
}

function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

type Given = { readonly contextMode?: SkillMode; readonly onNews?: (line: string) => void }

const equipmentIn = (directory: string, { contextMode = 'full', onNews }: Given = {}): EquipmentSource =>
  workspaceEquipment({
    skills: { directory, extraDirs: [], disabled: [], contextMode, path: process.env.PATH ?? '' },
    operator: {
      accept: [],
      approve: {},
      allowScripts: false,
      path: process.env.PATH ?? '',
      environment: {},
      cwd: directory,
      ownBinary: resolve('bin/turnwise'),
    },
    ...(onNews === undefined ? {} : { onNews }),
  })

type Request = { readonly system: string; readonly tools: readonly { readonly name: string }[] }

async function sent(engine: Engine): Promise<Request> {
  const dry = await engine.wouldSend(await openSession(engine), { text: 'Hello' })
  assert.ok(dry.ok)
  return dry.value.request?.body as Request
}

test('in full: the texts in the system text, the skills’ tools, and no tool to read with', async t => {
  const engine = engineWith({ equipment: equipmentIn(folderWith(t, CLOCK)) })
  const { system, tools } = await sent(engine)
  assert.equal(
    system,
    'You have access to the following skills. Use them when relevant.\n\n## clock\nTells the time\n\nUse clock_now.\n\n',
  )
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['clock_now'],
  )
})

test('in auto: the texts, and beside them the list that takes their place; the receipt names both, and verifies', async t => {
  const equipment = equipmentIn(folderWith(t, CLOCK), { contextMode: 'auto' })
  const { skills, listed } = await equipment.now()
  assert.equal(skills?.reason, 'skill.full')
  assert.equal(listed?.isAuto, true)
  assert.equal(
    (await equipmentIn(folderWith(t, CLOCK)).now()).listed?.isAuto,
    undefined,
    'in full, a list is only the last resort',
  )
  const engine = engineWith({ provider: scriptedProvider([says('Noon.')]), equipment })
  const session = await openSession(engine)
  await ask(engine, session, 'What time is it?')
  const [receipt] = receipts(await eventsOf(engine, session))
  assert.equal(receipt?.inputs.listed?.isAuto, true)
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('on demand: a list, and the tool that reads before all others', async t => {
  const provider = scriptedProvider([
    [{ type: 'call', call: 'c1', tool: 'read_skill', text: '{"skill_name":"clock"}' }, { type: 'done' }],
    says('Read.'),
  ])
  const engine = engineWith({ provider, equipment: equipmentIn(folderWith(t, CLOCK), { contextMode: 'readOnDemand' }) })
  const { system, tools } = await sent(engine)
  assert.match(system, /## Available skills\n\n- \*\*clock\*\*: Tells the time\n$/)
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['read_skill', 'clock_now'],
  )
  const events = await ask(engine, await openSession(engine), 'What time is it?')
  assert.equal(last(events, 'tool.settled').content, 'Use clock_now.')
})

test('a tool that only reads runs, and the model reads what it printed', async t => {
  const provider = scriptedProvider([
    [{ type: 'call', call: 'c1', tool: 'clock_now', text: '{}' }, { type: 'done' }],
    says('Noon.'),
  ])
  const engine = engineWith({ provider, equipment: equipmentIn(folderWith(t, CLOCK)) })
  const events = await ask(engine, await openSession(engine), 'What time is it?')
  const settled = last(events, 'tool.settled')
  assert.ok(settled.ok, settled.outcome)
  assert.match(settled.content ?? '', /UTC/)
})

test('a changed skill is said, takes effect at the next turn, and old requests still verify', async t => {
  const folder = folderWith(t, CLOCK)
  const news: string[] = []
  const log = memoryLog({ clock: Date.now, weigh })
  const engine = engineWith({ log, equipment: equipmentIn(folder, { onNews: line => news.push(line) }) })
  const session = await openSession(engine)
  await ask(engine, session, 'one')
  write(folder, {
    'clock/SKILL.md': '---\nname: clock\ndescription: Tells the time\n---\nAnother text.\n',
    'tea/SKILL.md': '---\nname: tea\ndescription: Makes tea\n---\nBoil water.\n',
  })
  const heard = until(engine, session, signal => signal.type === 'notice' && signal.notice.kind === 'reloaded')
  await ask(engine, session, 'two')
  const [notice] = (await heard).flatMap(signal => (signal.type === 'notice' ? [signal.notice.message] : []))
  assert.equal(notice, 'skill clock: changed; skill tea: added')
  assert.deepEqual(news, ['skill clock: changed', 'skill tea: added'])
  const hashes = receipts(await eventsOf(engine, session)).map(
    receipt => receipt.in.find(({ source }) => source === 'skills')?.hash,
  )
  assert.equal(new Set(hashes).size, 2)
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('a file that becomes wrong leaves its skill as it was, is said once, and stops nothing', async t => {
  const folder = folderWith(t, CLOCK)
  const news: string[] = []
  const engine = engineWith({ equipment: equipmentIn(folder, { onNews: line => news.push(line) }) })
  const session = await openSession(engine)
  write(folder, { 'clock/tools.json': '{ "tools": [] , "surprise": 1 }', 'evil/SKILL.md': `a\u202e text` })
  for (const text of ['one', 'two']) assert.equal(last(await ask(engine, session, text), 'turn.ended').reason, 'done')
  assert.equal(news.filter(line => line.includes('surprise')).length, 1, news.join('\n'))
  assert.equal(news.filter(line => line.includes('evil')).length, 1, news.join('\n'))
  assert.deepEqual((await sent(engine)).tools, [])
  const troubles = await engine.equipmentTroubles()
  assert.ok(troubles.some(line => line.includes('surprise')))
})

test('the price of each skill in both modes, and its tools', async t => {
  const engine = engineWith({ equipment: equipmentIn(folderWith(t, CLOCK)) })
  const [clock] = await engine.skills()
  assert.deepEqual([clock?.name, clock?.tools, clock?.description], ['clock', ['clock_now'], 'Tells the time'])
  assert.ok((clock?.full ?? 0) > 0 && (clock?.listed ?? 0) > 0)
})

test('over the budget skills go by name, and the tool that reads them can be used', async t => {
  const long = {
    ...CLOCK,
    'clock/SKILL.md': `---\nname: clock\ndescription: Tells the time\n---\n${'many words '.repeat(3000)}\n`,
  }
  const provider = scriptedProvider([
    [{ type: 'call', call: 'c1', tool: 'read_skill', text: '{"skill_name":"nobody"}' }, { type: 'done' }],
    says('Done.'),
  ])
  const { presets } = await import('../../src/index.ts')
  const policies = [{ ...presets.full, name: 'small', budget: { tokens: 2000, reserve: 100 } }]
  const engine = engineWith({ provider, equipment: equipmentIn(folderWith(t, long)), policies, policy: 'small' })
  const events = await ask(engine, await openSession(engine), 'What time is it?')
  assert.deepEqual(receipts(events).map(({ ladder }) => ladder)[0], ['skills'])
  assert.equal(last(events, 'tool.settled').outcome, 'there is no skill named "nobody"; known: clock')
})

const receipts = (events: readonly Recorded[]): Extract<Recorded, { type: 'context.planned' }>['receipt'][] =>
  events.flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))

test('whoever follows hears nothing of skills that did not change', async t => {
  const engine = engineWith({ equipment: equipmentIn(folderWith(t, CLOCK)) })
  const session = await openSession(engine)
  const heard = until(engine, session, signal => isEvent(signal, 'turn.ended'))
  await engine.say({ session, text: 'Hello', from: 'person' })
  assert.deepEqual(
    (await heard).filter(signal => signal.type === 'notice'),
    [],
  )
})

test('changed settings count from the next turn on: disabled skills, the mode, and what asks', async t => {
  const directory = folderWith(t, CLOCK)
  const given = (disabled: readonly string[], contextMode: SkillMode, approve: Operator['approve']): ChangingEquipment => ({
    skills: { directory, extraDirs: [], disabled, contextMode, path: process.env.PATH ?? '' },
    operator: {
      ...{ accept: [], approve, allowScripts: false, path: process.env.PATH ?? '', environment: {}, cwd: directory },
      ownBinary: resolve('bin/turnwise'),
    },
    servers: { servers: {} },
  })
  let now = given([], 'full', {})
  const engine = engineWith({ equipment: workspaceEquipment({ ...now, changing: () => now }) })
  const clock = async () => (await engine.tools()).find(({ name }) => name === 'clock_now')
  assert.deepEqual([(await clock())?.approval, (await clock())?.rule], ['auto', null])
  assert.match((await sent(engine)).system, /Use clock_now/)

  now = given([], 'readOnDemand', { 'clock_*': 'never' })
  assert.deepEqual([(await clock())?.approval, (await clock())?.rule], ['never', 'clock_*'])
  assert.doesNotMatch((await sent(engine)).system, /Use clock_now/)

  now = given(['clock'], 'full', {})
  engine.refreshEquipment()
  assert.deepEqual(await engine.skills(), [])
  assert.equal(await clock(), undefined)
})
