// Holds which days a question names, in ten languages, and the arithmetic of days.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayNumberOf, dayText, spansIn } from '../../../../src/context/recall/language/dates.ts'
import { tries } from '../../../support/tries.ts'
import { cpuTime } from './cpu-time.ts'

/** A Friday. */
const AT = '2024-03-15T10:00:00Z'

const read = (question: string, at = AT): string =>
  spansIn(question, at)
    .map(({ from, to }) => (from === to ? dayText(from) : `${dayText(from)}..${dayText(to)}`))
    .join(', ')

const SAME: Readonly<Record<string, readonly string[]>> = {
  '2024-01-14': [
    ...[
      'What was on 2024-01-14?',
      '14.01.2024',
      '14. 1. 2024',
      '14/01/2024',
      '01/14/2024',
      '14-01-2024',
      '2024/01/14',
      '14.1.24',
      '2024-01-14T10:00',
    ],
    ...[
      '2024年1月14日',
      '２０２４年１月１４日',
      '1月14日に何をした？',
      'Was war am 14.1.?',
      'What happened on January 14th?',
      'on Jan 14',
    ],
  ],
  '2023-05-07': [
    ...[
      '7 May 2023',
      'May 7, 2023',
      'may 7',
      'What did I do on the 7th of May, 2023?',
      'on May 7th',
      '7. Mai',
      'Was war am 7. Mai 2023?',
      '7 mai 2023',
    ],
    ...[
      "Qu'est-ce que j'ai fait le 7 mai ?",
      '¿Qué dije el 7 de mayo de 2023?',
      'Cosa ho fatto il 7 maggio 2023?',
      'O que eu fiz em 7 de maio de 2023?',
    ],
    ...['Wat deed ik op 7 mei 2023?', 'Co robiłem 7 maja 2023 roku?', '5月7日'],
  ],
  '2023-06-01..2023-06-30': [
    ...[
      'in June',
      'What did we do in june?',
      'June 2023',
      'last June',
      'June last year',
      'Was haben wir im Juni gemacht?',
      'en juin 2023',
      'On y est allé en juin ?',
    ],
    ...[
      '¿Qué hicimos en junio?',
      'junio de 2023',
      'Dove siamo andati a giugno?',
      'Onde fomos em junho?',
      'Waar waren we in juni?',
      'Gdzie byliśmy w czerwcu?',
    ],
    ...['6月にどこに行った？', '六月に何をした？', '2023年6月', '去年6月', '我六月去了哪里？', '2023-06'],
  ],
  '2023-01-01..2023-12-31': [
    ...[
      'in 2023',
      'last year',
      'What happened during 2023?',
      'Was war letztes Jahr?',
      'im Jahr 2023',
      "Où suis-je allé l'année dernière ?",
      'en 2023',
    ],
    ...[
      'el año pasado',
      "l'anno scorso",
      'no ano passado',
      'Wat deed ik vorig jaar?',
      'w zeszłym roku',
      '2023年',
      '去年何をした？',
      '去年我去了哪里',
      'a year ago',
    ],
  ],
  '2024-03-14': [
    ...[
      'yesterday',
      'What did I say yesterday?',
      'gestern',
      'hier',
      'ayer',
      'ieri',
      'ontem',
      'gisteren',
      'wczoraj',
      '昨日',
      '昨天',
      '昨日何をした？',
      '我昨天说了什么？',
    ],
    ...['last night', 'one day ago', 'vor einem Tag', 'Qu’ai-je mangé hier ?'],
  ],
  '2024-03-13': [
    'the day before yesterday',
    'vorgestern',
    'avant-hier',
    'anteayer',
    "l'altro ieri",
    'anteontem',
    'eergisteren',
    'przedwczoraj',
    '一昨日',
    '前天',
  ],
  '2024-03-15': ['today', 'heute', "aujourd'hui", 'hoy', 'oggi', 'hoje', 'vandaag', 'dzisiaj', '今日', '今天', 'this morning'],
  '2024-03-04..2024-03-10': [
    ...[
      'last week',
      'a week ago',
      'letzte Woche',
      'vor einer Woche',
      'la semaine dernière',
      'il y a une semaine',
      'la semana pasada',
      'hace una semana',
    ],
    ...[
      'la settimana scorsa',
      'una settimana fa',
      'na semana passada',
      'há uma semana',
      'vorige week',
      'een week geleden',
      'w zeszłym tygodniu',
      'tydzień temu',
    ],
    ...['先週', '1週間前', '上周', '上个星期', '一周前'],
  ],
  '2024-02-01..2024-02-29': [
    ...[
      'last month',
      'letzten Monat',
      'le mois dernier',
      'el mes pasado',
      'il mese scorso',
      'no mês passado',
      'vorige maand',
      'w zeszłym miesiącu',
      '先月',
    ],
    ...['上个月', 'a month ago', 'in February', '1か月前', '一个月前'],
  ],
  '2024-03-12': [
    ...[
      'three days ago',
      '3 days ago',
      'vor drei Tagen',
      'vor 3 Tagen',
      'il y a trois jours',
      'hace 3 días',
      'tres días atrás',
      'tre giorni fa',
      'há três dias',
    ],
    ...[
      '3 dias atrás',
      'drie dagen geleden',
      'trzy dni temu',
      '3日前',
      '三日前',
      '三天前',
      '3天前',
      'last Tuesday',
      'on Tuesday',
      'am Dienstag',
    ],
    ...['mardi', 'el martes', 'martedì', 'na terça-feira', 'dinsdag', 'we wtorek', '火曜日', '星期二', '周二'],
  ],
  '2024-03-08': [
    'last Friday',
    'on Friday',
    '先週の金曜日',
    '上周五',
    '上个星期五',
    'letzte Woche Freitag',
    'Was war am Freitag?',
  ],
  '2024-03-01..2024-03-31': ['in March', 'this month', 'im März', 'im Maerz', 'in marzo'],
  '2023-05-01..2023-05-31': ['in May', 'What did we do in May?', 'May 2023', 'im Mai', 'w maju', '五月'],
  '2024-01-01..2024-01-31': ['two months ago', 'a couple of months ago', 'in January'],
  '2023-05-01..2023-05-31, 2023-06-01..2023-06-30': ['between May and June', 'in May or June'],
  '2020-02-29': ['29 February 2020'],
  '2024-02-29': ['February 29', '29.02.2024'],
  '': [
    ...[
      '',
      'may I go?',
      'May I go?',
      'it may rain in may',
      'they march in line',
      '31.02.2024',
      '31 February 2023',
      '31.02.',
      '2024-13-01',
      '00/00/2024',
      '32.13.2023',
    ],
    ...[
      'version 1.2.3',
      '1.2.3.4',
      'at 12:30',
      'call 2023',
      'I have 3 days',
      'month',
      '一周一次',
      'room 2001',
      '99999-01-01',
      '2024年13月',
    ],
    ...['Was mai ist', 'a sunny set of 3', 'in 20233'],
  ],
}

