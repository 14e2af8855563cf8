import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attribute } from '../../src/context/synthesis/attribution.ts'
import { SUGGESTION, SYNTHESIS } from '../../src/model/settings/council.ts'
import { demoScript } from '../../src/provider/demo/script.ts'
import type { DemoRequest } from '../../src/provider/demo/wire.ts'
import { parseSuggestion } from '../../src/turn/council/advisor-suggestion.ts'
import { citationLabels, type RoundAnswer, roundAside } from '../../src/turn/council/synthesis.ts'

const request = (voice: string, ...texts: readonly string[]): DemoRequest => ({
  model: 'demo',
  voice,
  turn: 1,
  system: '',
  tools: [],
  messages: texts.map(text => ({ role: 'user', blocks: [{ type: 'text', text }] })),
  max_tokens: 100,
})

const spoken = (asked: DemoRequest): string =>
  demoScript(asked)
    .flatMap(delta => (delta.type === 'text' ? [delta.text] : []))
    .join('')

const round: readonly RoundAnswer[] = [
  { voice: 'mara', name: 'Mara Lind', text: 'She said "wait"; he did not [why?]. Then more.', seq: 3 },
  { voice: 'tomas', name: 'Tomas', text: `First line without an end\n\nand ${'x'.repeat(300)}.`, seq: 5 },
  { voice: 'twin', name: 'tomas', text: `“Long.” ${'y'.repeat(10)}`, seq: 7 },
  { voice: 'talker', name: 'Dr. Talker', text: `${'🙂 and '.repeat(60)}stop.`, seq: 9 },
]

test('the demo’s synthesis says that it is one of a script, and cites in the form', () => {
  const said = spoken(request(SYNTHESIS, 'What now?', roundAside(round).text, 'use clock {}'))
  assert.equal(
    said,
    [
      'This synthesis is scripted: the demo model only repeats how each answer begins. [Mara Lind; Tomas (tomas); tomas (twin); Dr. Talker]',
      'Mara Lind begins with these words. [Mara Lind: "She said ”wait”; he did not [why?]."]',
      'Tomas (tomas) begins with these words. [Tomas (tomas): "First line without an end"]',
      'tomas (twin) begins with these words. [tomas (twin): "“Long.”"]',
      `Dr. Talker begins with these words. [Dr. Talker: "${'🙂 and '.repeat(26)}🙂 an"]`,
    ].join('\n\n'),
  )
})

test('every sentence of it holds when it is checked against the answers', () => {
  const labels = citationLabels(round)
  const sources = round.map(({ voice, text, seq }) => ({ voice, label: labels.get(voice) ?? '', text, seq }))
  const { sentences, counts } = attribute(spoken(request(SYNTHESIS, roundAside(round).text, 'And?')), sources)
  assert.deepEqual(counts, { sentences: 5, attributed: 5, unattributed: 0, unknownAdvisor: 0, notLiteral: 0 })
  assert.deepEqual(
    sentences.map(({ from }) => from.map(({ voice, quote }) => [voice, quote?.at])),
    [round.map(({ voice }) => [voice, undefined]), ...round.map(({ voice }) => [[voice, 0]])],
  )
})

test('where the demo sees no answers, it says so', () => {
  assert.equal(spoken(request(SYNTHESIS, 'And?')), 'This synthesis is scripted, and I see no answers that it could be made of.')
})

test('the demo suggests three advisors, in the form, for the words it was asked', () => {
  const result = parseSuggestion(
    spoken(request(SUGGESTION, '[2026-01-02T03:04] Should I raise the price of my "good" bread in May?')),
  )
  assert.ok(result.ok)
  assert.deepEqual(
    result.value.map(({ name, group }) => [name, group]),
    [
      ['The Sceptic', 'Judgement'],
      ['The Bookkeeper', 'Judgement'],
      ['The Maker', 'Practice'],
    ],
  )
  for (const { description } of result.value)
    assert.match(
      description,
      /^You were suggested by a script, for questions such as “Should I raise the price of my "good"”\. You /,
    )
  assert.ok(parseSuggestion(spoken(request(SUGGESTION))).ok)
})

test('for everybody else it says what it always said', () => {
  const usual = (voice: string): string =>
    `I am the demo model, a script that runs offline. This is ${voice}, turn 1; I saw 2 messages. You said: “Hello.”\n\nConnect a real model on the Models page or with "turnwise connect".`
  for (const voice of ['mara', 'assistant', 'house:else']) {
    assert.equal(spoken(request(voice, roundAside(round).text, 'Hello.')), usual(voice))
  }
})

test('what nobody said is nobody’s first message, and a thought ends before the next sentence begins', () => {
  const asked = request('assistant', '[41 earlier messages are not shown.]', 'My boat is blue.', 'what was my first message?')
  assert.match(spoken(asked), /I can see is: “My boat is blue\.”$/)
  assert.match(spoken(request('assistant', 'think about the sea')), /^I thought about the sea\. As a script/)
  assert.match(spoken(request('assistant', 'think about why?')), /^I thought about why\? As a script/)
})
