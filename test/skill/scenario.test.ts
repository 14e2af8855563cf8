// A morning with the notes skill as its users have it: real files, real processes, approvals; only the model is a script.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Engine } from '../../src/engine.ts'
import { openWorkspace } from '../../src/gateway/workspace/workspace.ts'
import { engineOptions } from '../../src/gateway/workspace-engine.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { calls, says, scriptedProvider } from '../../src/testing/scripted.ts'
import { workspaceEquipment } from '../../src/turn/equipment/workspace-equipment.ts'
import { engineWith, eventsOf, isEvent, openSession, until } from '../support/engine.ts'

const PATH = process.env.PATH ?? ''

/** A new workspace, with the skills it begins with. */
function newHome(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnwise-scenario-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  const made = openWorkspace({ TURNWISE_HOME: home }, { create: true })
  assert.ok(made.ok)
  return home
}

const equipmentOf = (home: string): ReturnType<typeof workspaceEquipment> =>
  workspaceEquipment({
    skills: { directory: join(home, 'skills'), extraDirs: [], disabled: [], contextMode: 'full', path: PATH },
    operator: {
      accept: [],
      approve: {},
      allowScripts: false,
      path: PATH,
      environment: { TURNWISE_HOME: home },
      cwd: home,
      ownBinary: resolve('bin/turnwise'),
    },
  })

type Answer = 'once' | 'session' | 'always' | 'deny'

/** Says something, answers what is asked in this order, and waits for the end of the turn; gives back what was asked. */
async function say(
  engine: Engine,
  session: SessionId,
  text: string,
  answers: readonly Answer[] = [],
): Promise<readonly (readonly string[])[]> {
  const said = await engine.say({ session, text, from: 'person' })
  assert.ok(said.ok)
  const { seq } = said.value
  const shown: (readonly string[])[] = []
  let from = seq
  for (const answer of answers) {
    const signals = await until(engine, session, signal => isEvent(signal, 'approval.asked') && signal.event.seq > from)
    const asked = signals.at(-1)
    from = asked?.type === 'event' ? asked.event.seq : from
    const [pending] = engine.approvals()
    assert.ok(pending)
    shown.push(pending.argv)
    assert.ok((await engine.answer(pending.approval, answer)).ok)
  }
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.seq > seq)
  assert.deepEqual(engine.approvals(), [])
  return shown
}

const ofType = <Type extends Recorded['type']>(events: readonly Recorded[], type: Type): Extract<Recorded, { type: Type }>[] =>
  events.filter((event): event is Extract<Recorded, { type: Type }> => event.type === type)

test('greeting, a daily note, the first item done, one more item, praise', async t => {
  const home = newHome(t)
  const daily = '2026-05-30'
  const provider = scriptedProvider([
    says('Good morning!'),
    calls('notes_create', { name: daily, text: '# Saturday\n\n- [ ] water the plants\n- [ ] call Ada' }, 'c1'),
    says('I made your daily note.'),
    calls('notes_read', { name: daily }, 'c2'),
    calls('notes_replace', { name: daily, old: '- [ ]', new: '- [x]' }, 'c3'),
    calls('notes_replace', { name: daily, old: '- [ ] water the plants', new: '- [x] water the plants' }, 'c4'),
    says('Done: water the plants.'),
    calls('notes_append', { name: daily, text: '- [ ] buy bread --fresh' }, 'c5'),
    says('Added.'),
    says('Thank you!'),
  ])
  const engine = engineWith({ provider, equipment: equipmentOf(home) })
  t.after(() => engine.close(0))
  const session = await openSession(engine)

  assert.deepEqual(await say(engine, session, 'Good morning'), [])
  assert.deepEqual(await say(engine, session, 'Start a daily note: water the plants, call Ada', ['once']), [
    ['turnwise', 'notes-create', '--name', daily, '--text', '# Saturday\n\n- [ ] water the plants\n- [ ] call Ada'],
  ])
  // Reading asks nobody; "always" is asked for once and then no more.
  assert.deepEqual(await say(engine, session, 'Mark the first item as done', ['always']), [
    ['turnwise', 'notes-replace', '--name', daily, '--old', '- [ ]', '--new', '- [x]'],
  ])
  assert.deepEqual(await say(engine, session, 'Add: buy bread --fresh', ['once']), [
    ['turnwise', 'notes-append', '--name', daily, '--text', '- [ ] buy bread --fresh'],
  ])
  assert.deepEqual(await say(engine, session, 'Well done!'), [])

  assert.equal(
    readFileSync(join(home, 'notes', `${daily}.md`), 'utf8'),
    '# Saturday\n\n- [x] water the plants\n- [ ] call Ada\n- [ ] buy bread --fresh\n',
  )
  const grants = await engine.grants()
  assert.deepEqual(grants.ok && grants.value.map(({ tool, session: of }) => [tool, of]), [['notes_replace', null]])

  const events = await eventsOf(engine, session)
  const settled = ofType(events, 'tool.settled')
  assert.deepEqual(
    settled.map(({ call, ok, outcome }) => [call, ok, outcome]),
    [
      ['c1', true, 'done'],
      ['c2', true, 'done'],
      ['c3', false, 'exit code 1'],
      ['c4', true, 'done'],
      ['c5', true, 'done'],
    ],
  )
  assert.deepEqual(
    ofType(events, 'tool.started').map(({ call }) => call),
    ['c1', 'c2', 'c3', 'c4', 'c5'],
    'each call ran once',
  )
  assert.equal(settled[1]?.content, '# Saturday\n\n- [ ] water the plants\n- [ ] call Ada\n')
  assert.match(settled[2]?.content ?? '', /"- \[ \]" is 2 times in "2026-05-30"; give more of the text around it/)
  assert.equal(ofType(events, 'turn.ended').length, 5)
  assert.ok(ofType(events, 'turn.ended').every(({ reason }) => reason === 'done'))
  assert.equal(provider.requests.length, 10)
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('the model is told of the skills, and the clock of the workspace runs without asking', async t => {
  const home = newHome(t)
  const provider = scriptedProvider([calls('clock_now', { zone: 'Europe/Oslo' }), says('It is late.')])
  const workspace = openWorkspace({ TURNWISE_HOME: home }, { create: false })
  assert.ok(workspace.ok)
  const { equipment } = engineOptions(workspace.value, { PATH, TURNWISE_HOME: home })
  assert.ok(equipment)
  const engine = engineWith({ provider, equipment })
  t.after(() => engine.close(0))
  const session = await openSession(engine)
  await say(engine, session, 'What time is it in Oslo?')
  const [settled] = ofType(await eventsOf(engine, session), 'tool.settled')
  assert.equal(settled?.ok, true)
  assert.match(settled?.content ?? '', /^Europe\/Oslo {3}\w+day {3,}\d{4}-\d\d-\d\d .*\nUTC {2,}\w+day .*Z\n$/)
  const request = JSON.parse(provider.requests[0]?.body ?? '') as { system: string; tools: { name: string }[] }
  assert.match(request.system, /^You have access to the following skills\. .*\n\n## clock\nTell the date/)
  assert.match(request.system, /\n\n## notes\nKeep Markdown notes - create, .*\n\n# Notes\n/)
  assert.deepEqual(
    request.tools.map(({ name }) => name),
    ['clock_now', 'notes_list', 'notes_read', 'notes_search', 'notes_create', 'notes_append', 'notes_replace'],
  )
})
