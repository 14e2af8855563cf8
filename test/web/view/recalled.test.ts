import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { RecallQuote } from '../../../src/model/recall.ts'
import type { InLine, Receipt } from '../../../src/model/receipt.ts'
import { firstReceipt, foreignQuote, quotedChat, recalledMessages, receiptRows } from '../../../web/src/view/recalled.ts'
import type { ReplyEntry } from '../../../web/src/view/view.ts'
import { hiddenWords, leftWords, recalledWords } from '../../../web/src/words/reasons.ts'
import { ended, event, finished, NOON, planned, RECEIPT, said, show, started, TURN } from '../signals.ts'

const LATER = 'trn_9' as TurnId

const line = (from: number, tokens: number): InLine => ({
  ...{ kind: 'recall', reason: 'recall.match', from, to: from, tokens, hash: `h${from}` },
})

const quoting = (...quotes: readonly Omit<RecallQuote, 'author'>[]): Receipt => ({
  ...RECEIPT,
  in: [...quotes.map(({ seqs: [from = 0] }) => line(from, 10)), ...RECEIPT.in],
  window: { begins: 20, recalled: quotes.map(quote => ({ author: null, ...quote })) },
})

/** A message, an answer of two steps with one result, and a message with a file. */
const PAST = [
  said(1, 'The key hangs behind the kettle.'),
  started(2),
  planned(3),
  finished(4, [
    { type: 'text', text: 'I will look.' },
    { type: 'call', call: 'c1', tool: 'search', args: {} },
  ]),
  event(5, { type: 'tool.started', turn: TURN, call: 'c1', tool: 'search', args: {} }),
  event(6, {
    type: 'tool.settled',
    turn: TURN,
    call: 'c1',
    tool: 'search',
    ok: true,
    outcome: 'done',
    content: 'a kettle',
    ms: 3,
  }),
  planned(7, 2),
  finished(8, [{ type: 'text', text: 'It hangs there.' }], 2),
  ended(9),
  event(10, {
    ...{ type: 'message.received', text: '', from: 'person' },
    parts: [{ type: 'text', name: 'list.txt', mediaType: 'text/plain', text: 'milk, eggs, and a kettle' }],
  }),
]

