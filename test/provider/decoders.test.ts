// However the bytes of a reply are cut on their way, what is heard is the same; and it is what was said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Wire } from '../../src/model/provider.ts'
import { bytesOf, type FakeFault, type Script } from '../../src/testing/index.ts'
import { tries } from '../support/tries.ts'
import { DOORS } from './fakes/door.ts'
import { SCRIPTS } from './fakes/scripts.ts'
import { replyOf, requestTo, WIRE_OF } from './speaking.ts'

/** What is heard of these pieces. */
function heard(wire: Wire, name: string, pieces: readonly Uint8Array[]): readonly Delta[] {
  const decoder = wire.decode?.(requestTo(name))
  assert.ok(decoder)
  return [...pieces.flatMap(piece => decoder.read(piece)), ...decoder.end()]
}

const cutAt = (bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] => {
  const edges = [0, ...[...new Set(places)].sort((a, b) => a - b), bytes.length]
  return edges.slice(1).map((end, index) => bytes.slice(edges[index], end))
}

/** Short enough that every single cut can be tried. */
const SHORT: Readonly<Record<string, Script>> = Object.fromEntries(
  Object.entries(SCRIPTS)
    .filter(([what]) => what !== 'a large delta')
    .map(([what, script]) => [what, { ...script, every: 4 }]),
)

/** Two that have everything a cut can hurt: long characters, and pieces of arguments. */
const SHORTEST: Readonly<Record<string, Script>> = Object.fromEntries(
  Object.entries(SCRIPTS)
    .filter(([what]) => what === 'letters of every length' || what === 'thinking with a signature')
    .map(([what, script]) => [what, { ...script, every: 6 }]),
)

const DRESS: Readonly<Record<string, readonly FakeFault[]>> = {
  plain: [],
  'CR LF and a byte order mark': [{ type: 'crlf' }, { type: 'bom' }],
  'many data lines and unknown events': [{ type: 'manyDataLines' }, { type: 'unknownEvents', count: 5 }],
}

for (const { name, wire: fake, flavour } of DOORS) {
  const wire = WIRE_OF[name]
  assert.ok(wire)

  for (const [how, faults] of Object.entries(DRESS)) {
    test(`${name}, ${how}: every single cut gives the same deltas`, () => {
      for (const [what, script] of Object.entries(how === 'plain' ? SHORT : SHORTEST)) {
        const bytes = bytesOf(fake, { ...script, faults }, { flavour })
        const whole = heard(wire, name, [bytes])
        for (let place = 1; place < bytes.length; place += 1)
          assert.deepEqual(heard(wire, name, cutAt(bytes, [place])), whole, `${what}, cut at ${place}`)
      }
    })
  }

  test(`${name}: any number of cuts gives the same deltas`, () => {
    const script = fc.constantFrom(...Object.values(SCRIPTS))
    const dress = fc.constantFrom(...Object.values(DRESS))
    fc.assert(
      fc.property(script, dress, fc.array(fc.nat(4000), { maxLength: 60 }), (said, faults, places) => {
        const bytes = bytesOf(fake, { ...said, faults }, { flavour })
        const inside = places.filter(place => place > 0 && place < bytes.length)
        assert.deepEqual(heard(wire, name, cutAt(bytes, inside)), heard(wire, name, [bytes]))
      }),
      tries(150),
    )
  })

  test(`${name}: byte by byte, and without the last line break`, () => {
    for (const script of Object.values(SHORT)) {
      const bytes = bytesOf(fake, script, { flavour })
      const whole = heard(wire, name, [bytes])
      assert.deepEqual(
        heard(
          wire,
          name,
          [...bytes].map(byte => Uint8Array.of(byte)),
        ),
        whole,
      )
      const trimmed = new TextEncoder().encode(new TextDecoder().decode(bytes).trimEnd())
      assert.deepEqual(heard(wire, name, [trimmed]), whole)
    }
  })

  test(`${name}: nothing is heard after the end, and there is exactly one end`, () => {
    for (const script of Object.values(SHORT)) {
      const bytes = bytesOf(fake, script, { flavour })
      const deltas = heard(wire, name, [bytes, bytes])
      const ends = deltas.filter(({ type }) => type === 'done' || type === 'fault')
      assert.equal(ends.length, 1)
      assert.equal(deltas.at(-1), ends[0])
    }
  })

  test(`${name}: a reply that stops anywhere before its end is a fault, with what was said until then`, () => {
    const says = [{ type: 'text', text: 'Hello there, how are you?' }] as const
    const bytes = bytesOf(fake, { says }, { flavour })
    const whole = replyOf(heard(wire, name, [bytes]))
    assert.equal(whole.end, 'done')
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = replyOf(heard(wire, name, [bytes.slice(0, length)]))
      assert.ok(whole.text.startsWith(cut.text))
      // Some services say why they stop before they say that they do; with that, the reply is whole.
      if (cut.end === undefined) assert.equal(cut.fault?.kind, 'garbled', `at ${length}`)
      else assert.equal(cut.text, whole.text)
    }
  })

  test(`${name}: bytes that are no text at all never throw`, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), pieces => {
        const deltas = heard(wire, name, pieces)
        assert.ok(['done', 'fault'].includes(deltas.at(-1)?.type ?? ''))
      }),
      tries(300),
    )
  })
}

