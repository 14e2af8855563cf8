import type { Event, Fact, Part } from '../../src/model/event.ts'
import type { Fault } from '../../src/model/fault.ts'
import type { ReceiptId, SessionId, TurnId } from '../../src/model/ids.ts'
import type { HeardDelta, Notice } from '../../src/model/message/delta.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import { reduce } from '../../web/src/view/reduce.ts'
import { EMPTY_VIEW, type View } from '../../web/src/view/view.ts'
import type { PageSignal } from '../../web/src/wire/signal.ts'

export const NOON = '2026-01-02T12:00:00.000Z'
export const TURN = 'trn_1' as TurnId
export const FAULT: Fault = { kind: 'unreachable', message: 'the line went dead', retryable: true }

export const RECEIPT: Receipt = {
  id: 'rcp_1' as ReceiptId,
  digest: 'sha256:0',
  through: 2,
  window: { begins: 1 },
  policy: 'full@1',
  model: 'demo',
  voice: 'assistant',
  tokens: { estimated: 12, reported: null, cached: null, factor: 1, limit: 32000, reserved: 4096 },
  timings: { readMs: 1, assembleMs: 1 },
  degraded: null,
  ladder: [],
  cache: null,
  in: [{ kind: 'current', from: 1, to: 1, count: 1, role: 'user', tokens: 12, reason: 'current.message', hash: 'h' }],
  out: [],
  inputs: {
    turn: 'trn_1',
    cause: 1,
    ordinal: 1,
    wire: 'demo@1',
    window: 32000,
    thinking: false,
    policy: 'p',
    system: [],
    tools: 't',
    asides: [],
    voices: 'v',
    begins: null,
    marksThrough: 0,
    gaps: [],
  },
}

/** A fact as it comes over the wire. */
export const event = (seq: number, fact: Fact): PageSignal => ({
  type: 'event',
  event: { ...fact, session: 'ses_1' as SessionId, seq, at: NOON, tokens: 1 } as Event,
})

export const said = (seq: number, text: string): PageSignal => event(seq, { type: 'message.received', text, from: 'person' })

export const started = (seq: number, turn: TurnId = TURN, voice = 'assistant'): PageSignal =>
  event(seq, { type: 'turn.started', turn, voice, cause: 1 })

export const planned = (seq: number, step = 1, turn: TurnId = TURN, receipt: Receipt = RECEIPT): PageSignal =>
  event(seq, { type: 'context.planned', turn, step, receipt })

export const finished = (seq: number, parts: readonly Part[], step = 1, turn: TurnId = TURN): PageSignal =>
  event(seq, { type: 'reply.finished', turn, step, parts })

export const ended = (seq: number, turn: TurnId = TURN): PageSignal =>
  event(seq, { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' })

export const delta = (text: string, offset: number, more: Partial<HeardDelta> = {}): PageSignal => ({
  type: 'delta',
  delta: { turn: TURN, step: 1, kind: 'text', part: 0, offset, text, ...more },
})

export const notice = (kind: Notice['kind'], turn?: TurnId): PageSignal => ({
  type: 'notice',
  notice: { kind, message: kind, ...(turn === undefined ? {} : { turn }) },
})

export const show = (signals: readonly PageSignal[], from: View = EMPTY_VIEW): View => signals.reduce(reduce, from)
