import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { extractSentences } from '../../../src/context/fold/extract.ts'
import type { FoldMessage } from '../../../src/context/fold/fold-messages.ts'
import { finishSteps } from '../../../src/context/fold/steps.ts'
import { measure } from '../../support/material.ts'
import { tries } from '../../support/tries.ts'
import { talk } from './said.ts'

const extractOf = (stretch: readonly FoldMessage[], most: number): string =>
  finishSteps(extractSentences({ stretch, most, measure }))

const CHAT = talk(
  'Hi there! How are you today? We have to choose a database for the booking service.',
  'Thanks for asking. Postgres fits the booking service best. There are other ones as well. Some of them are nice.',
  'Alright then. We decided on Postgres 17 because the team knows it. From now on always write migrations in SQL.',
  'Noted. The weather is nice as well. I will write the first migration in db/001.sql tomorrow.',
)

test('decisions, rules and what has ids come before small talk, each line with its speaker, in the order of the chat', () => {
  const lines = extractOf(CHAT, 70).split('\n')
  const text = lines.join('\n')
  assert.ok(
    text.includes('User: We decided on Postgres 17 because the team knows it. From now on always write migrations in SQL.'),
    text,
  )
  assert.ok(text.includes('db/001.sql'), text)
  assert.ok(!text.includes('weather'), text)
  assert.ok(!text.includes('Some of them are nice'), text)
  assert.ok(text.indexOf('decided') < text.indexOf('db/001.sql'), text)
})

test('where something between two sentences of a message is left out, a sign says so', () => {
  const text = extractOf(
    talk('We decided to use Redis for queues. Well, hm, yes. The deadline is 14 March 2026 because of the fair.'),
    40,
  )
  assert.equal(text, 'User: We decided to use Redis for queues. … The deadline is 14 March 2026 because of the fair.')
})

test('what repeats a sentence that was taken is passed over', () => {
  const same = 'We decided to use Postgres for the booking service.'
  assert.equal(extractOf(talk(same, same, same), 100), `User: ${same}`)
})

test('code, tables and headings are no sentences', () => {
  const words =
    '# The big plan for the year\n\nWe decided to keep the parser small.\n\n```ts\nconst we = decided(to, use, this)\n```\n\n| we | decided | on | tables |'
  assert.equal(extractOf(talk(words), 100), 'User: We decided to keep the parser small.')
})

test('nothing is extracted where nothing fits, and from a chat without sentences', () => {
  assert.equal(extractOf(CHAT, 3), '')
  assert.equal(extractOf([], 100), '')
  assert.equal(extractOf(talk('ok', 'fine', '!!!'), 100), '')
})

test('cues of other languages count, too', () => {
  const german = extractOf(
    talk(
      'Hallo, wie geht es dir denn heute so?',
      'Mir geht es gut, danke der Nachfrage.',
      'Ab jetzt antworte bitte immer auf Deutsch und ohne Tabellen.',
    ),
    24,
  )
  assert.equal(german, 'User: Ab jetzt antworte bitte immer auf Deutsch und ohne Tabellen.')
  const japanese = extractOf(
    talk('こんにちは、今日はいい天気ですね。', 'そうですね、本当にいい天気です。', 'これからは必ず日本語で短く答えてください。'),
    24,
  )
  assert.equal(japanese, 'User: これからは必ず日本語で短く答えてください。')
})

const sentence = fc
  .array(
    fc.constantFrom(
      'we',
      'decided',
      'always',
      'the',
      'Server',
      'port',
      '4711',
      'ist',
      'weil',
      'Anna',
      'list_a',
      '決定',
      'はい',
      '"quoted"',
      'a\nb',
    ),
    {
      minLength: 1,
      maxLength: 14,
    },
  )
  .map(words => words.join(' '))
const words = fc
  .array(fc.tuple(sentence, fc.constantFrom('. ', '! ', '? ', '\n\n- ', '。', '\n')), { maxLength: 12 })
  .map(parts => parts.map(([text, end]) => text + end).join(''))

test('an extract is literal, in order and within its tokens', () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), fc.nat({ max: 200 }), (texts, most) => {
      const stretch = talk(...texts).map((message, index) => ({ ...message, speaker: `Speaker ${index}` }))
      const text = extractOf(stretch, most)
      assert.ok(measure.count(text) <= most)
      let before = -1
      for (const line of text === '' ? [] : text.split('\n')) {
        const [, number = '', said = ''] = /^Speaker (\d+): (.*)$/.exec(line) ?? []
        assert.ok(Number(number) > before, line)
        before = Number(number)
        const source = (texts[before] ?? '').replace(/\s+/g, ' ')
        let at = 0
        for (const part of said.split(' … ')) {
          const found = source.indexOf(part, at)
          assert.ok(part !== '' && found !== -1, `${part} in ${source}`)
          at = found + part.length
        }
      }
    }),
    tries(1000),
  )
})
