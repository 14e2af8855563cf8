// Picks the whole sentences of a growing text that a screen reader speaks next.

/** How much of a growing text was already read aloud. */
export type ReadAloud = { readonly upTo: number }

const LONGEST = 400
/** A sentence ends with its mark and any closing quotes or brackets, before a space; or with a line. */
const END = /[.!?…。！？]["'”’»)\]]*(?=\s)|[。！？]|\n+/gu

/**
 * The whole sentences that came since then, up to a length; null while there is no whole one. A text that is too long to
 * be spoken is cut, and the rest is skipped: the reader finds it on the page.
 */
export function nextSentences(text: string, { upTo }: ReadAloud): { readonly said: string; readonly upTo: number } | null {
  const rest = text.slice(upTo)
  let end = 0
  for (const match of rest.matchAll(END)) end = match.index + match[0].length
  const whole = spoken(rest.slice(0, end))
  if (whole === '') return null
  return { said: short(whole), upTo: upTo + end }
}

/** What is left to say when a text has ended. */
export const lastWords = (text: string, { upTo }: ReadAloud): string => short(spoken(text.slice(upTo)))

/** Signs of markup are not read out. */
const spoken = (text: string): string =>
  text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' Code. ')
    .replaceAll(/^\s{0,3}(?:#{1,6}|[-*+]|\d+\.|>)\s+/gm, '')
    .replaceAll(/[*_`~|]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const short = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)} …`)
