/** A cache of the ends of sessions that were read last, so that the next turn reads only what is new. */

import type { Recorded } from '../model/event.ts'
import type { Fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'
import { ok, type Result } from '../model/result.ts'
import type { Past } from './ports.ts'
import { type EventCells, eventOfCells } from './rows.ts'
import type { PastFrame } from './session-index.ts'

/**
 * A run of events that need not be read again, since none is ever edited. `row` is the row of the last one: no other row is
 * ever given its number, so a session of the same id that was opened anew is not mistaken for the cached one.
 */
export type CachedRange = { readonly from: number; readonly to: number; readonly row: number | undefined }

/** A past as the store gives it: the wanted end in cells, in two pieces before and after what is cached. */
export type PastCells = PastFrame & {
  /** The row of the last event that was looked at. */
  readonly row: number | undefined
  /** Whether the cached range is part of this past. If not, all events are in `newer`. */
  readonly isHeld: boolean
  readonly older: CellsPiece
  readonly newer: CellsPiece
}

/** Events in cells, and where to ask for those that were too many at once. */
export type CellsPiece = {
  readonly cells: readonly EventCells[]
  readonly rest: { readonly after: number; readonly through: number } | null
}

export const NO_CELLS: CellsPiece = { cells: [], rest: null }

export type ReadCache = {
  /** Joins the store's answer with what is cached; only the store knows where the session ends. */
  readonly past: (id: SessionId, ask: Ask, more: More) => Promise<Result<Past, Fault>>
  readonly forget: (id: SessionId) => void
  /** The size of the cache, as it is counted. */
  readonly bytes: () => number
}

type Ask = (held: CachedRange | undefined) => Promise<Result<PastCells, Fault>>
type More = (after: number, through: number) => Promise<Result<CellsPiece, Fault>>
type Run = CachedRange & { readonly events: readonly Recorded[]; readonly bytes: number }

/** What an event takes beside its text. Text counts two bytes a letter: better too much than too little. */
const PER_EVENT = 512
/** The share of the cache that one session may have. */
const MOST_OF_ONE = 1 / 4

/** Keeps at most so many bytes, and drops the sessions that were used longest ago. */
export function createReadCache(mostBytes: number): ReadCache {
  const runs = new Map<SessionId, Run>()
  let bytes = 0
  let forgotten = 0

  const drop = (id: SessionId): void => {
    bytes -= runs.get(id)?.bytes ?? 0
    runs.delete(id)
  }
  const keep = (id: SessionId, run: Run): void => {
    if (run.to < run.from) return
    drop(id)
    // A session that has grown too long begins anew with the next read.
    if (run.row === undefined || run.bytes > mostBytes * MOST_OF_ONE) return
    runs.set(id, run)
    bytes += run.bytes
    for (const oldest of runs.keys()) {
      if (bytes <= mostBytes) return
      drop(oldest)
    }
  }

  return {
    past: async (id, ask, more) => {
      const known = runs.get(id)
      const before = forgotten
      const answer = await ask(known === undefined ? undefined : { from: known.from, to: known.to, row: known.row })
      if (!answer.ok) {
        if (answer.fault.kind === 'not-found') drop(id)
        return answer
      }
      const { earlier, first, gaps, begins, last, lastBalance, lastMarksThrough, folds, through, landed } = answer.value
      const older = await unpacked(id, answer.value.older, more)
      if (!older.ok) return older
      const newer = await unpacked(id, answer.value.newer, more)
      if (!newer.ok) return newer
      const run = joined(answer.value, older.value, newer.value, known)
      // An answer from before a session was removed must not put its words back into the cache.
      if (forgotten === before) keep(id, run)
      const end = run.events.filter(({ seq }) => seq >= first && seq <= through)
      return ok({ events: [...earlier, ...end], gaps, begins, last, lastBalance, lastMarksThrough, folds, through, landed })
    },
    forget: id => {
      forgotten += 1
      drop(id)
    },
    bytes: () => bytes,
  }
}

type Unpacked = { readonly events: readonly Recorded[]; readonly bytes: number }

/** Piece by piece, so that others have their turn in between. */
async function unpacked(id: SessionId, first: CellsPiece, more: More): Promise<Result<Unpacked, Fault>> {
  const events: Recorded[] = []
  let bytes = 0
  for (let piece = first; ; ) {
    for (const cells of piece.cells) {
      events.push(eventOfCells(id, cells))
      bytes += cells[3].length * 2 + PER_EVENT
    }
    if (piece.rest === null) return ok({ events, bytes })
    const next = await more(piece.rest.after, piece.rest.through)
    if (!next.ok) return next
    piece = next.value
  }
}

/** Joins what was read with what was cached. */
function joined({ first, through, row, isHeld }: PastCells, older: Unpacked, newer: Unpacked, known: Run | undefined): Run {
  const held = isHeld ? known : undefined
  const goesOn = held === undefined || through > held.to
  return {
    from: Math.min(first, held?.from ?? first),
    to: goesOn ? through : held.to,
    row: goesOn ? row : held.row,
    events: [...older.events, ...(held?.events ?? []), ...newer.events],
    bytes: older.bytes + newer.bytes + (held?.bytes ?? 0),
  }
}
