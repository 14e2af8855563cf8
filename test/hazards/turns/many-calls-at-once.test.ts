// Replies with very many calls of a tool that may run beside itself.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Recorded } from '../../../src/model/event.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { scriptedProvider } from '../../../src/testing/scripted.ts'
import { skillTools } from '../../../src/tool/descriptor/skill-tools.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { engineWith, eventsOf, isEvent, openSession, until } from '../../support/engine.ts'
import { folderFor, oneTool, operatorIn, putProgram } from '../../tool/ground.ts'

const TURNS = 5
const CALLS = 30

/** Says who it is, waits for the gate, says that it is over. */
const PROGRAM = `#!/bin/sh
echo "+ $1" >> log
while [ ! -e gate ]; do sleep 0.05; done
echo "- $1" >> log
`

const reply = (turn: number): readonly Delta[] => [
  ...Array.from({ length: CALLS }, (_, index) => {
    const text = JSON.stringify({ a: String(turn) })
    return { type: 'call', call: `c${index}`, tool: 'it', text } as const
  }),
  { type: 'done' },
]

const ofType = (events: readonly Recorded[], type: Recorded['type']): readonly string[] =>
  events.flatMap(event => (event.type === type && 'call' in event ? [event.call] : []))

test('150 calls in five turns are 32 processes at once and 8 in a turn, and a stopped turn’s waiting calls never start', {
  timeout: 120_000,
}, async t => {
  const folder = folderFor(t)
  putProgram(join(folder, 'it'), PROGRAM)
  const text = oneTool({ binary: 'it', args: [{ param: 'a', kind: 'positional' }] }, { parallel: true, timeoutMs: 100_000 })
  const { tools } = await skillTools([{ skill: 'a', folder, text }], operatorIn(folder, { approve: { it: 'auto' } }))
  const provider = scriptedProvider([
    ...Array.from({ length: TURNS }, (_, turn) => reply(turn)),
    ...Array.from({ length: TURNS - 1 }, (): readonly Delta[] => [{ type: 'text', text: 'Done.' }, { type: 'done' }]),
  ])
  const engine = engineWith({ provider, toolbox: toolbox(tools), resume: { mode: 'ask' } })
  t.after(() => engine.close(0))
  const log = (): readonly string[] =>
    existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n') : []

  const sessions = await Promise.all(Array.from({ length: TURNS }, () => openSession(engine)))
  for (const session of sessions) {
    const said = await engine.say({ session, text: 'go', from: 'person' })
    assert.ok(said.ok)
    // The script's replies come in this order.
    await until(engine, session, signal => isEvent(signal, 'reply.finished'))
  }
  await t.waitFor(() => assert.equal(log().length, 32), { timeout: 60_000 })
  const began = await Promise.all(sessions.map(session => eventsOf(engine, session)))
  const started = began.map(events => ofType(events, 'tool.started'))
  assert.deepEqual(
    started.map(calls => calls.length),
    [8, 8, 8, 8, 0],
    'a call that waits has not begun, so that neither its time limit nor a crash counts it',
  )
  for (const calls of started)
    assert.deepEqual(
      calls,
      calls.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
    )

  const [first] = sessions
  assert.ok(first !== undefined && (await engine.cancel(first)).ok)
  await until(engine, first, signal => isEvent(signal, 'turn.ended'))
  // The places of the stopped turn go to the one that had none.
  await t.waitFor(() => assert.equal(log().filter(line => line === '+ 4').length, 8), { timeout: 60_000 })
  writeFileSync(join(folder, 'gate'), '')
  for (const session of sessions.slice(1)) await until(engine, session, signal => isEvent(signal, 'turn.ended'))

  const alive = new Map<string, number>()
  for (const line of log()) {
    const [sign, turn = ''] = line.split(' ')
    alive.set(turn, (alive.get(turn) ?? 0) + (sign === '+' ? 1 : -1))
    // What was stopped wrote no last line.
    assert.ok((alive.get(turn) ?? 0) <= 8, `turn ${turn} has ${alive.get(turn)} processes`)
    const others = [...alive].filter(([each]) => each !== '0').reduce((sum, [, count]) => sum + count, 0)
    assert.ok(others <= 32, `${others} processes`)
  }
  assert.equal(log().filter(line => line === '+ 0').length, 8, 'nothing that waited was started')
  const outcomes = (await eventsOf(engine, first)).flatMap(event => (event.type === 'tool.settled' ? [event.outcome] : []))
  assert.equal(outcomes.filter(outcome => outcome === 'cancelled before it began').length, CALLS - 8)
  for (const session of sessions.slice(1)) {
    const settled = (await eventsOf(engine, session)).filter(event => event.type === 'tool.settled' && event.ok)
    assert.equal(settled.length, CALLS)
  }
})

