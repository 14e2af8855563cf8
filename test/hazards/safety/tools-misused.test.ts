import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delta } from '../../../src/model/message/delta.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { type PlainTool, toolbox } from '../../../src/tool/toolbox.ts'
import { ask, engineWith, last, openSession } from '../../support/engine.ts'

function counter(): PlainTool & { ran: number } {
  const tool = {
    ran: 0,
    spec: { name: 'count', description: 'Counts', parameters: { type: 'object' } },
    run: async () => {
      tool.ran += 1
      return { ok: true, outcome: `ran ${tool.ran}` }
    },
  }
  return tool
}

const call = (tool: string, text: string, id = 'c1'): Delta => ({ type: 'call', call: id, tool, text })
const done: Delta = { type: 'done' }

test('a tool nobody has becomes an error the model reads, and nothing runs', async () => {
  const tool = counter()
  const provider = scriptedProvider([calls('unknown', {}), says('Sorry.')])
  const engine = engineWith({ provider, toolbox: toolbox([tool]) })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(last(events, 'tool.settled').outcome, 'there is no tool named unknown; nothing was run')
  assert.equal(events.filter(event => event.type === 'tool.started').length, 0)
  assert.equal(last(events, 'turn.ended').reason, 'done')
  assert.equal(tool.ran, 0)
})

test('arguments that are not JSON become an error the model reads, and nothing runs', async () => {
  const tool = counter()
  const provider = scriptedProvider([[call('count', '{"n": '), done], says('Sorry.')])
  const engine = engineWith({ provider, toolbox: toolbox([tool]) })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(last(events, 'tool.settled').ok, false)
  assert.equal(tool.ran, 0)
})

test('arguments that nest thousands of levels deep run nothing, and the model reads why', async () => {
  const tool = counter()
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const provider = scriptedProvider([
    [call('count', nested(5000), 'c1'), call('count', nested(65), 'c2'), call('count', nested(64), 'c3'), done],
    says('Sorry.'),
  ])
  const engine = engineWith({ provider, toolbox: toolbox([tool]) })
  const events = await ask(engine, await openSession(engine), 'go')
  const outcomes = events.flatMap(event => (event.type === 'tool.settled' ? [event.outcome] : []))
  const refused = 'the arguments nest deeper than 64; nothing was run'
  assert.deepEqual(outcomes.filter(outcome => outcome === refused).length, 2)
  assert.equal(tool.ran, 1, 'what stays within the limit runs')
  assert.equal(last(events, 'turn.ended').reason, 'done')
})

test('two calls of one id cannot be told apart: nothing runs, and the model reads why', async () => {
  const tool = counter()
  const provider = scriptedProvider([
    [call('count', '{}'), { type: 'text', text: ' and ' }, call('count', '{}'), done],
    says('Done.'),
  ])
  const engine = engineWith({ provider, toolbox: toolbox([tool]) })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(tool.ran, 0)
  const settled = events.filter(event => event.type === 'tool.settled')
  assert.deepEqual(
    settled.map(({ ok, outcome }) => [ok, outcome]),
    [[false, 'the arguments are not JSON; nothing was run']],
  )
  assert.equal(last(events, 'turn.ended').reason, 'done')
})

test('a tool that throws is settled as failed and the turn goes on', async () => {
  const broken: PlainTool = { ...counter(), run: () => Promise.reject(new Error('no disk')) }
  const provider = scriptedProvider([calls('count', {}), says('Sorry.')])
  const engine = engineWith({ provider, toolbox: toolbox([broken]) })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(last(events, 'tool.settled').outcome, 'the tool failed: no disk')
  assert.equal(last(events, 'turn.ended').reason, 'done')
})

test('a model that only ever calls tools ends at the step limit, every call settled', async () => {
  const tool = counter()
  const provider = scriptedProvider([1, 2, 3].map(step => calls('count', {}, `c${step}`)))
  const engine = engineWith({ provider, toolbox: toolbox([tool]), limits: { steps: 3 } })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(last(events, 'turn.ended').reason, 'limit')
  assert.equal(tool.ran, 2)
  assert.deepEqual(
    events.flatMap(event => (event.type === 'tool.settled' ? [event.outcome] : [])),
    ['ran 1', 'ran 2', 'not run: this turn has reached its step limit'],
  )
})

test('arguments stay as they came, to the byte', async () => {
  const provider = scriptedProvider([[call('count', '{ "n": 1.0, "2": 12345678901234567890 }'), done], says('Done.')])
  const engine = engineWith({ provider, toolbox: toolbox([counter()]) })
  const events = await ask(engine, await openSession(engine), 'go')
  const part = events.flatMap(event => (event.type === 'reply.finished' ? event.parts : [])).find(each => each.type === 'call')
  assert.equal(part?.type === 'call' ? part.raw : '', '{ "n": 1.0, "2": 12345678901234567890 }')
})
