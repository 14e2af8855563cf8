// Reads a date or time as a moment in UTC.
const ISO = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:\d{2})?$/

/** The moment that an ISO date or date-time names, or undefined. Without an offset it is UTC. */
export function sinceOf(text: string): string | undefined {
  const [, day = '', time = '', zone = 'Z'] = ISO.exec(text) ?? []
  // JavaScript would read February 30 as a day in March.
  const midnight = new Date(`${day}T00:00Z`)
  if (Number.isNaN(midnight.valueOf()) || !midnight.toISOString().startsWith(day)) return undefined
  if (time === '' && text !== day) return undefined
  const moment = new Date(`${day}${time || 'T00:00'}${zone}`)
  return Number.isNaN(moment.valueOf()) ? undefined : moment.toISOString()
}
