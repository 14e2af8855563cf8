/** Rows of a recall index on their way to the database and back: all bodies in one piece, and what is known of each in columns. */

import type { SessionId } from '../../../model/ids.ts'
import type { AllPostings, PostingRow, RecallBlockKind, RecallChange, RecallState } from '../../ports.ts'
import type { Query } from '../database.ts'

/** Rows as the database joins them: five facts of each, the last the length of its body, and all bodies. */
export type JoinedRows = {
  readonly facts: readonly (readonly (string | number)[])[] | null
  readonly bodies: Uint8Array | null
}

/** Rows with term, segment, count, last and length. */
export function postingRows(joined: JoinedRows | undefined): readonly PostingRow[] {
  const bodies = Uint8Array.from(joined?.bodies ?? [])
  let at = 0
  return (joined?.facts ?? []).map(([term, segment, count, last, length]) => {
    at += Number(length)
    const body = bodies.subarray(at - Number(length), at)
    return { term: String(term), segment: Number(segment), count: Number(count), last: Number(last), body }
  })
}

/** Rows with place, term, count, segment and length. */
export function postingColumns(joined: JoinedRows | undefined): AllPostings {
  const facts = joined?.facts ?? []
  const terms = new Map<string, number>()
  const numbers = new Float64Array(facts.length * 5)
  for (const [index, [place, word, count, segment, length]] of facts.entries()) {
    const term = String(word)
    const known = terms.get(term) ?? terms.size
    terms.set(term, known)
    numbers.set([Number(place), known, Number(count), Number(segment), Number(length)], index * 5)
  }
  const bodies = new Uint8Array(new SharedArrayBuffer(joined?.bodies?.byteLength ?? 0))
  if (joined?.bodies) bodies.set(joined.bodies)
  return { terms: [...terms.keys()], numbers, bodies }
}

type Packed<Row> = {
  readonly rows: readonly (Row & { readonly at: number; readonly length: number })[]
  readonly bodies: Uint8Array
}

/** A change whose bytes are its own. Of two rows for the same place only the later one is there. */
export type PackedRecallChange = {
  readonly state: RecallState
  readonly postings: Packed<Omit<PostingRow, 'body'>>
  readonly blocks: Packed<{ readonly kind: RecallBlockKind; readonly number: number }>
  readonly removed: readonly { readonly kind: RecallBlockKind; readonly number: number }[]
}

export function packedRecallChange({ state, postings = [], blocks = [] }: RecallChange): PackedRecallChange {
  const lastPostings = new Map(postings.map(row => [`${row.segment} ${row.term}`, row]))
  const lastBlocks = [...new Map(blocks.map(row => [`${row.number} ${row.kind}`, row])).values()]
  const filled = lastBlocks.flatMap(({ body, ...block }) => (body === null ? [] : [{ ...block, body }]))
  const removed = lastBlocks.filter(({ body }) => body === null)
  return { state: structuredClone(state), postings: packed([...lastPostings.values()]), blocks: packed(filled), removed }
}

function packed<Row extends { readonly body: Uint8Array }>(rows: readonly Row[]): Packed<Omit<Row, 'body'>> {
  const bodies = new Uint8Array(rows.reduce((sum, { body }) => sum + body.byteLength, 0))
  let next = 0
  const places = rows.map(({ body, ...row }) => {
    const at = next
    bodies.set(body, at)
    next += body.byteLength
    return { ...row, at, length: body.byteLength }
  })
  return { rows: places, bodies }
}

/** Writes the state of a session's index and its rows; the state first, so that two writers take turns. */
export async function writeChange(query: Query, id: SessionId, change: PackedRecallChange): Promise<void> {
  const { state, postings, blocks, removed } = change
  const key = await writeState(query, id, state)
  if (postings.rows.length > 0)
    await query(
      `insert into recall_postings (key, term, segment, count, last, body)
       select $1, term, segment, count, last, substring($2::bytea from at + 1 for length)
       from unnest($3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::integer[], $8::integer[])
         as posting (term, segment, count, last, at, length)
       on conflict (key, term, segment) do update set count = excluded.count, last = excluded.last, body = excluded.body`,
      [
        ...[key, postings.bodies],
        postings.rows.map(({ term }) => term),
        postings.rows.map(({ segment }) => segment),
        postings.rows.map(({ count }) => count),
        postings.rows.map(({ last }) => last),
        postings.rows.map(({ at }) => at),
        postings.rows.map(({ length }) => length),
      ],
    )
  if (removed.length > 0)
    await query(
      'delete from recall_blocks where key = $1 and (kind, number) in (select * from unnest($2::text[], $3::bigint[]))',
      [key, removed.map(({ kind }) => kind), removed.map(({ number }) => number)],
    )
  if (blocks.rows.length > 0)
    await query(
      `insert into recall_blocks (key, kind, number, body)
       select $1, kind, number, substring($2::bytea from at + 1 for length)
       from unnest($3::text[], $4::bigint[], $5::integer[], $6::integer[]) as block (kind, number, at, length)
       on conflict (key, kind, number) do update set body = excluded.body`,
      [
        ...[key, blocks.bodies],
        blocks.rows.map(({ kind }) => kind),
        blocks.rows.map(({ number }) => number),
        blocks.rows.map(({ at }) => at),
        blocks.rows.map(({ length }) => length),
      ],
    )
}

async function writeState(query: Query, id: SessionId, state: RecallState): Promise<number> {
  const { indexedThrough, messages, passages, flushed, version, vectors, encoder } = state
  const [saved] = await query<{ key: number }>(
    `insert into recall_sessions
       (session, indexed_through, messages, passages, flushed, version, vectors, encoder, encoded_through)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (session) do update set indexed_through = excluded.indexed_through, messages = excluded.messages,
       passages = excluded.passages, flushed = excluded.flushed, version = excluded.version, vectors = excluded.vectors,
       encoder = excluded.encoder, encoded_through = excluded.encoded_through
     returning key`,
    [id, indexedThrough, messages, passages, flushed, version, vectors, encoder?.model ?? null, encoder?.through ?? null],
  )
  if (saved === undefined) throw new Error('a row that was written has no key')
  return saved.key
}
