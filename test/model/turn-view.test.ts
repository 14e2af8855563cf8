// One fold of a turn: steps, cuts that are joined, calls with their results and approvals, live text, and the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EndReason, Event, Fact, Part } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'
import type { HeardDelta } from '../../src/model/message/delta.ts'
import { isReply } from '../../src/model/message/spoken.ts'
import {
  answerState,
  firstBroken,
  joinedReplies,
  joinTouching,
  spokenText,
  textsOf,
} from '../../src/model/turn-view/join-cuts.ts'
import { createFreshText } from '../../src/model/turn-view/live-text.ts'
import { isOfTurn } from '../../src/model/turn-view/step-view.ts'
import { createTurnViews, type TurnView, turnsContinuedBy } from '../../src/model/turn-view/turn-view.ts'
import { tries } from '../support/tries.ts'

const [A, B] = ['trn_a' as TurnId, 'trn_b' as TurnId]
const FAULT = fault('unreachable', 'the line went dead')

const events = (facts: readonly Fact[]): readonly Event[] =>
  facts.map((fact, index) => ({ ...fact, session: 'ses_1' as SessionId, seq: index + 1, at: '', tokens: 1 }))

const text = (words: string): Part => ({ type: 'text', text: words })
const think = (words: string): Part => ({ type: 'think', text: words })
const call = (id: string): Part => ({ type: 'call', call: id, tool: 'look', args: { at: id } })

const starts = (turn: TurnId, more: Partial<Extract<Fact, { type: 'turn.started' }>> = {}): Fact => ({
  ...{ type: 'turn.started', turn, voice: 'assistant', cause: 1 },
  ...more,
})
const says = (turn: TurnId, step: number, ...parts: readonly Part[]): Fact => ({ type: 'reply.finished', turn, step, parts })
const breaks = (turn: TurnId, step: number, ...parts: readonly Part[]): Fact => ({
  ...{ type: 'reply.broken', turn, step, parts, fault: FAULT },
})
const stops = (turn: TurnId, step: number, ...parts: readonly Part[]): Fact => ({
  ...{ type: 'reply.finished', turn, step, parts, stop: 'length' },
})
const settles = (turn: TurnId, id: string, outcome = 'found'): Fact => ({
  ...{ type: 'tool.settled', turn, call: id, tool: 'look', ok: true, outcome, ms: 1 },
})
const ends = (turn: TurnId, reason: EndReason = 'done'): Fact => ({ type: 'turn.ended', turn, voice: 'assistant', reason })
const delta = (turn: TurnId, step: number, offset: number, words: string, more: Partial<HeardDelta> = {}): HeardDelta => ({
  ...{ turn, step, kind: 'text', part: 0, offset, text: words },
  ...more,
})

function folded(facts: readonly Fact[], turn: TurnId = A): TurnView {
  const views = createTurnViews()
  for (const event of events(facts)) views.hear(event)
  return views.of(turn) ?? assert.fail('no such turn')
}

/** What a reader sees, part by part. */
const shown = ({ steps }: TurnView): readonly string[] =>
  joinedReplies(steps).flatMap(({ parts }) => parts.map(({ part }) => (part.type === 'call' ? `call ${part.call}` : part.text)))

test('a reply that was cut and what goes on with it are one text, however often it was', () => {
  const view = folded([starts(A), breaks(A, 1, text('One, ')), breaks(A, 2, text('two, ')), says(A, 3, text('three.')), ends(A)])
  assert.deepEqual(textsOf(view.steps), ['One, two, three.'])
  assert.deepEqual(view.end, { reason: 'done' })
  assert.equal(firstBroken(view.steps)?.fault, FAULT)
  assert.equal(answerState(view.steps), 'whole')
})

test('a call that was cut off is nowhere once the reply went on, and where it did not it stays to be seen', () => {
  const cut = [starts(A), breaks(A, 1, text('Let me'), call('c1'))]
  assert.deepEqual(shown(folded(cut)), ['Let me', 'call c1'])
  assert.deepEqual(shown(folded([...cut, says(A, 2, text(' look.'), call('c2'))])), ['Let me look.', 'call c2'])
})

