/** Makes styled text for Telegram of the Markdown that a model writes. */
import { Marked, type Token, type Tokens } from 'marked'
import { lexText } from '../../archive/text-thread/lex-text.ts'
import { createWriter, joined, plain, type RichText, type TextStyle, type Writer } from '../channel/text/rich-text.ts'
import { createHarmless } from '../cli/output/escape-for-terminal.ts'

/**
 * Control characters, and those that turn the reading direction, are made harmless. A text that is still being written may end in half
 * a character, which waits for its other half.
 */
export function formattedMarkdown(source: string, { isWhole }: { readonly isWhole: boolean }): RichText {
  const harmless = createHarmless()
  const text = harmless.write(source) + (isWhole ? harmless.end() : '')
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

function blocks(writer: Writer, tokens: readonly Token[], looks: readonly TextStyle[], indent = ''): void {
  for (const token of tokens) block(writer, token, looks, indent)
}

function block(writer: Writer, token: Token, looks: readonly TextStyle[], indent: string): void {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      break
    case 'heading':
      alone(writer, () => inline(writer, token.tokens ?? [], also(looks, 'bold')))
      break
    case 'code':
      alone(writer, () => writer.write(token.text, [...quotesOf(looks), { type: 'pre', ...languageOf(token as Tokens.Code) }]))
      break
    case 'blockquote': {
      // Telegram has no quotes in quotes: the inner one is the same quote.
      const quoted: readonly TextStyle[] = quotesOf(looks).length > 0 ? looks : [...looks, { type: 'blockquote' }]
      alone(writer, () => blocks(writer, token.tokens ?? [], quoted))
      break
    }
    case 'list':
      list(writer, token as Tokens.List, looks, indent)
      break
    case 'table':
      alone(writer, () => table(writer, token as Tokens.Table, looks))
      break
    case 'hr':
      alone(writer, () => writer.write('———', looks))
      break
    case 'text':
      inline(writer, tokensOf(token), looks)
      break
    case 'paragraph':
      writer.apart(indent === '' ? 2 : 1)
      inline(writer, token.tokens ?? [], looks)
      writer.apart(2)
      break
    default:
      alone(writer, () => writer.write(token.raw.trimEnd(), looks))
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

function list(writer: Writer, { items, ordered, start }: Tokens.List, looks: readonly TextStyle[], indent: string): void {
  writer.apart(indent === '' ? 2 : 1)
  const bullet = BULLETS[Math.min(indent.length / 2, BULLETS.length - 1)] ?? '•'
  items.forEach((item, index) => {
    const sign = ordered ? `${Number(start || 1) + index}.` : item.task ? (item.checked === true ? '☑' : '☐') : bullet
    writer.apart(1)
    writer.write(`${indent}${sign} `, looks)
    const [first, ...rest] = item.tokens.filter(({ type }) => type !== 'checkbox' && type !== 'space')
    // The first paragraph stands behind its sign, not below it.
    if (first !== undefined) {
      if (first.type === 'paragraph' || first.type === 'text') inline(writer, tokensOf(first), looks)
      else block(writer, first, looks, `${indent}  `)
    }
    for (const token of rest) {
      writer.apart(1)
      block(writer, token, looks, `${indent}  `)
    }
    writer.apart(1)
  })
  writer.apart(indent === '' ? 2 : 1)
}

const tokensOf = (token: Token): readonly Token[] =>
  'tokens' in token && token.tokens !== undefined
    ? token.tokens
    : [{ type: 'text', raw: token.raw, text: token.raw } satisfies Tokens.Text]

/** Columns stand under each other only where every sign is as wide as the next. */
function table(writer: Writer, { header, rows }: Tokens.Table, looks: readonly TextStyle[]): void {
  const cells = [header, ...rows].map(row => row.map(({ tokens }) => bare(tokens)))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map(row => (row[column] ?? '').length)))
  const lines = cells.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  )
  const rule = widths.map(width => '-'.repeat(width)).join('-+-')
  writer.write([lines[0], rule, ...lines.slice(1)].join('\n'), [...quotesOf(looks), { type: 'pre' }])
}

function bare(tokens: readonly Token[]): string {
  const writer = createWriter()
  inline(writer, tokens, [])
  return writer.end().text.replace(/\s+/g, ' ')
}

function inline(writer: Writer, tokens: readonly Token[], looks: readonly TextStyle[]): void {
  for (const token of tokens) {
    const inner = 'tokens' in token ? (token.tokens ?? []) : []
    switch (token.type) {
      case 'strong':
        inline(writer, inner, also(looks, 'bold'))
        break
      case 'em':
        inline(writer, inner, also(looks, 'italic'))
        break
      case 'del':
        inline(writer, inner, also(looks, 'strikethrough'))
        break
      case 'codespan':
        // Code can be part of a quote and of nothing else.
        writer.write(token.text, looks.some(({ type }) => type === 'text_link') ? looks : [...quotesOf(looks), { type: 'code' }])
        break
      case 'br':
        writer.write('\n', looks)
        break
      case 'link':
        link(writer, token as Tokens.Link, looks)
        break
      case 'image':
        named(writer, token.text === '' ? token.href : token.text, token.href, looks)
        break
      case 'checkbox':
        break
      default:
        if (inner.length > 0) inline(writer, inner, looks)
        else writer.write('text' in token && token.type !== 'html' ? token.text : token.raw, looks)
    }
  }
}

/** What is bold already does not become bolder. */
const also = (looks: readonly TextStyle[], type: 'bold' | 'italic' | 'strikethrough'): readonly TextStyle[] =>
  looks.some(look => look.type === type) ? looks : [...looks, { type }]

const quotesOf = (looks: readonly TextStyle[]): readonly TextStyle[] => looks.filter(({ type }) => type === 'blockquote')

function link(writer: Writer, { href, text, tokens, raw }: Tokens.Link, looks: readonly TextStyle[]): void {
  // An address that stands there as itself is a link wherever it is shown.
  if (text === href || raw === text) writer.write(text, looks)
  else if (isSafe(href)) inline(writer, tokens, [...looks, { type: 'text_link', url: href }])
  else {
    inline(writer, tokens, looks)
    writer.write(` (${href})`, looks)
  }
}

function named(writer: Writer, text: string, href: string, looks: readonly TextStyle[]): void {
  if (isSafe(href)) writer.write(text, [...looks, { type: 'text_link', url: href }])
  else writer.write(text === href ? text : `${text} (${href})`, looks)
}

const isSafe = (href: string): boolean => /^https?:\/\//i.test(href) && URL.canParse(href) && href.length <= 2000
