// Turns that a person stops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Log, memoryLog, weigh } from '../../../src/index.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { must } from '../../log/facts.ts'
import { engineWith, eventsOf, gate, last, openSession } from '../../support/engine.ts'

for (const which of ['of its name', 'of its session'] as const)
  test(`a stop ${which} that comes between the start of a turn in the log and its first moment stops it`, async t => {
    const kept = memoryLog({ clock: Date.now, weigh })
    const [isKept, mayReturn] = [gate(), gate()]
    const log: Log = {
      ...kept,
      append: async (id, facts, options) => {
        const appended = await kept.append(id, facts, options)
        if (facts.some(({ type }) => type === 'turn.started')) {
          isKept.open()
          await mayReturn.passed
        }
        return appended
      },
    }
    const engine = engineWith({ log, provider: scriptedProvider([says('never said')]) })
    t.after(() => engine.close(0))
    const session = await openSession(engine)
    const said = engine.say({ session, text: 'Hello', from: 'person' })
    await isKept.passed
    const { turn } = last(must(await kept.read(session)), 'turn.started')
    const stopping = engine.cancel(session, which === 'of its name' ? turn : undefined)
    mayReturn.open()
    must(await said)
    assert.deepEqual(must(await stopping), [turn])
    assert.equal(last(await eventsOf(engine, session), 'turn.ended').reason, 'cancelled')
  })
