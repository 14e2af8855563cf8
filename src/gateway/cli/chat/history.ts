import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What was typed before, kept in the workspace for this person alone. */
export type History = { readonly lines: readonly string[]; readonly add: (line: string) => void }

const MOST_KEPT = 1000

/** One line of JSON each, since a message may have many; a file that cannot be read or written costs nothing but itself. */
export function openHistory(home: string): History {
  const file = join(home, 'chat-history')
  const all = linesIn(file)
  const lines = all.slice(-MOST_KEPT)
  const trying = (write: () => void): void => {
    try {
      write()
    } catch {
      // Whoever has no place for a history still has a chat.
    }
  }
  if (all.length > 2 * MOST_KEPT)
    trying(() => writeFileSync(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 }))
  return { lines, add: line => trying(() => appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })) }
}

function linesIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').flatMap(parsed)
  } catch {
    return []
  }
}

function parsed(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'string' ? [value] : []
  } catch {
    return []
  }
}
