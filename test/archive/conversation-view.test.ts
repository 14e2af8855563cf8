// Events become a conversation: side by side what answers one message, in their order, and never all held back by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConversationPiece, createConversationView } from '../../src/archive/output/conversation-view.ts'
import { endingOf, remarksOn } from '../../src/archive/output/conversation-words.ts'
import type { Fact, Recorded, TurnStarted } from '../../src/model/event.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'

const session = 'ses_a' as SessionId
const at = '2026-01-02T03:04:05.000Z'
const message = (text: string): Fact => ({ type: 'message.received', text, from: 'person' })
const started = (turn: string, cause: number, voice = turn): Fact => ({
  type: 'turn.started',
  turn: turn as TurnId,
  voice,
  cause,
})
const says = (turn: string, text: string, step = 1): Fact => ({
  ...{ type: 'reply.finished', turn: turn as TurnId, step, parts: [{ type: 'text', text }] },
})
const ended = (turn: string): Fact => ({ type: 'turn.ended', turn: turn as TurnId, voice: turn, reason: 'done' })

function tell(facts: readonly Fact[]): {
  readonly early: readonly ConversationPiece[]
  readonly all: readonly ConversationPiece[]
} {
  const view = createConversationView()
  const early = facts.flatMap((fact, index) => view.hear({ ...fact, session, at, seq: index + 1, tokens: 0 } as Recorded))
  return { early, all: [...early, ...view.end()] }
}

const shown = (pieces: readonly ConversationPiece[]): readonly string[] =>
  pieces.map(each => {
    if (each.type === 'message') return each.message.text
    if (each.type !== 'turns') return each.type
    return each.turns
      .map(({ name, parts }) => `${name}: ${parts.flatMap(part => ('text' in part ? [part.text] : [])).join('|')}`)
      .join(' & ')
  })

test('answers to one message stand together, and what was said meanwhile stands behind them', () => {
  const facts = [
    message('one'),
    started('a', 1),
    started('b', 1),
    says('b', 'B'),
    message('two'),
    says('a', 'A'),
    ended('b'),
    ended('a'),
  ]
  assert.deepEqual(shown(tell(facts).early), ['one', 'a: A & b: B', 'two'])
})

test('what was cut off and what it goes on with are one text', () => {
  const fault = { kind: 'timeout', message: 'late', retryable: true } as const
  const turn = 'a' as TurnId
  const broken: Fact = { type: 'reply.broken', turn, step: 1, fault, parts: [{ type: 'text', text: 'Half a ' }] }
  const { all } = tell([message('one'), started('a', 1), broken, says('a', 'sentence.', 2), ended('a')])
  assert.deepEqual(shown(all), ['one', 'a: Half a sentence.'])
  assert.ok(all[1]?.type === 'turns' && all[1].turns[0]?.wentOn)
})

test('an answer that was cut at its limit says so, and is one text with the turn that continues it', () => {
  const cut: Fact = {
    type: 'reply.finished',
    turn: 'a' as TurnId,
    step: 1,
    stop: 'length',
    parts: [{ type: 'text', text: 'Half a ' }],
  }
  const facts = [message('one'), started('a', 1), cut, ended('a')]
  const pieces = tell(facts).all[1]
  const endingOfFirst = pieces?.type === 'turns' && pieces.turns[0] !== undefined ? endingOf(pieces.turns[0]) : ''
  assert.equal(endingOfFirst, 'Cut off at the reply limit.')
  const again: Fact = { ...(started('b', 1) as TurnStarted), resumes: 'a' as TurnId, continues: true }
  const { all } = tell([...facts, again, says('b', 'sentence.', 2), ended('b'), message('two')])
  assert.deepEqual(shown(all), ['one', 'a: Half a sentence.', 'two'])
  assert.ok(all[1]?.type === 'turns' && all[1].turns[0] !== undefined && endingOf(all[1].turns[0]) === undefined)
  assert.deepEqual(remarksOn(all[1].turns[0]), [], 'it was continued, not interrupted')
  assert.deepEqual(shown(tell([...facts, message('two')]).early), ['one', 'a: Half a ', 'two'], 'nothing is held back for good')
})

test('a cut before the first word tears no earlier paragraph open, and each call has its own result', () => {
  const turn = 'a' as TurnId
  const fault = { kind: 'timeout', message: 'late', retryable: true } as const
  const call = { type: 'call', call: 'c1', tool: 'look', args: {} } as const
  const asks = (step: number): Fact => ({ type: 'reply.finished', turn, step, parts: [{ type: 'text', text: 'I look.' }, call] })
  const settles = (outcome: string): Fact => ({ type: 'tool.settled', turn, call: 'c1', tool: 'look', ok: true, outcome, ms: 1 })
  const broken: Fact = { type: 'reply.broken', turn, step: 3, fault, parts: [{ type: 'think', text: 'hm' }] }
  const facts = [message('one'), started('a', 1), asks(1), settles('one'), asks(2), settles('two'), broken]
  const pieces = tell([...facts, says('a', 'There.', 4), ended('a')]).all
  assert.deepEqual(shown(pieces), ['one', 'a: I look.|I look.|hm|There.'])
  const parts = pieces[1]?.type === 'turns' ? (pieces[1].turns[0]?.parts ?? []) : []
  assert.deepEqual(
    parts.flatMap(part => (part.type === 'call' ? [part.result?.outcome] : [])),
    ['one', 'two'],
  )
})

test('what names a session is no part of it', () => {
  const title: Fact = {
    type: 'reply.finished',
    turn: 't' as TurnId,
    step: 1,
    parts: [{ type: 'text', text: 'Boats' }],
    internal: true,
  }
  const end: Fact = { type: 'turn.ended', turn: 't' as TurnId, voice: 'house:title', reason: 'done' }
  assert.deepEqual(shown(tell([message('one'), started('t', 1, 'house:title'), title, end]).all), ['one'])
})

test('a turn that never ends does not hold back a million messages', () => {
  const facts = [
    message('one'),
    started('a', 1),
    says('a', 'A'),
    ...Array.from({ length: 5000 }, (_, index) => message(`m${index}`)),
  ]
  const { early, all } = tell([...facts, says('a', 'late'), ended('a')])
  assert.ok(early.length > 4000)
  assert.deepEqual(shown(all).slice(0, 3), ['one', 'a: A', 'm0'])
  assert.equal(shown(all).at(-1), 'a: late')
})
