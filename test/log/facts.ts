import assert from 'node:assert/strict'
import { weigh } from '../../src/context/text/tokens.ts'
import type { Clock, EventLog, ImportedFact, ImportedPiece } from '../../src/log/ports.ts'
import type { EndReason, Event, Fact, Part, Recorded } from '../../src/model/event.ts'
import { type Fault, type FaultKind, fault } from '../../src/model/fault.ts'
import type { ReceiptId, SessionId, TurnId } from '../../src/model/ids.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import type { Result } from '../../src/model/result.ts'
import type { Session } from '../../src/model/session.ts'

export const NOON: number = Date.UTC(2026, 0, 1, 12)

/** A clock that moves a second each time it is looked at, so that later is later. */
export function ticking(): Clock {
  let now = NOON
  return () => {
    now += 1000
    return now
  }
}

export const session = (name: string): SessionId => `ses_${name}` as SessionId
export const turn = (name: string): TurnId => `trn_${name}` as TurnId
export const receiptId = (name: string): ReceiptId => `rcp_${name}` as ReceiptId

export const sessionOf = (id: SessionId, given: Partial<Session> = {}): Session => ({
  id,
  title: null,
  preview: null,
  agent: 'assistant',
  council: null,
  project: null,
  policy: 'full',
  model: null,
  archived: false,
  createdAt: new Date(NOON).toISOString(),
  updatedAt: new Date(NOON).toISOString(),
  messages: 0,
  family: id,
  ...given,
})

export const heard = (text: string): Fact => ({ type: 'message.received', text, from: 'person' })
export const started = (id: TurnId, cause: number): Fact => ({ type: 'turn.started', turn: id, voice: 'assistant', cause })
export const ended = (id: TurnId, reason: EndReason = 'done'): Fact => ({
  type: 'turn.ended',
  turn: id,
  voice: 'assistant',
  reason,
})
export const text = (words: string): Part => ({ type: 'text', text: words })
export const finished = (id: TurnId, step: number, ...parts: readonly Part[]): Fact => ({
  type: 'reply.finished',
  turn: id,
  step,
  parts,
})
export const broken = (id: TurnId, step: number, ...parts: readonly Part[]): Fact => ({
  type: 'reply.broken',
  turn: id,
  step,
  parts,
  fault: fault('unreachable', 'the line went dead'),
})
export const planned = (id: TurnId, through: number, given: Partial<Receipt> = {}): Fact => ({
  type: 'context.planned',
  turn: id,
  step: 1,
  receipt: { ...RECEIPT, through, ...given },
})

/** A whole turn: the message that stands at `cause`, its answer, its end. */
export const exchange = (cause: number, id: TurnId, question: string, answer: string): readonly Fact[] => [
  heard(question),
  started(id, cause),
  planned(id, cause + 1),
  finished(id, 1, text(answer)),
  ended(id),
]

const RECEIPT: Receipt = {
  id: null,
  digest: 'sha256:0',
  through: 0,
  window: { begins: null },
  policy: 'full@1',
  model: 'demo',
  voice: 'assistant',
  tokens: { estimated: 0, reported: null, cached: null, factor: 1, limit: 32_000, reserved: 4096 },
  timings: { readMs: 0, assembleMs: 0 },
  degraded: null,
  ladder: [],
  cache: null,
  in: [],
  out: [],
  inputs: {
    turn: 'trn_1',
    cause: 1,
    ordinal: 1,
    wire: 'demo@1',
    window: 32_000,
    policy: 'sha256:p',
    system: [],
    tools: 'sha256:t',
    asides: [],
    thinking: false,
    voices: 'sha256:v',
    begins: null,
    marksThrough: 0,
    gaps: [],
  },
}

/** What a result holds, or a failed test with the fault's own words. */
export function must<Value>(result: Result<Value, Fault>): Value {
  assert.ok(result.ok, result.ok ? '' : `${result.fault.kind}: ${result.fault.message}`)
  return result.value
}

/** The fault of a result that must have one of this kind. */
export function faultOf(result: Result<unknown, Fault>, kind: FaultKind): Fault {
  assert.ok(!result.ok, 'a fault was expected')
  assert.equal(result.fault.kind, kind, result.fault.message)
  return result.fault
}

/** Events without what the log added: what was said, to compare with what was meant. */
export const factsOf = (events: readonly Recorded[]): readonly Fact[] =>
  events.map(event => {
    assert.notEqual(event.type, 'damaged')
    const { session: _session, seq: _seq, at: _at, tokens: _tokens, ...fact } = event as Event
    return fact as Fact
  })

export const seqsOf = (events: readonly Recorded[]): readonly number[] => events.map(event => event.seq)

/** 1, 2, 3 … as many as there are. */
export const gapless = (events: readonly Recorded[]): void =>
  assert.deepEqual(
    seqsOf(events),
    events.map((_, index) => index + 1),
  )

export const eventsOf = async (log: EventLog, id: SessionId): Promise<readonly Recorded[]> => must(await log.read(id))

/** When imported facts happened. */
export const THEN = '2023-05-06T07:08:09.000Z'

/** A fact from elsewhere, with its weight. */
export const importedFact = (fact: Fact, at: string = THEN): ImportedFact => ({ fact, at, ...weigh(fact) })
export const pieceOf = (id: SessionId, facts: readonly Fact[], given: Partial<Session> = {}): ImportedPiece => ({
  session: sessionOf(id, { origin: 'chatgpt', createdAt: THEN, updatedAt: THEN, ...given }),
  facts: facts.map(fact => importedFact(fact)),
  texts: [],
})

/** A fact of a kind, for properties over any order of facts. */
export function factOfKind(kind: string, index: number): Fact {
  const id = turn(String(index % 4))
  switch (kind) {
    case 'heard':
      return heard('hello')
    case 'named':
      return { type: 'message.received', text: 'hello you', from: 'person', voices: ['assistant', 'ada'], to: ['ada'] }
    case 'start':
      return { type: 'turn.started', turn: turn(`s${index}`), voice: 'assistant', cause: Math.max(1, index - 1) }
    case 'plan':
      return planned(id, index)
    case 'reply':
      return finished(id, 1, text('yes'))
    case 'end':
      return ended(id)
    default:
      return { type: 'session.changed', changes: {} }
  }
}

/** Chance that can be had again: the same seed gives the same numbers, each from 0 up to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
