// Which messages a log has for the index: what people said, and each answer once it is an answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageTexts } from '../../../src/context/recall/message-texts.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import { SYNTHESIS, TITLE } from '../../../src/model/settings/council.ts'
import { indexMessage, RULE_MARK } from '../../../src/turn/recall/fill/index-message.ts'
import { readMessages } from '../../../src/turn/recall/fill/read-messages.ts'
import { broken, ended, finished, heard, must, started, text, turn } from '../../log/facts.ts'
import { recorded } from '../../support/material.ts'
import { sourceOf } from './support/index-of.ts'
import { SESSION } from './support/random-log.ts'

const CAUSE = 1
const A = turn('a')
const B = turn('b')
const C = turn('c')
const resumes = (id: TurnId, before: TurnId, continues = false): Fact => ({
  ...{ type: 'turn.started', turn: id, voice: 'assistant', cause: CAUSE, resumes: before },
  ...(continues ? { continues: true as const } : {}),
})

/** The messages of a log as seqs and words, and which answers were replaced since when. */
async function read(...facts: readonly Fact[]) {
  const events = recorded(facts)
  const source = sourceOf(events)
  const found = await readMessages(events, async (id, through) => must(await source.eventsOfTurn(SESSION, id, through)))
  return {
    messages: found.messages.map(({ events: own, voice, completed }) => ({
      ...{ seqs: own.map(({ seq }) => seq), voice, completed },
      words: messageTexts(own).map(each => each.text),
    })),
    replaced: found.replaced,
  }
}

test('what people said is there at once, an answer when its turn has ended', async () => {
  const facts = [heard('Hello'), started(A, CAUSE), finished(A, 1, text('Good'), text(' day'))]
  assert.deepEqual((await read(...facts)).messages, [{ seqs: [1], voice: '', completed: 1, words: ['Hello'] }])
  assert.deepEqual((await read(...facts, ended(A))).messages[1], {
    ...{ seqs: [3], voice: 'assistant', completed: 4, words: ['Good\n\n day'] },
  })
})

test('only turns that ended as answers count, and nothing of the house does', async () => {
  const endings = { done: 1, limit: 1, cancelled: 1, failed: 0, interrupted: 0 } as const
  for (const [reason, many] of Object.entries(endings)) {
    const { messages } = await read(
      heard('x'),
      started(A, CAUSE),
      finished(A, 1, text('y')),
      ended(A, reason as keyof typeof endings),
    )
    assert.equal(messages.length, 1 + many, reason)
  }
  for (const voice of [SYNTHESIS, TITLE]) {
    const { messages } = await read(
      ...[heard('x'), { type: 'turn.started', turn: A, voice, cause: CAUSE } as const, finished(A, 1, text('y'))],
      { type: 'turn.ended', turn: A, voice, reason: 'done' },
    )
    assert.equal(messages.length, 1, voice)
  }
  const { messages } = await read({ type: 'message.received', text: 'go on among yourselves', from: 'council' })
  assert.deepEqual(messages, [])
})

test('thinking and calls are no words; results and text files are, with their names', async () => {
  const { messages } = await read(
    {
      ...{ type: 'message.received', text: 'Look', from: 'person' },
      parts: [{ type: 'text', name: 'a.md', mediaType: 'text/markdown', text: 'in the file' }],
    },
    started(A, CAUSE),
    finished(A, 1, { type: 'think', text: 'hm' }, text('I look.'), {
      type: 'call',
      call: 'c1',
      tool: 'look',
      args: { at: 'secret' },
    }),
    { type: 'tool.settled', turn: A, call: 'c1', tool: 'look', ok: true, outcome: 'found', content: 'a kettle', ms: 1 },
    finished(A, 2, text('There.')),
    ended(A),
  )
  assert.deepEqual(
    messages.map(({ words }) => words),
    [
      ['Look', 'in the file'],
      ['I look.\n\nThere.', 'found\n\na kettle'],
    ],
  )
})

test('an answer that was cut and gone on with is one message, and its beginning no longer counts', async () => {
  const cut = { ...finished(A, 1, text('one tw')), stop: 'length' } as Fact
  const facts = [heard('x'), started(A, CAUSE), cut, ended(A), resumes(B, A, true), finished(B, 2, text('o three')), ended(B)]
  const { messages, replaced } = await read(...facts)
  assert.deepEqual(messages.at(-1), { seqs: [3, 6], voice: 'assistant', completed: 7, words: ['one two three'] })
  assert.deepEqual(replaced, [[3, 7]])
})

test('an answer that is tried again no longer counts from then on, whichever turns it came from', async () => {
  const stopped = [heard('x'), started(A, CAUSE), broken(A, 1, text('no')), ended(A, 'cancelled')]
  const once = await read(...stopped, resumes(B, A), finished(B, 1, text('yes')), ended(B))
  assert.deepEqual(once.replaced, [[3, 5]])
  // Cut, gone on with, stopped, and tried again: the message begins with the first of these turns.
  const cut = { ...finished(A, 1, text('one tw')), stop: 'length' } as Fact
  const { messages, replaced } = await read(
    ...[heard('x'), started(A, CAUSE), cut, ended(A), resumes(B, A, true), broken(B, 2, text('o thr')), ended(B, 'cancelled')],
    ...[resumes(C, B), finished(C, 1, text('whole')), ended(C)],
  )
  assert.deepEqual(
    messages.map(({ seqs }) => seqs),
    [[1], [3], [3, 6], [9]],
  )
  assert.deepEqual(replaced, [
    [3, 7],
    [3, 8],
  ])
})

test('two turns that say they go on with each other end the search, not the process', async () => {
  const { messages } = await read(heard('x'), resumes(A, B, true), resumes(B, A, true), finished(A, 1, text('y')), ended(A))
  assert.equal(messages.length, 2)
})

test('of a message the index keeps its passages without the name, its facts, and what marks a rule', async () => {
  const [event] = recorded([heard('Ada Lovelace: From now on always use metric units. I prefer them, do you?')])
  assert.ok(event)
  const kept = indexMessage({ events: [event], completed: 1, at: '2024-01-14T10:00:30Z', voice: '', to: [] }, undefined)
  assert.ok(kept)
  assert.deepEqual(
    [kept.message.name, kept.message.asks, kept.message.statesRule, kept.message.statesWish, kept.message.speaksOfSelf],
    ['Ada Lovelace', true, true, true, true],
  )
  assert.equal(kept.message.minute, Date.parse('2024-01-14T10:00:00Z') / 60_000)
  assert.deepEqual(
    kept.passages.map(({ from }) => from),
    ['Ada Lovelace: '.length],
  )
  const terms = new Map(kept.terms[0])
  assert.equal(terms.get('metric'), 1)
  assert.equal(terms.get(RULE_MARK), 1)
  assert.ok(!terms.has('ada') && terms.has('^ada'), 'the name is not among the words')
  const blank = recorded([heard('  \n ')])
  assert.equal(indexMessage({ events: blank, completed: 1, at: '', voice: '', to: [] }, undefined), undefined)
})
