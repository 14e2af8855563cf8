import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sentence } from '../../../src/context/synthesis/attribution.ts'
import type { EndReason, TurnStarted } from '../../../src/model/event.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { type Council, SYNTHESIS } from '../../../src/model/settings/council.ts'
import { lastCouncilRound } from '../../../web/src/council/round.ts'
import { shownVoiceName } from '../../../web/src/view/called.ts'
import type { ReplyEntry, View } from '../../../web/src/view/view.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import { doubtWords, sourcesWords } from '../../../web/src/words/council-words.ts'
import { delta, event, finished, planned, RECEIPT, said, show } from '../signals.ts'
import { chat, DOWN, session, world } from '../world.ts'

const turn = (number: number): TurnId => `trn_${number}` as TurnId
const starts = (seq: number, number: number, voice: string, more: Partial<TurnStarted> = {}): PageSignal =>
  event(seq, { type: 'turn.started', turn: turn(number), voice, cause: 1, ...more })
const ends = (seq: number, number: number, voice: string, reason: EndReason = 'done'): PageSignal =>
  event(seq, { type: 'turn.ended', turn: turn(number), voice, reason })

const replies = (view: View): ReplyEntry[] => view.entries.filter(entry => entry.kind === 'reply')
const spoken = (view: View): readonly (readonly string[])[] =>
  replies(view).map(({ voice, steps }) => [
    voice,
    ...steps.map(step => step.parts.map(part => (part.type === 'call' ? part.tool : part.text)).join('|')),
  ])

const advisor = (id: string, name: string): Council['advisors'][number] => ({
  ...{ id, name, description: '', color: '#1a71b6', active: true },
})
const board = (key: string, name: string): Council => ({
  ...{ key, name: key, advisors: [advisor('ada', name)], references: 'last-round', early: { turns: 3 } },
})

/** A round that is over, and the last thing that happened. */
const ROUND = { isOpen: false, failed: [], isLatest: true } as const

test('two voices that speak at once are each heard in their own block, in the order in which they began', () => {
  const opening = [said(1, 'hi'), starts(2, 1, 'ada'), starts(3, 2, 'bo'), planned(4, 1, turn(2)), planned(5, 1, turn(1))]
  const streaming = show([
    ...opening,
    delta('I am', 0, { turn: turn(2) }),
    delta('Ask', 0, { turn: turn(1) }),
    delta(' bo', 4, { turn: turn(2) }),
    delta(' me', 3, { turn: turn(1) }),
  ])
  assert.deepEqual(spoken(streaming), [
    ['ada', 'Ask me'],
    ['bo', 'I am bo'],
  ])
  const half = show([finished(6, [{ type: 'text', text: 'I am bo.' }], 1, turn(2)), ends(7, 2, 'bo')], streaming)
  assert.deepEqual(half.running, [turn(1)])
  assert.deepEqual(
    replies(half).map(({ end }) => end),
    [null, { reason: 'done', fault: null }],
  )
  const after = show([delta(' once', 6, { turn: turn(1) }), ends(8, 1, 'ada')], half)
  assert.deepEqual(spoken(after), [
    ['ada', 'Ask me once'],
    ['bo', 'I am bo.'],
  ])
  assert.deepEqual(after.running, [])
})

test('what only others hear does not cut a running turn in two', () => {
  const running = [said(1, 'hi'), starts(2, 1, 'ada'), planned(3, 1, turn(1)), finished(4, [], 1, turn(1))]
  const word = (to: readonly string[]): PageSignal => event(5, { type: 'message.received', text: 'you', from: 'person', to })
  const steps = (to: readonly string[]): readonly number[] =>
    replies(show([...running, word(to), planned(6, 2, turn(1))])).map(entry => entry.steps.length)
  assert.deepEqual(steps(['bo']), [2])
  assert.deepEqual(steps(['bo', 'ada']), [1, 1])
})

test('a message keeps whom it is for, and one of the council which round it begins', () => {
  const { entries } = show([
    event(1, { type: 'message.received', text: '@ada you', from: 'person', to: ['ada'], voices: ['ada'] }),
    event(2, { type: 'message.received', text: '[A word]', from: 'council', exchange: { round: 1, of: 2 } }),
  ])
  assert.deepEqual(
    entries.map(entry => (entry.kind === 'message' ? [entry.from, entry.to, entry.exchange] : entry.kind)),
    [
      ['person', ['ada'], undefined],
      ['council', undefined, { round: 1, of: 2 }],
    ],
  )
})

test('a turn that is gone on with says so, and its round counts the second try', () => {
  const first = show([said(1, 'hi'), starts(2, 1, 'ada'), starts(3, 2, 'bo'), ends(4, 1, 'ada', 'failed'), ends(5, 2, 'bo')])
  assert.deepEqual(lastCouncilRound(first), { ...ROUND, of: 2, answered: 1, failed: [turn(1)] })
  const again = show([starts(6, 3, 'ada', { resumes: turn(1) })], first)
  assert.deepEqual(
    replies(again).map(({ resumed }) => resumed),
    [true, false, false],
  )
  assert.deepEqual(lastCouncilRound(again), { ...ROUND, of: 2, answered: 1, isOpen: true })
  assert.deepEqual(lastCouncilRound(show([ends(7, 3, 'ada')], again)), { ...ROUND, of: 2, answered: 2 })
})

