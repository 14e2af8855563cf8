// Aligns rows in columns.
import { widthOf } from './width.ts'

const AMOUNT = /^[−+]?\$?[\d,]+(\.\d+)?( tokens| messages?| %)?$/

/** Columns of equal width; amounts are right-aligned. */
export function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => widthOf(row[column] ?? '')))) ?? []
  const cell = (text: string, width: number): string => {
    const room = ' '.repeat(Math.max(0, width - widthOf(text)))
    return AMOUNT.test(text) ? room + text : text + room
  }
  return rows.map(row => `  ${row.map((text, column) => cell(text, widths[column] ?? 0)).join('   ')}`.trimEnd())
}
