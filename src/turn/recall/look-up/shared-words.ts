/** The words of many sessions, kept in memory word by word: a question that is asked of a thousand sessions reads none of their postings again. */
import type { RecallState, RecallStore } from '../../../log/ports.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import {
  addMessages,
  BLOCK,
  blockOf,
  decodeBlock,
  decodeReplaced,
  decodeTerms,
  NO_TOTALS,
  type Replaced,
  type Totals,
} from '../fill/blocks.ts'
import { encodedPostings, type Posting, SEGMENT } from '../fill/postings.ts'

/** A session with its place in the tables, and what is known of it without reading. */
export type LoadedSession = {
  readonly state: RecallState
  readonly totals: Totals
  readonly replaced: Replaced
  readonly slot: number
  /** What its messages up to a seq come to, for forks that are asked only for what came later. */
  readonly totalsUpTo: Map<number, Totals>
}

export type StatedSession = { readonly id: SessionId; readonly state: RecallState }

/** Where the passages of a slot stand in an answer, and which of them count; a slot that is not asked has `base` -1. */
export type SlotBounds = { readonly base: Int32Array; readonly from: Int32Array }

export type SharedWords = {
  /** Those of the sessions that can be asked: what is not in memory is read, in their order, until the time is up. */
  readonly load: (
    rows: RecallStore,
    wanted: readonly StatedSession[],
    withinMs: number,
  ) => Promise<Result<ReadonlyMap<SessionId, LoadedSession>, Fault>>
  readonly slots: () => number
  /** How many passages of the slots have a word. */
  readonly count: (word: string, bounds: SlotBounds) => number
  readonly visit: (word: string, bounds: SlotBounds, each: (passage: number, count: number) => void) => void
}

/** A longer session has its postings in several rows for each word, and is asked by itself. */
export const isShared = ({ passages }: RecallState): boolean => passages <= SEGMENT

/** So many sessions with so many passages are read at a time, some tens of milliseconds: a look-up that comes meanwhile waits for no more. */
const READ_AT_ONCE = 16
const PASSAGES_AT_ONCE = 1500
/** Sessions that were asked least recently go when more than this is in memory. */
const MOST_BYTES = 256 << 20
/** Of each word in each session: the slot, where its postings begin, and how many they are. */
const FACTS = 3
const BYTES_PER_ENTRY = FACTS * 4

type Column = { facts: Int32Array; length: number }

type Slot = {
  readonly id: SessionId
  readonly loaded: LoadedSession
  readonly bytes: Uint8Array
  readonly entries: number
  asked: number
}

