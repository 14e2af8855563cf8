// Numbers of settings as people write them.

/** How a number is shown: as it is, or milliseconds as minutes. */
export type NumberUnit = 'plain' | 'minutes'

const MINUTE = 60_000

/** A value as the text of its field; null is empty. */
export function numberText(value: unknown, unit: NumberUnit): string {
  if (typeof value !== 'number') return ''
  return (unit === 'minutes' ? value / MINUTE : value).toLocaleString('en-US', { maximumFractionDigits: 6 })
}

/** What a field says: null where it is empty. What is not a number is sent as it is, for the gateway to say so. */
export function readNumber(text: string, unit: NumberUnit): number | string | null {
  const trimmed = text.replaceAll(/[\s,_$]/g, '')
  if (trimmed === '') return null
  const value = Number(trimmed)
  if (Number.isNaN(value)) return text.trim()
  return unit === 'minutes' ? Math.round(value * MINUTE) : value
}
