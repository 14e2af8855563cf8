// Finds the lines of a note that contain the searched words.
/** A matching line; `line` counts from 1. */
export type Hit = { readonly name: string; readonly line: number; readonly text: string }

/** The words to look for, each once, ignoring case. */
export const searchWords = (text: string): readonly string[] => [
  ...new Set(
    folded(text)
      .split(/\s+/)
      .filter(word => word !== ''),
  ),
]

/**
 * The lines that contain at least one of the words, if the note and its name together contain all of them. If only the name
 * matches, the first line.
 */
export function linesWith(
  words: readonly string[],
  { name, text }: { readonly name: string; readonly text: string },
): readonly Hit[] {
  const title = folded(name)
  const whole = folded(text)
  if (words.length === 0 || !words.every(word => title.includes(word) || whole.includes(word))) return []
  const lines = text.split(/\r?\n/)
  const hits = lines.flatMap((line, index) => {
    const low = folded(line)
    return words.some(word => low.includes(word)) ? [{ name, line: index + 1, text: line }] : []
  })
  return hits.length > 0 ? hits : [{ name, line: 1, text: lines[0] ?? '' }]
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase()
