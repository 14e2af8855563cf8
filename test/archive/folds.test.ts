// Folds, wider pins and private chats in files: as people read them, and as archives bring them back.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConversationView } from '../../src/archive/output/conversation-view.ts'
import { markedWords } from '../../src/archive/output/conversation-words.ts'
import { htmlOfPiece } from '../../src/archive/output/html.ts'
import { markdownOfPiece } from '../../src/archive/output/markdown.ts'
import { archivePieces } from '../../src/archive/output/turnwise.ts'
import type { Fact, Recorded } from '../../src/model/event.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'
import type { Session } from '../../src/model/session.ts'
import { FOLD } from '../../src/model/settings/council.ts'
import { exchange, factsOf, sessionOf } from '../log/facts.ts'
import { openSqlite, temporaryFolder } from '../log/files.ts'
import { engineWith } from '../support/engine.ts'
import { bytesOf, exportedFrom, must } from './house.ts'
import { complaint, fileOf, readAll } from './reading.ts'

const id = 'ses_a' as SessionId
const at = '2026-01-02T03:04:05.000Z'
const turn = 'trn_f' as TurnId

type Fold = Extract<Recorded, { type: 'history.folded' }>

const fold = (given: Partial<Fold> = {}): Fold => ({
  ...{ type: 'history.folded', from: 1, to: 58, text: 'They *met* <twice>.', by: 'model', turn, messages: 20, folded: 9300 },
  ...{ session: id, seq: 60, at, tokens: 410 },
  ...given,
})
const recorded = (facts: readonly Fact[]): readonly Recorded[] =>
  facts.map((fact, index) => ({ ...fact, session: id, seq: index + 1, at, tokens: 0 }) as Recorded)

test('a fold is one piece of a conversation, and the turn that made it is none', () => {
  const view = createConversationView()
  const fault = { kind: 'timeout', message: 'late', retryable: true } as const
  const { session: _, seq: __, at: ___, tokens: ____, ...folded } = fold({ from: 1, to: 5 })
  const facts: readonly Fact[] = [
    ...exchange(1, 'trn_1' as TurnId, 'Rain?', 'Yes.'),
    { type: 'turn.started', turn, voice: FOLD, cause: 1, fold: { from: 1, to: 5 } },
    { type: 'reply.broken', turn, step: 1, parts: [{ type: 'text', text: 'They' }], fault },
    { type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text: 'They met.' }], internal: true },
    folded,
    { type: 'turn.ended', turn, voice: FOLD, reason: 'done' },
    { type: 'message.received', text: 'And now?', from: 'person' },
  ]
  const pieces = [...recorded(facts).flatMap(event => view.hear(event)), ...view.end()]
  assert.deepEqual(
    pieces.map(({ type }) => type),
    ['message', 'turns', 'folded', 'message'],
  )
})