for (const [days, questions] of Object.entries(SAME)) {
  for (const question of questions) test(`"${question}" is ${days || 'no day'}`, () => assert.equal(read(question), days))
}

test('a day without a year is the latest one that is not to come', () => {
  assert.equal(read('on March 15'), '2024-03-15')
  assert.equal(read('on March 16'), '2023-03-16')
  assert.equal(read('on February 29', '2023-06-01T00:00:00Z'), '2020-02-29')
  assert.equal(read('in December', '2024-12-01T00:00:00Z'), '2024-12-01..2024-12-31')
  assert.equal(read('last month', '2024-01-31T00:00:00Z'), '2023-12-01..2023-12-31')
  assert.equal(read('on Friday', '2024-03-16T00:00:00Z'), '2024-03-15')
  assert.equal(read('上周五', '2024-03-16T00:00:00Z'), '2024-03-08')
})

test('a time that is none gives no days, and zones are counted', () => {
  assert.deepEqual(spansIn('yesterday', 'no time'), [])
  assert.equal(dayText(dayNumberOf('2024-03-15T23:30:00-02:00')), '2024-03-16')
  assert.equal(dayText(dayNumberOf('2024-03-15T23:30:00')), '2024-03-15')
  assert.equal(dayText(dayNumberOf('2024-03-15')), '2024-03-15')
  assert.equal(dayNumberOf('1970-01-01'), 0)
  assert.ok(Number.isNaN(dayNumberOf('')))
})

test('a day has the text that the calendar gives it', () => {
  fc.assert(
    fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), day => {
      assert.equal(dayText(day), new Date(day * 86_400_000).toISOString().slice(0, 10))
      assert.equal(dayNumberOf(dayText(day)), day)
    }),
    tries(500),
  )
})

test('no text makes it throw, and every span begins before it ends', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'May',
      'mai',
      '31',
      '2024',
      '.',
      '/',
      '-',
      ' ',
      'days ago',
      'last',
      'Friday',
      '月',
      '日',
      '年',
      '前',
      '\u0000',
      'in',
      '\ud800',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.nat(99_999).map(String),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), parts => {
      for (const joined of [parts.join(' '), parts.join('')]) {
        for (const { from, to } of spansIn(joined, AT)) assert.ok(Number.isInteger(from) && from <= to)
      }
    }),
    tries(500),
  )
})

test('at most twenty days are read, and hostile texts of a megabyte take less than a second', () => {
  assert.equal(
    spansIn(Array.from({ length: 28 }, (_, day) => `2024-01-${String(day + 1).padStart(2, '0')}`).join(' '), AT).length,
    20,
  )
  for (const unit of ['1', '1.', '1/', 'May ', 'in ', ' ', 'last ', '3 days ', '一', '年', '1 ', 'vor ', '2024-']) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    const begin = cpuTime()
    spansIn(text, AT)
    assert.ok(cpuTime() - begin < 1000, unit)
  }
})
