import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Part } from '../../../src/model/event.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import type { HeardDelta } from '../../../src/model/message/delta.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { boundaryRow, transcriptRows } from '../../../web/src/transcript/rows.ts'
import { pinnableAbove } from '../../../web/src/view/boundary.ts'
import { NO_FOLDS } from '../../../web/src/view/folds.ts'
import { reduce, reduceAll } from '../../../web/src/view/reduce.ts'
import { ALL_WHOLE, EMPTY_VIEW, type ReplyEntry, type Step, type View } from '../../../web/src/view/view.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import { cacheWords, ladderWords, leftWords, reasonSentence, replySawWords } from '../../../web/src/words/reasons.ts'
import { argsText } from '../../../web/src/words/words.ts'
import { tries } from '../../support/tries.ts'
import { delta, ended, event, FAULT, finished, NOON, notice, planned, RECEIPT, said, show, started, TURN } from '../signals.ts'

const opening: readonly PageSignal[] = [said(1, 'hi'), started(2), planned(3)]

const replies = (view: View): ReplyEntry[] => view.entries.filter(entry => entry.kind === 'reply')
const stepOf = (view: View): Step | undefined => replies(view).at(-1)?.steps.at(-1)
const textOf = (view: View): string =>
  replies(view)
    .flatMap(entry =>
      entry.steps.flatMap(step => step.parts.map(part => (part.type === 'call' ? argsText(part.args) : part.text))),
    )
    .join('|')

test('a message and its reply, from the first word to the last', () => {
  const streaming = show([...opening, delta('Hel', 0), delta('lo', 3)])
  const step: Step = {
    step: 1,
    seq: null,
    mark: null,
    state: 'open',
    parts: [{ type: 'text', text: 'Hello' }],
    receipt: RECEIPT,
    usage: null,
    fault: null,
  }
  const reply: ReplyEntry = {
    ...{ kind: 'reply', seq: 2, at: NOON, turn: TURN, voice: 'assistant', name: null, mode: null },
    ...{ cause: 1, resumed: false, steps: [step], end: null },
  }
  const message = { kind: 'message', seq: 1, at: NOON, text: 'hi', from: 'person', mark: null } as const
  assert.deepEqual(streaming, {
    cursor: 3,
    entries: [message, reply],
    running: [TURN],
    notices: [],
    waiting: 0,
    boundary: null,
    notWhole: ALL_WHOLE,
    folds: NO_FOLDS,
  })

  const done = show([finished(4, [{ type: 'text', text: 'Hello.' }]), ended(5)], streaming)
  const settled: Step = { ...step, seq: 4, state: 'finished', parts: [{ type: 'text', text: 'Hello.' }] }
  const end = { reason: 'done', fault: null } as const
  assert.deepEqual(done, {
    cursor: 5,
    entries: [message, { ...reply, steps: [settled], end }],
    running: [],
    notices: [],
    waiting: 0,
    boundary: null,
    notWhole: ALL_WHOLE,
    folds: NO_FOLDS,
  })
})

test('files that came with a message keep their names, and where their bytes or words are', () => {
  const parts = [
    { type: 'image', name: 'photo.png', mediaType: 'image/png', hash: 'h', bytes: 70, tokens: 85 },
    { type: 'text', name: 'notes.md', mediaType: 'text/markdown', text: '# Oslo' },
    { type: 'file', name: 'paper.pdf', mediaType: 'application/pdf', hash: 'i', bytes: 189, tokens: 2000 },
  ] as const
  const { entries } = show([event(1, { type: 'message.received', text: '', parts, from: 'person' })])
  const files = [
    { kind: 'image', name: 'photo.png', mediaType: 'image/png', hash: 'h' },
    { kind: 'file', name: 'notes.md', mediaType: 'text/markdown', text: '# Oslo' },
    { kind: 'file', name: 'paper.pdf', mediaType: 'application/pdf', hash: 'i' },
  ]
  assert.deepEqual(entries, [{ kind: 'message', seq: 1, at: NOON, text: '', files, from: 'person', mark: null }])
})

