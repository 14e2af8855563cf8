import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndReason, TurnStarted } from '../../../src/model/event.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import type { InLine, Receipt } from '../../../src/model/receipt.ts'
import { type Council, SYNTHESIS } from '../../../src/model/settings/council.ts'
import { type Card, cardsOf, sameCard, stateOf } from '../../../web/src/council/cards.ts'
import { gatheringOf, gatheringWords, sharedGathering } from '../../../web/src/council/gathering.ts'
import { advisorsHeard } from '../../../web/src/council/heard.ts'
import { lastCouncilRound } from '../../../web/src/council/round.ts'
import type { ReplyEntry, View } from '../../../web/src/view/view.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import { answeredWords, roleWords } from '../../../web/src/words/council-words.ts'
import { figuresOf } from '../../../web/src/words/figures.ts'
import { event, finished, planned, RECEIPT, said, show } from '../signals.ts'
import { chat, DOWN, mapLocalStore, session, world } from '../world.ts'

const turn = (number: number): TurnId => `trn_${number}` as TurnId
const starts = (seq: number, number: number, voice: string, more: Partial<TurnStarted> = {}): PageSignal =>
  event(seq, { type: 'turn.started', turn: turn(number), voice, cause: 1, ...more })
const ends = (seq: number, number: number, voice: string, reason: EndReason = 'done'): PageSignal =>
  event(seq, { type: 'turn.ended', turn: turn(number), voice, reason })
const says = (seq: number, number: number, text = 'so it is'): PageSignal =>
  finished(seq, [{ type: 'text', text }], 1, turn(number))
const saidTo = (seq: number, ...to: string[]): PageSignal =>
  event(seq, { type: 'message.received', text: 'you', from: 'person', to })
const replies = (view: View): ReplyEntry[] => view.entries.filter(entry => entry.kind === 'reply')
const shape = (cards: readonly Card[]): unknown[] =>
  cards.map(({ voice, stretches, attempts }) => [voice, stretches.length, attempts.map(each => each.length)])
const line = (reason: InLine['reason'], from: number, to: number): InLine => ({
  kind: 'reference',
  from,
  to,
  tokens: 1,
  reason,
  hash: 'h',
})
const receiptWith = (voice: string, ...more: readonly InLine[]): Receipt => ({ ...RECEIPT, voice, in: [...RECEIPT.in, ...more] })
const board = (turns: number): Council => ({
  key: 'board',
  name: 'Board',
  advisors: [],
  references: 'last-round',
  early: { turns },
})

test('each advisor has one card in the order of the council, however often its turn was cut or tried again', () => {
  const view = show([
    said(1, 'hi'),
    starts(2, 1, 'cy'),
    starts(3, 2, 'ada'),
    starts(4, 3, 'guest'),
    ends(5, 1, 'cy', 'interrupted'),
    ends(6, 2, 'ada'),
    starts(7, 4, 'cy', { resumes: turn(1) }),
    ends(8, 4, 'cy', 'failed'),
    starts(9, 5, 'cy', { resumes: turn(4) }),
  ])
  const cards = cardsOf(replies(view), ['ada', 'bo', 'cy'])
  assert.deepEqual(shape(cards), [
    ['ada', 1, []],
    ['cy', 1, [1, 1]],
    ['guest', 1, []],
  ])
  assert.deepEqual(cards[1]?.stretches[0]?.turn, turn(5))
  assert.deepEqual(cards.map(stateOf), ['answered', 'running', 'running'])
})

test('a turn that was spoken into stays one card; answers to two messages are two', () => {
  const spokenInto = show([
    ...[said(1, 'hi'), starts(2, 1, 'ada'), planned(3, 1, turn(1)), says(4, 1), said(5, 'and?'), planned(6, 2, turn(1))],
  ])
  assert.deepEqual(shape(cardsOf(replies(spokenInto), [])), [['ada', 2, []]])
  const twice = show([said(1, 'hi'), starts(2, 1, 'ada'), ends(3, 1, 'ada'), starts(4, 2, 'ada', { cause: 9 })])
  assert.deepEqual(shape(cardsOf(replies(twice), [])), [
    ['ada', 1, []],
    ['ada', 1, []],
  ])
})

test('a card is drawn again only when something in it changed', () => {
  const before = show([said(1, 'hi'), starts(2, 1, 'ada'), starts(3, 2, 'bo')])
  const after = show([planned(4, 1, turn(2))], before)
  const [[ada, bo], [adaAfter, boAfter]] = [cardsOf(replies(before), []), cardsOf(replies(after), [])] as [Card[], Card[]]
  assert.ok(ada && bo && adaAfter && boAfter)
  assert.equal(sameCard(ada, adaAfter), true)
  assert.equal(sameCard(bo, boAfter), false)
})

