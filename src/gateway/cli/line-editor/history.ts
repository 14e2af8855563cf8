import { appendFileSync, chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** What was typed before, in a file of the workspace: one JSON string per line. */
export type History = { readonly lines: readonly string[]; readonly keep: (line: string) => void }

export const HISTORY_FILE = 'chat-history'

const NEWEST = 1000
/** A text that long was pasted, and is found in its session. */
const LONGEST = 64 * 1024
const ONLY_OURS = 0o600

/**
 * Reads the newest lines; one that is broken is passed over. A file that has grown to twice its size is written anew, and
 * put in its place whole. A history that cannot be read or kept is no reason not to talk.
 */
export function openHistory(file: string): History {
  const all = linesOf(textOf(file))
  const lines = all.slice(-NEWEST)
  if (all.length > 2 * NEWEST) attempt(() => replace(file, lines))
  return {
    lines,
    keep: line => {
      if (line.length > LONGEST) return
      attempt(() => {
        appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: ONLY_OURS })
        chmodSync(file, ONLY_OURS)
      })
    },
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const linesOf = (text: string): readonly string[] => text.split('\n').flatMap(line => parsed(line) ?? [])

function parsed(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  } catch {
    return undefined
  }
}

function replace(file: string, lines: readonly string[]): void {
  const beside = `${file}.${process.pid}.new`
  writeFileSync(beside, lines.map(line => `${JSON.stringify(line)}\n`).join(''), { mode: ONLY_OURS })
  renameSync(beside, file)
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {}
}
