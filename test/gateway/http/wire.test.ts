// The bytes of a stream, whole: what other people's programs depend on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Signal } from '../../../src/engine.ts'
import { signalFrame } from '../../../src/gateway/http/sse.ts'
import { fault } from '../../../src/model/fault.ts'
import type { Mint, SessionId, TurnId } from '../../../src/model/ids.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/index.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { startGateway } from '../../support/gateway.ts'
import { clientOf } from './client.ts'

const SESSION = 'ses_1' as SessionId
const TURN = 'trn_1' as TurnId
const PLACE = { session: SESSION, seq: 7, at: '2026-01-02T12:00:00.000Z', tokens: 9 } as const

const FRAMES: readonly (readonly [Signal, string])[] = [
  [
    { type: 'event', event: { type: 'message.received', text: 'Hé\n🌊 "\u2028\ud800', from: 'person', key: 'k', ...PLACE } },
    'id: 7\nevent: message.received\ndata: {"text":"Hé\\n🌊 \\"\u2028\\ud800","from":"person","key":"k","session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    { type: 'event', event: { type: 'turn.started', turn: TURN, voice: 'assistant', cause: 1, ...PLACE } },
    'id: 7\nevent: turn.started\ndata: {"turn":"trn_1","voice":"assistant","cause":1,"session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    {
      type: 'event',
      event: {
        type: 'reply.finished',
        turn: TURN,
        step: 1,
        parts: [
          { type: 'think', text: 'Hm' },
          { type: 'text', text: 'Yes' },
          { type: 'call', call: 'c1', tool: 'clock', args: {} },
        ],
        usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
        ...PLACE,
      },
    },
    'id: 7\nevent: reply.finished\ndata: {"turn":"trn_1","step":1,"parts":[{"type":"think","text":"Hm"},{"type":"text","text":"Yes"},{"type":"call","call":"c1","tool":"clock","args":{}}],"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0},"session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    {
      type: 'event',
      event: { type: 'reply.broken', turn: TURN, step: 1, parts: [], fault: fault('throttled', 'slow down', 2000), ...PLACE },
    },
    'id: 7\nevent: reply.broken\ndata: {"turn":"trn_1","step":1,"parts":[],"fault":{"kind":"throttled","message":"slow down","retryable":true,"retryAfterMs":2000},"session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    { type: 'event', event: { type: 'tool.started', turn: TURN, call: 'c1', tool: 'clock', args: { zone: null }, ...PLACE } },
    'id: 7\nevent: tool.started\ndata: {"turn":"trn_1","call":"c1","tool":"clock","args":{"zone":null},"session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    {
      type: 'event',
      event: { type: 'tool.settled', turn: TURN, call: 'c1', tool: 'clock', ok: true, outcome: '12:00', ms: 3, ...PLACE },
    },
    'id: 7\nevent: tool.settled\ndata: {"turn":"trn_1","call":"c1","tool":"clock","ok":true,"outcome":"12:00","ms":3,"session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    { type: 'event', event: { type: 'turn.ended', turn: TURN, voice: 'assistant', reason: 'done', ...PLACE } },
    'id: 7\nevent: turn.ended\ndata: {"turn":"trn_1","voice":"assistant","reason":"done","session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    { type: 'event', event: { type: 'session.changed', changes: { title: null }, ...PLACE } },
    'id: 7\nevent: session.changed\ndata: {"changes":{"title":null},"session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    { type: 'event', event: { type: 'history.folded', from: 1, to: 5, text: 'They met.', by: 'extract', ...PLACE } },
    'id: 7\nevent: history.folded\ndata: {"from":1,"to":5,"text":"They met.","by":"extract","session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    { type: 'event', event: { type: 'message.marked', target: 3, mark: 'pin', ...PLACE } },
    'id: 7\nevent: message.marked\ndata: {"target":3,"mark":"pin","session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    { type: 'event', event: { type: 'damaged', why: 'the body is not JSON', messages: 1, ...PLACE } },
    'id: 7\nevent: damaged\ndata: {"why":"the body is not JSON","messages":1,"session":"ses_1","seq":7,"at":"2026-01-02T12:00:00.000Z"}\n\n',
  ],
  [
    { type: 'delta', delta: { turn: TURN, step: 1, kind: 'text', part: 0, offset: 3, text: ' \r\n\n: x' } },
    'event: delta\ndata: {"session":"ses_1","turn":"trn_1","step":1,"kind":"text","part":0,"offset":3,"text":" \\r\\n\\n: x"}\n\n',
  ],
  [
    { type: 'delta', delta: { turn: TURN, step: 2, kind: 'call', part: 1, offset: 0, text: '{"a"', call: 'c1', tool: 'clock' } },
    'event: delta\ndata: {"session":"ses_1","turn":"trn_1","step":2,"kind":"call","part":1,"offset":0,"text":"{\\"a\\"","call":"c1","tool":"clock"}\n\n',
  ],
  [
    { type: 'notice', notice: { kind: 'degraded', message: 'Answered without earlier messages.', turn: TURN } },
    'event: notice\ndata: {"session":"ses_1","kind":"degraded","message":"Answered without earlier messages.","turn":"trn_1"}\n\n',
  ],
  [{ type: 'reset' }, 'event: reset\ndata: {"session":"ses_1"}\n\n'],
  [
    { type: 'fault', fault: fault('overloaded', 'this reader is too slow') },
    'event: fault\ndata: {"kind":"overloaded","message":"this reader is too slow","retryable":true}\n\n',
  ],
]