const openai = (...chunks: readonly object[]): ReturnType<typeof replyOf> => {
  const wire = WIRE_OF.openai
  assert.ok(wire)
  const body = [...chunks.map(chunk => JSON.stringify(chunk)), '[DONE]'].map(data => `data: ${data}\n\n`).join('')
  return replyOf(heard(wire, 'openai', [new TextEncoder().encode(body)]))
}
const delta = (given: object, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta: given, finish_reason }],
})

test('compatible servers: reasoning by either name, and as pieces', () => {
  assert.equal(openai(delta({ reasoning_content: 'Hm.' }), delta({ content: 'Yes.' }, 'stop')).thinking, 'Hm.')
  assert.equal(openai(delta({ reasoning: 'Hm.' }), delta({ content: 'Yes.' }, 'stop')).thinking, 'Hm.')
  const pieces = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
    { type: 'text', text: 'Yes.' },
  ]
  const { thinking, text } = openai(delta({ content: pieces }, 'stop'))
  assert.deepEqual([thinking, text], ['Hm.', 'Yes.'])
})

test('compatible servers: calls that repeat their id, lack an index, an id, or arguments', () => {
  const call = (given: object): object => delta({ tool_calls: [given] })
  const repeated = openai(
    call({ index: 0, id: 'a', function: { name: 'look', arguments: '{"x"' } }),
    call({ index: 0, id: 'a', function: { name: 'look', arguments: ':1}' } }),
    delta({}, 'tool_calls'),
  )
  assert.deepEqual(repeated.calls, [{ id: 'a', tool: 'look', args: '{"x":1}' }])
  const unnumbered = openai(
    call({ id: 'a', function: { name: 'look', arguments: '{}' } }),
    call({ id: 'b', function: { name: 'find', arguments: '{' } }),
    call({ function: { arguments: '}' } }),
    delta({}, 'stop'),
  )
  assert.deepEqual(
    unnumbered.calls.map(({ id, tool, args }) => [id, tool, args]),
    [
      ['a', 'look', '{}'],
      ['b', 'find', '{}'],
    ],
  )
  const unnamed = openai(
    call({ index: 0, function: { name: 'look', arguments: { x: 1 } } }),
    call({ index: 1, function: { name: 'look' } }),
    delta({}, 'tool_calls'),
  )
  assert.equal(new Set(unnamed.calls.map(({ id }) => id)).size, 2)
  assert.deepEqual(
    unnamed.calls.map(({ args }) => args),
    ['{"x":1}', ''],
  )
})

test('usage: the last report counts, cached parts are taken out, a cost is believed', () => {
  const { usage } = openai(
    { ...delta({ content: 'Hi.' }), usage: { prompt_tokens: 5, completion_tokens: 1 } },
    delta({}, 'stop'),
    {
      choices: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
        cost: 0.5,
      },
    },
  )
  assert.deepEqual(usage, { input: 10, output: 7, cacheRead: 60, cacheWrite: 30, costUsd: 0.5 })
  assert.equal(openai(delta({ content: 'Hi.' }, 'stop')).usage, undefined)
})

test('errors inside a stream have names, and say whether asking again may help', () => {
  const wire = WIRE_OF.openai
  assert.ok(wire)
  const faultOf = (error: unknown): readonly unknown[] => {
    const [last] = heard(wire, 'openai', [new TextEncoder().encode(`data: ${JSON.stringify({ error })}\n\n`)]).slice(-1)
    assert.equal(last?.type, 'fault')
    return last.type === 'fault' ? [last.fault.kind, last.again] : []
  }
  assert.deepEqual(faultOf({ code: 429, message: 'slow down' }), ['throttled', true])
  assert.deepEqual(faultOf({ code: 502, message: 'upstream' }), ['overloaded', true])
  assert.deepEqual(faultOf({ code: 'context_length_exceeded', message: 'long' }), ['too-long', false])
  assert.deepEqual(faultOf({ type: 'server_error', message: 'x' }), ['overloaded', true])
  assert.deepEqual(faultOf({ type: 'insufficient_quota', message: 'x' }), ['throttled', false])
  assert.deepEqual(faultOf('it broke'), ['overloaded', true])
})

test('one event may have many data lines, but not without end', () => {
  const wire = WIRE_OF.openai
  assert.ok(wire)
  const lines = new TextEncoder().encode(`data: ${'x'.repeat(1000)}\n`.repeat(64))
  const deltas = heard(
    wire,
    'openai',
    Array.from({ length: 100 }, () => lines),
  )
  assert.deepEqual(
    deltas.map(delta => delta.type === 'fault' && delta.fault.kind),
    ['too-large'],
  )
})

test('comments and fields that no one knows change nothing, whatever ends their lines', () => {
  const wire = WIRE_OF.openai
  assert.ok(wire)
  const frames = [
    ': hello',
    'x: 1',
    'retry: soon',
    'data: {"choices":[{"delta":{"content":"a\u2028b"}}]}',
    '',
    'data: [DONE]',
    '',
  ]
  for (const ending of ['\n', '\r', '\r\n'])
    assert.equal(replyOf(heard(wire, 'openai', [new TextEncoder().encode(frames.join(ending) + ending)])).text, 'a\u2028b')
})
