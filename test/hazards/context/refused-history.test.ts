import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FaultKind, fault } from '../../../src/model/fault.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import type { DemoRequest } from '../../../src/provider/demo/wire.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { ask, engineWith, last, openSession } from '../../support/engine.ts'

const refuses = (kind: FaultKind, message: string): readonly Delta[] => [{ type: 'fault', fault: fault(kind, message) }]

async function told(...replies: readonly (readonly Delta[])[]) {
  const provider = scriptedProvider([says('first answer'), says('second answer'), ...replies])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  await ask(engine, session, 'first '.repeat(300))
  await ask(engine, session, 'second '.repeat(300))
  const events = await ask(engine, session, 'third')
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
  const requests = provider.requests.slice(2).map(({ body }) => (JSON.parse(body) as DemoRequest).messages)
  const planned = events.filter(event => event.type === 'context.planned').slice(2)
  return { requests, planned, ended: last(events, 'turn.ended') }
}

test('a provider that blames the history is asked once more with the new message alone, and the receipt says so', async () => {
  const { requests, planned, ended } = await told(refuses('rejected', 'messages.1: roles must alternate'), says('fine'))
  assert.equal(ended.reason, 'done')
  assert.deepEqual(requests[1], [{ role: 'user', blocks: [{ type: 'text', text: 'third' }] }])
  assert.deepEqual(
    planned.map(({ step, receipt }) => [step, receipt.degraded]),
    [
      [1, null],
      [1, { reason: 'the provider refused the earlier messages' }],
    ],
  )
})

test('a provider to whom it was too long is asked once more with half of it', async () => {
  const { requests, planned, ended } = await told(refuses('too-long', 'prompt is too long'), says('fine'))
  assert.equal(ended.reason, 'done')
  const [first = 0, second = 0] = planned.map(({ receipt }) => receipt.tokens.estimated)
  assert.ok(second <= first / 2, `${second} of ${first}`)
  assert.ok(JSON.stringify(requests[1]).length < JSON.stringify(requests[0]).length)
})

test('it is asked once more, not twice; nothing else that is refused is asked again', async () => {
  const twice = refuses('rejected', 'messages: still wrong')
  assert.equal((await told(twice, twice)).ended.fault?.message, 'messages: still wrong')
  const other = await told(refuses('rejected', 'temperature: must be at most 1'))
  assert.equal(other.ended.reason, 'failed')
  assert.equal(other.requests.length, 1)
})
