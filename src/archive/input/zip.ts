// Reads the files of a ZIP as its bytes arrive.
import { crc32 } from 'node:zlib'
import type { ByteSource } from './byte-source.ts'
import { badFile } from './found.ts'
import { inflated } from './inflate.ts'

/** One file of a ZIP. Its bytes must be read to the end before the next file. */
export type ZipEntry = { readonly name: string; readonly bytes: AsyncIterable<Uint8Array> }

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const DESCRIPTOR = 0x08074b50
const ZIP64_END = 0x06064b50
/** The length of an entry's header, up to the file's name. */
const HEADER = 30
const STORED = 0
const DEFLATED = 8
const WIDE = 0xffffffff

/** The most bytes that all files together may inflate to. */
const MOST_INFLATED = 4 * 2 ** 30
/** Text by people shrinks to a fifth, and repeated text to a hundredth. A file that shrank more than this was made to do harm. */
const MOST_RATIO = 400
const RATIO_FROM = 64 << 20

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6))

type Header = {
  readonly name: string
  readonly method: number
  readonly isEncrypted: boolean
  readonly crc: number
  /** The packed length. It is undefined if the ZIP gives it only after the file. */
  readonly length: number | undefined
}

/**
 * Reads the files of a ZIP in their order, as the bytes arrive. It never searches for an entry's signature, because those
 * bytes may occur inside a file: each entry ends where its length or its own last block says. It writes nothing to a disk.
 */
export async function* zipEntries(source: ByteSource, wanted: (name: string) => boolean): AsyncGenerator<ZipEntry> {
  let inflatedBytes = 0
  for (;;) {
    const signature = number(await source.take(4), 0, 4)
    if (signature === CENTRAL || signature === END || signature === ZIP64_END) break
    if (signature !== LOCAL) throw badFile('the ZIP is damaged: no file begins where one should')
    const header = await readHeader(source)
    const { name, length } = header
    if (!wanted(name) && length !== undefined) {
      await passOver(source, length)
      continue
    }
    if (header.isEncrypted) throw badFile(`${name} is encrypted; make a ZIP without a password`)
    const began = source.taken
    let crc = 0
    let own = 0
    const bytes = contentOf(source, header)
    const read = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of bytes) {
        crc = crc32(piece, crc)
        own += piece.length
        inflatedBytes += piece.length
        if (own > RATIO_FROM && own > MOST_RATIO * (source.taken - began))
          throw badFile(`${name} grows without measure when it is unpacked`)
        if (inflatedBytes > MOST_INFLATED) throw badFile('the ZIP holds more than 4 GiB')
        yield piece
      }
    }
    const content = read()
    if (wanted(name)) yield { name, bytes: content }
    // A wanted file has been read by now. A skipped file is read only to find its end.
    for await (const _ of content);
    const expected = length === undefined ? await readDescriptor(source, source.taken - began, own) : header.crc
    if (expected !== undefined && expected !== crc) throw badFile(`${name} is damaged inside the ZIP`)
  }
  await readToEnd(source)
}

async function readHeader(source: ByteSource): Promise<Header> {
  const rest = await source.take(HEADER - 4)
  const at = (offset: number, size: number): number => number(rest, offset - 4, size)
  const [flags, method, crc, nameLength, extraLength] = [at(6, 2), at(8, 2), at(14, 4), at(26, 2), at(28, 2)]
  const name = Buffer.from(await source.take(nameLength)).toString((flags & 0x800) === 0 ? 'latin1' : 'utf8')
  const extra = await source.take(extraLength)
  const isBehind = (flags & 8) !== 0
  const length = at(18, 4) === WIDE ? wideLength(extra) : at(18, 4)
  return { name, method, isEncrypted: (flags & 1) !== 0, crc, length: isBehind ? undefined : length }
}

