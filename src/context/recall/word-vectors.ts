/**
 * Reads the file of word vectors: what a few words mean as one vector, and which words are related to one.
 *
 * The file, little-endian, in this order (`scripts/word-vectors-file.ts` writes it):
 *
 *     magic          8 bytes   "turnword"
 *     version        u32       1
 *     dimensions     u32       128
 *     pieces         u32       how many word pieces there are, at most 65,536
 *     pairs          u32       how many related words there are, of all pieces together
 *     text           u32       bytes of the vocabulary
 *     vectors        i8        pieces × dimensions, each piece scaled so that its largest number is 127
 *     counts         u8        pieces: how many related words each one has
 *     related        u16       pairs: their indices, piece after piece, best first
 *     cosines        u8        pairs: cosine × 255
 *     vocabulary     text      the pieces in UTF-8, joined by line feeds; a piece that continues a word begins with "##"
 *     padding                  zeros, until the length is a multiple of four
 *     checksum       u32       of everything before it
 */

export const WORD_VECTORS_MAGIC = 'turnword'
export const WORD_VECTORS_VERSION = 1
export const WORD_VECTORS_DIMENSIONS = 128
/** Magic, version, dimensions, pieces, pairs, text. */
export const WORD_VECTORS_HEADER = 28
const MOST_PIECES = 65_536
/** Longer words are ids, links and noise. */
const MOST_LETTERS = 20
/** A word piece is no longer than this in any vocabulary of its kind; longer stretches of a word need no look-up. */
const LONGEST_PIECE = 18

/** A word that is related to another, with the cosine of the two. */
export type RelatedWord = { readonly word: string; readonly cosine: number }

export type WordVectors = {
  readonly dimensions: 128
  readonly pieceCount: number
  /** The vector of some lower-case words at unit length, each number × 127; undefined if no word has a vector. */
  readonly vectorOf: (words: readonly string[]) => Int8Array | undefined
  /** The words that are related to one, best first. */
  readonly related: (word: string) => readonly RelatedWord[]
}

/** Reads a file of word vectors. Gives undefined for a damaged or foreign file; never throws. */
export function readWordVectors(bytes: Uint8Array): WordVectors | undefined {
  const layout = layoutOf(bytes)
  if (layout === undefined) return undefined
  const { pieceCount, pairs, vectorsAt, countsAt, relatedAt, cosinesAt, textAt, textEnd } = layout
  const vectors = new Int8Array(bytes.buffer, bytes.byteOffset + vectorsAt, pieceCount * WORD_VECTORS_DIMENSIONS)

  const firstPair = new Uint32Array(pieceCount + 1)
  for (let piece = 0; piece < pieceCount; piece++)
    firstPair[piece + 1] = (firstPair[piece] as number) + (bytes[countsAt + piece] as number)
  if (firstPair[pieceCount] !== pairs) return undefined
  const relatedPiece = (pair: number): number =>
    (bytes[relatedAt + 2 * pair] as number) | ((bytes[relatedAt + 2 * pair + 1] as number) << 8)
  for (let pair = 0; pair < pairs; pair++) if (relatedPiece(pair) >= pieceCount) return undefined

  // The slice is a copy that no other thread shares: a decoder may refuse shared bytes.
  const pieces = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(textAt, textEnd)).split('\n')
  if (pieces.length !== pieceCount) return undefined
  const indexOf = new Map<string, number>()
  for (let index = 0; index < pieceCount; index++) indexOf.set(pieces[index] as string, index)
  if (indexOf.size !== pieceCount) return undefined

  /** 1 ÷ the length of each piece's vector; 0 where it was not needed yet. */
  const inverseLengths = new Float64Array(pieceCount)
  const inverseLength = (piece: number): number => {
    const known = inverseLengths[piece] as number
    if (known !== 0) return known
    const start = piece * WORD_VECTORS_DIMENSIONS
    let squares = 0
    for (let d = start; d < start + WORD_VECTORS_DIMENSIONS; d++) squares += (vectors[d] as number) * (vectors[d] as number)
    const found = squares === 0 ? 1 : 1 / Math.sqrt(squares)
    inverseLengths[piece] = found
    return found
  }

  const vectorOf = (words: readonly string[]): Int8Array | undefined => {
    const sum = new Float64Array(WORD_VECTORS_DIMENSIONS)
    for (const word of words) {
      for (const piece of piecesOf(word, indexOf)) {
        const weight = Math.log(1 + piece) * inverseLength(piece)
        const start = piece * WORD_VECTORS_DIMENSIONS
        for (let d = 0; d < WORD_VECTORS_DIMENSIONS; d++) sum[d] = (sum[d] as number) + weight * (vectors[start + d] as number)
      }
    }
    return quantizedUnit(sum)
  }

  const related = (word: string): readonly RelatedWord[] => {
    const piece = indexOf.get(isWord(word) ? withoutAccents(word) : '')
    if (piece === undefined) return []
    const found: RelatedWord[] = []
    for (let pair = firstPair[piece] as number; pair < (firstPair[piece + 1] as number); pair++) {
      found.push({ word: pieces[relatedPiece(pair)] ?? '', cosine: (bytes[cosinesAt + pair] as number) / 255 })
    }
    return found
  }

  return { dimensions: WORD_VECTORS_DIMENSIONS, pieceCount, vectorOf, related }
}

