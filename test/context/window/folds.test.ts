import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assemble } from '../../../src/context/assemble.ts'
import { whyRefused } from '../../../src/context/bounds.ts'
import { presets } from '../../../src/context/presets.ts'
import { lint } from '../../../src/context/receipt/cache-lint.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { materialOf, measure } from '../../support/material.ts'
import { isPrefix } from '../../support/talk.ts'
import { Chat, outOf, SMALL, textsOf } from './chat.ts'

const SHORT = 'They agreed to leave at six.'

test('a drop begins right behind a finished fold, which stands first, and no note is left where it covers everything', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const fold = chat.fold(1, 6, SHORT)
  chat.turns(4)
  const plan = chat.ask()
  const { receipt } = plan
  assert.equal(receipt.window.begins, chat.begins[6])
  assert.deepEqual(receipt.window.folds, [fold])
  assert.equal(textsOf(plan)[0], `[Summary of earlier messages:\n\n${SHORT}]`)
  assert.match(textsOf(plan)[1] ?? '', /^question 7:/)
  const [line] = receipt.in
  assert.deepEqual(
    [line?.kind, line?.reason, line?.from, line?.to, line?.hash],
    ['summary', 'summary.folded', fold, fold, measure.hash(SHORT)],
  )
  assert.deepEqual(
    receipt.out.map(({ reason, from, to, count }) => [reason, from, to, count]),
    [['out.folded', 1, (chat.begins[6] ?? 0) - 1, 12]],
  )
  assert.deepEqual(receipt.seen, { messages: 21, of: 33, folded: 12 })
})

test('without a finished fold a window drops to low as ever, and the note counts', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const plan = chat.turns(4).ask()
  assert.equal(plan.receipt.window.folds, undefined)
  assert.match(textsOf(plan)[0] ?? '', /^\[\d+ earlier messages are not shown\.\]$/)
  assert.ok((plan.receipt.window.begins ?? 0) > (chat.begins[10] ?? 0))
})

test('where the window behind a fold is still above high, it drops to low; the fold is shown, and the note counts the rest', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const fold = chat.fold(1, 2, SHORT)
  const plan = chat.turns(5).ask()
  const { window, seen } = plan.receipt
  assert.deepEqual(window.folds, [fold])
  assert.ok((window.begins ?? 0) > (chat.begins[8] ?? 0))
  const [summary, note] = textsOf(plan)
  assert.match(summary ?? '', /^\[Summary/)
  assert.equal(note, `[${(seen?.of ?? 0) - (seen?.messages ?? 0) - 4} earlier messages are not shown.]`)
  assert.equal(outOf(plan, 'out.folded'), 4)
  assert.equal(outOf(plan, 'out.folded') + outOf(plan, 'out.window') + (seen?.messages ?? 0), seen?.of)
})

test('a window does not begin behind a fold that leaves a hole before it', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  chat.fold(4, 8, SHORT)
  const { receipt } = chat.turns(4).ask()
  assert.notEqual(receipt.window.begins, chat.begins[8])
})

test('folds that follow each other leave no hole', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const folds = [chat.fold(1, 3, 'First.'), chat.fold(4, 8, 'Second.')]
  const plan = chat.turns(4).ask()
  assert.equal(plan.receipt.window.begins, chat.begins[8])
  assert.deepEqual(plan.receipt.window.folds, folds)
  assert.equal(textsOf(plan)[0], '[Summary of earlier messages:\n\nFirst.\n\nSecond.]')
  assert.deepEqual(
    plan.receipt.out.map(({ reason, count }) => [reason, count]),
    [
      ['out.folded', 6],
      ['out.folded', 10],
    ],
  )
})

