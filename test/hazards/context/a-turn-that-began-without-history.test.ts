// The store did not answer when a turn began, and does when it goes on: the turn stays as it began, and only adds to it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../../src/index.ts'
import { fault } from '../../../src/model/fault.ts'
import { err } from '../../../src/model/result.ts'
import type { DemoRequest } from '../../../src/provider/demo/wire.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { ask, engineWith, eventsOf, openSession } from '../../support/engine.ts'

const look = {
  spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
  run: async () => ({ ok: true, outcome: 'found' }),
}

for (const policy of ['steady', 'recent', 'head-tail', 'full', 'transcript', 'council']) {
  test(`${policy}: the second step begins with the first, and verify proves both`, async () => {
    const log = memoryLog({ clock: Date.now, weigh })
    let isAway = false
    const provider = scriptedProvider([says('one'), says('two'), calls('look', {}), says('three'), says('four')])
    const engine = engineWith({
      log: {
        ...log,
        past: async (id, want) => {
          const away = isAway
          isAway = false
          return away ? err(fault('store', 'it is away')) : log.past(id, want)
        },
      },
      provider,
      policy,
      toolbox: toolbox([look]),
    })
    const session = await openSession(engine)
    await ask(engine, session, 'first')
    await ask(engine, session, 'second')
    isAway = true
    await ask(engine, session, 'third')
    const [bare, next] = provider.requests.slice(-2).map(({ body }) => (JSON.parse(body) as DemoRequest).messages)
    assert.equal(bare?.length, 1)
    // A transcript is one text, built anew.
    if (policy === 'transcript') assert.doesNotMatch(JSON.stringify(next), /first|second/)
    else assert.deepEqual(next?.slice(0, 1), bare)
    await ask(engine, session, 'fourth')
    const last = provider.requests.at(-1)?.body ?? ''
    assert.match(last, /second/, 'the next turn has its history again')
    for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
    assert.equal((await eventsOf(engine, session)).filter(({ type }) => type === 'turn.ended').length, 4)
  })
}
