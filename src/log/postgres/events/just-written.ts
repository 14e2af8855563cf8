/** Keeps what this node has just appended, so that its followers and turns need not ask the database for what it was sent a moment ago. */

import type { Recorded } from '../../../model/event.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { ReadRange } from '../../ports.ts'
import { type EventRow, eventOf } from '../rows.ts'

export type JustWritten = {
  /** Events as they are in the log now, one after the other. */
  readonly keep: (id: SessionId, rows: readonly EventRow[]) => void
  /** The events of a range, if all of them are kept. */
  readonly read: (id: SessionId, range: ReadRange) => readonly Recorded[] | undefined
  readonly forget: (id: SessionId) => void
}

type Run = { readonly rows: readonly EventRow[]; readonly characters: number; readonly at: number }

/** Followers come within milliseconds. A session that another node removes is not found here any more after this time. */
const KEPT_MS = 1000
/** More of one session is read from the database again. */
const LONGEST_RUN = 256 << 10
const MOST_CHARACTERS = 4 << 20

/** `now` is in milliseconds, and never goes back. */
export function createJustWritten(now: () => number = () => performance.now()): JustWritten {
  // The ones that were written to longest ago come first.
  const runs = new Map<SessionId, Run>()
  let characters = 0

  const forget = (id: SessionId): void => {
    characters -= runs.get(id)?.characters ?? 0
    runs.delete(id)
  }
  const fresh = (id: SessionId): Run | undefined => {
    const run = runs.get(id)
    if (run === undefined || now() - run.at < KEPT_MS) return run
    forget(id)
    return undefined
  }

  return {
    forget,
    keep: (id, rows) => {
      const before = fresh(id)
      forget(id)
      const goesOn = before !== undefined && before.rows.at(-1)?.seq === (rows[0]?.seq ?? 0) - 1
      const added = lengthOf(rows)
      const isShort = goesOn && before.characters + added <= LONGEST_RUN
      const run = {
        rows: isShort ? [...before.rows, ...rows] : rows,
        characters: added + (isShort ? before.characters : 0),
        at: now(),
      }
      if (run.characters > LONGEST_RUN) return
      runs.set(id, run)
      characters += run.characters
      for (const [oldest, { at }] of runs) {
        if (characters <= MOST_CHARACTERS && now() - at < KEPT_MS) return
        forget(oldest)
      }
    },
    read: (id, { after = 0, through, limit, size, newest, ...rest }) => {
      // Only a range whose end is known is sure to be all there is.
      if (through === undefined || newest === true || Object.values(rest).some(each => each !== undefined)) return undefined
      const rows = fresh(id)?.rows ?? []
      const [first, last] = [rows[0]?.seq ?? Number.POSITIVE_INFINITY, rows.at(-1)?.seq ?? 0]
      if (after + 1 < first || through > last || through <= after) return undefined
      const wanted = rows.filter(({ seq }) => seq > after && seq <= through)
      if (wanted.length > (limit ?? wanted.length) || lengthOf(wanted) > (size ?? Number.POSITIVE_INFINITY)) return undefined
      return wanted.map(row => eventOf(id, row))
    },
  }
}

const lengthOf = (rows: readonly EventRow[]): number => rows.reduce((sum, { body }) => sum + body.length, 0)