test('a reader that comes back in mid-reply sees no word twice', () => {
  const before = show([...opening, delta('one ', 0), delta('two ', 4)])
  const back = show([delta('one two three ', 0), delta('four', 14)], before)
  assert.equal(textOf(back), 'one two three four')
})

test('a shorter repetition takes nothing away', () => {
  const before = show([...opening, delta('one two', 0)])
  assert.equal(show([delta('one', 0), delta('two', 4)], before), before)
})

test('a delta behind a hole waits for the event', () => {
  const view = show([...opening, delta('one', 0), delta('three', 8), delta('x', 0, { part: 3 })])
  assert.equal(textOf(view), 'one')
  assert.equal(textOf(show([finished(4, [{ type: 'text', text: 'one two three' }])], view)), 'one two three')
})

test('a reply that was begun again shows the newer words', () => {
  assert.equal(textOf(show([...opening, delta('half a th', 0), delta('Anew', 0)])), 'Anew')
})

test('events heard twice and deltas heard late change nothing', () => {
  const done = show([...opening, delta('Hello', 0), finished(4, [{ type: 'text', text: 'Hello' }]), ended(5)])
  for (const again of [...opening, delta('Hello', 0), delta(' there', 5), finished(4, []), ended(5)])
    assert.equal(reduce(done, again), done)
})

test('thinking, text and a call are separate parts', () => {
  const view = show([
    ...opening,
    delta('hm', 0, { kind: 'think' }),
    delta('So: ', 0, { part: 1 }),
    delta('{"a"', 0, { kind: 'call', part: 2, call: 'c1', tool: 'clock' }),
    delta(':1}', 4, { kind: 'call', part: 2, call: 'c1', tool: 'clock' }),
  ])
  assert.deepEqual(stepOf(view)?.parts, [
    { type: 'think', text: 'hm' },
    { type: 'text', text: 'So: ' },
    { type: 'call', call: 'c1', tool: 'clock', args: '{"a":1}', run: { state: 'asked' } },
  ])
})

test('a tool call runs and settles where it was asked for', () => {
  const call: Part = { type: 'call', call: 'c1', tool: 'clock', args: { zone: 'utc' } }
  const asked = show([...opening, finished(4, [call])])
  const running = show([event(5, { type: 'tool.started', turn: TURN, call: 'c1', tool: 'clock', args: { zone: 'utc' } })], asked)
  const part = { type: 'call', call: 'c1', tool: 'clock', args: { zone: 'utc' } } as const
  assert.equal(argsText(part.args), '{\n  "zone": "utc"\n}')
  assert.deepEqual(stepOf(running)?.parts, [{ ...part, run: { state: 'running' } }])

  const settled = event(6, {
    type: 'tool.settled',
    turn: TURN,
    call: 'c1',
    tool: 'clock',
    ok: true,
    outcome: 'ok',
    content: 'noon',
    ms: 3,
  })
  const run = { state: 'settled', ok: true, outcome: 'ok', content: 'noon', ms: 3 }
  const after = show([settled, planned(7, 2), delta('It is noon.', 0, { step: 2 })], running)
  assert.deepEqual(
    replies(after).map(entry => entry.steps.map(step => step.parts)),
    [[[{ ...part, run }], [{ type: 'text', text: 'It is noon.' }]]],
  )
})

test('a broken reply keeps what the log has of it, and its fault', () => {
  const parts: readonly Part[] = [{ type: 'text', text: 'half' }]
  const broken = event(4, { type: 'reply.broken', turn: TURN, step: 1, parts, fault: FAULT })
  const failed = event(5, { type: 'turn.ended', turn: TURN, voice: 'assistant', reason: 'failed', fault: FAULT })
  const view = show([...opening, delta('half a thought', 0), broken, failed])
  assert.deepEqual(stepOf(view), {
    step: 1,
    seq: 4,
    mark: null,
    state: 'broken',
    parts: [{ type: 'text', text: 'half' }],
    receipt: RECEIPT,
    usage: null,
    fault: FAULT,
  })
  assert.deepEqual(replies(view).at(-1)?.end, { reason: 'failed', fault: FAULT })
  assert.deepEqual(view.running, [])
})

