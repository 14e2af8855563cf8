// Holds which messages begin like a question about the past.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksAboutPast } from '../../../../src/context/recall/language/looks-back.ts'
import { cpuTime } from './cpu-time.ts'

const LOOKS_BACK = [
  ...[
    'What did I say about the dog?',
    'when was that',
    'Where',
    'Who came?',
    "What's my dog called?",
    'In which city did I live?',
    'did I tell you',
  ],
  ...[
    'Do you remember the dog?',
    'Remind me what it was',
    'Summarize our talk',
    'List all books',
    'I forgot what you said',
    '  why?',
  ],
  ...[
    'hey, what was it',
    'Hey Anna, what was it?',
    'ok, and when did we meet',
    'By the way, who came?',
    '@anna where was it',
    'Anna, where was it?',
  ],
  ...['Hi Anna! Which book was it?', 'And?? what was it', '"What did I say?"', '> when was it'],
  ...[
    'Was habe ich gesagt?',
    'Hallo Anna, weißt du noch, wo das war?',
    'Übrigens, wann war das?',
    'Erinnere mich an das Buch',
    'Fasse das zusammen',
    'weisst du noch',
  ],
  ...[
    "Qu'est-ce que j'ai dit ?",
    'Où était-ce ?',
    'Ou est-ce que je suis allé ?',
    'Rappelle-moi le nom',
    'Au fait, quand est-ce arrivé ?',
    'Résume notre discussion',
    'resume la discussion avec mon chef',
  ],
  ...[
    '¿Qué dije?',
    'que dije ayer de mi perro',
    '¿Te acuerdas del perro?',
    'Hola, ¿cuándo fue?',
    'Recuérdame el nombre',
    'Resume la conversación de ayer',
  ],
  ...[
    'Cosa ho detto?',
    'Quando?',
    'Ciao, ti ricordi il libro?',
    'Riassumi tutto',
    'O que eu disse?',
    'Você lembra do livro?',
    'Onde foi?',
  ],
  ...[
    'Wat heb ik gezegd?',
    'Weet je nog waar het was?',
    'Vat het gesprek samen',
    'Co powiedziałem?',
    'Czy pamiętasz książkę?',
    'Gdzie to było?',
  ],
  ...[
    '昨日何を食べましたか？',
    '覚えていますか',
    'この前話した本は？',
    '我昨天说了什么？',
    '你还记得我的狗吗',
    '总结一下我们的对话',
  ],
]

const DOES_NOT = [
  ...[
    '',
    '   ',
    'Fix the bug',
    'Write a poem about what matters',
    'Whatever',
    'Thanks!',
    'Anna, please write a poem',
    'I live in Rome',
    '?',
    'Translate "what is this"',
  ],
  ...[
    'Schreibe ein Gedicht',
    'Ich wohne in Rom',
    'Écris un poème pour moi',
    'Escribe un poema para mi madre',
    'Scrivi una poesia',
    'Escreva um poema',
  ],
  ...['Schrijf een gedicht', 'Napisz wiersz', '詩を書いてください', 'いつも日本語で答えてください', '写一首诗', '几乎完成了'],
]

for (const text of LOOKS_BACK) test(`looks back: "${text}"`, () => assert.equal(asksAboutPast(text), true))
for (const text of DOES_NOT) test(`does not: "${text}"`, () => assert.equal(asksAboutPast(text), false))

test('hostile texts of a megabyte take less than a second', () => {
  for (const unit of ['A, ', 'hey ', '@', 'and, ', ' ', '何', 'あ', '"', 'A']) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    const begin = cpuTime()
    asksAboutPast(text)
    assert.ok(cpuTime() - begin < 1000, unit)
  }
})
