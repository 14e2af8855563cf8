import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, memoryLog, weigh } from '../../../src/index.ts'
import { admit } from '../../../src/turn/admission/admit.ts'
import { counting, openSession } from '../../support/engine.ts'

test('the same key with other advisors is a conflict; with the same ones it finds the same message', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const session = await openSession(createEngine({ log }))
  const mint = counting()
  const standing = await log.standing(session)
  assert.ok(standing.ok)
  const say = (...to: readonly string[]) =>
    admit(
      { log, mint },
      { session, text: 'Hello', from: 'person', key: 'k1' },
      { attachments: [], texts: [] },
      to.length === 0 ? {} : { to },
      [],
      { head: standing.value.head, fence: undefined },
    )
  const first = await say('godin')
  assert.ok(first.ok)
  const again = await say('godin')
  assert.equal(again.ok && again.value.seq, first.value.seq)
  for (const to of [['buber'], ['godin', 'buber'], []]) {
    const other = await say(...to)
    assert.equal(other.ok, false, to.join())
    assert.equal(!other.ok && other.fault.kind, 'conflict')
    assert.equal(!other.ok && other.fault.message, 'this Idempotency-Key was used for other advisors; use a new key')
  }
})