test('every kind of signal has its bytes', () => {
  for (const [signal, bytes] of FRAMES) assert.equal(signalFrame(SESSION, signal), bytes)
})

test('no text can end a frame before its time', () => {
  const text = ['\n\ndata: x\n\n', '\r\rid: 9\r\r', '\r\n\r\nevent: reset\r\n\r\n', '\0', '\u2028\u2029\u0085'].join('')
  for (const signal of [
    { type: 'event', event: { type: 'message.received', text, from: text, key: text, ...PLACE } },
    { type: 'delta', delta: { turn: TURN, step: 1, kind: 'text', part: 0, offset: 0, text } },
    { type: 'fault', fault: fault('store', text) },
  ] satisfies Signal[]) {
    const frame = signalFrame(SESSION, signal)
    assert.match(frame, /^(id: 7\n)?event: [a-z.]+\ndata: [^\n\r]+\n\n$/)
  }
})

test('a whole answer, from the message to its end, has these bytes', async t => {
  const counts = new Map<string, number>()
  const mint = ((kind: string) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return `${kind}_${counts.get(kind)}`
  }) as Mint
  const spec = { description: 'the time', name: 'clock', parameters: { type: 'object' } }
  const { url } = await startGateway(t, {
    mint,
    clock: () => Date.parse('2026-01-02T12:00:00.000Z'),
    provider: scriptedProvider([calls('clock', { zone: 'UTC' }), says('It is', ' 12:00.')]),
    toolbox: toolbox([{ spec, run: async () => ({ ok: true, outcome: '12:00' }) }]),
  })
  const client = clientOf(url)
  const session = await client.open()
  const response = await client.ask('POST', `${session}/messages`, {
    body: { text: 'What time is it? 🌊' },
    headers: { accept: 'text/event-stream', 'idempotency-key': 'k-1' },
  })
  // How long something took is the one thing that no two runs share.
  const bytes = (await response.text())
    .replaceAll(/"timings":\{"readMs":[\d.]+,"assembleMs":[\d.]+\}/g, '"timings":{"readMs":0,"assembleMs":0}')
    .replaceAll(/"ms":\d+/g, '"ms":0')
  t.assert.fileSnapshot(bytes, fileURLToPath(new URL('./whole-answer.sse', import.meta.url)), { serializers: [String] })
})
