// Keeps what was typed in chats, in the workspace.
import { join } from 'node:path'
import { appendWorkspaceFileSync, readRegularFileSync, writeWorkspaceFileSync } from '../../files/workspace-file.ts'

/** The lines that this person typed before, kept in the workspace for them alone. */
export type InputHistory = { readonly lines: readonly string[]; readonly add: (line: string) => void }

const FILE = 'chat-history'
const MOST_KEPT = 1000

/**
 * Each entry is one line of JSON, because a message may have many lines. If the file cannot be read or written, only the history
 * is lost.
 */
export function openHistory(home: string): InputHistory {
  const all = linesIn(join(home, FILE))
  const lines = all.slice(-MOST_KEPT)
  if (all.length > 2 * MOST_KEPT) writeWorkspaceFileSync(home, FILE, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  return { lines, add: line => void appendWorkspaceFileSync(home, FILE, `${JSON.stringify(line)}\n`) }
}

function linesIn(file: string): readonly string[] {
  try {
    return readRegularFileSync(file).split('\n').flatMap(parsed)
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