test('a card says in one word how it stands; a call that waits for a person comes first', () => {
  const one = (reason: EndReason) =>
    cardsOf(replies(show([said(1, 'hi'), starts(2, 1, 'ada'), ends(3, 1, 'ada', reason)])), [])[0]
  const states = (['done', 'limit', 'cancelled', 'failed', 'interrupted'] as const).map(reason => {
    const card = one(reason)
    return card === undefined ? null : stateOf(card)
  })
  assert.deepEqual(states, ['answered', 'answered', 'stopped', 'failed', 'failed'])
  const call = { type: 'call', call: 'c1', tool: 'git', args: {} } as never
  const waits = { type: 'approval.asked', approval: 'apr_1', turn: turn(1), call: 'c1', tool: 'git', argv: ['git'] } as never
  const asked = show([said(1, 'hi'), starts(2, 1, 'ada'), finished(3, [call], 1, turn(1)), event(4, waits)])
  assert.deepEqual(cardsOf(replies(asked), []).map(stateOf), ['waits'])
})

test('whom an advisor heard is who answered the last message it could hear, and is on its receipt', () => {
  const first = [said(1, 'hi'), starts(2, 1, 'ada'), starts(3, 2, 'bo'), starts(4, 3, 'cy'), starts(5, 4, 'dee')]
  const answers = [says(6, 2), ends(7, 2, 'bo'), says(8, 1), ends(9, 1, 'ada'), says(10, 3), ends(11, 3, 'cy', 'failed')]
  const silent = [says(12, 4, ''), ends(13, 4, 'dee')]
  const private_ = [saidTo(14, 'bo'), starts(15, 5, 'bo', { cause: 14 }), says(16, 5), ends(17, 5, 'bo')]
  const synthesis = [starts(18, 6, SYNTHESIS), says(19, 6), ends(20, 6, SYNTHESIS)]
  const receipt = receiptWith('ada', line('reference.last-round', 6, 13))
  const second = [said(21, 'more'), starts(22, 7, 'ada', { cause: 21 }), planned(23, 1, turn(7), receipt)]
  const view = show([...first, ...answers, ...silent, ...private_, ...synthesis, ...second])
  const ada = replies(view).find(entry => entry.turn === turn(7))
  assert.ok(ada)
  const heard = (of: Receipt): readonly string[] => advisorsHeard(view.entries, ada, of).map(({ voice }) => voice)
  assert.deepEqual(heard(receipt), ['bo', 'dee'], 'not itself, nobody who failed, not the house')
  assert.deepEqual(heard(receiptWith('ada', line('reference.last-round', 6, 7))), ['bo'], 'only what the receipt speaks of')
  assert.deepEqual(heard(receiptWith('ada')), [])
})

test('that an advisor only asks is on its receipt; its turn is how often it has answered', () => {
  const note: InLine = { kind: 'note', tokens: 1, reason: 'note.turn', hash: 'h' }
  const asking = (voice: string): Receipt => receiptWith(voice, note)
  const view = show([
    ...[said(1, 'hi'), starts(2, 1, 'ada'), ends(3, 1, 'ada'), starts(4, 2, 'bo'), ends(5, 2, 'bo', 'failed')],
    ...[said(6, 'and?'), starts(7, 3, 'ada', { cause: 6 }), starts(8, 4, 'bo', { cause: 6 }), starts(9, 5, 'cy', { cause: 6 })],
    ...[planned(10, 1, turn(3), asking('ada')), planned(11, 1, turn(4), asking('bo')), planned(12, 1, turn(5))],
  ])
  const of = (number: number, turns = 3) => {
    const entry = replies(view).find(each => each.turn === turn(number))
    return entry === undefined ? null : gatheringOf(view.entries, entry, board(turns))
  }
  assert.deepEqual([of(3), of(4), of(5)], [{ turn: 2, of: 3 }, { turn: 1, of: 3 }, null])
  assert.equal(gatheringWords({ turn: 2, of: 3 }), 'Turn 2 of 3 – gathering')
  assert.deepEqual(of(3, 1), { turn: 2, of: null }, 'the council was changed since')
  assert.equal(gatheringWords({ turn: 2, of: null }), 'Turn 2 – gathering')
  assert.deepEqual(
    sharedGathering([
      { turn: 2, of: 3 },
      { turn: 2, of: 3 },
    ]),
    { turn: 2, of: 3 },
  )
  assert.equal(
    sharedGathering([
      { turn: 2, of: 3 },
      { turn: 1, of: 3 },
    ]),
    null,
  )
  assert.equal(sharedGathering([{ turn: 2, of: 3 }, null]), null)
  assert.equal(sharedGathering([]), null)
})

test('a word to one is no round: what can be done with the round above stays', () => {
  const round = [said(1, 'hi'), starts(2, 1, 'ada'), starts(3, 2, 'bo'), ends(4, 1, 'ada'), ends(5, 2, 'bo', 'failed')]
  const later = show([...round, saidTo(6, 'ada'), starts(7, 3, 'ada', { cause: 6 })])
  assert.deepEqual(lastCouncilRound(later), { of: 2, answered: 1, isOpen: false, failed: [turn(2)], isLatest: false })
  const spoken = show([...round, saidTo(6, 'bo'), starts(7, 3, 'bo', { cause: 6 })])
  assert.deepEqual(lastCouncilRound(spoken)?.failed, [], 'who has spoken since cannot be asked again')
})

