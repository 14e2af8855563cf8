import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decides } from '../../../src/context/fold/decision-cues.ts'
import { nameWriting, possibleNames } from '../../../src/context/fold/names-in.ts'
import { notablesIn } from '../../../src/context/fold/notable.ts'
import { datesIn, numberKey } from '../../../src/context/fold/same-value.ts'
import { wholeSentences } from '../../../src/context/fold/whole-sentences.ts'

const names = (text: string): readonly string[] =>
  possibleNames(text, nameWriting(text)).map(({ from, to, sign }) => `${sign} ${text.slice(from, to)}`)

test('capitals inside of sentences are names, and so are several in a row, without ordinary words at their ends', () => {
  assert.deepEqual(names("Anna met Bob Miller at the Grand Hotel. Then Carla's dog came with Dr. Smith on Monday to New York."), [
    'start Anna',
    'sure Bob Miller',
    'sure Grand Hotel',
    'sure Carla',
    'sure Dr. Smith',
    'sure New York',
  ])
})

test('in German a noun may be a name behind a preposition, and is none behind an article', () => {
  assert.deepEqual(names('Ich war mit Anna bei der Arbeit und habe Herrn Müller die Rechnung aus Berlin gegeben.'), [
    'noun Anna',
    'common Arbeit',
    'sure Herrn Müller',
    'common Rechnung',
    'noun Berlin',
  ])
})

test('in Japanese and Chinese, names are quoted, have a title or are Latin', () => {
  assert.deepEqual(names('田中さんが「青い鳥」を読みました。皆さんはGitHubを使う。'), ['sure 田中', 'sure 青い鳥', 'sure GitHub'])
  assert.deepEqual(names('王先生说《红楼梦》很好看。'), ['sure 王', 'sure 红楼梦'])
})

test('numbers and dates have one way of writing', () => {
  const keys = {
    '1,200': '1200',
    '1.200': '1200',
    "1'200": '1200',
    '12.50': '12.5',
    '1.234,56': '1234.56',
    '0.125': '0.125',
    '007': '7',
  }
  for (const [written, key] of Object.entries(keys)) assert.equal(numberKey(written), key, written)
  for (const same of ['14:30', '1.2.3', '192.168.0.1']) assert.equal(numberKey(same), same)
  for (const text of [
    '7 May 2023',
    'May 7th, 2023',
    '7. Mai 2023',
    '2023-05-07',
    '7.5.2023',
    'el 7 de mayo de 2023',
    '7 maja 2023',
    '2023年5月7日',
  ])
    assert.deepEqual(
      datesIn(text).map(({ days, year }) => [days.includes('5-7'), year]),
      [[true, '2023']],
      text,
    )
  assert.deepEqual(datesIn('in 5 marches, 99.99.2023'), [])
})

test('ids, paths and addresses are found without the marks around them', () => {
  const text =
    'See (https://a.example/x?y=1,2), mail bob@x.org; src/fold.ts:12 and /etc/passwd, W123456, fooBar, and/or e.g. follow-up.'
  assert.deepEqual(
    notablesIn(text).map(({ from, to }) => text.slice(from, to)),
    ['https://a.example/x?y=1,2', 'bob@x.org', 'src/fold.ts:12', '/etc/passwd', 'W123456', 'fooBar'],
  )
})

test('the dot of a day ends no sentence', () => {
  const text = 'Abflug ist am 8. Mai. Danach ist Ruhe.'
  assert.deepEqual(
    wholeSentences(text).map(({ from, to }) => text.slice(from, to)),
    ['Abflug ist am 8. Mai.', 'Danach ist Ruhe.'],
  )
})

test('decisions are known in all languages, by whole words', () => {
  for (const plain of [
    'we decided on postgres',
    'wir haben uns entschieden',
    'on a decide, convenu pour lundi',
    'hemos acordado el precio',
    'abbiamo deciso oggi',
    'ficou combinado',
    'we hebben besloten',
    'ustalilismy termin',
    '来週までに決めました',
    '我们决定用这个',
  ])
    assert.ok(decides(plain), plain)
  for (const plain of ['an undecidedly long walk', 'das wetter ist schon', '今日は晴れ']) assert.ok(!decides(plain), plain)
})
