// Splits a text into Markdown tokens, formulas among them.
import { Marked } from 'marked'
import { type LexedText, type LexOptions, lexText } from '../../../src/archive/text-thread/lex-text.ts'
import { math } from './math/math.ts'

export { DEEPEST_MARKDOWN as DEEPEST } from '../../../src/archive/text-thread/bounded-lexer.ts'
export type { LexedPiece, LexedText } from '../../../src/archive/text-thread/lex-text.ts'

const rules = new Marked({ gfm: true, breaks: true }, math).defaults

/** A text as tokens, piece by piece, formulas among them. */
export const lex = (text: string, options?: LexOptions): LexedText => lexText(rules, text, options)
