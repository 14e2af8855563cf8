// Wraps a line between words.
import { stripVTControlCharacters } from 'node:util'
import { styledWidth } from '../terminal/line-editor/styled.ts'

/** The largest indent of the following rows, as a share of the width. */
const FURTHEST = 0.6
/** If the last column is too far to the right, the rows are indented this much from the column before it. */
const SET_IN = 2

/** Breaks a line between words into rows that fit. The following rows are aligned with its last column, if it has columns. */
export function byWords(line: string, columns: number): readonly string[] {
  if (styledWidth(line) <= columns) return [line]
  const margin = ' '.repeat(marginOf(line, columns))
  const rows: string[] = []
  let row = ''
  for (const [piece] of line.matchAll(/\s*\S+/g)) {
    const isBegun = row.trim() !== ''
    if (isBegun && styledWidth(row + piece) > columns) {
      rows.push(row)
      row = margin + piece.trimStart()
    } else row += piece
  }
  return [...rows, row]
}

/** Two or more spaces separate columns. */
function marginOf(line: string, columns: number): number {
  const plain = stripVTControlCharacters(line)
  const begins = [...plain.matchAll(/(?:^| ) +(?=\S)/g)].map(gap => styledWidth(plain.slice(0, gap.index + gap[0].length)))
  const near = begins.filter(begin => begin <= columns * FURTHEST)
  const isLast = begins.length > 0 && near.length === begins.length
  return isLast ? (near.at(-1) ?? 0) : (near.at(-1) ?? 0) + SET_IN
}