export function createSharedWords(mostBytes: number = MOST_BYTES): SharedWords {
  const columns = new Map<string, Column>()
  const slots: (Slot | undefined)[] = []
  const bySession = new Map<SessionId, Slot>()
  let [alive, dead, bytes, clock] = [0, 0, 0, 0]
  /** One after the other: two at once would read the same sessions twice. */
  let reading: Promise<unknown> = Promise.resolve()

  const sizeOf = (slot: Slot): number => slot.bytes.byteLength + slot.entries * BYTES_PER_ENTRY
  const forget = (slot: Slot): void => {
    slots[slot.loaded.slot] = undefined
    bySession.delete(slot.id)
    bytes -= sizeOf(slot)
    alive -= slot.entries
    dead += slot.entries
  }
  /** What belongs to no slot any more goes when it is more than what does. */
  const tidy = (): void => {
    if (dead <= alive) return
    for (const [word, column] of columns) {
      let kept = 0
      for (let at = 0; at < column.length; at += FACTS) {
        if (slots[column.facts[at] as number] === undefined) continue
        column.facts.copyWithin(kept, at, at + FACTS)
        kept += FACTS
      }
      column.length = kept
      if (kept === 0) columns.delete(word)
    }
    dead = 0
  }
  const addEntry = (word: string, slot: number, at: number, count: number): void => {
    const column = columns.get(word) ?? { facts: new Int32Array(FACTS * 2), length: 0 }
    if (column.length === 0) columns.set(word, column)
    if (column.length === column.facts.length) {
      const larger = new Int32Array(column.facts.length * 2)
      larger.set(column.facts)
      column.facts = larger
    }
    column.facts[column.length] = slot
    column.facts[column.length + 1] = at
    column.facts[column.length + 2] = count
    column.length += FACTS
  }

  const readSome = async (rows: RecallStore, wanted: readonly StatedSession[]): Promise<Result<null, Fault>> => {
    const numbers = (each: (state: RecallState) => readonly number[]) =>
      wanted.map(({ id, state }) => ({ id, numbers: each(state) }))
    const lastOf = ({ passages }: RecallState): readonly number[] => (passages === 0 ? [] : [blockOf(passages - 1)])
    const [postings, waiting, last, replaced] = await Promise.all([
      rows.allPostings(wanted.map(({ id }) => id)),
      rows.blocksOf('terms', numbers(waitingBlocks)),
      rows.blocksOf('messages', numbers(lastOf)),
      rows.blocksOf(
        'replaced',
        numbers(() => [0]),
      ),
    ])
    if (!postings.ok) return postings
    if (!waiting.ok) return waiting
    if (!last.ok) return last
    if (!replaced.ok) return replaced
    const { terms, numbers: facts, bodies } = postings.value
    let [row, body] = [0, 0]
    for (const [index, { id, state }] of wanted.entries()) {
      const known = bySession.get(id)
      if (known !== undefined) forget(known)
      const number = freeSlot()
      const begin = body
      let entries = 0
      const late: Uint8Array[] = []
      const lateEntries: (readonly [word: string, at: number, count: number])[] = []
      let lateAt = 0
      for (; facts[row] === index; row += 5) {
        const length = facts[row + 4] as number
        // What an attempt that was cut short left behind stands at the end, and does not count.
        const count = countOf(bodies, body, body + length, state.flushed)
        if (count > 0 && facts[row + 3] === 0) {
          addEntry(terms[facts[row + 1] as number] ?? '', number, body - begin, count)
          entries += 1
        }
        body += length
      }
      for (const [word, postingsOf] of lateWords(waiting.value[index] ?? [], state)) {
        lateEntries.push([word, lateAt, postingsOf.length])
        const part = encodedPostings(postingsOf, -1)
        late.push(part)
        lateAt += part.length
      }
      const own = new Uint8Array(body - begin + lateAt)
      own.set(bodies.subarray(begin, body))
      let end = body - begin
      for (const part of late) {
        own.set(part, end)
        end += part.length
      }
      for (const [word, at, count] of lateEntries) addEntry(word, number, body - begin + at, count)
      entries += lateEntries.length
      const lastBlock = last.value[index]?.[0]
      const block = lastBlock === undefined ? undefined : decodeBlock(lastBlock.body, lastBlock.number)
      const totals =
        block === undefined
          ? NO_TOTALS
          : addMessages(
              block.before,
              block.messages.filter(({ completed }) => completed <= state.indexedThrough),
            )
      const kept = replaced.value[index]?.[0]
      const loaded: LoadedSession = {
        ...{ state, totals, slot: number, totalsUpTo: new Map() },
        replaced: kept === undefined ? [] : decodeReplaced(kept.body),
      }
      clock += 1
      const slot = { id, loaded, bytes: own, entries, asked: clock }
      slots[number] = slot
      bySession.set(id, slot)
      bytes += sizeOf(slot)
      alive += entries
    }
    return ok(null)
  }

  /** A number is never used again: a question that is being answered may still mean the session that had it. */
  const freeSlot = (): number => slots.push(undefined) - 1

  /** One piece of work after the other; a look-up waits for no more than one piece of what is read for later. */
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = reading.then(work)
    reading = done.catch(() => {})
    return done
  }

  const load: SharedWords['load'] = async (rows, wanted, withinMs) => {
    const deadline = performance.now() + withinMs
    const isFresh = ({ id, state }: StatedSession): boolean => isSameState(bySession.get(id)?.loaded.state, state)
    const ids = new Set(wanted.map(({ id }) => id))
    const missing = wanted.filter(each => !isFresh(each))
    while (missing.length > 0) {
      if (performance.now() >= deadline) break
      const done = await inTurn(async () => {
        if (performance.now() >= deadline) return ok(null)
        const some = firstPiece(missing.splice(0, READ_AT_ONCE), missing).filter(each => !isFresh(each))
        const read = some.length === 0 ? ok(null) : await readSome(rows, some)
        if (read.ok) evict(ids)
        return read
      })
      if (!done.ok) return done
      if (bytes > mostBytes) break
    }
    const found = new Map<SessionId, LoadedSession>()
    for (const { id, state } of wanted) {
      const slot = bySession.get(id)
      if (slot === undefined || !isSameState(slot.loaded.state, state)) continue
      clock += 1
      slot.asked = clock
      found.set(id, slot.loaded)
    }
    return ok(found)
  }

  const evict = (wanted: ReadonlySet<SessionId>): void => {
    if (bytes > mostBytes)
      for (const slot of [...bySession.values()].sort((a, b) => a.asked - b.asked)) {
        if (bytes <= mostBytes) break
        if (!wanted.has(slot.id)) forget(slot)
      }
    tidy()
  }

  return {
    load,
    slots: () => slots.length,
    count: (word, { base, from }) => {
      const column = columns.get(word)
      if (column === undefined) return 0
      let sum = 0
      for (let at = 0; at < column.length; at += FACTS) {
        const slot = column.facts[at] as number
        const bytesOf = slots[slot]?.bytes
        if (bytesOf === undefined || (base[slot] ?? -1) < 0) continue
        const count = column.facts[at + 2] as number
        const least = from[slot] as number
        if (least === 0) sum += count
        else
          eachOf(bytesOf, column.facts[at + 1] as number, count, passage => {
            if (passage >= least) sum += 1
          })
      }
      return sum
    },
    visit: (word, { base, from }, each) => {
      const column = columns.get(word)
      if (column === undefined) return
      for (let at = 0; at < column.length; at += FACTS) {
        const slot = column.facts[at] as number
        const first = base[slot] ?? -1
        const bytesOf = slots[slot]?.bytes
        if (bytesOf === undefined || first < 0) continue
        const least = from[slot] as number
        eachOf(bytesOf, column.facts[at + 1] as number, column.facts[at + 2] as number, (passage, count) => {
          if (passage >= least) each(first + passage, count)
        })
      }
    },
  }
}

