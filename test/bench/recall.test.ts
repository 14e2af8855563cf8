// The benchmark of recall: its conversations are always the same and fair, and its measure is right where it can be counted by hand.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Question, RecallConversation } from '../../bench/recall/conversation.ts'
import { madeConversations } from '../../bench/recall/conversations/made.ts'
import { bestPassage, costOf, costOfAll, type Method, scoresOf, summaryOf } from '../../bench/recall/measure.ts'
import { fullTextSearch, trigramSearch } from '../../bench/recall/methods/full-text.ts'
import { ourMethods } from '../../bench/recall/methods/ours.ts'
import { firstAndLast, lastMessages } from '../../bench/recall/methods/windows.ts'

const made = madeConversations()
const CATEGORIES = ['author', 'change', 'date', 'number', 'paraphrase', 'plain', 'rule', 'several']

test('the conversations are the same every time', () => {
  const text = JSON.stringify(made)
  assert.equal(JSON.stringify(madeConversations()), text)
  assert.equal(
    createHash('sha256').update(text).digest('hex'),
    '21adb9c60d10c22e6ebb19207cb5485351564641232dd0d6359adaf5b4a81f20',
  )
})

test('there are eight conversations of some length with enough questions of every category', () => {
  assert.deepEqual(
    made.map(({ id }) => id),
    ['friends', 'group', 'assistant', 'work', 'german', 'spanish', 'japanese', 'mixed'],
  )
  for (const { id, messages, questions } of made) {
    assert.ok(messages.length >= 500, id)
    assert.ok(questions.length >= 40, id)
  }
  const categories = new Set(made.flatMap(({ questions }) => questions.map(({ category }) => category)))
  assert.deepEqual([...categories].sort(), CATEGORIES)
})

test('ids are unique and times never go back', () => {
  for (const { id, messages, questions } of made) {
    assert.equal(new Set(messages.map(message => message.id)).size, messages.length, id)
    assert.equal(new Set(questions.map(question => question.text)).size, questions.length, id)
    for (const [index, { time }] of messages.entries()) assert.ok(time > (messages[index - 1]?.time ?? ''), `${id} ${index}`)
  }
})

test('evidence exists, is not among the last messages, and is not repeated by its question', () => {
  for (const { messages, questions } of made) {
    const places = new Map(messages.map(({ id }, index) => [id, index]))
    for (const { id, text, evidence, category } of questions) {
      assert.ok(evidence.length >= (category === 'several' || category === 'change' ? 2 : 1), id)
      assert.equal(new Set(evidence).size, evidence.length, id)
      for (const each of evidence) {
        const place = places.get(each) ?? Number.POSITIVE_INFINITY
        assert.ok(place < messages.length - 20, `${id}: ${each}`)
        const said = messages[place]?.text ?? ''
        assert.ok(!said.includes(text) && !text.includes(said.replace(/^\S+: /, '')), id)
      }
    }
  }
})

test('passages that matter are in long messages', () => {
  const assistant = made.find(({ id }) => id === 'assistant')
  const hidden = assistant?.questions.flatMap(({ passages = {} }) => Object.entries(passages)) ?? []
  assert.ok(hidden.length > 15)
  for (const [id, passage] of hidden) {
    const { text = '' } = assistant?.messages.find(message => message.id === id) ?? {}
    assert.ok(text.includes(passage) && text.length > 3 * passage.length, id)
  }
})

/** Four messages; one has 2,000 tokens, of which one sentence matters. */
const long = `${'word '.repeat(1000)}.\nThe kettle costs 40 euros.\n${'word '.repeat(999)}word.`
const tiny: RecallConversation = {
  id: 'tiny',
  messages: ['We bought a kettle.', long, 'It is red.', 'Good night.'].map((text, index) => ({
    ...{ id: `m${index + 1}`, role: index % 2 === 0 ? 'user' : 'assistant', text },
    time: `2025-01-0${index + 1}T00:00:00.000Z`,
  })),
  questions: [
    { id: 'q1', text: 'Which colour is the kettle?', evidence: ['m1', 'm3'], category: 'several' },
    { id: 'q2', text: 'What does the kettle cost?', evidence: ['m2'], category: 'number' },
  ],
}

test('shares of evidence are counted by question, whole and by passages', async () => {
  const shows =
    (...texts: readonly string[]): Method['ask'] =>
    () =>
    async question => [...texts, question.text]
  const measured = async (...texts: readonly string[]): Promise<readonly number[]> => {
    const scores = await scoresOf(tiny, await shows(...texts)(tiny), 10_000)
    return scores.flatMap(({ whole, passages }) => [whole, passages])
  }
  assert.deepEqual(await measured(), [0, 0, 0, 0])
  assert.deepEqual(await measured('[2025-01-01 We bought a kettle.]'), [0.5, 0.5, 0, 0])
  assert.deepEqual(await measured('We bought a kettle.', 'It is red.', long), [1, 1, 1, 1])
  assert.deepEqual(await measured('… The kettle costs 40 euros. …'), [0, 0, 0, 1])
  const scores = await scoresOf(tiny, await shows('It is red.', long)(tiny), 10_000)
  assert.deepEqual(summaryOf(scores), { whole: 0.75, passages: 0.75, questions: 2, over: 0 })
})

test('a request above its budget shows nothing', async () => {
  // 'It is red.' has 4 tokens, 'Which colour is the kettle?' 6, 'What does the kettle cost?' 6, and each message 4 more.
  assert.equal(costOf('It is red.'), 8)
  const ask = async ({ text }: { readonly text: string }): Promise<readonly string[]> => ['It is red.', text]
  assert.deepEqual(summaryOf(await scoresOf(tiny, ask, 18)), { whole: 0.25, passages: 0.25, questions: 2, over: 0 })
  assert.deepEqual(summaryOf(await scoresOf(tiny, ask, 17)), { whole: 0, passages: 0, questions: 2, over: 2 })
})

test('the best passage of a long message shares the words of the question', () => {
  const text = `${'One thing. '.repeat(60)}The kettle costs forty. ${'Another thing. '.repeat(60)}`
  const passage = bestPassage('What does the kettle cost?', text)
  assert.ok(passage.includes('The kettle costs forty.') && passage.length <= 500)
})

test('every method stays in its budget, asks the question last, and sends messages as they are', async () => {
  const conversation = made.find(({ id }) => id === 'spanish')
  assert.ok(conversation)
  for (const { name, ask } of [lastMessages, firstAndLast, fullTextSearch, trigramSearch]) {
    const asked = await ask(conversation)
    for (const question of conversation.questions.slice(0, 5)) {
      const texts = await asked(question, 1000)
      assert.equal(texts.at(-1), question.text, name)
      assert.ok(costOfAll(texts) <= 1000, name)
      for (const text of texts.slice(0, -1))
        assert.ok(
          conversation.messages.some(message => message.text === text),
          name,
        )
    }
  }
  for (const { name, ask } of ourMethods) {
    const first: Question | undefined = conversation.questions[0]
    assert.ok(first)
    const asked = await ask(conversation)
    const texts: readonly string[] = await asked(first, 1000)
    assert.ok(texts.at(-1)?.includes(first.text), name)
    assert.ok(costOfAll(texts) <= 1000, name)
  }
})
