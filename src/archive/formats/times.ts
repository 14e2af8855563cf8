// Reads the times of imported conversations.

/** People did not talk to models before this, so an older time counts as missing. */
const EARLIEST = Date.UTC(2000, 0, 1)
const A_DAY = 86_400_000
/** Larger numbers are milliseconds: as seconds they would be in the year 5138. */
const MOST_SECONDS = 1e11

/** Reads a time in seconds, milliseconds or ISO 8601. Returns undefined if the value is no plausible time. */
export function importedTime(value: unknown, now: number): string | undefined {
  const time = millisecondsOf(value)
  return time >= EARLIEST && time <= now + A_DAY ? new Date(time).toISOString() : undefined
}

function millisecondsOf(value: unknown): number {
  if (typeof value === 'number') return value < MOST_SECONDS ? value * 1000 : value
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:[T ]|$)/.test(value) ? Date.parse(value) : Number.NaN
}

export type SessionTimes = { readonly createdAt: string; readonly updatedAt: string }

/** When a conversation began and ended: by its file, else by its messages, else now. */
export function spanOf(
  { created, updated }: { readonly created: unknown; readonly updated: unknown },
  messages: readonly unknown[],
  now: number,
): SessionTimes {
  const first = (values: readonly unknown[]): string | undefined => {
    for (const value of values) {
      const time = importedTime(value, now)
      if (time !== undefined) return time
    }
    return undefined
  }
  const given = importedTime(updated, now)
  const createdAt = importedTime(created, now) ?? first(messages) ?? given ?? new Date(now).toISOString()
  const updatedAt = given ?? first(messages.toReversed()) ?? createdAt
  return { createdAt, updatedAt: updatedAt < createdAt ? createdAt : updatedAt }
}
