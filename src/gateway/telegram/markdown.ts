/** Turns the Markdown that a model writes into styled text for Telegram. */
import { Marked, type Token, type Tokens } from 'marked'
import { lexText } from '../../archive/text-thread/lex-text.ts'
import { createWriter, joined, plain, type RichText, type TextStyle, type Writer } from '../channel/text/rich-text.ts'
import { createTerminalEscaper } from '../cli/output/escape-for-terminal.ts'

/**
 * Control characters, and those that turn the reading direction, are made harmless. A text that is still being written may end in half
 * a character, which waits for its other half.
 */
export function formattedMarkdown(source: string, { isWhole }: { readonly isWhole: boolean }): RichText {
  const escaper = createTerminalEscaper()
  const text = escaper.write(source) + (isWhole ? escaper.end() : '')
  const parts = lexText(RULES, text).pieces.map(({ raw, tokens }) =>
    tokens === null ? plain(raw.trimEnd()) : formattedTokens(raw, tokens),
  )
  return joined(...parts.flatMap((part, index) => (index === 0 ? [part] : [plain('\n\n'), part])))
}

const RULES = new Marked({ gfm: true }).defaults

function formattedTokens(raw: string, tokens: readonly Token[]): RichText {
  const writer = createWriter()
  blocks(writer, tokens, [])
  const { text: written, entities } = writer.end()
  const end = written.trimEnd()
  return end === '' ? plain(raw.trimEnd()) : { text: end, entities: within(entities, end.length) }
}

const within = (entities: RichText['entities'], length: number): RichText['entities'] =>
  entities.flatMap(entity => {
    const left = Math.min(entity.length, length - entity.offset)
    return left > 0 ? [{ ...entity, length: left }] : []
  })

function blocks(writer: Writer, tokens: readonly Token[], styles: readonly TextStyle[], indent = ''): void {
  for (const token of tokens) block(writer, token, styles, indent)
}

function block(writer: Writer, token: Token, styles: readonly TextStyle[], indent: string): void {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      break
    case 'heading':
      alone(writer, () => inline(writer, token.tokens ?? [], also(styles, 'bold')))
      break
    case 'code':
      alone(writer, () => writer.write(token.text, [...quotesOf(styles), { type: 'pre', ...languageOf(token as Tokens.Code) }]))
      break
    case 'blockquote': {
      // Telegram has no quotes in quotes: the inner one is the same quote.
      const quoted: readonly TextStyle[] = quotesOf(styles).length > 0 ? styles : [...styles, { type: 'blockquote' }]
      alone(writer, () => blocks(writer, token.tokens ?? [], quoted))
      break
    }
    case 'list':
      list(writer, token as Tokens.List, styles, indent)
      break
    case 'table':
      alone(writer, () => table(writer, token as Tokens.Table, styles))
      break
    case 'hr':
      alone(writer, () => writer.write('———', styles))
      break
    case 'text':
      inline(writer, tokensOf(token), styles)
      break
    case 'paragraph':
      writer.apart(indent === '' ? 2 : 1)
      inline(writer, token.tokens ?? [], styles)
      writer.apart(2)
      break
    default:
      alone(writer, () => writer.write(token.raw.trimEnd(), styles))
  }
}

/** With an empty line before and after it. */
function alone(writer: Writer, write: () => void): void {
  writer.apart(2)
  write()
  writer.apart(2)
}

