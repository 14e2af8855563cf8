// The contract's §6, "Policies in settings": what is taken, what it comes to, and the exact line for what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSettings } from '../../../src/gateway/workspace/settings.ts'
import { presets } from '../../../src/index.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'

const PRESETS = 'steady, recent, head-tail, full, transcript, council'

function policies(given: object): readonly Policy[] {
  const parsed = parseSettings(JSON.stringify({ policies: given }), {})
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.fault.message)
  return parsed.value.policies
}

function complaint(settings: object | string): string {
  const parsed = parseSettings(typeof settings === 'string' ? settings : JSON.stringify(settings), {})
  assert.ok(!parsed.ok, 'it was taken')
  assert.equal(parsed.fault.kind, 'invalid')
  return parsed.fault.message
}

test('the default policy is steady, and there are no others beside the presets', () => {
  const parsed = parseSettings('', {})
  assert.ok(parsed.ok)
  assert.deepEqual([parsed.value.policy, parsed.value.policies], ['steady', []])
})

test('a policy is named by its key, and has from the one it extends whatever it does not say', () => {
  const { steady, council, full } = presets
  const last = (messages: number): Policy['window'] => ({ kind: 'last', messages })
  const cases: readonly (readonly [object, readonly Policy[]])[] = [
    [{ plain: {} }, [{ ...steady, name: 'plain' }]],
    [{ short: { extends: 'steady', window: last(5) } }, [{ ...steady, name: 'short', window: last(5) }]],
    [
      { mine: { extends: 'council', stamps: false, thinking: 'never' } },
      [{ ...council, name: 'mine', stamps: false, thinking: 'never' }],
    ],
    // A budget is filled in key by key, a window never is.
    [
      { lean: { extends: 'full', budget: { tokens: 8000 } } },
      [{ ...full, name: 'lean', budget: { tokens: 8000, reserve: null } }],
    ],
    [
      { calm: { window: { kind: 'tokens', high: 9000 } } },
      [{ ...steady, name: 'calm', window: { kind: 'tokens', low: null, high: 9000 } }],
    ],
    [
      { ends: { window: { kind: 'head-tail', max: 10, head: 1, recent: 5 } } },
      [{ ...steady, name: 'ends', window: { kind: 'head-tail', max: 10, head: 1, recent: 5, noteOver: 10 } }],
    ],
    // However they are ordered in the file.
    [
      {
        third: { extends: 'second', stamps: true },
        second: { extends: 'first' },
        first: { window: last(2), budget: { reserve: 9 } },
      },
      [
        { ...steady, name: 'third', window: last(2), budget: { tokens: null, reserve: 9 }, stamps: true },
        { ...steady, name: 'second', window: last(2), budget: { tokens: null, reserve: 9 } },
        { ...steady, name: 'first', window: last(2), budget: { tokens: null, reserve: 9 } },
      ],
    ],
    [
      { script: { extends: 'transcript', window: { kind: 'all' } } },
      [{ ...presets.transcript, name: 'script', window: { kind: 'all' } }],
    ],
    // A transcript has no place for summaries, so it inherits none.
    [
      { told: { render: 'transcript', window: { kind: 'all' } } },
      [{ ...steady, name: 'told', render: 'transcript', window: { kind: 'all' }, fold: null }],
    ],
    [
      { wide: { recall: { from: 'everywhere' }, fold: { by: 'extract' }, window: { kind: 'tokens', follow: true } } },
      [
        {
          ...{ ...steady, name: 'wide', recall: { tokens: 'auto', from: 'everywhere' }, fold: { by: 'extract', tokens: 'auto' } },
          window: { kind: 'tokens', low: null, high: null, follow: true },
        },
      ],
    ],
  ]
  for (const [given, expected] of cases) assert.deepEqual(policies(given), expected)
})

test('the policy of the settings may be one of its own', () => {
  const parsed = parseSettings('{ "policy": "short", "policies": { "short": { "window": { "kind": "all" } } } }', {})
  assert.equal(parsed.ok && parsed.value.policy, 'short')
})

const NAME = 'a name has lowercase letters, digits, "-" and "_", begins with a letter or a digit, and is not longer than 64'

