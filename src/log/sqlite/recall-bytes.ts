/** Packs rows of a recall index for their way between threads: one piece crosses five times as fast as many rows. */

import type { PostingRow, RecallBlock, RecallBlockKind, RecallChange } from '../ports.ts'

/** Postings in columns: of each row its term, four numbers (segment, count, last, length of the body), and its body. */
export type PackedPostings = {
  readonly terms: readonly string[]
  readonly numbers: Float64Array
  readonly bodies: Uint8Array
}

export type PackedChange = Omit<RecallChange, 'postings' | 'blocks'> & {
  readonly postings: PackedPostings
  readonly blocks: NonNullable<RecallChange['blocks']>
}

const NUMBERS = 4

/** Bytes that go from thread to thread without being copied. */
const sharedBytes = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length))

/** Rows that came in one piece can go on in it. */
const pieces = new WeakMap<readonly PostingRow[], PackedPostings>()

export function packedPostings(rows: readonly PostingRow[]): PackedPostings {
  const known = pieces.get(rows)
  if (known !== undefined) return known
  const numbers = new Float64Array(rows.length * NUMBERS)
  const bodies = new Uint8Array(rows.reduce((sum, { body }) => sum + body.byteLength, 0))
  let at = 0
  for (const [index, { segment, count, last, body }] of rows.entries()) {
    const place = index * NUMBERS
    numbers[place] = segment
    numbers[place + 1] = count
    numbers[place + 2] = last
    numbers[place + 3] = body.byteLength
    bodies.set(body, at)
    at += body.byteLength
  }
  return { terms: rows.map(({ term }) => term), numbers, bodies }
}

export function unpackedPostings(packed: PackedPostings): readonly PostingRow[] {
  const { terms, numbers, bodies } = packed
  let at = 0
  const rows = terms.map((term, index): PostingRow => {
    const place = index * NUMBERS
    const from = at
    at += numbers[place + 3] ?? 0
    const body = bodies.subarray(from, at)
    return { term, segment: numbers[place] ?? 0, count: numbers[place + 1] ?? 0, last: numbers[place + 2] ?? 0, body }
  })
  pieces.set(rows, packed)
  return rows
}

/** The rows of one term as the database joins them: how many there are, the four numbers of each, and their bodies. */
export type JoinedPostings = readonly [term: string, rows: number, numbers: string, bodies: Uint8Array]

export function packedJoined(joined: readonly JoinedPostings[]): PackedPostings {
  const numbers = Float64Array.from(JSON.parse(`[${joined.map(([, , own]) => own).join()}]`) as number[])
  const bodies = sharedBytes(joined.reduce((sum, [, , , own]) => sum + own.byteLength, 0))
  const terms: string[] = []
  let at = 0
  for (const [term, many, , own] of joined) {
    bodies.set(own, at)
    at += own.byteLength
    for (let left = many; left > 0; left -= 1) terms.push(term)
  }
  return { terms, numbers, bodies }
}

/** Blocks of one kind in columns: of each its number and the length of its body, and all bodies. */
export type PackedBlocks = { readonly numbers: Float64Array; readonly bodies: Uint8Array }

export function packedBlocks(blocks: readonly Pick<RecallBlock, 'number' | 'body'>[]): PackedBlocks {
  const bodies = sharedBytes(blocks.reduce((sum, { body }) => sum + body.byteLength, 0))
  let at = 0
  for (const { body } of blocks) {
    bodies.set(body, at)
    at += body.byteLength
  }
  return { numbers: Float64Array.from(blocks.flatMap(({ number, body }) => [number, body.byteLength])), bodies }
}

export function unpackedBlocks(kind: RecallBlockKind, { numbers, bodies }: PackedBlocks): readonly RecallBlock[] {
  let at = 0
  return Array.from({ length: numbers.length / 2 }, (_, index) => {
    const from = at
    at += numbers[2 * index + 1] ?? 0
    return { kind, number: numbers[2 * index] ?? 0, body: bodies.subarray(from, at) }
  })
}

/** Postings go in the order of the file, which halves the time they take; a body leaves the larger piece that it is part of. */
export function packedChange({ state, postings = [], blocks = [] }: RecallChange): PackedChange {
  const inOrder = postings.toSorted((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : 0))
  return {
    state,
    postings: packedPostings(inOrder),
    blocks: blocks.map(({ kind, number, body }) => ({ kind, number, body: body === null ? null : Uint8Array.from(body) })),
  }
}
