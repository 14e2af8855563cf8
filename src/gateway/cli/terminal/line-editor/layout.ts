// Wraps a draft into rows and finds places in them.
import { widthOf } from '../../output/width.ts'
import { graphemesOf, shownGrapheme } from './graphemes.ts'

/** A range of the text that is drawn in one row. A line end belongs to no row. */
export type TextRow = { readonly from: number; readonly to: number }

const PLAIN = /^[\x20-\x7e]*$/

/** Wraps a text into rows of at most this many columns. A text that ends with a line end has an empty last row. */
export function layout(text: string, width: number): readonly TextRow[] {
  const rows: TextRow[] = []
  let from = 0
  for (const line of text.split('\n')) {
    for (const row of PLAIN.test(line) ? evenly(line, width) : bySigns(line, width))
      rows.push({ from: from + row.from, to: from + row.to })
    from += line.length + 1
  }
  return rows
}

function* evenly(line: string, width: number): Generator<TextRow> {
  let from = 0
  do {
    yield { from, to: Math.min(from + width, line.length) }
    from += width
  } while (from < line.length)
}

function* bySigns(line: string, width: number): Generator<TextRow> {
  let from = 0
  let at = 0
  let used = 0
  for (const sign of graphemesOf(line)) {
    const wide = widthOf(shownGrapheme(sign))
    if (used + wide > width && at > from) {
      yield { from, to: at }
      from = at
      used = 0
    }
    used += wide
    at += sign.length
  }
  yield { from, to: at }
}

/** The row of a position. At a wrap the position belongs to the beginning of the next row. */
export function textRowAt(rows: readonly TextRow[], place: number): number {
  let [low, high] = [0, rows.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((rows[middle]?.from ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return low
}

export const columnAt = (text: string, { from }: TextRow, place: number): number =>
  widthOf(shownGrapheme(text.slice(from, place)))

/** The position in a row that is nearest to a column and still in that row. */
export function placeAt(text: string, row: TextRow, column: number): number {
  let place = row.from
  let used = 0
  // The end of a wrapped row is the beginning of the next.
  const wraps = row.to < text.length && text[row.to] !== '\n'
  for (const sign of graphemesOf(text.slice(row.from, row.to))) {
    const wide = widthOf(shownGrapheme(sign))
    if (used + wide > column || (wraps && place + sign.length >= row.to)) break
    used += wide
    place += sign.length
  }
  return place
}
