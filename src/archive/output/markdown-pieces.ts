// Splits Markdown into pieces that can be lexed one by one.

/** A part of a text that can be lexed without the rest: one block, or a few that belong together. */
export type MarkdownPiece = { readonly kind: 'markdown' | 'code' | 'plain'; readonly raw: string }

/** A longer text is not lexed at all; it is shown as it was written. */
const LARGEST = 500_000
const MOST_PIECES = 3000

/**
 * Splits a text around code, and at empty lines that certainly end a block. While a text grows only its last piece changes,
 * so that the earlier pieces need not be lexed or drawn again.
 */
export function splitMarkdown(text: string): readonly MarkdownPiece[] {
  if (text.length > LARGEST) return [{ kind: 'plain', raw: text }]
  const pieces: MarkdownPiece[] = []
  for (const { kind, from, to } of stretches(text)) {
    const raw = text.slice(from, to)
    if (raw.trim() === '') continue
    if (pieces.length === MOST_PIECES) return [...pieces, { kind: 'plain', raw: text.slice(from) }]
    pieces.push({ kind, raw })
  }
  return pieces
}

type Stretch = { readonly kind: 'markdown' | 'code'; readonly from: number; readonly to: number }

const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/

function* stretches(text: string): Generator<Stretch> {
  let from = 0
  let fence: string | null = null
  let list = false
  let empty = false
  for (const { line, at, next } of linesOf(text)) {
    if (fence !== null) {
      if (!closes(line, fence)) continue
      yield { kind: 'code', from, to: next }
      from = next
      fence = null
      continue
    }
    if (line.trim() === '') {
      empty = true
      continue
    }
    const opened = FENCE.exec(line)
    // Within a list an indented fence belongs to its item.
    const opens = opened !== null && (!list || opened[1] === '')
    // An indented line, or one more item, may still belong to the list before.
    if (opens || (empty && !/^[ \t]/.test(line) && !(list && LIST.test(line)))) {
      if (at > from) yield { kind: 'markdown', from, to: at }
      from = at
      list = false
    }
    if (opens) fence = opened[2] ?? ''
    list ||= LIST.test(line)
    empty = false
  }
  if (from < text.length) yield { kind: fence === null ? 'markdown' : 'code', from, to: text.length }
}

const closes = (line: string, fence: string): boolean => {
  const mark = line.trim()
  return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length) && /^ {0,3}\S/.test(line)
}

function* linesOf(text: string): Generator<{ readonly line: string; readonly at: number; readonly next: number }> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    yield { line: text.slice(at, end < 0 ? next : end), at, next }
    at = next
  }
}

const DEFINITION = /^ {0,3}\[(?!\^)[^[\]\n]{1,200}\]:[ \t]*\S[^\n]*$/gm
const MOST_DEFINITIONS = 200

/** The link definitions of a text, from all of its pieces. */
export function definitionsOf(pieces: readonly MarkdownPiece[]): string {
  return pieces
    .filter(({ kind, raw }) => kind === 'markdown' && raw.includes(']:'))
    .flatMap(({ raw }) => raw.match(DEFINITION) ?? [])
    .slice(0, MOST_DEFINITIONS)
    .join('\n')
}
