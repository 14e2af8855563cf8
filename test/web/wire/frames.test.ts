import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFrameReader, type StreamFrame } from '../../../web/src/wire/frames.ts'
import { tries } from '../../support/tries.ts'

const STREAM = [
  '\uFEFF: hello\n\n',
  'id: 1\nevent: message.received\ndata: {"text":"né 🌊 終"}\n\n',
  ': keep-alive\r\n\r\n',
  'event: delta\r\ndata: {"a":1}\r\n\r\n',
  'event:delta\rdata:first\rdata:  second\rdata\r\r',
  'event: nothing\nid: 9\n\n',
  'id: 2\r\ndata: one\rdata: two\ndata: three\r\n\n',
  'retry: 100\nunknown: x\ndata: plain\n\n',
  'id: a\0b\ndata: a null is no id\n\n',
  'data: unfinished',
].join('')

const FRAMES: readonly StreamFrame[] = [
  { event: 'message.received', data: '{"text":"né 🌊 終"}', id: '1' },
  { event: 'delta', data: '{"a":1}', id: null },
  { event: 'delta', data: 'first\n second\n', id: null },
  { event: 'message', data: 'one\ntwo\nthree', id: '2' },
  { event: 'message', data: 'plain', id: null },
  { event: 'message', data: 'a null is no id', id: null },
]

const BYTES = new TextEncoder().encode(STREAM)

function framesOf(chunks: Iterable<Uint8Array | string>): StreamFrame[] {
  const reader = createFrameReader()
  return [...chunks].flatMap(chunk => reader.read(chunk))
}

test('a stream in one piece gives its frames', () => {
  assert.deepEqual(framesOf([BYTES]), FRAMES)
  assert.deepEqual(framesOf([STREAM]), FRAMES)
})

test('every single cut of the bytes gives the same frames', () => {
  for (let at = 0; at <= BYTES.length; at += 1)
    assert.deepEqual(framesOf([BYTES.subarray(0, at), BYTES.subarray(at)]), FRAMES, `cut at ${at}`)
})

test('every single cut of the text gives the same frames', () => {
  for (let at = 0; at <= STREAM.length; at += 1)
    assert.deepEqual(framesOf([STREAM.slice(0, at), STREAM.slice(at)]), FRAMES, `cut at ${at}`)
})

test('one byte at a time gives the same frames', () => {
  assert.deepEqual(framesOf([...BYTES].map(byte => Uint8Array.of(byte))), FRAMES)
})

test('frames do not depend on where a stream was cut', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }).map(text => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
    fc.constantFrom('', '', ':', 'data', 'event: delta', 'id: 7', 'id', 'data:'),
  )
  const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 30 })
  const cuts = fc.array(fc.nat(), { maxLength: 12 })
  fc.assert(
    fc.property(stream, cuts, (lines, places) => {
      const text = lines.map(([words, end]) => words + end).join('')
      const whole = framesOf([text])
      assert.deepEqual(framesOf(pieces(text.length, places).map(([from, to]) => text.slice(from, to))), whole)
      const bytes = new TextEncoder().encode(text)
      const clean = framesOf([bytes])
      assert.deepEqual(framesOf(pieces(bytes.length, places).map(([from, to]) => bytes.subarray(from, to))), clean)
    }),
    tries(500),
  )
})

function pieces(length: number, places: readonly number[]): [number, number][] {
  const edges = [0, ...places.map(place => place % (length + 1)).sort((a, b) => a - b), length]
  return edges.slice(1).map((to, index) => [edges[index] ?? 0, to])
}
