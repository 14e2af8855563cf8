// Lays a Markdown table out in columns.
import { Lexer, Marked, type Tokens } from 'marked'
import { widthOf } from '../../output/width.ts'
import { createInlinePainter } from './inline.ts'
import type { LinePainter, Margin } from './lines.ts'
import { BOLD, DIM, joinedText, type Style, type StyledText, unstyled } from './style.ts'

const RULES = new Marked({ gfm: true }).defaults

/** `asRecords` is for rows that came after their table was laid out. */
type Look = { readonly color: boolean; readonly asRecords: boolean }

type Cell = readonly StyledText[]

/** The rows of a table from their source, or null if they are no table. */
export function tableOf(rows: readonly string[]): Tokens.Table | null {
  const [token] = new Lexer(RULES).blockTokens(rows.join('\n'))
  return token?.type === 'table' ? (token as Tokens.Table) : null
}

/** Whether a line is the one below the heads of a table. */
export const isDelimiter = (line: string): boolean => /^\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/.test(line)

/** Aligned columns or, if they do not fit, each row as a record. */
export function paintTable(table: Tokens.Table, lines: LinePainter, margin: Margin, { color, asRecords }: Look): void {
  const heads = table.header.map(({ text }) => cellOf(text, BOLD, color))
  const rows = table.rows.map(row => row.map(({ text }) => cellOf(text, '', color)))
  const widths = heads.map((head, at) => Math.max(1, ...[head, ...rows.map(row => row[at] ?? [])].map(cellWidth)))
  const total = widths.reduce((sum, width) => sum + width, 3 * (widths.length - 1))
  if (asRecords || total > lines.room(margin)) {
    paintRecords(heads, rows, lines, margin)
    return
  }
  const row = (cells: readonly Cell[]): readonly StyledText[] =>
    widths.flatMap((width, at) => [
      ...(at === 0 ? [] : [{ text: ' │ ', style: DIM }]),
      ...aligned(cells[at] ?? [], width, table.align[at] ?? null, at === widths.length - 1),
    ])
  const rule: StyledText = { text: widths.map(width => '─'.repeat(width)).join('─┼─'), style: DIM }
  for (const [at, each] of [row(heads), [rule], ...rows.map(row)].entries()) {
    lines.begin(at === 0 ? margin : { ...margin, first: margin.rest })
    lines.exact(trimmed(each))
  }
}

function paintRecords(heads: readonly Cell[], rows: readonly (readonly Cell[])[], lines: LinePainter, margin: Margin): void {
  const rest = [...margin.rest, unstyled('  ')]
  for (const [index, row] of rows.entries()) {
    if (index > 0) lines.begin({ first: margin.rest, rest })
    for (const [at, head] of heads.entries()) {
      lines.begin({ first: index + at === 0 ? margin.first : margin.rest, rest })
      for (const { text, style } of [...head, { text: ': ', style: BOLD }, ...(row[at] ?? [])]) lines.words(text, style)
      lines.finish()
    }
  }
  if (rows.length > 0) return
  lines.begin({ ...margin, rest })
  for (const { text, style } of heads.flatMap(head => [...head, unstyled(' ')])) lines.words(text, style)
  lines.finish()
}

function cellOf(text: string, style: Style, color: boolean): Cell {
  const spans: StyledText[] = []
  const inline = createInlinePainter(style, color, { span: span => spans.push(span), lineBreak: () => spans.push(unstyled(' ')) })
  for (const sign of text) inline.write(sign === '\t' ? ' ' : sign)
  inline.end()
  return joinedText(spans)
}

const cellWidth = (cell: Cell): number => cell.reduce((sum, { text }) => sum + widthOf(text), 0)

function aligned(cell: Cell, width: number, align: 'left' | 'center' | 'right' | null, isLast: boolean): readonly StyledText[] {
  const spare = width - cellWidth(cell)
  const left = align === 'right' ? spare : align === 'center' ? Math.floor(spare / 2) : 0
  return [unstyled(' '.repeat(left)), ...cell, unstyled(isLast ? '' : ' '.repeat(spare - left))]
}

/** Spaces at the end of a line are invisible. */
function trimmed(spans: readonly StyledText[]): readonly StyledText[] {
  const last = spans.findLastIndex(({ text }) => text.trim() !== '')
  return spans.slice(0, last + 1).map((span, at) => (at === last ? { ...span, text: span.text.trimEnd() } : span))
}
