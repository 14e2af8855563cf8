const AMOUNT = /^[−+]?\$?[\d,]+(\.\d+)?( tokens| messages?| %)?$/

/** Columns of equal width, amounts to the right. */
export function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
  const cell = (text: string, width: number): string => (AMOUNT.test(text) ? text.padStart(width) : text.padEnd(width))
  return rows.map(row => `  ${row.map((text, column) => cell(text, widths[column] ?? 0)).join('   ')}`.trimEnd())
}
