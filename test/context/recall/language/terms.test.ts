// Holds how texts become terms: words, languages, stems, and the terms of a question.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { languages } from '../../../../src/context/recall/language/languages/all.ts'
import { questionTerms, termsOf, textLanguage, wordsOf } from '../../../../src/context/recall/language/terms.ts'
import { tries } from '../../../support/tries.ts'
import { cpuTime } from './cpu-time.ts'

const WORDS: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  ['  \n\t', []],
  ['Hello, World!', ['hello', 'world']],
  ["Caroline's dog", ['caroline', 'dog']],
  ['Caroline’s dog', ['caroline', 'dog']],
  ["don't we'll I've", ['don', 'we', 'i']],
  ["James' car", ['james', 'car']],
  ["l'été", ['l', 'été']],
  ['ＦＵＬＬ ｗｉｄｔｈ １２', ['full', 'width', '12']],
  ['cafe\u0301', ['café']],
  ['user_id v2.10 gpt4', ['user', 'id', 'v2', '10', 'gpt4']],
  ['Straße Привет मराठी', ['straße', 'привет', 'मराठी']],
  ['東京', ['東京']],
  ['東京に行く', ['東京', '京に', 'に行', '行く']],
  ['木', ['木']],
  ['iPhone使う人', ['iphone', '使う', 'う人']],
  ['コーヒー', ['コー', 'ーヒ', 'ヒー']],
  ['안녕하세요 세계', ['안녕하세요', '세계']],
  ['𠮷野家', ['𠮷野', '野家']],
  ['❤️ 👩‍👧 …', []],
  [`${'x'.repeat(100)} y`, ['x'.repeat(64), 'y']],
  [`${'x'.repeat(63)}𝐱`, [`${'x'.repeat(64)}`]],
  [`${'x'.repeat(63)}\u{10400}`, ['x'.repeat(63)]],
  ['\ud800 lone \udc00', ['lone']],
]

for (const [text, words] of WORDS) {
  test(`words of ${JSON.stringify(text.slice(0, 30))}`, () => assert.deepEqual(wordsOf(text), words))
}

test('a text in Thai gives pairs of characters', () => {
  assert.equal(wordsOf('สวัสดี').length, [...'สวัสดี'].length - 1)
})

const LANGUAGES: readonly (readonly [string, string])[] = [
  ['', 'en'],
  ['Kubernetes', 'en'],
  ['What did we eat when we were there?', 'en'],
  ['Was haben wir gestern im Restaurant gegessen?', 'de'],
  ["Qu'est-ce que nous avons mangé hier ?", 'fr'],
  ['¿Qué comimos ayer en el restaurante con los niños?', 'es'],
  ['Cosa abbiamo mangiato ieri al ristorante con gli amici?', 'it'],
  ['O que nós comemos ontem no restaurante com os meninos?', 'pt'],
  ['Wat hebben we gisteren in het restaurant gegeten?', 'nl'],
  ['Co jedliśmy wczoraj w restauracji i kto tam był?', 'pl'],
  ['昨日は何を食べましたか', 'ja'],
  ['我们昨天吃了什么', 'zh'],
  ['My friend 東京 sent me a postcard from there', 'en'],
  ['la', 'en'],
]

for (const [text, code] of LANGUAGES) test(`"${text}" is ${code}`, () => assert.equal(textLanguage(text).code, code))

const TERMS: readonly (readonly [string, readonly string[]])[] = [
  ['I was running with the dogs', ['run', 'dog']],
  ['The runner runs, and the runner rests', ['runner', 'run', 'runner', 'rest']],
  ["I don't know what they've said", ['know', 'said']],
  ['Who won in 2023?', ['won', '2023']],
  ['Ich habe die Hunde und die Katzen gefüttert', ['hunde', 'katzen', 'gefüttert']],
  ['la semaine', ['semain']],
  ['I like C3PO and naïveté', ['like', 'c3po', 'naïveté']],
]

for (const [text, terms] of TERMS) test(`terms of "${text}"`, () => assert.deepEqual(termsOf(text), terms))

const QUESTIONS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['What did Caroline say about her marathon?', ['Caroline'], ['marathon']],
  ["What is CAROLINE'S favorite food?", ['caroline', 'Melanie Smith'], ['favorite', 'food']],
  ['Was hat Anna über Annas Hund erzählt?', ['Anna'], ['hund']],
  ['What did we discuss?', [], ['discuss']],
  ['Can you summarize the conversation you mentioned, and remind me?', [], ['summarize', 'conversation', 'mentioned', 'remind']],
  ['Which books were mentioned in our conversations?', [], ['books']],
  ['What did Anna do?', ['Anna'], []],
  ['¿Qué mencionó Luis sobre el perro?', ['Luis'], ['perro']],
  ['Co Ania mówiła o psie?', ['Ania'], ['psie']],
  ['', [], []],
]

for (const [text, speakers, words] of QUESTIONS) {
  test(`terms of the question "${text}"`, () =>
    assert.deepEqual(
      questionTerms(text, speakers).map(({ word }) => word),
      words,
    ))
}

test('a term has its stem and its words as forms, and equal stems are one term', () => {
  assert.deepEqual(questionTerms('Did running marathons help more than runs or jazz?', []), [
    { word: 'running', forms: ['run', 'running', 'runs'] },
    { word: 'marathons', forms: ['marathon', 'marathons'] },
    { word: 'help', forms: ['help'] },
    { word: 'jazz', forms: ['jazz'] },
  ])
})

test('a question in another language has the stem too, for messages that were taken for English', () => {
  assert.deepEqual(questionTerms('Wo sind die Flaschen?', []), [{ word: 'flaschen', forms: ['flaschen'] }])
  assert.deepEqual(questionTerms('Wo ist die Adresse?', []), [{ word: 'adresse', forms: ['adress', 'adresse'] }])
})

test('every language finds itself by its stop words, and none has words that can never be found', () => {
  for (const { code, stopWords } of languages) {
    const never = [...stopWords].filter(word => !wordsOf(word).includes(word) || wordsOf(word).length > 1)
    const allowed = code === 'ja' || code === 'zh' ? never.filter(word => [...word].length < 3) : never
    assert.deepEqual(allowed, [], code)
    assert.ok(stopWords.size > 100, code)
  }
})

test('no text makes it throw, and no term is empty or long', () => {
  const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), halves())
  fc.assert(
    fc.property(anything, fc.array(fc.string(), { maxLength: 3 }), (text, speakers) => {
      for (const term of termsOf(text)) assert.ok(term.length > 0 && term.length <= 64)
      for (const { forms } of questionTerms(text, speakers)) assert.ok(forms.length > 0)
    }),
    tries(500),
  )
})

/** Strings of UTF-16 units as they come, with lone surrogates. */
function halves(): fc.Arbitrary<string> {
  return fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }).map(units => String.fromCharCode(...units))
}

test('hostile texts of a megabyte take less than two seconds', () => {
  const hostile = ['a', "'", "a'", "a's", '東', '\u0301', 'a\u0301', '\ud800']
  for (const unit of hostile) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    const begin = cpuTime()
    termsOf(text)
    assert.ok(cpuTime() - begin < 2000, JSON.stringify(unit))
  }
})
