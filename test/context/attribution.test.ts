import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Attribution, attribute, type Source } from '../../src/context/synthesis/attribution.ts'
import { workedMs } from '../support/thread-time.ts'
import { tries } from '../support/tries.ts'

const mara: Source = {
  voice: 'mara',
  label: 'Mara Lind',
  text: 'Raise it now. He said “no”; and then\n\nleft [see 1]; fine.',
  seq: 4,
}
const tomas: Source = { voice: 'tomas', label: 'Tomas', text: "I think nobody pays twelve for that. It's odd.", seq: 6 }
const oneill: Source = { voice: 'doc', label: "Dr. O'Neill, Jr. (doc)", text: 'Wait.', seq: 9 }
const answers = [mara, tomas, oneill]

/** A line for each sentence: its words, whom it rests on, and what is wrong. */
const shown = ({ sentences }: Attribution): string[] =>
  sentences.map(({ text, heading, from, unknown, trouble }) => {
    const origins = from.map(({ voice, quote }) => (quote === undefined ? voice : `${voice} “${quote.text}” ${quote.at}`))
    const parts = [heading ? `# ${text}` : text, origins.join(', '), (unknown ?? []).join(', '), trouble ?? '']
    return parts.filter(part => part !== '').join(' | ')
  })

const cases: readonly { readonly name: string; readonly text: string; readonly read: readonly string[] }[] = [
  {
    name: 'a sentence rests on those its citation names',
    text: 'They agree that the price is too low. [Mara Lind; Tomas: "nobody pays twelve for that"]',
    read: ['They agree that the price is too low. | mara, tomas “nobody pays twelve for that” 8'],
  },
  {
    name: 'several sentences before one citation all rest on it, and the next paragraph does not',
    text: 'One is so. Two is so! [Tomas] Three is not. [Mara Lind]\n\nFour is alone.',
    read: ['One is so. | tomas', 'Two is so! | tomas', 'Three is not. | mara', 'Four is alone. | unattributed'],
  },
  {
    name: 'a paragraph without a citation gets none from the one after it',
    text: 'One is so.\n\nTwo is so. [Tomas]',
    read: ['One is so. | unattributed', 'Two is so. | tomas'],
  },
  {
    name: 'a citation on its own line belongs to what stands before it',
    text: 'One is so.\n[Tomas]\nTwo is so.\n\n[Mara Lind]',
    read: ['One is so. | tomas', 'Two is so. | mara'],
  },
  {
    name: 'citations with nothing between them are one',
    text: 'One is so. Two is so. [Tomas] [Mara Lind]',
    read: ['One is so. | tomas, mara', 'Two is so. | tomas, mara'],
  },
  {
    name: 'who is cited twice in the same way is named once',
    text: 'One is so. [Tomas; Tomas; Tomas: "It\'s odd"]',
    read: ["One is so. | tomas, tomas “It's odd” 37"],
  },
  {
    name: 'a citation before the full stop, or in mid-sentence, is one all the same',
    text: 'One is so [Tomas]. Two is so [Mara Lind], and three [Tomas] as well.',
    read: ['One is so. | tomas', 'Two is so, and three as well. | mara, tomas'],
  },
  {
    name: 'a citation that opens a paragraph is for the sentence that follows it',
    text: 'Zero is so. [Tomas]\n\n- [Mara Lind] One is so.\n- Two is so. [Tomas]',
    read: ['Zero is so. | tomas', 'One is so. | mara', 'Two is so. | tomas'],
  },
  {
    name: 'headings and the marks of lists are no part of the claims',
    text: '## Agreements\n- One is so. [Tomas]\n  It goes on. [Mara Lind]\n2. Two is so [Tomas]\n\n**Risks**:\n\n**Bold is so.** [Tomas]\n\n> Three is so. [Tomas]',
    read: [
      '# Agreements',
      'One is so. | tomas',
      'It goes on. | mara',
      'Two is so | tomas',
      '# Risks',
      '**Bold is so.** | tomas',
      'Three is so. | tomas',
    ],
  },
  {
    name: 'a citation alone under a heading belongs to nothing',
    text: '## Risks\n[Tomas]\nOne is so.',
    read: ['# Risks', 'One is so. | unattributed'],
  },
  {
    name: 'lines that end with their citation are sentences without a full stop',
    text: 'One is so [Tomas]\nTwo is so [Mara Lind]',
    read: ['One is so | tomas', 'Two is so | mara'],
  },
  {
    name: 'a quote may hold quotes, semicolons, brackets and another gap',
    text: 'He left. [Mara Lind: "He said "no"; and then left [see 1]; fine"; Tomas]',
    read: ['He left. | mara “He said "no"; and then left [see 1]; fine” 14, tomas'],
  },
  {
    name: 'of two quotes neither is swallowed by the other, also where one is wrong',
    text: 'They differ. [Mara Lind: "Lower it"; Tomas: "It’s odd"]',
    read: ['They differ. | mara “Lower it” null, tomas “It’s odd” 37 | not-literal'],
  },
  {
    name: 'a quote without its marks, or without the last, is still held against the answer',
    text: 'One is so. [Tomas: nobody pays twelve] Two is so. [Tomas: "nobody pays ten]',
    read: ['One is so. | tomas “nobody pays twelve” 8', 'Two is so. | tomas “nobody pays ten” null | not-literal'],
  },
  {
    name: 'an empty quote is none',
    text: 'One is so. [Tomas: ""]',
    read: ['One is so. | tomas'],
  },
  {
    name: 'words of another advisor are not literal',
    text: 'One is so. [Tomas: "Raise it now"]',
    read: ['One is so. | tomas “Raise it now” null | not-literal'],
  },
  {
    name: 'letters count: another case or a left-out word is not literal',
    text: 'One is so. [Tomas: "Nobody pays twelve"] Two is so. [Tomas: "nobody pays … that"]',
    read: [
      'One is so. | tomas “Nobody pays twelve” null | not-literal',
      'Two is so. | tomas “nobody pays … that” null | not-literal',
    ],
  },
  {
    name: 'names may have punctuation, and are known in any case, spacing and emphasis',
    text: 'One is so. [dr. o’neill,  jr. (doc): "Wait."] Two is so. [**Tomas**; MARA LIND]',
    read: ['One is so. | doc “Wait.” 0', 'Two is so. | tomas, mara'],
  },
  {
    name: 'a name that nobody has is said, beside those that somebody has',
    text: 'One is so. [Zoe] Two is so. [Tomas; Zoe: "never"] Three is so. [Mara]',
    read: [
      'One is so. | Zoe | unknown-advisor',
      'Two is so. | tomas | Zoe | unknown-advisor',
      'Three is so. | Mara | unknown-advisor',
    ],
  },
  {
    name: 'brackets that are no citations stay words',
    text: 'See [this](http://x.test) and [Tomas](http://x.test). He said [sic] so.\n- [ ] to do\n\n[A whole line]\n\nIt was cut [Tom',
    read: [
      'See [this](http://x.test) and [Tomas](http://x.test). | unattributed',
      'He said [sic] so. | unattributed',
      '[ ] to do | unattributed',
      '[A whole line] | unattributed',
      'It was cut [Tom | unattributed',
    ],
  },
  {
    name: 'a text without citations is unattributed from end to end',
    text: 'Dr. Foo and J. Bar met at 3.5 km, e.g. here. Then? “Yes.” He left.',
    read: [
      'Dr. Foo and J. Bar met at 3.5 km, e.g. here. | unattributed',
      'Then? | unattributed',
      '“Yes.” | unattributed',
      'He left. | unattributed',
    ],
  },
  { name: 'nothing is nothing', text: ' \n---\n[Tomas]\n', read: [] },
]