function languageOf({ lang = '' }: Tokens.Code): { readonly language?: string } {
  const [language] = /^[\w+#.-]{1,30}/.exec(lang) ?? []
  return language === undefined ? {} : { language }
}

const BULLETS = ['•', '◦', '▪']

function list(writer: Writer, { items, ordered, start }: Tokens.List, styles: readonly TextStyle[], indent: string): void {
  writer.apart(indent === '' ? 2 : 1)
  const bullet = BULLETS[Math.min(indent.length / 2, BULLETS.length - 1)] ?? '•'
  items.forEach((item, index) => {
    const sign = ordered ? `${Number(start || 1) + index}.` : item.task ? (item.checked === true ? '☑' : '☐') : bullet
    writer.apart(1)
    writer.write(`${indent}${sign} `, styles)
    const [first, ...rest] = item.tokens.filter(({ type }) => type !== 'checkbox' && type !== 'space')
    // The first paragraph follows its sign on the same line.
    if (first !== undefined) {
      if (first.type === 'paragraph' || first.type === 'text') inline(writer, tokensOf(first), styles)
      else block(writer, first, styles, `${indent}  `)
    }
    for (const token of rest) {
      writer.apart(1)
      block(writer, token, styles, `${indent}  `)
    }
    writer.apart(1)
  })
  writer.apart(indent === '' ? 2 : 1)
}

const tokensOf = (token: Token): readonly Token[] =>
  'tokens' in token && token.tokens !== undefined
    ? token.tokens
    : [{ type: 'text', raw: token.raw, text: token.raw } satisfies Tokens.Text]

/** Columns line up only in code, where all characters have the same width. */
function table(writer: Writer, { header, rows }: Tokens.Table, styles: readonly TextStyle[]): void {
  const cells = [header, ...rows].map(row => row.map(({ tokens }) => bare(tokens)))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => (row[column] ?? '').length)))
  const lines = cells.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  )
  const rule = widths.map(width => '-'.repeat(width)).join('-+-')
  writer.write([lines[0], rule, ...lines.slice(1)].join('\n'), [...quotesOf(styles), { type: 'pre' }])
}

function bare(tokens: readonly Token[]): string {
  const writer = createWriter()
  inline(writer, tokens, [])
  return writer.end().text.replace(/\s+/g, ' ')
}

function inline(writer: Writer, tokens: readonly Token[], styles: readonly TextStyle[]): void {
  for (const token of tokens) {
    const inner = 'tokens' in token ? (token.tokens ?? []) : []
    switch (token.type) {
      case 'strong':
        inline(writer, inner, also(styles, 'bold'))
        break
      case 'em':
        inline(writer, inner, also(styles, 'italic'))
        break
      case 'del':
        inline(writer, inner, also(styles, 'strikethrough'))
        break
      case 'codespan':
        // Code can be part of a quote and of nothing else.
        writer.write(
          token.text,
          styles.some(({ type }) => type === 'text_link') ? styles : [...quotesOf(styles), { type: 'code' }],
        )
        break
      case 'br':
        writer.write('\n', styles)
        break
      case 'link':
        link(writer, token as Tokens.Link, styles)
        break
      case 'image':
        named(writer, token.text === '' ? token.href : token.text, token.href, styles)
        break
      case 'checkbox':
        break
      default:
        if (inner.length > 0) inline(writer, inner, styles)
        else writer.write('text' in token && token.type !== 'html' ? token.text : token.raw, styles)
    }
  }
}

/** What is bold already does not become bolder. */
const also = (styles: readonly TextStyle[], type: 'bold' | 'italic' | 'strikethrough'): readonly TextStyle[] =>
  styles.some(style => style.type === type) ? styles : [...styles, { type }]

const quotesOf = (styles: readonly TextStyle[]): readonly TextStyle[] => styles.filter(({ type }) => type === 'blockquote')

function link(writer: Writer, { href, text, tokens, raw }: Tokens.Link, styles: readonly TextStyle[]): void {
  // Telegram makes a link of an address that is written out.
  if (text === href || raw === text) writer.write(text, styles)
  else if (isSafe(href)) inline(writer, tokens, [...styles, { type: 'text_link', url: href }])
  else {
    inline(writer, tokens, styles)
    writer.write(` (${href})`, styles)
  }
}

function named(writer: Writer, text: string, href: string, styles: readonly TextStyle[]): void {
  if (isSafe(href)) writer.write(text, [...styles, { type: 'text_link', url: href }])
  else writer.write(text === href ? text : `${text} (${href})`, styles)
}

const isSafe = (href: string): boolean => /^https?:\/\//i.test(href) && URL.canParse(href) && href.length <= 2000