/** What one policy may not say, and the whole line it gets. */
const WRONG: readonly (readonly [policies: object, line: string])[] = [
  [{ a: { extends: 'stedy' } }, `policies.a.extends: there is no "stedy"; known: ${PRESETS}`],
  [{ a: { extends: 'c' }, b: {} }, `policies.a.extends: there is no "c"; known: ${PRESETS}, b`],
  [{ a: { extends: 'a' } }, 'policies.a.extends: a → a goes round in a circle; let one of them extend a preset'],
  [{ steady: {} }, 'policies.steady: a preset has this name; choose another, and let it extend "steady"'],
  [
    { 'head-tail': { extends: 'head-tail' } },
    'policies.head-tail: a preset has this name; choose another, and let it extend "head-tail"',
  ],
  [{ Short: {} }, `policies.Short: ${NAME}`],
  [{ '': {} }, `policies.: ${NAME}`],
  [{ '../up': {} }, `policies.../up: ${NAME}`],
  [{ ['x'.repeat(65)]: {} }, `policies.${'x'.repeat(65)}: ${NAME}`],
  [{ constructor: {} }, 'policies.constructor: this name is reserved; choose another'],
  [{ a: { extends: 5 } }, 'policies.a.extends: 5 expected string, received number'],
  [
    { a: { name: 'b' } },
    'policies.a.name: there is no such setting; known here: extends, view, window, thinking, stamps, references, render, recall, fold, budget',
  ],
  [{ a: { stamp: true } }, 'policies.a.stamp: there is no such setting; did you mean "stamps"?'],
  [{ a: { stamps: 'yes' } }, 'policies.a.stamps: "yes" expected boolean, received string'],
  [{ a: { view: 'some' } }, 'policies.a.view: "some" expected one of "all"|"own"'],
  [{ a: { thinking: true } }, 'policies.a.thinking: true expected one of "never"|"current"'],
  [{ a: { references: 'all' } }, 'policies.a.references: "all" expected one of "none"|"last-round"'],
  [{ a: { render: 'html' } }, 'policies.a.render: "html" expected one of "messages"|"transcript"'],
  [{ a: { window: {} } }, 'policies.a.window.kind: expected one of "all"|"last"|"head-tail"|"tokens"'],
  [{ a: { window: { kind: 'lst' } } }, 'policies.a.window.kind: "lst" expected one of "all"|"last"|"head-tail"|"tokens"'],
  [{ a: { window: 'all' } }, 'policies.a.window: "all" expected object, received string'],
  [{ a: { window: { kind: 'last' } } }, 'policies.a.window.messages: is missing; expected number'],
  [
    { a: { extends: 'recent', window: { messages: 3 } } },
    'policies.a.window.kind: expected one of "all"|"last"|"head-tail"|"tokens"',
  ],
  [{ a: { window: { kind: 'last', messages: -1 } } }, 'policies.a.window.messages: -1 expected number to be >=0'],
  [{ a: { window: { kind: 'last', messages: 1.5 } } }, 'policies.a.window.messages: 1.5 expected int, received number'],
  [
    { a: { window: { kind: 'last', message: 5, messages: 5 } } },
    'policies.a.window.message: there is no such setting; did you mean "messages"?',
  ],
  [{ a: { window: { kind: 'all', messages: 5 } } }, 'policies.a.window.messages: there is no such setting; known here: kind'],
  [
    { a: { window: { kind: 'head-tail', max: 20, head: 2, recent: 18 } } },
    'policies.a.window: recent + head + 1 for the note = 21 is more than max 20',
  ],
  [{ a: { window: { kind: 'tokens', low: 10, high: 10 } } }, 'policies.a.window: low 10 must be less than high 10'],
  [{ a: { window: { kind: 'tokens', low: 0 } } }, 'policies.a.window.low: 0 expected number to be >=1'],
  [
    { a: { window: { kind: 'tokens', high: 900 }, budget: { tokens: 800 } } },
    'policies.a.window: high 900 is more than budget.tokens 800',
  ],
  [{ a: { budget: { reserve: 0 } } }, 'policies.a.budget.reserve: 0 expected number to be >=1'],
  [{ a: { budget: { token: 5 } } }, 'policies.a.budget.token: there is no such setting; did you mean "tokens"?'],
  [
    { a: { budget: { reserve: 32_000 } } },
    'policies.a.budget.reserve: 32000 leaves no room for a request: the window of "demo" is 32000',
  ],
  [
    { a: { extends: 'full', references: 'last-round' } },
    'policies.a: references "last-round" needs view "own": with "all" the others are heard anyway',
  ],
  [{ a: { render: 'transcript' } }, 'policies.a: a transcript has a window of kind "all" or "last"'],
  [
    { a: { extends: 'transcript', fold: {} } },
    'policies.a.fold must be null with render "transcript": a transcript has no place for summaries',
  ],
  [{ a: { fold: { by: 'me' } } }, 'policies.a.fold.by: "me" expected one of "auto"|"model"|"extract"'],
  [{ a: { fold: { tokens: 5 } } }, 'policies.a.fold.tokens: 5 expected number to be >=50'],
  [{ a: { recall: { from: 'here' } } }, 'policies.a.recall.from: "here" expected one of "session"|"project"|"everywhere"'],
  [
    { a: { window: { kind: 'tokens', low: 10, follow: true } } },
    'policies.a.window.follow must not be true beside window.low: bounds with numbers stay as they are',
  ],
  [{ a: [] }, 'policies.a: [] expected object, received array'],
]

test('a policy that cannot work is refused by its path, with the reason', () => {
  for (const [given, line] of WRONG) assert.equal(complaint({ policies: given }), line)
})

test('everything that is wrong is said at once', () => {
  const circle = { a: { extends: 'b' }, b: { extends: 'c' }, c: { extends: 'b' }, d: { extends: 'nothing' } }
  assert.deepEqual(complaint({ policies: circle }).split('\n'), [
    'policies.a.extends: a → b → c → b goes round in a circle; let one of them extend a preset',
    'policies.b.extends: b → c → b goes round in a circle; let one of them extend a preset',
    'policies.c.extends: c → b → c goes round in a circle; let one of them extend a preset',
    `policies.d.extends: there is no "nothing"; known: ${PRESETS}, a, b, c`,
  ])
})

test('a policy that nobody knows is refused with those there are', () => {
  assert.equal(complaint({ policy: 'stedy' }), `policy: there is no "stedy"; known: ${PRESETS}`)
  assert.equal(complaint({ policy: 'b', policies: { a: {} } }), `policy: there is no "b"; known: ${PRESETS}, a`)
  assert.equal(complaint({ policy: '__proto__' }), `policy: there is no "__proto__"; known: ${PRESETS}`)
})

test('what stands there twice is refused instead of chosen from', () => {
  assert.equal(complaint('{ "policies": { "a": {}, "a": { "stamps": true } } }'), 'policies.a: stands there twice; keep one')
  assert.equal(
    complaint('{ "policies": { "__proto__": { "stamps": true } } }'),
    'policies.__proto__: there is no such setting; take it out',
  )
})