test('a round is the last message that advisors answered; a synthesis is no answer, and can fail like one', () => {
  const answered = [said(1, 'hi'), starts(2, 1, 'ada'), starts(3, 2, 'bo'), ends(4, 1, 'ada'), ends(5, 2, 'bo', 'limit')]
  const mode = { mode: 'brief' } as const
  const summed = show([...answered, starts(6, 3, SYNTHESIS, mode), ends(7, 3, SYNTHESIS, 'failed')])
  assert.deepEqual(lastCouncilRound(summed), { ...ROUND, of: 2, answered: 2, failed: [turn(3)] })
  const done = show([...answered, starts(6, 3, SYNTHESIS, mode), ends(7, 3, SYNTHESIS)])
  assert.deepEqual(lastCouncilRound(done), { ...ROUND, of: 2, answered: 2 })
  assert.equal(
    lastCouncilRound(show([...answered, starts(6, 3, SYNTHESIS, mode)]))?.isOpen,
    true,
    'something is being made of it',
  )
  const next = show([said(8, 'and?'), starts(9, 4, 'ada', { cause: 8 }), ends(10, 4, 'ada', 'cancelled')], summed)
  assert.deepEqual(lastCouncilRound(next), { ...ROUND, of: 1, answered: 0 })
  assert.equal(lastCouncilRound(show([])), null)
  const alone = show([said(1, 'whom?'), starts(2, 1, 'house:suggestion'), ends(3, 1, 'house:suggestion', 'failed')])
  assert.equal(lastCouncilRound(alone), null, 'what the house does by itself is no round')
})

test('what the house looks at does not move the line of what is sent', () => {
  const from = (voice: string): Receipt => ({
    ...RECEIPT,
    voice,
    window: { begins: 1 },
    out: [{ from: 0, to: 0, count: 4, reason: 'out.window' }],
  })
  const view = show([said(1, 'hi'), starts(2, 1, SYNTHESIS), planned(3, 1, turn(1), from(SYNTHESIS))])
  assert.equal(view.boundary, null)
  const advised = show([starts(4, 2, 'ada'), planned(5, 1, turn(2), from('ada'))], view)
  assert.deepEqual(advised.boundary, { begins: 1, left: 4, voice: 'ada', turn: turn(2), model: 'demo' })
})

test('a name is the one in the council of the session, else the one of then, else the id', () => {
  const names = { ada: 'An agent' }
  const councils = [board('one', 'Ada One'), board('two', 'Ada Two')]
  const inCouncil = (council: string | null) => ({ about: session('ses_1', { council }), names, councils })
  assert.equal(shownVoiceName(inCouncil('two'), { voice: 'ada', name: 'Ada Then' }), 'Ada Two')
  assert.equal(shownVoiceName(inCouncil('gone'), { voice: 'ada', name: 'Ada Then' }), 'Ada Then')
  assert.equal(shownVoiceName(inCouncil('gone'), { voice: 'old-ada', name: null }), 'Old ada')
  assert.equal(shownVoiceName(inCouncil(null), { voice: 'ada', name: null }), 'An agent')
  assert.equal(shownVoiceName(inCouncil('one'), { voice: SYNTHESIS, name: 'Synthesis of the day' }), 'Synthesis')
})

test('a new conversation is opened with whoever was chosen', async () => {
  const { store, calls } = world()
  store.choose({ council: 'board' })
  store.write('hello')
  await store.send()
  assert.deepEqual(
    calls.filter(([name]) => name === 'create'),
    [['create', { council: 'board' }, null, {}]],
  )
})

test('what is wished of a round goes to the session in the middle, and a refusal is told', async () => {
  const { store, calls, answers } = world()
  store.visit(chat('ses_1'))
  await store.exchange()
  await store.synthesize('memo')
  answers.set('resume', () => ({ ok: false, problem: DOWN }))
  await store.resume()
  assert.deepEqual(
    calls.filter(([name]) => name !== 'show'),
    [
      ['exchange', 'ses_1'],
      ['synthesize', 'ses_1', 'memo'],
      ['resume', 'ses_1', undefined],
    ],
  )
  assert.equal(store.get().problem, DOWN)
})

test('what cannot simply be believed is said in words', () => {
  const counts = { sentences: 3, attributed: 3, unattributed: 0, unknownAdvisor: 0, notLiteral: 0 }
  assert.equal(sourcesWords(counts), '3 sentences name who said it')
  assert.equal(
    sourcesWords({ ...counts, attributed: 0, unattributed: 2, notLiteral: 1 }),
    '2 sentences without a source, 1 sentence with a quote that is not literal',
  )
  const sentence: Sentence = { text: 'So it is.', from: [] }
  assert.equal(doubtWords({ ...sentence, trouble: 'unattributed' }), 'No advisor is named for this')
  assert.equal(doubtWords({ ...sentence, unknown: ['Dee'], trouble: 'unknown-advisor' }), 'Dee did not answer in this round')
  assert.equal(doubtWords({ ...sentence, trouble: 'not-literal' }), null)
})