test('what is thought before going on is above the text, for readers; a model has it in its own place', () => {
  const [first, second] = [
    [think('hm'), text('It is the ')],
    [think('so'), text('second.')],
  ]
  assert.deepEqual(shown(folded([starts(A), breaks(A, 1, ...first), says(A, 2, ...second)])), ['hm', 'so', 'It is the second.'])
  assert.deepEqual(joinTouching(first, second), [...first, ...second])
  assert.deepEqual(joinTouching([think('hm'), text('It is ')], [text('it.'), call('c1')]), [
    think('hm'),
    text('It is it.'),
    call('c1'),
  ])
})

test('the first text of what goes on is appended also where a call comes before it', () => {
  const view = folded([starts(A), breaks(A, 1, text('Let me')), says(A, 2, call('c1'), text(' look.'), text('Now.'))])
  assert.deepEqual(shown(view), ['call c1', 'Let me look.', 'Now.'])
})

test('steps after a finished one are paragraphs, also where a cut before its first word is between them', () => {
  const facts = [
    starts(A),
    says(A, 1, text('I look.'), call('c1')),
    breaks(A, 2, think('hm')),
    says(A, 3, text('There.')),
    ends(A),
  ]
  const view = folded(facts)
  assert.deepEqual(textsOf(view.steps), ['I look.', 'There.'])
  assert.equal(spokenText(events(facts).filter(isReply)), 'I look.\n\nThere.')
})

test('the same step again is another try: what the first one said stays apart', () => {
  const view = folded([starts(A), breaks(A, 1, text('Half')), says(A, 1, text('Whole.'))])
  assert.deepEqual(
    view.steps.map(({ step, state }) => [step, state]),
    [
      [1, 'broken'],
      [1, 'finished'],
    ],
  )
  assert.deepEqual(textsOf(view.steps), ['Half', 'Whole.'])
  assert.equal(firstBroken(view.steps), undefined)
})

test('an answer that reached its limit and the turn that continues it are one', () => {
  const cut = [starts(A), stops(A, 1, text('The quick bro')), ends(A)]
  assert.equal(answerState(folded(cut).steps), 'cut')
  const facts = [...cut, starts(B, { resumes: A, continues: true }), says(B, 2, text('wn fox.')), ends(B)]
  const view = folded(facts)
  assert.deepEqual(view.turns, [A, B])
  assert.deepEqual(folded(facts, B), view, 'found under either turn')
  assert.deepEqual(textsOf(view.steps), ['The quick brown fox.'])
  assert.equal(answerState(view.steps), 'whole')
  assert.equal(firstBroken(view.steps), undefined, 'nothing was interrupted')
  assert.deepEqual(turnsContinuedBy(events(facts), B), [A, B])
  assert.equal(folded(facts.slice(0, 4)).end, null, 'it runs again')
})

test('a turn that merely tries again is an answer of its own, and so is one whose beginning was not heard', () => {
  const tried = [starts(A), breaks(A, 1, text('Half')), ends(A, 'failed'), starts(B, { resumes: A }), says(B, 1, text('Whole.'))]
  assert.deepEqual([textsOf(folded(tried).steps), textsOf(folded(tried, B).steps)], [['Half'], ['Whole.']])
  assert.deepEqual(textsOf(folded([starts(B, { resumes: A, continues: true }), says(B, 2, text('wn fox.'))], B).steps), [
    'wn fox.',
  ])
})

test('an answer of thoughts alone is empty', () => {
  assert.equal(answerState(folded([starts(A), stops(A, 1, think('Hm.')), ends(A)]).steps), 'empty')
  assert.equal(answerState([]), 'empty')
})

test('a result belongs to the newest step that asked for it, with what a person said about the call', () => {
  const view = folded([
    starts(A),
    says(A, 1, call('c1')),
    settles(A, 'c1', 'first'),
    says(A, 2, call('c1')),
    { type: 'approval.asked', approval: 'apr_1' as never, turn: A, call: 'c1', tool: 'look', argv: ['look', 'here'] },
    { type: 'approval.answered', approval: 'apr_1' as never, turn: A, call: 'c1', tool: 'look', answer: 'once', reason: 'fine' },
    settles(A, 'c1', 'second'),
    settles(A, 'c9', 'asked by nobody'),
  ])
  const [first, second] = view.steps.map(({ parts }) => parts[0])
  assert.ok(first?.type === 'call' && second?.type === 'call')
  assert.deepEqual(first.run, { state: 'settled', ok: true, outcome: 'first', ms: 1 })
  assert.equal(first.approval, undefined)
  assert.deepEqual(second.run, { state: 'settled', ok: true, outcome: 'second', ms: 1 })
  assert.deepEqual(second.approval, { argv: ['look', 'here'], answer: 'once', reason: 'fine' })
})

