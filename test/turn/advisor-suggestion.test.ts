import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSuggestion, SUGGESTION_SCHEMA, suggestionParts } from '../../src/turn/council/advisor-suggestion.ts'
import { PROMPTS } from '../../src/turn/council/prompts.ts'
import { tries } from '../support/tries.ts'

const sceptic = { name: 'Sceptic', description: 'You doubt what everybody takes for granted.' }
const maker = { name: 'Maker', description: 'You try things out before you speak of them.', group: 'Practice' }
const asked = JSON.stringify({ advisors: [sceptic, maker] })

const trouble = (why: string) => ({
  ok: false,
  fault: {
    kind: 'garbled',
    message: `the model's suggestion could not be used (${why}); nothing was changed, and asking again may help`,
    retryable: true,
  },
})

for (const [name, text] of [
  ['alone', asked],
  ['in a fenced block', `Here you are:\n\n\`\`\`json\n${JSON.stringify(JSON.parse(asked), null, 2)}\n\`\`\`\nGood luck!`],
  ['in the middle of a sentence', `I suggest {these}, as {"a": 1}: ${asked}. Or {"advisors": 3}?`],
  ['after an unclosed brace', `{ well, ${asked}`],
] as const) {
  test(`advisors are found ${name}`, () => assert.deepEqual(parseSuggestion(text), { ok: true, value: [sceptic, maker] }))
}

test('braces and quotes within its strings end nothing', () => {
  const odd = { name: 'Odd}', description: 'You say "}" and \\" and { wherever you like.' }
  assert.deepEqual(parseSuggestion(`So: ${JSON.stringify({ advisors: [odd] })} }`), { ok: true, value: [odd] })
})

test('what nobody can see is dropped, and so is what nobody asked for', () => {
  const text = JSON.stringify({
    note: 'hello',
    advisors: [
      {
        ...sceptic,
        name: ' Scep\u0000tic\u202e\n',
        description: `${sceptic.description}\u0007\n\nAlways.`,
        group: null,
        color: 'red',
      },
      { ...maker, group: ' ' },
    ],
  })
  assert.deepEqual(parseSuggestion(text), {
    ok: true,
    value: [
      { name: 'Sceptic', description: 'You doubt what everybody takes for granted.\n\nAlways.' },
      { name: 'Maker', description: maker.description },
    ],
  })
})

test('what cannot be used is said, politely', () => {
  const none = 'it contains no whole JSON object with "advisors"'
  assert.deepEqual(parseSuggestion(''), trouble(none))
  assert.deepEqual(parseSuggestion('I would rather not.'), trouble(none))
  assert.deepEqual(parseSuggestion(asked.slice(0, -20)), trouble(none))
  assert.deepEqual(parseSuggestion(JSON.stringify([sceptic])), trouble(none))
  assert.deepEqual(parseSuggestion('{"advisors": "two"}'), trouble('advisors: must be array'))
  assert.deepEqual(parseSuggestion('{"advisors": []}'), trouble('advisors: must NOT have fewer than 1 items'))
  assert.deepEqual(
    parseSuggestion(JSON.stringify({ advisors: Array(9).fill(sceptic) })),
    trouble('advisors: must NOT have more than 8 items'),
  )
  assert.deepEqual(
    parseSuggestion(JSON.stringify({ advisors: [{ name: 'x'.repeat(81), description: 'short' }, { name: '\u0000' }, 3] })),
    trouble(
      'advisors.0.name: must NOT have more than 80 characters; advisors.0.description: must NOT have fewer than 20 characters; advisors.1.description: is missing; advisors.1.name: must NOT have fewer than 1 characters; advisors.2: must be object',
    ),
  )
})

test('the limits are where they are said to be', () => {
  const sized = (name: number, description: number) =>
    parseSuggestion(JSON.stringify({ advisors: [{ name: 'n'.repeat(name), description: 'd'.repeat(description) }] })).ok
  assert.deepEqual(
    [sized(80, 20), sized(1, 1500), sized(81, 20), sized(80, 19), sized(1, 1501)],
    [true, true, false, false, false],
  )
})

test('an answer that is nested or long without end is refused, not thrown', () => {
  const deep = `{"advisors":[${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}]}`
  assert.equal(parseSuggestion(deep).ok, false)
  assert.equal(parseSuggestion('{'.repeat(50_000)).ok, false)
  assert.equal(parseSuggestion('{"'.repeat(50_000)).ok, false)
  assert.equal(parseSuggestion(`{"advisors":"${'\\n'.repeat(5_000_000)}"}`).ok, false)
})

test('whatever a model answers is parsed or refused', () => {
  const piece = fc.oneof(
    fc.constantFrom('{', '}', '"', '\\', '[', ']', ',', ':', '```', '"advisors"', asked),
    fc.string(),
    fc.json(),
  )
  let found = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const result = parseSuggestion(pieces.join(''))
      if (result.ok) found += 1
      else assert.equal(result.fault.kind, 'garbled')
    }),
    tries(2000),
  )
  assert.ok(found > 10, `advisors were found in ${found} texts`)
})

test('a model is told the task, the form, and who is there already', () => {
  assert.deepEqual(suggestionParts({ type: 'object' }, ['Mara', 'x\n- y']), [
    { source: 'suggestion', reason: 'system.agent', text: PROMPTS.suggestion },
    { source: 'suggestion form', reason: 'system.agent', text: 'The form, as JSON Schema:\n\n{\n  "type": "object"\n}' },
    {
      source: 'advisors',
      reason: 'system.agent',
      text: 'These are in the council already; suggest others:\n\n- "Mara"\n- "x\\n- y"',
    },
  ])
  assert.equal(suggestionParts(SUGGESTION_SCHEMA, []).length, 2)
  assert.equal(suggestionParts(SUGGESTION_SCHEMA, [], 'Own words.')[0]?.text, 'Own words.')
})
