// Writes the file of word vectors that `src/context/recall/word-vectors.ts` reads and describes.
import {
  WORD_VECTORS_DIMENSIONS,
  WORD_VECTORS_HEADER,
  WORD_VECTORS_MAGIC,
  WORD_VECTORS_VERSION,
  wordVectorsChecksum,
} from '../src/context/recall/word-vectors.ts'

/** What the file holds: the vocabulary in order, 128 numbers for each piece, and the related pieces of each, best first. */
export type WordVectorsContent = {
  readonly pieces: readonly string[]
  readonly vectors: Int8Array
  readonly related: readonly (readonly { readonly piece: number; readonly cosine: number }[])[]
}

/** The bytes of the file. The same content always gives the same bytes. */
export function writeWordVectors({ pieces, vectors, related }: WordVectorsContent): Uint8Array {
  if (vectors.length !== pieces.length * WORD_VECTORS_DIMENSIONS) throw new Error('each piece has 128 numbers')
  if (related.length !== pieces.length || related.some(each => each.length > 255))
    throw new Error('each piece has its related ones')
  const text = new TextEncoder().encode(pieces.join('\n'))
  const pairs = related.flat()
  const length = WORD_VECTORS_HEADER + vectors.length + pieces.length + 3 * pairs.length + text.length
  const end = Math.ceil(length / 4) * 4
  const bytes = new Uint8Array(end + 4)
  const view = new DataView(bytes.buffer)

  bytes.set(new TextEncoder().encode(WORD_VECTORS_MAGIC))
  const numbers = [WORD_VECTORS_VERSION, WORD_VECTORS_DIMENSIONS, pieces.length, pairs.length, text.length]
  for (const [index, each] of numbers.entries()) view.setUint32(WORD_VECTORS_MAGIC.length + 4 * index, each, true)

  let at = WORD_VECTORS_HEADER
  bytes.set(new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.length), at)
  at += vectors.length
  for (const each of related) bytes[at++] = each.length
  for (const { piece } of pairs) {
    view.setUint16(at, piece, true)
    at += 2
  }
  for (const each of pairs) bytes[at++] = cosineByte(each.cosine)
  bytes.set(text, at)
  view.setUint32(end, wordVectorsChecksum(bytes, end), true)
  return bytes
}

/** A cosine as the file has it. */
export const cosineByte = (cosine: number): number => Math.max(0, Math.min(255, Math.round(cosine * 255)))