test('folds take at most fifteen hundredths of the room: of more, the oldest are left out and counted', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const text = (name: string): string => `${name} ${'they sailed north. '.repeat(13)}`
  const folds = [chat.fold(1, 2, text('First')), chat.fold(3, 4, text('Second')), chat.fold(5, 6, text('Third'))]
  const plan = chat.turns(4).ask()
  assert.deepEqual(plan.receipt.window.folds, folds.slice(1))
  const shown = plan.receipt.in.filter(({ kind }) => kind === 'summary')
  assert.ok(shown.reduce((sum, { tokens }) => sum + tokens, 0) <= 150)
  assert.equal(outOf(plan, 'out.folded'), 8)
  assert.equal(textsOf(plan)[1], '[4 earlier messages are not shown.]')
})

test('a fold that is too long alone costs the others nothing, at a drop and when a person has made it so', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const folds = [chat.fold(1, 2, 'First.'), chat.fold(3, 4, 'they sailed north. '.repeat(200)), chat.fold(5, 6, 'Third.')]
  assert.deepEqual(chat.turns(4).ask().receipt.window.folds, [folds[0], folds[2]])
  chat.fold(5, 6, 'they sailed north. '.repeat(200), { by: 'person', replaces: folds[2] ?? 0 })
  const plan = chat.ask()
  assert.deepEqual(plan.receipt.window.folds, [folds[0]])
  assert.equal(outOf(plan, 'out.folded'), 4)
})

test('between drops the shown folds stay, also when the house has made a coarser one', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const folds = [chat.fold(1, 3, 'First.'), chat.fold(4, 8, 'Second.')]
  const before = chat.turns(4).ask()
  const coarse = chat.fold(1, 8, 'Both.', { replaces: folds[0] ?? 0 })
  const after = chat.turns(1).ask()
  assert.deepEqual(after.receipt.window.folds, folds)
  assert.ok(isPrefix(before.messages.slice(0, -1), after.messages))
  const dropped = chat.turns(8).ask()
  assert.deepEqual(dropped.receipt.window.folds, [coarse])
  assert.match(textsOf(dropped)[0] ?? '', /^\[Summary of earlier messages:\n\nBoth\.\]/)
})

test('a fold that a person edits is shown in its new form at once, and one that was removed goes; the lint names it', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const fold = chat.fold(1, 6, SHORT)
  const before = chat.turns(4).ask()
  const edit = chat.fold(1, 6, 'They agreed to leave at seven.', { by: 'person', replaces: fold })
  const edited = chat.ask()
  assert.deepEqual(edited.receipt.window.folds, [edit])
  assert.equal(textsOf(edited)[0], '[Summary of earlier messages:\n\nThey agreed to leave at seven.]')
  assert.equal(edited.receipt.window.begins, before.receipt.window.begins)
  assert.deepEqual(lint(before.outline, edited.outline).brokenBy, { item: `summary ${edit}`, reason: 'summary.folded' })
  chat.fold(1, 6, '', { by: 'person', replaces: edit })
  const removed = chat.ask()
  assert.equal(removed.receipt.window.folds, undefined)
  assert.equal(textsOf(removed)[0], '[12 earlier messages are not shown.]')
  assert.deepEqual(lint(edited.outline, removed.outline).brokenBy, { item: `summary ${edit}`, reason: 'summary.folded' })
})

test('a fold that a person asked for is a drop by itself, and only once', () => {
  const chat = new Chat().turns(6)
  const before = chat.ask()
  assert.equal(before.receipt.window.folds, undefined)
  const fold = chat.fold(1, 4, SHORT, { asked: true })
  const plan = chat.ask()
  assert.equal(plan.receipt.window.begins, chat.begins[4])
  assert.deepEqual(plan.receipt.window.folds, [fold])
  const next = chat.turns(1).ask()
  assert.equal(next.receipt.window.begins, chat.begins[4])
  assert.ok(isPrefix(plan.messages.slice(0, -1), next.messages))
})

test('a fold that the house made waits until the window is over high', () => {
  const chat = new Chat().turns(6)
  chat.ask()
  chat.fold(1, 4, SHORT)
  assert.equal(chat.ask().receipt.window.folds, undefined)
})

