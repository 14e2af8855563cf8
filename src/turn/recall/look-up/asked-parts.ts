/** The sessions that a question is asked of, side by side: their passages and messages are numbered one session after the other. */
import type { RecallState, RecallStore } from '../../../log/ports.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { SourceChat } from '../../../model/recall.ts'
import { ok, type Result } from '../../../model/result.ts'
import {
  BLOCK,
  blockOf,
  type IndexedMessage,
  NO_TOTALS,
  type Replaced,
  type ScannedBlock,
  scanBlock,
  type Totals,
} from '../fill/blocks.ts'
import { type PostingList, postingsOf } from './find-hits.ts'
import { createReader, type IndexReader, totalsAt } from './index-reader.ts'
import { isShared, type LoadedSession, type SharedWords } from './shared-words.ts'

/** Another session that is asked, too: how it is called, and the last seq of what it shares with one that is asked before it. */
export type AskedSource = { readonly id: SessionId; readonly title: string; readonly after: number }

/** One session of a question. */
export type AskedPart = {
  readonly id: SessionId
  /** Absent for the session that asks. */
  readonly chat?: SourceChat
  readonly state: RecallState
  /** Only messages that begin after one seq and were complete by another count. */
  readonly after: number
  readonly through: number
  /** What the messages up to there come to, and those that are not counted. */
  readonly totals: Totals
  readonly skipped: Totals
  readonly replaced: ReadonlySet<number>
  /** Its place in memory; undefined if its postings are read. */
  readonly slot?: number
}

/** A part at its place among all. */
export type PlacedPart = AskedPart & {
  readonly firstBlock: number
  readonly firstNumber: number
  readonly firstSitting: number
  readonly hasNamedAuthors: boolean
}

/** So far apart are messages of different sessions: no rule takes them for neighbours. */
const APART = 2 ** 31

/** Neighbours in a list of all messages, as long as they are of one session. */
export const WITHIN_SESSION: number = APART - 1

/** Puts the parts side by side. Between two sessions a block stays empty, so that no passage has a neighbour in another one. */
export function placedParts(parts: readonly AskedPart[], hasNamedAuthors: (totals: Totals) => boolean): readonly PlacedPart[] {
  let [block, number, sitting] = [0, 0, 0]
  return parts.map(part => {
    const placed = { ...part, firstBlock: block, firstNumber: number, firstSitting: sitting }
    block += blockOf(Math.max(0, part.totals.passages - 1)) + 2
    number += part.totals.messages + APART
    sitting += part.totals.sitting + 1
    return { ...placed, hasNamedAuthors: hasNamedAuthors(part.totals) }
  })
}

/** The other sessions that can be asked now. One without an index, or with one of other rules, is left out, and so is what is not read in time. */
export async function sourceParts(
  rows: RecallStore,
  sources: readonly AskedSource[],
  own: Pick<RecallState, 'version' | 'vectors'>,
  shared: SharedWords,
  withinMs: number,
): Promise<Result<readonly AskedPart[], Fault>> {
  const states = await rows.states(sources.map(({ id }) => id))
  if (!states.ok) return states
  const stated = sources.flatMap(source => {
    const state = states.value.get(source.id)
    const isUsable = state?.version === own.version && state.vectors === own.vectors && state.passages > 0
    return state === undefined || !isUsable || state.indexedThrough <= source.after ? [] : [{ ...source, state }]
  })
  const loaded = await shared.load(
    rows,
    stated.filter(({ state }) => isShared(state)),
    withinMs,
  )
  if (!loaded.ok) return loaded
  const parts: AskedPart[] = []
  for (const source of stated) {
    const part = await (isShared(source.state)
      ? inMemory(rows, source, loaded.value.get(source.id))
      : inRows(rows, source, source.state))
    if (!part.ok) return part
    if (part.value !== undefined) parts.push(part.value)
  }
  return ok(parts)
}

const chatOf = ({ id, title }: AskedSource): SourceChat => ({ session: id, title })

const replacedBy = (replaced: Replaced, through: number): ReadonlySet<number> =>
  new Set(replaced.filter(([, since]) => since <= through).map(([seq]) => seq))

async function inMemory(
  rows: RecallStore,
  source: AskedSource,
  loaded: LoadedSession | undefined,
): Promise<Result<AskedPart | undefined, Fault>> {
  if (loaded === undefined) return ok(undefined)
  const { state, totals, replaced, slot, totalsUpTo } = loaded
  const known = source.after === 0 ? NO_TOTALS : totalsUpTo.get(source.after)
  const skipped = known === undefined ? await totalsAt(createReader(rows, source.id, state), state, source.after) : ok(known)
  if (!skipped.ok) return skipped
  if (source.after > 0) totalsUpTo.set(source.after, skipped.value)
  return ok({
    ...{ id: source.id, chat: chatOf(source), state, totals, slot, after: source.after, through: state.indexedThrough },
    ...{ skipped: skipped.value, replaced: replacedBy(replaced, state.indexedThrough) },
  })
}

