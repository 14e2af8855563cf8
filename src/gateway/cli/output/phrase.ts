// Writes numbers, sizes and times as people do.
export { fitted } from './width.ts'

/** Numbers and times as people write them. */
export const figure = (value: number): string => value.toLocaleString('en-US')

export const counted = (count: number, one: string, many = `${one}s`): string => `${figure(count)} ${count === 1 ? one : many}`

/** With its sign, for differences. */
export const signedFigure = (value: number): string => `${value < 0 ? '−' : value === 0 ? '±' : '+'}${figure(Math.abs(value))}`

/** Never 100 for an incomplete share, never 0 for a share above nothing. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100)
  if (share < 1 && rounded === 100) return '99 %'
  return share > 0 && rounded === 0 ? '1 %' : `${rounded} %`
}

/** Dollars; amounts below a cent keep enough digits. */
export const money = (usd: number): string =>
  `$${usd.toLocaleString('en-US', usd === 0 || usd >= 0.1 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { maximumSignificantDigits: 2, maximumFractionDigits: 9 })}`

/** A file's size, as file managers show it. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte')
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago something happened, in short form. */
export function ago(at: string, now: number): string {
  const then = Date.parse(at)
  const passed = now - then
  if (passed < MINUTE) return 'just now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`
  if (passed < 7 * DAY) return `${counted(Math.floor(passed / DAY), 'day')} ago`
  return dayWords(at)
}

/** In the reader's own time zone. */
export const dayWords = (at: string): string =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

export const timeWords = (at: string): string => new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

/** A range of seqs; empty for items that are not in the log. */
export function stretch({ from, to }: { readonly from?: number; readonly to?: number }): string {
  if (from === undefined) return ''
  return to === undefined || to === from ? `seq ${from}` : `seq ${from}–${to}`
}
