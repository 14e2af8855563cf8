// The last lines of what an MCP server wrote and what became of it, without secrets.
import { readableDescription } from './listing.ts'

export type ServerLogLine = { readonly at: string; readonly text: string }

export type ServerLog = {
  readonly say: (text: string) => void
  /** Takes a piece of what a process writes to its error output. Only whole lines are kept. */
  readonly hear: (chunk: Buffer) => void
  /** The process has ended: what stands in its last line is a line too. */
  readonly end: () => void
  readonly lines: () => readonly ServerLogLine[]
}

const MOST_LINES = 200
const MOST_LETTERS = 500
const MOST_READ = MOST_LETTERS * 4
/** A shorter value is found in too many places by chance. */
const LEAST_SECRET = 4

/** `secrets` are read for each piece, because settings change while a server runs. */
export function createServerLog(secrets: () => readonly string[], clock: () => number = Date.now): ServerLog {
  const kept: ServerLogLine[] = []
  let rest = ''
  const keep = (texts: readonly string[]): void => {
    const hidden = secrets()
    for (const text of texts) {
      const seen = readableDescription(withSecretsHidden(text.slice(0, MOST_READ), hidden), MOST_LETTERS).trimEnd()
      if (seen !== '') kept.push({ at: new Date(clock()).toISOString(), text: seen })
    }
    kept.splice(0, kept.length - MOST_LINES)
  }
  return {
    say: text => keep([text]),
    hear: chunk => {
      const lines = (rest + chunk.toString('utf8')).split(/\r?\n/)
      // A line without an end must not grow for ever; the part that is kept is longer than what is shown of it.
      rest = (lines.pop() ?? '').slice(0, MOST_READ)
      const last = lines.filter(line => line.trim() !== '').slice(-MOST_LINES)
      if (last.length > 0) keep(last)
    },
    end: () => {
      if (rest !== '') keep([rest])
      rest = ''
    },
    lines: () => kept,
  }
}

/** Replaces every secret, the longest first, so that no part of one is left where another begins with it. */
export function withSecretsHidden(text: string, secrets: readonly string[]): string {
  // A text of several lines, such as a private key, is written line by line.
  const known = [...new Set(secrets.flatMap(secret => [secret, ...secret.split(/\r?\n/)]))]
    .filter(secret => secret.length >= LEAST_SECRET)
    .sort((a, b) => b.length - a.length)
  const hidden = known.reduce((shown, secret) => shown.replaceAll(secret, '(hidden)'), text)
  return hidden.replace(BEARER, '$1(hidden)').replace(ASSIGNED, '$1(hidden)')
}

const BEARER = /\b(bearer\s+)[\w.~+/=-]{8,}/gi
/** As in `API_KEY=…`, `"token": "…"` or `?secret=…`. */
const ASSIGNED = /((?:key|token|secret|password|passwd|credential)s?["']?\s*[=:]\s*["']?)[^\s"'&,;]{4,}/gi
