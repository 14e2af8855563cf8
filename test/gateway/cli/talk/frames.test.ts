import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Signal } from '../../../../src/engine.ts'
import { signalsOf } from '../../../../src/gateway/cli/talk/frames.ts'
import { signalFrame } from '../../../../src/gateway/http/sse.ts'
import { fault } from '../../../../src/model/fault.ts'
import type { SessionId, TurnId } from '../../../../src/model/ids.ts'

const session = 'ses_1' as SessionId
const turn = 'trn_1' as TurnId

const SIGNALS: readonly Signal[] = [
  { type: 'reset' },
  {
    type: 'event',
    event: { type: 'message.received', tokens: 0, text: 'data: 日本\n\nevent: x', from: 'person', session, seq: 1, at: 'now' },
  },
  {
    type: 'delta',
    delta: { session, turn, step: 1, kind: 'text', part: 0, offset: 0, text: '👋 \r\n' } as Extract<
      Signal,
      { type: 'delta' }
    >['delta'],
  },
  { type: 'notice', notice: { session, kind: 'saved', message: 'saved' } as Extract<Signal, { type: 'notice' }>['notice'] },
  { type: 'fault', fault: fault('overloaded', 'too slow') },
]

test('signals survive the wire, wherever its bytes are cut', async () => {
  const bytes = new TextEncoder().encode(`: \n\n${SIGNALS.map(signal => signalFrame(session, signal)).join(': \n\n')}`)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, cut)
      yield bytes.subarray(cut)
    }
    const heard: Signal[] = []
    for await (const signal of signalsOf(body())) heard.push(signal)
    assert.deepEqual(heard, SIGNALS)
  }
})
