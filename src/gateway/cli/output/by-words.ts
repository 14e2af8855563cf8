// Wraps a line between words.
import { stripVTControlCharacters } from 'node:util'
import { styledWidth } from '../terminal/line-editor/styled.ts'

/** What follows the first row may stand as far to the right as this part of the width, not more. */
const FURTHEST = 0.6
/** Where that would be too far, what follows is set in a little from the column before. */
const SET_IN = 2

/** A line in rows that fit, cut between words; those that follow stand under its last column, where it has columns. */
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

/** Columns are what stands apart by two spaces or more. */
function marginOf(line: string, columns: number): number {
  const plain = stripVTControlCharacters(line)
  const begins = [...plain.matchAll(/(?:^| ) +(?=\S)/g)].map(gap => styledWidth(plain.slice(0, gap.index + gap[0].length)))
  const near = begins.filter(begin => begin <= columns * FURTHEST)
  const isLast = begins.length > 0 && near.length === begins.length
  return isLast ? (near.at(-1) ?? 0) : (near.at(-1) ?? 0) + SET_IN
}
