// Hashes a text so that lone surrogates stay distinct.
import { hash as digest } from 'node:crypto'

/**
 * What a text is known by. In UTF-8 every half of a character would become the same sign, and texts that differ only there
 * one text; such a text is known by its units instead.
 */
export const textHash = (text: string): string =>
  `sha256:${digest('sha256', text.isWellFormed() ? text : Buffer.from(text, 'utf16le'))}`
