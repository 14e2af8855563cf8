/** Merge patches on the text of turnwise.json: RFC 7396 for the values, and every other byte as it was. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createScanner, parseTree } from 'jsonc-parser'
import { parseJsonc } from '../../../src/gateway/files/jsonc.ts'
import { patchedText, pathsIn } from '../../../src/gateway/settings/settings-patch.ts'
import { must } from '../../log/facts.ts'
import { tries } from '../../support/tries.ts'

type Value = Readonly<Record<string, unknown>>

const patched = (text: string, patch: Value): string => patchedText(text, must(parseJsonc(text)), patch)

/** RFC 7396, section 2, to the letter. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
  const merged = new Map(Object.entries(isObject ? (target as Value) : {}))
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  return Object.fromEntries(merged)
}

test('the examples of RFC 7396 that a file of settings can have', () => {
  const rows: readonly (readonly [Value, Value, Value])[] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ]
  for (const [before, patch, after] of rows) {
    assert.deepEqual(mergePatch(before, patch), after)
    assert.deepEqual(must(parseJsonc(patched(JSON.stringify(before), patch))), after)
  }
})

const FILE = `// settings
{
  "model": "demo", // the cheap one
  /* how much is sent */
  "policy": "recent" // short
  ,
  "skills": { "disabled": ["clock"], }, // no clock
  // the end
}
`

test('a new key comes behind the comment beside the last one, and trailing commas stay', () => {
  assert.equal(
    patched(FILE, { titles: { auto: false } }),
    FILE.replace('// no clock\n', '// no clock\n  "titles": {\n    "auto": false\n  },\n'),
  )
  assert.equal(
    patched(FILE, { skills: { contextMode: 'full' } }),
    FILE.replace('["clock"], }', '["clock"], "contextMode": "full", }'),
  )
  assert.equal(patched('{ "a": 1 /* one */ }', { b: 2 }), '{ "a": 1, /* one */ "b": 2 }')
  assert.equal(patched('{ // empty\n  // "a": 1\n}\n', { b: 2 }), '{ // empty\n  "b": 2\n  // "a": 1\n}\n')
})

test('a key goes alone: comments, even those beside it, stay', () => {
  assert.equal(patched(FILE, { model: null }), FILE.replace('"model": "demo", ', ''))
  assert.equal(patched(FILE, { policy: null }), FILE.replace('"policy": "recent" // short\n  ,\n', '// short\n'))
  assert.equal(patched('{ "a": 1, "b": 2 }', { b: null }), '{ "a": 1 }')
  assert.equal(patched('{ "a": 1, "b": 2 }', { a: null }), '{ "b": 2 }')
  assert.equal(patched('{\n  "a": 1, // one\n  // two\n  "b": 2\n}\n', { b: null }), '{\n  "a": 1 // one\n  // two\n}\n')
})

test('a value is changed in its place, and one that is there already changes nothing', () => {
  assert.equal(patched(FILE, { model: 'demo', skills: { disabled: ['clock'] } }), FILE)
  assert.equal(patched(FILE, { policy: 'steady', model: 'x' }), FILE.replace('"recent"', '"steady"').replace('"demo"', '"x"'))
})

test('a byte order mark and the line ends of Windows stay', () => {
  const text = `\uFEFF${FILE.replaceAll('\n', '\r\n')}`
  const after = patched(text, { policies: { short: { extends: 'steady' } }, model: null, policy: 'full' })
  assert.ok(after.startsWith('\uFEFF//'))
  assert.equal(after.replaceAll('\r\n', '').includes('\n'), false)
})

test('an empty file and one with only comments become an object', () => {
  assert.equal(patched('', { model: 'demo' }), '{\n  "model": "demo"\n}\n')
  assert.equal(patched('// nothing', { model: 'demo' }), '// nothing\n{\n  "model": "demo"\n}\n')
  assert.equal(patched('{}', { a: { b: 1 } }), '{\n  "a": {\n    "b": 1\n  }\n}')
})

const key = fc.constantFrom('a', 'b', 'c', 'd')
const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.string({ maxLength: 6 }), fc.constant(['x', '/* no comment */', 'y']))
const { tree } = fc.letrec(tie => ({
  tree: fc.dictionary(key, fc.oneof({ withCrossShrink: true, maxDepth: 3 }, scalar, tie('tree')), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
}))
const { patch } = fc.letrec(tie => ({
  patch: fc.dictionary(key, fc.oneof({ maxDepth: 3 }, fc.constant(null), scalar, tie('patch')), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
}))

/** What may stand between two tokens: spaces, lines and comments. */
const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\n\n', ' // note\n', '/* in */', ' /* a\n b */ ', '\n\t// tab\n')

/** A text of a value in which chance chose spaces, comments and trailing commas. */
function written(value: unknown, next: () => string, hasTrailing: () => boolean): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const items = Object.entries(value).map(([name, each]) => {
    const named = Array.isArray(value) ? '' : `${JSON.stringify(name)}${next()}:${next()}`
    return `${next()}${named}${written(each, next, hasTrailing)}${next()}`
  })
  return `${open}${items.join(',')}${items.length > 0 && hasTrailing() ? ',' : ''}${next()}${close}`
}

/** As the library numbers it. */
const END = 17

function commentsIn(text: string): readonly string[] {
  const scanner = createScanner(text, false)
  const found: string[] = []
  while (Number(scanner.scan()) !== END) if (/^\/[/*]/.test(scanner.getTokenValue())) found.push(scanner.getTokenValue())
  return found
}

/** The source of each top-level property, by its key. */
const sourcesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    (parseTree(text, [], { allowTrailingComma: true })?.children ?? []).map(({ offset, length, children }) => [
      String(children?.[0]?.value),
      text.slice(offset, offset + length),
    ]),
  )

test('any patch of any text gives what RFC 7396 says, and keeps comments, order and the source of all other keys', () => {
  fc.assert(
    fc.property(
      tree,
      patch,
      fc.array(gap, { minLength: 1, maxLength: 40 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
      fc.boolean(),
      (value, wanted, gaps, commas, isWindows) => {
        let [place, turn] = [0, 0]
        const next = () => gaps[place++ % gaps.length] ?? ''
        const plain = `${next()}${written(value, next, () => commas[turn++ % commas.length] ?? false)}${next()}`
        const text = isWindows ? plain.replaceAll('\n', '\r\n') : plain
        const after = patched(text, wanted as Value)
        assert.deepEqual(must(parseJsonc(after)), mergePatch(value, wanted))
        const [old, now] = [sourcesIn(text), sourcesIn(after)]
        const untouched = [...old.keys()].filter(each => !Object.hasOwn(wanted as Value, each))
        for (const each of untouched) assert.equal(now.get(each), old.get(each))
        const kept = [...old.keys()].filter(each => now.has(each))
        assert.deepEqual([...now.keys()].slice(0, kept.length), kept, 'in their order')
        assert.ok(!(after.includes('\r\n') && /(?<!\r)\n/.test(after)), 'one kind of line end')
        // Only a value that is taken out or replaced as a whole takes the comments inside it along.
        const outside = commentsIn(text).length - commentsIn([...old].map(([, source]) => source).join('\n')).length
        assert.ok(commentsIn(after).length >= outside)
        if (Object.keys(wanted as Value).length === 0) assert.equal(after, text)
      },
    ),
    tries(400),
  )
})

test('a patch names every value that it changes', () => {
  assert.deepEqual(pathsIn({ a: { b: 1, c: null }, d: {}, e: [{ f: 1 }] }), [['a', 'b'], ['a', 'c'], ['d'], ['e']])
  assert.deepEqual(pathsIn({}), [[]])
})
