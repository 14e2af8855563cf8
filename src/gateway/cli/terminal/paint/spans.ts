// Turns inline Markdown into styled text.
import { Lexer, Marked, type MarkedToken, type Token } from 'marked'
import { escapeForTerminal } from '../../output/escape-for-terminal.ts'
import { decodeForTerminal } from './references.ts'
import { BOLD, CODE, DIM, ITALIC, nestedStyle, STRUCK, type Style, type StyledText } from './style.ts'

const RULES = new Marked({ gfm: true }).defaults

/**
 * Turns a short run of inline Markdown into spans. Runs that the lexer does not know are shown as written. Its output may
 * contain characters that were not in the run, so everything is escaped again.
 */
export function spansOf(run: string, base: Style, color: boolean): readonly StyledText[] {
  const spans = Lexer.lexInline(run, RULES).flatMap(token => spansOfToken(token, base, color))
  return spans.map(({ text, style }) => ({ text: escapeForTerminal(text).replaceAll('\n', ' '), style }))
}

function spansOfToken(token: Token, base: Style, color: boolean): readonly StyledText[] {
  const inner = (style: Style): readonly StyledText[] =>
    ('tokens' in token ? (token.tokens ?? []) : []).flatMap(each => spansOfToken(each, nestedStyle(base, style), color))
  const known = token as MarkedToken
  switch (known.type) {
    case 'strong':
      return inner(BOLD)
    case 'em':
      return inner(ITALIC)
    case 'del':
      // One tilde means "about"; two strike out.
      return known.raw.startsWith('~~') ? inner(STRUCK) : [{ text: known.raw, style: base }]
    case 'codespan':
      return [codeSpan(known.raw, known.text, base, color)]
    case 'escape':
      return [{ text: known.text, style: base }]
    case 'link': {
      const words = inner('')
      return linkSpans(words, known.autolink === true ? known.href : decodeForTerminal(known.href), known.raw, base)
    }
    case 'image':
      return [{ text: `[image: ${decodeForTerminal(known.text)}]`, style: nestedStyle(base, DIM) }]
    case 'text':
      return [{ text: decodeForTerminal(known.text), style: base }]
    default:
      return [{ text: token.raw, style: base }]
  }
}

/** Without color the marks show that it is code. */
export const codeSpan = (raw: string, text: string, base: Style, color: boolean): StyledText =>
  color ? { text, style: nestedStyle(base, CODE) } : { text: raw, style: base }

/** Always shows where a link leads, even if its words claim another address. A link that is not a web address is text. */
function linkSpans(words: readonly StyledText[], href: string, raw: string, base: Style): readonly StyledText[] {
  const address = shownAddress(href)
  if (address === null) return [{ text: raw, style: base }]
  if (isSameAddress(words.map(({ text }) => text).join(''), address)) return words
  return [...words, { text: ' ', style: base }, { text: `(${address})`, style: nestedStyle(base, DIM) }]
}

const LONGEST_ADDRESS = 2048

/** Controls, spaces, invisible characters, direction changes, and characters that browsers take for a slash. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s\\]/u

/**
 * An address as a browser would write it, so that look-alike letters of another alphabet show. Null for any other kind of link.
 */
function shownAddress(written: string): string | null {
  if (written.length > LONGEST_ADDRESS || HIDDEN.test(written)) return null
  if (!/^(?:https?:\/\/[^/]|mailto:[^/])/i.test(written)) return null
  const url = URL.parse(written)
  if (url === null || url.username !== '' || url.password !== '') return null
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
}

/** Whether the words of a link already are its address. */
function isSameAddress(words: string, address: string): boolean {
  const bare = (text: string): string => text.replace(/^(?:https?:\/\/|mailto:)/i, '').replace(/\/$/, '')
  return bare(words) === bare(address)
}
