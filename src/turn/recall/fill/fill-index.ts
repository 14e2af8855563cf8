/** Fills the recall index of a session behind its log, a stretch at a time; after a crash it goes on where it was. */
import type { WordVectors } from '../../../context/recall/word-vectors.ts'
import type { PostingRow, RecallBlock, RecallChange, RecallState, RecallStore } from '../../../log/ports.ts'
import type { Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import {
  addMessages,
  BLOCK,
  blockOf,
  decodeBlock,
  decodeReplaced,
  decodeTerms,
  encodeBlock,
  encodeReplaced,
  encodeTerms,
  NO_TOTALS,
} from './blocks.ts'
import { type BuiltBlock, buildBlocks, type OpenBlock, VECTOR } from './build-blocks.ts'
import { indexMessage, type NewMessage } from './index-message.ts'
import { type Posting, segmentOf, withPostings } from './postings.ts'
import { type ReadMessages, readMessages } from './read-messages.ts'

/** Where the events come from. */
export type EventSource = {
  /** Events after a seq and up to another, without receipts; fewer than the limit means that there are no more. */
  readonly events: (id: SessionId, range: EventRange) => Promise<Result<readonly Recorded[], Fault>>
  readonly eventsOfTurn: (id: SessionId, turn: TurnId, through: number) => Promise<Result<readonly Recorded[], Fault>>
  /** The last seq of a session. */
  readonly head: (id: SessionId) => Promise<Result<number, Fault>>
}

/** Reads events by their seqs. */
export type EventsAt = {
  readonly eventsAt: (id: SessionId, seqs: readonly number[]) => Promise<Result<readonly Recorded[], Fault>>
}

export type EventRange = { readonly after: number; readonly through: number; readonly limit: number }

/** The word vectors, with the hash of their file. */
export type LoadedVectors = { readonly hash: string; readonly vectors: WordVectors }

/** The version of these rules: rows of another one are made anew. */
export const INDEX_VERSION = 1

/** An index that has nothing yet. */
export const emptyIndex = (vectors: string | null): RecallState => ({
  ...{ indexedThrough: 0, messages: 0, passages: 0, flushed: 0 },
  ...{ version: INDEX_VERSION, vectors, encoder: null },
})

/** Words wait in blocks until there are so many to write: each posting row is written once for all of them. */
const WAITING_BLOCKS = 8
/** So many rows in one write take the writer some milliseconds. */
const ROWS_PER_WRITE = 500
const TERMS_PER_READ = 2000

/** How far a session is indexed now, and whether that is all there is. */
export type FilledIndex = { readonly indexedThrough: number; readonly isDone: boolean }

/** Indexes at most so many events more, and no event after `through`. */
export async function fillIndex(
  rows: RecallStore,
  source: EventSource,
  id: SessionId,
  options: { readonly vectors: LoadedVectors | undefined; readonly limit: number; readonly through?: number },
): Promise<Result<FilledIndex, Fault>> {
  const known = await rows.state(id)
  if (!known.ok) return known
  const vectors = options.vectors?.hash ?? null
  const isCurrent = known.value?.version === INDEX_VERSION && known.value.vectors === vectors
  if (known.value !== undefined && !isCurrent) {
    const cleared = await rows.clear(id)
    if (!cleared.ok) return cleared
  }
  const state = isCurrent && known.value !== undefined ? known.value : emptyIndex(vectors)
  const head = options.through === undefined ? await source.head(id) : ok(options.through)
  if (!head.ok) return head
  if (state.indexedThrough >= head.value) return ok({ indexedThrough: state.indexedThrough, isDone: true })
  const { limit } = options
  const events = await source.events(id, { after: state.indexedThrough, through: head.value, limit })
  if (!events.ok) return events
  const isDone = events.value.length < limit
  const indexedThrough = isDone ? head.value : (events.value.at(-1)?.seq ?? head.value)
  const read = await messagesOf(source, id, events.value)
  if (!read.ok) return read
  const fresh = read.value.messages.flatMap(message => indexMessage(message, options.vectors?.vectors) ?? [])
  const written = await add(rows, id, state, fresh, read.value.replaced, indexedThrough)
  return written.ok ? ok({ indexedThrough, isDone }) : written
}

/** Reading a turn may fail like any read; the rules that need it know nothing of that. */
async function messagesOf(source: EventSource, id: SessionId, events: readonly Recorded[]): Promise<Result<ReadMessages, Fault>> {
  let trouble: { readonly ok: false; readonly fault: Fault } | undefined
  const read = await readMessages(events, async (turn, through) => {
    const own = await source.eventsOfTurn(id, turn, through)
    if (own.ok) return own.value
    trouble = own
    return []
  })
  return trouble ?? ok(read)
}

/** Adds messages to the index: rows first, and then the state that counts them. */
async function add(
  rows: RecallStore,
  id: SessionId,
  state: RecallState,
  fresh: readonly NewMessage[],
  replaced: ReadMessages['replaced'],
  indexedThrough: number,
): Promise<Result<null, Fault>> {
  const open = await openBlock(rows, id, state)
  if (!open.ok) return open
  const built = buildBlocks(open.value, fresh, state.vectors !== null)
  const passages = built.passages
  const more = await replacedBlock(rows, id, replaced)
  if (!more.ok) return more
  const full = blockOf(passages)
  const isFlushing = full - blockOf(state.flushed) >= WAITING_BLOCKS
  const flushed = isFlushing ? full * BLOCK : state.flushed
  const next: RecallState = { ...state, indexedThrough, messages: state.messages + fresh.length, passages, flushed }
  const terms = built.blocks.flatMap(({ number, terms: own }) =>
    (number + 1) * BLOCK <= flushed ? [] : [{ kind: 'terms' as const, number, body: encodeTerms(own) }],
  )
  const blocks = built.blocks.flatMap(({ number, block, vectors }) => [
    { kind: 'messages' as const, number, body: encodeBlock(block) },
    ...(state.vectors === null ? [] : [{ kind: 'vectors' as const, number, body: vectors }]),
  ])
  const gone: (Omit<RecallBlock, 'body'> & { readonly body: null })[] = []
  if (isFlushing) {
    const waiting = await waitingTerms(rows, id, state, built.blocks, full)
    if (!waiting.ok) return waiting
    const moved = await writePostings(rows, id, state, waiting.value)
    if (!moved.ok) return moved
    for (let number = blockOf(state.flushed); number < full; number += 1) gone.push({ kind: 'terms', number, body: null })
  }
  const changes = [...blocks, ...terms, ...more.value]
  let from = 0
  // Readers see nothing of what is written here before the state says so.
  for (; from + ROWS_PER_WRITE < changes.length; from += ROWS_PER_WRITE) {
    const written = await rows.write(id, { state, blocks: changes.slice(from, from + ROWS_PER_WRITE) })
    if (!written.ok) return written
  }
  return rows.write(id, { state: next, blocks: [...changes.slice(from), ...gone] } satisfies RecallChange)
}

/** The open block without what an attempt that was cut short left in it. */
async function openBlock(rows: RecallStore, id: SessionId, state: RecallState): Promise<Result<OpenBlock, Fault>> {
  const number = blockOf(state.passages)
  const isNew = state.passages % BLOCK === 0
  const wanted = isNew ? number - 1 : number
  if (wanted < 0)
    return ok({ number: 0, block: { before: NO_TOTALS, messages: [], passages: [] }, terms: [], vectors: new Uint8Array() })
  const found = await rows.blocks(id, 'messages', [wanted])
  if (!found.ok) return found
  const block = decodeBlock(found.value[0]?.body ?? new Uint8Array(), wanted)
  const messages = block.messages.filter(({ completed }) => completed <= state.indexedThrough)
  const totals = addMessages(block.before, messages)
  if (isNew) return ok({ number, block: { before: totals, messages: [], passages: [] }, terms: [], vectors: new Uint8Array() })
  const [terms, vectors] = await Promise.all([rows.blocks(id, 'terms', [number]), rows.blocks(id, 'vectors', [number])])
  if (!terms.ok) return terms
  if (!vectors.ok) return vectors
  const filled = state.passages % BLOCK
  return ok({
    number,
    block: { ...block, messages, passages: block.passages.slice(0, filled) },
    terms: terms.value[0] === undefined ? [] : decodeTerms(terms.value[0].body).slice(0, filled),
    vectors: vectors.value[0]?.body.slice(0, messages.length * VECTOR) ?? new Uint8Array(),
  })
}

async function replacedBlock(
  rows: RecallStore,
  id: SessionId,
  replaced: ReadMessages['replaced'],
): Promise<Result<readonly { readonly kind: 'replaced'; readonly number: 0; readonly body: Uint8Array }[], Fault>> {
  if (replaced.length === 0) return ok([])
  const known = await rows.blocks(id, 'replaced', [0])
  if (!known.ok) return known
  const before = known.value[0] === undefined ? [] : decodeReplaced(known.value[0].body)
  return ok([{ kind: 'replaced', number: 0, body: encodeReplaced([...before, ...replaced]) }])
}

/** The terms of all full blocks that have none in postings yet, by passage. */
async function waitingTerms(
  rows: RecallStore,
  id: SessionId,
  state: RecallState,
  built: readonly BuiltBlock[],
  full: number,
): Promise<Result<ReadonlyMap<string, Posting[]>, Fault>> {
  const fresh = new Map(built.map(({ number, terms }) => [number, terms]))
  const first = blockOf(state.flushed)
  const kept = Array.from({ length: full - first }, (_, index) => first + index).filter(number => !fresh.has(number))
  const stored = await rows.blocks(id, 'terms', kept)
  if (!stored.ok) return stored
  for (const { number, body } of stored.value) fresh.set(number, [...decodeTerms(body)])
  const postings = new Map<string, Posting[]>()
  for (let number = first; number < full; number += 1)
    for (const [index, terms] of (fresh.get(number) ?? []).entries())
      for (const [term, count] of terms) {
        const known = postings.get(term)
        const posting = { passage: number * BLOCK + index, count }
        if (known === undefined) postings.set(term, [posting])
        else known.push(posting)
      }
  return ok(postings)
}

/** Adds to the posting rows, in small writes. Readers do not look at passages that the state does not count yet. */
async function writePostings(
  rows: RecallStore,
  id: SessionId,
  state: RecallState,
  postings: ReadonlyMap<string, readonly Posting[]>,
): Promise<Result<null, Fault>> {
  const terms = [...postings.keys()]
  for (let from = 0; from < terms.length; from += TERMS_PER_READ) {
    const some = terms.slice(from, from + TERMS_PER_READ)
    const found = await rows.postings(id, some, segmentOf(state.flushed))
    if (!found.ok) return found
    const known = new Map(found.value.map(row => [`${row.segment} ${row.term}`, row]))
    const changed = some.flatMap(term =>
      [...Map.groupBy(postings.get(term) ?? [], ({ passage }) => segmentOf(passage))].map(
        ([segment, own]): PostingRow => withPostings(known.get(`${segment} ${term}`), term, own),
      ),
    )
    for (let at = 0; at < changed.length; at += ROWS_PER_WRITE) {
      const written = await rows.write(id, { state, postings: changed.slice(at, at + ROWS_PER_WRITE) })
      if (!written.ok) return written
    }
  }
  return ok(null)
}
