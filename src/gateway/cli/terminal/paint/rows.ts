// Collects the rows of a table until it is complete.
import type { LinePainter, Margin } from './lines.ts'
import { isDelimiter, paintTable, tableOf } from './table.ts'

/** Keeps the rows of a table until it is complete. */
export type Rows = {
  readonly isOpen: () => boolean
  readonly add: (row: string, margin: Margin) => void
  /** Prints the table, which is now complete. */
  readonly layOut: () => void
}

/** A table beyond this size is laid out early, and its other rows follow as records. */
const MOST_ROWS = 500
const LARGEST = 64_000

type Kept = { readonly rows: readonly string[]; readonly size: number; readonly margin: Margin; readonly isGoingOn: boolean }

/** Rows that turn out not to be a table are printed as text. */
export function createRows(lines: LinePainter, color: boolean, asText: (row: string, margin: Margin) => void): Rows {
  let kept: Kept | undefined

  const layOut = (): void => {
    if (kept === undefined) return
    const { rows, margin, isGoingOn } = kept
    kept = undefined
    if (isGoingOn && rows.length === 2) return
    const table = tableOf(rows)
    if (table !== null) paintTable(table, lines, margin, { color, asRecords: isGoingOn })
    else for (const [at, row] of rows.entries()) asText(row, at === 0 ? margin : { ...margin, first: margin.rest })
  }
  return {
    layOut,
    isOpen: () => kept !== undefined,
    add: (row, margin) => {
      const before = kept ?? { rows: [], size: 0, margin, isGoingOn: false }
      kept = { ...before, rows: [...before.rows, row], size: before.size + row.length }
      const [head = '', under = ''] = kept.rows
      const { length } = kept.rows
      if (length === 2 && !isDelimiter(under)) return layOut()
      if (length < 3 || (!kept.isGoingOn && length < MOST_ROWS && kept.size < LARGEST)) return
      layOut()
      kept = { rows: [head, under], size: 0, margin: { ...margin, first: margin.rest }, isGoingOn: true }
    },
  }
}
