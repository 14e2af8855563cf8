// Renders Markdown as HTML for exports.
import { Marked, type MarkedToken, type Token, type Tokens } from 'marked'
import { DEEPEST_MARKDOWN } from '../text-thread/bounded-lexer.ts'
import { lexText } from '../text-thread/lex-text.ts'
import { escaped } from './escaped.ts'

const rules = new Marked({ gfm: true, breaks: true }).defaults

/**
 * Renders Markdown as HTML that we write ourselves, element by element; the lexer only says what is what. Raw HTML is shown
 * as text, and an image from elsewhere as its words and its address. Only addresses that a person may follow become links.
 */
export const htmlOfMarkdown = (text: string): string =>
  lexText(rules, text)
    .pieces.map(({ raw, tokens }) => (tokens === null ? plainHtml(raw) : blocksOf(tokens, 0)))
    .join('')

/** Shows a text as it was written. */
export const plainHtml = (text: string): string => `<pre class="plain">${escaped(text.replace(/\n+$/, ''))}</pre>`

const blocksOf = (tokens: readonly Token[], depth: number): string =>
  tokens.map(token => blockOf(token as MarkedToken, depth)).join('')

function blockOf(token: MarkedToken, depth: number): string {
  if (depth > DEEPEST_MARKDOWN) return plainHtml(token.raw)
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return ''
    case 'paragraph':
      return `<p>${inlinesIn(token, depth)}</p>`
    case 'text':
      return `<p>${inlinesIn(token, depth)}</p>`
    case 'heading': {
      const level = Math.min(6, token.depth + 3)
      return `<h${level}>${inlinesIn(token, depth)}</h${level}>`
    }
    case 'code':
      return `<pre><code>${escaped(token.text)}</code></pre>`
    case 'blockquote':
      return `<blockquote>${blocksOf(token.tokens, depth + 1)}</blockquote>`
    case 'list':
      return listOf(token, depth + 1)
    case 'table':
      return tableOf(token, depth)
    case 'hr':
      return '<hr>'
    default:
      return token.raw.trim() === '' ? '' : plainHtml(token.raw)
  }
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): string {
  const tag = ordered ? 'ol' : 'ul'
  const from = ordered && Number.isSafeInteger(Number(start)) && Number(start) !== 1 ? ` start="${Number(start)}"` : ''
  const each = items.map(({ task, checked, tokens }) => {
    const box = task ? (checked === true ? '☑ ' : '☐ ') : ''
    return `<li${task ? ' class="task"' : ''}>${box}${blocksOf(tokens, depth)}</li>`
  })
  return `<${tag}${from}>${each.join('')}</${tag}>`
}

function tableOf({ header, rows }: Tokens.Table, depth: number): string {
  const cells = (row: readonly Tokens.TableCell[], tag: string): string =>
    `<tr>${row.map(cell => `<${tag}${sideOf(cell)}>${inlinesOf(cell.tokens, depth)}</${tag}>`).join('')}</tr>`
  const body = rows.map(row => cells(row, 'td')).join('')
  return `<div class="wide"><table><thead>${cells(header, 'th')}</thead><tbody>${body}</tbody></table></div>`
}

const sideOf = ({ align }: Tokens.TableCell): string => (align === 'right' || align === 'center' ? ` class="${align}"` : '')

const inlinesIn = (token: { readonly tokens?: readonly Token[]; readonly text: string }, depth: number): string =>
  token.tokens === undefined ? escaped(token.text) : inlinesOf(token.tokens, depth)

const inlinesOf = (tokens: readonly Token[], depth: number): string =>
  tokens.map(token => inlineOf(token as MarkedToken, depth + 1)).join('')

function inlineOf(token: MarkedToken, depth: number): string {
  if (depth > 2 * DEEPEST_MARKDOWN) return escaped(token.raw)
  switch (token.type) {
    case 'checkbox':
      return ''
    case 'text':
      return token.tokens === undefined ? withCharacters(escaped(token.text)) : inlinesOf(token.tokens, depth)
    case 'escape':
      return escaped(token.text)
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${inlinesOf(token.tokens, depth)}</${token.type}>`
    case 'codespan':
      return `<code>${escaped(token.text)}</code>`
    case 'br':
      return '<br>'
    case 'link':
      return linkOf(token, depth)
    case 'image':
      return `${escaped(token.text === '' ? 'image' : token.text)} (${linkTo(token.href, escaped(token.href))})`
    default:
      return escaped(token.raw)
  }
}

/** Turns a named or numbered character back into that character. It can never become markup. */
const withCharacters = (text: string): string => text.replace(/&amp;(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi, '&$1;')

/** A link shows its address beside its words, unless the words are the address. */
function linkOf({ href, text, tokens }: Tokens.Link, depth: number): string {
  const address = addressOf(href)
  if (address === null) return `${inlinesOf(tokens, depth)}${text === href ? '' : ` (${escaped(href)})`}`
  return linkTo(href, inlinesOf(tokens, depth))
}

function linkTo(href: string, words: string): string {
  const address = addressOf(href)
  return address === null
    ? words
    : `<a href="${escaped(address)}" title="${escaped(address)}" rel="noopener noreferrer" target="_blank">${words}</a>`
}

const LONGEST_ADDRESS = 2048

/**
 * Allows only web and mail addresses without hidden characters. An address with a user name is refused, because the name of a
 * trusted host may be put before the `@`.
 */
function addressOf(written: string): string | null {
  if (written.length > LONGEST_ADDRESS || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s\\]/u.test(written)) return null
  if (!/^(?:https?:\/\/[^/]|mailto:[^/])/i.test(written)) return null
  const url = URL.parse(written)
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return null
  return url.username === '' && url.password === '' ? url.href : null
}
