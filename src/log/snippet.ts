/** The words that a search sees in an event, and the snippet it shows. */

import type { Attachment, Recorded } from '../model/event.ts'

const AROUND = 48

/** What can be searched of an event: what a person or a voice said, without thinking or tool traffic. */
export function searchable(event: Recorded): string {
  switch (event.type) {
    case 'message.received':
      return event.parts === undefined ? event.text : [event.text, ...event.parts.map(wordsOf)].join('\n')
    case 'reply.finished':
    case 'reply.broken':
      if (event.internal === true) return ''
      return event.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
    default:
      return ''
  }
}

/** A text file by its text, any file by its name. */
const wordsOf = (file: Attachment): string => (file.type === 'text' ? `${file.name}\n${file.text}` : file.name)

/** The words of a search, lower case and without accents; nothing in them is syntax. */
export const searchTerms = (query: string): string[] => plain(query).match(/[\p{L}\p{N}]+/gu) ?? []

/** Every word is there, the last one perhaps only begun. */
export function holdsWords(text: string, terms: readonly string[]): boolean {
  const words = searchTerms(text)
  return terms.every((term, index) => words.some(word => (index === terms.length - 1 ? word.startsWith(term) : word === term)))
}

/** The stretch of a text around the first of the words, whole characters only. */
export function snippet(text: string, terms: readonly string[]): string {
  const near = plain(text)
  const found = terms.map(term => near.indexOf(term)).filter(at => at >= 0)
  const at = found.length === 0 ? 0 : Math.min(...found)
  const start = at <= AROUND ? 0 : at - AROUND
  const end = Math.min(text.length, at + AROUND * 2)
  const cut = text.slice(start, end).replace(HALVES, '').replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`
}

/** Characters that the cut went through. */
const HALVES = /^[\udc00-\udfff]|[\ud800-\udbff]$/g

/** As the full-text index sees it. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