test('programs that work out a value count as processes too', { timeout: 60_000 }, async t => {
  const folder = folderFor(t)
  putProgram(join(folder, 'it'), '#!/bin/sh\ntrue\n')
  putProgram(join(folder, 'resolver'), `${PROGRAM}echo value\n`)
  const args = [{ param: 'a', kind: 'positional', resolveCommand: { binary: 'resolver', subcommand: '', args: ['$param'] } }]
  const text = oneTool({ binary: 'it', args }, { parallel: true, timeoutMs: 100_000 })
  const { tools } = await skillTools([{ skill: 'a', folder, text }], operatorIn(folder, { approve: { it: 'auto' } }))
  const engine = engineWith({ provider: scriptedProvider([reply(0), [{ type: 'done' }]]), toolbox: toolbox(tools) })
  t.after(() => engine.close(0))
  const log = (): readonly string[] =>
    existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n') : []
  const session = await openSession(engine)
  assert.ok((await engine.say({ session, text: 'go', from: 'person' })).ok)
  await t.waitFor(() => assert.equal(log().length, 8), { timeout: 30_000 })
  assert.equal(ofType(await eventsOf(engine, session), 'tool.started').length, 8)
  writeFileSync(join(folder, 'gate'), '')
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))
  let alive = 0
  for (const line of log()) {
    alive += line.startsWith('+') ? 1 : -1
    assert.ok(alive <= 8, `${alive} at once`)
  }
  assert.equal(log().length, 2 * CALLS)
})

test('a permission that is taken back counts for calls that wait for their place', { timeout: 60_000 }, async t => {
  const folder = folderFor(t)
  putProgram(join(folder, 'it'), PROGRAM)
  const text = oneTool({ binary: 'it', args: [{ param: 'a', kind: 'positional' }] }, { parallel: true, timeoutMs: 100_000 })
  const { tools } = await skillTools([{ skill: 'a', folder, text }], operatorIn(folder, {}))
  const one: readonly Delta[] = [{ type: 'call', call: 'c', tool: 'it', text: '{"a":"0"}' }, { type: 'done' }]
  const provider = scriptedProvider([one, [{ type: 'done' }], reply(1), [{ type: 'done' }]])
  const engine = engineWith({ provider, toolbox: toolbox(tools) })
  t.after(() => engine.close(0))
  const log = (): readonly string[] =>
    existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n') : []
  const session = await openSession(engine)
  writeFileSync(join(folder, 'gate'), '')
  assert.ok((await engine.say({ session, text: 'go', from: 'person' })).ok)
  const asked = (await until(engine, session, signal => isEvent(signal, 'approval.asked'))).at(-1)
  assert.ok(asked !== undefined && isEvent(asked, 'approval.asked'))
  assert.ok((await engine.answer(asked.event.approval, 'always')).ok)
  await until(engine, session, signal => isEvent(signal, 'turn.ended'))

  rmSync(join(folder, 'gate'))
  const said = await engine.say({ session, text: 'and again', from: 'person' })
  assert.ok(said.ok)
  await t.waitFor(() => assert.equal(log().filter(line => line === '+ 1').length, 8), { timeout: 30_000 })
  const granted = await engine.grants()
  assert.ok(granted.ok && granted.value[0] !== undefined)
  assert.ok((await engine.revoke(granted.value[0].id)).ok)
  writeFileSync(join(folder, 'gate'), '')
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.seq > said.value.seq)
  assert.equal(log().filter(line => line === '+ 1').length, 8)
  const outcomes = (await eventsOf(engine, session)).flatMap(event => (event.type === 'tool.settled' ? [event.outcome] : []))
  const refused = 'not run: the permission for it was taken back while it waited'
  assert.equal(outcomes.filter(outcome => outcome === refused).length, CALLS - 8)
})
