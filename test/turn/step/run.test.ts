import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../src/model/fault.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { ask, engineWith, last, openSession } from '../../support/engine.ts'

const cut: readonly Delta[] = [
  { type: 'text', text: 'Let me look' },
  { type: 'fault', fault: fault('unreachable', 'the connection was reset') },
]

test('a cut is no step: a reply that was asked for twice takes one step of the limit', async () => {
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => ({ ok: true, outcome: 'seen' }),
  }
  const provider = scriptedProvider([cut, calls('look', {}), says('Done.')])
  const engine = engineWith({ provider, toolbox: toolbox([look]), limits: { steps: 2 } })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(last(events, 'tool.settled').outcome, 'seen')
  assert.equal(last(events, 'turn.ended').reason, 'done')
  assert.equal(provider.requests.length, 3)
})

test('the limit still ends a turn that was cut', async () => {
  const provider = scriptedProvider([cut, calls('look', {}, 'c1'), calls('look', {}, 'c2')])
  const engine = engineWith({ provider, limits: { steps: 2 } })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(last(events, 'turn.ended').reason, 'limit')
})
