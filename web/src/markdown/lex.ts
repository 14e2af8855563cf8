import { type Links, Marked, type Token } from 'marked'
import { boundedLex } from '../../../src/archive/bounded-lexer.ts'
import { math } from './math.ts'

export { DEEPEST } from '../../../src/archive/bounded-lexer.ts'

const rules = new Marked({ gfm: true, breaks: true }, math).defaults

/** A text as tokens, formulas among them, and its definitions of links. */
export const lex = (text: string, links: Links): { readonly tokens: readonly Token[]; readonly links: Links } =>
  boundedLex(rules, text, links)
