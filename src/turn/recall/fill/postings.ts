/** Postings: in which passages a term occurs and how often, as bytes in segments. */
import type { PostingRow } from '../../../log/ports.ts'
import { byteReader, byteWriter } from './bytes.ts'

/** A term in one passage. */
export type Posting = { readonly passage: number; readonly count: number }

/** So many passages have their postings in one row for each term. */
export const SEGMENT = 32_768

export const segmentOf = (passage: number): number => Math.floor(passage / SEGMENT)

/** Calls back for each posting below a passage; postings are in the order of their passages. */
export function eachPosting(row: PostingRow, below: number, visit: (passage: number, count: number) => void): void {
  const reader = byteReader(row.body)
  let passage = row.segment * SEGMENT - 1
  while (!reader.isAtEnd()) {
    // Most terms occur once in a passage: an odd number says so, and saves a byte.
    const coded = reader.number()
    passage += Math.floor(coded / 2) + 1
    const count = coded % 2 === 1 ? 1 : reader.number()
    if (passage >= below) return
    visit(passage, count)
  }
}

/** How many postings of a row are below a passage. */
export function countBelow(row: PostingRow, below: number): number {
  if (row.last < below) return row.count
  let count = 0
  eachPosting(row, below, () => {
    count += 1
  })
  return count
}

/** A row with more postings. Those at or after the first new one are of an attempt that a crash cut short, and are replaced. */
export function withPostings(row: PostingRow | undefined, term: string, added: readonly Posting[]): PostingRow {
  const first = added[0]?.passage ?? 0
  const segment = segmentOf(first)
  const kept: Posting[] = []
  if (row !== undefined && row.last < first) return joined(row, added)
  if (row !== undefined) eachPosting(row, first, (passage, count) => kept.push({ passage, count }))
  const all = [...kept, ...added]
  return { term, segment, count: all.length, last: all.at(-1)?.passage ?? 0, body: encodedPostings(all, segment * SEGMENT - 1) }
}

function joined(row: PostingRow, added: readonly Posting[]): PostingRow {
  const more = encodedPostings(added, row.last)
  const body = new Uint8Array(row.body.length + more.length)
  body.set(row.body)
  body.set(more, row.body.length)
  return { ...row, count: row.count + added.length, last: added.at(-1)?.passage ?? row.last, body }
}

/** Postings as bytes, each by its distance to the one before. */
export function encodedPostings(postings: readonly Posting[], before: number): Uint8Array {
  const writer = byteWriter()
  let last = before
  for (const { passage, count } of postings) {
    writer.number((passage - last - 1) * 2 + (count === 1 ? 1 : 0))
    if (count !== 1) writer.number(count)
    last = passage
  }
  return writer.done()
}