test('exports say what was summarized and what it became, who edited it, and what was removed', () => {
  const markdown = (given: Partial<Fold>): string => markdownOfPiece({ type: 'folded', fold: fold(given) }, 'read').trim()
  const html = (given: Partial<Fold>): string => htmlOfPiece({ type: 'folded', fold: fold(given) }, 'read').trim()
  assert.equal(markdown({}), '*Messages 1–58 summarized · 9,300 → 410 tokens:*\n\n> They *met* &lt;twice>.')
  assert.equal(
    html({}),
    '<p class="note">Messages 1–58 summarized · 9,300 → 410 tokens:</p>\n<div class="markdown" dir="auto"><p>They <em>met</em> &lt;twice&gt;.</p></div>',
  )
  assert.match(
    markdown({ by: 'person', replaces: 59 }),
    /^\*Messages 1–58 summarized · 9,300 → 410 tokens · edited by a person:\*/,
  )
  const { folded: _, ...plain } = fold()
  assert.match(
    markdownOfPiece({ type: 'folded', fold: plain }, 'as written'),
    /\*Messages 1–58 summarized:\*\n\n```\nThey \*met\*/,
  )
  for (const text of ['', ' \n'])
    assert.equal(markdown({ text, by: 'person', replaces: 59 }), '*The summary of messages 1–58 was removed.*')
  assert.equal(html({ text: '', by: 'person' }), '<p class="note">The summary of messages 1–58 was removed.</p>')
  const words = (mark: Pick<Extract<Fact, { type: 'message.marked' }>, 'mark' | 'reach'>): string =>
    markedWords({ type: 'message.marked', target: 3, ...mark, session: id, seq: 4, at, tokens: 0 })
  assert.equal(words({ mark: 'pin' }), 'Message 3 goes with every request from the next turn on.')
  assert.equal(
    words({ mark: 'pin', reach: 'project' }),
    "Message 3 goes with every request of its project's chats from the next turn on.",
  )
  assert.equal(words({ mark: 'removed' }), 'Message 3 is removed from every request from the next turn on.')
})

test('the fold of an earlier Turnwise is read as one by a person from the beginning, and nothing else is', async () => {
  const lines = fileOf('turnwise.json').toString().split('\n')
  const last = lines.findIndex(line => line.startsWith('],"texts"'))
  const withLine = (body: string): string =>
    [
      ...lines.slice(0, last - 1),
      `${lines[last - 1]},`,
      `{"seq":${last - 1},"at":"${at}","type":"history.folded",${body}}`,
      ...lines.slice(last),
    ].join('\n')
  const foldIn = async (body: string): Promise<unknown> =>
    (await readAll(withLine(body))).flatMap(each =>
      each.type === 'fact' && each.fact.type === 'history.folded' ? [each.fact] : [],
    )
  const read = [{ type: 'history.folded', from: 1, to: 5, by: 'person', text: 'They met.' }]
  assert.deepEqual(await foldIn('"through":5,"text":"They met."'), read)
  assert.deepEqual(await foldIn('"text":"They met.","through":5'), read)
  assert.deepEqual(await foldIn('"from":1,"to":5,"text":"They met.","by":"person"'), read)
  for (const [body, why] of [
    ['"through":"5","text":"They met."', /the body is not a history.folded/],
    ['"through":5', /the body is not a history.folded/],
    ['"through": 5,"text":"They met."', /not as it was written/],
    ['"through":5,"text":"They met.","from":1,"to":5,"by":"person"', /history.folded's .*through/],
    ['"from":1,"to":5,"text":"They met.","by":"nobody"', /history.folded's by/],
    ['"from":1,"to":5,"text":"They met.","by":"model","seen":1', /history.folded's .*seen/],
    ['"from":1,"text":"They met.","by":"model"', /the body is not a history.folded/],
  ] as const)
    assert.match(await complaint(withLine(body), 'turnwise'), why, body)
})

const SESSION = sessionOf(id, { title: 'Rain', project: 'garden', private: true, preview: 'Rain?', messages: 6 })
const TOLD: readonly Fact[] = [
  ...exchange(1, 'trn_1' as TurnId, 'Rain?', 'Yes.'),
  ...exchange(6, 'trn_2' as TurnId, 'Still?', 'No.'),
  { type: 'message.marked', target: 1, mark: 'pin', reach: 'everywhere' },
  { type: 'message.marked', target: 4, mark: 'removed' },
  { type: 'turn.started', turn, voice: FOLD, cause: 6, fold: { from: 1, to: 5, asked: true, tokens: 200 } },
  { type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text: 'It rained.' }], internal: true },
  {
    type: 'history.folded',
    from: 1,
    to: 5,
    asked: true,
    text: 'It rained.',
    by: 'model',
    turn,
    messages: 2,
    folded: 4,
    left: ['It snowed.'],
  },
  { type: 'turn.ended', turn, voice: FOLD, reason: 'done' },
  { type: 'history.folded', from: 1, to: 5, voice: 'ada', text: 'Rain.', by: 'extract' },
  { type: 'history.folded', from: 1, to: 5, replaces: 15, text: 'It rained hard.', by: 'person' },
  { type: 'message.received', text: 'And now?', from: 'person' },
  { type: 'turn.started', turn: 'trn_3' as TurnId, voice: 'assistant', cause: 19 },
  { type: 'reply.finished', turn: 'trn_3' as TurnId, step: 1, parts: [{ type: 'text', text: 'Sun.' }], beyond: 2 },
  { type: 'turn.ended', turn: 'trn_3' as TurnId, voice: 'assistant', reason: 'done' },
  { type: 'session.changed', changes: { private: true } },
]

async function archiveOf(session: Session, facts: readonly Fact[]): Promise<string> {
  async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
    yield* items
  }
  let text = ''
  for await (const piece of archivePieces(each([{ session, events: () => each(recorded(facts)), texts: () => each([]) }])))
    text += piece
  return text
}

test('an archive brings folds, pins and what is private, gives the same bytes again, and its forks have them, too', async t => {
  const log = await openSqlite(t, join(temporaryFolder(t), 'turnwise.db'))
  const engine = engineWith({ log })
  t.after(() => engine.close(0))
  const file = await archiveOf(SESSION, TOLD)
  must(await engine.import(bytesOf(file)))
  assert.equal(await exportedFrom(engine, id), file)
  assert.deepEqual(factsOf(must(await log.read(id))), TOLD)
  assert.equal(must(await engine.session(id)).private, true)
  const kept = async () =>
    must(await log.memory.list({ limit: 9 })).items.map(item => `${item.kind} ${item.session === id ? '' : 'fork '}${item.seq}`)
  assert.deepEqual(await kept(), ['fold 18', 'fold 17', 'pin 11'])
  const fork = must(await engine.fork(id, 17))
  assert.equal(fork.private, true)
  assert.deepEqual((await kept()).toSorted(), ['fold 17', 'fold 18', 'fold fork 15', 'fold fork 17', 'pin 11', 'pin fork 11'])
  assert.equal(must(await engine.import(bytesOf(file))).skipped, 1, 'it is here already')
  must(await engine.remove(id))
  assert.deepEqual((await kept()).toSorted(), ['fold fork 15', 'fold fork 17', 'pin fork 11'])
})

test('an archive with the older form of a fold comes in, and leaves in the form of today', async t => {
  const log = await openSqlite(t, join(temporaryFolder(t), 'turnwise.db'))
  const engine = engineWith({ log })
  t.after(() => engine.close(0))
  const facts: readonly Fact[] = [
    ...exchange(1, 'trn_1' as TurnId, 'Rain?', 'Yes.'),
    { type: 'history.folded', from: 1, to: 5, by: 'person', text: 'It rained.' },
    { type: 'message.marked', target: 1, mark: 'exclude' },
  ]
  const today = await archiveOf(sessionOf(id, { preview: 'Rain?', messages: 2 }), facts)
  const old = today.replace('"from":1,"to":5,"by":"person",', '"through":5,')
  assert.notEqual(old, today)
  must(await engine.import(bytesOf(old)))
  assert.equal(await exportedFrom(engine, id), today)
  assert.equal(must(await engine.import(bytesOf(old))).skipped, 1)
  assert.equal(must(await engine.import(bytesOf(today))).skipped, 1)
  const { folds } = must(await log.past(id, { from: { seq: 6 }, folds: true }))
  assert.deepEqual(
    folds.map(({ from, to, by }) => [from, to, by]),
    [[1, 5, 'person']],
  )
})
