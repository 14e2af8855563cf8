import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FoldMessage } from '../../../src/context/fold/fold-messages.ts'
import { mustNotBeLost } from '../../../src/context/fold/must-not-be-lost.ts'
import { finishSteps } from '../../../src/context/fold/steps.ts'
import { measure } from '../../support/material.ts'
import { tries } from '../../support/tries.ts'
import { talk, withResult } from './said.ts'

const listOf = (stretch: readonly FoldMessage[], later: readonly FoldMessage[] = [], most = 400): readonly string[] =>
  finishSteps(mustNotBeLost({ stretch, later, most, measure }))

test('names, numbers, dates, ids, paths and addresses are listed, numbers and dates in their words', () => {
  const list = listOf(
    talk(
      'Please move the staging server to port 4711. It is src/server/listen.ts that has to change.',
      'Done on 7 May 2024. I told Bob Miller (bob@example.org), and https://status.example/a?b=1 says so.',
    ),
  )
  const text = list.join('\n')
  for (const wanted of ['src/server/listen.ts', 'Bob Miller', 'bob@example.org', 'https://status.example/a?b=1'])
    assert.ok(text.includes(wanted), `${wanted} in ${text}`)
  assert.ok(list.includes('- Please move the staging server to port 4711'), text)
  assert.ok(list.includes('- Done on 7 May 2024'), text)
})

test('what is used again later comes first, then what is mentioned most often, then by place', () => {
  const said = talk('alpha_one, beta_two, gamma_three', 'beta_two', 'delta_four', 'gamma_three beta_two')
  const later = talk('What about delta_four?')
  assert.deepEqual(listOf(said, later, 60), ['- delta_four', '- beta_two, gamma_three, alpha_one'])
  assert.deepEqual(listOf(said, later, 4), ['- delta_four'])
})

test('something is listed in its words only where that leaves room for all others that are used again', () => {
  const said = talk('The staging server has port 4711 for now.', 'The database has port 5432 for now.')
  const later = talk('Is 4711 free? And 5432?')
  assert.deepEqual(listOf(said, later, 60), [
    '- The staging server has port 4711 for now',
    '- The database has port 5432 for now',
  ])
  assert.deepEqual(listOf(said, later, 8), ['- 4711, 5432'])
})

test('the marks of a list in the words are not repeated', () => {
  assert.deepEqual(listOf(talk('Flights:\n- DFW to ATL on 28 May\n* gate 12'), [], 60).slice(0, 1), ['- DFW to ATL on 28 May'])
})

test('where not all that is used again fits, nothing else is listed', () => {
  const long = `id_${'very_long_'.repeat(7)}9`
  assert.deepEqual(listOf(talk('ab_1 ab_1', long, 'cd_2'), talk('ab_1', long), 14), ['- ab_1'])
  assert.deepEqual(listOf(talk('ab_1 ab_1', 'cd_2'), talk('ab_1'), 14), ['- ab_1 ab_1', '- cd_2'])
})

test('each thing is listed once, however it is written', () => {
  const list = listOf(talk('Use API_KEY and api_key and ＡＰＩ＿ＫＥＹ.', 'And API_KEY again.')).join('\n')
  assert.equal(list.match(/api_key/gi)?.length, 1, list)
})

test('ordinary words with marks between them and words at the beginning of sentences are not listed', () => {
  assert.deepEqual(listOf(talk('Follow-up and/or e-mail, e.g. a well-known one. Sometimes. Nothing else.')), [])
})

test('speakers and the keys of records are not listed', () => {
  const list = listOf([...talk('Hello Assistant, I am the User.'), withResult('{"order_number": "W-4711", "kept": true}')]).join(
    '\n',
  )
  assert.ok(list.includes('W-4711'), list)
  assert.ok(!/^- .*User/m.test(list), list)
  assert.ok(!list.includes('- order_number'), list)
})

test('German nouns are not taken for names, people and companies are', () => {
  const list = listOf(
    talk(
      'Ich habe mit Herrn Schröder über die Rechnung und das Angebot gesprochen, der Termin ist am Montag.',
      'Gut. Die Rechnung der Firma Siemens liegt im Ordner, und die Besprechung war kurz.',
    ),
  ).join('\n')
  for (const wanted of ['Herrn Schröder', 'Firma Siemens']) assert.ok(list.includes(wanted), list)
  for (const noun of ['Rechnung', 'Angebot', 'Ordner', 'Besprechung']) assert.ok(!list.includes(noun), list)
})

test('Japanese and Chinese texts give their numbers, dates, ids and quoted names', () => {
  const japanese = listOf(talk('田中さんが「青い鳥」を予約しました。サーバーはport4711で、2024年5月7日までに1200円です。')).join(
    '\n',
  )
  for (const wanted of ['田中', '青い鳥', 'port4711', '2024年5月7日', '1200']) assert.ok(japanese.includes(wanted), japanese)
  const chinese = listOf(talk('王先生说《红楼梦》的订单号是W123456，价格是350元，文件在/home/app/data.json里。')).join('\n')
  for (const wanted of ['红楼梦', 'W123456', '350', '/home/app/data.json']) assert.ok(chinese.includes(wanted), chinese)
})

const word = fc.constantFrom(
  'the',
  'server',
  'wants',
  'a',
  'port',
  'and',
  'we',
  'said',
  'because',
  'nothing',
  'häufig',
  '東京',
  'です。',
)
const id = fc.oneof(
  fc.tuple(fc.constantFrom('run', 'order', 'user'), fc.nat({ max: 9999 })).map(([name, number]) => `${name}_${number}`),
  fc.tuple(fc.constantFrom('src', 'lib'), fc.constantFrom('a', 'bee'), fc.nat({ max: 99 })).map(parts => `${parts.join('/')}.ts`),
)
const text = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: word },
      { weight: 1, arbitrary: id },
      { weight: 1, arbitrary: fc.constantFrom('1,200', '7 May 2024', 'Bob Miller.', '\n- ') },
    ),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .map(words => words.join(' '))

test('the list is literal and within its tokens', () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 6 }),
      fc.array(text, { maxLength: 3 }),
      fc.integer({ min: 0, max: 300 }),
      (said, later, most) => {
        const list = listOf(talk(...said), talk(...later), most)
        assert.ok(measure.count(list.join('\n')) <= most, `${measure.count(list.join('\n'))} of ${most}: ${list.join('\n')}`)
        for (const line of list) {
          const own = line.slice('- '.length)
          const isSlice = said.some(each => each.includes(own))
          assert.ok(isSlice || own.split(', ').every(part => said.some(each => each.includes(part))), line)
        }
      },
    ),
    tries(1000),
  )
})

test('identifiers that are used later come first, and all of them are listed whenever they fit', () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 6 }),
      fc.uniqueArray(id, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 20, max: 200 }),
      (said, used, most) => {
        const stretch = [...said, used.join(' and ')]
        const list = listOf(talk(...stretch), talk(used.join(', ')), most)
        const whole = list.join('\n')
        const listed = used.filter(each => whole.includes(each))
        const fits = measure.count(`- ${used.join(', ')}`) + 2 <= most
        if (fits) assert.deepEqual(listed, used, whole)
        else assert.ok(listed.length > 0 || most < 40, whole)
      },
    ),
    tries(1000),
  )
})
