/** Reads the rows of one session's recall index, and goes through each block once. */
import type { RecallState, RecallStore } from '../../../log/ports.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import {
  addMessages,
  BLOCK,
  blockOf,
  decodeReplaced,
  type IndexedMessage,
  NO_TOTALS,
  type ScannedBlock,
  scanBlock,
  type Totals,
} from '../fill/blocks.ts'
import { waitingBlocks } from './shared-words.ts'

export type IndexReader = {
  readonly state: RecallState
  readonly blocks: (numbers: readonly number[]) => Promise<Result<ReadonlyMap<number, ScannedBlock>, Fault>>
  readonly vectors: (
    kind: 'vectors' | 'encoded',
    numbers: readonly number[],
  ) => Promise<Result<ReadonlyMap<number, Uint8Array>, Fault>>
  readonly postings: RecallStore['postings'] extends (id: SessionId, ...rest: infer Rest) => infer Given
    ? (...rest: Rest) => Given
    : never
  readonly waiting: () => ReturnType<RecallStore['blocks']>
  readonly replaced: (through: number) => Promise<Result<ReadonlySet<number>, Fault>>
}

/** Reads rows of one session; each block is read once. */
export function createReader(rows: RecallStore, id: SessionId, state: RecallState): IndexReader {
  const known = new Map<number, ScannedBlock>()
  return {
    state,
    blocks: async numbers => {
      const missing = [...new Set(numbers)].filter(number => !known.has(number)).sort((a, b) => a - b)
      if (missing.length > 0) {
        const found = await rows.blocks(id, 'messages', missing)
        if (!found.ok) return found
        for (const { number, body } of found.value) known.set(number, scanBlock(body, number))
      }
      return ok(known)
    },
    vectors: async (kind, numbers) => {
      const found = await rows.blocks(id, kind, numbers)
      return found.ok ? ok(new Map(found.value.map(({ number, body }) => [number, body]))) : found
    },
    postings: (...rest) => rows.postings(id, ...rest),
    waiting: () => rows.blocks(id, 'terms', waitingBlocks(state)),
    replaced: async through => {
      const found = await rows.blocks(id, 'replaced', [0])
      if (!found.ok) return found
      const all = found.value[0] === undefined ? [] : decodeReplaced(found.value[0].body)
      return ok(new Set(all.filter(([, since]) => since <= through).map(([seq]) => seq)))
    },
  }
}

/** What all messages come to that were complete by a seq. */
export async function totalsAt(reader: IndexReader, state: RecallState, through: number): Promise<Result<Totals, Fault>> {
  if (state.passages === 0) return ok(NO_TOTALS)
  let low = 0
  let high = blockOf(state.passages - 1)
  // The last block with nothing before it that was complete later.
  const isBefore = async (number: number): Promise<Result<boolean, Fault>> => {
    const found = await reader.blocks([number])
    return found.ok ? ok((found.value.get(number)?.completedBefore ?? 0) <= through) : found
  }
  if (through < state.indexedThrough)
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const before = await isBefore(middle)
      if (!before.ok) return before
      if (before.value) low = middle
      else high = middle - 1
    }
  const found = await reader.blocks([high])
  if (!found.ok) return found
  const block = found.value.get(high)?.whole()
  if (block === undefined) return ok(NO_TOTALS)
  return ok(
    addMessages(
      block.before,
      block.messages.filter(({ completed }) => completed <= through),
    ),
  )
}

/** The messages to which passages belong. */
export async function messagesAt(
  reader: IndexReader,
  places: readonly number[],
): Promise<Result<readonly (IndexedMessage | undefined)[], Fault>> {
  const blocks = await reader.blocks(places.map(blockOf))
  if (!blocks.ok) return blocks
  const firsts = places.map(place => {
    const behind = blocks.value.get(blockOf(place))?.behind(place % BLOCK)
    return behind === undefined ? -1 : place - behind
  })
  const more = await reader.blocks(firsts.filter(first => first >= 0).map(blockOf))
  if (!more.ok) return more
  return ok(firsts.map(first => (first < 0 ? undefined : more.value.get(blockOf(first))?.message(first % BLOCK))))
}