describe('what was recalled', () => {
  test('is listed in the order of the request, with who said it, its words and what a mark goes on', () => {
    const receipt = quoting({ seqs: [1] }, { seqs: [4, 6, 8] }, { seqs: [10] })
    const found = recalledMessages(show(PAST).entries, receipt)
    const person = { chat: null, at: NOON, speaker: null, mark: null }
    assert.deepEqual(found, [
      { ...person, seq: 1, text: 'The key hangs behind the kettle.', targets: [1] },
      {
        ...{ seq: 4, chat: null, at: NOON, speaker: { voice: 'assistant', name: null }, mark: null, targets: [4, 8] },
        text: 'I will look.\n\nIt hangs there.',
      },
      { ...person, seq: 10, text: 'milk, eggs, and a kettle', targets: [10] },
    ])
  })

  test('shows of a long message the parts that were quoted', () => {
    const texts = (slices: RecallQuote['slices'] & {}, seqs: readonly number[]): string | undefined =>
      recalledMessages(show(PAST).entries, quoting({ seqs, slices }))[0]?.text
    assert.equal(texts([[0, 0, 7]], [1]), 'The key')
    assert.equal(
      texts(
        [
          [0, 25, 31],
          [0, 4, 7],
        ],
        [1],
      ),
      '… key … kettle',
    )
    assert.equal(texts([[1, 6, 14]], [4, 6, 8]), '… a kettle', 'of a result')
    assert.equal(texts([[1, 0, 4]], [10]), 'milk', 'of a file')
    assert.equal(texts([[7, 0, 4]], [1]), 'The key hangs behind the kettle.', 'of a text that is not there')
  })

  test('knows what a person decided since, on any reply of an answer', () => {
    const marks = [
      event(11, { type: 'message.marked', target: 1, mark: 'exclude' }),
      event(12, { type: 'message.marked', target: 8, mark: 'exclude' }),
      event(13, { type: 'message.marked', target: 10, mark: 'pin' }),
    ]
    const receipt = quoting({ seqs: [1] }, { seqs: [4, 6, 8] }, { seqs: [10] })
    assert.deepEqual(
      recalledMessages(show([...PAST, ...marks]).entries, receipt).map(({ mark }) => mark),
      ['exclude', 'exclude', 'pin'],
    )
  })

  test('keeps a place for a message that is not there, and for a receipt that names only where it begins', () => {
    const receipt = { ...quoting({ seqs: [99] }, { seqs: [1] }), window: { begins: 20 } }
    assert.deepEqual(
      recalledMessages(show(PAST).entries, receipt).map(({ seq, at, targets }) => [seq, at, targets]),
      [
        [99, null, []],
        [1, NOON, [1]],
      ],
    )
  })

  test('names the chat of a quote from elsewhere, even where both chats have a message at that seq', () => {
    const chat = { session: 'ses_7' as SessionId, title: 'Boathouse' }
    const receipt: Receipt = {
      ...quoting({ seqs: [1] }, { seqs: [1], chat }),
      in: [
        { ...line(1, 10), session: 'ses_1' as SessionId },
        { ...line(1, 10), session: chat.session },
      ],
    }
    const found = recalledMessages(show(PAST).entries, receipt)
    assert.deepEqual(
      found.map(({ seq, chat: from, text, targets }) => [seq, from, text, targets]),
      [
        [1, null, 'The key hangs behind the kettle.', [1]],
        [1, chat, '', []],
      ],
    )
    assert.deepEqual(
      receipt.in.map(each => quotedChat(receipt, each)),
      [null, chat],
    )
    const seen = { messages: 2, of: 9 }
    const { boundary } = show([...PAST, started(11, LATER), planned(12, 1, LATER, { ...receipt, seen })])
    assert.equal(boundary?.quoted, 1, 'only what was said above the line')
    assert.deepEqual(foreignQuote('2024-01-14 Boathouse · You: The key: behind\nthe kettle', 'Boathouse'), {
      ...{ day: '2024-01-14', who: 'You', words: 'The key: behind\nthe kettle' },
    })
    assert.deepEqual(foreignQuote('2024-01-14 Boathouse · no name', 'Boathouse')?.words, 'no name')
    assert.equal(foreignQuote('You: The key', 'Boathouse'), null)
  })

  test('belongs to the first request of a reply, and to no stretch that begins later', () => {
    const receipt = quoting({ seqs: [1] })
    const steps = [planned(12, 1, LATER, receipt), finished(13, [{ type: 'text', text: 'Behind' }], 1, LATER)]
    const view = show([...PAST, started(11, LATER), ...steps, said(14, 'And now?'), planned(15, 2, LATER)])
    const stretches = view.entries.filter((entry): entry is ReplyEntry => entry.kind === 'reply' && entry.turn === LATER)
    assert.deepEqual(
      stretches.map(entry => firstReceipt(entry.steps)),
      [receipt, null],
    )
  })

  test('is one row of a receipt, however many messages it is', () => {
    const rows = receiptRows(quoting({ seqs: [1] }, { seqs: [4] }, { seqs: [10] }))
    assert.deepEqual(
      rows.map(({ reason, tokens, count, from }) => [reason, tokens, count, from]),
      [
        ['recall.match', 30, 3, undefined],
        ['current.message', 12, 1, 1],
      ],
    )
    assert.equal(receiptRows(RECEIPT), RECEIPT.in)
  })

  test('puts the line above which nothing was sent where a narrowed window begins, and counts the quotes above it', () => {
    const seen = { messages: 2, of: 9 }
    const receipt: Receipt = { ...quoting({ seqs: [1] }, { seqs: [4] }), seen }
    const narrowed: Receipt = { ...receipt, window: { ...receipt.window, begins: 4, narrowed: true, shows: 10 } }
    const boundary = (of: Receipt) => show([...PAST, started(11, LATER), planned(12, 1, LATER, of)]).boundary
    assert.deepEqual(boundary(narrowed), { begins: 10, left: 7, quoted: 2, voice: 'assistant', turn: LATER, model: 'demo' })
    assert.equal(boundary({ ...receipt, window: { begins: 4 } })?.begins, 4)
  })

  test('is said in words', () => {
    assert.deepEqual([1, 4, 1200].map(recalledWords), [
      'Recalled 1 earlier message',
      'Recalled 4 earlier messages',
      'Recalled 1,200 earlier messages',
    ])
    assert.equal(
      leftWords(22, null, { quoted: 2 }),
      '22 messages above this line were not sent with the last reply; 2 of them were quoted',
    )
    assert.equal(leftWords(22, 'Ada', { quoted: 1 }), '22 messages above this line were not sent to Ada; 1 of them was quoted')
    assert.equal(leftWords(1, null, { quoted: 1 }), '1 message above this line was not sent with the last reply; it was quoted')
    assert.equal(leftWords(22, null), '22 messages above this line were not sent with the last reply')
    const recall = { messages: 1, tokens: 9, most: 600, hidden: 15_587, looksBack: true, limits: [1, 1] } as const
    assert.equal(hiddenWords({ ...recall, balance: 2310 }), '15,587 tokens · can spend 2,310 on quotes')
    assert.equal(hiddenWords({ ...recall, balance: -40 }), '15,587 tokens · can spend 0 on quotes', 'a debt is nothing to spend')
    assert.equal(hiddenWords(recall), '15,587 tokens')
    assert.equal(hiddenWords({ ...recall, hidden: 0, balance: 7 }), null)
  })
})