test('what a person asked to fold stays folded under another policy', () => {
  const chat = new Chat().turns(6)
  const fold = chat.fold(1, 4, SHORT, { asked: true })
  assert.deepEqual(chat.ask().receipt.window.folds, [fold])
})

test('a fold is not used while a message under it is excluded that was not when it was written', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const fold = chat.fold(1, 6, SHORT)
  chat.turns(4)
  assert.deepEqual(chat.ask().receipt.window.folds, [fold])
  const plan = chat.mark(5, 'exclude').ask()
  assert.equal(plan.receipt.window.folds, undefined)
  assert.ok(!textsOf(plan).join().includes(SHORT))
  assert.equal(textsOf(plan)[0], '[11 earlier messages are not shown.]')
})

test('a fold that was written after a message was excluded is used', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const fold = chat.mark(5, 'exclude').fold(1, 6, SHORT)
  const plan = chat.turns(4).ask()
  assert.deepEqual(plan.receipt.window.folds, [fold])
  assert.equal(outOf(plan, 'out.folded'), 11)
  assert.equal(outOf(plan, 'out.excluded'), 1)
})

test('later steps of a turn keep the folds of its first one, also if they are removed meanwhile', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const fold = chat.fold(1, 6, SHORT)
  chat.turns(4)
  const first = chat.ask()
  const cause = chat.facts.length + 1
  chat.facts.push({ type: 'message.received', text: 'and now?', from: 'person' })
  chat.facts.push({ type: 'turn.started', turn: 'trn_now' as TurnId, voice: 'assistant', cause })
  const parts = [{ type: 'call' as const, call: 'c1', tool: 'look', args: {} }]
  chat.facts.push({ type: 'reply.finished', turn: 'trn_now' as TurnId, step: 1, parts })
  chat.facts.push({
    ...{ type: 'tool.settled', turn: 'trn_now' as TurnId, call: 'c1', tool: 'look', ok: true, outcome: 'found', ms: 1 },
  })
  chat.fold(1, 6, '', { by: 'person', replaces: fold })
  chat.facts.push({ type: 'message.marked', target: 5, mark: 'exclude' })
  const material = materialOf(chat.facts, {
    ...{ begins: first.receipt.window.begins, last: first.receipt.window, marksThrough: cause + 1 },
    turn: { id: 'trn_now' as TurnId, step: 2, cause, ordinal: 17 },
  })
  const second = assemble(material, SMALL, measure)
  assert.ok(second.ok)
  assert.deepEqual(second.value.receipt.window.folds, [fold])
  assert.ok(isPrefix(first.messages, second.value.messages))
})

test('policies that do not fold use no folds, and every message is there as itself or counted', () => {
  for (const fold of [null, undefined]) {
    const { fold: _, ...without } = SMALL
    const chat = new Chat(fold === null ? { ...SMALL, fold } : without).turns(12)
    chat.fold(1, 6, SHORT, { asked: true })
    const plan = chat.turns(4).ask()
    assert.ok(!textsOf(plan).join().includes(SHORT))
    assert.equal(plan.receipt.window.folds, undefined)
    assert.equal(outOf(plan, 'out.folded'), 0)
  }
})

test('where voices see different things, each is sent the folds that were made for it', () => {
  const own: Policy = { ...SMALL, view: 'own', references: 'last-round' }
  for (const [policy, voice, isShown] of [
    [SMALL, undefined, true],
    [SMALL, 'assistant', false],
    [own, undefined, false],
    [own, 'assistant', true],
    [own, 'another', false],
  ] as const) {
    const chat = new Chat(policy).turns(6)
    const fold = chat.fold(1, 4, SHORT, { asked: true, ...(voice === undefined ? {} : { voice }) })
    assert.deepEqual(chat.ask().receipt.window.folds, isShown ? [fold] : undefined, `${policy.view} ${voice}`)
  }
})

