import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../src/model/fault.ts'
import type { Delta, Usage } from '../../../src/model/message/delta.ts'
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

/** A reply that calls a tool, and what it used. */
const using = (call: string, usage: Usage): readonly Delta[] => [
  { type: 'call', call, tool: 'look', text: '{}' },
  { type: 'usage', usage },
  { type: 'done' },
]

test('a turn that has used its tokens ends at the limit: its calls are settled, and it says why', async () => {
  let looked = 0
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => {
      looked += 1
      return { ok: true, outcome: `seen ${looked}` }
    },
  }
  const provider = scriptedProvider([
    using('c1', { input: 300, output: 100, cacheRead: 90_000, cacheWrite: 100 }),
    using('c2', { input: 400, output: 100, cacheRead: 0, cacheWrite: 0 }),
  ])
  const engine = engineWith({ provider, toolbox: toolbox([look]), limits: { tokensPerTurn: 1000 } })
  const events = await ask(engine, await openSession(engine), 'go')
  const why = 'this turn has used 1,000 tokens, and it may use 1,000 (limits.tokensPerTurn)'
  const { reason, fault: cause } = last(events, 'turn.ended')
  assert.deepEqual([reason, cause?.kind, cause?.message], ['limit', 'budget', why])
  assert.deepEqual(
    events.flatMap(event => (event.type === 'tool.settled' ? [event.outcome] : [])),
    ['seen 1', `not run: ${why}`],
  )
})

test('an answer is an answer, however many tokens it took; each turn begins anew', async () => {
  const usage = { input: 5000, output: 1, cacheRead: 0, cacheWrite: 0 }
  const provider = scriptedProvider(
    [1, 2].map(() => [{ type: 'text', text: 'Done.' }, { type: 'usage', usage }, { type: 'done' }]),
  )
  const engine = engineWith({ provider, limits: { tokensPerTurn: 1000 } })
  const session = await openSession(engine)
  for (const text of ['go', 'on']) assert.equal(last(await ask(engine, session, text), 'turn.ended').reason, 'done')
})

test('where a provider reports nothing, what was sent counts as it was estimated', async () => {
  const provider = scriptedProvider([calls('look', {}, 'c1'), calls('look', {}, 'c2')])
  const engine = engineWith({ provider, limits: { tokensPerTurn: 60 } })
  const events = await ask(engine, await openSession(engine), 'many words '.repeat(20))
  assert.equal(last(events, 'turn.ended').reason, 'limit')
})

test('the limit still ends a turn that was cut', async () => {
  const provider = scriptedProvider([cut, calls('look', {}, 'c1'), calls('look', {}, 'c2')])
  const engine = engineWith({ provider, limits: { steps: 2 } })
  const events = await ask(engine, await openSession(engine), 'go')
  assert.equal(last(events, 'turn.ended').reason, 'limit')
})
