import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { strToU8, Zip, ZipDeflate, ZipPassThrough, zipSync } from 'fflate'
import { complaint, fileOf, inPieces, readAll } from './reading.ts'

const CHATGPT = fileOf('chatgpt.json')
const CLAUDE = fileOf('claude.json')
const PORT42 = fileOf('port42.json')
/** Bytes that look like the beginning and the end of files, and do not shrink. */
const DECOY = Buffer.concat([
  Buffer.from('PK\x03\x04PK\x07\x08PK\x01\x02PK\x05\x06', 'latin1'),
  Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919 + (index >> 3) * 31) & 255)),
])

/** As programs write it that do not know a file's length when it begins: that stands behind it. */
function streamed(files: Readonly<Record<string, Uint8Array>>, deflate: boolean): Buffer {
  const pieces: Uint8Array[] = []
  const zip = new Zip((_, bytes) => pieces.push(bytes))
  for (const [name, bytes] of Object.entries(files)) {
    const file = deflate ? new ZipDeflate(name, { level: 6 }) : new ZipPassThrough(name)
    zip.add(file)
    file.push(bytes, true)
  }
  zip.end()
  return Buffer.concat(pieces)
}

test('known files of a ZIP are read, whoever packed it, and others passed over', async () => {
  const files = {
    'chat.html': strToU8('<html>'),
    'images/a.png': DECOY,
    '__MACOSX/._conversations.json': DECOY,
    'conversations.json': CHATGPT,
    'users.json': strToU8('[]'),
    'z.bin': DECOY,
  }
  const whole = JSON.stringify(await readAll(CHATGPT))
  for (const [kind, zip] of [
    ['packed', zipSync(files)],
    ['stored', zipSync(files, { level: 0 })],
    ['packed, lengths behind', streamed(files, true)],
    ['stored, lengths behind', streamed(files, false)],
  ] as const) {
    assert.equal(JSON.stringify(await readAll(zip)), whole, kind)
    for (let size = kind.startsWith('packed') ? 1 : 2; size < 4000; size *= 7)
      assert.equal(JSON.stringify(await readAll(inPieces(zip, size))), whole, `${kind}, ${size} bytes at a time`)
  }
})

test('a ZIP may hold its conversations in several files, and of several formats', async () => {
  const second = Buffer.from(
    '[{"title":"second","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["hi"]}}}}}]',
  )
  const found = await readAll(
    zipSync({
      'export/conversations-000.json': CHATGPT,
      'export/conversations-001.json': second,
      'sessions/2025-08-01/session-1.json': PORT42,
      'deep/conversations.json': CLAUDE,
      'turnwise-2026.json': fileOf('turnwise.json'),
    }),
  )
  assert.deepEqual(
    found.flatMap(each => (each.type === 'session' ? [each.session.origin] : [])),
    ['chatgpt', 'chatgpt', 'port42', 'claude', 'turnwise', 'turnwise'],
  )
})

test('a place names the file', async () => {
  const zip = zipSync({
    'sessions/2025-08-01/a.json': PORT42,
    'sessions/2025-08-01/b.json': strToU8('{"agent":1,"messages":[{"role":"user"}],\n'),
  })
  assert.match(await complaint(zip), /^sessions\/2025-08-01\/b\.json, line 1: the file ends in the middle/)
  const other = zipSync({ 'export/conversations.json': strToU8('[{"hello":1}]') })
  assert.match(await complaint(other), /^export\/conversations\.json: this file is not understood/)
})

test('a ZIP without conversations is refused, naming what is known', async () => {
  assert.match(await complaint(zipSync({ 'notes.txt': strToU8('hi') })), /no file of conversations in this ZIP; known are/)
  assert.match(await complaint(zipSync({})), /no file of conversations/)
})

test('no ZIP that was cut off or damaged is taken for a whole one', async () => {
  for (const zip of [
    zipSync({ 'conversations.json': CLAUDE, 'b.bin': DECOY }),
    streamed({ 'b.bin': DECOY, 'conversations.json': CLAUDE }, true),
  ]) {
    const end = Buffer.from(zip).lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
    for (let length = 0; length < end; length += 1 + (length % 13))
      assert.notEqual(await complaint(zip.subarray(0, length)), 'nothing', `after ${length} bytes`)
  }
  const zip = Buffer.from(zipSync({ 'conversations.json': CLAUDE }, { level: 0 }))
  const at = zip.indexOf('They say hello')
  zip[at] = 0x58
  assert.match(await complaint(zip), /conversations\.json is damaged inside the ZIP/)
})

test('a ZIP that needs a password or another way of unpacking says so', async () => {
  const secret = Buffer.from(zipSync({ 'conversations.json': CLAUDE }))
  secret[6] = 1
  assert.match(await complaint(secret), /conversations\.json is encrypted/)
  const other = Buffer.from(zipSync({ 'conversations.json': CLAUDE }))
  other[8] = 14
  assert.match(await complaint(other), /packed in a way that is not read/)
})

/** The beginning of a ZIP: one file, deflated, with its length before it or behind. */
function begun(name: string, content: Uint8Array, packed: Buffer, isBehind: boolean): Buffer {
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(isBehind ? 8 : 0, 6)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(isBehind ? 0 : packed.length, 18)
  header.writeUInt32LE(isBehind ? 0 : content.length, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, Buffer.from(name), packed])
}

test('a bomb is refused while it is still small', async () => {
  const spaces = Buffer.alloc(66 << 20, ' ')
  spaces.write('[')
  const packed = deflateRawSync(spaces)
  const wanted = begun('conversations.json', spaces, packed, false)
  assert.ok(wanted.length < 200_000)
  assert.match(await complaint(wanted), /conversations\.json grows without measure/)
  assert.match(
    await complaint(begun('a.bin', spaces, packed, true)),
    /a\.bin grows without measure/,
    'also where nobody wants it',
  )
})
