// Makes titles and names from other programs safe to show.
const MOST_TITLE = 200
const MOST_NAME = 200

/** A title on one line, with the limits of a title that a person gives. Returns null if no readable text is left. */
export const importedTitle = (value: unknown): string | null => importedLine(value, MOST_TITLE)

/** The name of a file, on one line. */
export const importedFileName = (value: unknown, otherwise: string): string => importedLine(value, MOST_NAME) ?? otherwise

/** A text on one line, or null if nothing is left. A lone half of a surrogate pair, at the cut or elsewhere, becomes U+FFFD. */
export function importedLine(value: unknown, most: number): string | null {
  if (typeof value !== 'string') return null
  const line = value
    .slice(0, 4 * most)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, most)
    .trim()
  return line === '' ? null : line.toWellFormed()
}

/** A tool's name, in a form that every provider accepts. */
export const importedToolName = (value: unknown): string => {
  const name = typeof value === 'string' ? value.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) : ''
  return name === '' ? 'tool' : name
}
