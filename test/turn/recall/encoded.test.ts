// Recall with the optional encoder: every message gets a vector in the background, and look-ups use it once nearly all have one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreOf } from '../../../src/context/recall/score.ts'
import { weigh } from '../../../src/context/text/tokens.ts'
import { memoryLog } from '../../../src/log/memory/memory-log.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Encoder } from '../../../src/turn/recall/encoder.ts'
import { encodeMessages } from '../../../src/turn/recall/fill/encode-messages.ts'
import { fillIndex } from '../../../src/turn/recall/fill/fill-index.ts'
import { lookUp } from '../../../src/turn/recall/look-up/look-up.ts'
import { eventSource } from '../../../src/turn/recall/recall-thread.ts'
import { heard, must, sessionOf } from '../../log/facts.ts'

const SESSION = 'ses_encoded' as SessionId

/** Knows what a text is about, as no counting of words does: everything about animals is alike. */
const encoder: Encoder = {
  model: 'minilm-l6-v2',
  dimensions: 384,
  encode: async texts => texts.map(text => vectorOf(/dog|puppy|pet|cat/i.test(text) ? 0 : 1)),
}

function vectorOf(dimension: number): Int8Array {
  const vector = new Int8Array(384)
  vector[dimension] = 127
  return vector
}

const query = (through: number) => ({
  ...{ text: 'What pet does she have, and where does it sleep?', at: '2026-01-02T00:00:00.000Z', through, voice: 'a' },
  ...{ view: 'all' as const, excluded: [], names: {} },
})

async function talkOf(many: number) {
  const log = memoryLog({ clock: () => Date.UTC(2026, 0, 1), weigh })
  must(await log.open(sessionOf(SESSION)))
  const texts = Array.from({ length: many }, (_, index) =>
    index === 7 ? 'We brought a puppy home today' : `The train was late again, number ${index}`,
  )
  must(await log.append(SESSION, texts.map(heard)))
  const source = eventSource(log)
  for (let isDone = false; !isDone; )
    isDone = must(await fillIndex(log.recall, source, SESSION, { vectors: undefined, limit: 50 })).isDone
  return { log, source }
}

test('every message gets a vector, block by block, and a look-up is by meaning from then on', async () => {
  const { log, source } = await talkOf(150)
  const byWords = must(await lookUp(log.recall, SESSION, query(150), undefined, scoreOf, encoder))
  assert.equal(byWords.vectors, null, 'no message has a vector yet')
  let steps = 0
  for (let isDone = false; !isDone; steps += 1) isDone = must(await encodeMessages(log.recall, source, SESSION, encoder)).isDone
  assert.equal(steps, 3, '150 passages are three blocks')
  const found = must(await lookUp(log.recall, SESSION, query(150), undefined, scoreOf, encoder))
  assert.equal(found.vectors, 'encoder:minilm-l6-v2')
  const best = found.candidates.toSorted((a, b) => b.score - a.score)[0]
  assert.deepEqual(best?.seqs, [8], 'the puppy, though no word is the same')
})

test('messages without a vector yet are left out while they are few, and send the look-up back to words when they are many', async () => {
  const { log, source } = await talkOf(100)
  for (let isDone = false; !isDone; ) isDone = must(await encodeMessages(log.recall, source, SESSION, encoder)).isDone
  const more = async (many: number): Promise<void> => {
    must(
      await log.append(
        SESSION,
        Array.from({ length: many }, () => heard('Another train')),
      ),
    )
    must(await fillIndex(log.recall, source, SESSION, { vectors: undefined, limit: 500 }))
  }
  await more(20)
  const few = must(await lookUp(log.recall, SESSION, query(200), undefined, scoreOf, encoder))
  assert.equal(few.indexedThrough, 100)
  assert.equal(few.candidates.length, 100)
  await more(1)
  const many = must(await lookUp(log.recall, SESSION, query(200), undefined, scoreOf, encoder))
  assert.equal(many.vectors, null)
  assert.equal(many.candidates.length, 121)
  assert.equal(must(await encodeMessages(log.recall, source, SESSION, encoder)).isDone, true)
  const again = must(await lookUp(log.recall, SESSION, query(200), undefined, scoreOf, encoder))
  assert.equal(again.candidates.length, 121)
  assert.equal(again.vectors, 'encoder:minilm-l6-v2')
})
