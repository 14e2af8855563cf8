import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  base64Of,
  type DraftFile,
  draftFileText,
  partOf,
  pastedFile,
  pastesFiles,
  scaledSize,
  sizeWords,
  takeFile,
  unseenWords,
  whyFileDoesNotFit,
} from '../../../web/src/store/message/attachments.ts'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'latin1'))
const PNG = bytesOf('\x89PNG\r\n\x1a\n rest')

const file = (more: Partial<DraftFile> = {}): DraftFile => ({
  ...{ id: 'f1', kind: 'text', name: 'a.txt', mediaType: 'text/plain', bytes: bytesOf('hello') },
  ...more,
})

describe('what a file is', () => {
  test('its bytes decide, whatever its name and type say', () => {
    const taken = takeFile({ name: 'notes.txt', type: 'text/plain', bytes: PNG })
    assert.deepEqual(taken, { ok: true, file: { kind: 'image', name: 'notes.txt', mediaType: 'image/png', bytes: PNG } })
    const code = takeFile({ name: 'main.ts', type: 'video/mp2t', bytes: bytesOf('const a = 1') })
    assert.ok(code.ok)
    assert.equal(code.file.kind, 'text')
    assert.equal(code.file.mediaType, 'text/plain')
    const json = takeFile({ name: 'a.json', type: 'application/json', bytes: bytesOf('{}') })
    assert.equal(json.ok && json.file.mediaType, 'application/json')
    const pdf = takeFile({ name: 'a.pdf', type: '', bytes: bytesOf('%PDF-1.7 …') })
    assert.equal(pdf.ok && pdf.file.kind, 'pdf')
  })

  test('what a model cannot read is refused in words that say what is possible', () => {
    const zip = takeFile({ name: 'all.zip', type: 'application/zip', bytes: bytesOf('PK\x03\x04\x00\x00') })
    assert.equal(
      zip.ok ? '' : zip.why,
      '“all.zip” cannot be read by a model. Images (PNG, JPEG, GIF, WebP), PDF and text files can be attached.',
    )
    const heic = takeFile({ name: 'photo.heic', type: 'image/heic', bytes: bytesOf('\x00\x00\x00\x18ftypheic') })
    assert.match(heic.ok ? '' : heic.why, /save it as PNG or JPEG first/)
    const latin = takeFile({ name: 'old.csv', type: 'text/csv', bytes: bytesOf('caf\xe9') })
    assert.equal(latin.ok, false)
    assert.match((takeFile({ name: 'none.txt', type: '', bytes: bytesOf('') }) as { why: string }).why, /is empty/)
  })

  test('a name is one visible line', () => {
    const taken = takeFile({ name: ' a\nb\u0000 ', type: '', bytes: bytesOf('x') })
    assert.equal(taken.ok && taken.file.name, 'a b')
    const nameless = takeFile({ name: '', type: '', bytes: PNG })
    assert.equal(nameless.ok && nameless.file.name, 'file')
    const long = takeFile({ name: `${'x'.repeat(300)}.md`, type: '', bytes: bytesOf('x') })
    assert.ok(long.ok && long.file.name.length === 120 && long.file.name.endsWith('.md'))
  })
})

test('bytes become base64 in pieces that join without a seam', () => {
  const bytes = new Uint8Array(100_003).map((_, index) => (index * 7919) & 255)
  assert.equal(base64Of(bytes), Buffer.from(bytes).toString('base64'))
  assert.equal(base64Of(new Uint8Array(0)), '')
})

test('a file goes out as the gateway takes it', () => {
  assert.deepEqual(partOf(file()), { type: 'file', name: 'a.txt', mediaType: 'text/plain', data: 'aGVsbG8=' })
  assert.equal(partOf(file({ kind: 'image', mediaType: 'image/png' })).type, 'image')
  assert.equal(partOf(file({ kind: 'pdf', mediaType: 'application/pdf' })).type, 'file')
})

test('a long paste is a text file, and can become text again', () => {
  const text = 'grüße\n'.repeat(6000)
  const pasted = pastedFile(text)
  assert.equal(draftFileText(pasted), text)
  assert.equal(pasted.note, '36,000 characters')
  assert.equal(pasted.isPasted, true)
})

test('files have a place up to twenty, and up to what one message may carry', () => {
  const some = Array.from({ length: 20 }, (_, index) => file({ id: String(index) }))
  assert.equal(whyFileDoesNotFit(some.slice(1), file()), null)
  assert.equal(whyFileDoesNotFit(some, file()), 'At most 20 files go with one message.')
  const large = file({ bytes: new Uint8Array(9_000_000) })
  assert.equal(whyFileDoesNotFit([], large), null)
  assert.equal(
    whyFileDoesNotFit([large], file({ name: 'b.bin', bytes: new Uint8Array(9_500_000) })),
    '“b.bin” does not fit: the files of one message may have 18.1 MB together.',
  )
})

test('an image is scaled down only where it is too large', () => {
  assert.equal(scaledSize({ width: 4000, height: 3000 }, 3_000_000), null)
  assert.deepEqual(scaledSize({ width: 8192, height: 4096 }, 1000), { width: 2048, height: 1024 })
  assert.deepEqual(scaledSize({ width: 20, height: 10_000 }, 1000), { width: 4, height: 2048 })
  assert.deepEqual(scaledSize({ width: 1000, height: 1000 }, 9_000_000), { width: 1000, height: 1000 }, 'only packed anew')
})

test('sizes are words', () => {
  assert.deepEqual([900, 1500, 999_499, 999_500, 2_340_000].map(sizeWords), ['900 bytes', '2 kB', '999 kB', '1.0 MB', '2.3 MB'])
})

test('files are pasted where they are meant, and not the picture an office program brings along', () => {
  assert.equal(pastesFiles(['image.png'], '', false), true)
  assert.equal(pastesFiles(['image.png'], 'a table', true), false)
  assert.equal(pastesFiles(['a.txt', 'b.txt'], '/home/me/a.txt\n/home/me/b.txt', false), true)
  assert.equal(pastesFiles([], 'words', false), false)
})

test('what a model cannot take is known beforehand, each model once', () => {
  const blind = { name: 'demo', images: false, files: false }
  const seeing = { name: 'eyes', images: true, files: true }
  const image = file({ kind: 'image' })
  assert.equal(unseenWords([file()], [blind]), null)
  assert.equal(unseenWords([image], [seeing]), null)
  assert.equal(unseenWords([image], []), null, 'nothing is said of models that nobody knows')
  assert.equal(unseenWords([image], [blind, blind, seeing]), 'demo does not see images; it is told only their names.')
  assert.match(unseenWords([image, file({ kind: 'pdf' })], [blind]) ?? '', /images.*PDF files/)
})