/** The lengths of a file that is too long for the header: first the unpacked length, then the packed one. */
function wideLength(extra: Uint8Array): number {
  for (let at = 0; at + 4 <= extra.length; at += 4 + number(extra, at + 2, 2)) {
    if (number(extra, at, 2) === 1 && at + 20 <= extra.length) return number(extra, at + 12, 8)
  }
  throw badFile('the ZIP is damaged: a file does not say how long it is')
}

async function* contentOf(source: ByteSource, { name, method, length }: Header): AsyncGenerator<Uint8Array> {
  if (method === DEFLATED) return yield* inflated(source, length, name)
  if (method !== STORED) throw badFile(`${name} is packed in a way that is not read; make the ZIP anew`)
  if (length === undefined) return yield* storedUntilDescriptor(source)
  for (let left = length; left > 0; ) {
    const piece = await source.some(Math.min(left, PIECE))
    if (piece.length === 0) throw badFile('the ZIP ends in the middle; it was cut off')
    left -= piece.length
    yield piece
  }
}

const PIECE = 64 << 10

async function passOver(source: ByteSource, length: number): Promise<void> {
  for (let left = length; left > 0; ) {
    const piece = await source.some(left)
    if (piece.length === 0) throw badFile('the ZIP ends in the middle; it was cut off')
    left -= piece.length
  }
}

/** Reads a stored file whose length comes after it. The file ends where a descriptor names exactly the length so far. */
async function* storedUntilDescriptor(source: ByteSource): AsyncGenerator<Uint8Array> {
  const began = source.taken
  for (;;) {
    const ahead = await source.peek(PIECE)
    let end = -1
    for (let at = ahead.indexOf(0x50); at !== -1 && at + 24 <= ahead.length; at = ahead.indexOf(0x50, at + 1)) {
      if (number(ahead, at, 4) !== DESCRIPTOR) continue
      const own = source.taken - began + at
      if (number(ahead, at + 8, 4) === own % 2 ** 32) {
        end = at
        break
      }
    }
    if (end === -1 && ahead.length < PIECE) throw badFile('the ZIP ends in the middle; it was cut off')
    // The last bytes are kept and looked at again together with the bytes that follow.
    const piece = end === -1 ? ahead.subarray(0, ahead.length - 23) : ahead.subarray(0, end)
    source.skip(piece.length)
    if (piece.length > 0) yield piece
    if (end !== -1) return
  }
}

/** Reads the descriptor after a file: checksum and lengths, with or without a signature, in 32 or 64 bits. */
async function readDescriptor(source: ByteSource, packed: number, own: number): Promise<number> {
  const ahead = await source.peek(24)
  const offset = number(ahead, 0, 4) === DESCRIPTOR ? 4 : 0
  for (const size of [4, 8]) {
    const fits = (at: number, length: number): boolean => number(ahead, at, size) === (size === 4 ? length % 2 ** 32 : length)
    if (!fits(offset + 4, packed) || !fits(offset + 4 + size, own)) continue
    source.skip(offset + 4 + 2 * size)
    return number(ahead, offset, 4)
  }
  throw badFile('the ZIP is damaged: a file has not the length that it says')
}

/** Nothing in the directory at the end is needed. It only proves that the ZIP was not cut off. */
async function readToEnd(source: ByteSource): Promise<void> {
  let tail = Buffer.alloc(0)
  for (;;) {
    const piece = await source.some(PIECE)
    if (piece.length === 0) break
    tail = Buffer.concat([tail, piece]).subarray(-(22 + 4 + 0xffff))
  }
  const isEmpty = tail.length === 18
  if (!isEmpty && tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6])) === -1)
    throw badFile('the ZIP ends in the middle; it was cut off')
}

/** Reads a little-endian number. */
function number(bytes: Uint8Array, offset: number, size: number): number {
  let value = 0
  for (let index = size - 1; index >= 0; index -= 1) value = value * 256 + (bytes[offset + index] ?? 0)
  return value
}
