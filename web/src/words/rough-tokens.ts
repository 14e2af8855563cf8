// Estimates tokens without a tokenizer.
import { formatCount } from './words.ts'

/** About how many tokens a text takes; no model counts exactly so, and the receipt has the count that was used. */
export const roughTokens = (text: string): number => Math.ceil(new TextEncoder().encode(text.trim()).length / 4)

export const roughWords = (text: string): string =>
  text.trim() === '' ? 'no tokens' : `about ${formatCount(roughTokens(text))} ${roughTokens(text) === 1 ? 'token' : 'tokens'}`
