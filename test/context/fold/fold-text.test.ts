import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  composeFold,
  FOLD_PROMPT,
  foldInstruction,
  lengthWords,
  listRoom,
  summaryIn,
  withinTokens,
} from '../../../src/context/fold/fold-text.ts'
import { measure } from '../../support/material.ts'
import { tries } from '../../support/tries.ts'

test('the instruction names the stretch by its first and last words, on one line and without quotes or brackets of its own', () => {
  const text = foldInstruction({
    first: { words: 'Please "plan" [our]\ntrip to Lisbon for the second week of May, with Bob and his dog.' },
    last: { words: 'That was long. So the flight is booked and the hotel will be booked by you tomorrow morning.' },
    messages: 58,
    tokens: 400,
  })
  assert.ok(
    text.includes('58 messages, from the one that begins with "Please plan our trip to Lisbon for the second week of May,"'),
    text,
  )
  assert.ok(text.includes('to the one that ends with "is booked and the hotel will be booked by you tomorrow morning."'), text)
  assert.ok(text.includes('use no tools'), text)
  assert.ok(text.includes('Write in the language that the person writes in.'), text)
  assert.ok(text.endsWith('At most 240 words.]'), text)
  assert.ok(FOLD_PROMPT.includes('These are the messages'))
})

test('a message of one endless word is named by its beginning or end', () => {
  const words = '😀'.repeat(500)
  const text = foldInstruction({ first: { words }, last: { words }, messages: 2, tokens: 100 })
  assert.ok(text.isWellFormed())
  assert.ok(text.length < 2000)
})

test('a summary is never asked for in fewer than thirty words', () => {
  assert.equal(lengthWords(10), 'At most 30 words.')
  assert.equal(lengthWords(333), 'At most 190 words.')
})

test('introductions, headings, fences, tags and thoughts around a summary are not part of it', () => {
  const own = '- Anna flies to Lisbon.\n- Bob waits.'
  for (const answer of [
    own,
    `Here is the summary:\n\n${own}`,
    `Sure! Here's a summary of the conversation so far:\n${own}`,
    `Hier ist die Zusammenfassung:\n\n${own}`,
    `Voici le résumé :\n${own}`,
    `以下は要約です：\n${own}`,
    `## Summary\n\n${own}`,
    `**Zusammenfassung:**\n${own}`,
    `**Summary of the chat**\n\n${own}`,
    `Summary: ${own}`,
    `\`\`\`markdown\n${own}\n\`\`\``,
    `Here is the summary:\n\n\`\`\`\n${own}\n\`\`\``,
    `<think>\nThe person wants…\n</think>\n\n${own}`,
    `<summary>\n${own}\n</summary>`,
  ])
    assert.equal(summaryIn(answer), own, answer)
})

test('a fence inside of a summary, and a colon in its first sentence, stay', () => {
  const code = 'The script is:\n\n```sh\nnpm test\n```\n\nIt works.'
  assert.equal(summaryIn(code), code)
  assert.equal(summaryIn('Decided: use Postgres.'), 'Decided: use Postgres.')
  assert.equal(summaryIn('Summary writing was postponed.'), 'Summary writing was postponed.')
  assert.equal(summaryIn('   '), '')
})

test('a fold is what happened, then the list under its heading in the same language', () => {
  assert.equal(
    composeFold({ summary: 'Anna flies to Lisbon with the others.', lines: ['- TP571', '- 845.50 euros'] }, 100, measure),
    'Anna flies to Lisbon with the others.\n\nMentioned, word for word:\n- TP571\n- 845.50 euros',
  )
  assert.equal(
    composeFold({ summary: 'Anna fliegt mit den anderen nach Lissabon.', lines: ['- TP571'] }, 100, measure),
    'Anna fliegt mit den anderen nach Lissabon.\n\nWörtlich erwähnt:\n- TP571',
  )
  assert.equal(composeFold({ summary: 'Anna flies.', lines: [] }, 100, measure), 'Anna flies.')
  assert.equal(composeFold({ summary: '', lines: ['- TP571'] }, 100, measure), 'Mentioned, word for word:\n- TP571')
  assert.equal(composeFold({ summary: '', lines: [] }, 100, measure), '')
})

test('a summary that is too long keeps its first whole sentences', () => {
  const text = 'Anna flies to Lisbon. Bob waits at home. Carla has not decided yet.'
  assert.equal(withinTokens(text, 100, measure), text)
  assert.equal(withinTokens(text, 11, measure), 'Anna flies to Lisbon. Bob waits at home.')
  assert.equal(withinTokens(text, 2, measure), '')
})

test('a fold is within its tokens, and a list that was made for its room is whole', () => {
  const sentence = fc.constantFrom(
    'Anna flies to Lisbon. ',
    'Es ist beschlossen, weil es billig ist. ',
    '- a point\n',
    '東京に行きます。',
  )
  const line = fc.constantFrom('- TP571', '- The price is 845.50 euros', '- src/context/fold.ts, docs/trip.md')
  fc.assert(
    fc.property(
      fc.array(sentence, { maxLength: 12 }),
      fc.array(line, { maxLength: 12 }),
      fc.nat({ max: 120 }),
      (sentences, lines, most) => {
        const summary = sentences.join('').trim()
        const text = composeFold({ summary, lines }, most, measure)
        assert.ok(measure.count(text) <= most)
        const room = listRoom(summary, most, measure)
        if (lines.length > 0 && summary !== '' && room > 0 && measure.count(lines.join('\n')) + 2 <= room)
          assert.ok(text.endsWith(lines.join('\n')), text)
      },
    ),
    tries(1000),
  )
})
