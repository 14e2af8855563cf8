// Shows a link's address without look-alike letters.
const LONGEST = 2048

/** Controls, spaces, invisible characters, direction changes, and characters that browsers take for a slash. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s\\]/u

/**
 * An address as a browser would write it, so that look-alike letters of another alphabet show. Null for any other kind of link.
 */
export function shownAddress(written: string): string | null {
  if (written.length > LONGEST || HIDDEN.test(written)) return null
  if (!/^(?:https?:\/\/[^/]|mailto:[^/])/i.test(written)) return null
  const url = URL.parse(written)
  if (url === null || url.username !== '' || url.password !== '') return null
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
}

/** Whether the words of a link already are its address. */
export function isSameAddress(words: string, address: string): boolean {
  const bare = (text: string): string => text.replace(/^(?:https?:\/\/|mailto:)/i, '').replace(/\/$/, '')
  return bare(words) === bare(address)
}
