import type { Recorded } from '../model/event.ts'

const AROUND = 48

/** What can be searched of an event: what a person or a voice said, without thinking or tool traffic. */
export function searchable(event: Recorded): string {
  switch (event.type) {
    case 'message.received':
      return event.text
    case 'reply.finished':
    case 'reply.broken':
      return event.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
    default:
      return ''
  }
}

/** The words of a search, lower case; nothing in them is syntax. */
export const searchTerms = (query: string): string[] => query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** The stretch of a text around the first of the words. */
export function snippet(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const found = terms.map(term => lower.indexOf(term)).filter(at => at >= 0)
  const at = found.length === 0 ? 0 : Math.min(...found)
  const start = at <= AROUND ? 0 : at - AROUND
  const end = Math.min(text.length, at + AROUND * 2)
  const cut = text.slice(start, end).replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`
}
