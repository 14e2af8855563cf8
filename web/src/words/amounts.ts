// Puts tokens, money and shares into short words.

/** Tokens, short: 940, 8.2k, 54k, 1.2M. */
export function shortCount(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens))
  if (tokens < 99_950) return `${trimmed(tokens / 1000)}k`
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`
  return `${trimmed(tokens / 1_000_000)}M`
}

const trimmed = (value: number): string => value.toFixed(1).replace(/\.0$/, '')

/** Cents, and finer where a cent would hide everything; a price that is not known is never zero. */
export function dollars(usd: number | null): string {
  if (usd === null) return '–'
  if (usd === 0) return '$0'
  return `$${digits(usd)}`
}

/** From the least to the most, where the two differ when written. */
export function dollarRange(least: number | null, most: number | null): string {
  if (least === null || most === null) return '–'
  if (most === 0) return '$0'
  const [from, to] = [digits(least, most), digits(most)]
  return from === to ? `$${to}` : `$${from}–${to}`
}

/** As fine as the larger of two amounts needs. */
function digits(usd: number, beside = usd): string {
  if (beside >= 0.01) return usd.toFixed(2)
  return beside >= 0.0001 ? usd.toFixed(4) : '0.0001'
}

/** Something is never shown as nothing. */
export const percentWords = (share: number): string => (share > 0 && share < 0.005 ? '< 1 %' : `${Math.round(share * 100)} %`)