for (const { name, text, read } of cases) test(name, () => assert.deepEqual(shown(attribute(text, answers)), read))

test('an attribution has exactly this form', () => {
  assert.deepEqual(attribute('## So\nHe left. [Mara Lind: "and then left"; Zoe]\nTrue.', answers), {
    sentences: [
      { text: 'So', heading: true, from: [] },
      {
        text: 'He left.',
        from: [
          {
            voice: 'mara',
            label: 'Mara Lind',
            seq: 4,
            quote: { text: 'and then left', isLiteral: true, at: 28, length: 14 },
          },
        ],
        unknown: ['Zoe'],
        trouble: 'unknown-advisor',
      },
      { text: 'True.', from: [], trouble: 'unattributed' },
    ],
    counts: { sentences: 2, attributed: 0, unattributed: 1, unknownAdvisor: 1, notLiteral: 0 },
  })
})

test('the longest reading of a quote that was really said is the one that was meant', () => {
  const ruth: Source = { voice: 'ruth', label: 'Ruth', text: 'Say “yes”; later: “no”.', seq: 3 }
  assert.deepEqual(shown(attribute('One is so. [Ruth: "Say "yes"; later: "no"."]', [ruth])), [
    'One is so. | ruth “Say "yes"; later: "no".” 0',
  ])
})

test('a label that holds signs of the form is known all the same', () => {
  const odd: Source = { voice: 'odd', label: 'Odd: one; or [two]', text: 'Yes.', seq: 3 }
  assert.deepEqual(shown(attribute('One is so. [Odd: one; or [two]: "Yes."] Two is so. [Odd: one; or [two]]', [odd])), [
    'One is so. | odd “Yes.” 0',
    'Two is so. | odd',
  ])
})