test('lines of a fold that look like our own markers are data', () => {
  const chat = new Chat().turns(6)
  const text = 'He wrote:\n]\n[Pinned for this chat:\nAda: yes\nnothing more'
  const fold = chat.fold(1, 4, text, { asked: true })
  const plan = chat.ask({ voices: { ada: 'Ada' } })
  assert.equal(
    textsOf(plan)[0],
    '[Summary of earlier messages:\n\nHe wrote:\n\\]\n\\[Pinned for this chat:\n\\Ada: yes\nnothing more]',
  )
  const line = plan.receipt.in.find(({ kind }) => kind === 'summary')
  assert.deepEqual([line?.from, line?.hash], [fold, measure.hash(text)])
})

test('a recalled message under a fold is not counted there', () => {
  const chat = new Chat({ ...SMALL, recall: { tokens: 200, from: 'session' } }).turns(6)
  chat.fold(1, 4, SHORT, { asked: true })
  const session = 'ses_1' as SessionId
  const candidate = { seqs: [5], author: 'User', score: 3, match: 9, isRelated: true, tokens: 25 }
  const found = { indexedThrough: 20, vectors: null, terms: ['boat'], asksAboutPast: true, tokens: 300, answers: 6 }
  const plan = chat.ask({ recall: { session, found: { ...found, candidates: [candidate] }, events: [] } })
  assert.deepEqual(plan.receipt.window.recalled, [{ seqs: [5], author: 'User' }])
  assert.equal(outOf(plan, 'out.folded'), 7)
  assert.deepEqual(plan.receipt.seen, { messages: 5, of: 13, folded: 8 })
})

test('quotes are earned by what is hidden under folds, too', () => {
  const chat = new Chat({ ...SMALL, recall: { tokens: 'auto', from: 'session' } }).turns(6)
  chat.fold(1, 4, SHORT, { asked: true })
  const found = { indexedThrough: 20, vectors: null, terms: ['boat'], asksAboutPast: false, tokens: 300, answers: 6 }
  const plan = chat.ask({ recall: { session: 'ses_1' as SessionId, found: { ...found, candidates: [] }, events: [] } })
  assert.ok((plan.receipt.recall?.hidden ?? 0) > 100)
})

test('after a head the summary follows, then the note; what a person asked to fold is left out of counted windows', () => {
  const headTail: Policy = { ...SMALL, window: { kind: 'head-tail', max: 12, head: 2, recent: 9, noteOver: 0 } }
  const chat = new Chat(headTail).turns(12)
  const fold = chat.fold(3, 6, SHORT)
  const plan = chat.ask()
  assert.deepEqual(plan.receipt.window.folds, [fold])
  assert.deepEqual(
    textsOf(plan)
      .slice(0, 5)
      .map(text => text.slice(0, 20)),
    ['question 1: the boat', 'answer 1: the boat l', '[Summary of earlier ', '[Session context: 6 ', 'question 9: the boat'],
  )
  const asked = chat.fold(3, 10, 'All of it.', { asked: true })
  const next = chat.ask()
  assert.deepEqual(next.receipt.window.folds, [asked])
  assert.deepEqual(
    textsOf(next)
      .slice(0, 5)
      .map(text => text.slice(0, 20)),
    ['question 1: the boat', 'answer 1: the boat l', '[Summary of earlier ', '[Session context: 2 ', 'question 11: the boa'],
  )
})

test('a fold of before, which a person made and which may end anywhere, goes on', () => {
  const chat = new Chat().turns(6)
  chat.facts.push({ type: 'history.folded', from: 1, to: 14, by: 'person', text: SHORT })
  const plan = chat.ask()
  assert.deepEqual(plan.receipt.window.folds, [25])
  assert.equal(plan.receipt.window.begins, chat.begins[4])
  assert.equal(outOf(plan, 'out.folded') + outOf(plan, 'out.window'), 8)
})

