// Holds what is read off a message: questions, rules, wishes, the first person, and the author's name in front.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorPrefix } from '../../../../src/context/recall/language/author-prefix.ts'
import { asks, speaksOfSelf, statesRule, statesWish } from '../../../../src/context/recall/language/message-facts.ts'
import { cpuTime } from './cpu-time.ts'

type Says = (text: string) => boolean

const FACTS: Readonly<Record<string, readonly [Says, readonly string[], readonly string[]]>> = {
  asks: [
    asks,
    [
      'How are you?',
      'Really?! Good.',
      'She asked "why?" and left',
      'Ça va ?',
      '元気ですか？そうですか',
      'كيف حالك؟',
      'Is it *true?*',
      'ok?\nfine',
    ],
    ['', 'Fine.', 'https://a.test/?q=1', 'a?b', 'see https://a.test/x?y=z now'],
  ],
  'states a rule': [
    statesRule,
    [
      ...[
        'Always answer in French',
        'From now on, use tabs.',
        'You must not use emojis',
        'MAKE SURE TO test it',
        'Whenever I ask, be brief',
      ],
      ...['Bitte antworte immer auf Deutsch', 'Ab sofort bitte kurz', 'Réponds toujours en français', 'Désormais, sois bref'],
      ...[
        'Responde siempre en español',
        'De ahora en adelante, sé breve',
        'Rispondi sempre in italiano',
        "D'ora in poi sii breve",
      ],
      ...[
        'Responda sempre em português',
        'A partir de agora seja breve',
        'Antwoord altijd in het Nederlands',
        'Zawsze odpowiadaj po polsku',
      ],
      ...['今後は日本語で答えてください', '请总是用中文回答', '从现在开始用中文'],
    ],
    [
      '',
      'I went home.',
      'Sideways nevermore',
      'Das ist ein Haus',
      'To nie jest dom, a to jest kot',
      '昨日は雨でした',
      '今天下雨',
    ],
  ],
  'states a wish': [
    statesWish,
    [
      ...[
        'I prefer tea',
        'i’d like it short',
        "I'd rather walk",
        'My favourite color is blue',
        'please write it in French in future',
        'I want to be brief',
      ],
      ...[
        'Ich möchte lieber Tee',
        'Mein Lieblingsbuch ist das',
        'Je préfère le thé',
        "J'aimerais un résumé",
        'Me gusta el té',
        'Mi color favorito es el azul',
      ],
      ...[
        'Preferisco il tè',
        'Il mio colore preferito è il blu',
        'Eu prefiro chá',
        'Gostaria de um resumo',
        'Ik hou van thee',
        'Mijn favoriete kleur is blauw',
      ],
      ...['Wolę herbatę, nie kawę', 'Mój ulubiony kolor to niebieski', 'お茶が好きです', '我喜欢喝茶'],
    ],
    ['', 'The weather is like that.', 'You prefer tea.', 'Das Haus ist alt', 'Il fait beau', '今日は雨です', '今天下雨'],
  ],
  'speaks of its author': [
    speaksOfSelf,
    [
      ...[
        'I am here',
        'That is my dog',
        "we're home",
        'Ich bin da',
        'Das ist mein Hund und nicht deiner',
        "J'ai un chien",
        'Mi perro es grande y no ladra',
      ],
      ...[
        'Tengo un perro y un gato',
        'Il mio cane è grande',
        'O meu cão é grande',
        'Dat is mijn hond',
        'Mój pies jest duży',
        '私は学生です',
        '我是学生',
      ],
    ],
    ['', 'The dog barks.', 'It is in the army', 'Der Hund bellt', 'Le chien aboie', '犬が吠える', '狗在叫'],
  ],
}

for (const [name, [says, yes, no]] of Object.entries(FACTS)) {
  for (const text of yes) test(`${name}: "${text}"`, () => assert.equal(says(text), true))
  for (const text of no) test(`not ${name}: "${text}"`, () => assert.equal(says(text), false))
}

const PREFIXES: readonly (readonly [string, string | undefined])[] = [
  ['Anna: I am home', 'Anna'],
  ['Anna Maria Lopez: hi', 'Anna Maria Lopez'],
  ["Jean-Luc O'Neil: hi", "Jean-Luc O'Neil"],
  ['Dr. Who: hi', 'Dr. Who'],
  ['Émile: oui', 'Émile'],
  ['田中: はい', '田中'],
  ['Иван: да', 'Иван'],
  ['R2: beep', 'R2'],
  ['anna: hi', undefined],
  ['Anna:hi', undefined],
  ['Anna: ', undefined],
  ['Anna:', undefined],
  ['Anna Maria Lopez Garcia: hi', undefined],
  ['Here is what i think: hi', undefined],
  ['https://a.test: x', undefined],
  ['Https://a.test: x', undefined],
  ['12:30: lunch', undefined],
  ['12: lunch', undefined],
  [' Anna: hi', undefined],
  ['', undefined],
  [`A${'a'.repeat(39)}: x`, `A${'a'.repeat(39)}`],
  [`A${'a'.repeat(40)}: x`, undefined],
  [`Anna ${'A'.repeat(35)}: x`, `Anna ${'A'.repeat(35)}`],
  [`Anna ${'A'.repeat(36)}: x`, undefined],
]

for (const [text, name] of PREFIXES) {
  test(`author of "${text.slice(0, 30)}"`, () => {
    const found = authorPrefix(text)
    assert.equal(found?.name, name)
    if (found !== undefined) assert.equal(found.length, found.name.length + 2)
  })
}

test('hostile texts of a megabyte take less than a second', () => {
  for (const unit of ['?', 'I ', 'please ', 'I prefer', 'A', 'A ', ' ', "i'", '私', 'mon ', '? ']) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    const begin = cpuTime()
    for (const [says] of Object.values(FACTS)) says(text)
    authorPrefix(text)
    assert.ok(cpuTime() - begin < 1000, unit)
  }
})