test('another try of a broken step stands below the first', () => {
  const broken = event(4, { type: 'reply.broken', turn: TURN, step: 1, parts: [{ type: 'text', text: 'half' }], fault: FAULT })
  const view = show([...opening, broken, planned(5), delta('whole', 0)])
  assert.equal(textOf(view), 'half|whole')
})

test('a turn that ends without its reply is no longer open', () => {
  const interrupted = event(4, { type: 'turn.ended', turn: TURN, voice: 'assistant', reason: 'interrupted' })
  const view = show([...opening, delta('half', 0), interrupted])
  assert.equal(stepOf(view)?.state, 'broken')
  assert.equal(textOf(view), 'half')
})

test('what is said into a running turn stands between its steps', () => {
  const call: Part = { type: 'call', call: 'c1', tool: 'clock', args: {} }
  const view = show([...opening, finished(4, [call]), said(5, 'hurry'), planned(6, 2), delta('Yes.', 0, { step: 2 }), ended(7)])
  assert.deepEqual(
    view.entries.map(entry => (entry.kind === 'reply' ? [entry.steps.map(step => step.step), entry.end] : entry.kind)),
    ['message', [[1], 'continued'], 'message', [[2], { reason: 'done', fault: null }]],
  )
})

test('voices side by side keep to their own blocks', () => {
  const other = 'trn_2' as TurnId
  const view = show([
    said(1, 'hi'),
    started(2),
    started(3, other, 'ada'),
    planned(4),
    planned(5, 1, other),
    delta('A', 0),
    delta('B', 0, { turn: other }),
  ])
  assert.deepEqual(
    replies(view).map(entry => [entry.voice, entry.steps[0]?.parts]),
    [
      ['assistant', [{ type: 'text', text: 'A' }]],
      ['ada', [{ type: 'text', text: 'B' }]],
    ],
  )
})

test('unsaved stays until saved, and both leave with the next message', () => {
  const unsaved = show([...opening, notice('unsaved', TURN), notice('degraded', TURN), notice('unsaved')])
  assert.deepEqual(
    unsaved.notices.map(({ kind }) => kind),
    ['degraded', 'unsaved'],
  )
  const later = show([finished(4, []), ended(5), said(6, 'and?')], unsaved)
  assert.deepEqual(
    later.notices.map(({ kind }) => kind),
    ['unsaved'],
  )
  const saved = show([notice('saved')], later)
  assert.deepEqual(
    saved.notices.map(({ kind }) => kind),
    ['saved'],
  )
  assert.deepEqual(show([said(7, 'good')], saved).notices, [])
})

test('a mark goes on a message or a reply, the newest one counts, and nothing else is touched', () => {
  const done = show([...opening, finished(4, [{ type: 'text', text: 'Hello.' }]), ended(5)])
  const mark = (seq: number, target: number, to: 'pin' | 'exclude' | null): PageSignal =>
    event(seq, { type: 'message.marked', target, mark: to })
  const pinned = show([mark(6, 1, 'pin')], done)
  assert.deepEqual(
    pinned.entries.map(entry => (entry.kind === 'message' ? entry.mark : null)),
    ['pin', null],
  )
  assert.equal(pinned.entries[1], done.entries[1])
  const both = show([mark(7, 4, 'exclude')], pinned)
  assert.equal(stepOf(both)?.mark, 'exclude')
  assert.equal(both.entries[0], pinned.entries[0])
  assert.deepEqual(show([mark(8, 1, null), mark(9, 4, null), mark(10, 99, 'pin')], both).entries, done.entries)
})