test('figures add up all requests of an answer, and a price that is not known is none', () => {
  const usage = { input: 10, output: 2, cacheRead: 30, cacheWrite: 0, costUsd: 0.01 }
  const step = { step: 1, seq: 1, mark: null, state: 'finished', parts: [], receipt: null, fault: null } as const
  const both = figuresOf([
    { ...step, usage, took: { ms: 900 } },
    { ...step, usage: { ...usage, cacheRead: 0, cacheWrite: 20 }, took: { ms: 100 } },
  ])
  assert.deepEqual(both, { input: 70, cached: 30 / 70, cacheRead: 30, output: 4, costUsd: 0.02, ms: 1000 })
  const { costUsd: _, ...unpriced } = usage
  assert.equal(
    figuresOf([
      { ...step, usage },
      { ...step, usage: unpriced },
    ]).costUsd,
    null,
  )
  assert.deepEqual(figuresOf([{ ...step, usage: null }]), {
    ...{ input: null, cached: null, costUsd: null, ms: null },
    ...{ cacheRead: 0, output: 0 },
  })
})

test('words of a round: how many answered, and who somebody is in a line', () => {
  assert.equal(answeredWords({ answered: 3, of: 5, isLatest: true }), '3 of 5 answered')
  assert.equal(answeredWords({ answered: 5, of: 5, isLatest: true }), 'All 5 answered')
  assert.equal(answeredWords({ answered: 5, of: 5, isLatest: false }), 'Last round: all 5 answered')
  assert.equal(roleWords({ group: 'Doing', description: 'You build.' }), 'Doing')
  assert.equal(roleWords({ description: 'You build. You ship.' }), 'You build.')
  assert.ok(roleWords({ description: 'word '.repeat(80) }).endsWith('word …'))
})

test('a word to one goes to that one, keeps its draft, and its key when it is tried again', async () => {
  const localStore = mapLocalStore()
  const { store, calls, answers } = world(localStore)
  store.visit(chat('ses_1'))
  store.writeTo('ada', 'just you ')
  store.writeTo('bo', 'and you')
  answers.set('say', () => ({ ok: false, problem: DOWN }))
  assert.equal(await store.tell('ada'), false)
  assert.equal(store.get().problem, DOWN)
  assert.equal(store.wordTo('ada'), 'just you ')
  answers.delete('say')
  assert.equal(await store.tell('ada'), true)
  assert.equal(store.wordTo('ada'), '')
  assert.equal(store.wordTo('bo'), 'and you')
  assert.equal(await store.tell('ada'), false, 'nothing is not said')
  const said = calls.filter(([name]) => name === 'say')
  assert.deepEqual(said[0]?.[2], { text: 'just you', key: 'key-1', to: ['ada'] })
  assert.deepEqual(said[0], said[1], 'the same key, so that it cannot be said twice')
  assert.equal(said.length, 2)
  store.visit(chat('ses_2'))
  assert.equal(store.wordTo('bo'), '', 'each conversation has its own')
})

test('one turn is stopped alone, and one that had ended is no trouble', async () => {
  const { store, calls, answers } = world()
  store.visit(chat('ses_1'))
  answers.set('cancel', () => ({ ok: false, problem: { ...DOWN, status: 409 } }))
  await store.halt('trn_2')
  assert.deepEqual(
    calls.find(([name]) => name === 'cancel'),
    ['cancel', 'ses_1', 'trn_2'],
  )
  assert.equal(store.get().problem, null)
  answers.set('cancel', () => ({ ok: false, problem: DOWN }))
  await store.halt('trn_2')
  assert.equal(store.get().problem, DOWN)
})

test('hiding an advisor changes nothing but that, in the council as it is by then', async () => {
  const { store, calls, answers } = world()
  const seats = (adaActive: boolean): Council => ({
    ...{ ...board(3), name: 'Renamed meanwhile' },
    advisors: ['ada', 'bo'].map(id => ({
      id,
      name: id,
      description: 'd',
      color: 'red',
      active: id === 'ada' ? adaActive : true,
    })),
  })
  answers.set('show', () => ({ ok: true, value: session('ses_1', { council: 'board' }) }))
  answers.set('councils', () => ({ ok: true, value: { items: [seats(true)] } }))
  answers.set('putCouncil', council => ({ ok: true, value: council }))
  store.visit(chat('ses_1'))
  await new Promise(setImmediate)
  await store.seat('ada', false)
  assert.deepEqual(
    calls.find(([name]) => name === 'putCouncil'),
    ['putCouncil', seats(false)],
  )
  assert.deepEqual(store.get().councils, [seats(false)])
  answers.set('councils', () => ({ ok: true, value: { items: [] } }))
  await store.seat('ada', true)
  assert.equal(store.get().problem?.status, 404)
})
