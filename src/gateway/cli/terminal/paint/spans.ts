import { Lexer, Marked, type MarkedToken, type Token } from 'marked'
import { harmless } from '../../output/escape-for-terminal.ts'
import { isSame, shownAddress } from './address.ts'
import { withCharacters } from './references.ts'
import { BOLD, CODE, DIM, ITALIC, type Span, STRUCK, type Style, within } from './style.ts'

const RULES = new Marked({ gfm: true }).defaults

/**
 * A short run of inline Markdown as spans. What the lexer does not know is shown as it was written. What it gives may name
 * characters that were not in the run, so that everything is made harmless once more.
 */
export function spansOf(run: string, base: Style, color: boolean): readonly Span[] {
  const spans = Lexer.lexInline(run, RULES).flatMap(token => spansOfToken(token, base, color))
  return spans.map(({ text, style }) => ({ text: harmless(text).replaceAll('\n', ' '), style }))
}

function spansOfToken(token: Token, base: Style, color: boolean): readonly Span[] {
  const inner = (style: Style): readonly Span[] =>
    ('tokens' in token ? (token.tokens ?? []) : []).flatMap(each => spansOfToken(each, within(base, style), color))
  const known = token as MarkedToken
  switch (known.type) {
    case 'strong':
      return inner(BOLD)
    case 'em':
      return inner(ITALIC)
    case 'del':
      // One stroke is how people write "about"; two strike out.
      return known.raw.startsWith('~~') ? inner(STRUCK) : [{ text: known.raw, style: base }]
    case 'codespan':
      return [codeSpan(known.raw, known.text, base, color)]
    case 'escape':
      return [{ text: known.text, style: base }]
    case 'link': {
      const words = inner('')
      return linkSpans(words, known.autolink === true ? known.href : withCharacters(known.href), known.raw, base)
    }
    case 'image':
      return [{ text: `[image: ${withCharacters(known.text)}]`, style: within(base, DIM) }]
    case 'text':
      return [{ text: withCharacters(known.text), style: base }]
    default:
      return [{ text: token.raw, style: base }]
  }
}

/** Without colour its marks say that it is code. */
export const codeSpan = (raw: string, text: string, base: Style, color: boolean): Span =>
  color ? { text, style: within(base, CODE) } : { text: raw, style: base }

/** Where a link leads is always said, whatever its words say; a link to anywhere else is text. */
function linkSpans(words: readonly Span[], href: string, raw: string, base: Style): readonly Span[] {
  const address = shownAddress(href)
  if (address === null) return [{ text: raw, style: base }]
  if (isSame(words.map(({ text }) => text).join(''), address)) return words
  return [...words, { text: ' ', style: base }, { text: `(${address})`, style: within(base, DIM) }]
}