test('the newest request says where the window begins', () => {
  const receipt: Receipt = {
    ...RECEIPT,
    window: { begins: 6 },
    out: [
      { from: 1, to: 4, count: 2, reason: 'out.window' },
      { from: 4, to: 4, count: 1, reason: 'out.thinking' },
    ],
  }
  const first = [...opening, finished(4, [{ type: 'text', text: 'Hello.' }]), ended(5)]
  const turn = 'trn_2' as TurnId
  const view = show([...first, said(6, 'and?'), started(7, turn), planned(8, 1, turn, receipt)])
  assert.equal(show(first).boundary, null)
  assert.deepEqual(view.boundary, { begins: 6, left: 2, voice: 'assistant', turn, model: 'demo' })
  const rows = transcriptRows(view.entries, false)
  assert.equal(rows[boundaryRow(rows, view.boundary)]?.seq, 6)
  assert.equal(rows[boundaryRow(rows, { begins: 4 })]?.seq, 2, 'a reply in which the window begins is below the line')
  assert.equal(boundaryRow(rows, { begins: 1 }), -1, 'there is nothing above the first message')
  assert.equal(show([planned(9, 2, turn)], view).boundary, null)
  const bare = { ...receipt, window: { begins: null }, inputs: { ...receipt.inputs, cause: 6 } }
  assert.equal(show([planned(9, 2, turn, bare)], view).boundary?.begins, 6, 'the new message alone')
})

test('the line is at its place in a conversation of 20,000 messages, also where a message came between', () => {
  const signals = Array.from({ length: 10_000 }, (_, index): readonly PageSignal[] => {
    const [seq, turn] = [index * 5, `trn_${index}` as TurnId]
    return [
      said(seq + 1, `question ${index}`),
      started(seq + 2, turn),
      // Said while the reply was under way.
      ...(index === 9747 ? [said(seq + 3, 'and this')] : []),
      finished(seq + 4, [{ type: 'text', text: `answer ${index}` }], 1, turn),
      ended(seq + 5, turn),
    ]
  }).flat()
  const receipt: Receipt = {
    ...RECEIPT,
    seen: { messages: 506, of: 20_002 },
    window: { begins: 9747 * 5 + 4, excerpts: [{ seq: 9748 * 5 + 1, tokens: 300 }], unpinned: [11] },
  }
  const turn = 'trn_new' as TurnId
  const view = reduceAll(EMPTY_VIEW, [...signals, said(50_001, 'new'), started(50_002, turn), planned(50_003, 1, turn, receipt)])
  assert.equal(view.boundary?.left, 19_496)
  assert.deepEqual(view.notWhole, { excerpts: [48_741], unpinned: [11] })
  const rows = transcriptRows(view.entries, false)
  const row = rows[boundaryRow(rows, view.boundary)]
  assert.deepEqual([row?.kind, row?.seq], ['reply', 48_737], 'the reply, not the message that came into it')
  const pinnable = pinnableAbove(view.entries, receipt.window.begins ?? 0, 3)
  assert.deepEqual(
    pinnable.map(({ text, isReply }) => [text, isReply]),
    [
      ['and this', false],
      ['question 9747', false],
      ['answer 9746', true],
    ],
  )
  assert.equal(show([planned(50_004, 2, turn)], view).notWhole, ALL_WHOLE)
})

test('what can be pinned is said once, has words and no mark yet', () => {
  const mark = (seq: number, target: number): PageSignal => event(seq, { type: 'message.marked', target, mark: 'pin' })
  const turn = (id: string): TurnId => id as TurnId
  const view = show([
    ...[said(1, 'ok'), started(2, turn('a')), finished(3, [{ type: 'text', text: 'Yes.' }], 1, turn('a')), ended(4, turn('a'))],
    ...[said(5, 'ok'), started(6, turn('b')), ended(7, turn('b')), said(8, 'kept'), mark(9, 8), said(10, 'later')],
  ])
  assert.deepEqual(pinnableAbove(view.entries, 10, 8), [
    { seq: 5, text: 'ok', isReply: false },
    { seq: 3, text: 'Yes.', isReply: true },
  ])
})

