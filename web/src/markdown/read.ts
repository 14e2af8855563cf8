// Turns Markdown tokens into the tree that the page draws.
import type { MarkedToken, Token, Tokens } from 'marked'
import { allowedAddressOf, hostOf, otherHost } from './address.ts'
import { DEEPEST, type LexedPiece, lex } from './lex.ts'
import { FORMULA, type FormulaToken } from './math/math.ts'
import { decodeReferences } from './references.ts'
import type { HeadingLevel, ListItemNode, MarkdownBlock, MarkdownInline, TableCell } from './tree.ts'

/** A whole text as a tree. */
export const documentOf = (text: string): readonly MarkdownBlock[] => lex(text).pieces.flatMap(read)

/** One piece as a tree. What cannot be read is shown as it is. */
export const read = ({ raw, tokens }: LexedPiece): readonly MarkdownBlock[] =>
  tokens === null ? [plain(raw)] : blocksOf(tokens, 0)

const plain = (text: string): MarkdownBlock => ({ type: 'plain', text: text.replace(/\n+$/, '') })

const known = (token: Token): MarkedToken | FormulaToken => token as MarkedToken | FormulaToken

function blocksOf(tokens: readonly Token[], depth: number): readonly MarkdownBlock[] {
  return tokens.flatMap(token => blockOf(known(token), depth))
}

function blockOf(token: MarkedToken | FormulaToken, depth: number): MarkdownBlock | readonly MarkdownBlock[] {
  if (depth > DEEPEST) return plain(token.raw)
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'paragraph':
    case 'text':
      return { type: 'paragraph', inlines: inlinesIn(token) }
    case 'heading':
      return { type: 'heading', level: levelOf(token.depth), inlines: inlinesIn(token) }
    case 'code':
      return { type: 'code', language: token.lang?.split(/\s/, 1)[0] ?? '', text: token.text }
    case 'blockquote':
      return { type: 'quote', blocks: blocksOf(token.tokens, depth + 1) }
    case 'list':
      return {
        type: 'list',
        start: token.ordered ? Number(token.start) : null,
        items: token.items.map(item => itemOf(item, depth + 1)),
      }
    case 'table':
      return tableOf(token)
    case 'hr':
      return { type: 'rule' }
    case FORMULA:
      return formulaOf(token)
    default:
      return token.raw.trim() === '' ? [] : plain(token.raw)
  }
}

const levelOf = (depth: number): HeadingLevel => (depth <= 1 ? 3 : depth === 2 ? 4 : depth === 3 ? 5 : 6)

/** A task's box is a token of its own, in the item or in its first paragraph; the item already has its state. */
function itemOf({ task, checked, tokens }: Tokens.ListItem, depth: number): ListItemNode {
  const rest = tokens.filter(({ type }) => type !== 'checkbox')
  return { checked: task ? checked === true : null, blocks: blocksOf(rest, depth) }
}

function tableOf({ header, align, rows }: Tokens.Table): MarkdownBlock {
  const cellOf = ({ tokens }: Tokens.TableCell): TableCell => inlinesOf(tokens)
  return {
    type: 'table',
    columns: header.map((cell, index) => ({ align: align[index] ?? null, head: cellOf(cell) })),
    rows: rows.map(row => row.map(cellOf)),
  }
}

const formulaOf = ({ tex, raw, display }: FormulaToken) => ({ type: 'formula', tex, source: raw.trim(), display }) as const

function inlinesIn({ text, tokens }: { readonly text: string; readonly tokens?: readonly Token[] }): readonly MarkdownInline[] {
  return tokens === undefined ? [{ type: 'text', text: decodeReferences(text) }] : inlinesOf(tokens)
}

/** Joins neighboring texts into one. */
function inlinesOf(tokens: readonly Token[]): readonly MarkdownInline[] {
  const inlines: MarkdownInline[] = []
  for (const inline of tokens.flatMap(token => inlineOf(known(token)))) {
    const last = inlines.at(-1)
    if (inline.type === 'text' && last?.type === 'text') inlines.splice(-1, 1, { type: 'text', text: last.text + inline.text })
    else inlines.push(inline)
  }
  return inlines
}

function inlineOf(token: MarkedToken | FormulaToken): MarkdownInline | readonly MarkdownInline[] {
  switch (token.type) {
    case 'text':
      return inlinesIn(token)
    case 'escape':
      return { type: 'text', text: token.text }
    case 'strong':
      return { type: 'strong', inlines: inlinesOf(token.tokens) }
    case 'em':
      return { type: 'emphasis', inlines: inlinesOf(token.tokens) }
    case 'del':
      return { type: 'struck', inlines: inlinesOf(token.tokens) }
    case 'codespan':
      return { type: 'code', text: token.text }
    case 'br':
      return { type: 'break' }
    case 'checkbox':
      return []
    case 'link':
      return linkOf(token)
    case 'image':
      return imageOf(token)
    case FORMULA:
      return formulaOf(token)
    default:
      // Cells of a table have no other way to begin a line.
      return /^<br ?\/?>$/i.test(token.raw) ? { type: 'break' } : { type: 'text', text: token.raw }
  }
}

function linkOf({ href: written, autolink, tokens, raw }: Tokens.Link): MarkdownInline {
  const href = allowedAddressOf(autolink === true ? written : decodeReferences(written))
  if (href === null) return { type: 'text', text: raw }
  const inlines = withoutLinks(inlinesOf(tokens))
  return { type: 'link', href, host: otherHost(inlineWords(inlines), href), inlines }
}

/** A picture is a link here, and within a link there is room for none. */
function withoutLinks(inlines: readonly MarkdownInline[]): readonly MarkdownInline[] {
  return inlines.flatMap((inline): MarkdownInline | readonly MarkdownInline[] => {
    switch (inline.type) {
      case 'image':
        return { type: 'text', text: `Image: ${inline.alt}` }
      case 'link':
        return withoutLinks(inline.inlines)
      case 'strong':
      case 'emphasis':
      case 'struck':
        return { type: inline.type, inlines: withoutLinks(inline.inlines) }
      default:
        return inline
    }
  })
}

function imageOf({ href: written, text, raw }: Tokens.Image): MarkdownInline {
  const href = allowedAddressOf(decodeReferences(written))
  return href === null ? { type: 'text', text: raw } : { type: 'image', href, host: hostOf(href), alt: decodeReferences(text) }
}

/** The words that a screen reader speaks. */
export function inlineWords(inlines: readonly MarkdownInline[]): string {
  return inlines
    .map(inline => {
      switch (inline.type) {
        case 'text':
        case 'code':
          return inline.text
        case 'break':
          return '\n'
        case 'image':
          return inline.alt
        case 'formula':
          return inline.source
        default:
          return inlineWords(inline.inlines)
      }
    })
    .join('')
}
