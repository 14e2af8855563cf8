import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attribute } from '../../src/context/synthesis/attribution.ts'
import { SYNTHESIS_MODES } from '../../src/model/settings/council.ts'
import { PROMPTS } from '../../src/turn/council/prompts.ts'
import { citationLabels, type RoundAnswer, roundAside, synthesisParts } from '../../src/turn/council/synthesis.ts'
import { tries } from '../support/tries.ts'

const said = (voice: string, name: string, text = 'Yes.'): RoundAnswer => ({ voice, name, text, seq: 3 })

const all = Object.entries({ ...PROMPTS, ...PROMPTS.synthesis }).flatMap(([name, text]) =>
  typeof text === 'string' ? [{ name, text }] : [],
)

test('the words of the house are plain texts that never change from turn to turn', () => {
  assert.equal(all.length, 9)
  for (const { name, text } of all) {
    assert.equal(text, text.trim(), `${name} has nothing around it`)
    assert.doesNotMatch(text, /\$\{|\r|\t|undefined|\bturns?\b/i, name)
  }
})

test('a workspace may show them as they are: the shortest ones, word for word', () => {
  assert.equal(
    PROMPTS.exchange,
    '[A word from the house: you have each answered on your own. Now answer one another, once. Take from the reference above the point at which somebody most strongly disagrees with you, name who made it, and say plainly what it changes in your view, or why it changes nothing. If nobody disagrees with you, name the weakest spot you all share.]',
  )
  assert.equal(
    PROMPTS.synthesis.brief.split('\n\n')[0],
    'Several advisors have answered the same message. Tell the person what came of it, in at most five sentences: first what they share, then the difference that matters most, then what they would do next. No heading, no list, no introduction.',
  )
})

test('every synthesis is asked for its own headings', () => {
  const headings = (text: string): string[] => [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading ?? '')
  assert.deepEqual(headings(PROMPTS.synthesis.brief), ['Citations'])
  assert.deepEqual(headings(PROMPTS.synthesis.positions), ['Agreements', 'Disagreements', 'Citations'])
  assert.deepEqual(headings(PROMPTS.synthesis.memo), [
    'Question',
    'Options',
    'Recommendation',
    'Risks',
    'Open questions',
    'Citations',
  ])
})

test('the example of a citation that a model is shown is one that we can read', () => {
  const answers = [
    { voice: 'mara', label: 'Mara Lind', text: 'Too low.', seq: 3 },
    { voice: 'tomas', label: 'Tomas', text: 'In fact nobody pays twelve for that.', seq: 5 },
  ]
  for (const mode of SYNTHESIS_MODES) {
    const example = PROMPTS.synthesis[mode].split('\n').find(line => line.startsWith('They agree')) ?? ''
    assert.deepEqual(attribute(example, answers).sentences, [
      {
        text: 'They agree that the price is too low.',
        from: [
          { voice: 'mara', label: 'Mara Lind', seq: 3 },
          {
            voice: 'tomas',
            label: 'Tomas',
            seq: 5,
            quote: { text: 'nobody pays twelve for that', isLiteral: true, at: 8, length: 27 },
          },
        ],
      },
    ])
  }
})

test('a synthesis stands on one text, our own or the workspace’s', () => {
  assert.deepEqual(synthesisParts('memo'), [{ source: 'synthesis memo', reason: 'system.agent', text: PROMPTS.synthesis.memo }])
  const own = { brief: 'Short.', positions: 'Both.', memo: 'Long.' }
  assert.deepEqual(synthesisParts('brief', own), [{ source: 'synthesis brief', reason: 'system.agent', text: 'Short.' }])
})

test('a round is one bracketed reference, each answer behind its label', () => {
  assert.deepEqual(roundAside([said('mara', 'Mara: Lind', 'Raise it.\n\nNow.'), said('tomas', 'Tomas', 'No [never].')]), {
    kind: 'reference',
    reason: 'reference.last-round',
    text: '[This is what the advisors answered:\n\nMara Lind: Raise it.\n\nNow.\n\nTomas: No [never].]',
    // Only the answers themselves may be shortened.
    required: [
      { from: 49, to: 64 },
      { from: 73, to: 84 },
    ],
  })
})

test('a label is the name, with the id where two would be taken for one', () => {
  const labels = citationLabels([
    said('a', 'Mara'),
    said('b', ' mara '),
    said('c', 'Tomas "Tom" [Berg]; PhD:\nx'),
    said('d', '“**”'),
    said('e', 'Eve'),
    said('f', 'Eve (g)'),
    said('g', 'Eve'),
  ])
  assert.deepEqual(
    [...labels],
    [
      ['a', 'Mara (a)'],
      ['b', 'mara (b)'],
      ['c', 'Tomas Tom Berg PhD x'],
      ['d', 'd'],
      ['e', 'Eve (e)'],
      ['f', 'Eve (g) (f)'],
      ['g', 'Eve (g)'],
    ],
  )
})

test('whatever advisors are called, a citation by label finds the right one', () => {
  const name = fc.oneof(
    fc.constantFrom('Mara', 'MARA', '*Mara*', 'Mara [x]', 'Mara; Tomas', 'a "b"', 'O’Neill', "O'Neill", '', ':'),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  )
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), names => {
      const answers = names.map((own, index) => said(`voice-${index}`, own, `word${index}.`))
      const labels = citationLabels(answers)
      const sources = answers.map(({ voice, text, seq }) => ({ voice, label: labels.get(voice) ?? '', text, seq }))
      for (const { voice, label, text } of sources) {
        const { sentences } = attribute(`So it is. [${label}] So it is. [${label}: "${text}"]`, sources)
        assert.deepEqual(
          sentences.map(({ from, trouble }) => [...from.map(origin => [origin.voice, origin.quote?.at]), trouble]),
          [
            [[voice, undefined], undefined],
            [[voice, 0], undefined],
          ],
        )
      }
    }),
    tries(1000),
  )
})
