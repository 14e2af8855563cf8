/** Writes equal values as equal JSON. */

/** One spelling for equal values: object keys sorted at every depth, so that equal policies and tools have equal hashes. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner)) ?? 'null'
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sorted = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
