// The debug lines about each request.
import type { Observation } from '../engine.ts'

/** The debug lines about a request: how long its session is, and how much of it went in. */
export function debugLines(seen: Observation): readonly string[] {
  if (seen.type !== 'planned') return []
  const { session, messages, receipt } = seen
  const included = receipt.in.reduce((sum, line) => sum + (line.count ?? 0), 0)
  return [
    `Session loaded: ID=${session}, MessageCount=${messages}`,
    included >= messages
      ? `Context: Including all ${messages} messages`
      : `Context: Including ${included} of ${messages} messages`,
  ]
}