test('of two answers under one name the one that holds the quote is meant', () => {
  const again: Source = { ...tomas, text: 'On second thought, ten.', seq: 12 }
  const [sentence] = attribute('One is so. [Tomas: "ten"]', [tomas, again]).sentences
  assert.deepEqual(sentence?.from[0], {
    voice: 'tomas',
    label: 'Tomas',
    seq: 12,
    quote: { text: 'ten', isLiteral: true, at: 19, length: 3 },
  })
})

/** What models write when they keep the form, break it, or are cut off in the middle of it. */
const piece = fc.oneof(
  fc.constantFrom(
    '[',
    ']',
    ';',
    ': ',
    '"',
    '“',
    '”',
    "'",
    '.',
    '? ',
    '…',
    '\n',
    '\n\n',
    '- ',
    '## ',
    '**',
    '> ',
    '(',
    '1. ',
    ' ',
  ),
  fc.constantFrom(
    'Mara Lind',
    'Tomas',
    "Dr. O'Neill, Jr. (doc)",
    '[Tomas]',
    '[Mara Lind: "',
    'nobody pays twelve',
    '"; Tomas',
    '"]',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.lorem({ maxCount: 4 }),
  fc
    .tuple(fc.constantFrom(...answers), fc.nat(50), fc.integer({ min: 1, max: 40 }))
    .map(([{ label, text }, start, length]) => `[${label}: "${text.slice(start, start + length)}"]`),
)
const written = fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join(''))

test('whatever is written is read, every quote that is called literal is, and the counts add up', () => {
  let literal = 0
  fc.assert(
    fc.property(written, text => {
      const { sentences, counts } = attribute(text, answers)
      for (const { from, trouble, heading } of sentences) {
        for (const { voice, seq, quote } of from) {
          const source = answers.find(answer => answer.voice === voice && answer.seq === seq)
          assert.ok(source)
          assert.equal(quote?.isLiteral ?? false, (quote?.at ?? null) !== null)
          if (quote?.isLiteral !== true || quote.at === null) continue
          literal += 1
          assert.equal(plain(source.text.slice(quote.at, quote.at + quote.length)), plain(quote.text))
        }
        if (trouble === undefined && heading !== true) assert.ok(from.length > 0)
      }
      const { attributed, unattributed, unknownAdvisor, notLiteral } = counts
      assert.equal(attributed + unattributed + unknownAdvisor + notLiteral, counts.sentences)
      assert.equal(sentences.filter(({ heading }) => heading !== true).length, counts.sentences)
    }),
    tries(5000),
  )
  assert.ok(literal > 100, `the texts held ${literal} literal quotes`)
})

test('without brackets no letter of a text is lost, and all of it is unattributed', () => {
  const letters = (text: string): string => text.replace(/\P{L}/gu, '')
  fc.assert(
    fc.property(written, some => {
      const text = some.replaceAll('[', '')
      const { sentences } = attribute(text, answers)
      assert.equal(letters(sentences.map(sentence => sentence.text).join('')), letters(text))
      assert.ok(sentences.every(({ heading, trouble }) => heading === true || trouble === 'unattributed'))
    }),
    tries(2000),
  )
})

test('any stretch of an answer that is cited is found in it', () => {
  const stretch = fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 60 }))
  fc.assert(
    fc.property(fc.constantFrom(...answers), stretch, (source, [start, length]) => {
      const quote = source.text.slice(start, start + length).trim()
      if (quote === '') return
      const { sentences } = attribute(`So it is. [${source.label}: "${quote.replace(/\s+/g, ' ')}"; Tomas]`, answers)
      assert.equal(sentences.length, 1)
      assert.equal(sentences[0]?.from[0]?.quote?.isLiteral, true)
      const { at, length: found } = sentences[0]?.from[0]?.quote ?? { at: null, length: 0 }
      assert.equal(plain(source.text.slice(at ?? 0, (at ?? 0) + found)), plain(quote))
    }),
    tries(1000),
  )
})

test('a long text that only looks like citations is read in good time', () => {
  for (const unit of ['[', '[a;', '"];', '[Tomas:";Tomas:"', '[Tomas: "a"]; ', '[Tomas]. ', '. A', '.', '.)', ' ', '** ', '> ']) {
    const started = workedMs()
    attribute(`${unit.repeat(16_000 / unit.length)}x [Tomas] ${' '.repeat(16_000)}x`, answers)
    assert.ok(workedMs() - started < 3000, `${unit} took too long`)
  }
})

const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[“”„‟]/g, '"')
    .replace(/[‘’‚‛]/g, "'")