/** A long session is asked as the one that asks is. */
async function inRows(rows: RecallStore, source: AskedSource, state: RecallState): Promise<Result<AskedPart, Fault>> {
  const reader = createReader(rows, source.id, state)
  const [totals, skipped, replaced] = await Promise.all([
    totalsAt(reader, state, state.indexedThrough),
    source.after === 0 ? ok(NO_TOTALS) : totalsAt(reader, state, source.after),
    reader.replaced(state.indexedThrough),
  ])
  if (!totals.ok) return totals
  if (!skipped.ok) return skipped
  if (!replaced.ok) return replaced
  return ok({
    ...{ id: source.id, chat: chatOf(source), state, after: source.after, through: state.indexedThrough },
    ...{ totals: totals.value, skipped: skipped.value, replaced: replaced.value },
  })
}

/** The postings of all parts. */
export async function postingLists(
  rows: RecallStore,
  own: IndexReader,
  parts: readonly PlacedPart[],
  wanted: readonly string[],
  shared: SharedWords,
): Promise<Result<readonly PostingList[], Fault>> {
  const read = await Promise.all(
    parts
      .filter(({ slot }) => slot === undefined)
      .map(part =>
        postingsOf(part.chat === undefined ? own : createReader(rows, part.id, part.state), wanted, {
          ...{ base: part.firstBlock * BLOCK, from: part.skipped.passages, passages: part.totals.passages },
        }),
      ),
  )
  const trouble = read.find(list => !list.ok)
  if (trouble !== undefined && !trouble.ok) return trouble
  const lists = read.flatMap(list => (list.ok ? [list.value] : []))
  const inSlots = parts.filter(({ slot }) => slot !== undefined)
  if (inSlots.length === 0) return ok(lists)
  const [base, from] = [new Int32Array(shared.slots()).fill(-1), new Int32Array(shared.slots())]
  for (const { slot = 0, firstBlock, skipped } of inSlots) {
    base[slot] = firstBlock * BLOCK
    from[slot] = skipped.passages
  }
  const bounds = { base, from }
  return ok([...lists, { count: form => shared.count(form, bounds), visit: (form, each) => shared.visit(form, bounds, each) }])
}

export type PartOf = (block: number) => PlacedPart | undefined

/** Finds the part that a block belongs to. */
export const partFinder =
  (parts: readonly PlacedPart[]): PartOf =>
  block => {
    let [low, high] = [0, parts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((parts[middle]?.firstBlock ?? 0) <= block) low = middle
      else high = middle - 1
    }
    return parts[low]
  }

export const partOfMessage = (partOf: PartOf, { first }: Pick<IndexedMessage, 'first'>): PlacedPart | undefined =>
  partOf(blockOf(first))

/** Reads blocks of all parts by their numbers among all; of several sessions in one go. */
export function joinedReader(rows: RecallStore, parts: readonly PlacedPart[]): Pick<IndexReader, 'blocks' | 'vectors'> {
  const partOf = partFinder(parts)
  const known = new Map<number, ScannedBlock>()
  /** The blocks of some numbers, each with its part and its number among all. */
  const read = async (
    kind: 'messages' | 'vectors' | 'encoded',
    numbers: readonly number[],
  ): Promise<Result<readonly (readonly [part: PlacedPart, number: number, body: Uint8Array])[], Fault>> => {
    const wanted = [...Map.groupBy(numbers, partOf)].flatMap(([part, own]) =>
      part === undefined
        ? []
        : [{ part, id: part.id, numbers: own.map(number => number - part.firstBlock).filter(number => isIn(part, number)) }],
    )
    const found = await rows.blocksOf(
      kind,
      wanted.map(({ id, numbers: own }) => ({ id, numbers: own })),
    )
    if (!found.ok) return found
    return ok(
      wanted.flatMap(({ part }, index) =>
        (found.value[index] ?? []).map(({ number, body }) => [part, number + part.firstBlock, body] as const),
      ),
    )
  }
  return {
    blocks: async numbers => {
      const missing = [...new Set(numbers)].filter(number => !known.has(number)).sort((a, b) => a - b)
      if (missing.length > 0) {
        const found = await read('messages', missing)
        if (!found.ok) return found
        for (const [part, number, body] of found.value)
          known.set(number, scanBlock(body, number, { number: part.firstNumber, sitting: part.firstSitting }))
      }
      return ok(known)
    },
    vectors: async (kind, numbers) => {
      const found = await read(kind, numbers)
      return found.ok ? ok(new Map(found.value.map(([, number, body]) => [number, body]))) : found
    },
  }
}

const isIn = ({ totals }: PlacedPart, number: number): boolean => number <= blockOf(Math.max(0, totals.passages - 1))

/** All blocks of some parts, by their numbers among all. */
export const blocksOfParts = (parts: readonly PlacedPart[]): readonly number[] =>
  parts.flatMap(({ firstBlock, totals: { passages } }) =>
    Array.from({ length: passages === 0 ? 0 : blockOf(passages - 1) + 1 }, (_, number) => firstBlock + number),
  )
