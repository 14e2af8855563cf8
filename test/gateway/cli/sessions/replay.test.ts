import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listTurns } from '../../../../src/gateway/cli/context/turns.ts'
import { replayUnder } from '../../../../src/gateway/cli/sessions/replay.ts'
import { presets } from '../../../../src/index.ts'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import { says, scriptedProvider } from '../../../../src/testing/scripted.ts'
import { ask, engineWith, eventsOf, openSession } from '../../../support/engine.ts'

const WINDOW = { kind: 'tokens', low: 120, high: 260 } as const
const used: Policy = { ...presets.steady, name: 'used', window: WINDOW }
/** The same, but nothing was ever sent under it. */
const twin: Policy = { ...used, name: 'twin', version: 0 }

const TURNS = 24

test('a window that grows is followed through turns nobody sent under that policy, to where it would have begun', async () => {
  const replies = Array.from({ length: TURNS }, (_, index) =>
    says(`answer ${index}, ${'and so on, '.repeat(index % 5)}that is all.`),
  )
  const engine = engineWith({ provider: scriptedProvider(replies), policies: [used, twin], policy: used.name })
  const id = await openSession(engine)
  for (let index = 0; index < TURNS; index += 1)
    await ask(engine, id, `question ${index}, ${'so to say, '.repeat(index % 3)}please`)
  const turns = await listTurns(engine, id)
  assert.ok(turns.ok)
  const sent = (await eventsOf(engine, id)).flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))
  const begins = sent.map(({ window }) => window.begins)
  assert.ok(new Set(begins).size >= 3, `the window moved more than once: ${begins.join(' ')}`)

  for (const policy of [used, twin]) {
    const replay = replayUnder(engine, id, turns.value, policy)
    // From the end, so that everything before has to be followed at once.
    const last = await replay.turn(TURNS - 1)
    assert.ok(last.ok)
    assert.equal(last.value.receipt.window.begins, begins.at(-1), policy.name)
    for (const [index, begun] of begins.entries()) {
      const planned = await replay.turn(index)
      assert.ok(planned.ok)
      assert.equal(planned.value.receipt.window.begins, begun, `${policy.name}, turn ${index + 1}`)
      assert.equal(planned.value.receipt.tokens.estimated, sent[index]?.tokens.estimated)
    }
  }
  await engine.close(0)
})
