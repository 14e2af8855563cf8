import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCheck } from '../../src/tool/descriptor/check-arguments.ts'
import { workedMs } from '../support/thread-time.ts'

function checkOf(properties: object, over: object = {}) {
  const check = compileCheck({ type: 'object', properties, ...over })
  assert.ok(check.ok, JSON.stringify(check))
  return check.value
}

const TABLE: readonly (readonly [string, object, unknown, string | undefined])[] = [
  ['fitting arguments', { limit: { type: 'integer' } }, { limit: 3 }, undefined],
  ['a text for a number', { limit: { type: 'integer' } }, { limit: '3' }, 'limit: must be integer'],
  [
    'something deep inside',
    { a: { type: 'array', items: { type: 'object', properties: { 'x/y': { type: 'string' } } } } },
    { a: [{}, { 'x/y': 1 }] },
    'a.1.x/y: must be string',
  ],
  ['one of a few', { mode: { enum: ['fast', 'slow'] } }, { mode: 'x' }, 'mode: must be one of "fast","slow"'],
  ['no object at all', {}, ['a'], 'the arguments: must be object'],
  ['nothing at all', {}, null, 'the arguments: must be object'],
  ['a format nobody knows', { day: { type: 'string', format: 'moon-phase' } }, { day: 'x' }, undefined],
  [
    'a reference into the schema',
    { day: { $ref: '#/properties/other' }, other: { type: 'string' } },
    { day: 1 },
    'day: must be string',
  ],
]

for (const [name, properties, args, complaint] of TABLE)
  test(`arguments are checked, in words a model can use: ${name}`, () => {
    assert.equal(checkOf(properties)(args), complaint)
  })

test('what is missing, and what nobody asked for, is named', () => {
  const check = checkOf({ query: { type: 'string' } }, { required: ['query'], additionalProperties: false })
  assert.equal(check({ flags: ['-x'] }), 'query: is missing\nflags: there is no such argument')
})

test('a schema may say which draft it follows', () => {
  for (const draft of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])
    assert.equal(checkOf({ a: { type: 'string' } }, { $schema: draft })({ a: 1 }), 'a: must be string')
})

test('two schemas of one name do not disturb each other', () => {
  const first = checkOf({ a: { type: 'string' } }, { $id: 'same' })
  const second = checkOf({ a: { type: 'number' } }, { $id: 'same' })
  assert.deepEqual([first({ a: 'x' }), second({ a: 1 })], [undefined, undefined])
})

test('a complaint is short however much is wrong', () => {
  const check = checkOf({}, { additionalProperties: false })
  const args = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${index}${'x'.repeat(200)}`, 1]))
  const lines = check(args)?.split('\n') ?? []
  assert.equal(lines.length, 9)
  assert.equal(lines.at(-1), 'and 492 more')
  assert.ok(lines.every(line => line.length < 120))
})

test('arguments too deep or too large are refused before anything looks into them', () => {
  const check = checkOf({ a: {} })
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  assert.equal(check({ a: deep }), 'the arguments are nested too deeply')
  assert.equal(check({ a: 'x'.repeat(256 * 1024) }), 'the arguments are larger than 256 KiB')
})

test('each pattern is matched by itself', () => {
  const check = checkOf({ a: { type: 'string', pattern: '^a+$' }, b: { type: 'string', pattern: '^b+$' } })
  assert.equal(check({ a: 'aa', b: 'bb' }), undefined)
  assert.equal(check({ a: 'bb', b: 'aa' }), 'a: must match pattern "^a+$"\nb: must match pattern "^b+$"')
})

test('a pattern that would take for ever takes a moment', () => {
  const check = checkOf({ a: { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } } })
  assert.equal(check({ a: ['aaa'] }), undefined)
  assert.equal(check({ a: ['b'] }), 'a.0: must match pattern "^(a+)+$"')
  const started = workedMs()
  assert.match(check({ a: Array(50).fill(`${'a'.repeat(40)}!`) }) ?? '', /takes too long/)
  assert.ok(workedMs() - started < 1000)
  assert.match(check({ a: Array(1000).fill(`${'a'.repeat(16)}!`) }) ?? '', /takes too long/, 'nor do many small moments add up')
  assert.equal(check({ a: ['aaa'] }), undefined, 'the next check has its whole time again')
})
