/** Packs rows of a recall index for their way between threads: one piece crosses five times as fast as many rows. */

import type { AllPostings, PostingRow, RecallBlock, RecallBlockKind, RecallChange } from '../ports.ts'

/** Postings in columns: each term once for all its rows, five numbers of each row (its term, segment, count, last, length of the body), and the bodies. */
export type PackedPostings = {
  readonly terms: readonly string[]
  readonly numbers: Float64Array
  readonly bodies: Uint8Array
}

export type PackedChange = Omit<RecallChange, 'postings' | 'blocks'> & {
  readonly postings: PackedPostings
  readonly blocks: NonNullable<RecallChange['blocks']>
}

const NUMBERS = 5

/** Bytes that go from thread to thread without being copied. */
const sharedBytes = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length))

/** Rows that came in one piece can go on in it. */
const pieces = new WeakMap<readonly PostingRow[], PackedPostings>()

export function packedPostings(rows: readonly PostingRow[]): PackedPostings {
  const known = pieces.get(rows)
  if (known !== undefined) return known
  const terms: string[] = []
  const numbers = new Float64Array(rows.length * NUMBERS)
  const bodies = new Uint8Array(rows.reduce((sum, { body }) => sum + body.byteLength, 0))
  let at = 0
  for (const [index, { term, segment, count, last, body }] of rows.entries()) {
    if (term !== terms.at(-1)) terms.push(term)
    numbers.set([terms.length - 1, segment, count, last, body.byteLength], index * NUMBERS)
    bodies.set(body, at)
    at += body.byteLength
  }
  return { terms, numbers, bodies }
}

export function unpackedPostings(packed: PackedPostings): readonly PostingRow[] {
  const { terms, numbers, bodies } = packed
  const rows: PostingRow[] = []
  for (let place = 0, at = 0; place < numbers.length; place += NUMBERS) {
    const from = at
    at += numbers[place + 4] as number
    rows.push({
      term: terms[numbers[place] as number] as string,
      segment: numbers[place + 1] as number,
      count: numbers[place + 2] as number,
      last: numbers[place + 3] as number,
      body: bodies.subarray(from, at),
    })
  }
  pieces.set(rows, packed)
  return rows
}

/** Rows as the database joins them: of each its term and four numbers, as a list in JSON without brackets, and all bodies. */
export type JoinedPostings = { readonly facts: string | null; readonly bodies: Uint8Array | null }

export function packedJoined(joined: JoinedPostings): PackedPostings {
  const facts = JSON.parse(`[${joined.facts ?? ''}]`) as (string | number)[]
  const terms: string[] = []
  const numbers = new Float64Array(facts.length)
  for (const [place, fact] of facts.entries()) {
    if (typeof fact === 'string' && fact !== terms.at(-1)) terms.push(fact)
    numbers[place] = typeof fact === 'string' ? terms.length - 1 : fact
  }
  const bodies = sharedBytes(joined.bodies?.byteLength ?? 0)
  if (joined.bodies !== null) bodies.set(joined.bodies)
  return { terms, numbers, bodies }
}

/** All postings of some sessions as the database joins them: of each row five facts, its term the second of them. */
export function packedAll(joined: JoinedPostings): AllPostings {
  const facts = JSON.parse(`[${joined.facts ?? ''}]`) as (string | number)[]
  const terms = new Map<string, number>()
  const numbers = new Float64Array(facts.length)
  for (const [place, fact] of facts.entries()) {
    if (typeof fact === 'number') {
      numbers[place] = fact
      continue
    }
    const known = terms.get(fact) ?? terms.size
    terms.set(fact, known)
    numbers[place] = known
  }
  const bodies = sharedBytes(joined.bodies?.byteLength ?? 0)
  if (joined.bodies !== null) bodies.set(joined.bodies)
  return { terms: [...terms.keys()], numbers, bodies }
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