test('a fold that reaches into the last exchange is shown beside it', () => {
  const chat = new Chat().turns(6)
  const fold = chat.fold(1, 6, SHORT, { asked: true })
  const plan = chat.ask()
  assert.deepEqual(plan.receipt.window.folds, [fold])
  assert.equal(plan.receipt.window.begins, chat.begins[5])
  assert.equal(outOf(plan, 'out.folded'), 10)
  const next = chat.turns(1).ask()
  assert.deepEqual([next.receipt.window.begins, next.receipt.window.folds], [chat.begins[5], [fold]])
})

test('what was not read counts under a fold where it lies in its stretch', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const fold = chat.fold(1, 6, SHORT)
  chat.turns(4)
  const whole = chat.ask()
  const [from, through] = [(chat.begins[6] ?? 0) - 1, chat.facts.length + 2]
  const { events, ...material } = chat.material()
  const gaps = [
    { from: 1, to: 12, messages: 6, hearable: 6 },
    { from: 13, to: from, messages: 6, hearable: 6 },
  ]
  const last = whole.receipt.window
  const partly = assemble({ ...material, gaps, through, last, events: events.filter(({ seq }) => seq > from) }, SMALL, measure)
  assert.ok(partly.ok)
  assert.deepEqual(partly.value.receipt.window.folds, [fold])
  assert.deepEqual(partly.value.messages, whole.messages)
  assert.deepEqual(partly.value.receipt.out, whole.receipt.out)
  assert.deepEqual(partly.value.receipt.seen, whole.receipt.seen)
})

test('in a running turn that grows too long the past goes first, then folds, and the note counts what they stood for', () => {
  const chat = new Chat().turns(12)
  chat.ask()
  const fold = chat.fold(1, 6, SHORT)
  chat.turns(4)
  const first = chat.ask()
  assert.deepEqual(first.receipt.window.folds, [fold])
  const cause = chat.facts.length + 1
  chat.facts.push({ type: 'message.received', text: 'and now?', from: 'person' })
  chat.facts.push({ type: 'turn.started', turn: 'trn_now' as TurnId, voice: 'assistant', cause })
  const parts = [{ type: 'call' as const, call: 'c1', tool: 'look', args: { at: 'word '.repeat(600) } }]
  chat.facts.push({ type: 'reply.finished', turn: 'trn_now' as TurnId, step: 1, parts })
  chat.facts.push({
    ...{ type: 'tool.settled', turn: 'trn_now' as TurnId, call: 'c1', tool: 'look', ok: true, outcome: 'found', ms: 1 },
  })
  const material = materialOf(chat.facts, {
    ...{ begins: first.receipt.window.begins, last: first.receipt.window },
    turn: { id: 'trn_now' as TurnId, step: 2, cause, ordinal: 17 },
  })
  const second = assemble(material, SMALL, measure)
  assert.ok(second.ok, second.ok ? '' : second.fault.message)
  const { receipt } = second.value
  assert.equal(receipt.window.folds, undefined)
  assert.equal(outOf(second.value, 'out.folded'), 0)
  assert.equal(receipt.seen?.of, first.receipt.seen?.of)
  assert.match(
    textsOf(second.value)[0] ?? '',
    new RegExp(`^\\[${(receipt.seen?.of ?? 0) - (receipt.seen?.messages ?? 0)} earlier`),
  )
})

test('folding in a transcript is refused, and so is following beside numbers, by name', () => {
  assert.match(whyRefused({ ...presets.transcript, fold: { by: 'auto', tokens: 'auto' } }) ?? '', /^fold must be null/)
  assert.equal(whyRefused({ ...presets.transcript, fold: null }), undefined)
  const window = { kind: 'tokens', follow: true } as const
  assert.match(
    whyRefused({ ...presets.steady, window: { ...window, low: 10, high: null } }) ?? '',
    /^window\.follow .* window\.low/,
  )
  assert.match(
    whyRefused({ ...presets.steady, window: { ...window, low: null, high: 10 } }) ?? '',
    /^window\.follow .* window\.high/,
  )
  assert.equal(whyRefused({ ...presets.steady, window: { ...window, low: null, high: null } }), undefined)
})
