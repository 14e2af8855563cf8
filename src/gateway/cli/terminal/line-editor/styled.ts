// Measures, wraps and cuts text with escape codes.
import { widthOf } from '../../output/width.ts'
import { graphemesOf } from './graphemes.ts'

/** Text that may be styled: its only escape sequences are styles, which take no room. */
const ESCAPE = '\x1b'
const STYLE = new RegExp(`(${ESCAPE}\\[[\\d;:]*m)`)
const PLAINLY = '\x1b[0m'

const isStyle = (piece: string): boolean => piece.startsWith(ESCAPE)
const isPlainly = (piece: string): boolean => piece === PLAINLY || piece === '\x1b[m'

/** Splits a text into characters and styles. */
const piecesOf = (text: string): readonly string[] =>
  text.split(STYLE).flatMap(piece => (isStyle(piece) ? [piece] : graphemesOf(piece.replaceAll('\t', '    '))))

export const styledWidth = (text: string): number =>
  piecesOf(text).reduce((sum, piece) => sum + (isStyle(piece) ? 0 : widthOf(piece)), 0)

/** Rows of at most this many columns. Each row is complete: it begins with the styles it needs and resets them at its end. */
export const wrapped = (text: string, width: number): readonly string[] =>
  text.split('\n').flatMap(line => wrappedLine(line, width))

/** Does not wrap between words: these lines are drawn again soon, and the final print wraps them properly. */
function wrappedLine(line: string, width: number): readonly string[] {
  const rows: string[] = []
  let styles = ''
  let row = ''
  let used = 0
  for (const piece of piecesOf(line)) {
    if (isStyle(piece)) {
      styles = isPlainly(piece) ? '' : styles + piece
      row += piece
      continue
    }
    const wide = widthOf(piece)
    if (used + wide > width && used > 0) {
      rows.push(closed(row))
      row = styles
      used = 0
    }
    row += piece
    used += wide
  }
  return [...rows, closed(row)]
}

/** The part of a line that fits, with a sign that the rest is missing. */
export function cutStyled(line: string, width: number): string {
  if (styledWidth(line) <= width) return closed(line)
  const [row = ''] = wrappedLine(line, Math.max(1, width - 1))
  return `${row}…`
}

const closed = (row: string): string => (row.includes(ESCAPE) && !row.endsWith(PLAINLY) ? row + PLAINLY : row)
