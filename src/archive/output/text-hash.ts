// Hashes a text so that lone surrogates stay distinct.
import { hash as digest } from 'node:crypto'

/**
 * The hash that identifies a text. In UTF-8 all lone surrogates become the same character, so texts that differ only there
 * would get the same hash. Such a text is hashed by its UTF-16 units instead.
 */
export const textHash = (text: string): string =>
  `sha256:${digest('sha256', text.isWellFormed() ? text : Buffer.from(text, 'utf16le'))}`