/** The cosine of two vectors of the same length; 0 if one of them is empty or of another length. */
export function cosine(a: Int8Array, b: Int8Array): number {
  if (a.length !== b.length) return 0
  let product = 0
  let squaresOfA = 0
  let squaresOfB = 0
  for (let d = 0; d < a.length; d++) {
    const x = a[d] as number
    const y = b[d] as number
    product += x * y
    squaresOfA += x * x
    squaresOfB += y * y
  }
  return product === 0 ? 0 : product / Math.sqrt(squaresOfA * squaresOfB)
}

/** A vector at unit length, each number × 127; undefined if it has no length. */
export function quantizedUnit(vector: Float64Array | readonly number[]): Int8Array | undefined {
  let squares = 0
  for (let d = 0; d < vector.length; d++) squares += (vector[d] as number) ** 2
  if (!(squares > 0 && squares < Number.POSITIVE_INFINITY)) return undefined
  const scale = 127 / Math.sqrt(squares)
  const unit = new Int8Array(vector.length)
  for (let d = 0; d < vector.length; d++) unit[d] = Math.round((vector[d] as number) * scale)
  return unit
}

/** A checksum over whole words of four bytes. A change of one word always changes it. */
export function wordVectorsChecksum(bytes: Uint8Array, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let sum = 0x811c9dc5
  for (let offset = 0; offset + 4 <= end; offset += 4) {
    sum = Math.imul(sum ^ view.getUint32(offset, true), 0x01000193)
    sum ^= sum >>> 15
  }
  return sum >>> 0
}

type Layout = {
  readonly pieceCount: number
  readonly pairs: number
  readonly vectorsAt: number
  readonly countsAt: number
  readonly relatedAt: number
  readonly cosinesAt: number
  readonly textAt: number
  readonly textEnd: number
}

/** Where everything is in the file; undefined unless magic, version, lengths and checksum are right. */
function layoutOf(bytes: Uint8Array): Layout | undefined {
  if (bytes.length < WORD_VECTORS_HEADER + 4 || bytes.length % 4 !== 0) return undefined
  for (let index = 0; index < WORD_VECTORS_MAGIC.length; index++) {
    if (bytes[index] !== WORD_VECTORS_MAGIC.charCodeAt(index)) return undefined
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [version = 0, dimensions = 0, pieceCount = 0, pairs = 0, text = 0] = [8, 12, 16, 20, 24].map(offset =>
    view.getUint32(offset, true),
  )
  if (version !== WORD_VECTORS_VERSION || dimensions !== WORD_VECTORS_DIMENSIONS) return undefined
  if (pieceCount < 1 || pieceCount > MOST_PIECES) return undefined
  const vectorsAt = WORD_VECTORS_HEADER
  const countsAt = vectorsAt + pieceCount * WORD_VECTORS_DIMENSIONS
  const relatedAt = countsAt + pieceCount
  const cosinesAt = relatedAt + 2 * pairs
  const textAt = cosinesAt + pairs
  const textEnd = textAt + text
  const end = bytes.length - 4
  if (Math.ceil(textEnd / 4) * 4 !== end) return undefined
  if (view.getUint32(end, true) !== wordVectorsChecksum(bytes, end)) return undefined
  return { pieceCount, pairs, vectorsAt, countsAt, relatedAt, cosinesAt, textAt, textEnd }
}

const NO_PIECES: readonly number[] = []

/** The pieces of a word, the longest that fits first; none if a stretch of the word is in no piece. */
function piecesOf(word: string, indexOf: ReadonlyMap<string, number>): readonly number[] {
  if (!isWord(word)) return NO_PIECES
  const plain = withoutAccents(word)
  const whole = indexOf.get(plain)
  if (whole !== undefined) return [whole]
  const found: number[] = []
  for (let start = 0; start < plain.length; ) {
    let end = Math.min(plain.length, start + LONGEST_PIECE)
    let piece: number | undefined
    for (; end > start; end--) {
      piece = indexOf.get(start === 0 ? plain.slice(0, end) : `##${plain.slice(start, end)}`)
      if (piece !== undefined) break
    }
    if (piece === undefined) return NO_PIECES
    found.push(piece)
    start = end
  }
  return found
}

/** Letters only, and not too many. */
const isWord = (word: string): boolean =>
  /^[a-z]+$/.test(word)
    ? word.length <= MOST_LETTERS
    : /^[\p{L}\p{M}]+$/u.test(word) && (word.match(/\p{L}/gu) ?? []).length <= MOST_LETTERS

/** The vocabulary knows no accents. */
const withoutAccents = (word: string): string => (/^[a-z]*$/.test(word) ? word : word.normalize('NFD').replace(/\p{Mn}/gu, ''))