test('live text is on top of the log: the event of its reply takes its place, and text that comes late changes nothing', () => {
  const views = createTurnViews()
  const [started, broken, ...rest] = events([starts(A), breaks(A, 1, text('One, two')), says(A, 2, text(', three.')), ends(A)])
  assert.ok(started && broken)
  views.hear(started)
  views.hearDelta(delta(A, 1, 0, 'One, two, thr'))
  assert.deepEqual(textsOf(views.of(A)?.steps ?? []), ['One, two, thr'])
  views.hear(broken)
  const late = views.of(A)
  assert.equal(views.hearDelta(delta(A, 1, 8, ', thr')), late)
  views.hearDelta(delta(A, 2, 0, ', th'))
  assert.deepEqual(textsOf(views.of(A)?.steps ?? []), ['One, two, th'])
  for (const event of rest) views.hear(event)
  assert.deepEqual(textsOf(views.of(A)?.steps ?? []), ['One, two, three.'])
})

test('a turn that ends without its reply is no longer open, and what is forgotten begins anew', () => {
  const views = createTurnViews()
  views.hearDelta(delta(A, 1, 0, 'half'))
  for (const event of events([ends(A, 'interrupted')])) views.hear(event)
  assert.equal(views.of(A)?.steps[0]?.state, 'broken')
  views.forget(A)
  assert.equal(views.of(A), undefined)
})

test('fresh text is given once, and a hole is waited for', () => {
  const fresh = createFreshText()
  const heard = [delta(A, 1, 0, 'one '), delta(A, 1, 0, 'one two'), delta(A, 1, 9, 'four'), delta(A, 1, 2, 'e')].map(fresh)
  assert.deepEqual(heard, ['one ', 'two', '', ''])
  assert.equal(fresh(delta(A, 1, 0, 'one two four')), ' four')
})

const part = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6 }).map(text),
  fc.string({ maxLength: 6 }).map(think),
  fc.constantFrom('c1', 'c2').map(call),
)
const reply = fc.record({ kind: fc.constantFrom(says, says, breaks, stops), parts: fc.array(part, { maxLength: 3 }) })
/** A turn as a log has it: replies one after the other, the calls of each settled, and perhaps an end. */
const turnOf = (turn: TurnId): fc.Arbitrary<readonly Fact[]> =>
  fc
    .record({ replies: fc.array(reply, { maxLength: 4 }), ended: fc.boolean() })
    .map(({ replies, ended }) => [
      starts(turn),
      ...replies.flatMap(({ kind, parts }, index) => [
        kind(turn, index + 1, ...parts),
        ...parts.flatMap(each => (each.type === 'call' ? [settles(turn, each.call, `${index}`)] : [])),
      ]),
      ...(ended ? [ends(turn)] : []),
    ])

test('it does not matter how the events of several turns are mixed, and no fold changes what it was given', () => {
  fc.assert(
    fc.property(turnOf(A), turnOf(B), fc.infiniteStream(fc.boolean()), (one, other, first) => {
      const [left, right] = [[...one], [...other]]
      const mixed: Fact[] = []
      while (left.length + right.length > 0) {
        const next = (right.length === 0 || (left.length > 0 && first.next().value) ? left : right).shift()
        if (next !== undefined) mixed.push(next)
      }
      const views = createTurnViews()
      for (const event of events(mixed)) {
        const before = views.of(A)
        const copy = structuredClone(before)
        views.hear(event)
        assert.deepEqual(before, copy)
        if (isOfTurn(event) && event.turn === B) assert.equal(views.of(A), before, 'another turn changes nothing')
      }
      for (const [turn, alone] of [
        [A, one],
        [B, other],
      ] as const)
        assert.deepEqual(shown(views.of(turn) ?? assert.fail()), shown(folded(alone, turn)))
    }),
    tries(100),
  )
})

test('folding event by event gives the text that joining all replies at once gives', () => {
  fc.assert(
    fc.property(turnOf(A), facts => {
      const spoken = textsOf(folded(facts).steps)
      assert.equal(spokenText(events(facts).filter(isReply)), spoken.join('\n\n'))
    }),
    tries(100),
  )
})
