// A reply that was cut off, a turn that was left, and what is said meanwhile, as the page shows them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EndReason, Part } from '../../../src/model/event.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { firstBroken } from '../../../src/model/turn-view/join-cuts.ts'
import { resumableOf } from '../../../web/src/view/resumable.ts'
import { shownOf, spokenWords } from '../../../web/src/view/shown.ts'
import type { ReplyEntry, View } from '../../../web/src/view/view.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import { announcementOf } from '../../../web/src/words/words.ts'
import { tries } from '../../support/tries.ts'
import { delta, ended, event, FAULT, finished, planned, RECEIPT, said, show, started, TURN } from '../signals.ts'
import { chat, DOWN, world } from '../world.ts'

const opening: readonly PageSignal[] = [said(1, 'hi'), started(2), planned(3)]
const text = (words: string): Part => ({ type: 'text', text: words })

const broken = (seq: number, parts: readonly Part[], step = 1): PageSignal =>
  event(seq, { type: 'reply.broken', turn: TURN, step, parts, fault: FAULT })
const endedBy = (seq: number, reason: EndReason, turn: TurnId = TURN): PageSignal =>
  event(seq, { type: 'turn.ended', turn, voice: 'assistant', reason })
const again = (seq: number, turn: TurnId, resumes: TurnId = TURN): PageSignal =>
  event(seq, { type: 'turn.started', turn, voice: 'assistant', cause: 1, resumes })

const replies = (view: View): readonly ReplyEntry[] => view.entries.filter(entry => entry.kind === 'reply')
const lastSteps = (view: View): ReplyEntry['steps'] => replies(view).at(-1)?.steps ?? []
const words = (view: View): readonly string[] => spokenWords(lastSteps(view))

test('a reply that was cut off and went on is one text, while it streams and afterwards', () => {
  const cut = show([...opening, delta('One, two', 0), broken(4, [text('One, two')])])
  assert.deepEqual(words(cut), ['One, two'])
  assert.equal(firstBroken(lastSteps(cut)), undefined, 'nobody knows yet whether it goes on')

  const going = show([planned(5, 2), delta(', thr', 0, { step: 2 })], cut)
  assert.deepEqual(words(going), ['One, two, thr'])
  assert.deepEqual(
    shownOf(lastSteps(going)).map(each => 'growing' in each && each.growing),
    [true],
  )
  assert.equal(firstBroken(lastSteps(going))?.fault, FAULT)

  const done = show([finished(6, [text(', three.')], 2), ended(7)], going)
  assert.deepEqual(words(done), ['One, two, three.'])
  assert.equal(replies(done).length, 1)
  const known = { about: null, names: {}, councils: [], view: done }
  assert.equal(announcementOf(known, TURN), 'Assistant replied: One, two, three.')
})

const cutAtLimit = (seq: number, parts: readonly Part[], step = 1, turn: TurnId = TURN): PageSignal =>
  event(seq, { type: 'reply.finished', turn, step, parts, stop: 'length' })
const NEXT = 'trn_2' as TurnId

test('an answer that was cut at its limit can be continued, and goes on in its own place as one text', () => {
  const cut = show([...opening, cutAtLimit(4, [text('```js\nlet a')]), ended(5)])
  const [entry] = replies(cut)
  assert.ok(entry)
  assert.equal(resumableOf(cut, entry), 'cut')

  const continued = event(6, { type: 'turn.started', turn: NEXT, voice: 'assistant', cause: 1, resumes: TURN, continues: true })
  const going = show([continued, planned(7, 2, NEXT), delta(' = 1', 0, { step: 2, turn: NEXT })], cut)
  assert.equal(replies(going).length, 1)
  assert.deepEqual(words(going), ['```js\nlet a = 1'])
  assert.deepEqual(going.running, [NEXT])

  const done = show([finished(8, [text(' = 1\n```')], 2, NEXT), endedBy(9, 'done', NEXT)], going)
  assert.deepEqual(words(done), ['```js\nlet a = 1\n```'])
  assert.equal(done.running.length, 0)
  const [whole] = replies(done)
  assert.ok(whole)
  assert.equal(resumableOf(done, whole), null)
  assert.equal(whole.turn, NEXT)
})

test('an answer without a word is no answer: it can be tried again', () => {
  const view = show([...opening, cutAtLimit(4, [{ type: 'think', text: 'Hm.' }]), ended(5)])
  const [entry] = replies(view)
  assert.ok(entry)
  assert.equal(resumableOf(view, entry), 'empty')
  const whole = show([...opening, finished(4, [text('Yes.')]), ended(5)])
  const [answer] = replies(whole)
  assert.ok(answer)
  assert.equal(resumableOf(whole, answer), null)
})

test('a page that had heard more than the log kept shows what the log has, then what follows', () => {
  const ahead = show([...opening, delta('One, two, three, fo', 0)])
  const back = show([broken(4, [text('One, two')]), planned(5, 2), delta(', three, four.', 0, { step: 2 })], ahead)
  assert.deepEqual(words(back), ['One, two, three, four.'])
})

test('what is thought before going on stands above the text, a call that was cut off nowhere', () => {
  const call: Part = { type: 'call', call: 'c1', tool: 'clock', args: '{"zo' }
  const whole: Part = { ...call, args: {} }
  const view = show([
    ...opening,
    broken(4, [{ type: 'think', text: 'hm' }, text('Let me'), call]),
    planned(5, 2),
    finished(6, [{ type: 'think', text: 'so' }, text(' look.'), whole], 2),
    planned(7, 3),
    finished(8, [text('Noon.')], 3),
  ])
  assert.deepEqual(
    shownOf(lastSteps(view)).map(each =>
      'part' in each ? (each.part.type === 'call' ? each.part.tool : each.part.text) : 'fault',
    ),
    ['hm', 'so', 'Let me look.', 'clock', 'Noon.'],
  )
})

