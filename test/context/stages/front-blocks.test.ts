import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assemble } from '../../../src/context/assemble.ts'
import { presets } from '../../../src/context/presets.ts'
import { presenceIn, type Subject } from '../../../src/context/receipt/presence.ts'
import type { Recorded } from '../../../src/model/event.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { Material } from '../../../src/model/plan.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { materialOf, measure, recorded } from '../../support/material.ts'
import { isPrefix } from '../../support/talk.ts'
import { Chat, outOf, SMALL, textsOf } from '../window/chat.ts'

/** Messages that were pinned in other chats, the oldest first. */
function pinnedIn(...texts: readonly string[]): Pick<Material, 'pinned'> {
  const events = texts.map((text, index): Recorded => {
    const [event] = recorded([{ type: 'message.received', text, from: 'person' }])
    return { ...(event as Recorded), session: `ses_${index + 2}` as SessionId }
  })
  const quotes = events.map(({ session }, index) => ({
    seqs: [1],
    author: 'User',
    chat: { session, title: `Chat ${index + 1}` },
  }))
  return { pinned: { quotes, events } }
}

test('what was pinned in other chats is one block at the very front, before summary, note and head', () => {
  for (const policy of [SMALL, { ...SMALL, window: { kind: 'head-tail', max: 8, head: 2, recent: 5, noteOver: 0 } } as const]) {
    const chat = new Chat(policy).turns(8)
    chat.fold(3, 4, 'They agreed.', { asked: true })
    const plan = chat.ask(pinnedIn('I am allergic to walnuts.', 'The boat lies in K42.'))
    assert.equal(
      textsOf(plan)[0],
      '[Pinned for this chat:\n\n2026-01-01 Chat 1 · User: I am allergic to walnuts.\n\n2026-01-01 Chat 2 · User: The boat lies in K42.]',
    )
    assert.ok(textsOf(plan).findIndex(text => text.startsWith('[Summary')) > 0)
    const lines = plan.receipt.in.slice(0, 2)
    assert.deepEqual(
      lines.map(({ kind, reason, session, from, to, hash }) => [kind, reason, session, from, to, hash]),
      ['I am allergic to walnuts.', 'The boat lies in K42.'].map((text, index) => [
        ...['message', 'pin.person', `ses_${index + 2}`, 1, 1],
        measure.hash(text),
      ]),
    )
    assert.equal(plan.receipt.window.pinned?.length, 2)
  }
})

test('pins of other chats take at most a quarter of the room: the newest are shown, the rest is left out and said', () => {
  const long = (name: string): string => `${name} ${'and the tide comes in. '.repeat(15)}`
  const plan = new Chat().turns(2).ask(pinnedIn(long('First'), long('Second'), long('Third'), long('Fourth')))
  assert.deepEqual(
    plan.receipt.window.pinned?.map(({ chat }) => chat?.title),
    ['Chat 3', 'Chat 4'],
  )
  const shown = plan.receipt.in.filter(({ session }) => session !== undefined)
  assert.ok(shown.reduce((sum, { tokens }) => sum + tokens, 0) <= 250)
  assert.equal(outOf(plan, 'out.budget'), 2)
  assert.deepEqual(plan.receipt.seen, { messages: 5, of: 5 }, 'they are no messages of this chat')
})

test('the length of a new message does not change which pins are shown, unless it leaves too little room', () => {
  const given = pinnedIn('walnut '.repeat(170).trim())
  const titles = (words: number): number => {
    const facts = [
      { type: 'message.received', text: 'word '.repeat(words), from: 'person' },
      { type: 'turn.started', turn: 'trn_now' as TurnId, voice: 'assistant', cause: 1 },
    ] as const
    const plan = assemble(materialOf(facts, given), SMALL, measure)
    assert.ok(plan.ok)
    return plan.value.receipt.window.pinned?.length ?? 0
  }
  assert.deepEqual([titles(5), titles(400), titles(700)], [1, 1, 0])
})

test('later steps of a turn keep the pins of its first one', () => {
  const chat = new Chat().turns(2)
  const first = chat.ask(pinnedIn('I am allergic to walnuts.'))
  const cause = chat.facts.length + 1
  chat.facts.push({ type: 'message.received', text: 'and now?', from: 'person' })
  chat.facts.push({ type: 'turn.started', turn: 'trn_now' as TurnId, voice: 'assistant', cause })
  const parts = [{ type: 'call' as const, call: 'c1', tool: 'look', args: {} }]
  chat.facts.push({ type: 'reply.finished', turn: 'trn_now' as TurnId, step: 1, parts })
  chat.facts.push({
    ...{ type: 'tool.settled', turn: 'trn_now' as TurnId, call: 'c1', tool: 'look', ok: true, outcome: 'found', ms: 1 },
  })
  const second = assemble(
    materialOf(chat.facts, {
      ...{ ...pinnedIn('I am allergic to walnuts.', 'The boat lies in K42.'), last: first.receipt.window },
      turn: { id: 'trn_now' as TurnId, step: 2, cause, ordinal: 3 },
    }),
    SMALL,
    measure,
  )
  assert.ok(second.ok)
  assert.ok(isPrefix(first.messages, second.value.messages))
})

test('a transcript has the pins of other chats before its text', () => {
  const facts = [
    { type: 'message.received', text: 'Hello.', from: 'person' },
    { type: 'turn.started', turn: 'trn_now' as TurnId, voice: 'assistant', cause: 1 },
  ] as const
  const plan = assemble(materialOf(facts, pinnedIn('I am allergic to walnuts.')), presets.transcript, measure)
  assert.ok(plan.ok)
  assert.match(textsOf(plan.value)[0] ?? '', /^\[Pinned for this chat:/)
})

const subject = (seq: number): Subject => ({
  ...{ seq, kind: 'heard', key: `heard ${seq}`, message: [seq], isBroken: false, isBlank: false, isQuotable: false, marks: [] },
})

test('a message under a fold is out as folded, and the seq of a pin elsewhere means nothing here', () => {
  const chat = new Chat().turns(6)
  const fold = chat.fold(1, 4, 'They agreed.', { asked: true })
  const plan = chat.ask(pinnedIn('I am allergic to walnuts.'))
  const inputs = { cause: chat.facts.length + 1, turn: 'trn_now', assembly: 5, marksThrough: chat.facts.length }
  const receipt = { ...plan.receipt, inputs } as unknown as Receipt
  assert.deepEqual(presenceIn(receipt, subject(1), 'all'), { in: false, reason: 'out.folded' })
  const marked: Subject = { ...subject(1), marks: [{ seq: 2, target: 1, mark: 'pin' }] }
  assert.deepEqual(presenceIn(receipt, marked, 'all'), { in: false, reason: 'out.folded' })
  assert.deepEqual(presenceIn(receipt, subject(13), 'all'), { in: false, reason: 'out.folded' })
  assert.deepEqual(presenceIn(receipt, subject(17), 'all'), { in: true, reason: 'recent.window' })
  const summary: Subject = { ...subject(fold), kind: 'summary', key: `summary ${fold}` }
  assert.deepEqual(presenceIn(receipt, summary, 'all'), { in: true, reason: 'summary.folded' })
})
