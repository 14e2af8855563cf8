import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CheckedSummary, checkSummary, foldSource } from '../../../src/context/fold/check-against-source.ts'
import { finishSteps } from '../../../src/context/fold/steps.ts'
import { identifiersIn } from '../../../src/context/receipt/identifiers.ts'
import { tries } from '../../support/tries.ts'
import { talk, withResult } from './said.ts'

const checked = (summary: string, ...said: readonly string[]): CheckedSummary =>
  checkSummary(summary, finishSteps(foldSource(talk(...said))))

const CHAT = [
  'Anna wants to fly to Lisbon on 7 May 2024 with Bob, for at most 1,200 euros. The plan is in docs/trip.md.',
  'Flight TP571 leaves at 14:30 and costs 845.50. I booked three seats; the hotel is the Casa Verde.',
] as const

const isKept = (sentence: string): void => assert.deepEqual(checked(sentence, ...CHAT), { text: sentence, left: [] }, sentence)
const isLeft = (sentence: string): void => assert.deepEqual(checked(sentence, ...CHAT), { text: '', left: [sentence] }, sentence)

test('a sentence whose names, numbers, dates and ids are in the source is kept, however these are written', () => {
  for (const sentence of [
    'Anna and Bob fly to Lisbon with TP571 at 14:30.',
    'The limit is 1200 euros, the price 845.5.',
    'They leave on 2024-05-07, i.e. on May 7th.',
    'Am 7.5.2024 geht es los.',
    'The trip is planned in trip.md (docs/trip.md).',
    'Three seats were booked, 3 in all.',
    "Bob's hotel is Casa Verde.",
    'Decided: the cheaper flight.',
    'Postponed until further notice.',
    '**Open Questions:** None.',
    'The User asked for a follow-up e-mail.',
  ])
    isKept(sentence)
})

test('a sentence with a name, number, date, id or path that the source lacks is left out', () => {
  for (const sentence of [
    'The price is 846 euros.',
    'They leave on 8 May 2024.',
    'They leave on 7 May 2025.',
    'They take flight TP572.',
    'The plan is in docs/travel.md.',
    'The mail went to bob@example.org.',
    'They meet Carla at noon.',
    'They stay at the Hotel Carlton.',
    "Carla's flight is late.",
    'It leaves at 14:35.',
    'It costs 1,300.',
    'It costs 8.455.',
  ])
    isLeft(sentence)
})

test('a name that proves invented in one sentence is one at the beginning of another', () => {
  const { text, left } = checked('Carla flies as well. They meet Carla at noon. Bob waits.', ...CHAT)
  assert.deepEqual({ text, left }, { text: 'Bob waits.', left: ['Carla flies as well.', 'They meet Carla at noon.'] })
})

test('what is left of a list is a list, and a heading without anything under it goes', () => {
  const summary = `## Decisions

- Anna flies to Lisbon.
- Dora stays with Ernst Haller. Bob comes along.

## Open Points

1. Ask Dora Haller about 99 euros.`
  assert.deepEqual(checked(summary, ...CHAT), {
    text: '## Decisions\n\n- Anna flies to Lisbon.\n- Bob comes along.',
    left: ['Dora stays with Ernst Haller.', 'Ask Dora Haller about 99 euros.'],
  })
})

test('results and files are part of the source, and speakers are known', () => {
  const source = finishSteps(foldSource([{ ...withResult('{"id":"W-4711","city":"Porto"}'), speaker: 'The Builder' }]))
  assert.deepEqual(checkSummary('The Builder found W-4711 in Porto.', source).left, [])
})

test('German nouns are no names; unknown first and last names are', () => {
  const said = [
    'Ich möchte mit Greta nach Lissabon fliegen, höchstens 1.200 Euro, am 7. Mai.',
    'Der Flug kostet 845,50 Euro. Ich habe drei Plätze reserviert.',
  ] as const
  for (const sentence of [
    'Die Reise mit Greta ist gebucht, die Kosten liegen unter der Obergrenze von 1200 Euro.',
    'Offene Frage: Gepäck und Versicherung.',
    'Gretas Koffer und die Buchung der Unterkunft fehlen noch.',
    'Entscheidung für den Direktflug wegen der kürzeren Reisezeit.',
    'Der Preis beträgt 845.50 Euro.',
    'Bezahlung per Karte, Absprache mit dem Hotel offen.',
  ])
    assert.deepEqual(checked(sentence, ...said).left, [], sentence)
  for (const sentence of [
    'Das Ticket geht an Max Weber.',
    'Max möchte früher fliegen.',
    'Die Obergrenze liegt bei 1.300 Euro.',
    'Abflug ist am 8. Mai.',
  ])
    assert.deepEqual(checked(sentence, ...said).left, [sentence])
})

test('Japanese and Chinese are checked by numbers, dates, Latin words and names', () => {
  const japanese = ['田中さんが5月7日に1200円で「青い鳥」を予約しました。', 'はい、GitHubにあります。'] as const
  assert.deepEqual(checked('田中さんは5月7日に「青い鳥」を1,200円で予約した。GitHubにある。', ...japanese).left, [])
  for (const sentence of [
    '鈴木さんが予約した。',
    '5月8日に予約した。',
    '1300円だった。',
    '「赤い鳥」を予約した。',
    'それはGitLabにあります。',
  ])
    assert.deepEqual(checked(sentence, ...japanese).left, [sentence], sentence)
  const chinese = ['王先生在5月7日预订了《红楼梦》，价格是350元。'] as const
  assert.deepEqual(checked('王先生预订了《红楼梦》，350元。', ...chinese).left, [])
  assert.deepEqual(checked('价格是360元。', ...chinese).left, ['价格是360元。'])
})

const number = fc.oneof(fc.nat({ max: 99999 }).map(String), fc.constantFrom('1,200', '1.5', '14:30', '3.141.592', '0.25'))
const id = fc.tuple(fc.constantFrom('run', 'src/a', 'v1', 'Foo'), fc.nat({ max: 30 })).map(([name, many]) => `${name}_${many}`)
const plain = fc.constantFrom('the', 'server', 'was', 'moved', 'because', 'of', 'costs', 'and')
const sentences = fc.array(
  fc
    .array(fc.oneof({ weight: 3, arbitrary: plain }, number, id), { minLength: 2, maxLength: 9 })
    .map(words => `It ${words.join(' ')}.`),
  { minLength: 1, maxLength: 6 },
)

test('a checked summary has no number and no identifier that its source lacks', () => {
  const written = (text: string): string => text.replace(/(?<=\d)[.,](?=\d{3}(?!\d))/g, '')
  fc.assert(
    fc.property(sentences, sentences, (said, summary) => {
      const source = written(said.join(' '))
      const { text, left } = checked([...summary, ...said.slice(0, 2)].join(' '), ...said)
      const known = new Set([...identifiersIn(source), ...source.split(/[^\p{L}\p{N}_/.,:]+|[.,:](?= |$)/u)])
      for (const identifier of identifiersIn(written(text))) assert.ok(known.has(identifier), `${identifier} of ${text}`)
      for (const [digits] of written(text).matchAll(/(?<![\p{L}_/\d.,:])\d+(?:[.,:]\d+)*(?![\p{L}_])/gu))
        assert.ok(known.has(digits), `${digits} of ${text}`)
      // What the source says itself is kept.
      for (const sentence of said.slice(0, 2)) assert.ok(!left.includes(sentence), sentence)
    }),
    tries(1000),
  )
})