test('however often it is cut, and wherever its words are heard twice, it is one text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (pieces, twice) => {
        const signals = pieces.flatMap((piece, index): readonly PageSignal[] => {
          const step = index + 1
          const heard = [delta(piece, 0, { step }), ...(twice ? [delta(piece, 0, { step })] : [])]
          const isLast = step === pieces.length
          const seq = 3 + index * 2
          return [
            planned(seq, step),
            ...heard,
            isLast ? finished(seq + 1, [text(piece)], step) : broken(seq + 1, [text(piece)], step),
          ]
        })
        const view = show([said(1, 'hi'), started(2), ...signals])
        assert.deepEqual(words(view), [pieces.join('')])
        assert.deepEqual(words(show(signals, view)), [pieces.join('')])
      },
    ),
    tries(100),
  )
})

test('what is said between a cut and what follows does not tear the text apart', () => {
  const view = show([...opening, broken(4, [text('Half')]), said(5, 'hurry'), planned(6, 2), delta(' done', 0, { step: 2 })])
  assert.deepEqual(words(view), ['Half done'])
  assert.deepEqual(
    view.entries.map(({ kind }) => kind),
    ['message', 'reply', 'message'],
  )
})

test('a turn that failed or was interrupted can be gone on with, as long as it is the last of its voice', () => {
  const asked = (reason: EndReason): string | null => {
    const view = show([...opening, broken(4, [text('Half')]), endedBy(5, reason)])
    const [entry] = replies(view)
    return entry === undefined ? null : resumableOf(view, entry)
  }
  assert.deepEqual(
    ['failed', 'interrupted', 'cancelled', 'limit', 'done'].map(reason => asked(reason as EndReason)),
    ['failed', 'interrupted', null, null, null],
  )
  const second = 'trn_2' as TurnId
  const left = [...opening, endedBy(4, 'interrupted')]
  const resumed = show([...left, again(5, second)])
  assert.deepEqual(
    replies(resumed).map(entry => [entry.turn, entry.resumed, resumableOf(resumed, entry)]),
    [
      [TURN, true, null],
      [second, false, null],
    ],
  )
  const later = show([...left, said(5, 'and?'), started(6, second)])
  assert.deepEqual(
    replies(later).map(entry => resumableOf(later, entry)),
    [null, null],
    'its voice has spoken since',
  )
})

test('what is said into a running turn waits until a request has heard it', () => {
  const waits = (view: View): readonly boolean[] =>
    view.entries.flatMap(entry => (entry.kind === 'message' ? [entry.waits === true] : []))
  const through = (seq: number, more: Partial<Receipt> = {}): Receipt => ({ ...RECEIPT, through: seq, ...more })
  const call: Part = { type: 'call', call: 'c1', tool: 'clock', args: {} }
  const spoken = show([...opening, finished(4, [call]), said(5, 'hurry')])
  assert.deepEqual(waits(spoken), [false, true])
  assert.deepEqual(waits(show([planned(6, 2, TURN, through(5))], spoken)), [false, false])
  assert.deepEqual(waits(show([planned(6, 2, TURN, through(4))], spoken)), [false, true])
  assert.deepEqual(waits(show([planned(6, 2, TURN, through(5, { degraded: { reason: 'slow' } }))], spoken)), [false, true])
  assert.deepEqual(waits(show([planned(6, 2, TURN, through(5, { voice: 'house:synthesis' }))], spoken)), [false, true])

  const next = 'trn_2' as TurnId
  const after = show([ended(6), event(7, { type: 'turn.started', turn: next, voice: 'assistant', cause: 5 })], spoken)
  assert.deepEqual(waits(after), [false, true])
  const own = through(5, { degraded: { reason: 'slow' }, inputs: { ...RECEIPT.inputs, cause: 5 } })
  assert.deepEqual(waits(show([planned(8, 1, next, own)], after)), [false, false])

  const toBo = event(5, { type: 'message.received', text: 'you', from: 'person', to: ['bo'] })
  const toOne = show([...opening, toBo, planned(6, 2, TURN, through(5))])
  assert.deepEqual(waits(toOne), [false, true], 'who is not meant does not hear it')
})

test('/resume goes on with the conversation, and is no message', async () => {
  const { store, calls, answers } = world()
  store.visit(chat('ses_1'))
  store.write(' /resume ')
  await store.send()
  assert.equal(store.get().draft, '')
  answers.set('resume', () => ({ ok: false, problem: DOWN }))
  store.write('/resume')
  await store.send()
  assert.equal(store.get().problem, DOWN)
  await store.resume('trn_1')
  assert.deepEqual(
    calls.filter(([name]) => name === 'resume' || name === 'say'),
    [
      ['resume', 'ses_1', undefined],
      ['resume', 'ses_1', undefined],
      ['resume', 'ses_1', 'trn_1'],
    ],
  )
  store.visit(chat(null))
  store.write('/resume')
  await store.send()
  assert.equal(store.get().problem?.title, 'There is nothing to go on with')
  assert.deepEqual(
    calls.filter(([name]) => name === 'create' || name === 'say'),
    [],
  )
})
