// A fact of a turn could not be written, and before it is tried again a message takes the place it would have had.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../../src/index.ts'
import type { FactType } from '../../../src/model/event.ts'
import { fault } from '../../../src/model/fault.ts'
import { err } from '../../../src/model/result.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { engineWith, eventsOf, openSession, until } from '../../support/engine.ts'

for (const type of ['turn.ended', 'tool.started', 'tool.settled'] satisfies FactType[]) {
  test(`${type} is not lost to a message that came in between`, async () => {
    const log = memoryLog({ clock: Date.now, weigh })
    let isFirst = true
    const ran: string[] = []
    const engine = engineWith({
      log: {
        ...log,
        append: async (id, facts, options) => {
          if (!isFirst || !facts.some(fact => fact.type === type)) return log.append(id, facts, options)
          isFirst = false
          // The message was on its way already, and is written although the fact before it was not.
          await log.append(id, [{ type: 'message.received', text: 'second', from: 'person' }])
          return err(fault('store', 'busy'))
        },
      },
      provider: scriptedProvider([calls('look', {}), says('one'), says('two')]),
      toolbox: toolbox([
        {
          spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
          run: async () => {
            ran.push('look')
            return { ok: true, outcome: 'found' }
          },
        },
      ]),
    })
    const session = await openSession(engine)
    await engine.say({ session, text: 'first', from: 'person' })
    await until(engine, session, signal => signal.type === 'event' && signal.event.type === 'turn.ended')
    await engine.close(500)
    const types = (await eventsOf(engine, session)).map(event => event.type)
    assert.equal(types.filter(each => each === 'tool.started').length, 1)
    assert.equal(types.filter(each => each === 'tool.settled').length, 1)
    assert.ok(types.includes('turn.ended'))
    assert.deepEqual(ran, ['look'])
  })
}
