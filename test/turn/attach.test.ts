// What becomes of the files of a message before it is written: what they are, what they weigh, which are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { weigh } from '../../src/context/text/tokens.ts'
import { parseFact } from '../../src/model/event.ts'
import { attach, type InboundPart } from '../../src/turn/admission/attach.ts'
import { type ImageType, imageTypeOf, sizeOf } from '../../src/turn/admission/image.ts'
import { hash } from '../../src/turn/step/measure.ts'
import { IMAGE, PAPER, PDF, PNG } from '../support/files.ts'
import { workedMs } from '../support/thread-time.ts'
import { tries } from '../support/tries.ts'

const file = (given: Partial<InboundPart>): InboundPart => ({
  type: 'file',
  name: 'notes.md',
  mediaType: 'text/markdown',
  data: '',
  ...given,
})
const photo: InboundPart = { type: 'image', name: 'photo.png', mediaType: 'image/png', data: PNG }
const base64 = (bytes: string | readonly number[]): string => Buffer.from(bytes as string).toString('base64')
const whyNot = (...parts: readonly InboundPart[]): string => {
  const attached = attach(parts)
  assert.ok(!attached.ok, 'it should have been refused')
  assert.equal(attached.fault.kind, 'invalid')
  return attached.fault.message
}

test('a picture and a document are kept once by the hash of their base64; a text file becomes its text', () => {
  const notes = file({ mediaType: 'Text/Markdown; charset=utf-8', data: base64('# Größe\n') })
  const paper = file({ name: 'paper.pdf', mediaType: 'application/pdf', data: PDF })
  const attached = attach([photo, notes, paper])
  assert.deepEqual(attached, {
    ok: true,
    value: {
      attachments: [IMAGE, { type: 'text', name: 'notes.md', mediaType: 'text/markdown', text: '# Größe\n' }, PAPER],
      texts: [
        { hash: hash(PNG), text: PNG },
        { hash: hash(PDF), text: PDF },
      ],
    },
  })
})

test('what cannot be sent is refused by its place, with what can', () => {
  assert.match(whyNot(photo, { ...photo, mediaType: 'image/jpeg' }), /^parts\.1: the bytes are not image\/jpeg but image\/png$/)
  assert.match(whyNot({ ...photo, data: base64('GIF8') }), /^parts\.0: the bytes are not image\/png$/)
  assert.match(
    whyNot({ ...photo, mediaType: 'image/tiff' }),
    /^parts\.0\.mediaType: "image\/tiff" cannot be sent; images \(image\/png/,
  )
  assert.match(whyNot({ ...photo, mediaType: 'application/pdf', data: PDF }), /^parts\.0\.mediaType: /)
  assert.match(whyNot(file({ mediaType: 'image/png', data: PNG })), /^parts\.0\.mediaType: .*go as type "image"/)
  assert.match(whyNot(file({ mediaType: 'application/zip', data: base64('PK') })), /^parts\.0\.mediaType: "application\/zip"/)
  assert.match(
    whyNot(file({ mediaType: 'application/pdf', data: base64(' %PDF-') })),
    /^parts\.0: the bytes are not application\/pdf$/,
  )
  assert.match(whyNot(file({ data: base64([0xff, 0xfe, 0x41]) })), /^parts\.0: the bytes are not text in UTF-8$/)
  assert.match(whyNot(file({ data: base64('a\0b') })), /^parts\.0: the bytes are not text$/)
  for (const name of ['', '   ', 'two\nlines', 'bell\x07', 'x'.repeat(201), '\ud800', 'line\u2028'])
    assert.match(whyNot(photo, file({ name })), /^parts\.1\.name: must be 1 to 200 visible characters/)
  for (const data of ['*', 'QQ', 'QQ=', 'QR==', 'Q Q==', 'QQ==\n', 'QQ-_', 'Zm9v====', 'data:text/plain;base64,QQ=='])
    assert.match(whyNot(file({ data })), /^parts\.0\.data: is not base64/, data)
  assert.match(whyNot(...Array.from({ length: 21 }, () => photo)), /^parts: at most 20 files/)
  assert.ok(attach(Array.from({ length: 20 }, () => photo)).ok)
})

test('source code and data are text, whatever their type is called', () => {
  const types = `application/json application/ld+json application/x-ndjson application/xml image/svg+xml application/yaml
    application/x-yaml application/javascript application/typescript application/x-typescript application/toml application/csv
    application/x-sh application/sql text/csv text/x-python text/html`
  for (const mediaType of types.split(/\s+/)) assert.ok(attach([file({ mediaType, data: base64('{}') })]).ok, mediaType)
  for (const mediaType of ['application/octet-stream', 'application/msword', 'text/', 'json', '', 'text/a b', 'video/mp4'])
    assert.match(whyNot(file({ mediaType, data: base64('{}') })), /^parts\.0\.mediaType: /, mediaType)
})

/** The beginning of a picture of each form, of 300 by 200 pixels. */
const HEADERS: readonly { readonly form: string; readonly type: ImageType; readonly bytes: Buffer }[] = [
  { form: 'png', type: 'image/png', bytes: Buffer.from('89504e470d0a1a0a0000000d494844520000012c000000c80806000000', 'hex') },
  { form: 'gif', type: 'image/gif', bytes: Buffer.from('4749463839612c01c800f70000', 'hex') },
  {
    form: 'jpeg with an application segment, a table and fill bytes before its frame',
    type: 'image/jpeg',
    bytes: Buffer.from('ffd8ffe000044a46ffc400051122ffffffc200110800c8012c03012200', 'hex'),
  },
  {
    form: 'webp, lossy',
    type: 'image/webp',
    bytes: Buffer.from('52494646000000005745425056503820000000003001009d012a2c01c800', 'hex'),
  },
  {
    form: 'webp, lossless',
    type: 'image/webp',
    // 14 bits each, less one: 299 | 199 << 14.
    bytes: Buffer.concat([
      Buffer.from('5249464600000000574542505650384c000000002f', 'hex'),
      Buffer.from([0x2b, 0xc1, 0x31, 0x00]),
      Buffer.alloc(8),
    ]),
  },
  {
    form: 'webp, extended',
    type: 'image/webp',
    bytes: Buffer.from('524946460000000057454250565038580a000000000000002b0100c70000', 'hex'),
  },
]

test('the size of a picture is read from its header, whatever its form', () => {
  for (const { form, type, bytes } of HEADERS) {
    assert.equal(imageTypeOf(bytes), type, form)
    assert.deepEqual(sizeOf(bytes, type), { width: 300, height: 200 }, form)
    const attached = attach([{ type: 'image', name: 'a', mediaType: type, data: bytes.toString('base64') }])
    assert.ok(attached.ok)
    const [image] = attached.value.attachments
    assert.equal(image?.type === 'image' && image.tokens, 85, form)
  }
})

test('a picture costs by its size, within bounds, and the most where that cannot be read', () => {
  const png = (width: number, height: number): InboundPart => {
    const bytes = Buffer.from(HEADERS[0]?.bytes ?? [])
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return { ...photo, data: bytes.toString('base64') }
  }
  const tokensOf = (part: InboundPart): number => {
    const attached = attach([part])
    assert.ok(attached.ok)
    return weigh({ type: 'message.received', text: '', parts: attached.value.attachments, from: 'person' }).tokens
  }
  assert.deepEqual(
    [png(1, 1), png(1000, 750), png(1001, 750), png(9000, 9000), png(0, 10)].map(tokensOf),
    [85, 1000, 1001, 1600, 1600],
  )
  assert.equal(tokensOf({ ...photo, data: Buffer.from(PNG, 'base64').subarray(0, 20).toString('base64') }), 1600)
})

test('no bytes make the reading of a picture throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...HEADERS), fc.uint8Array({ maxLength: 40 }), fc.nat(40), ({ type, bytes }, rest, cut) => {
      const given = Buffer.concat([bytes.subarray(0, cut), rest])
      imageTypeOf(given)
      const size = sizeOf(given, type)
      assert.ok(size === undefined || (size.width >= 0 && size.height >= 0))
    }),
    tries(2000),
  )
})

