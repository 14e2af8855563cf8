// The settings as plain values: what may be changed, and the difference that is sent.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readJsonDraft } from '../../../web/src/pages/settings/json-draft.ts'
import {
  editableValues,
  HIDDEN_VALUE,
  hiddenPaths,
  lostNulls,
  mergePatchBetween,
  patchAt,
  type SettingValues,
  withMergePatch,
} from '../../../web/src/pages/settings/setting-tree.ts'
import { tries } from '../../support/tries.ts'

const leaf = (value: unknown, editable = true) => ({ value, source: 'default' as const, editable })

/** Any JSON without null: a merge patch has no word for it. */
const { tree } = fc.letrec<{ tree: SettingValues; node: unknown }>(tie => ({
  tree: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'value', 'source', '__proto__', 'toString'), tie('node'), { maxKeys: 4 }),
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, 1, '', 'x', true, HIDDEN_VALUE),
    fc.array(fc.oneof(fc.integer(), fc.constant(null), fc.record({ a: fc.integer() })), { maxLength: 3 }),
    tie('tree'),
  ),
})) as { tree: fc.Arbitrary<SettingValues> }

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the difference between two trees of settings', () => {
  test('applied to the one, it gives the other', () => {
    fc.assert(
      fc.property(tree, tree, (from, to) => {
        assert.deepEqual(plain(withMergePatch(from, mergePatchBetween(from, to))), plain(to))
      }),
      tries(500),
    )
  })

  test('it is empty where nothing differs, and says no more than what does', () => {
    fc.assert(
      fc.property(tree, values => assert.deepEqual(mergePatchBetween(values, plain(values) as SettingValues), {})),
      tries(200),
    )
    assert.deepEqual(
      mergePatchBetween(
        { model: 'demo', limits: { steps: 50, turnMs: 1 }, policies: { a: { window: { kind: 'tokens', low: 1, high: 2 } } } },
        { model: 'demo', limits: { steps: 9, turnMs: 1 }, policies: { a: { window: { kind: 'last', messages: 5 } } } },
      ),
      { limits: { steps: 9 }, policies: { a: { window: { kind: 'last', messages: 5, low: null, high: null } } } },
    )
  })

  test('a secret that was not touched is not in it, and one that would be written is found', () => {
    const shown = { mcp: { docs: { url: 'http://a', headers: { authorization: HIDDEN_VALUE } } } }
    const moved = { mcp: { docs: { url: 'http://b', headers: { authorization: HIDDEN_VALUE } } } }
    assert.deepEqual(mergePatchBetween(shown, moved), { mcp: { docs: { url: 'http://b' } } })
    const renamed = { mcp: { other: shown.mcp.docs } }
    assert.deepEqual(hiddenPaths(mergePatchBetween(shown, renamed)), ['mcp.other.headers.authorization'])
  })
})

test('only what may be changed is shown, and only its value', () => {
  const tree = {
    store: leaf('sqlite:x', false),
    model: leaf('demo'),
    gateway: { port: leaf(1, false) },
    limits: { steps: leaf(50), budgetUsdPerDay: leaf(null) },
    policies: leaf({ short: { extends: 'steady' } }),
  }
  assert.deepEqual(editableValues(tree), {
    model: 'demo',
    limits: { steps: 50, budgetUsdPerDay: null },
    policies: { short: { extends: 'steady' } },
  })
})

test('an edited text becomes a patch, or says what is wrong with it', () => {
  const shown = { model: 'demo', limits: { budgetUsdPerDay: null, steps: 50 }, policies: {}, mcp: { a: { url: HIDDEN_VALUE } } }
  const draft = (text: string): unknown => {
    const read = readJsonDraft(shown, text)
    return read.ok ? read.patch : read.why
  }
  const edited = (changes: object): string => JSON.stringify({ ...shown, ...changes })
  assert.deepEqual(draft(edited({})), {})
  assert.deepEqual(draft(edited({ model: 'ollama/x' })), { model: 'ollama/x' })
  assert.deepEqual(draft(edited({ limits: { budgetUsdPerDay: 3 } })), { limits: { budgetUsdPerDay: 3, steps: null } })
  assert.match(String(draft('{')), /^This is not valid JSON\./)
  assert.match(String(draft('[]')), /object/)
  assert.match(String(draft(edited({ gateway: { port: 1 } }))), /^gateway: not a setting/)
  assert.match(String(draft(edited({ policies: { a: { recall: null } } }))), /^policies\.a\.recall: null removes/)
  assert.match(String(draft(edited({ mcp: { b: { url: HIDDEN_VALUE } } }))), /^mcp\.b\.url: this value is hidden/)
  assert.deepEqual(lostNulls({ a: null, b: { c: 1 } }, { a: null, b: { c: null } }), [], 'what was there may be null')
})

test('a patch for one path', () => {
  assert.deepEqual(patchAt('model', 'demo'), { model: 'demo' })
  assert.deepEqual(patchAt('limits.steps', null), { limits: { steps: null } })
})
