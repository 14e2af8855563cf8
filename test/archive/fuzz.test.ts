import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { IMPORT_FORMATS } from '../../src/archive/input/found.ts'
import { parseFact } from '../../src/model/event.ts'
import { tries } from '../support/tries.ts'
import { complaint, fileOf, readAll } from './reading.ts'

const SEEDS = ['port42.json', 'space.json', 'chatgpt.json', 'claude.json', 'openai.jsonl', 'turnwise.json'].map(fileOf)
const ZIPPED = Buffer.from(
  zipSync({ 'conversations.json': fileOf('claude.json'), 'sessions/2025-01-01/a.json': fileOf('port42.json') }),
)
const RUNS = tries(300)

/** Whatever the bytes are: a complaint in words, or facts that a log takes. */
async function isBearable(bytes: Uint8Array): Promise<void> {
  const said = await complaint(bytes)
  assert.doesNotMatch(said, /undefined|\[object|at .*\.ts/)
  assert.ok(said.length < 2000, 'a complaint is short')
  if (said !== 'nothing') return
  let seq = 0
  for (const each of await readAll(bytes)) {
    if (each.type === 'session') {
      seq = 0
      assert.ok(each.session.createdAt <= each.session.updatedAt || each.session.origin === 'turnwise')
      assert.equal(new Date(each.session.createdAt).toISOString(), each.session.createdAt)
    }
    if (each.type !== 'fact') continue
    seq += 1
    assert.equal(new Date(each.at).toISOString(), each.at)
    const { type, ...body } = each.fact
    assert.ok(!('why' in parseFact(type, JSON.stringify(body))), JSON.stringify(each.fact))
    if (each.fact.type === 'turn.started') assert.ok(each.fact.cause < seq)
  }
}

const edit = fc.record({
  at: fc.nat(20_000),
  kind: fc.constantFrom('put', 'cut', 'drop', 'twice'),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc
      .constantFrom(
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '\n',
        '\0',
        'null',
        '1e999',
        '-1',
        '""',
        '{}',
        '[]',
        '"\\ud800"',
        '"__proto__":1,',
        '\ufeff',
      )
      .map(text => Buffer.from(text)),
  ),
})

test('files that were damaged anywhere are read, or refused in words', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(SEEDS.length), fc.array(edit, { minLength: 1, maxLength: 3 }), async (seed, edits) => {
      let bytes: Uint8Array = SEEDS[seed] ?? ZIPPED
      for (const { at, kind, bytes: put } of edits) {
        const here = at % (bytes.length + 1)
        const [before, after] = [bytes.subarray(0, here), bytes.subarray(here)]
        if (kind === 'put') bytes = Buffer.concat([before, put, after.subarray(put.length)])
        else if (kind === 'cut') bytes = before
        else if (kind === 'drop') bytes = Buffer.concat([before, after.subarray(1 + put.length)])
        else bytes = Buffer.concat([before, after.subarray(0, 200), after])
      }
      await isBearable(bytes)
    }),
    RUNS,
  )
})

test('values of any kind in any place are read, or refused in words', async () => {
  const parsed = SEEDS.slice(0, 5).map(seed => {
    const text = seed.toString()
    return text.startsWith('{"messages"')
      ? text
          .trim()
          .split(/\n+/)
          .map(line => JSON.parse(line))
      : JSON.parse(text)
  })
  const strange = fc.oneof(
    fc.constantFrom(null, true, -1, 0.5, 1e300, '', 'x', '\ud800', [], {}, [[]], [null], { text: 1 }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.nat(parsed.length - 1),
      fc.array(fc.nat(), { minLength: 1, maxLength: 2 }),
      strange,
      async (seed, places, value) => {
        const copy: unknown = structuredClone(parsed[seed])
        for (const place of places) replaceOne(copy, place, structuredClone(value))
        await isBearable(Buffer.from(JSON.stringify(copy)))
      },
    ),
    RUNS,
  )
})

/** Puts something else in the place of one of the values within. */
function replaceOne(value: unknown, place: number, other: unknown): void {
  const holders: [Record<string, unknown>, string][] = []
  const walk = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return
    for (const [key, inner] of Object.entries(each)) {
      holders.push([each as Record<string, unknown>, key])
      walk(inner)
    }
  }
  walk(value)
  const [holder, key] = holders[place % holders.length] ?? []
  if (holder !== undefined && key !== undefined) holder[key] = other
}

test('bytes of chance are refused in words, under every format', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom('', '{', '[{', 'PK\x03\x04', '{"turnwise":"archive"'),
      fc.constantFrom(undefined, ...IMPORT_FORMATS),
      async (bytes, head, format) => {
        const said = await complaint(Buffer.concat([Buffer.from(head, 'latin1'), bytes]), format)
        assert.doesNotMatch(said, /undefined|at .*\.ts/)
      },
    ),
    RUNS,
  )
})

test('what is too deep, too long or too much is refused by its place', async () => {
  assert.match(await complaint(`[${'{"a":'.repeat(100_000)}`), /^conversation 1: is nested more than 200 deep/)
  assert.match(await complaint(`[[${'['.repeat(100_000)}`), /^line 1: "\[" is not expected here/)
  assert.match(
    await complaint(`{"role":"user","content":"${'a'.repeat(9 << 20)}"}`),
    /^line 1: is longer than 8 million characters/,
  )
  assert.match(await complaint(`{"role":"user","extra":[${'0,'.repeat(3_000_001)}0]}`), /^line 1: has more than 3000000 values/)
  assert.equal(
    await complaint(`{"role":"user","content":"${'a'.repeat(8 << 20)}"}`),
    'nothing',
    'a word that never ends is long, and nothing else',
  )
  assert.match(await complaint(Buffer.alloc(2 << 20, ' ')), /nothing but spaces|empty/)
})
