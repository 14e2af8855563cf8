import { widthOf } from '../width.ts'

/** A line in pieces that fit, cut between words; those that follow stand a little to the right. */
export function wrapped(line: string, columns: number): readonly string[] {
  const rows: string[] = []
  let row = ''
  for (const word of line.split(' ')) {
    const longer = row === '' ? word : `${row} ${word}`
    if (row.trim() !== '' && widthOf(longer) > columns) {
      rows.push(row)
      row = `  ${word}`
    } else row = longer
  }
  return [...rows, row]
}