test('a document costs by its pages', () => {
  const tokens = (text: string): number => {
    const attached = attach([file({ mediaType: 'application/pdf', data: base64(text) })])
    assert.ok(attached.ok)
    const [paper] = attached.value.attachments
    return paper?.type === 'file' ? paper.tokens : 0
  }
  const pages = (count: number): string =>
    `%PDF-1.7\n<</Type /Pages>> ${'<</Type /Page>> <</Type/Page/Parent 1 0 R>> '.repeat(count)}`
  assert.deepEqual(
    [0, 1, 2, 60].map(count => tokens(pages(count))),
    [2000, 4000, 8000, 200_000],
  )
  assert.equal(tokens('%PDF-1.7\n1 0 obj<</Linearized 1/L 5/H[1 2]/O 3/E 4/N 12/T 6>>endobj'), 24_000)
})

test('a message weighs its words, its text files with their names, and what its other files cost', () => {
  const words = weigh({ type: 'message.received', text: 'two words', from: 'person' }).tokens
  const notes = { type: 'text', name: 'notes', mediaType: 'text/plain', text: 'two words' } as const
  const whole = weigh({ type: 'message.received', text: 'two words', parts: [notes, IMAGE, PAPER], from: 'person' })
  assert.deepEqual(whole, { tokens: words * 2 + 1 + IMAGE.tokens + PAPER.tokens, messages: 1 })
})

test('long text files are counted by samples, quickly and nearly right', () => {
  const text = 'The quick brown fox jumps over the lazy dog, again and again.\n'.repeat(4000)
  const tokensOf = (count: number): number =>
    weigh({
      type: 'message.received',
      text: '',
      parts: Array.from({ length: count }, () => ({ type: 'text', name: 'fox', mediaType: 'text/plain', text }) as const),
      from: 'person',
    }).tokens
  const one = tokensOf(1)
  const started = workedMs()
  const many = tokensOf(60)
  assert.ok(workedMs() - started < 5000, 'nobody waits')
  assert.ok(Math.abs(many / (one * 60) - 1) < 0.02, `${many} for sixty, ${one} for one`)
})

test('a stored message whose files are damaged is damaged, and names why', () => {
  const body = (parts: unknown): string => JSON.stringify({ text: 'a', from: 'person', parts })
  const sound = [{ type: 'text', name: 'a', mediaType: 'text/plain', text: '' }, IMAGE, PAPER]
  assert.deepEqual(parseFact('message.received', body(sound)), {
    type: 'message.received',
    text: 'a',
    from: 'person',
    parts: sound,
  })
  const { hash: _, ...nameless } = IMAGE
  for (const parts of [
    {},
    'x',
    null,
    [null],
    [{ type: 'text', text: 'a' }],
    [nameless],
    [{ ...PAPER, tokens: '5' }],
    [{ ...IMAGE, type: 'think' }],
  ])
    assert.deepEqual(parseFact('message.received', body(parts)), { why: 'a part of the message is damaged' })
})