/** As many of the first as make one piece of work; the others go back to the rest. */
function firstPiece(some: readonly StatedSession[], rest: StatedSession[]): readonly StatedSession[] {
  let [passages, many] = [0, 0]
  for (const { state } of some) {
    passages += state.passages
    if (many > 0 && passages > PASSAGES_AT_ONCE) break
    many += 1
  }
  rest.unshift(...some.slice(many))
  return some.slice(0, many)
}

const isSameState = (a: RecallState | undefined, b: RecallState): boolean =>
  a !== undefined &&
  a.indexedThrough === b.indexedThrough &&
  a.passages === b.passages &&
  a.flushed === b.flushed &&
  a.version === b.version &&
  a.vectors === b.vectors

/** The blocks whose words are not in postings yet. */
export const waitingBlocks = ({ flushed, passages }: RecallState): readonly number[] => {
  const first = blockOf(flushed)
  return passages <= flushed ? [] : Array.from({ length: blockOf(passages - 1) - first + 1 }, (_, at) => first + at)
}

/** The words of passages that still wait in blocks. */
function lateWords(
  waiting: readonly { readonly number: number; readonly body: Uint8Array }[],
  { flushed, passages }: RecallState,
): ReadonlyMap<string, readonly Posting[]> {
  const late = new Map<string, Posting[]>()
  for (const { number, body } of waiting)
    for (const [index, words] of decodeTerms(body).entries()) {
      const passage = number * BLOCK + index
      if (passage < flushed || passage >= passages) continue
      for (const [word, count] of words) {
        const known = late.get(word)
        if (known === undefined) late.set(word, [{ passage, count }])
        else known.push({ passage, count })
      }
    }
  return late
}

/** As `eachPosting`, of so many postings from a place on. */
function eachOf(bytes: Uint8Array, from: number, many: number, visit: (passage: number, count: number) => void): void {
  let at = from
  let passage = -1
  const number = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at++] as number
      value += (byte & 0x7f) * scale
      if (!(byte >= 0x80)) return value
    }
  }
  for (let left = many; left > 0; left -= 1) {
    const coded = number()
    passage += Math.floor(coded / 2) + 1
    visit(passage, coded % 2 === 1 ? 1 : number())
  }
}

/** How many postings between two places are below a passage. */
function countOf(bytes: Uint8Array, from: number, to: number, below: number): number {
  let [at, passage, many] = [from, -1, 0]
  const number = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at++] as number
      value += (byte & 0x7f) * scale
      if (!(byte >= 0x80)) return value
    }
  }
  while (at < to) {
    const coded = number()
    passage += Math.floor(coded / 2) + 1
    if (coded % 2 === 0) number()
    if (passage >= below) break
    many += 1
  }
  return many
}