test('a reply says how much it saw, and the line how much it did not', () => {
  const seen = (messages: number, of: number): string => replySawWords({ ...RECEIPT, seen: { messages, of } })
  assert.deepEqual(
    [seen(506, 20_000), seen(12, 12), seen(1, 1), replySawWords(RECEIPT)],
    ['Saw 506 of 20,000 messages', 'Saw all 12 messages', 'Saw your message', 'Saw your message'],
  )
  assert.equal(leftWords(1, null), '1 message above this line was not sent with the last reply')
  assert.equal(leftWords(19_494, 'Ada'), '19,494 messages above this line were not sent to Ada')
})

test('what is no longer sent is said until the next message, once for all advisors', () => {
  const other = 'trn_2' as TurnId
  const told = show([...opening, notice('window', TURN), notice('window', other), notice('degraded', TURN), ended(9)])
  assert.deepEqual(
    told.notices.map(({ kind, turn }) => [kind, turn]),
    [['window', other]],
  )
  assert.deepEqual(show([said(10, 'next')], told).notices, [])
})

test('every reason has words, and one from a newer gateway is shown as it is', () => {
  assert.equal(reasonSentence('out.window'), 'Before the window')
  assert.equal(reasonSentence('out.brand-new'), 'out.brand-new')
  assert.equal(ladderWords([]), null)
  assert.equal(ladderWords(['asides', 'history']), 'To make it fit, what was said elsewhere, then the oldest messages gave way')
  assert.equal(
    cacheWords({ stableThrough: 4, stableShare: 0.937, brokenBy: null }),
    'Its first 94 % are as in the request before',
  )
  assert.match(
    cacheWords({ stableThrough: null, stableShare: 0, brokenBy: { item: 'AGENTS.md', reason: 'system.agents-md' } }),
    /^It begins unlike the request before; the cache is broken by AGENTS\.md \(house text\)$/,
  )
})

test('a reset begins from nothing, and an unknown event only moves the cursor', () => {
  const view = show([...opening, delta('x', 0)])
  assert.equal(reduce(view, { type: 'reset' }), EMPTY_VIEW)
  assert.deepEqual(reduce(view, { type: 'unknown', seq: 4 }), { ...view, cursor: 4 })
})

test('however a reply was cut, repeated and joined, it ends the same', () => {
  const piece = fc.record({ part: fc.nat({ max: 2 }), from: fc.nat({ max: 40 }), length: fc.nat({ max: 40 }) })
  const texts = fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }))
  fc.assert(
    fc.property(texts, fc.array(piece, { maxLength: 40 }), ([think, text, args], cuts) => {
      const parts: readonly Part[] = [
        { type: 'think', text: think },
        { type: 'text', text },
        { type: 'call', call: 'c1', tool: 'clock', args },
      ]
      const kinds: readonly HeardDelta['kind'][] = ['think', 'text', 'call']
      const whole = [think, text, args]
      const deltas = cuts.map(({ part, from, length }) =>
        delta((whole[part] ?? '').slice(from, from + length), from, {
          part,
          kind: kinds[part] ?? 'text',
          call: 'c1',
          tool: 'clock',
        }),
      )
      const streaming = show([...opening, ...deltas])
      // What is shown meanwhile is always a beginning of the truth.
      stepOf(streaming)?.parts.forEach((part, index) => {
        assert.ok(whole[index]?.startsWith(part.type === 'call' ? argsText(part.args) : part.text))
      })
      assert.deepEqual(show([finished(4, parts), ended(5)], streaming), show([...opening, finished(4, parts), ended(5)]))
    }),
    tries(1000),
  )
})
